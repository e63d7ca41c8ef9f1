/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FEM_KERNELS_FLOW_H
#define FEM_KERNELS_FLOW_H

#include <math.h>

#include "op2.h"

/** @file kernels_flow.h
 * Stokes' equations on triangles, as kernels.h has them. */

/* Stokes' equations with quadratic velocities and linear pressures (Taylor and Hood). This block
 * couples the velocities with each other. */
OP2_KERNEL(viscosity, (const double *x[6], double a[12][12]), {
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
      for (int j = 0; j < 6; j++) {
        const double same = weight * (nx[i] * nx[j] + ny[i] * ny[j]);
        a[2 * i][2 * j] += same;
        a[2 * i + 1][2 * j + 1] += same;
      }
  }
});

/* This block couples the velocities with the pressures: the gradient. */
OP2_KERNEL(gradient, (const double *x[6], double a[12][3]), {
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
    const double l[3] = {m, p, q};
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 3; j++) {
        a[2 * i][j] -= weight * nx[i] * l[j];
        a[2 * i + 1][j] -= weight * ny[i] * l[j];
      }
  }
});

/* This block is the transpose: the divergence. */
OP2_KERNEL(divergence, (const double *x[6], double a[3][12]), {
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
    const double l[3] = {m, p, q};
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 3; j++) {
        a[j][2 * i] -= weight * nx[i] * l[j];
        a[j][2 * i + 1] -= weight * ny[i] * l[j];
      }
  }
});

/* Forces for which the velocity is 2 pi (sin^2(pi x) sin(pi y) cos(pi y), -sin^2(pi y) sin(pi x)
 * cos(pi x)) and the pressure cos(pi x) cos(pi y). */
OP2_KERNEL(load_flow, (const double *x[6], double *b[6]), {
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
    const double s1 = sin(pi * px), c1 = cos(pi * px), s2 = sin(pi * py), c2 = cos(pi * py);
    const double p3 = pi * pi * pi;
    const double fx = p3 * (16 * s1 * s1 - 4) * s2 * c2 - pi * s1 * c2;
    const double fy = -p3 * (16 * s2 * s2 - 4) * s1 * c1 - pi * c1 * s2;
    for (int i = 0; i < 6; i++) {
      b[i][0] += weight * fx * n[i];
      b[i][1] += weight * fy * n[i];
    }
  }
});

OP2_KERNEL(error_flow, (const double *x[6], const double *velocity[6], double *sum), {
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
    const double s1 = sin(pi * px), c1 = cos(pi * px), s2 = sin(pi * py), c2 = cos(pi * py);
    double u = -2 * pi * s1 * s1 * s2 * c2, v = 2 * pi * s2 * s2 * s1 * c1;
    for (int i = 0; i < 6; i++) {
      u += n[i] * velocity[i][0];
      v += n[i] * velocity[i][1];
    }
    sum[0] += weight * (u * u + v * v);
  }
});

/* The square of the pressure's error, and its integral, as pressures are known up to a constant. */
OP2_KERNEL(error_pressure, (const double *x[6], const double *pressure[3], double *sum), {
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
    const double weight = w[g] * det, l[3] = {1 - l1[g] - l2[g], l1[g], l2[g]};
    const double px = x[0][0] + l1[g] * ax + l2[g] * bx, py = x[0][1] + l1[g] * ay + l2[g] * by;
    double off = -cos(pi * px) * cos(pi * py);
    for (int i = 0; i < 3; i++) off += l[i] * pressure[i][0];
    sum[0] += weight * off * off;
    sum[1] += weight * off;
  }
});

#endif
