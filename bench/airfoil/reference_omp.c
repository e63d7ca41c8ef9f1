/* SPDX-License-Identifier: BSD-3-Clause */
#include <omp.h>
#include <stdio.h>

#include "common/plan.h"
#include "reference.h"

/* The airfoil scheme for OpenMP as OP2 does it: edges in blocks, blocks coloured so that two of one
 * colour add to no common cell, one parallel loop for every colour. Scalar code, one loop at a
 * time. */

static plan edges, bedges;

static void adt_loop(const mesh *m, const flow *f) {
  const double *x = m->x;
  const int64_t ncell = m->ncell;
#pragma omp parallel for schedule(static)
  for (int64_t c = 0; c < ncell; c++) {
    const int32_t *n = m->cell + 4 * c;
    ref_adt(x + 2 * (int64_t)n[0], x + 2 * (int64_t)n[1], x + 2 * (int64_t)n[2],
            x + 2 * (int64_t)n[3], f->q + 4 * c, f->adt + c);
  }
}

static void res_block(const mesh *m, const flow *f, int64_t first, int64_t last) {
  const double *x = m->x;
  for (int64_t e = first; e < last; e++) {
    const int32_t *n = m->edge + 2 * e;
    const int64_t c1 = m->ecell[2 * e], c2 = m->ecell[2 * e + 1];
    ref_res(x + 2 * (int64_t)n[0], x + 2 * (int64_t)n[1], f->q + 4 * c1, f->q + 4 * c2, f->adt[c1],
            f->adt[c2], f->res + 4 * c1, f->res + 4 * c2);
  }
}

static void bres_block(const mesh *m, const flow *f, int64_t first, int64_t last,
                       const double *far_field) {
  const double *x = m->x;
  for (int64_t b = first; b < last; b++) {
    const int32_t *n = m->bedge + 2 * b;
    const int64_t c = m->becell[b];
    ref_bres(x + 2 * (int64_t)n[0], x + 2 * (int64_t)n[1], f->q + 4 * c, f->adt[c], f->res + 4 * c,
             m->bound[b], far_field);
  }
}

static void coloured_loop(const plan *p, const mesh *m, const flow *f, const double *far_field) {
  for (int64_t k = 0; k < p->ncolour; k++) {
#pragma omp parallel for schedule(static)
    for (int64_t i = p->start[k]; i < p->start[k + 1]; i++) {
      const int64_t first = p->order[i] * p->size, last = plan_block_end(p, p->order[i]);
      if (p == &edges)
        res_block(m, f, first, last);
      else
        bres_block(m, f, first, last, far_field);
    }
  }
}

static double update_loop(const flow *f, int64_t ncell) {
  double rms = 0;
#pragma omp parallel for schedule(static) reduction(+ : rms)
  for (int64_t c = 0; c < ncell; c++)
    ref_update(f->qold + 4 * c, f->q + 4 * c, f->res + 4 * c, f->adt[c], &rms);
  return rms;
}

static double step(const mesh *m, flow *f, const double *far_field) {
  const int64_t ncell = m->ncell;
  double rms = 0;
#pragma omp parallel for schedule(static)
  for (int64_t c = 0; c < ncell; c++) ref_save(f->q + 4 * c, f->qold + 4 * c);
  for (int k = 0; k < 2; k++) {
    adt_loop(m, f);
    coloured_loop(&edges, m, f, far_field);
    coloured_loop(&bedges, m, f, far_field);
    rms = update_loop(f, ncell);
  }
  return rms;
}

static void finish(void) {
  plan_free(&edges);
  plan_free(&bedges);
}

static int prepare(const options *o, const mesh *m, bench_error *error) {
  if (o->run.threads > 0) omp_set_num_threads(o->run.threads);
  if (plan_create(&edges, m->ecell, m->nedge, 2, m->ncell, o->run.block_size, error) ||
      plan_create(&bedges, m->becell, m->nbedge, 1, m->ncell, o->run.block_size, error)) {
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
