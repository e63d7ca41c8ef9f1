/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FEM_KERNELS_H
#define FEM_KERNELS_H

#include <math.h>

#include "op2.h"

/** @file kernels.h
 * Finite elements on triangles (p1, p2: linear and quadratic) and quadrilaterals (q1: bilinear).
 * Triangles have straight sides: their first three nodes are the corners, the others between the
 * first two, the next two, and the last and the first. They are integrated over by seven points,
 * quadrilaterals by nine. */

/* Poisson: the integrals of grad N_i . grad N_j. */
OP2_KERNEL(stiffness_p1, (const double *x[3], double a[3][3]), {
  const double ax = x[1][0] - x[0][0], ay = x[1][1] - x[0][1];
  const double bx = x[2][0] - x[0][0], by = x[2][1] - x[0][1];
  const double det = ax * by - bx * ay;
  const double d1x = by / det, d1y = -bx / det, d2x = -ay / det, d2y = ax / det;
  const double nx[3] = {-d1x - d2x, d1x, d2x}, ny[3] = {-d1y - d2y, d1y, d2y};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a[i][j] += 0.5 * det * (nx[i] * nx[j] + ny[i] * ny[j]);
});

/* The source f = 2 pi^2 sin(pi x) sin(pi y), whose solution is sin(pi x) sin(pi y). */
OP2_KERNEL(load_p1, (const double *x[3], double *b[3]), {
  const double pi = 3.14159265358979323846;
  const double l1[7] = {1.0 / 3,           0.470142064105115, 0.470142064105115, 0.059715871789770,
                        0.101286507323456, 0.101286507323456, 0.797426985353087};
  const double l2[7] = {1.0 / 3,           0.470142064105115, 0.059715871789770, 0.470142064105115,
                        0.101286507323456, 0.797426985353087, 0.101286507323456};
  const double w[7] = {0.1125,
                       0.066197076394253,
                       0.066197076394253,
                       0.066197076394253,
                       0.0629695902724135,
                       0.0629695902724135,
                       0.0629695902724135};
  const double ax = x[1][0] - x[0][0], ay = x[1][1] - x[0][1];
  const double bx = x[2][0] - x[0][0], by = x[2][1] - x[0][1];
  const double det = ax * by - bx * ay;
  for (int g = 0; g < 7; g++) {
    const double weight = w[g] * det;
    const double n[3] = {1 - l1[g] - l2[g], l1[g], l2[g]};
    const double px = x[0][0] + l1[g] * ax + l2[g] * bx, py = x[0][1] + l1[g] * ay + l2[g] * by;
    const double f = 2 * pi * pi * sin(pi * px) * sin(pi * py);
    for (int i = 0; i < 3; i++) b[i][0] += weight * f * n[i];
  }
});

/* The square of the error in the L2 norm; the solution may have another amplitude. */
OP2_KERNEL(error_p1, (const double *x[3], const double *u[3], const double *amplitude, double *sum),
           {
             const double pi = 3.14159265358979323846;
             const double l1[7] = {1.0 / 3,           0.470142064105115, 0.470142064105115,
                                   0.059715871789770, 0.101286507323456, 0.101286507323456,
                                   0.797426985353087};
             const double l2[7] = {1.0 / 3,           0.470142064105115, 0.059715871789770,
                                   0.470142064105115, 0.101286507323456, 0.797426985353087,
                                   0.101286507323456};
             const double w[7] = {0.1125,
                                  0.066197076394253,
                                  0.066197076394253,
                                  0.066197076394253,
                                  0.0629695902724135,
                                  0.0629695902724135,
                                  0.0629695902724135};
             const double ax = x[1][0] - x[0][0], ay = x[1][1] - x[0][1];
             const double bx = x[2][0] - x[0][0], by = x[2][1] - x[0][1];
             const double det = ax * by - bx * ay;
             for (int g = 0; g < 7; g++) {
               const double weight = w[g] * det;
               const double n[3] = {1 - l1[g] - l2[g], l1[g], l2[g]};
               const double px = x[0][0] + l1[g] * ax + l2[g] * bx,
                            py = x[0][1] + l1[g] * ay + l2[g] * by;
               double off = -amplitude[0] * sin(pi * px) * sin(pi * py);
               for (int i = 0; i < 3; i++) off += n[i] * u[i][0];
               sum[0] += weight * off * off;
             }
           });

OP2_KERNEL(stiffness_q1, (const double *x[4], double a[4][4]), {
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
      for (int j = 0; j < 4; j++) a[i][j] += weight * (nx[i] * nx[j] + ny[i] * ny[j]);
  }
});

OP2_KERNEL(load_q1, (const double *x[4], double *b[4]), {
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
    const double f = 2 * pi * pi * sin(pi * px) * sin(pi * py);
    for (int i = 0; i < 4; i++) b[i][0] += weight * f * n[i];
  }
});

OP2_KERNEL(error_q1, (const double *x[4], const double *u[4], const double *amplitude, double *sum),
           {
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
               double off = -amplitude[0] * sin(pi * px) * sin(pi * py);
               for (int i = 0; i < 4; i++) off += n[i] * u[i][0];
               sum[0] += weight * off * off;
             }
           });

