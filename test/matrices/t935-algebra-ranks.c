/* SPDX-License-Identifier: BSD-3-Clause */
/* Dats and globals as vectors over ranks: every rank has its part of each vector, and the same bits
 * of every result, on meshes that are distributed at random, in blocks and on one rank. All values
 * are whole numbers, so that the order of additions does not matter. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "init.h"
#include "rank_case.h"
#include "support.h"
#include "vector_case.h"
#include "whole_case.h"

enum { DIM = 3, RESULTS = VECTOR_OPS - DOT + 2, RANKS = 4, MANY = 11 };

struct trial {
  struct whole whole;
  const char *backend;
  bool eager;
  double *model[3], results[RESULTS], dots[MANY]; /* computed in one piece */
  double seen[RANKS][RESULTS + MANY];             /* on each rank */
};

static double value_of(int64_t node, int k, int v) {
  double value = (double)((node * (5 + v) + k) % 11) - 5;
  return v == 2 && value == 0 ? 2 : value;
}

/* ---- reference in one context without ranks -------------------------------------------------- */

/* The reference: the same operations as in play(), in one piece. */
static void expect_all(struct trial *t) {
  size_t n = (size_t)t->whole.set[NODES].size * DIM;
  double **m = t->model;
  for (int v = 0; v < 3; v++) {
    m[v] = calloc(n + 1, sizeof **m);
    for (size_t i = 0; i < n; i++) m[v][i] = value_of((int64_t)i / DIM, (int)(i % DIM), v);
  }
  vector_change(AXPY, n, m[0], m[1], NULL, 2, 0);
  vector_change(MULT, n, m[1], m[0], m[2], 0, 0);
  for (int op = DOT; op < VECTOR_OPS; op++)
    t->results[op - DOT] = vector_reduce((enum vector_op)op, n, m[0], m[1]);
  double dot = t->results[0], norm = t->results[NORM_1 - DOT];
  vector_change(AYPX, n, m[2], m[0], NULL, norm != 0 ? -dot / norm : 0, 0);
  t->results[RESULTS - 2] = 3 * dot + norm;
  t->results[RESULTS - 1] = vector_reduce(SUM, n, m[2], NULL);
  for (int k = 0; k < MANY; k++) t->dots[k] = vector_reduce(DOT, n, m[1], m[k % 2]);
  for (int k = 0; k < MANY; k++)
    if (t->dots[0] != 0) vector_change(AXPY, n, m[2], m[k % 2], NULL, t->dots[k] / t->dots[0], 0);
}

/* ---- the same on a rank ---------------------------------------------------------------------- */

struct run {
  op2_context ctx;
  struct share share;
  op2_set sets[WHOLE_SETS];
  op2_map maps[WHOLE_MAPS];
  struct vectors v;
  op2_gbl results[RESULTS], dots, scale;
};

static op2_status declare(struct run *r, const struct trial *t) {
  op2_status status = share_declare(&t->whole, &r->share, r->ctx, r->sets, r->maps);
  int64_t n = r->share.set[NODES].ends[3] * DIM, owned = r->share.set[NODES].ends[1] * DIM;
  double *values = calloc((size_t)n + 1, sizeof *values);
  for (int v = 0; v < 3 && !status; v++) {
    for (int64_t i = 0; i < n; i++) /* halo values are not defined at first */
      values[i] =
          i < owned ? value_of(r->share.set[NODES].global[i / DIM], (int)(i % DIM), v) : 1e9;
    status = op2_dat_create(r->sets[NODES], DIM, OP2_F64, values, "v", &r->v.dat[v]);
  }
  for (int g = 0; g < RESULTS && !status; g++)
    status = op2_gbl_create(r->ctx, 1, OP2_F64, NULL, "result", &r->results[g]);
  if (!status) status = op2_gbl_create(r->ctx, MANY, OP2_F64, NULL, "dots", &r->dots);
  if (!status) status = op2_gbl_create(r->ctx, 1, OP2_F64, NULL, "scale", &r->scale);
  free(values);
  return status;
}

/* The operations are only queued; none waits for a result. */
static op2_status play(struct run *r) {
  const op2_scalar two = op2_scalar_value(2), one = op2_scalar_value(1);
  op2_gbl *g = r->results, dot = g[0], norm = g[NORM_1 - DOT];
  op2_status status = vector_call(&r->v, AXPY, 0, 1, 1, two, one, NULL);
  if (!status) status = vector_call(&r->v, MULT, 1, 0, 2, one, one, NULL);
  for (int op = DOT; op < VECTOR_OPS && !status; op++)
    status = vector_call(&r->v, (enum vector_op)op, 0, 0, 1, one, one, g[op - DOT]);
  if (!status)
    status =
        op2_dat_aypx(r->v.dat[2], op2_scalar_times(-1, op2_scalar_ratio(dot, norm)), r->v.dat[0]);
  if (!status) status = op2_gbl_copy(norm, g[RESULTS - 2]);
  if (!status) status = op2_gbl_axpy(g[RESULTS - 2], op2_scalar_value(3), dot);
  if (!status) status = op2_dat_sum(r->v.dat[2], g[RESULTS - 1]);
  op2_dat list[MANY];
  for (int k = 0; k < MANY; k++) list[k] = r->v.dat[k % 2];
  if (!status) status = op2_dat_mdot(r->v.dat[1], MANY, list, r->dots);
  if (!status) status = op2_dat_dot(r->v.dat[1], r->v.dat[0], r->scale);
  if (!status) status = op2_dat_maxpy(r->v.dat[2], op2_scalar_ratio(r->dots, r->scale), MANY, list);
  return status;
}

