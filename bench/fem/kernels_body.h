/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FEM_KERNELS_BODY_H
#define FEM_KERNELS_BODY_H

#include <math.h>

#include "op2.h"

/** @file kernels_body.h
 * Elasticity, and advection with diffusion, on bilinear quadrilaterals, as kernels.h has them. */

/* Elasticity of a body that is long in the third direction (plane strain), by displacements u and
 * v: mu (grad w + grad w^T) + lambda div w. Rows and columns at the boundary are left out. */
OP2_KERNEL(stiffness_body, (const double *x[4], const double *inside[4], double a[8][8]), {
  const double mu = 1, lambda = 2;
  const double s[3] = {-0.774596669241483377, 0, 0.774596669241483377};
  const double v[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  const double cs[4] = {-1, 1, 1, -1}, ct[4] = {-1, -1, 1, 1};
  for (int g = 0; g < 9; g++) {
    const double sg = s[g % 3], tg = s[g / 3];
    double ns[4], nt[4], xs = 0, ys = 0, xt = 0, yt = 0;
    for (int i = 0; i < 4; i++) {
      ns[i] = 0.25 * cs[i] * (1 + ct[i] * tg);
      nt[i] = 0.25 * ct[i] * (1 + cs[i] * sg);
      xs += ns[i] * x[i][0];
      ys += ns[i] * x[i][1];
      xt += nt[i] * x[i][0];
      yt += nt[i] * x[i][1];
    }
    const double det = xs * yt - xt * ys, weight = det * v[g % 3] * v[g / 3];
    double nx[4], ny[4];
    for (int i = 0; i < 4; i++) {
      nx[i] = (yt * ns[i] - ys * nt[i]) / det;
      ny[i] = (xs * nt[i] - xt * ns[i]) / det;
    }
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) {
        const double same = nx[i] * nx[j] + ny[i] * ny[j];
        a[2 * i][2 * j] += weight * (mu * (same + nx[i] * nx[j]) + lambda * nx[i] * nx[j]);
        a[2 * i][2 * j + 1] += weight * (mu * ny[i] * nx[j] + lambda * nx[i] * ny[j]);
        a[2 * i + 1][2 * j] += weight * (mu * nx[i] * ny[j] + lambda * ny[i] * nx[j]);
        a[2 * i + 1][2 * j + 1] += weight * (mu * (same + ny[i] * ny[j]) + lambda * ny[i] * ny[j]);
      }
  }
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) a[i][j] *= inside[i / 2][0] * inside[j / 2][0];
});

