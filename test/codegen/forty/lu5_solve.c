/* SPDX-License-Identifier: BSD-3-Clause */
/* The 5x5 block of an implicit scheme: LU without pivots, then forward and backward. */
#define N 5
static void lu5_solve(const double *block, const double *rhs, double *x) {
  double a[N][N];
  int i, j, k;
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) a[i][j] = block[N * i + j];
  for (k = 0; k < N; k++) {
    double inv = 1.0 / a[k][k];
    for (i = k + 1; i < N; i++) {
      a[i][k] *= inv;
      for (j = k + 1; j < N; j++) a[i][j] -= a[i][k] * a[k][j];
    }
  }
  for (i = 0; i < N; i++) {
    x[i] = rhs[i];
    for (j = 0; j < i; j++) x[i] -= a[i][j] * x[j];
  }
  for (i = N - 1; i >= 0; i--) {
    for (j = i + 1; j < N; j++) x[i] -= a[i][j] * x[j];
    x[i] /= a[i][i];
  }
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(lu5_solve, "a 5x5 LU", lu5_solve(p[0], p[1], p[2]),
           {25, OP2_F64, OP2_READ, FORTY_DIRECT, 0, 0.1, 1, {4}},
           {5, OP2_F64, OP2_READ, FORTY_DIRECT, 0, -1, 1, {0}},
           {5, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
