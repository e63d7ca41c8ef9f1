/* SPDX-License-Identifier: BSD-3-Clause */
/* The equation of state of Jones, Wilkins and Lee for detonation products. */
#include <math.h>

static const double A = 3.712, B = 0.03231, R1 = 4.15, R2 = 0.95, omega = 0.30;

static double jwl_pressure(double rho, double e) {
  double v = 1.63 / rho;
  return A * (1.0 - omega / (R1 * v)) * exp(-R1 * v) + B * (1.0 - omega / (R2 * v)) * exp(-R2 * v) +
         omega * rho * e;
}

static void eos_jwl(const double *rho, const double *e, double *p, double *c2) {
  const double h = 1e-5;
  *p = jwl_pressure(*rho, *e);
  *c2 = (jwl_pressure(*rho + h, *e) - jwl_pressure(*rho - h, *e)) / (2 * h) +
        *p / (*rho * *rho) * (jwl_pressure(*rho, *e + h) - jwl_pressure(*rho, *e - h)) / (2 * h);
  if (*c2 < 0) *c2 = 0;
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(eos_jwl, "exp, constants of the file", eos_jwl(p[0], p[1], p[2], p[3]),
           {1, OP2_F64, OP2_READ, FORTY_DIRECT, 0, 0.2, 2.5, {0}},
           {1, OP2_F64, OP2_READ, FORTY_DIRECT, 0, 0.01, 0.1, {0}},
           {1, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}},
           {1, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
