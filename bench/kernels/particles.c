/* SPDX-License-Identifier: BSD-3-Clause */
/* Particles in cells: the field at eight nodes moves them, and they leave their charge there. */
#include <math.h>

#include "columns.h"
#include "kernels.h"

OP2_KERNEL(particles,
           (double *x, double *v, const double *charge, const double *field[8], double *rho[8]), {
             double w[8];
             for (int k = 0; k < 8; k++)
               w[k] = ((k & 1) ? x[0] : 1.0 - x[0]) * ((k & 2) ? x[1] : 1.0 - x[1]) *
                      ((k & 4) ? x[2] : 1.0 - x[2]);
             for (int d = 0; d < 3; d++) {
               double e = 0;
               for (int k = 0; k < 8; k++) e += w[k] * field[k][d];
               v[d] += 1e-6 * *charge * e;
               x[d] += 0.01 * v[d];
               if (x[d] < 0.0) {
                 x[d] = -x[d];
                 v[d] = -v[d];
               }
               if (x[d] > 1.0) {
                 x[d] = 2.0 - x[d];
                 v[d] = -v[d];
               }
             }
             for (int k = 0; k < 8; k++)
               rho[k][0] += *charge * ((k & 1) ? x[0] : 1.0 - x[0]) *
                            ((k & 2) ? x[1] : 1.0 - x[1]) * ((k & 4) ? x[2] : 1.0 - x[2]);
           });

static double inside(const problem *p, int64_t i, int k) { return problem_mixed(p, i, k) - 0.5; }

/* Twice as many particles carry each sign as none. */
static double charge(const problem *p, int64_t i, int k) {
  return floor(3 * problem_mixed(p, i, k)) - 2.5;
}

/* Eight particles are in each cell, in the order of the cells. */
static void make(problem *p, int64_t n) {
  problem cells = {0};
  mesh_hexes(&cells, n / 8 > 0 ? n / 8 : 1);
  problem_set(p, 8 * cells.size[0]);
  problem_set(p, cells.size[1]);
  int32_t *rows = problem_map_rows(p, 0, 1, 8);
  for (int64_t i = 0; rows && !cells.failed && i < p->size[0]; i++)
    for (int k = 0; k < 8; k++) rows[8 * i + k] = cells.map[0].rows[i / 8 * 8 + k];
  p->failed = p->failed || cells.failed;
  problem_free(&cells);
  problem_dat_add(p, 0, 3, OP2_F64, CHANGED, inside);
  problem_dat_add(p, 0, 3, OP2_F64, CHANGED, problem_unit);
  problem_dat_add(p, 0, 1, OP2_F64, READ, charge);
  problem_dat_add(p, 1, 3, OP2_F64, READ, problem_unit);
  problem_dat_add(p, 1, 1, OP2_F64, CHANGED, problem_zero);
}

static op2_status queue(ours *o) {
  return op2_par_loop(o->kernel[0], o->set[0], op2_arg_direct(o->dat[0], OP2_RW),
                      op2_arg_direct(o->dat[1], OP2_RW), op2_arg_direct(o->dat[2], OP2_READ),
                      op2_arg_dat(o->dat[3], OP2_ALL, o->map[0], OP2_READ),
                      op2_arg_dat(o->dat[4], OP2_ALL, o->map[0], OP2_INC));
}

WHOLE static void particles_scalar(const arrays *a, int64_t first, int64_t last) {
  FIELD(double, x, 0);
  FIELD(double, v, 1);
  FIELD(const double, q, 2);
  FIELD(const double, field, 3);
  FIELD(double, rho, 4);
  ROWS(nodes, 0);
  for (int64_t i = first; i < last; i++) {
    const double *around[8];
    double left[8] = {0}, *to[8];
    for (int k = 0; k < 8; k++) around[k] = field + 3 * (int64_t)nodes[8 * i + k], to[k] = left + k;
    particles(x + 3 * i, v + 3 * i, q + i, around, to);
    for (int k = 0; k < 8; k++) rho[nodes[8 * i + k]] += left[k];
  }
}

/* The share of each node in a particle. */
static inline void shares(double x, double y, double z, double w[8]) {
  for (int k = 0; k < 8; k++)
    w[k] = ((k & 1) ? x : 1.0 - x) * ((k & 2) ? y : 1.0 - y) * ((k & 4) ? z : 1.0 - z);
}

/* Move in one direction, whose column of the field is the first one; returns the new place. */
static inline double push(const column *field, const double w[8], double charge, int e, double x,
                          double *v) {
  double force = 0;
  for (int k = 0; k < 8; k++) force += w[k] * field[3 * k][e];
  const double speed = *v + 1e-6 * charge * force, there = x + 0.01 * speed;
  const int below = there<0.0, above = there> 1.0;
  *v = below | above ? -speed : speed;
  return below ? -there : above ? 2.0 - there : there;
}

static inline void move(column *x, column *v, const double *q, const column *field, int e,
                        column *left) {
  double w[8];
  shares(x[0][e], x[1][e], x[2][e], w);
  const double x0 = push(field, w, q[e], e, x[0][e], &v[0][e]);
  const double x1 = push(field + 1, w, q[e], e, x[1][e], &v[1][e]);
  const double x2 = push(field + 2, w, q[e], e, x[2][e], &v[2][e]);
  x[0][e] = x0, x[1][e] = x1, x[2][e] = x2;
  shares(x0, x1, x2, w);
  for (int k = 0; k < 8; k++) left[k][e] = q[e] * w[k];
}

WHOLE static void particles_simd(const arrays *a, int64_t first, int64_t last) {
  FIELD(double, x, 0);
  FIELD(double, v, 1);
  FIELD(const double, q, 2);
  FIELD(const double, field, 3);
  FIELD(double, rho, 4);
  ROWS(nodes, 0);
  column here[3], speed[3], force[24], left[8];
  int64_t b = first;
  for (; b + BLOCK <= last; b += BLOCK) {
    columns_load(x + 3 * b, 3, here);
    columns_load(v + 3 * b, 3, speed);
    columns_gather(field, 3, nodes + 8 * b, 8, force);
#pragma omp simd
    for (int e = 0; e < BLOCK; e++) move(here, speed, q + b, force, e, left);
    columns_store(x + 3 * b, 3, here);
    columns_store(v + 3 * b, 3, speed);
    columns_add(rho, 1, nodes + 8 * b, 8, left);
  }
  particles_scalar(a, b, last);
}

const yardstick yardstick_particles = {
    .name = "particles",
    .what = "particles in cells, with ifs",
    .make = make,
    .kernel = {&particles_kernel},
    .queue = queue,
    .flops = 150,
    .twins = {{"scalar", 1, {{particles_scalar, 0, 1}}}, {"simd", 1, {{particles_simd, 0, 1}}}},
};