static int look(struct run *r, struct trial *t, int rank) {
  const int64_t owned = r->share.set[NODES].ends[1];
  double *got = calloc((size_t)owned * DIM + 1, sizeof *got);
  int wrong = 0;
  for (int v = 0; v < 3 && !wrong; v++) {
    wrong += op2_dat_get(r->v.dat[v], got) != OP2_SUCCESS;
    for (int64_t i = 0; i < owned * DIM && !wrong; i++) {
      double want = t->model[v][r->share.set[NODES].global[i / DIM] * DIM + i % DIM];
      wrong += fabs(got[i] - want) > 1e-12 * (1 + fabs(want));
    }
  }
  for (int g = 0; g < RESULTS && !wrong; g++) {
    double *seen = &t->seen[rank][g], want = t->results[g];
    wrong += op2_gbl_get(r->results[g], seen) != OP2_SUCCESS;
    wrong += g == RESULTS - 1 ? fabs(*seen - want) > 1e-10 * (1 + fabs(want)) : *seen != want;
    if (wrong) fprintf(stderr, "# result %d: %g, expected %g\n", g, *seen, want);
  }
  double *dots = &t->seen[rank][RESULTS];
  wrong += op2_gbl_get(r->dots, dots) != OP2_SUCCESS;
  for (int k = 0; k < MANY; k++) wrong += dots[k] != t->dots[k];
  free(got);
  return wrong;
}

static int rank(struct op2i_comm *comm, void *data) {
  struct trial *t = data;
  struct run r = {0};
  const op2_options options = rank_options(t->backend, t->eager);
  int wrong = 0, self = comm->rank, size = comm->size;
  whole_share(&t->whole, comm->rank, &r.share);
  op2_status status = op2i_init_ranks(&options, comm, &r.ctx);
  if (!status) status = declare(&r, t);
  if (!status) status = play(&r);
  if (!status) wrong = look(&r, t, self);
  if (status || wrong)
    fprintf(stderr, "# rank %d of %d: %s (%d wrong)\n", self, size, op2_error_message(), wrong);
  for (int v = 0; v < 3; v++) op2_dat_destroy(&r.v.dat[v]);
  for (int g = 0; g < RESULTS; g++) op2_gbl_destroy(&r.results[g]);
  op2_gbl_destroy(&r.dots);
  op2_gbl_destroy(&r.scale);
  for (int m = 0; m < t->whole.nmaps; m++) op2_map_destroy(&r.maps[m]);
  for (int s = 0; s < t->whole.nsets; s++) op2_set_destroy(&r.sets[s]);
  share_free(&t->whole, &r.share);
  if (op2_finalize(&r.ctx)) wrong++;
  return wrong + (status != OP2_SUCCESS);
}

/* ---- all cases ------------------------------------------------------------------------------- */

static int try_one(const char *backend, int ranks, int how, uint64_t seed) {
  struct trial t = {.backend = backend, .eager = seed % 3 == 0};
  uint64_t state = seed * 31 + 5;
  whole_draw(&t.whole, ranks, how, &state);
  expect_all(&t);
  int wrong = run_contexts(ranks, rank, &t);
  for (int r = 1; r < ranks; r++) wrong += memcmp(t.seen[0], t.seen[r], sizeof t.seen[0]) != 0;
  for (int v = 0; v < 3; v++) free(t.model[v]);
  whole_free(&t.whole);
  return wrong;
}

int main(void) {
  const char *backend;
  test_environment();
  for (int b = 0; (backend = next_backend_of_ranks(every_backend, &b));) {
    int trials = quick() ? 1 : thorough() ? 20 : 2, wrong = 0, run = 0;
    if (is_device(backend)) trials = 1;
    for (int ranks = 1; ranks <= RANKS; ranks++)
      for (int how = 0; how < WHOLE_HOWS; how++)
        for (int n = 0; n < trials; n++, run++)
          wrong += try_one(backend, ranks, how, (uint64_t)(100 * ranks + 10 * how + n + 1));
    is_int(wrong, 0, "%s: %d times vectors on 1 to %d ranks", backend, run, RANKS);
  }
  return done();
}
