/* SPDX-License-Identifier: BSD-3-Clause */
/* The superbee limiter of a tracer, in single precision. */
#include <math.h>
#ifndef max
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define min(a, b) (((a) < (b)) ? (a) : (b))
#endif
typedef float real;

static void limiter_superbee(const real *upwind, const real *centre, const real *down,
                             const real *courant, real *flux) {
  real r, phi, denom = *down - *centre;
  if (fabsf(denom) < 1e-6f) denom = denom < 0 ? -1e-6f : 1e-6f;
  r = (*centre - *upwind) / denom;
  phi = max(0.0f, max(min(2.0f * r, 1.0f), min(r, 2.0f)));
  *flux = *courant * (*centre + 0.5f * phi * (1 - *courant) * (*down - *centre));
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(limiter_superbee, "single precision, #ifndef",
           limiter_superbee(p[0], p[1], p[2], p[3], p[4]), {1, OP2_F32, OP2_READ, 0, 0, -1, 1, {0}},
           {1, OP2_F32, OP2_READ, 1, 1, 0, 0, {0}}, {1, OP2_F32, OP2_READ, 2, 1, 0, 0, {0}},
           {1, OP2_F32, OP2_READ, FORTY_DIRECT, 0, 0, 1, {0}},
           {1, OP2_F32, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
