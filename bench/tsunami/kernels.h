/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TSUNAMI_KERNELS_H
#define TSUNAMI_KERNELS_H

#include <math.h>

#include "op2.h"

/** @file kernels.h
 * The kernels of the shallow-water scheme. Each becomes a C function, which the compiler checks,
 * and a text, which the library compiles. In the text the variables below are the op2 constants of
 * the same names.
 *
 * The state q of a cell is the depth h of its water, the discharges hu and hv, and the level z of
 * its ground. Fluxes are those of Harten, Lax and van Leer, with Einfeldt's wave speeds where both
 * sides are wet and the front's where one is dry, between depths reconstructed so that water at
 * rest stays at rest over any ground (Audusse and others, 2004). Time steps are Heun's. */

static double grav;   /**< acceleration of gravity */
static double dry;    /**< depth up to which a cell counts as dry */
static double cfl;    /**< Courant number */
static double hump;   /**< height of the wave at the start */
static double extent; /**< side of the square sea */

/* ---- kernels that run once, at the start ---- */

/* Unit normal and length of an edge. */
OP2_KERNEL(side_geometry, (const double *x1, const double *x2, double *normal), {
  double dx = x2[0] - x1[0];
  double dy = x2[1] - x1[1];
  double length = sqrt(dx * dx + dy * dy);
  normal[0] = dy / length;
  normal[1] = -dx / length;
  normal[2] = length;
});

/* Area of a cell and its state: a deep sea, an island in it, a shelf that ends in a beach, and a
 * hump of water in the deep part. */
OP2_KERNEL(start, (const double **x, double *area, double *q), {
  double sx = (x[0][0] + x[1][0] + x[2][0]) / (3.0 * extent);
  double sy = (x[0][1] + x[1][1] + x[2][1]) / (3.0 * extent);
  *area =
      0.5 * ((x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) - (x[2][0] - x[0][0]) * (x[1][1] - x[0][1]));

  double z = -1000.0 + 475.0 * (1.0 + tanh((sx - 0.6) / 0.08));
  if (sx > 0.85) z += 1000.0 * (sx - 0.85);
  double ax = (sx - 0.45) / 0.1;
  double ay = (sy - 0.6) / 0.1;
  z += 1300.0 * exp(-0.5 * (ax * ax + ay * ay));

  double bx = (sx - 0.25) / 0.06;
  double by = (sy - 0.4) / 0.06;
  double surface = hump * exp(-0.5 * (bx * bx + by * by));
  q[0] = z < 0.0 ? surface - z : 0.0;
  q[1] = 0.0;
  q[2] = 0.0;
  q[3] = z;
});

/* ---- kernels of every time step ---- */

/* Compute the flux across an edge from cell 1 to cell 2, and for both cells the wave speed there
 * times the edge's length. The pressure that the edge would carry with its own cell's depth is
 * omitted from either cell's balance, because its sum round a cell is zero. */
