/* SPDX-License-Identifier: BSD-3-Clause */
#include <omp.h>
#include <stdio.h>

#include "common/plan.h"
#include "reference.h"

/* The Euler scheme for OpenMP as OP2 does it: edges in blocks, blocks coloured so that two of one
 * colour add to no common node, one parallel loop for every colour. Scalar code; copying the state
 * and the search for the time step are one loop. */

static plan edges, boundary;

static void flux_block(const mesh *m, const flow *f, int64_t first, int64_t last) {
  const int32_t *restrict edge = m->edge;
  for (int64_t e = first; e < last; e++) {
    const int64_t n1 = GAS_DIM * (int64_t)edge[2 * e], n2 = GAS_DIM * (int64_t)edge[2 * e + 1];
    ref_flux(m->normal + 3 * e, f->q + n1, f->q + n2, f->res + n1, f->res + n2);
  }
}

static void boundary_block(const mesh *m, const flow *f, const double *far_field, int64_t first,
                           int64_t last) {
  for (int64_t b = 2 * first; b < 2 * last; b++) {
    const int64_t n = GAS_DIM * (int64_t)m->bedge[b];
    ref_boundary(m->bnormal + 3 * (b / 2), m->kind[b / 2], far_field, f->q + n, f->res + n);
  }
}

static void coloured_loop(const plan *p, const mesh *m, const flow *f, const double *far_field) {
  for (int64_t k = 0; k < p->ncolour; k++) {
#pragma omp for schedule(static)
    for (int64_t i = p->start[k]; i < p->start[k + 1]; i++) {
      const int64_t first = p->order[i] * p->size, last = plan_block_end(p, p->order[i]);
      if (p == &edges)
        flux_block(m, f, first, last);
      else
        boundary_block(m, f, far_field, first, last);
    }
  }
}

/* Compute the least time step; copies the state, too. */
static double least_time_step(const mesh *m, const flow *f) {
  double dt = GAS_NO_STEP;
#pragma omp parallel for schedule(static) reduction(min : dt)
  for (int64_t i = 0; i < m->nnode; i++) {
    const double *q = f->q + GAS_DIM * i;
    for (int n = 0; n < GAS_DIM; n++) f->old[GAS_DIM * i + n] = q[n];
    dt = ref_min(dt, ref_time_step(m->area[i], m->rim[i], q));
  }
  return dt;
}

static double stage(double dt, const mesh *m, const flow *f, const double *far_field) {
  double sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    coloured_loop(&edges, m, f, far_field);
    coloured_loop(&boundary, m, f, far_field);
#pragma omp for schedule(static)
    for (int64_t i = 0; i < m->nnode; i++) {
      const int64_t n = GAS_DIM * i;
      sum += ref_square(m->area[i], f->res + n);
      ref_stage(dt, m->area[i], f->old + n, f->res + n, f->q + n);
    }
  }
  return sum;
}

static double step(const mesh *m, flow *f, const double *far_field) {
  static const double parts[GAS_STAGES] = GAS_PARTS;
  const double dt = least_time_step(m, f);
  double sum = 0;
  for (int k = 0; k < GAS_STAGES; k++) sum = stage(parts[k] * dt, m, f, far_field);
  return sum;
}

static void finish(void) {
  plan_free(&edges);
  plan_free(&boundary);
}

static int prepare(const options *o, const mesh *m, bench_error *error) {
  if (o->run.threads > 0) omp_set_num_threads(o->run.threads);
  if (plan_create(&edges, m->edge, m->nedge, 2, m->nnode, o->run.block_size, error) ||
      plan_create(&boundary, m->bedge, m->nbedge, 2, m->nnode, o->run.block_size, error)) {
    finish();
    return -1;
  }
  printf("threads %d, block size %d, colours %lld\n", omp_get_max_threads(), o->run.block_size,
         (long long)edges.ncolour);
  return 0;
}

int main(int argc, char **argv) {
  return reference_main(argc, argv, &(reference){PROGRAM_OMP, prepare, step, finish});
}
