/* SPDX-License-Identifier: BSD-3-Clause */
/* Three equations with three unknowns, by elimination with partial pivots. */
#include <math.h>
#define SWAP(a, b)                                                                                 \
  {                                                                                                \
    double swap_ = a;                                                                              \
    a = b;                                                                                         \
    b = swap_;                                                                                     \
  }
static void pivot_lu3(const double *m, const double *b, double *x) {
  double a[3][4];
  int i, j, k, piv;
  for (i = 0; i < 3; i++) {
    for (j = 0; j < 3; j++) a[i][j] = m[3 * i + j];
    a[i][3] = b[i];
  }
  for (k = 0; k < 3; k++) {
    piv = k;
    for (i = k + 1; i < 3; i++)
      if (fabs(a[i][k]) > fabs(a[piv][k])) piv = i;
    if (piv != k)
      for (j = k; j < 4; j++) SWAP(a[k][j], a[piv][j])
    for (i = k + 1; i < 3; i++) {
      const double f = a[i][k] / a[k][k];
      for (j = k; j < 4; j++) a[i][j] -= f * a[k][j];
    }
  }
  for (i = 2; i >= 0; i--) {
    x[i] = a[i][3];
    for (j = i + 1; j < 3; j++) x[i] -= a[i][j] * x[j];
    x[i] /= a[i][i];
  }
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(pivot_lu3, "rows of a local matrix by gather", pivot_lu3(p[0], p[1], p[2]),
           {9, OP2_F64, OP2_READ, FORTY_DIRECT, 0, -1, 1, {0}},
           {3, OP2_F64, OP2_READ, FORTY_DIRECT, 0, -1, 1, {0}},
           {3, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
