/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FEM_KERNELS_ASSEMBLY_H
#define FEM_KERNELS_ASSEMBLY_H

#include <math.h>

#include "op2.h"

/** @file kernels_assembly.h
 * Element matrices of bilinear quadrilaterals by four points, with nothing but what they need. The
 * program that times their assembly runs them as loops of the library, and as functions. */

OP2_KERNEL(poisson, (const double *x[4], double a[4][4]), {
  const double g[2] = {0.211324865405187, 0.788675134594813};
  for (int q = 0; q < 4; q++) {
    const double s = g[q % 2], t = g[q / 2];
    const double ns[4] = {t - 1, 1 - t, t, -t}, nt[4] = {s - 1, -s, s, 1 - s};
    double xs = 0, ys = 0, xt = 0, yt = 0, nx[4], ny[4];
    for (int i = 0; i < 4; i++) {
      xs += ns[i] * x[i][0];
      ys += ns[i] * x[i][1];
      xt += nt[i] * x[i][0];
      yt += nt[i] * x[i][1];
    }
    const double det = xs * yt - xt * ys, r = 1 / det, weight = 0.25 * det;
    for (int i = 0; i < 4; i++) {
      nx[i] = (yt * ns[i] - ys * nt[i]) * r;
      ny[i] = (xs * nt[i] - xt * ns[i]) * r;
    }
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) a[i][j] += weight * (nx[i] * nx[j] + ny[i] * ny[j]);
  }
});

OP2_KERNEL(elasticity, (const double *x[4], double a[8][8]), {
  const double g[2] = {0.211324865405187, 0.788675134594813}, mu = 1, lambda = 2;
  for (int q = 0; q < 4; q++) {
    const double s = g[q % 2], t = g[q / 2];
    const double ns[4] = {t - 1, 1 - t, t, -t}, nt[4] = {s - 1, -s, s, 1 - s};
    double xs = 0, ys = 0, xt = 0, yt = 0, nx[4], ny[4];
    for (int i = 0; i < 4; i++) {
      xs += ns[i] * x[i][0];
      ys += ns[i] * x[i][1];
      xt += nt[i] * x[i][0];
      yt += nt[i] * x[i][1];
    }
    const double det = xs * yt - xt * ys, r = 1 / det, weight = 0.25 * det;
    for (int i = 0; i < 4; i++) {
      nx[i] = (yt * ns[i] - ys * nt[i]) * r;
      ny[i] = (xs * nt[i] - xt * ns[i]) * r;
    }
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) {
        const double xx = nx[i] * nx[j], yy = ny[i] * ny[j], xy = nx[i] * ny[j], yx = ny[i] * nx[j];
        a[2 * i][2 * j] += weight * (mu * (2 * xx + yy) + lambda * xx);
        a[2 * i][2 * j + 1] += weight * (mu * yx + lambda * xy);
        a[2 * i + 1][2 * j] += weight * (mu * xy + lambda * yx);
        a[2 * i + 1][2 * j + 1] += weight * (mu * (xx + 2 * yy) + lambda * yy);
      }
  }
});

#endif
