/* SPDX-License-Identifier: BSD-3-Clause */
/* Time steps by hand for OpenMP and vectors, with a node in each lane: each node sums up the heat
 * from its neighbours, so that nothing is added to memory that others add to, and a time step is
 * one pass over nodes, from one array of temperatures to another. Neighbours are stored for whole
 * vectors of nodes, of which each has as many as its node with the most; the missing ones are the
 * node itself, with no weight. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/lanes.h"
#include "common/pieces.h"
#include "common/reference.h"
#include "reference.h"

static int64_t *start;     /* [groups + 1] the first of a group's rows */
static int32_t *neighbour; /* [rows][LANES] */
static double *weight;     /* [rows][LANES] */

static inline lanes gained(const double *restrict u, int64_t group, lanes own) {
  lanes sum = {0};
  for (int64_t row = start[group]; row < start[group + 1]; row++)
    sum += lanes_load(weight + row * LANES) * (lanes_gather(u, neighbour + row * LANES, 1) - own);
  return sum;
}

/* Compute the temperatures of a thread's nodes; returns the largest change. The arrays have room
 * for whole vectors. */
static double advance(const heat_state *s, const double *restrict u, double *restrict next,
                      share mine) {
  lanes change = {0};
  for (int64_t i = mine.begin; i < mine.end; i += LANES) {
    const lanes own = lanes_load(u + i);
    const lanes more = lanes_load(s->rate + i) * gained(u, i / LANES, own);
    lanes_store(next + i, own + more);
    change = lanes_max(change, lanes_abs(more));
  }
  double most = 0.0;
  for (int k = 0; k < LANES; k++) most = change[k] > most ? change[k] : most;
  return most;
}

static double step(heat_state *s) {
  double change = 0.0;
#pragma omp parallel reduction(max : change)
  change = advance(s, s->u, s->gain,
                   share_of(s->nnode, LANES, omp_get_thread_num(), omp_get_num_threads()));
  double *const next = s->gain;
  s->gain = s->u;
  s->u = next;
  return change;
}

/* ---- preparation ---- */

static void finish(void) {
  free(start);
  free(neighbour);
  free(weight);
}

/* Count the rows of each group, from the number of edges of each node. */
static void count_rows(const heat_state *s, const int32_t *degree, int64_t groups) {
  for (int64_t g = 0; g < groups; g++) {
    int32_t most = 0;
    for (int64_t i = g * LANES; i < (g + 1) * LANES && i < s->nnode; i++)
      most = degree[i] > most ? degree[i] : most;
    start[g + 1] = start[g] + most;
  }
}

static void add_neighbour(int32_t *degree, int32_t node, int32_t other, double w) {
  const int64_t at = (start[node / LANES] + degree[node]++) * LANES + node % LANES;
  neighbour[at] = other;
  weight[at] = w;
}

static void set_rows(const heat_state *s, int32_t *degree, int64_t groups) {
  for (int64_t g = 0; g < groups; g++)
    for (int64_t at = start[g] * LANES; at < start[g + 1] * LANES; at++) {
      const int64_t node = g * LANES + at % LANES;
      neighbour[at] = (int32_t)(node < s->nnode ? node : 0);
    }
  for (int64_t i = 0; i < s->nnode; i++) degree[i] = 0;
  for (int64_t e = 0; e < s->nedge; e++) {
    const int32_t a = s->edge[2 * e], b = s->edge[2 * e + 1];
    add_neighbour(degree, a, b, s->weight[e]);
    add_neighbour(degree, b, a, s->weight[e]);
  }
}

static int list_neighbours(const heat_state *s, int32_t *degree, bench_error *error) {
  const int64_t groups = (s->nnode + LANES - 1) / LANES;
  start = calloc((size_t)groups + 1, sizeof *start);
  if (!start || !degree) return bench_fail(error, "out of memory for lists of neighbours");
  for (int64_t i = 0; i < 2 * s->nedge; i++) degree[s->edge[i]]++;
  count_rows(s, degree, groups);
  neighbour = reference_alloc((size_t)start[groups] * LANES * sizeof *neighbour);
  weight = reference_alloc((size_t)start[groups] * LANES * sizeof *weight);
  if (!neighbour || !weight) return bench_fail(error, "out of memory for neighbours");
  set_rows(s, degree, groups);
  return 0;
}

static int prepare(const options *o, const heat_state *s, bench_error *error) {
  if (o->run.threads > 0) omp_set_num_threads(o->run.threads);
  int32_t *degree = calloc((size_t)s->nnode + 1, sizeof *degree);
  const int rc = list_neighbours(s, degree, error);
  free(degree);
  if (rc)
    finish();
  else
    printf("threads %d, lanes %d\n", omp_get_max_threads(), LANES);
  return rc;
}

int main(int argc, char **argv) {
  return reference_main(argc, argv, &(reference){PROGRAM_OMP, prepare, step, finish});
}
