/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference.h"

/* The shallow-water scheme as plain loops on one thread: the reference for all other programs. */

static void fluxes(const mesh *m, sea *s, const double *q) {
  for (int64_t e = 0; e < m->nedge; e++) {
    const int64_t c1 = m->ecell[2 * e], c2 = m->ecell[2 * e + 1];
    ref_flux(s->edge_normal + 3 * e, q + 4 * c1, q + 4 * c2, s->res + 3 * c1, s->res + 3 * c2,
             s->rate + c1, s->rate + c2);
  }
  for (int64_t b = 0; b < m->nbedge; b++) {
    const int64_t c = m->becell[b];
    ref_wall(s->wall_normal + 3 * b, q + 4 * c, s->res + 3 * c, s->rate + c);
  }
}

static double step(const mesh *m, sea *s) {
  double dt = WATER_NO_STEP;
  fluxes(m, s, s->q);
  for (int64_t c = 0; c < m->ncell; c++) dt = ref_min(dt, ref_time_step(s->area[c], s->rate[c]));
  for (int64_t c = 0; c < m->ncell; c++)
    ref_predict(dt, s->area[c], s->q + 4 * c, s->res + 3 * c, s->rate + c, s->ahead + 4 * c);
  fluxes(m, s, s->ahead);
  for (int64_t c = 0; c < m->ncell; c++)
    ref_correct(dt, s->area[c], s->ahead + 4 * c, s->res + 3 * c, s->rate + c, s->q + 4 * c);
  return dt;
}

int main(int argc, char **argv) {
  return reference_main(argc, argv, &(reference){.program = PROGRAM_SEQ, .step = step});
}
