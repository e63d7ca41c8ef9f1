/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EULER_KERNELS_H
#define EULER_KERNELS_H

#include <math.h>
#include <stdint.h>

#include "op2.h"

/** @file kernels.h
 * The kernels of the Euler scheme. Each becomes a C function, which the compiler checks, and a
 * text, which the library compiles. In the text the variables below are the op2 constants of the
 * same names.
 *
 * A state is rho, rho u, rho v, rho E and rho s, with s the mass fraction of dye. Fluxes are
 * Rusanov's: the mean of both sides, minus half of their difference times the fastest wave
 * speed. */

static double gam;         /**< ratio of specific heats */
static double gm1;         /**< gam - 1 */
static double cfl;         /**< Courant number */
static double far_flow[5]; /**< the state far away */

/* ---- kernels that run once, at the start ---- */

/* The far field's flow, without dye at first. */
OP2_KERNEL(start, (double *q), {
  for (int n = 0; n < 4; n++) q[n] = far_flow[n];
  q[4] = 0.0;
});

/* ---- kernels of every time step ---- */

OP2_KERNEL(save, (const double *q, double *old), {
  for (int n = 0; n < 5; n++) old[n] = q[n];
});

/* The least time step that is stable for all dual cells. */
OP2_KERNEL(time_step, (const double *area, const double *rim, const double *q, double *dt), {
  double r = 1.0 / q[0];
  double square = r * r * (q[1] * q[1] + q[2] * q[2]);
  double p = gm1 * (q[3] - 0.5 * q[0] * square);
  double speed = sqrt(square) + sqrt(gam * p * r);
  *dt = fmin(*dt, 2.0 * cfl * *area / (*rim * speed));
});

/* The flux through the face that the dual cells of an edge's two nodes share. */
OP2_KERNEL(flux,
           (const double *normal, const double *q1, const double *q2, double *res1, double *res2), {
             double r1 = 1.0 / q1[0];
             double r2 = 1.0 / q2[0];
             double p1 = gm1 * (q1[3] - 0.5 * r1 * (q1[1] * q1[1] + q1[2] * q1[2]));
             double p2 = gm1 * (q2[3] - 0.5 * r2 * (q2[1] * q2[1] + q2[2] * q2[2]));
             double v1 = r1 * (q1[1] * normal[0] + q1[2] * normal[1]);
             double v2 = r2 * (q2[1] * normal[0] + q2[2] * normal[1]);
             double s1 = fabs(v1) + normal[2] * sqrt(gam * p1 * r1);
             double s2 = fabs(v2) + normal[2] * sqrt(gam * p2 * r2);
             double s = fmax(s1, s2);

             double f[5];
             for (int n = 0; n < 5; n++)
               f[n] = 0.5 * (v1 * q1[n] + v2 * q2[n] - s * (q2[n] - q1[n]));
             f[1] += 0.5 * (p1 + p2) * normal[0];
             f[2] += 0.5 * (p1 + p2) * normal[1];
             f[3] += 0.5 * (v1 * p1 + v2 * p2);
             for (int n = 0; n < 5; n++) {
               res1[n] += f[n];
               res2[n] -= f[n];
             }
           });

/* The fluxes out of the dual cells of a boundary edge's two nodes, each through its half of the
 * edge: pressure alone on a wall (kind 0), otherwise as between the cell and the far field. */
OP2_KERNEL(boundary,
           (const double *normal, const int32_t *kind, const double *q1, const double *q2,
            double *res1, double *res2),
           {
             double nx = 0.5 * normal[0];
             double ny = 0.5 * normal[1];
             double size = 0.5 * normal[2];
             double r1 = 1.0 / q1[0];
             double r2 = 1.0 / q2[0];
             double p1 = gm1 * (q1[3] - 0.5 * r1 * (q1[1] * q1[1] + q1[2] * q1[2]));
             double p2 = gm1 * (q2[3] - 0.5 * r2 * (q2[1] * q2[1] + q2[2] * q2[2]));

             if (*kind == 0) {
               res1[1] += p1 * nx;
               res1[2] += p1 * ny;
               res2[1] += p2 * nx;
               res2[2] += p2 * ny;
             } else {
               double r = 1.0 / far_flow[0];
               double p = gm1 * (far_flow[3] -
                                 0.5 * r * (far_flow[1] * far_flow[1] + far_flow[2] * far_flow[2]));
               double v1 = r1 * (q1[1] * nx + q1[2] * ny);
               double v2 = r2 * (q2[1] * nx + q2[2] * ny);
               double v = r * (far_flow[1] * nx + far_flow[2] * ny);
               double s = fabs(v) + size * sqrt(gam * p * r);
               double s1 = fmax(s, fabs(v1) + size * sqrt(gam * p1 * r1));
               double s2 = fmax(s, fabs(v2) + size * sqrt(gam * p2 * r2));

               for (int n = 0; n < 5; n++) {
                 res1[n] += 0.5 * (v1 * q1[n] + v * far_flow[n] - s1 * (far_flow[n] - q1[n]));
                 res2[n] += 0.5 * (v2 * q2[n] + v * far_flow[n] - s2 * (far_flow[n] - q2[n]));
               }
               res1[1] += 0.5 * (p1 + p) * nx;
               res2[1] += 0.5 * (p2 + p) * nx;
               res1[2] += 0.5 * (p1 + p) * ny;
               res2[2] += 0.5 * (p2 + p) * ny;
               res1[3] += 0.5 * (v1 * p1 + v * p);
               res2[3] += 0.5 * (v2 * p2 + v * p);
             }
           });

/* A stage: a part of the time step from the state at its beginning. The residual is cleared for the
 * next one. */
OP2_KERNEL(stage,
           (double part, const double *dt, const double *area, const double *old, double *res,
            double *q),
           {
             double factor = part * *dt / *area;
             for (int n = 0; n < 5; n++) {
               q[n] = old[n] - factor * res[n];
               res[n] = 0.0;
             }
           });

/* The last stage, which takes the whole time step and adds up the squares of the density's rate of
 * change. */
OP2_KERNEL(last_stage,
           (const double *dt, const double *area, const double *old, double *res, double *q,
            double *sum),
           {
             double change = res[0] / *area;
             double factor = *dt / *area;
             *sum += change * change;
             for (int n = 0; n < 5; n++) {
               q[n] = old[n] - factor * res[n];
               res[n] = 0.0;
             }
           });

/* ---- kernels of the survey ---- */

OP2_KERNEL(survey, (const double *area, const double *q, double *mass), {
  mass[0] += *area * q[0];
  mass[1] += *area * q[4];
});

#endif