OP2_KERNEL(stiffness_p2, (const double *x[6], double a[6][6]), {
  const double l1[7] = {1.0 / 3,           0.470142064105115, 0.470142064105115, 0.059715871789770,
                        0.101286507323456, 0.101286507323456, 0.797426985353087};
  const double l2[7] = {1.0 / 3,           0.470142064105115, 0.059715871789770, 0.470142064105115,
                        0.101286507323456, 0.797426985353087, 0.101286507323456};
  const double w[7] = {0.1125,
                       0.066197076394253,
                       0.066197076394253,
                       0.066197076394253,
                       0.0629695902724135,
                       0.0629695902724135,
                       0.0629695902724135};
  const double ax = x[1][0] - x[0][0], ay = x[1][1] - x[0][1];
  const double bx = x[2][0] - x[0][0], by = x[2][1] - x[0][1];
  const double det = ax * by - bx * ay;
  const double d1x = by / det, d1y = -bx / det, d2x = -ay / det, d2y = ax / det;
  for (int g = 0; g < 7; g++) {
    const double weight = w[g] * det;
    const double m = 1 - l1[g] - l2[g], p = l1[g], q = l2[g];
    const double d0x = -d1x - d2x, d0y = -d1y - d2y;
    const double nx[6] = {(4 * m - 1) * d0x,       (4 * p - 1) * d1x,
                          (4 * q - 1) * d2x,       4 * (p * d0x + m * d1x),
                          4 * (q * d1x + p * d2x), 4 * (m * d2x + q * d0x)};
    const double ny[6] = {(4 * m - 1) * d0y,       (4 * p - 1) * d1y,
                          (4 * q - 1) * d2y,       4 * (p * d0y + m * d1y),
                          4 * (q * d1y + p * d2y), 4 * (m * d2y + q * d0y)};
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++) a[i][j] += weight * (nx[i] * nx[j] + ny[i] * ny[j]);
  }
});

OP2_KERNEL(load_p2, (const double *x[6], double *b[6]), {
  const double pi = 3.14159265358979323846;
  const double l1[7] = {1.0 / 3,           0.470142064105115, 0.470142064105115, 0.059715871789770,
                        0.101286507323456, 0.101286507323456, 0.797426985353087};
  const double l2[7] = {1.0 / 3,           0.470142064105115, 0.059715871789770, 0.470142064105115,
                        0.101286507323456, 0.797426985353087, 0.101286507323456};
  const double w[7] = {0.1125,
                       0.066197076394253,
                       0.066197076394253,
                       0.066197076394253,
                       0.0629695902724135,
                       0.0629695902724135,
                       0.0629695902724135};
  const double ax = x[1][0] - x[0][0], ay = x[1][1] - x[0][1];
  const double bx = x[2][0] - x[0][0], by = x[2][1] - x[0][1];
  const double det = ax * by - bx * ay;
  for (int g = 0; g < 7; g++) {
    const double weight = w[g] * det;
    const double m = 1 - l1[g] - l2[g], p = l1[g], q = l2[g];
    const double n[6] = {m * (2 * m - 1), p * (2 * p - 1), q * (2 * q - 1),
                         4 * m * p,       4 * p * q,       4 * q * m};
    const double px = x[0][0] + l1[g] * ax + l2[g] * bx, py = x[0][1] + l1[g] * ay + l2[g] * by;
    const double f = 2 * pi * pi * sin(pi * px) * sin(pi * py);
    for (int i = 0; i < 6; i++) b[i][0] += weight * f * n[i];
  }
});

OP2_KERNEL(error_p2, (const double *x[6], const double *u[6], const double *amplitude, double *sum),
           {
             const double pi = 3.14159265358979323846;
             const double l1[7] = {1.0 / 3,           0.470142064105115, 0.470142064105115,
                                   0.059715871789770, 0.101286507323456, 0.101286507323456,
                                   0.797426985353087};
             const double l2[7] = {1.0 / 3,           0.470142064105115, 0.059715871789770,
                                   0.470142064105115, 0.101286507323456, 0.797426985353087,
                                   0.101286507323456};
             const double w[7] = {0.1125,
                                  0.066197076394253,
                                  0.066197076394253,
                                  0.066197076394253,
                                  0.0629695902724135,
                                  0.0629695902724135,
                                  0.0629695902724135};
             const double ax = x[1][0] - x[0][0], ay = x[1][1] - x[0][1];
             const double bx = x[2][0] - x[0][0], by = x[2][1] - x[0][1];
             const double det = ax * by - bx * ay;
             for (int g = 0; g < 7; g++) {
               const double weight = w[g] * det;
               const double m = 1 - l1[g] - l2[g], p = l1[g], q = l2[g];
               const double n[6] = {m * (2 * m - 1), p * (2 * p - 1), q * (2 * q - 1),
                                    4 * m * p,       4 * p * q,       4 * q * m};
               const double px = x[0][0] + l1[g] * ax + l2[g] * bx,
                            py = x[0][1] + l1[g] * ay + l2[g] * by;
               double off = -amplitude[0] * sin(pi * px) * sin(pi * py);
               for (int i = 0; i < 6; i++) off += n[i] * u[i][0];
               sum[0] += weight * off * off;
             }
           });

/* Values at the boundary are set to zero. */
OP2_KERNEL(clear, (const double *inside, double *b), { b[0] *= inside[0]; });

OP2_KERNEL(clear2, (const double *inside, double *b), {
  b[0] *= inside[0];
  b[1] *= inside[0];
});

/* b = b + t f: the source at the present time is added. */
OP2_KERNEL(add_source, (const double *f, const double *t, double *b), { b[0] += t[0] * f[0]; });

/* The state at the start: sin(pi x) sin(pi y). */
OP2_KERNEL(wave, (const double *x, double *u), {
  const double pi = 3.14159265358979323846;
  u[0] = sin(pi * x[0]) * sin(pi * x[1]);
});

#endif
