/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EULER_REFERENCE_H
#define EULER_REFERENCE_H

#include <math.h>
#include <stdint.h>

#include "gas.h"
#include "mesh.h"
#include "options.h"

/** @file reference.h
 * The common part of the two hand-written programs: the kernels, in the form that C compilers
 * optimise best, the arrays, and the driver of the time steps. Neither program uses the op2
 * library. */

typedef struct flow {
  double *q;   /**< [nnode][5] */
  double *old; /**< [nnode][5] state at the beginning of the time step */
  double *res; /**< [nnode][5] flow out of a cell per unit of time */
} flow;

/* ---- kernels ---- */

/* Most compilers call a function for fmax(), because of NaNs. */
static inline double ref_max(double a, double b) { return a > b ? a : b; }
static inline double ref_min(double a, double b) { return a < b ? a : b; }

static inline double ref_pressure(const double *restrict q) {
  return GAS_GM1 * (q[3] - 0.5 / q[0] * (q[1] * q[1] + q[2] * q[2]));
}

/* The longest stable time step of one dual cell. */
static inline double ref_time_step(double area, double rim, const double *restrict q) {
  const double r = 1.0 / q[0], square = r * r * (q[1] * q[1] + q[2] * q[2]);
  const double speed = sqrt(square) + sqrt(GAS_GAMMA * ref_pressure(q) * r);
  return 2.0 * GAS_CFL * area / (rim * speed);
}

/* The flux through a face with the normal (x, y) of the given length, from the first state to the
 * second. */
static inline void ref_rusanov(double x, double y, double length, const double *restrict q1,
                               const double *restrict q2, double *restrict f) {
  const double r1 = 1.0 / q1[0], r2 = 1.0 / q2[0];
  const double p1 = ref_pressure(q1), p2 = ref_pressure(q2);
  const double v1 = r1 * (q1[1] * x + q1[2] * y), v2 = r2 * (q2[1] * x + q2[2] * y);
  const double s = ref_max(fabs(v1) + length * sqrt(GAS_GAMMA * p1 * r1),
                           fabs(v2) + length * sqrt(GAS_GAMMA * p2 * r2));
  for (int n = 0; n < GAS_DIM; n++) f[n] = 0.5 * (v1 * q1[n] + v2 * q2[n] - s * (q2[n] - q1[n]));
  f[1] += 0.5 * (p1 + p2) * x;
  f[2] += 0.5 * (p1 + p2) * y;
  f[3] += 0.5 * (v1 * p1 + v2 * p2);
}

static inline void ref_flux(const double *restrict normal, const double *restrict q1,
                            const double *restrict q2, double *restrict res1,
                            double *restrict res2) {
  double f[GAS_DIM];
  ref_rusanov(normal[0], normal[1], normal[2], q1, q2, f);
  for (int n = 0; n < GAS_DIM; n++) {
    res1[n] += f[n];
    res2[n] -= f[n];
  }
}

/* The flux out of the dual cell of one of a boundary edge's nodes. */
static inline void ref_boundary(const double *restrict normal, int32_t kind,
                                const double *restrict far_field, const double *restrict q,
                                double *restrict res) {
  const double x = 0.5 * normal[0], y = 0.5 * normal[1];
  if (kind == MESH_WALL) {
    const double p = ref_pressure(q);
    res[1] += p * x;
    res[2] += p * y;
  } else {
    double f[GAS_DIM];
    ref_rusanov(x, y, 0.5 * normal[2], q, far_field, f);
    for (int n = 0; n < GAS_DIM; n++) res[n] += f[n];
  }
}

static inline void ref_stage(double dt, double area, const double *restrict old,
                             double *restrict res, double *restrict q) {
  const double factor = dt / area;
  for (int n = 0; n < GAS_DIM; n++) {
    q[n] = old[n] - factor * res[n];
    res[n] = 0.0;
  }
}

/* The square of the density's residual. */
static inline double ref_square(double area, const double *restrict res) {
  const double change = res[0] / area;
  return change * change;
}

/* ---- driver ---- */

/** A program: its preparation, if it needs one, and one time step, which returns the sum of the
 * squares of the density's residuals in its last stage. */
typedef struct reference {
  unsigned program; /**< PROGRAM_SEQ or PROGRAM_OMP */
  int (*prepare)(const options *o, const mesh *m, bench_error *error);
  double (*step)(const mesh *m, flow *f, const double *far_field);
  void (*finish)(void);
} reference;

/** main() of a reference program. */
int reference_main(int argc, char **argv, const reference *r);

#endif
