/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans of a million and of ten million elements pass the verifier. The times and their ratio,
 * which is 10 if the time is linear, are printed; no check depends on them. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "plan.h"
#include "tap.h"

enum { BLOCK = 1024 };

struct grid {
  int64_t cells, edges;
  int32_t *ends; /* the two cells of each edge */
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Cells in rows, wrapped at the ends; the edges to the right and above come cell after cell, two
 * per cell. */
static void make_grid(struct grid *grid, int64_t width, int64_t rows) {
  grid->cells = width * rows;
  grid->edges = 2 * grid->cells;
  grid->ends = malloc((size_t)grid->edges * 2 * sizeof *grid->ends);
  if (!grid->ends) exit(2);
  for (int64_t cell = 0; cell < grid->cells; cell++) {
    int32_t *ends = grid->ends + 4 * cell;
    ends[0] = ends[2] = (int32_t)cell;
    ends[1] = (int32_t)(cell % width == width - 1 ? cell - width + 1 : cell + 1);
    ends[3] = (int32_t)((cell + width) % grid->cells);
  }
}

/* Seconds of the fastest of three runs. */
static double time_plan(const struct grid *grid, unsigned parts, bool ordered, const char *what) {
  struct op2i_plan_arg args[2];
  for (int slot = 0; slot < 2; slot++)
    args[slot] = (struct op2i_plan_arg){.idx = grid->ends,
                                        .arity = 2,
                                        .slot = slot,
                                        .access = OP2_INC,
                                        .target_size = grid->cells,
                                        .row_bytes = 32};
  struct op2i_plan_desc desc = {.hi = grid->edges,
                                .block_size = BLOCK,
                                .ordered = ordered,
                                .nargs = 2,
                                .args = args,
                                .parts = parts};
  double best = 1e9;
  for (int i = 0; i < 3; i++) {
    struct op2i_plan *plan = NULL;
    double begin = now();
    op2_status status = op2i_plan_create(&desc, &plan);
    double seconds = now() - begin;
    if (seconds < best) best = seconds;
    if (i == 0) {
      if (status == OP2_SUCCESS) status = op2i_plan_verify(plan, &desc);
      ok(status == OP2_SUCCESS, "%s, %lld elements: passes the verifier%s%s", what,
         (long long)grid->edges, status ? ": " : "", status ? op2_error_message() : "");
    }
    op2i_plan_free(plan);
  }
  return best;
}

int main(void) {
  static const struct {
    unsigned parts;
    bool ordered;
    const char *what;
  } kinds[] = {{0, false, "block colours"},
               {0, true, "ordered block colours"},
               {OP2I_PLAN_ELEMENTS, false, "block and element colours"},
               {OP2I_PLAN_STAGE, false, "block colours and staging"}};
  int64_t width = quick() ? 250 : 2500;
  struct grid small, large;
  make_grid(&small, width, 200);
  make_grid(&large, width, 2000);
  for (int i = 0; i < 4; i++) {
    double few = time_plan(&small, kinds[i].parts, kinds[i].ordered, kinds[i].what);
    double many = time_plan(&large, kinds[i].parts, kinds[i].ordered, kinds[i].what);
    diag("%s: %.4f s for %lld elements, %.4f s for %lld, ratio %.2f; %.2f ns per element and slot",
         kinds[i].what, few, (long long)small.edges, many, (long long)large.edges, many / few,
         many * 1e9 / (2.0 * (double)large.edges));
  }
  free(small.ends);
  free(large.ends);
  return done();
}
