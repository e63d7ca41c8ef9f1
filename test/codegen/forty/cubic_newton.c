/* SPDX-License-Identifier: BSD-3-Clause */
/* The compressibility of a real gas (Redlich and Kwong), by Newton's method with a while. */
#include <math.h>

static void cubic_newton(const double *T, const double *p, double *z) {
  const double a = 0.42748 * *p / (*T * *T * sqrt(*T)), b = 0.08664 * *p / *T;
  double x = 1.0, f = 1.0;
  int n = 0;
  while (fabs(f) > 1e-12 && n < 50) {
    f = ((x - 1.0) * x + (a - b - b * b)) * x - a * b;
    x -= f / ((3.0 * x - 2.0) * x + (a - b - b * b));
    n++;
  }
  *z = x;
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(cubic_newton, "Newton's method by while", cubic_newton(p[0], p[1], p[2]),
           {1, OP2_F64, OP2_READ, FORTY_DIRECT, 0, 1.2, 3, {0}},
           {1, OP2_F64, OP2_READ, FORTY_DIRECT, 0, 0.1, 2, {0}},
           {1, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
