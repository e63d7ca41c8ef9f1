/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference.h"

/* The airfoil scheme as plain loops on one thread: the reference for all other programs. */

static void residual(const mesh *m, flow *f, const double *far_field) {
  const double *x = m->x;
  for (int64_t c = 0; c < m->ncell; c++) {
    const int32_t *n = m->cell + 4 * c;
    ref_adt(x + 2 * (int64_t)n[0], x + 2 * (int64_t)n[1], x + 2 * (int64_t)n[2],
            x + 2 * (int64_t)n[3], f->q + 4 * c, f->adt + c);
  }
  for (int64_t e = 0; e < m->nedge; e++) {
    const int32_t *n = m->edge + 2 * e;
    const int64_t c1 = m->ecell[2 * e], c2 = m->ecell[2 * e + 1];
    ref_res(x + 2 * (int64_t)n[0], x + 2 * (int64_t)n[1], f->q + 4 * c1, f->q + 4 * c2, f->adt[c1],
            f->adt[c2], f->res + 4 * c1, f->res + 4 * c2);
  }
  for (int64_t b = 0; b < m->nbedge; b++) {
    const int32_t *n = m->bedge + 2 * b;
    const int64_t c = m->becell[b];
    ref_bres(x + 2 * (int64_t)n[0], x + 2 * (int64_t)n[1], f->q + 4 * c, f->adt[c], f->res + 4 * c,
             m->bound[b], far_field);
  }
}

static double step(const mesh *m, flow *f, const double *far_field) {
  double rms = 0;
  for (int64_t c = 0; c < m->ncell; c++) ref_save(f->q + 4 * c, f->qold + 4 * c);
  for (int k = 0; k < 2; k++) {
    residual(m, f, far_field);
    rms = 0;
    for (int64_t c = 0; c < m->ncell; c++)
      ref_update(f->qold + 4 * c, f->q + 4 * c, f->res + 4 * c, f->adt[c], &rms);
  }
  return rms;
}

int main(int argc, char **argv) {
  return reference_main(argc, argv, &(reference){.program = PROGRAM_SEQ, .step = step});
}
