/* SPDX-License-Identifier: BSD-3-Clause */
#include <omp.h>
#include <stdio.h>

#include "common/plan.h"
#include "reference.h"

/* The shallow-water scheme for OpenMP as OP2 does it: edges in blocks, blocks coloured so that two
 * of one colour add to no common cell, one parallel loop for every colour. Scalar code, one loop at
 * a time. */

static plan edges, walls;

static void flux_block(const mesh *m, const sea *s, const double *q, int64_t first, int64_t last) {
  const int32_t *restrict ecell = m->ecell;
  for (int64_t e = first; e < last; e++) {
    const int64_t c1 = ecell[2 * e], c2 = ecell[2 * e + 1];
    ref_flux(s->edge_normal + 3 * e, q + 4 * c1, q + 4 * c2, s->res + 3 * c1, s->res + 3 * c2,
             s->rate + c1, s->rate + c2);
  }
}

static void wall_block(const mesh *m, const sea *s, const double *q, int64_t first, int64_t last) {
  for (int64_t b = first; b < last; b++) {
    const int64_t c = m->becell[b];
    ref_wall(s->wall_normal + 3 * b, q + 4 * c, s->res + 3 * c, s->rate + c);
  }
}

static void fluxes(const mesh *m, const sea *s, const double *q) {
  for (int64_t k = 0; k < edges.ncolour; k++) {
#pragma omp parallel for schedule(static)
    for (int64_t i = edges.start[k]; i < edges.start[k + 1]; i++) {
      const int64_t block = edges.order[i];
      flux_block(m, s, q, block * edges.size, plan_block_end(&edges, block));
    }
  }
  for (int64_t k = 0; k < walls.ncolour; k++) {
#pragma omp parallel for schedule(static)
    for (int64_t i = walls.start[k]; i < walls.start[k + 1]; i++) {
      const int64_t block = walls.order[i];
      wall_block(m, s, q, block * walls.size, plan_block_end(&walls, block));
    }
  }
}

static double least_time_step(int64_t n, const double *restrict area, const double *restrict rate) {
  double dt = WATER_NO_STEP;
#pragma omp parallel for schedule(static) reduction(min : dt)
  for (int64_t c = 0; c < n; c++) dt = ref_min(dt, ref_time_step(area[c], rate[c]));
  return dt;
}

static void predict(int64_t n, double dt, const sea *s) {
#pragma omp parallel for schedule(static)
  for (int64_t c = 0; c < n; c++)
    ref_predict(dt, s->area[c], s->q + 4 * c, s->res + 3 * c, s->rate + c, s->ahead + 4 * c);
}

static void correct(int64_t n, double dt, const sea *s) {
#pragma omp parallel for schedule(static)
  for (int64_t c = 0; c < n; c++)
    ref_correct(dt, s->area[c], s->ahead + 4 * c, s->res + 3 * c, s->rate + c, s->q + 4 * c);
}

static double step(const mesh *m, sea *s) {
  fluxes(m, s, s->q);
  const double dt = least_time_step(m->ncell, s->area, s->rate);
  predict(m->ncell, dt, s);
  fluxes(m, s, s->ahead);
  correct(m->ncell, dt, s);
  return dt;
}

static void finish(void) {
  plan_free(&edges);
  plan_free(&walls);
}

static int prepare(const options *o, const mesh *m, bench_error *error) {
  if (o->run.threads > 0) omp_set_num_threads(o->run.threads);
  if (plan_create(&edges, m->ecell, m->nedge, 2, m->ncell, o->run.block_size, error) ||
      plan_create(&walls, m->becell, m->nbedge, 1, m->ncell, o->run.block_size, error)) {
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