OP2_KERNEL(flux,
           (const double *normal, const double *q1, const double *q2, double *res1, double *res2,
            double *rate1, double *rate2),
           {
             double ground = fmax(q1[3], q2[3]);
             double h1 = q1[0] + q1[3] - ground;
             double h2 = q2[0] + q2[3] - ground;
             if (h1 <= dry) h1 = 0.0;
             if (h2 <= dry) h2 = 0.0;

             if (h1 > 0.0 || h2 > 0.0) {
               double u1 = 0.0;
               double v1 = 0.0;
               double u2 = 0.0;
               double v2 = 0.0;
               if (h1 > 0.0) {
                 double per_depth = 1.0 / q1[0];
                 u1 = per_depth * (q1[1] * normal[0] + q1[2] * normal[1]);
                 v1 = per_depth * (q1[2] * normal[0] - q1[1] * normal[1]);
               }
               if (h2 > 0.0) {
                 double per_depth = 1.0 / q2[0];
                 u2 = per_depth * (q2[1] * normal[0] + q2[2] * normal[1]);
                 v2 = per_depth * (q2[2] * normal[0] - q2[1] * normal[1]);
               }
               double c1 = sqrt(grav * h1);
               double c2 = sqrt(grav * h2);

               double s1;
               double s2;
               if (h1 == 0.0) {
                 s1 = u2 - 2.0 * c2;
                 s2 = u2 + c2;
               } else if (h2 == 0.0) {
                 s1 = u1 - c1;
                 s2 = u1 + 2.0 * c1;
               } else {
                 double um = 0.5 * (u1 + u2) + c1 - c2;
                 double cm = 0.5 * (c1 + c2) + 0.25 * (u1 - u2);
                 s1 = fmin(u1 - c1, um - cm);
                 s2 = fmax(u2 + c2, um + cm);
               }

               double p1 = 0.5 * grav * h1 * h1;
               double p2 = 0.5 * grav * h2 * h2;
               double mass;
               double push;
               if (s1 >= 0.0) {
                 mass = h1 * u1;
                 push = mass * u1 + p1;
               } else if (s2 <= 0.0) {
                 mass = h2 * u2;
                 push = mass * u2 + p2;
               } else {
                 double d1 = h1 * u1;
                 double d2 = h2 * u2;
                 double per_fan = 1.0 / (s2 - s1);
                 mass = per_fan * (s2 * d1 - s1 * d2 + s1 * s2 * (h2 - h1));
                 push = per_fan * (s2 * (d1 * u1 + p1) - s1 * (d2 * u2 + p2) + s1 * s2 * (d2 - d1));
               }
               double drag = mass > 0.0 ? mass * v1 : mass * v2;

               double length = normal[2];
               res1[0] -= length * mass;
               res1[1] -= length * ((push - p1) * normal[0] - drag * normal[1]);
               res1[2] -= length * ((push - p1) * normal[1] + drag * normal[0]);
               res2[0] += length * mass;
               res2[1] += length * ((push - p2) * normal[0] - drag * normal[1]);
               res2[2] += length * ((push - p2) * normal[1] + drag * normal[0]);

               double speed = length * fmax(fabs(s1), fabs(s2));
               *rate1 += speed;
               *rate2 += speed;
             }
           });

/* A reflecting wall: the flux against the cell's own mirror image. */
OP2_KERNEL(wall, (const double *normal, const double *q, double *res, double *rate), {
  if (q[0] > dry) {
    double u = (q[1] * normal[0] + q[2] * normal[1]) / q[0];
    double speed = fabs(u) + sqrt(grav * q[0]);
    double push = q[0] * u * (u + speed);
    res[1] -= normal[2] * push * normal[0];
    res[2] -= normal[2] * push * normal[1];
    *rate += normal[2] * speed;
  }
});

/* The least time step that is stable for all cells. */
OP2_KERNEL(time_step, (const double *area, const double *rate, double *dt), {
  if (*rate > 0.0) *dt = fmin(*dt, cfl * *area / *rate);
});

/* The first stage: a whole Euler step. */
OP2_KERNEL(predict,
           (const double *dt, const double *area, const double *q, double *res, double *rate,
            double *ahead),
           {
             double factor = *dt / *area;
             for (int n = 0; n < 3; n++) {
               ahead[n] = q[n] + factor * res[n];
               res[n] = 0.0;
             }
             if (ahead[0] <= dry) {
               ahead[1] = 0.0;
               ahead[2] = 0.0;
             }
             ahead[3] = q[3];
             *rate = 0.0;
           });

/* The second stage: half way from the old state to an Euler step from the predicted one. */
OP2_KERNEL(correct,
           (const double *dt, const double *area, const double *ahead, double *res, double *rate,
            double *q),
           {
             double factor = *dt / *area;
             for (int n = 0; n < 3; n++) {
               q[n] = 0.5 * (q[n] + ahead[n] + factor * res[n]);
               res[n] = 0.0;
             }
             if (q[0] <= dry) {
               q[1] = 0.0;
               q[2] = 0.0;
             }
             *rate = 0.0;
           });

/* ---- kernels of the survey ---- */

OP2_KERNEL(survey,
           (const double *area, const double *q, double *sums, double *depth, double *speed), {
             sums[0] += *area * q[0];
             *depth = fmin(*depth, q[0]);
             if (q[0] > dry) {
               double square = (q[1] * q[1] + q[2] * q[2]) / (q[0] * q[0]);
               double surface = q[0] + q[3];
               sums[1] += 0.5 * *area * (q[0] * square + grav * surface * surface);
               *speed = fmax(*speed, sqrt(square));
             }
           });

#endif
