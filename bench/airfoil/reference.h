/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef AIRFOIL_REFERENCE_H
#define AIRFOIL_REFERENCE_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "gas.h"
#include "mesh.h"
#include "options.h"

/** @file reference.h
 * What the two hand-written programs share: the five kernels, in the form that a C compiler does
 * best with, the flow's arrays, and the driver round the time step. Neither program uses the op2
 * library. */

typedef struct flow {
  double *q;    /**< [ncell][4] */
  double *qold; /**< [ncell][4] */
  double *adt;  /**< [ncell] area over time step */
  double *res;  /**< [ncell][4] residual */
} flow;

/* ---- kernels ---- */

static inline void ref_save(const double *restrict q, double *restrict qold) {
  for (int n = 0; n < 4; n++) qold[n] = q[n];
}

/* Wave speed across the side from a to b, times its length. */
static inline double ref_side(const double *restrict a, const double *restrict b, double u,
                              double v, double c) {
  const double dx = b[0] - a[0], dy = b[1] - a[1];
  return fabs(u * dy - v * dx) + c * sqrt(dx * dx + dy * dy);
}

static inline void ref_adt(const double *restrict x1, const double *restrict x2,
                           const double *restrict x3, const double *restrict x4,
                           const double *restrict q, double *restrict adt) {
  const double ri = 1.0 / q[0], u = ri * q[1], v = ri * q[2];
  const double c = sqrt(GAS_GAMMA * GAS_GM1 * (ri * q[3] - 0.5 * (u * u + v * v)));
  *adt = (1.0 / GAS_CFL) * (ref_side(x1, x2, u, v, c) + ref_side(x2, x3, u, v, c) +
                            ref_side(x3, x4, u, v, c) + ref_side(x4, x1, u, v, c));
}

/* Flux from the first state to the second through the edge (dx, dy), with smoothing mu. */
static inline void ref_flux(double dx, double dy, const double *restrict q1,
                            const double *restrict q2, double mu, double *restrict f) {
  const double r1 = 1.0 / q1[0], r2 = 1.0 / q2[0];
  const double p1 = GAS_GM1 * (q1[3] - 0.5 * r1 * (q1[1] * q1[1] + q1[2] * q1[2]));
  const double p2 = GAS_GM1 * (q2[3] - 0.5 * r2 * (q2[1] * q2[1] + q2[2] * q2[2]));
  const double vol1 = r1 * (q1[1] * dy - q1[2] * dx), vol2 = r2 * (q2[1] * dy - q2[2] * dx);
  f[0] = 0.5 * (vol1 * q1[0] + vol2 * q2[0]) + mu * (q1[0] - q2[0]);
  f[1] = 0.5 * (vol1 * q1[1] + p1 * dy + vol2 * q2[1] + p2 * dy) + mu * (q1[1] - q2[1]);
  f[2] = 0.5 * (vol1 * q1[2] - p1 * dx + vol2 * q2[2] - p2 * dx) + mu * (q1[2] - q2[2]);
  f[3] = 0.5 * (vol1 * (q1[3] + p1) + vol2 * (q2[3] + p2)) + mu * (q1[3] - q2[3]);
}

static inline void ref_res(const double *restrict x1, const double *restrict x2,
                           const double *restrict q1, const double *restrict q2, double adt1,
                           double adt2, double *restrict res1, double *restrict res2) {
  double f[4];
  ref_flux(x1[0] - x2[0], x1[1] - x2[1], q1, q2, 0.5 * (adt1 + adt2) * GAS_EPS, f);
  for (int n = 0; n < 4; n++) {
    res1[n] += f[n];
    res2[n] -= f[n];
  }
}

static inline void ref_bres(const double *restrict x1, const double *restrict x2,
                            const double *restrict q, double adt, double *restrict res,
                            int32_t bound, const double *restrict far_field) {
  const double dx = x1[0] - x2[0], dy = x1[1] - x2[1];
  if (bound == MESH_WALL) {
    const double p = GAS_GM1 * (q[3] - 0.5 / q[0] * (q[1] * q[1] + q[2] * q[2]));
    res[1] += p * dy;
    res[2] -= p * dx;
  } else {
    double f[4];
    ref_flux(dx, dy, q, far_field, adt * GAS_EPS, f);
    for (int n = 0; n < 4; n++) res[n] += f[n];
  }
}

static inline void ref_update(const double *restrict qold, double *restrict q, double *restrict res,
                              double adt, double *restrict rms) {
  const double per_adt = 1.0 / adt;
  for (int n = 0; n < 4; n++) {
    const double del = per_adt * res[n];
    q[n] = qold[n] - del;
    res[n] = 0.0;
    *rms += del * del;
  }
}

/* ---- driver ---- */

/** A program: its preparation, if it needs one, and one time step, which returns the sum of squares
 * of its second update. */
typedef struct reference {
  unsigned program; /**< PROGRAM_SEQ or PROGRAM_OMP */
  int (*prepare)(const options *o, const mesh *m, bench_error *error);
  double (*step)(const mesh *m, flow *f, const double *far_field);
  void (*finish)(void);
} reference;

/** main() of a reference program. */
int reference_main(int argc, char **argv, const reference *r);

#endif
