/* SPDX-License-Identifier: BSD-3-Clause */
/* Roe's flux for the shallow-water equations with Harten's entropy fix, after a finite-volume
 * textbook. */
#include <math.h>

static double entropy_fix(double lambda, double delta) {
  double a = fabs(lambda);
  if (a >= delta) return a;
  return 0.5 * (a * a / delta + delta);
}

static void roe_flux(const double *nx, const double *ul, const double *ur, double *resl,
                     double *resr, const double *g) {
  double hl = ul[0], hr = ur[0];
  double vl = (ul[1] * nx[0] + ul[2] * nx[1]) / hl;
  double vr = (ur[1] * nx[0] + ur[2] * nx[1]) / hr;
  double sl = sqrt(hl), sr = sqrt(hr);
  double h = 0.5 * (hl + hr), c = sqrt(*g * h);
  double v = (sl * vl + sr * vr) / (sl + sr);
  double lam[3] = {v - c, v, v + c};
  double dh = hr - hl, dv = vr - vl;
  double alpha[3] = {0.5 * (dh - h * dv / c), 0.0, 0.5 * (dh + h * dv / c)};
  double diss[3] = {0, 0, 0};
  int k, i;

  alpha[1] = (ur[2] * nx[0] - ur[1] * nx[1]) - (ul[2] * nx[0] - ul[1] * nx[1]);
  for (k = 0; k < 3; k++) {
    double r[3] = {k == 1 ? 0.0 : 1.0, k == 1 ? 1.0 : lam[k], k == 1 ? 0.5 : 0.0};
    double a = entropy_fix(lam[k], 0.1 * c) * alpha[k];
    for (i = 0; i < 3; i++) diss[i] += a * r[i];
  }
  for (i = 0; i < 3; i++) {
    double fl = vl * ul[i], fr = vr * ur[i];
    double flux = 0.5 * (fl + fr - diss[i]);
    resl[i] += flux;
    resr[i] -= flux;
  }
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(roe_flux, "a helper function", roe_flux(p[0], p[1], p[2], p[3], p[4], p[5]),
           {2, OP2_F64, OP2_READ, FORTY_DIRECT, 0, -1, 1, {0}},
           {3, OP2_F64, OP2_READ, 0, 0, 0, 1, {0.5, -0.5, -0.5}},
           {3, OP2_F64, OP2_READ, 1, 2, 0, 0, {0}}, {3, OP2_F64, OP2_INC, 0, 0, 0, 1, {0}},
           {3, OP2_F64, OP2_INC, 1, 4, 0, 0, {0}},
           {1, OP2_F64, OP2_READ, FORTY_VALUE, 0, 9, 10, {0}})
