/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that make different calls: each public call is left out, made twice or changed on one of
 * two ranks, and both are told within ten seconds which ranks differ, and in which calls. No option
 * is set. With OP2_TEST_FULL=1 every call is tried in every way; otherwise every third of these. */
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "comm.h"
#include "context.h"
#include "init.h"
#include "op2/algebra.h"
#include "op2/call.h"
#include "op2/device.h"
#include "op2/graph.h"
#include "op2/matrix.h"
#include "op2/ranks.h"
#include "op2/solve.h"
#include "rank_case.h"
#include "support.h"
#include "tap.h"

/* As the compiler of this program sees the constant. */
static double factor = 1;

OP2_KERNEL(spread, (const double *q, double *a, double *b), {
  *a += q[0];
  *b += q[0];
});
OP2_KERNEL(scale, (double *q, const double *by, double *sum), {
  *q *= factor * *by;
  *sum += *q;
});
OP2_KERNEL(other, (double *q, const double *by, double *sum), {
  *q *= factor + *by;
  *sum += *q;
});

enum { CELLS = 4 };
enum way { USUAL, LEFT_OUT, TWICE, CHANGED, WAYS };
static const char *const ways[] = {"as usual", "left out", "made twice", "changed"};

struct world {
  op2_context ctx;
  int rank;
  op2_set cells, edges, some, both;
  op2_map ends, self, partial;
  op2_dat q, b, x, wrapped;
  double memory[CELLS];
  op2_gbl sum, by;
  op2_const factor;
  op2_kernel spread, scale;
  op2_loop loop;
  op2_solver solver;
};

#define STEP(name_) static op2_status name_(struct world *w, bool changed)

