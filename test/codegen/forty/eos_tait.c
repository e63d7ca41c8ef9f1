/* SPDX-License-Identifier: BSD-3-Clause */
/* Tait's equation for water, with the density from the pressure and back. */
#include <math.h>

enum { RHO, MX, MY, NCONS };
#define PAR_B   3.31
#define PAR_N   7.15
#define PAR_RHO 1.0

static void eos_tait(const double *U, double *p, double *rho_back, double *cs) {
  double ratio = U[RHO] / PAR_RHO;
  double mom2 = pow(U[MX], 2.0) + pow(U[MY], 2);
  *p = PAR_B * (pow(ratio, PAR_N) - 1.0) + 1e-3 * mom2;
  *cs = sqrt(PAR_N * (*p + PAR_B) / U[RHO]);
  *rho_back = PAR_RHO * pow(*p / PAR_B + 1.0, 1.0 / PAR_N);
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(eos_tait, "pow, enumerators as subscripts", eos_tait(p[0], p[1], p[2], p[3]),
           {3, OP2_F64, OP2_READ, FORTY_DIRECT, 0, 0.9, 1.2, {0}},
           {1, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}},
           {1, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}},
           {1, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
