/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef AIRFOIL_GAS_H
#define AIRFOIL_GAS_H

#include <math.h>

/** @file gas.h
 * Constants of the scheme and the free stream. They are single-precision literals widened to
 * double, as in OP2's application: the reference figures depend on that. */
#define GAS_GAMMA ((double)1.4f)
#define GAS_GM1   (GAS_GAMMA - (double)1.0f)
#define GAS_CFL   ((double)0.9f)
#define GAS_EPS   ((double)0.05f)
#define GAS_MACH  ((double)0.4f)
#define GAS_ALPHA (3.0 * atan(1.0) / 45.0) /* defined as in OP2, which does not use it */

/** The state (rho, rho u, rho v, rho E) far away: Mach 0.4 along x, unit pressure and density. */
static inline void gas_free_stream(double q[4]) {
  const double mach = GAS_MACH, p = 1.0, r = 1.0;
  const double u = sqrt(GAS_GAMMA * p / r) * mach;
  q[0] = r;
  q[1] = r * u;
  q[2] = 0.0;
  q[3] = r * (p / (r * GAS_GM1) + 0.5 * u * u);
}

/** Mach number of a state. */
static inline double gas_mach(const double *q) {
  const double speed2 = (q[1] * q[1] + q[2] * q[2]) / (q[0] * q[0]);
  const double p = GAS_GM1 * (q[3] - 0.5 * q[0] * speed2);
  return sqrt(speed2 * q[0] / (GAS_GAMMA * p));
}

#endif
