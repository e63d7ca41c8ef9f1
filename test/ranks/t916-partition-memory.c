/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory that op2_partition() by a graph needs besides the mesh: rows of eight slots, as of
 * hexahedra, join the same nodes repeatedly, but each pair is listed and sent once. Afterwards the
 * memory is returned to the system. The resulting graph must be that of all pairs of all rows,
 * which is computed here independently. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm.h"
#include "init.h"
#include "mail.h"
#include "partitioner.h"
#include "rank_case.h"
#include "support.h"

enum { RANKS = 2 };

/* ---- a partitioner that looks at the graph --------------------------------------------------- */

static int side; /* number of hexahedra along each side of the cube */
static _Atomic int wrong_graph;

static int64_t nodes_along(void) { return side + 1; }

/* Nodes are neighbours if their positions differ by at most one along each side. */
static int64_t neighbours_of(int64_t node, int64_t *to) {
  int64_t along = nodes_along(), n = 0;
  int64_t x = node % along, y = node / along % along, z = node / along / along;
  for (int64_t c = z - 1; c <= z + 1; c++)
    for (int64_t b = y - 1; b <= y + 1; b++)
      for (int64_t a = x - 1; a <= x + 1; a++)
        if (a >= 0 && b >= 0 && c >= 0 && a < along && b < along && c < along &&
            (a != x || b != y || c != z))
          to[n++] = (c * along + b) * along + a;
  return n;
}

static const char *unavailable(const struct op2i_comm *comm) {
  (void)comm;
  return NULL;
}

static op2_status cut(const struct op2i_spread_graph *graph, int32_t *part) {
  int64_t to[27];
  for (int64_t v = 0; v < graph->n; v++) {
    int64_t n = neighbours_of(graph->first + v, to);
    const int64_t *got = graph->adjacent + graph->offs[v];
    bool same =
        graph->offs[v + 1] - graph->offs[v] == n && !memcmp(got, to, (size_t)n * sizeof *to);
    wrong_graph += !same;
    part[v] = (int32_t)((graph->first + v) * RANKS / graph->size);
  }
  return OP2_SUCCESS;
}

static const struct op2i_partitioner looks = {"looks", unavailable, cut};

/* ---- cubes ----------------------------------------------------------------------------------- */

static int cube(struct op2i_comm *comm, void *data) {
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache(), .log_level = 1};
  const int64_t along = nodes_along(), cells = (int64_t)side * side * side;
  int64_t size[2] = {along * along * along, cells}, n[2], first = 0;
  op2_context ctx = NULL;
  op2_set set[2] = {NULL, NULL};
  op2_map corners = NULL;
  (void)data;
  for (int s = 0; s < 2; s++) {
    first = op2i_share_first(size[s], comm->size, comm->rank);
    n[s] = op2i_share_first(size[s], comm->size, comm->rank + 1) - first;
  }
  int64_t *idx = malloc((size_t)(8 * n[1]) * sizeof *idx);
  for (int64_t i = 0; i < 8 * n[1]; i++) {
    int64_t e = first + i / 8, x = e % side + (i & 1), y = e / side % side + (i >> 1 & 1),
            z = e / side / side + (i >> 2 & 1);
    idx[i] = (z * along + y) * along + x;
  }
  int wrong = op2i_init_ranks(&options, comm, &ctx) ||
              op2_set_create(ctx, n[0], "nodes", &set[0]) ||
              op2_set_create(ctx, n[1], "cells", &set[1]) ||
              op2_map_create_global(set[1], set[0], 8, idx, "corners", &corners);
  free(idx);
  const op2_partition_options how = {.method = OP2_PARTITION_KWAY, .map = corners};
  op2_partition_report report = {0};
  wrong = wrong || op2_partition(ctx, &how, &report) || report.rows != cells;
  if (wrong) fprintf(stderr, "# %s\n", op2_error_message());
  op2_map_destroy(&corners);
  op2_set_destroy(&set[0]);
  op2_set_destroy(&set[1]);
  return wrong + (op2_finalize(&ctx) != OP2_SUCCESS);
}

/* VmRSS or VmHWM of the process in bytes; -1: the system does not report it. */
static double resident(const char *which) {
  char line[200];
  long long kib = -1;
  FILE *status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status))
    if (!strncmp(line, which, strlen(which))) (void)sscanf(line + strlen(which), ": %lld", &kib);
  if (status) fclose(status);
  return kib < 0 ? -1 : 1024.0 * (double)kib;
}

static bool reset_peak(void) {
  FILE *refs = fopen("/proc/self/clear_refs", "w");
  bool written = refs && fputs("5", refs) >= 0;
  return refs && fclose(refs) == 0 && written;
}

static void memory(void) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  skip("memory of the process: sanitizers keep what is freed");
#else
  side = 40;
  double rows = (double)side * side * side;
  (void)op2i_share_first(1, 1, 0);
  double before = resident("VmRSS");
  if (before < 0 || !reset_peak()) {
    skip("memory of the process: /proc does not tell or reset it here");
    return;
  }
  is_int(run_contexts(RANKS, cube, NULL), 0, "%.0f hexahedra on %d ranks", rows, RANKS);
  double peak = (resident("VmHWM") - before) / rows, after = (resident("VmRSS") - before) / rows;
  /* The mesh itself has 64 bytes a row as declared, 32 as stored, and its numbers. */
  ok(peak < 1400, "it took %.0f bytes a row at its peak", peak);
  ok(after < 300, "and %.0f afterwards, when all is destroyed", after);
#endif
}

int main(void) {
  test_environment();
  op2i_partitioner_offer(&looks);
  for (side = 1; side <= 6; side++)
    is_int(run_contexts(RANKS, cube, NULL) + wrong_graph, 0, "the graph of %d^3 hexahedra", side);
  memory();
  is_int(wrong_graph, 0, "all graphs are those of all pairs");
  return done();
}
