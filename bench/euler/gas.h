/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EULER_GAS_H
#define EULER_GAS_H

#include <math.h>
#include <stdio.h>

/** @file gas.h
 * Constants of the scheme, the far field, and the output of the programs about the flow.
 *
 * A state is density, momentum, energy and a dye, each per unit of volume: rho, rho u, rho v, rho
 * E, rho s. In the far field density and pressure are 1. */

#define GAS_GAMMA   1.4
#define GAS_GM1     (GAS_GAMMA - 1.0)
#define GAS_CFL     0.8
#define GAS_NO_STEP 1e30 /**< start value of the search for the least time step */

enum { GAS_DIM = 5, GAS_STAGES = 3 };

/** The fraction of the time step that each stage takes, from the state at its beginning. */
#define GAS_PARTS                                                                                  \
  { 1.0 / 3.0, 0.5, 1.0 }

/** The flow in the far field, along x and with dye in it. */
static inline void gas_far_field(double mach, double q[GAS_DIM]) {
  const double u = sqrt(GAS_GAMMA) * mach;
  q[0] = 1.0;
  q[1] = u;
  q[2] = 0.0;
  q[3] = 1.0 / GAS_GM1 + 0.5 * u * u;
  q[4] = 1.0;
}

/** Print a line, given the sum of the squares of the density's residuals, and the masses. */
static inline void gas_print(int step, double sum, long long nnode, const double *mass) {
  printf("%d %.15e %.15e %.15e\n", step, sqrt(sum / (double)nnode), mass[0], mass[1]);
  fflush(stdout);
}

static inline void gas_print_header(void) { puts("step rms mass dye"); }

#endif
