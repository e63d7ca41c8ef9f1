/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TSUNAMI_REFERENCE_H
#define TSUNAMI_REFERENCE_H

#include <math.h>
#include <stdint.h>

#include "mesh.h"
#include "options.h"
#include "water.h"

/** @file reference.h
 * The common part of the two hand-written programs: the kernels, in the form that C compilers
 * optimise best, the arrays, and the driver of the time steps. Neither program uses the op2
 * library. */

typedef struct sea {
  double *area;        /**< [ncell] */
  double *edge_normal; /**< [nedge][3] unit normal out of the first cell, and length */
  double *wall_normal; /**< [nbedge][3] */
  double *q;           /**< [ncell][4] depth, discharges, level of the ground */
  double *ahead;       /**< [ncell][4] the state predicted by the first stage */
  double *res;         /**< [ncell][3] inflow times area */
  double *rate;        /**< [ncell] speed of the waves, integrated round the cell */
} sea;

/* ---- kernels ---- */

/* Most compilers call functions for fmin() and fmax(), because of NaNs. */
static inline double ref_max(double a, double b) { return a > b ? a : b; }
static inline double ref_min(double a, double b) { return a < b ? a : b; }

/* Depth and velocities of one side, in the edge's frame. */
typedef struct side {
  double h, u, v, c;
} side;

static inline side ref_side(const double *restrict normal, const double *restrict q,
                            double ground) {
  const double h = q[0] + q[3] - ground;
  if (h <= WATER_DRY) return (side){0.0, 0.0, 0.0, 0.0};
  const double per_depth = 1.0 / q[0];
  return (side){.h = h,
                .u = per_depth * (q[1] * normal[0] + q[2] * normal[1]),
                .v = per_depth * (q[2] * normal[0] - q[1] * normal[1]),
                .c = sqrt(WATER_GRAVITY * h)};
}

/* Compute the speeds of the slowest and the fastest wave; at least one side is wet. */
static inline void ref_waves(side a, side b, double *restrict s1, double *restrict s2) {
  if (a.h == 0.0) {
    *s1 = b.u - 2.0 * b.c;
    *s2 = b.u + b.c;
  } else if (b.h == 0.0) {
    *s1 = a.u - a.c;
    *s2 = a.u + 2.0 * a.c;
  } else {
    const double u = 0.5 * (a.u + b.u) + a.c - b.c;
    const double c = 0.5 * (a.c + b.c) + 0.25 * (a.u - b.u);
    *s1 = ref_min(a.u - a.c, u - c);
    *s2 = ref_max(b.u + b.c, u + c);
  }
}

static inline void ref_flux(const double *restrict normal, const double *restrict q1,
                            const double *restrict q2, double *restrict res1, double *restrict res2,
                            double *restrict rate1, double *restrict rate2) {
  const double ground = ref_max(q1[3], q2[3]);
  const side a = ref_side(normal, q1, ground), b = ref_side(normal, q2, ground);
  if (a.h == 0.0 && b.h == 0.0) return;
  double s1, s2, mass, push;
  ref_waves(a, b, &s1, &s2);
  const double p1 = 0.5 * WATER_GRAVITY * a.h * a.h, p2 = 0.5 * WATER_GRAVITY * b.h * b.h;
  const double d1 = a.h * a.u, d2 = b.h * b.u;
  if (s1 >= 0.0) {
    mass = d1;
    push = d1 * a.u + p1;
  } else if (s2 <= 0.0) {
    mass = d2;
    push = d2 * b.u + p2;
  } else {
    const double per_fan = 1.0 / (s2 - s1);
    mass = per_fan * (s2 * d1 - s1 * d2 + s1 * s2 * (b.h - a.h));
    push = per_fan * (s2 * (d1 * a.u + p1) - s1 * (d2 * b.u + p2) + s1 * s2 * (d2 - d1));
  }
  const double drag = mass > 0.0 ? mass * a.v : mass * b.v;
  const double nx = normal[2] * normal[0], ny = normal[2] * normal[1];
  res1[0] -= normal[2] * mass;
  res1[1] -= (push - p1) * nx - drag * ny;
  res1[2] -= (push - p1) * ny + drag * nx;
  res2[0] += normal[2] * mass;
  res2[1] += (push - p2) * nx - drag * ny;
  res2[2] += (push - p2) * ny + drag * nx;
  const double speed = normal[2] * ref_max(fabs(s1), fabs(s2));
  *rate1 += speed;
  *rate2 += speed;
}

static inline void ref_wall(const double *restrict normal, const double *restrict q,
                            double *restrict res, double *restrict rate) {
  if (q[0] <= WATER_DRY) return;
  const double u = (q[1] * normal[0] + q[2] * normal[1]) / q[0];
  const double speed = fabs(u) + sqrt(WATER_GRAVITY * q[0]);
  const double push = normal[2] * q[0] * u * (u + speed);
  res[1] -= push * normal[0];
  res[2] -= push * normal[1];
  *rate += normal[2] * speed;
}

/* The longest stable time step of one cell. */
static inline double ref_time_step(double area, double rate) {
  return rate > 0.0 ? WATER_CFL * area / rate : WATER_NO_STEP;
}

static inline void ref_still_if_dry(double *restrict q) {
  if (q[0] <= WATER_DRY) q[1] = q[2] = 0.0;
}

static inline void ref_predict(double dt, double area, const double *restrict q,
                               double *restrict res, double *restrict rate,
                               double *restrict ahead) {
  const double factor = dt / area;
  for (int n = 0; n < 3; n++) {
    ahead[n] = q[n] + factor * res[n];
    res[n] = 0.0;
  }
  ahead[3] = q[3];
  ref_still_if_dry(ahead);
  *rate = 0.0;
}

static inline void ref_correct(double dt, double area, const double *restrict ahead,
                               double *restrict res, double *restrict rate, double *restrict q) {
  const double factor = dt / area;
  for (int n = 0; n < 3; n++) {
    q[n] = 0.5 * (q[n] + ahead[n] + factor * res[n]);
    res[n] = 0.0;
  }
  ref_still_if_dry(q);
  *rate = 0.0;
}

/* ---- driver ---- */

/** A program: its preparation, if it needs one, and one time step, whose length it returns. */
typedef struct reference {
  unsigned program; /**< PROGRAM_SEQ or PROGRAM_OMP */
  int (*prepare)(const options *o, const mesh *m, bench_error *error);
  double (*step)(const mesh *m, sea *s);
  void (*finish)(void);
} reference;

/** main() of a reference program. */
int reference_main(int argc, char **argv, const reference *r);

#endif
