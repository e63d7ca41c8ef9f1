/* SPDX-License-Identifier: BSD-3-Clause */
/* Strain energy of a linear tetrahedron, with a function that returns an inverse through its
 * parameter. */
#include <math.h>

static double invert(double m[3][3], double inv[3][3]) {
  double c00 = m[1][1] * m[2][2] - m[1][2] * m[2][1];
  double c01 = m[1][2] * m[2][0] - m[1][0] * m[2][2];
  double c02 = m[1][0] * m[2][1] - m[1][1] * m[2][0];
  double det = m[0][0] * c00 + m[0][1] * c01 + m[0][2] * c02, f = 1.0 / det;
  inv[0][0] = f * c00;
  inv[1][0] = f * c01;
  inv[2][0] = f * c02;
  inv[0][1] = f * (m[0][2] * m[2][1] - m[0][1] * m[2][2]);
  inv[1][1] = f * (m[0][0] * m[2][2] - m[0][2] * m[2][0]);
  inv[2][1] = f * (m[0][1] * m[2][0] - m[0][0] * m[2][1]);
  inv[0][2] = f * (m[0][1] * m[1][2] - m[0][2] * m[1][1]);
  inv[1][2] = f * (m[0][2] * m[1][0] - m[0][0] * m[1][2]);
  inv[2][2] = f * (m[0][0] * m[1][1] - m[0][1] * m[1][0]);
  return det;
}

static void tet_gradient(const double *x[4], const double *u[4], double *energy, double *volume) {
  double e[3][3], inv[3][3], g[3][3] = {{0}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) e[i][j] = x[i + 1][j] - x[0][j] + (i == j);
  const double det = invert(e, inv);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) g[i][j] += inv[j][k] * (u[k + 1][i] - u[0][i]);
  double trace = 0, sum = 0;
  for (int i = 0; i < 3; i++) {
    trace += g[i][i];
    for (int j = 0; j < 3; j++) {
      const double eps = 0.5 * (g[i][j] + g[j][i]);
      sum += eps * eps;
    }
  }
  *volume = fabs(det) / 6;
  *energy = *volume * (0.5 * 1.2 * trace * trace + 0.8 * sum);
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(tet_gradient, "matrices handed to a function", tet_gradient(p[0], p[1], p[2], p[3]),
           {3, OP2_F64, OP2_READ, FORTY_ALL, 0, -0.2, 0.2, {0}},
           {3, OP2_F64, OP2_READ, FORTY_ALL, 0, -1, 1, {0}},
           {1, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}},
           {1, OP2_F64, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
