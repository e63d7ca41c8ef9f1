/* SPDX-License-Identifier: BSD-3-Clause */
/* Forces of linear elasticity on tetrahedra without stored matrices. */
#include "columns.h"
#include "kernels.h"

/* ---- gradients of the functions on the fly --------------------------------------------------- */

OP2_KERNEL(elastic, (const double *x[4], const double *u[4], double *f[4]), {
  double a[3];
  double b[3];
  double c[3];
  for (int k = 0; k < 3; k++) {
    a[k] = x[1][k] - x[0][k];
    b[k] = x[2][k] - x[0][k];
    c[k] = x[3][k] - x[0][k];
  }
  double g[4][3];
  g[1][0] = b[1] * c[2] - b[2] * c[1];
  g[1][1] = b[2] * c[0] - b[0] * c[2];
  g[1][2] = b[0] * c[1] - b[1] * c[0];
  g[2][0] = c[1] * a[2] - c[2] * a[1];
  g[2][1] = c[2] * a[0] - c[0] * a[2];
  g[2][2] = c[0] * a[1] - c[1] * a[0];
  g[3][0] = a[1] * b[2] - a[2] * b[1];
  g[3][1] = a[2] * b[0] - a[0] * b[2];
  g[3][2] = a[0] * b[1] - a[1] * b[0];
  double det = a[0] * g[1][0] + a[1] * g[1][1] + a[2] * g[1][2];
  double scale = 1.0 / det;
  for (int k = 0; k < 3; k++) {
    for (int i = 1; i < 4; i++) g[i][k] *= scale;
    g[0][k] = -(g[1][k] + g[2][k] + g[3][k]);
  }
  double h[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      h[i][j] = u[0][i] * g[0][j] + u[1][i] * g[1][j] + u[2][i] * g[2][j] + u[3][i] * g[3][j];
  double trace = 2.0 * (h[0][0] + h[1][1] + h[2][2]);
  double volume = det / 6.0;
  for (int n = 0; n < 4; n++)
    for (int i = 0; i < 3; i++) {
      double sum = trace * g[n][i];
      for (int j = 0; j < 3; j++) sum += (h[i][j] + h[j][i]) * g[n][j];
      f[n][i] += volume * sum;
    }
});

static void make_elastic(problem *p, int64_t n) {
  mesh_tets(p, n);
  problem_dat_add(p, 1, 3, OP2_F64, READ, mesh_point);
  problem_dat_add(p, 1, 3, OP2_F64, READ, problem_mixed);
  problem_dat_add(p, 1, 3, OP2_F64, CHANGED, problem_zero);
}

static op2_status queue_elastic(ours *o) {
  return op2_par_loop(o->kernel[0], o->set[0], op2_arg_dat(o->dat[0], OP2_ALL, o->map[0], OP2_READ),
                      op2_arg_dat(o->dat[1], OP2_ALL, o->map[0], OP2_READ),
                      op2_arg_dat(o->dat[2], OP2_ALL, o->map[0], OP2_INC));
}

/* ---- gradients that are stored, with the volume ---------------------------------------------- */

OP2_KERNEL(stored, (const double *g, const double *u[4], double *f[4]), {
  double h[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      h[i][j] = u[0][i] * g[j] + u[1][i] * g[3 + j] + u[2][i] * g[6 + j] + u[3][i] * g[9 + j];
  double trace = 2.0 * (h[0][0] + h[1][1] + h[2][2]);
  for (int n = 0; n < 4; n++)
    for (int i = 0; i < 3; i++) {
      double sum = trace * g[3 * n + i];
      for (int j = 0; j < 3; j++) sum += (h[i][j] + h[j][i]) * g[3 * n + j];
      f[n][i] += g[12] * sum;
    }
});

static void make_stored(problem *p, int64_t n) {
  mesh_tets(p, n);
  problem_dat_add(p, 0, 13, OP2_F64, READ, problem_mixed);
  problem_dat_add(p, 1, 3, OP2_F64, READ, problem_mixed);
  problem_dat_add(p, 1, 3, OP2_F64, CHANGED, problem_zero);
}

static op2_status queue_stored(ours *o) {
  return op2_par_loop(o->kernel[0], o->set[0], op2_arg_direct(o->dat[0], OP2_READ),
                      op2_arg_dat(o->dat[1], OP2_ALL, o->map[0], OP2_READ),
                      op2_arg_dat(o->dat[2], OP2_ALL, o->map[0], OP2_INC));
}

/* ---- twins ----------------------------------------------------------------------------------- */

static inline void add_forces(const double force[4][3], const int32_t *row, double *f) {
  for (int n = 0; n < 4; n++)
    for (int k = 0; k < 3; k++) f[3 * (int64_t)row[n] + k] += force[n][k];
}

WHOLE static void elastic_scalar(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, x, 0);
  FIELD(const double, u, 1);
  FIELD(double, f, 2);
  ROWS(nodes, 0);
  for (int64_t e = first; e < last; e++) {
    const int32_t *row = nodes + 4 * e;
    const double *at[4], *moved[4];
    double force[4][3] = {{0}}, *to[4];
    for (int n = 0; n < 4; n++) {
      at[n] = x + 3 * (int64_t)row[n];
      moved[n] = u + 3 * (int64_t)row[n];
      to[n] = force[n];
    }
    elastic(at, moved, to);
    add_forces(force, row, f);
  }
}

WHOLE static void stored_scalar(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, g, 0);
  FIELD(const double, u, 1);
  FIELD(double, f, 2);
  ROWS(nodes, 0);
  for (int64_t e = first; e < last; e++) {
    const int32_t *row = nodes + 4 * e;
    const double *moved[4];
    double force[4][3] = {{0}}, *to[4];
    for (int n = 0; n < 4; n++) moved[n] = u + 3 * (int64_t)row[n], to[n] = force[n];
    stored(g + 13 * e, moved, to);
    add_forces(force, row, f);
  }
}

