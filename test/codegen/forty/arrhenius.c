/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates of a small mechanism of combustion: exponentials, powers, logarithms, and no loop whose
 * ends the compiler does not know. */
#include <math.h>
#define NS 4
#define NR 3
#define RU 8.314
static const double pre[NR] = {2.0e3, 5.0e2, 1.0e4}, beta[NR] = {0.5, 0.0, -1.0},
                    act[NR] = {9.0e3, 1.2e4, 0.0};
static const int nu[NR][NS] = {{-1, -1, 1, 0}, {0, -1, -1, 2}, {1, 0, -2, 1}};

static void arrhenius(const double *T, const double *Y, double *wdot) {
  const double lnT = log(*T), over = 1.0 / (RU * *T);
  for (int s = 0; s < NS; s++) wdot[s] = 0.0;
  for (int r = 0; r < NR; r++) {
    double k = pre[r] * exp(beta[r] * lnT - act[r] * over), rate = k;
    for (int s = 0; s < NS; s++)
      if (nu[r][s] < 0) rate *= pow(Y[s], -nu[r][s]);
    for (int s = 0; s < NS; s++) wdot[s] += nu[r][s] * rate;
  }
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(arrhenius, "exp, log, pow and tables of constants", arrhenius(p[0], p[1], p[2]),
           {1, OP2_F64, OP2_READ, FORTY_DIRECT, 0, 500, 2000, {0}},
           {4, OP2_F64, OP2_READ, FORTY_DIRECT, 0, 0.01, 1, {0}},
           {4, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