/* Forces whose displacements are sin(pi x) sin(pi y) and sin(pi x) sin(2 pi y). */
OP2_KERNEL(load_body, (const double *x[4], double *b[4]), {
  const double pi = 3.14159265358979323846, mu = 1, lambda = 2;
  const double s[3] = {-0.774596669241483377, 0, 0.774596669241483377};
  const double v[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  const double cs[4] = {-1, 1, 1, -1}, ct[4] = {-1, -1, 1, 1};
  for (int g = 0; g < 9; g++) {
    const double sg = s[g % 3], tg = s[g / 3];
    double n[4], ns[4], nt[4], px = 0, py = 0, xs = 0, ys = 0, xt = 0, yt = 0;
    for (int i = 0; i < 4; i++) {
      n[i] = 0.25 * (1 + cs[i] * sg) * (1 + ct[i] * tg);
      ns[i] = 0.25 * cs[i] * (1 + ct[i] * tg);
      nt[i] = 0.25 * ct[i] * (1 + cs[i] * sg);
      px += n[i] * x[i][0];
      py += n[i] * x[i][1];
      xs += ns[i] * x[i][0];
      ys += ns[i] * x[i][1];
      xt += nt[i] * x[i][0];
      yt += nt[i] * x[i][1];
    }
    const double det = xs * yt - xt * ys, weight = det * v[g % 3] * v[g / 3];
    const double s1 = sin(pi * px), c1 = cos(pi * px), s2 = sin(pi * py), c2 = cos(pi * py);
    const double s4 = sin(2 * pi * py), c4 = cos(2 * pi * py);
    /* second derivatives of u = s1 s2 and v = s1 s4 */
    const double uxx = -pi * pi * s1 * s2, uyy = uxx, uxy = pi * pi * c1 * c2;
    const double vxx = -pi * pi * s1 * s4, vyy = 4 * vxx, vxy = 2 * pi * pi * c1 * c4;
    const double fx = -(mu * (2 * uxx + uyy + vxy) + lambda * (uxx + vxy));
    const double fy = -(mu * (vxx + 2 * vyy + uxy) + lambda * (uxy + vyy));
    for (int i = 0; i < 4; i++) {
      b[i][0] += weight * fx * n[i];
      b[i][1] += weight * fy * n[i];
    }
  }
});

OP2_KERNEL(error_body, (const double *x[4], const double *w[4], double *sum), {
  const double pi = 3.14159265358979323846;
  const double s[3] = {-0.774596669241483377, 0, 0.774596669241483377};
  const double v[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  const double cs[4] = {-1, 1, 1, -1}, ct[4] = {-1, -1, 1, 1};
  for (int g = 0; g < 9; g++) {
    const double sg = s[g % 3], tg = s[g / 3];
    double n[4], ns[4], nt[4], px = 0, py = 0, xs = 0, ys = 0, xt = 0, yt = 0;
    for (int i = 0; i < 4; i++) {
      n[i] = 0.25 * (1 + cs[i] * sg) * (1 + ct[i] * tg);
      ns[i] = 0.25 * cs[i] * (1 + ct[i] * tg);
      nt[i] = 0.25 * ct[i] * (1 + cs[i] * sg);
      px += n[i] * x[i][0];
      py += n[i] * x[i][1];
      xs += ns[i] * x[i][0];
      ys += ns[i] * x[i][1];
      xt += nt[i] * x[i][0];
      yt += nt[i] * x[i][1];
    }
    const double det = xs * yt - xt * ys, weight = det * v[g % 3] * v[g / 3];
    double u = -sin(pi * px) * sin(pi * py), v2 = -sin(pi * px) * sin(2 * pi * py);
    for (int i = 0; i < 4; i++) {
      u += n[i] * w[i][0];
      v2 += n[i] * w[i][1];
    }
    sum[0] += weight * (u * u + v2 * v2);
  }
});

/* Advection with the velocity (1, 0.5) and diffusion: the mass matrix plus `half` the length of a
 * time step times the other terms; with a negative half it is the matrix for the previous state. */
OP2_KERNEL(step_matrix, (const double *x[4], const double *half, double a[4][4]), {
  const double cx = 1, cy = 0.5, kappa = 0.05;
  const double s[3] = {-0.774596669241483377, 0, 0.774596669241483377};
  const double v[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  const double cs[4] = {-1, 1, 1, -1}, ct[4] = {-1, -1, 1, 1};
  for (int g = 0; g < 9; g++) {
    const double sg = s[g % 3], tg = s[g / 3];
    double n[4], ns[4], nt[4], xs = 0, ys = 0, xt = 0, yt = 0;
    for (int i = 0; i < 4; i++) {
      n[i] = 0.25 * (1 + cs[i] * sg) * (1 + ct[i] * tg);
      ns[i] = 0.25 * cs[i] * (1 + ct[i] * tg);
      nt[i] = 0.25 * ct[i] * (1 + cs[i] * sg);
      xs += ns[i] * x[i][0];
      ys += ns[i] * x[i][1];
      xt += nt[i] * x[i][0];
      yt += nt[i] * x[i][1];
    }
    const double det = xs * yt - xt * ys, weight = det * v[g % 3] * v[g / 3];
    double nx[4], ny[4];
    for (int i = 0; i < 4; i++) {
      nx[i] = (yt * ns[i] - ys * nt[i]) / det;
      ny[i] = (xs * nt[i] - xt * ns[i]) / det;
    }
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) {
        const double moves = n[i] * (cx * nx[j] + cy * ny[j]);
        const double spreads = kappa * (nx[i] * nx[j] + ny[i] * ny[j]);
        a[i][j] += weight * (n[i] * n[j] + half[0] * (moves + spreads));
      }
  }
});

/* The source whose solution is exp(-t) sin(pi x) sin(pi y), without the factor exp(-t). */
OP2_KERNEL(source, (const double *x[4], double *b[4]), {
  const double pi = 3.14159265358979323846, cx = 1, cy = 0.5, kappa = 0.05;
  const double s[3] = {-0.774596669241483377, 0, 0.774596669241483377};
  const double v[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  const double cs[4] = {-1, 1, 1, -1}, ct[4] = {-1, -1, 1, 1};
  for (int g = 0; g < 9; g++) {
    const double sg = s[g % 3], tg = s[g / 3];
    double n[4], ns[4], nt[4], px = 0, py = 0, xs = 0, ys = 0, xt = 0, yt = 0;
    for (int i = 0; i < 4; i++) {
      n[i] = 0.25 * (1 + cs[i] * sg) * (1 + ct[i] * tg);
      ns[i] = 0.25 * cs[i] * (1 + ct[i] * tg);
      nt[i] = 0.25 * ct[i] * (1 + cs[i] * sg);
      px += n[i] * x[i][0];
      py += n[i] * x[i][1];
      xs += ns[i] * x[i][0];
      ys += ns[i] * x[i][1];
      xt += nt[i] * x[i][0];
      yt += nt[i] * x[i][1];
    }
    const double det = xs * yt - xt * ys, weight = det * v[g % 3] * v[g / 3];
    const double s1 = sin(pi * px), c1 = cos(pi * px), s2 = sin(pi * py), c2 = cos(pi * py);
    const double f = (2 * pi * pi * kappa - 1) * s1 * s2 + pi * (cx * c1 * s2 + cy * s1 * c2);
    for (int i = 0; i < 4; i++) b[i][0] += weight * f * n[i];
  }
});

#endif
