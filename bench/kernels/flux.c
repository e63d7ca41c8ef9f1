/* SPDX-License-Identifier: BSD-3-Clause */
/* Fluxes of Euler's equations across the edges of tetrahedra, in three dimensions: five values in
 * each state. */
#include <math.h>

#include "edges.h"

/* ---- Rusanov's flux -------------------------------------------------------------------------- */

OP2_KERNEL(euler,
           (const double *normal, const double *q1, const double *q2, double *res1, double *res2), {
             double nx = normal[0];
             double ny = normal[1];
             double nz = normal[2];
             double size = sqrt(nx * nx + ny * ny + nz * nz);
             double r1 = 1.0 / q1[0];
             double r2 = 1.0 / q2[0];
             double m1 = q1[1] * q1[1] + q1[2] * q1[2] + q1[3] * q1[3];
             double m2 = q2[1] * q2[1] + q2[2] * q2[2] + q2[3] * q2[3];
             double p1 = 0.4 * (q1[4] - 0.5 * r1 * m1);
             double p2 = 0.4 * (q2[4] - 0.5 * r2 * m2);
             double v1 = r1 * (q1[1] * nx + q1[2] * ny + q1[3] * nz);
             double v2 = r2 * (q2[1] * nx + q2[2] * ny + q2[3] * nz);
             double s1 = fabs(v1) + size * sqrt(1.4 * p1 * r1);
             double s2 = fabs(v2) + size * sqrt(1.4 * p2 * r2);
             double s = s1 > s2 ? s1 : s2;
             double f[5];
             for (int k = 0; k < 5; k++)
               f[k] = 0.5 * (v1 * q1[k] + v2 * q2[k] - s * (q2[k] - q1[k]));
             f[1] += 0.5 * (p1 + p2) * nx;
             f[2] += 0.5 * (p1 + p2) * ny;
             f[3] += 0.5 * (p1 + p2) * nz;
             f[4] += 0.5 * (v1 * p1 + v2 * p2);
             for (int k = 0; k < 5; k++) {
               res1[k] -= f[k];
               res2[k] += f[k];
             }
           });
EDGE_TWINS(euler, double, 3, 5, 5)

OP2_KERNEL(euler32,
           (const float *normal, const float *q1, const float *q2, float *res1, float *res2), {
             float nx = normal[0];
             float ny = normal[1];
             float nz = normal[2];
             float size = sqrtf(nx * nx + ny * ny + nz * nz);
             float r1 = 1.0f / q1[0];
             float r2 = 1.0f / q2[0];
             float m1 = q1[1] * q1[1] + q1[2] * q1[2] + q1[3] * q1[3];
             float m2 = q2[1] * q2[1] + q2[2] * q2[2] + q2[3] * q2[3];
             float p1 = 0.4f * (q1[4] - 0.5f * r1 * m1);
             float p2 = 0.4f * (q2[4] - 0.5f * r2 * m2);
             float v1 = r1 * (q1[1] * nx + q1[2] * ny + q1[3] * nz);
             float v2 = r2 * (q2[1] * nx + q2[2] * ny + q2[3] * nz);
             float s1 = fabsf(v1) + size * sqrtf(1.4f * p1 * r1);
             float s2 = fabsf(v2) + size * sqrtf(1.4f * p2 * r2);
             float s = s1 > s2 ? s1 : s2;
             float f[5];
             for (int k = 0; k < 5; k++)
               f[k] = 0.5f * (v1 * q1[k] + v2 * q2[k] - s * (q2[k] - q1[k]));
             f[1] += 0.5f * (p1 + p2) * nx;
             f[2] += 0.5f * (p1 + p2) * ny;
             f[3] += 0.5f * (p1 + p2) * nz;
             f[4] += 0.5f * (v1 * p1 + v2 * p2);
             for (int k = 0; k < 5; k++) {
               res1[k] -= f[k];
               res2[k] += f[k];
             }
           });
EDGE_TWINS(euler32, float, 3, 5, 5)

static double normal(const problem *p, int64_t i, int k) { return problem_mixed(p, i, k) - 0.9; }

/* The energy is large enough for a positive pressure. */
static double state(const problem *p, int64_t i, int k) {
  return k == 4 ? 5 + problem_mixed(p, i, k) : problem_mixed(p, i, k) - (k ? 0.8 : 0);
}

static void make_euler(problem *p, int64_t n) {
  mesh_edges(p, n);
  problem_dat_add(p, 0, 3, OP2_F64, READ, normal);
  problem_dat_add(p, 1, 5, OP2_F64, READ, state);
  problem_dat_add(p, 1, 5, OP2_F64, CHANGED, problem_zero);
}

