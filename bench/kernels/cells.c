/* SPDX-License-Identifier: BSD-3-Clause */
/* Work within cells: a small system of equations, a limiter that returns early, and a lattice. */
#include <math.h>

#include "columns.h"
#include "kernels.h"

/* ---- LU of 5x5 ------------------------------------------------------------------------------- */

OP2_KERNEL(lu5, (const double *matrix, const double *b, double *x), {
  double a[25];
  for (int k = 0; k < 25; k++) a[k] = matrix[k];
  for (int k = 0; k < 5; k++) x[k] = b[k];
  for (int k = 0; k < 5; k++) {
    double pivot = 1.0 / a[6 * k];
    for (int i = k + 1; i < 5; i++) {
      double factor = a[5 * i + k] * pivot;
      for (int j = k + 1; j < 5; j++) a[5 * i + j] -= factor * a[5 * k + j];
      x[i] -= factor * x[k];
    }
  }
  for (int k = 4; k >= 0; k--) {
    double sum = x[k];
    for (int j = k + 1; j < 5; j++) sum -= a[5 * k + j] * x[j];
    x[k] = sum / a[6 * k];
  }
});

/* The diagonal dominates, so no rows need be exchanged. */
static double dominant(const problem *p, int64_t i, int k) {
  return problem_mixed(p, i, k) + (k % 6 ? -1 : 6);
}

static void make_lu5(problem *p, int64_t n) {
  mesh_direct(p, n);
  problem_dat_add(p, 0, 25, OP2_F64, READ, dominant);
  problem_dat_add(p, 0, 5, OP2_F64, READ, problem_mixed);
  problem_dat_add(p, 0, 5, OP2_F64, WRITTEN, problem_zero);
}

static op2_status queue_lu5(ours *o) {
  return op2_par_loop(o->kernel[0], o->set[0], op2_arg_direct(o->dat[0], OP2_READ),
                      op2_arg_direct(o->dat[1], OP2_READ), op2_arg_direct(o->dat[2], OP2_WRITE));
}

WHOLE static void lu5_scalar(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, matrix, 0);
  FIELD(const double, b, 1);
  FIELD(double, x, 2);
  for (int64_t i = first; i < last; i++) lu5(matrix + 25 * i, b + 5 * i, x + 5 * i);
}

/* Subtract a multiple of one column from another, for each element another one. */
static inline void subtract(const column factor, const column from, column to) {
#pragma omp simd
  for (int e = 0; e < BLOCK; e++) to[e] -= factor[e] * from[e];
}

static inline void eliminate(column *a, column *x) {
  column factor;
  for (int k = 0; k < 5; k++)
    for (int i = k + 1; i < 5; i++) {
#pragma omp simd
      for (int e = 0; e < BLOCK; e++) factor[e] = a[5 * i + k][e] / a[6 * k][e];
      for (int j = k + 1; j < 5; j++) subtract(factor, a[5 * k + j], a[5 * i + j]);
      subtract(factor, x[k], x[i]);
    }
}

static inline void substitute(column *a, column *x) {
  for (int k = 4; k >= 0; k--) {
    for (int j = k + 1; j < 5; j++) subtract(a[5 * k + j], x[j], x[k]);
#pragma omp simd
    for (int e = 0; e < BLOCK; e++) x[k][e] /= a[6 * k][e];
  }
}

WHOLE static void lu5_simd(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, matrix, 0);
  FIELD(const double, b, 1);
  FIELD(double, x, 2);
  column m[25], y[5];
  int64_t i = first;
  for (; i + BLOCK <= last; i += BLOCK) {
    columns_load(matrix + 25 * i, 25, m);
    columns_load(b + 5 * i, 5, y);
    eliminate(m, y);
    substitute(m, y);
    columns_store(x + 5 * i, 5, y);
  }
  lu5_scalar(a, i, last);
}

