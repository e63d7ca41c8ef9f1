/* SPDX-License-Identifier: BSD-3-Clause */
/* Venkatakrishnan's limiter from the extremes over a cell's neighbours. */
#include <math.h>
#define NNB 6
static void limiter_venkat(const double *u, const double **nb, const double *grad,
                           const double (*d)[3], double *phi) {
  double umin = *u, umax = *u, lim = 1.0;
  for (int k = 0; k < NNB; k++) {
    if (nb[k][0] < umin) umin = nb[k][0];
    if (nb[k][0] > umax) umax = nb[k][0];
  }
  const double eps2 = 1e-4;
  for (int k = 0; k < 4; k++) {
    double dm = 0.0;
    for (int j = 0; j < 3; j++) dm += grad[j] * d[k][j];
    if (fabs(dm) < 1e-12) continue;
    double dp = dm > 0 ? umax - *u : umin - *u;
    double num = (dp * dp + eps2) * dm + 2.0 * dm * dm * dp;
    double y = num / (dm * (dp * dp + 2.0 * dm * dm + dm * dp + eps2));
    lim = y < lim ? y : lim;
  }
  *phi = lim;
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(limiter_venkat, "continue below an if", limiter_venkat(p[0], p[1], p[2], p[3], p[4]),
           {1, OP2_F64, OP2_READ, FORTY_DIRECT, 0, -1, 1, {0}},
           {1, OP2_F64, OP2_READ, FORTY_ALL, 0, -1, 1, {0}},
           {3, OP2_F64, OP2_READ, FORTY_DIRECT, 0, -1, 1, {0}},
           {12, OP2_F64, OP2_READ, FORTY_DIRECT, 0, -0.5, 0.5, {0}},
           {1, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
