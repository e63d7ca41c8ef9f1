/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "reference.h"

/* The Euler scheme as plain loops on one thread: the reference for all other programs. */

static void fluxes(const mesh *m, const flow *f, const double *far_field) {
  for (int64_t e = 0; e < m->nedge; e++) {
    const int64_t n1 = GAS_DIM * (int64_t)m->edge[2 * e],
                  n2 = GAS_DIM * (int64_t)m->edge[2 * e + 1];
    ref_flux(m->normal + 3 * e, f->q + n1, f->q + n2, f->res + n1, f->res + n2);
  }
  for (int64_t b = 0; b < 2 * m->nbedge; b++) {
    const int64_t n = GAS_DIM * (int64_t)m->bedge[b];
    ref_boundary(m->bnormal + 3 * (b / 2), m->kind[b / 2], far_field, f->q + n, f->res + n);
  }
}

static double step(const mesh *m, flow *f, const double *far_field) {
  static const double parts[GAS_STAGES] = GAS_PARTS;
  double dt = GAS_NO_STEP, sum = 0;
  memcpy(f->old, f->q, GAS_DIM * (size_t)m->nnode * sizeof(double));
  for (int64_t i = 0; i < m->nnode; i++)
    dt = ref_min(dt, ref_time_step(m->area[i], m->rim[i], f->q + GAS_DIM * i));
  for (int k = 0; k < GAS_STAGES; k++) {
    fluxes(m, f, far_field);
    sum = 0;
    for (int64_t i = 0; i < m->nnode; i++) {
      const int64_t n = GAS_DIM * i;
      sum += ref_square(m->area[i], f->res + n);
      ref_stage(parts[k] * dt, m->area[i], f->old + n, f->res + n, f->q + n);
    }
  }
  return sum;
}

int main(int argc, char **argv) {
  return reference_main(argc, argv, &(reference){.program = PROGRAM_SEQ, .step = step});
}
