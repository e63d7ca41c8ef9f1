/* SPDX-License-Identifier: BSD-3-Clause */
#include <omp.h>
#include <stdio.h>

#include "common/plan.h"
#include "reference.h"

/* Conjugate gradients for OpenMP in the structure of OP2's aero: cells in blocks, blocks coloured
 * so that two of one colour share no node, a parallel loop for every colour; then one for every
 * operation on vectors, with u, r and the clearing of v in one. */

static plan cells;

static void finish(void) { plan_free(&cells); }

static int prepare(const options *o, const cg_system *s, bench_error *error) {
  if (o->run.threads > 0) omp_set_num_threads(o->run.threads);
  if (plan_create(&cells, s->cell, s->ncell, 4, s->nnode, o->run.block_size, error)) return -1;
  printf("threads %d, block size %d, colours %lld\n", omp_get_max_threads(), o->run.block_size,
         (long long)cells.ncolour);
  return 0;
}

static void apply(const cg_system *s) {
  for (int64_t k = 0; k < cells.ncolour; k++) {
#pragma omp parallel for schedule(static)
    for (int64_t i = cells.start[k]; i < cells.start[k + 1]; i++) {
      const int64_t b = cells.order[i], end = plan_block_end(&cells, b);
      for (int64_t c = b * cells.size; c < end; c++)
        ref_spmv(s->k + 10 * c, s->cell + 4 * c, s->p, s->v);
    }
  }
  for (int64_t i = 0; i < s->nfixed; i++) s->v[s->fixed[i]] = 0.0;
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
    v[i] = 0.0;
  }
}

static void turn(int64_t n, double step, double *restrict p, const double *restrict r) {
#pragma omp parallel for simd schedule(static)
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
  return reference_main(argc, argv, &(reference){PROGRAM_OMP, prepare, iterate, finish});
}
