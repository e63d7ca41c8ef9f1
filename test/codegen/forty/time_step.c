/* SPDX-License-Identifier: BSD-3-Clause */
/* The longest stable time step of a cell, as a minimum over all. */
#include <math.h>
#include <stdbool.h>
static void time_step(const double *q, const double *len, double *dt, double *dtmin) {
  const bool wet = q[0] > 0.1;
  bool shock = false;
  double c, u;
  if (wet) {
    u = sqrt(q[1] * q[1] + q[2] * q[2]) / q[0];
    c = sqrt(9.81 * q[0]);
    shock = u > c;
    *dt = 0.5 * len[0] / (u + c);
  } else {
    *dt = 1e3;
  }
  if (shock && !(len[1] > 1.0)) *dt *= 0.5;
  if (*dt < *dtmin) *dtmin = *dt;
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(time_step, "truth values and a minimum", time_step(p[0], p[1], p[2], p[3]),
           {3, OP2_F64, OP2_READ, FORTY_DIRECT, 0, -0.2, 1, {0}},
           {2, OP2_F64, OP2_READ, FORTY_DIRECT, 0, 0.2, 2, {0}},
           {1, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}},
           {1, OP2_F64, OP2_MIN, FORTY_GLOBAL, 0, 1e3, 1e3 + 1, {0}})
