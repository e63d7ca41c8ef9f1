/* SPDX-License-Identifier: BSD-3-Clause */
/* Friction and wind on a cell of a shallow sea; dry cells return early. */
#include <math.h>

static void dry_return(const double *h, double *hu, const double *wind, double *drag) {
  const double dt = 0.5, manning = 0.025;
  *drag = 0;
  if (*h < 0.05) {
    hu[0] = hu[1] = 0;
    return;
  }
  double u = hu[0] / *h, v = hu[1] / *h;
  double speed = sqrt(u * u + v * v);
  if (speed < 1e-6) return;
  *drag = 9.81 * manning * manning * speed / cbrt(*h);
  hu[0] = (hu[0] + dt * 1e-3 * wind[0]) / (1 + dt * *drag);
  hu[1] = (hu[1] + dt * 1e-3 * wind[1]) / (1 + dt * *drag);
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(dry_return, "an early return", dry_return(p[0], p[1], p[2], p[3]),
           {1, OP2_F64, OP2_READ, FORTY_DIRECT, 0, -0.5, 2, {0}},
           {2, OP2_F64, OP2_RW, FORTY_DIRECT, 0, -1, 1, {0}},
           {2, OP2_F64, OP2_READ, 0, 0, -10, 10, {0}},
           {1, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
