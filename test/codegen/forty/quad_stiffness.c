/* SPDX-License-Identifier: BSD-3-Clause */
/* The stiffness of a bilinear quadrilateral at 2x2 points, applied to a vector. */
#include <math.h>

static const double gp[2] = {-0.5773502691896258, 0.5773502691896258};
static const int sx[4] = {-1, 1, 1, -1}, sy[4] = {-1, -1, 1, 1};

static void quad_stiffness(const double **x, const double **u, double **r) {
  double K[4][4] = {{0}};
  for (int g = 0; g < 4; g++) {
    const double s = gp[g % 2], t = gp[g / 2];
    double dn[4][2], J[2][2] = {{0, 0}, {0, 0}}, dx[4][2];
    for (int a = 0; a < 4; a++) {
      dn[a][0] = 0.25 * sx[a] * (1 + sy[a] * t);
      dn[a][1] = 0.25 * sy[a] * (1 + sx[a] * s);
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) J[i][j] += dn[a][i] * x[a][j];
    }
    const double det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
    for (int a = 0; a < 4; a++) {
      dx[a][0] = (J[1][1] * dn[a][0] - J[0][1] * dn[a][1]) / det;
      dx[a][1] = (J[0][0] * dn[a][1] - J[1][0] * dn[a][0]) / det;
    }
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++)
        K[a][b] += (dx[a][0] * dx[b][0] + dx[a][1] * dx[b][1]) * fabs(det);
  }
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 4; b++) *r[a] += K[a][b] * *u[b];
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(quad_stiffness, "tables at points of a quadrature", quad_stiffness(p[0], p[1], p[2]),
           {2, OP2_F64, OP2_READ, FORTY_ALL, 0, -1, 1, {0}},
           {1, OP2_F64, OP2_READ, FORTY_ALL, 0, -1, 1, {0}},
           {1, OP2_F64, OP2_INC, FORTY_ALL, 0, 0, 1, {0}})