static void make_euler32(problem *p, int64_t n) {
  mesh_edges(p, n);
  problem_dat_add(p, 0, 3, OP2_F32, READ, normal);
  problem_dat_add(p, 1, 5, OP2_F32, READ, state);
  problem_dat_add(p, 1, 5, OP2_F32, CHANGED, problem_zero);
}

const yardstick yardstick_euler = {
    .name = "euler",
    .what = "Euler's equations on tetrahedra, Rusanov's flux",
    .make = make_euler,
    .kernel = {&euler_kernel},
    .queue = edges_queue,
    .flops = 98,
    .twins = EDGE_ROWS(euler),
};

const yardstick yardstick_euler32 = {
    .name = "euler32",
    .what = "the same in single precision",
    .make = make_euler32,
    .kernel = {&euler32_kernel},
    .queue = edges_queue,
    .flops = 98,
    .tolerance = 1e-5,
    .twins = EDGE_ROWS(euler32),
};

/* ---- central flux with artificial viscosity, written with loops ------------------------------ */

OP2_KERNEL(flux5,
           (const double *weight, const double *qa, const double *qb, double *fa, double *fb), {
             double length =
                 sqrt(weight[0] * weight[0] + weight[1] * weight[1] + weight[2] * weight[2]);
             double va[3];
             double vb[3];
             double squarea = 0;
             double squareb = 0;
             for (int k = 0; k < 3; k++) {
               va[k] = qa[k + 1] / qa[0];
               vb[k] = qb[k + 1] / qb[0];
               squarea += va[k] * va[k];
               squareb += vb[k] * vb[k];
             }
             double pa = 0.4 * (qa[4] - 0.5 * qa[0] * squarea);
             double pb = 0.4 * (qb[4] - 0.5 * qb[0] * squareb);
             double ca = sqrt(1.4 * pa / qa[0]);
             double cb = sqrt(1.4 * pb / qb[0]);
             double factor = -0.5 * length * 0.2 * (sqrt(squarea) + sqrt(squareb) + ca + cb);
             double out[5];
             for (int k = 0; k < 5; k++) out[k] = factor * (qa[k] - qb[k]);
             for (int d = 0; d < 3; d++) {
               double w = -0.5 * weight[d];
               out[0] += w * (qa[d + 1] + qb[d + 1]);
               for (int k = 0; k < 3; k++)
                 out[k + 1] += w * (qa[k + 1] * va[d] + qb[k + 1] * vb[d]);
               out[d + 1] += w * (pa + pb);
               out[4] += w * (va[d] * (qa[4] + pa) + vb[d] * (qb[4] + pb));
             }
             for (int k = 0; k < 5; k++) {
               fa[k] += out[k];
               fb[k] -= out[k];
             }
           });
EDGE_TWINS(flux5, double, 3, 5, 5)

const yardstick yardstick_flux5 = {
    .name = "flux5",
    .what = "a central flux of vectors of 5, with viscosity",
    .make = make_euler,
    .kernel = {&flux5_kernel},
    .queue = edges_queue,
    .flops = 140,
    .twins = EDGE_ROWS(flux5),
};

/* ---- values held in single precision, computed in double ------------------------------------- */

OP2_KERNEL(mixed, (const float *normal, const float *q1, const float *q2, float *res1, float *res2),
           {
             double nx = normal[0];
             double ny = normal[1];
             double nz = normal[2];
             double r1 = 1.0 / q1[0];
             double r2 = 1.0 / q2[0];
             double v1 = r1 * (q1[1] * nx + q1[2] * ny + q1[3] * nz);
             double v2 = r2 * (q2[1] * nx + q2[2] * ny + q2[3] * nz);
             double s = fabs(v1) > fabs(v2) ? fabs(v1) : fabs(v2);
             for (int k = 0; k < 5; k++) {
               double a = q1[k];
               double b = q2[k];
               float f = (float)(0.5 * (v1 * a + v2 * b - s * (b - a)));
               res1[k] -= f;
               res2[k] += f;
             }
           });
EDGE_TWINS(mixed, float, 3, 5, 5)

const yardstick yardstick_mixed = {
    .name = "mixed",
    .what = "a flux held in single and computed in double precision",
    .make = make_euler32,
    .kernel = {&mixed_kernel},
    .queue = edges_queue,
    .flops = 60,
    .tolerance = 1e-5,
    .twins = EDGE_ROWS(mixed),
};
