/* SPDX-License-Identifier: BSD-3-Clause */
/* Upwind transport of four tracers, where a pointer chooses the side. */
static void upwind_pointer(const double *vol_flux, const double *cl, const double *cr, double *dl,
                           double *dr) {
  const double *c = *vol_flux > 0 ? cl : cr;
  for (int k = 0; k < 4; k++) {
    double f = *vol_flux * c[k];
    dl[k] -= f;
    dr[k] += f;
  }
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(upwind_pointer, "a pointer that differs by element",
           upwind_pointer(p[0], p[1], p[2], p[3], p[4]),
           {1, OP2_F64, OP2_READ, FORTY_DIRECT, 0, -1, 1, {0}},
           {4, OP2_F64, OP2_READ, 0, 0, 0, 1, {0}}, {4, OP2_F64, OP2_READ, 1, 2, 0, 0, {0}},
           {4, OP2_F64, OP2_INC, 0, 0, 0, 1, {0}}, {4, OP2_F64, OP2_INC, 1, 4, 0, 0, {0}})
