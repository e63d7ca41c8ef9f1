/* SPDX-License-Identifier: BSD-3-Clause */
/* The equation of state of an ocean model, in a header of its own that includes another one. */
#include "seawater.h"
#include <math.h>

static void seawater_density(const real *tracer, const real *depth, real *rho, real *buoyancy) {
  *rho = sw_density(tracer[TEMP], tracer[SALT]) + 4.5e-3 * *depth;
  *buoyancy = -9.81 * (*rho - RHO0) / RHO0;
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(seawater_density, "a header of one's own in another",
           seawater_density(p[0], p[1], p[2], p[3]),
           {2, OP2_F64, OP2_READ, FORTY_DIRECT, 0, 0, 30, {0, 5}},
           {1, OP2_F64, OP2_READ, FORTY_DIRECT, 0, 0, 4000, {0}},
           {1, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}},
           {1, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
