/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef AERO_KERNELS_H
#define AERO_KERNELS_H

#include <math.h>

#include "op2.h"

/** @file kernels.h
 * The kernels of the potential flow: one for each form of the matrix that linearises the equation,
 * the product cell by cell, and one for every operation on vectors. The step lengths of conjugate
 * gradients are quotients of scalar products, which the kernels compute, so that the host reads
 * only the residual. A quotient with denominator 0 is 0.
 *
 * Where the potential is given, in the far field, there is no test function: `inside` is 0 there
 * and 1 elsewhere. So rows and columns of the matrix are zero, and vectors that begin at zero stay
 * zero there. */

/* The quantities of a cell at Gauss point q: the weight w, the velocity (u, v), the density rho,
 * which is D^(1 / (gamma - 1)) with gamma = 1.4 and so D^2 sqrt(D), and for each test function its
 * derivatives nx and ny and its derivative `along` the flow. The cell's nodes are those of one side
 * and then those that face them. */
#define AERO_POINT                                                                                 \
  const double s = gauss[q % 2], t = gauss[q / 2];                                                 \
  const double ns[4] = {t - 1, 1 - t, -t, t}, nt[4] = {s - 1, -s, 1 - s, s};                       \
  double xs = 0, ys = 0, xt = 0, yt = 0, u = 0, v = 0, nx[4], ny[4], along[4];                     \
  for (int i = 0; i < 4; i++) {                                                                    \
    xs += ns[i] * x[i][0];                                                                         \
    ys += ns[i] * x[i][1];                                                                         \
    xt += nt[i] * x[i][0];                                                                         \
    yt += nt[i] * x[i][1];                                                                         \
  }                                                                                                \
  const double det = xs * yt - xt * ys, w = 0.25 * det;                                            \
  for (int i = 0; i < 4; i++) {                                                                    \
    nx[i] = (yt * ns[i] - ys * nt[i]) / det;                                                       \
    ny[i] = (xs * nt[i] - xt * ns[i]) / det;                                                       \
    u += nx[i] * phi[i][0];                                                                        \
    v += ny[i] * phi[i][0];                                                                        \
  }                                                                                                \
  const double d = 1 + 0.2 * (0.01 - (u * u + v * v)), rho = d * d * sqrt(d);                      \
  for (int i = 0; i < 4; i++) {                                                                    \
    nx[i] *= inside[i][0];                                                                         \
    ny[i] *= inside[i][0];                                                                         \
    along[i] = u * nx[i] + v * ny[i];                                                              \
    r[i][0] += w * rho * along[i];                                                                 \
  }

/* The entry of the matrix for functions i and j. */
#define AERO_VALUE w *rho *(nx[i] * nx[j] + ny[i] * ny[j]) - w *rho / d *(along[i] * along[j])

/* A kernel whose text contains these macros needs one more macro, since OP2_KERNEL would take their
 * names as text. */
#define AERO_KERNEL(name, params, ...) OP2_KERNEL(name, params, __VA_ARGS__)

/* The residual, and the entries of an assembled matrix. */
AERO_KERNEL(assemble,
            (const double *x[4], const double *phi[4], const double *inside[4], double a[4][4],
             double *r[4]),
            {
              const double gauss[2] = {0.211324865405187, 0.788675134594813};
              for (int q = 0; q < 4; q++) {
                AERO_POINT
                for (int i = 0; i < 4; i++)
                  for (int j = 0; j < 4; j++) a[i][j] += AERO_VALUE;
              }
            });

/* The residual, and the cell's own matrix, which is symmetric: rows from the diagonal on. */
AERO_KERNEL(element,
            (const double *x[4], const double *phi[4], const double *inside[4], double *k,
             double *r[4]),
            {
              const double gauss[2] = {0.211324865405187, 0.788675134594813};
              for (int i = 0; i < 10; i++) k[i] = 0;
              for (int q = 0; q < 4; q++) {
                AERO_POINT
                int at = 0;
                for (int i = 0; i < 4; i++)
                  for (int j = i; j < 4; j++, at++) k[at] += AERO_VALUE;
              }
            });

/* v += K p, the part of one cell, and its part of p.v. */
OP2_KERNEL(product, (const double *k, const double *p[4], double *v[4], double *sum), {
  const int at[16] = {0, 1, 2, 3, 1, 4, 5, 6, 2, 5, 7, 8, 3, 6, 8, 9};
  for (int i = 0; i < 4; i++) {
    double row = 0;
    for (int j = 0; j < 4; j++) row += k[at[4 * i + j]] * p[j][0];
    v[i][0] += row;
    *sum += row * p[i][0];
  }
});

/* Conjugate gradients begin at u = 0, with p = r. */
OP2_KERNEL(begin, (const double *r, double *p, double *u), {
  *p = *r;
  *u = 0;
});

/* y -= (numerator / denominator) x; x is zero afterwards, for the next product. It is cleared here,
 * because a separate loop for x would stay queued when the host reads a result of y. */
OP2_KERNEL(take, (double *y, double *x, const double *numerator, const double *denominator), {
  const double step = *denominator != 0 ? *numerator / *denominator : 0;
  *y -= step * *x;
  *x = 0;
});

/* Newton's step, and the square of its length. */
OP2_KERNEL(update, (const double *u, double *phi, double *r, double *sum), {
  *phi -= *u;
  *r = 0;
  *sum += *u * *u;
});

#endif