static inline void elastic_column(const column *at, const column *moved, int e, column *force) {
  double p[4][3], q[4][3], r[4][3] = {{0}};
  for (int k = 0; k < 12; k++) p[k / 3][k % 3] = at[k][e], q[k / 3][k % 3] = moved[k][e];
  elastic((const double *[]){p[0], p[1], p[2], p[3]}, (const double *[]){q[0], q[1], q[2], q[3]},
          (double *[]){r[0], r[1], r[2], r[3]});
  for (int k = 0; k < 12; k++) force[k][e] = r[k / 3][k % 3];
}

WHOLE static void elastic_simd(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, x, 0);
  FIELD(const double, u, 1);
  FIELD(double, f, 2);
  ROWS(nodes, 0);
  column at[12], moved[12], force[12];
  int64_t b = first;
  for (; b + BLOCK <= last; b += BLOCK) {
    columns_gather(x, 3, nodes + 4 * b, 4, at);
    columns_gather(u, 3, nodes + 4 * b, 4, moved);
#pragma omp simd
    for (int e = 0; e < BLOCK; e++) elastic_column(at, moved, e, force);
    columns_add(f, 3, nodes + 4 * b, 4, force);
  }
  elastic_scalar(a, b, last);
}

static inline void stored_column(const column *gradient, const column *moved, int e,
                                 column *force) {
  double g[13], q[4][3], r[4][3] = {{0}};
  for (int k = 0; k < 13; k++) g[k] = gradient[k][e];
  for (int k = 0; k < 12; k++) q[k / 3][k % 3] = moved[k][e];
  stored(g, (const double *[]){q[0], q[1], q[2], q[3]}, (double *[]){r[0], r[1], r[2], r[3]});
  for (int k = 0; k < 12; k++) force[k][e] = r[k / 3][k % 3];
}

WHOLE static void stored_simd(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, g, 0);
  FIELD(const double, u, 1);
  FIELD(double, f, 2);
  ROWS(nodes, 0);
  column gradient[13], moved[12], force[12];
  int64_t b = first;
  for (; b + BLOCK <= last; b += BLOCK) {
    columns_load(g + 13 * b, 13, gradient);
    columns_gather(u, 3, nodes + 4 * b, 4, moved);
#pragma omp simd
    for (int e = 0; e < BLOCK; e++) stored_column(gradient, moved, e, force);
    columns_add(f, 3, nodes + 4 * b, 4, force);
  }
  stored_scalar(a, b, last);
}

const yardstick yardstick_elastic = {
    .name = "elastic",
    .what = "elasticity on tetrahedra, geometry on the fly",
    .make = make_elastic,
    .kernel = {&elastic_kernel},
    .queue = queue_elastic,
    .flops = 230,
    .twins = {{"scalar", 1, {{elastic_scalar, 0, 1}}}, {"simd", 1, {{elastic_simd, 0, 1}}}},
};

const yardstick yardstick_elastic_stored = {
    .name = "elastic_stored",
    .what = "elasticity on tetrahedra, gradients stored",
    .make = make_stored,
    .kernel = {&stored_kernel},
    .queue = queue_stored,
    .flops = 180,
    .limit = 3000000,
    .twins = {{"scalar", 1, {{stored_scalar, 0, 1}}}, {"simd", 1, {{stored_simd, 0, 1}}}},
};
