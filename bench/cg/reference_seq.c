/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference.h"

/* Conjugate gradients as plain loops on one thread: the reference for all other programs. */

static void apply(const cg_system *s) {
  for (int64_t c = 0; c < s->ncell; c++) ref_spmv(s->k + 10 * c, s->cell + 4 * c, s->p, s->v);
  for (int64_t i = 0; i < s->nfixed; i++) s->v[s->fixed[i]] = 0.0;
}

static double dot(int64_t n, const double *restrict a, const double *restrict b) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void update(int64_t n, double step, double *restrict u, double *restrict r,
                   const double *restrict p, double *restrict v) {
  for (int64_t i = 0; i < n; i++) {
    u[i] += step * p[i];
    r[i] -= step * v[i];
    v[i] = 0.0;
  }
}

static void turn(int64_t n, double step, double *restrict p, const double *restrict r) {
  for (int64_t i = 0; i < n; i++) p[i] = r[i] + step * p[i];
}

static double iterate(const cg_system *s, double rr) {
  apply(s);
  update(s->nnode, ref_quotient(rr, dot(s->nnode, s->p, s->v)), s->u, s->r, s->p, s->v);
  const double next = dot(s->nnode, s->r, s->r);
  turn(s->nnode, ref_quotient(next, rr), s->p, s->r);
  return next;
}

int main(int argc, char **argv) {
  return reference_main(argc, argv, &(reference){.program = PROGRAM_SEQ, .iterate = iterate});
}
