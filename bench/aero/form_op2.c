/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "common/reference.h"
#include "reference.h"

/* The structure of OP2's aero: matrices of 16 values a cell, a parallel loop for every colour of
 * the blocks of cells, one for the far field, and one for every operation on vectors, with u, r and
 * the clearing of v in one. */

static double *matrices; /* [ncell][4][4] */

static int prepare(const flow *f, bench_error *error) {
  matrices = reference_alloc((size_t)f->ncell * 16 * sizeof *matrices);
  return matrices ? 0 : bench_fail(error, "out of memory for the matrices");
}

static void finish(void) { free(matrices); }

static void store(const flow *f, int64_t c, const double k[4][4]) {
  (void)f;
  memcpy(matrices + 16 * c, k, 16 * sizeof **k);
}

static inline void add(const double *restrict k, const int32_t *restrict node,
                       const double *restrict p, double *restrict v) {
  for (int i = 0; i < 4; i++) {
    double sum = 0;
    for (int j = 0; j < 4; j++) sum += k[4 * i + j] * p[node[j]];
    v[node[i]] += sum;
  }
}

static void apply(const flow *f) {
  for (int64_t colour = 0; colour < f->cells.ncolour; colour++) {
#pragma omp parallel for schedule(static)
    for (int64_t i = f->cells.start[colour]; i < f->cells.start[colour + 1]; i++) {
      const int64_t b = f->cells.order[i], end = plan_block_end(&f->cells, b);
      for (int64_t c = b * f->cells.size; c < end; c++)
        add(matrices + 16 * c, f->cell + 4 * c, f->p, f->v);
    }
  }
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < f->nfar; i++) f->v[f->far[i]] = 0;
}

static double dot(int64_t n, const double *restrict a, const double *restrict b) {
  double sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void update(int64_t n, double step, double *restrict u, double *restrict r,
                   const double *restrict p, double *restrict v) {
#pragma omp parallel for simd schedule(static)
  for (int64_t i = 0; i < n; i++) {
    u[i] += step * p[i];
    r[i] -= step * v[i];
    v[i] = 0;
  }
}

static void turn(int64_t n, double step, double *restrict p, const double *restrict r) {
#pragma omp parallel for simd schedule(static)
  for (int64_t i = 0; i < n; i++) p[i] = r[i] + step * p[i];
}

static double iterate(const flow *f, double rr) {
  apply(f);
  update(f->nnode, flow_quotient(rr, dot(f->nnode, f->p, f->v)), f->u, f->r, f->p, f->v);
  const double next = dot(f->nnode, f->r, f->r);
  turn(f->nnode, flow_quotient(next, rr), f->p, f->r);
  return next;
}

const form form_op2 = {
    .name = "op2", .prepare = prepare, .store = store, .iterate = iterate, .finish = finish};
