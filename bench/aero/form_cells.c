/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "common/reference.h"
#include "reference.h"

/* Symmetric matrices of ten values a cell; an iteration is one pass over the cells, by colours,
 * which makes p.v on its way, and two over the nodes. */

static double *matrices; /* [ncell][10], rows from the diagonal on */

static int prepare(const flow *f, bench_error *error) {
  matrices = reference_alloc((size_t)f->ncell * 10 * sizeof *matrices);
  return matrices ? 0 : bench_fail(error, "out of memory for the matrices");
}

static void finish(void) { free(matrices); }

static void store(const flow *f, int64_t c, const double k[4][4]) {
  double *to = matrices + 10 * c;
  (void)f;
  for (int i = 0; i < 4; i++)
    for (int j = i; j < 4; j++) *to++ = k[i][j];
}

/* v += K p, the part of one cell; returns its part of p.v. */
static inline double add(const double *restrict k, const int32_t *restrict node,
                         const double *restrict p, double *restrict v) {
  const double p0 = p[node[0]], p1 = p[node[1]], p2 = p[node[2]], p3 = p[node[3]];
  const double v0 = k[0] * p0 + k[1] * p1 + k[2] * p2 + k[3] * p3;
  const double v1 = k[1] * p0 + k[4] * p1 + k[5] * p2 + k[6] * p3;
  const double v2 = k[2] * p0 + k[5] * p1 + k[7] * p2 + k[8] * p3;
  const double v3 = k[3] * p0 + k[6] * p1 + k[8] * p2 + k[9] * p3;
  v[node[0]] += v0;
  v[node[1]] += v1;
  v[node[2]] += v2;
  v[node[3]] += v3;
  return v0 * p0 + v1 * p1 + v2 * p2 + v3 * p3;
}

static double pass_product(const flow *f) {
  double pv = 0;
  for (int64_t colour = 0; colour < f->cells.ncolour; colour++) {
#pragma omp parallel for schedule(static) reduction(+ : pv)
    for (int64_t i = f->cells.start[colour]; i < f->cells.start[colour + 1]; i++) {
      const int64_t b = f->cells.order[i], end = plan_block_end(&f->cells, b);
      for (int64_t c = b * f->cells.size; c < end; c++)
        pv += add(matrices + 10 * c, f->cell + 4 * c, f->p, f->v);
    }
  }
  return pv;
}

static double pass_r(const flow *f, double step) {
  double *restrict r = f->r, *restrict v = f->v, rr = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : rr)
  for (int64_t i = 0; i < f->nnode; i++) {
    r[i] -= step * v[i];
    rr += r[i] * r[i];
    v[i] = 0;
  }
  return rr;
}

static double iterate(const flow *f, double rr) {
  const double step = flow_quotient(rr, pass_product(f)), next = pass_r(f, step);
  flow_pass_p(f, step, flow_quotient(next, rr));
  return next;
}

const form form_cells = {.name = "cells",
                         .inside = true,
                         .prepare = prepare,
                         .store = store,
                         .iterate = iterate,
                         .finish = finish};
