/* SPDX-License-Identifier: BSD-3-Clause */
/* Van Leer's harmonic mean of two slopes, zero where they differ in sign. */
static void limiter_van_leer(const double *um, const double *u0, const double *up, double *uface) {
  int v = 0;
  while (v < 3) {
    double a = u0[v] - um[v], b = up[v] - u0[v], s;
    if (a * b <= 0.0)
      s = 0.0;
    else
      s = 2.0 * a * b / (a + b);
    uface[v] = u0[v] + 0.5 * s;
    v++;
  }
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(limiter_van_leer, "a while loop that counts", limiter_van_leer(p[0], p[1], p[2], p[3]),
           {3, OP2_F64, OP2_READ, 0, 0, -1, 1, {0}}, {3, OP2_F64, OP2_READ, 1, 1, 0, 0, {0}},
           {3, OP2_F64, OP2_READ, 2, 1, 0, 0, {0}},
           {3, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
