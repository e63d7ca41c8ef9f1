/* SPDX-License-Identifier: BSD-3-Clause */
/* A residual of Helmholtz's equation with absorption, in complex numbers. */
#include <complex.h>
#include <math.h>

static void helmholtz_complex(const double *k, const double *u, const double *lap, double *res,
                              double *power) {
  const double complex z = u[0] + I * u[1], l = lap[0] + I * lap[1];
  const double complex k2 = k[0] * k[0] * (1.0 - 0.1 * I);
  const double complex r = l + k2 * z;
  res[0] = creal(r);
  res[1] = cimag(r);
  *power = creal(z * conj(z)) + cabs(r);
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(helmholtz_complex, "complex numbers", helmholtz_complex(p[0], p[1], p[2], p[3], p[4]),
           {1, OP2_F64, OP2_READ, FORTY_DIRECT, 0, 1, 4, {0}},
           {2, OP2_F64, OP2_READ, 0, 0, -1, 1, {0}},
           {2, OP2_F64, OP2_READ, FORTY_DIRECT, 0, -1, 1, {0}},
           {2, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}},
           {1, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