STEP(set_create) {
  return op2_set_create(w->ctx, CELLS, changed ? "nodes" : "cells", &w->cells) ||
         op2_set_create(w->ctx, CELLS, "edges", &w->edges);
}
STEP(map_create_global) {
  int64_t idx[2 * CELLS];
  for (int i = 0; i < CELLS; i++)
    for (int k = 0; k < 2; k++) idx[2 * i + k] = (w->rank * CELLS + i + k) % (2 * CELLS);
  return op2_map_create_global(w->edges, w->cells, 2, idx, changed ? "other" : "ends", &w->ends);
}
STEP(dat_create) {
  const double values[2 * CELLS] = {1, 2, 3, 4};
  return op2_dat_create(w->cells, 1, OP2_F64, values, changed ? "r" : "q", &w->q) ||
         op2_dat_create(w->cells, 1, OP2_F64, values, "b", &w->b) ||
         op2_dat_create(w->cells, 1, OP2_F64, NULL, "x", &w->x);
}
STEP(gbl_create) {
  const double zero = 0, one = changed ? 2 : 1;
  return op2_gbl_create(w->ctx, 1, OP2_F64, &zero, "sum", &w->sum) ||
         op2_gbl_create(w->ctx, 1, OP2_F64, &one, "by", &w->by);
}
STEP(const_create) {
  const double value = changed ? 3 : 1;
  return op2_const_create(w->ctx, 1, OP2_F64, &value, "factor", &w->factor);
}
STEP(kernel_create) {
  op2_kernel_desc desc = changed ? other_kernel : scale_kernel;
  char source[400];
  snprintf(source, sizeof source, "%s", desc.source);
  if (changed) memcpy(strstr(source, "other"), "scale", 5);
  desc.name = "scale";
  desc.source = source;
  return op2_kernel_create(w->ctx, &spread_kernel, &w->spread) ||
         op2_kernel_create(w->ctx, &desc, &w->scale);
}
STEP(partition) {
  if (changed) return op2_flush(w->ctx);
  return op2_partition(w->ctx, NULL, NULL);
}
STEP(dat_wrap) {
  return op2_dat_wrap(w->cells, 1, OP2_F64, w->memory, changed ? "memory" : "wrapped", &w->wrapped);
}
STEP(subset_create) {
  return op2_subset_create(changed ? w->edges : w->cells, 1, (int64_t[]){1}, "some", &w->some);
}
STEP(subset_union) {
  return op2_subset_create_union(w->some, changed ? w->some : w->cells, "both", &w->both);
}
STEP(map_create) {
  const int32_t idx[3 * CELLS] = {0};
  return op2_map_create(w->cells, w->cells, 1, idx, changed ? "other" : "self", &w->self);
}
STEP(map_composed) {
  op2_map map = NULL;
  op2_status status = op2_map_create_composed(1, changed ? &w->ends : &w->self, "composed", &map);
  op2_map_destroy(&map);
  return status;
}
STEP(map_partial) {
  const int32_t idx[3 * CELLS] = {0, -1};
  return op2_map_create_partial(w->cells, changed ? w->edges : w->cells, 1, idx, "partial",
                                &w->partial);
}
STEP(par_loop) {
  return op2_par_loop(w->spread, w->edges, op2_arg_dat(w->q, changed, w->ends, OP2_READ),
                      op2_arg_dat(w->b, 0, w->ends, OP2_INC),
                      op2_arg_dat(w->b, 1, w->ends, OP2_INC));
}
STEP(arg_val) {
  const double value = changed ? 2 : 1;
  return op2_par_loop(w->scale, w->cells, op2_arg_direct(w->q, OP2_RW),
                      op2_arg_val(&value, 1, OP2_F64), op2_arg_gbl(w->sum, OP2_INC));
}
STEP(access_mode) {
  return op2_par_loop(w->scale, w->cells, op2_arg_direct(changed ? w->b : w->q, OP2_RW),
                      op2_arg_gbl(w->by, OP2_READ), op2_arg_gbl(w->sum, OP2_INC));
}
STEP(gbl_set) {
  const double value = changed ? 1 : 2;
  return op2_gbl_set(w->by, &value);
}
STEP(const_set) {
  const double value = changed ? 1 : 2;
  return op2_const_set(w->factor, &value);
}
STEP(flush) { return changed ? op2_dat_to(w->q, OP2_PLACE_HOST) : op2_flush(w->ctx); }
STEP(gbl_get) {
  double value;
  return op2_gbl_get(changed ? w->by : w->sum, &value);
}
STEP(dat_get) {
  double values[2 * CELLS];
  return op2_dat_get(changed ? w->b : w->q, values);
}
STEP(dat_get_halo) {
  double values[8 * CELLS];
  return op2_dat_get_halo(changed ? w->b : w->q, values);
}
STEP(dat_set) {
  const double values[2 * CELLS] = {1};
  return op2_dat_set(changed ? w->b : w->q, values);
}
STEP(dat_get_block) {
  double values[4];
  return op2_dat_get_block(changed ? w->b : w->q, 0, 2, values);
}
STEP(dat_set_block) {
  const double values[2] = {1};
  return op2_dat_set_block(changed ? w->b : w->q, 2 * w->rank, 2, values);
}
STEP(read_scope) {
  const void *data = NULL;
  op2_status status = op2_dat_read_begin(changed ? w->b : w->q, &data);
  return status ? status : op2_dat_read_end(changed ? w->b : w->q, &data);
}
STEP(write_scope) {
  void *data = NULL;
  op2_status status = op2_dat_write_begin(changed ? w->b : w->q, &data);
  return status ? status : op2_dat_write_end(changed ? w->b : w->q, &data);
}
STEP(dat_to) { return op2_dat_to(changed ? w->b : w->q, OP2_PLACE_HOST); }
static int nothing(void *data, void *const *values) {
  (void)data;
  (void)values;
  return 0;
}
STEP(call) {
  return op2_call(w->ctx, nothing, NULL, op2_arg_direct(changed ? w->b : w->q, OP2_READ));
}
STEP(loop_create) {
  op2_loop_destroy(&w->loop);
  return op2_loop_create(
      &w->loop, w->spread, w->edges, op2_arg_dat(w->q, changed, w->ends, OP2_READ),
      op2_arg_dat(w->b, 0, w->ends, OP2_INC), op2_arg_dat(w->b, 1, w->ends, OP2_INC));
}
STEP(loop_enqueue) {
  return changed ? op2_loop_compute(w->loop) || op2_dat_to(w->q, OP2_PLACE_HOST)
                 : op2_loop_enqueue(w->loop);
}
STEP(axpy) { return op2_dat_axpy(w->q, op2_scalar_value(changed ? 2 : 1), w->b); }
STEP(norm) { return op2_dat_norm(changed ? w->b : w->q, OP2_NORM_2, w->sum); }
STEP(renumber) { return changed ? op2_flush(w->ctx) : op2_renumber(w->ends); }
STEP(solver_create) {
  const op2_solver_options options = {.iterations = changed ? 7 : 9};
  return op2_solver_create(w->ctx, &options, "solver", &w->solver);
}

