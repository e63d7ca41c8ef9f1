/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CG_KERNELS_H
#define CG_KERNELS_H

#include <math.h>

#include "op2.h"

/** @file kernels.h
 * The kernels of the solver: two that compute the system, one that applies its matrix cell by cell,
 * and one for the nodes where the solution is given. */

/* The integrals of grad N_i . grad N_j over a bilinear quadrilateral, by 2 x 2 Gauss points; its
 * corners may run either way round. The matrix is symmetric: rows from the diagonal on, 10 values.
 */
OP2_KERNEL(stiffness, (const double *x[4], double *k), {
  const double xi[4] = {-1.0, 1.0, 1.0, -1.0};
  const double eta[4] = {-1.0, -1.0, 1.0, 1.0};
  const double gauss = 1.0 / sqrt(3.0);
  for (int i = 0; i < 10; i++) k[i] = 0.0;
  for (int g = 0; g < 4; g++) {
    double nx[4];
    double ny[4];
    double a = 0.0;
    double b = 0.0;
    double c = 0.0;
    double d = 0.0;
    for (int i = 0; i < 4; i++) {
      nx[i] = 0.25 * xi[i] * (1.0 + gauss * eta[i] * eta[g]);
      ny[i] = 0.25 * eta[i] * (1.0 + gauss * xi[i] * xi[g]);
      a += nx[i] * x[i][0];
      b += nx[i] * x[i][1];
      c += ny[i] * x[i][0];
      d += ny[i] * x[i][1];
    }
    double weight = 1.0 / fabs(a * d - b * c);
    int at = 0;
    for (int i = 0; i < 4; i++)
      for (int j = i; j < 4; j++, at++)
        k[at] += weight * ((d * nx[i] - b * ny[i]) * (d * nx[j] - b * ny[j]) +
                           (a * ny[i] - c * nx[i]) * (a * ny[j] - c * nx[j]));
  }
});

/* The integrals of f N_i, with f interpolated from its values at the corners. */
OP2_KERNEL(load, (const double *x[4], const double *f[4], double *b[4]), {
  const double xi[4] = {-1.0, 1.0, 1.0, -1.0};
  const double eta[4] = {-1.0, -1.0, 1.0, 1.0};
  const double gauss = 1.0 / sqrt(3.0);
  for (int g = 0; g < 4; g++) {
    double n[4];
    double value = 0.0;
    double xs = 0.0;
    double ys = 0.0;
    double xt = 0.0;
    double yt = 0.0;
    for (int i = 0; i < 4; i++) {
      double s = 1.0 + gauss * xi[i] * xi[g];
      double t = 1.0 + gauss * eta[i] * eta[g];
      n[i] = 0.25 * s * t;
      value += n[i] * f[i][0];
      xs += 0.25 * xi[i] * t * x[i][0];
      ys += 0.25 * xi[i] * t * x[i][1];
      xt += 0.25 * eta[i] * s * x[i][0];
      yt += 0.25 * eta[i] * s * x[i][1];
    }
    for (int i = 0; i < 4; i++) b[i][0] += fabs(xs * yt - ys * xt) * value * n[i];
  }
});

/* v += K p, the part of one cell. */
OP2_KERNEL(spmv, (const double *k, const double *p[4], double *v[4]), {
  const int at[16] = {0, 1, 2, 3, 1, 4, 5, 6, 2, 5, 7, 8, 3, 6, 8, 9};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) v[i][0] += k[at[4 * i + j]] * p[j][0];
});

/* The change is zero where u is given. */
OP2_KERNEL(fix, (double *v), { *v = 0.0; });

#endif