const yardstick yardstick_lu5 = {
    .name = "lu5",
    .what = "systems of 5 equations, by LU",
    .make = make_lu5,
    .kernel = {&lu5_kernel},
    .queue = queue_lu5,
    .flops = 140,
    .limit = 2000000,
    .twins = {{"scalar", 1, {{lu5_scalar, 0, 0}}}, {"simd", 1, {{lu5_simd, 0, 0}}}},
};

/* ---- a limiter ------------------------------------------------------------------------------- */

OP2_KERNEL(limiter, (const double *slope, const double *u, const double *near[4], double *phi), {
  double low = *u;
  double high = *u;
  for (int k = 0; k < 4; k++) {
    low = near[k][0] < low ? near[k][0] : low;
    high = near[k][0] > high ? near[k][0] : high;
  }
  double size = fabs(slope[0]) + fabs(slope[1]);
  *phi = 1.0;
  if (size < 0.05) return;
  double up = (high - *u) / size;
  double down = (*u - low) / size;
  double most = up < down ? up : down;
  if (most >= 1.0) return;
  *phi = (most * most + 2.0 * most) / (most * most + most + 2.0);
});

static double slope(const problem *p, int64_t i, int k) {
  return problem_mixed(p, i, 0) < 0.8 ? 0 : problem_mixed(p, i, k) - 1;
}

/* Each cell of a grid has four neighbours, at the boundary itself. */
static void make_limiter(problem *p, int64_t n) {
  const int64_t side = p->points[0] = p->points[1] = (int64_t)llround(sqrt((double)n));
  problem_set(p, side * side);
  int32_t *rows = problem_map_rows(p, 0, 0, 4);
  for (int64_t i = 0; rows && i < side * side; i++) {
    rows[4 * i] = (int32_t)(i % side ? i - 1 : i);
    rows[4 * i + 1] = (int32_t)((i + 1) % side ? i + 1 : i);
    rows[4 * i + 2] = (int32_t)(i >= side ? i - side : i);
    rows[4 * i + 3] = (int32_t)(i + side < side * side ? i + side : i);
  }
  problem_dat_add(p, 0, 2, OP2_F64, READ, slope);
  problem_dat_add(p, 0, 1, OP2_F64, READ, problem_mixed);
  problem_dat_add(p, 0, 1, OP2_F64, WRITTEN, problem_zero);
}

static op2_status queue_limiter(ours *o) {
  return op2_par_loop(o->kernel[0], o->set[0], op2_arg_direct(o->dat[0], OP2_READ),
                      op2_arg_direct(o->dat[1], OP2_READ),
                      op2_arg_dat(o->dat[1], OP2_ALL, o->map[0], OP2_READ),
                      op2_arg_direct(o->dat[2], OP2_WRITE));
}

WHOLE static void limiter_scalar(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, s, 0);
  FIELD(const double, u, 1);
  FIELD(double, phi, 2);
  ROWS(near, 0);
  for (int64_t i = first; i < last; i++) {
    const double *around[4];
    for (int k = 0; k < 4; k++) around[k] = u + near[4 * i + k];
    limiter(s + 2 * i, u + i, around, phi + i);
  }
}

WHOLE static void limiter_simd(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, s, 0);
  FIELD(const double, u, 1);
  FIELD(double, phi, 2);
  ROWS(near, 0);
#pragma omp simd
  for (int64_t i = first; i < last; i++) {
    double low = u[i], high = u[i];
    for (int k = 0; k < 4; k++) {
      const double there = u[near[4 * i + k]];
      low = there < low ? there : low;
      high = there > high ? there : high;
    }
    const double size = fabs(s[2 * i]) + fabs(s[2 * i + 1]);
    const double up = (high - u[i]) / size, down = (u[i] - low) / size;
    const double most = up < down ? up : down;
    const double part = (most * most + 2.0 * most) / (most * most + most + 2.0);
    phi[i] = size < 0.05 || most >= 1.0 ? 1.0 : part;
  }
}

const yardstick yardstick_limiter = {
    .name = "limiter",
    .what = "a limiter that returns early",
    .make = make_limiter,
    .kernel = {&limiter_kernel},
    .queue = queue_limiter,
    .flops = 22,
    .twins = {{"scalar", 1, {{limiter_scalar, 0, 0}}}, {"simd", 1, {{limiter_simd, 0, 0}}}},
};