#define CALL(step_, says_)                                                                         \
  { #step_, says_, step_ }
static const struct step {
  const char *name, *says;
  op2_status (*run)(struct world *w, bool changed);
} steps[] = {
    CALL(set_create, "op2_set_create"), CALL(map_create_global, "op2_map_create_global"),
    CALL(dat_create, "op2_dat_create"), CALL(gbl_create, "op2_gbl_create"),
    CALL(const_create, "op2_const_create"), CALL(kernel_create, "op2_kernel_create"),
    CALL(partition, "op2_partition"), CALL(dat_wrap, "op2_dat_wrap"),
    CALL(subset_create, "op2_subset_create"), CALL(subset_union, "op2_subset_create_union"),
    CALL(map_create, "op2_map_create"), CALL(map_composed, "op2_map_create_composed"),
    CALL(map_partial, "op2_map_create"), CALL(par_loop, "loop 'spread'"),
    CALL(arg_val, "loop 'scale'"), CALL(access_mode, "loop 'scale'"), CALL(gbl_set, "op2_gbl_set"),
    CALL(const_set, "op2_const_set"), CALL(flush, "op2_flush"), CALL(gbl_get, "op2_gbl_get"),
    CALL(dat_get, "op2_dat_get"), CALL(dat_get_halo, "op2_dat_get_halo"),
    CALL(dat_set, "op2_dat_set"), CALL(dat_get_block, "op2_dat_get_block"),
    CALL(dat_set_block, "op2_dat_set_block"), CALL(read_scope, "op2_dat_read_begin"),
    CALL(write_scope, "op2_dat_write_begin"), CALL(dat_to, "op2_dat_to"), CALL(call, "call '"),
    /* What the object is made of is compared where it is queued. */
    CALL(loop_create, "t934-diverge.c:"), CALL(loop_enqueue, "loop 'spread'"), CALL(axpy, "'axpy'"),
    /* It queues several operations, and any of them may be the first that differs. */
    CALL(norm, "'"), CALL(renumber, "op2_renumber"), CALL(solver_create, "op2_solver_create")};
enum { STEPS = sizeof steps / sizeof *steps };

struct kind {
  int step;
  enum way way;
  int deviant;
};

static void destroy(struct world *w) {
  op2_loop_destroy(&w->loop);
  op2_solver_destroy(&w->solver);
  op2_dat_destroy(&w->q);
  op2_dat_destroy(&w->b);
  op2_dat_destroy(&w->x);
  op2_dat_destroy(&w->wrapped);
  op2_map_destroy(&w->ends);
  op2_map_destroy(&w->self);
  op2_map_destroy(&w->partial);
  op2_set_destroy(&w->some);
  op2_set_destroy(&w->both);
  op2_set_destroy(&w->cells);
  op2_set_destroy(&w->edges);
  op2_gbl_destroy(&w->sum);
  op2_gbl_destroy(&w->by);
  op2_const_destroy(&w->factor);
  op2_kernel_destroy(&w->spread);
  op2_kernel_destroy(&w->scale);
}

/* What the rank is told at last: calls that fail for another reason, as a handle is missing that
 * was not made, are passed over. `words` is empty where nobody says anything. */
static void run_steps(struct world *w, const struct kind *kind, char words[2048]) {
  words[0] = '\0';
  for (int s = 0; s < STEPS && !*words; s++) {
    enum way way = s == kind->step && w->rank == kind->deviant ? kind->way : USUAL;
    int times = way == LEFT_OUT ? 0 : way == TWICE ? 2 : 1;
    for (int t = 0; t < times && !*words; t++)
      if (steps[s].run(w, way == CHANGED) && strstr(op2_error_message(), "differ from call"))
        snprintf(words, 2048, "%s", op2_error_message());
  }
  destroy(w);
  if (op2_finalize(&w->ctx) == OP2_ERR_FATAL && !*words)
    snprintf(words, 2048, "%s", op2_error_message());
}

static int diverge(struct op2i_comm *comm, void *data) {
  const struct kind *kind = data;
  const op2_options options = {.backend = "sequential"};
  struct world w = {.rank = comm->rank};
  char words[2048];
  if (op2i_init_ranks(&options, comm, &w.ctx)) return 1;
  run_steps(&w, kind, words);
  const char *says = steps[kind->step].says;
  if (steps[kind->step].run == loop_create && kind->way != CHANGED) says = "op2_loop_create";
  bool usual = kind->way == USUAL;
  bool good = usual
                  ? !*words
                  : strstr(words, "ranks differ from call ") && strstr(words, "rank 0 of 2 has") &&
                        strstr(words, "rank 1 has") && strstr(words, says);
  if (!good) diag("rank %d, %s %s: \"%s\"", w.rank, steps[kind->step].name, ways[kind->way], words);
  return !good;
}

int main(void) {
  const struct op2i_link_speed fast = {0};
  struct kind usual = {0, USUAL, 0};
  is_int(run_contexts(2, fast, diverge, &usual), 0, "ranks that make the same calls");
  for (int s = 0; s < STEPS; s++)
    for (enum way way = LEFT_OUT; way < WAYS; way++) {
      struct kind kind = {s, way, (s + (int)way) % 2};
      if (!thorough() && (s + (int)way) % 3) continue;
      double begun = op2i_seconds();
      is_int(run_contexts(2, fast, diverge, &kind), 0, "%s is %s on rank %d", steps[s].name,
             ways[way], kind.deviant);
      ok(op2i_seconds() - begun < 10, "told within ten seconds");
    }
  return done();
}