/* ---- a lattice of nine velocities ------------------------------------------------------------ */

OP2_KERNEL(lattice, (const double *f[9], double *to), {
  const double cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
  const double cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  const double w[9] = {4.0 / 9,  1.0 / 9,  1.0 / 9,  1.0 / 9, 1.0 / 9,
                       1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36};
  double g[9];
  double rho = 0;
  double ux = 0;
  double uy = 0;
  for (int k = 0; k < 9; k++) {
    g[k] = f[k][k];
    rho += g[k];
    ux += cx[k] * g[k];
    uy += cy[k] * g[k];
  }
  ux /= rho;
  uy /= rho;
  double square = 1.5 * (ux * ux + uy * uy);
  for (int k = 0; k < 9; k++) {
    double cu = 3.0 * (cx[k] * ux + cy[k] * uy);
    to[k] = g[k] + 0.6 * (w[k] * rho * (1.0 + cu + 0.5 * cu * cu - square) - g[k]);
  }
});

/* A grid without ends: row k of a cell leads to where population k comes from. */
static void make_lattice(problem *p, int64_t n) {
  static const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  const int64_t side = (int64_t)llround(sqrt((double)n));
  problem_set(p, side * side);
  int32_t *rows = problem_map_rows(p, 0, 0, 9);
  for (int64_t i = 0; rows && i < side * side; i++)
    for (int k = 0; k < 9; k++)
      rows[9 * i + k] =
          (int32_t)((i / side - cy[k] + side) % side * side + (i % side - cx[k] + side) % side);
  problem_dat_add(p, 0, 9, OP2_F64, READ, problem_mixed);
  problem_dat_add(p, 0, 9, OP2_F64, WRITTEN, problem_zero);
}

static op2_status queue_lattice(ours *o) {
  return op2_par_loop(o->kernel[0], o->set[0], op2_arg_dat(o->dat[0], OP2_ALL, o->map[0], OP2_READ),
                      op2_arg_direct(o->dat[1], OP2_WRITE));
}

static inline void collide(const double *restrict f, const int32_t *restrict from,
                           double *restrict to) {
  const double *rows[9];
  for (int k = 0; k < 9; k++) rows[k] = f + 9 * (int64_t)from[k];
  lattice(rows, to);
}

WHOLE static void lattice_scalar(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, f, 0);
  FIELD(double, to, 1);
  ROWS(from, 0);
  for (int64_t i = first; i < last; i++) collide(f, from + 9 * i, to + 9 * i);
}

static inline void collide_column(const column *f, int e, column *to) {
  double g[9][9], next[9];
  const double *rows[9];
  for (int k = 0; k < 9; k++) g[k][k] = f[k][e], rows[k] = g[k];
  lattice(rows, next);
  for (int k = 0; k < 9; k++) to[k][e] = next[k];
}

WHOLE static void lattice_simd(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, f, 0);
  FIELD(double, to, 1);
  ROWS(from, 0);
  column before[9], after[9];
  int64_t i = first;
  for (; i + BLOCK <= last; i += BLOCK) {
    for (int e = 0; e < BLOCK; e++)
      for (int k = 0; k < 9; k++) before[k][e] = f[9 * (int64_t)from[9 * (i + e) + k] + k];
#pragma omp simd
    for (int e = 0; e < BLOCK; e++) collide_column(before, e, after);
    columns_store(to + 9 * i, 9, after);
  }
  lattice_scalar(a, i, last);
}

const yardstick yardstick_lattice = {
    .name = "lattice",
    .what = "a lattice of nine velocities, through a map of nine",
    .make = make_lattice,
    .kernel = {&lattice_kernel},
    .queue = queue_lattice,
    .flops = 160,
    .twins = {{"scalar", 1, {{lattice_scalar, 0, 0}}}, {"simd", 1, {{lattice_simd, 0, 0}}}},
};
