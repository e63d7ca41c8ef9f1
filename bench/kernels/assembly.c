/* SPDX-License-Identifier: BSD-3-Clause */
/* Assembly of a sparse matrix from blocks of 27x27: Poisson's problem on quadratic hexahedra, by 27
 * points. */
#include "common/lanes.h"
#include "kernels.h"
#include "pattern.h"

OP2_KERNEL(quadratic, (const double *x[27], double a[27][27]), {
  const double at[3] = {-0.774596669241483377, 0, 0.774596669241483377};
  const double weight[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  double l[3][3];
  double d[3][3];
  for (int q = 0; q < 3; q++) {
    l[q][0] = 0.5 * at[q] * (at[q] - 1.0);
    l[q][1] = 1.0 - at[q] * at[q];
    l[q][2] = 0.5 * at[q] * (at[q] + 1.0);
    d[q][0] = at[q] - 0.5;
    d[q][1] = -2.0 * at[q];
    d[q][2] = at[q] + 0.5;
  }
  for (int q = 0; q < 27; q++) {
    double n[27][3];
    double j[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < 27; i++) {
      n[i][0] = d[q % 3][i % 3] * l[q / 3 % 3][i / 3 % 3] * l[q / 9][i / 9];
      n[i][1] = l[q % 3][i % 3] * d[q / 3 % 3][i / 3 % 3] * l[q / 9][i / 9];
      n[i][2] = l[q % 3][i % 3] * l[q / 3 % 3][i / 3 % 3] * d[q / 9][i / 9];
      for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) j[r][c] += x[i][r] * n[i][c];
    }
    double k[3][3];
    k[0][0] = j[1][1] * j[2][2] - j[1][2] * j[2][1];
    k[0][1] = j[0][2] * j[2][1] - j[0][1] * j[2][2];
    k[0][2] = j[0][1] * j[1][2] - j[0][2] * j[1][1];
    k[1][0] = j[1][2] * j[2][0] - j[1][0] * j[2][2];
    k[1][1] = j[0][0] * j[2][2] - j[0][2] * j[2][0];
    k[1][2] = j[0][2] * j[1][0] - j[0][0] * j[1][2];
    k[2][0] = j[1][0] * j[2][1] - j[1][1] * j[2][0];
    k[2][1] = j[0][1] * j[2][0] - j[0][0] * j[2][1];
    k[2][2] = j[0][0] * j[1][1] - j[0][1] * j[1][0];
    double det = j[0][0] * k[0][0] + j[0][1] * k[1][0] + j[0][2] * k[2][0];
    double w = weight[q % 3] * weight[q / 3 % 3] * weight[q / 9] / det;
    double g[27][3];
    for (int i = 0; i < 27; i++)
      for (int c = 0; c < 3; c++)
        g[i][c] = n[i][0] * k[0][c] + n[i][1] * k[1][c] + n[i][2] * k[2][c];
    for (int i = 0; i < 27; i++)
      for (int m = 0; m < 27; m++)
        a[i][m] += w * (g[i][0] * g[m][0] + g[i][1] * g[m][1] + g[i][2] * g[m][2]);
  }
});

static void make(problem *p, int64_t n) {
  mesh_quadratic(p, n);
  pattern_add(p);
  p->matrix = 1;
  problem_dat_add(p, 2, 1, OP2_F64, WRITTEN, problem_zero);
  problem_dat_add(p, 1, 3, OP2_F64, READ, mesh_point);
}

static op2_status queue(ours *o) {
  const op2_status status = op2_mat_zero(o->mat);
  return status ? status
                : op2_par_loop(o->kernel[0], o->set[0],
                               op2_arg_dat(o->dat[1], OP2_ALL, o->map[0], OP2_READ),
                               op2_arg_mat(o->mat, o->map[0], o->map[0], OP2_INC));
}

static void zero(const arrays *a, int64_t first, int64_t last) {
  FIELD(double, value, 0);
  memset(value + first, 0, (size_t)(last - first) * sizeof *value);
}

WHOLE static void assembly_scalar(const arrays *a, int64_t first, int64_t last) {
  FIELD(double, value, 0);
  FIELD(const double, x, 1);
  ROWS(nodes, 0);
  ROWS(place, 1);
  for (int64_t e = first; e < last; e++) {
    const double *at[27];
    double block[27][27] = {{0}};
    for (int i = 0; i < 27; i++) at[i] = x + 3 * (int64_t)nodes[27 * e + i];
    quadratic(at, block);
    for (int i = 0; i < 27; i++)
      for (int m = 0; m < 27; m++) value[place[729 * e + 27 * i + m]] += block[i][m];
  }
}

/* ---- functions at the points ----------------------------------------------------------------- */

static const double points[3] = {-0.774596669241483377, 0, 0.774596669241483377};
static const double weights[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};

/* Compute the derivatives of function i at point q of the reference element. */
static inline void derivatives(int q, int i, double n[3]) {
  double l[3], d[3];
  for (int k = 0; k < 3; k++) {
    const int at = k == 0 ? q % 3 : k == 1 ? q / 3 % 3 : q / 9;
    const int of = k == 0 ? i % 3 : k == 1 ? i / 3 % 3 : i / 9;
    const double s = points[at];
    l[k] = of == 0 ? 0.5 * s * (s - 1) : of == 1 ? 1 - s * s : 0.5 * s * (s + 1);
    d[k] = of == 0 ? s - 0.5 : of == 1 ? -2 * s : s + 0.5;
  }
  n[0] = d[0] * l[1] * l[2];
  n[1] = l[0] * d[1] * l[2];
  n[2] = l[0] * l[1] * d[2];
}

/* They are the same for all elements, so they are computed once for a range. */
static void table_of(double n[27][27][3]) {
  for (int q = 0; q < 27; q++)
    for (int i = 0; i < 27; i++) derivatives(q, i, n[q][i]);
}

static inline double weight_of(int q) {
  return weights[q % 3] * weights[q / 3 % 3] * weights[q / 9];
}

/* ---- an element in each lane ----------------------------------------------------------------- */

/* Compute the cofactors of a matrix; returns its determinant. */
static inline lanes cofactors(lanes j[3][3], lanes k[3][3]) {
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      const int r1 = (c + 1) % 3, r2 = (c + 2) % 3, c1 = (r + 1) % 3, c2 = (r + 2) % 3;
      k[r][c] = j[r1][c1] * j[r2][c2] - j[r1][c2] * j[r2][c1];
    }
  return j[0][0] * k[0][0] + j[0][1] * k[1][0] + j[0][2] * k[2][0];
}

/* Compute the gradients of all functions at a point; returns the point's weight, over the square of
 * what the gradients are multiplied by. */
static inline lanes gradients(const double n[27][3], lanes x[27][3], int q, lanes g[27][3]) {
  lanes j[3][3] = {{{0}}}, k[3][3];
  for (int i = 0; i < 27; i++)
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) j[r][c] += x[i][r] * n[i][c];
  const lanes det = cofactors(j, k);
  for (int i = 0; i < 27; i++)
    for (int c = 0; c < 3; c++) g[i][c] = n[i][0] * k[0][c] + n[i][1] * k[1][c] + n[i][2] * k[2][c];
  return weight_of(q) / det;
}

static void add_lanes(const double n[27][27][3], lanes x[27][3], lanes block[729]) {
  for (int q = 0; q < 27; q++) {
    lanes g[27][3];
    const lanes w = gradients(n[q], x, q, g);
    for (int i = 0; i < 27; i++) {
      const lanes g0 = w * g[i][0], g1 = w * g[i][1], g2 = w * g[i][2];
      for (int m = 0; m < 27; m++) block[27 * i + m] += g0 * g[m][0] + g1 * g[m][1] + g2 * g[m][2];
    }
  }
}

WHOLE static void assembly_lanes(const arrays *a, int64_t first, int64_t last) {
  FIELD(double, value, 0);
  FIELD(const double, x, 1);
  ROWS(nodes, 0);
  ROWS(place, 1);
  double n[27][27][3];
  int64_t e = first;
  table_of(n);
  for (; e + LANES <= last; e += LANES) {
    lanes at[27][3] = {{{0}}}, block[729] = {{0}};
    for (int i = 0; i < 27; i++)
      for (int l = 0; l < LANES; l++)
        for (int c = 0; c < 3; c++) at[i][c][l] = x[3 * (int64_t)nodes[27 * (e + l) + i] + c];
    add_lanes(n, at, block);
    for (int l = 0; l < LANES; l++)
      for (int k = 0; k < 729; k++) value[place[729 * (e + l) + k]] += block[k][l];
  }
  assembly_scalar(a, e, last);
}

/* ---- the columns of a row in lanes ----------------------------------------------------------- */

/* Rows are padded, so that each begins at a whole vector. */
enum { WIDE = 32 };

/* Compute the gradients at a point, and the same with the point's weight. */
static inline void gradients_wide(const double n[27][3], const double x[27][3], int q,
                                  double g[3][WIDE], double wg[3][WIDE]) {
  double j[3][3] = {{0}}, k[3][3];
  for (int i = 0; i < 27; i++)
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) j[r][c] += x[i][r] * n[i][c];
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      const int r1 = (c + 1) % 3, r2 = (c + 2) % 3, c1 = (r + 1) % 3, c2 = (r + 2) % 3;
      k[r][c] = j[r1][c1] * j[r2][c2] - j[r1][c2] * j[r2][c1];
    }
  const double w = weight_of(q) / (j[0][0] * k[0][0] + j[0][1] * k[1][0] + j[0][2] * k[2][0]);
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < 27; i++) {
      g[c][i] = n[i][0] * k[0][c] + n[i][1] * k[1][c] + n[i][2] * k[2][c];
      wg[c][i] = w * g[c][i];
    }
}

/* A block is a product of two matrices: a row of it is added up over all points while it is in
 * registers. */
static inline void product_row(double g[81][WIDE], double wg[81][WIDE], int i, double row[WIDE]) {
  double sum[WIDE] = {0};
  for (int k = 0; k < 81; k++) {
    const double factor = wg[k][i];
#pragma omp simd
    for (int m = 0; m < WIDE; m++) sum[m] += factor * g[k][m];
  }
  for (int m = 0; m < 27; m++) row[m] = sum[m];
}

WHOLE static void assembly_product(const arrays *a, int64_t first, int64_t last) {
  FIELD(double, value, 0);
  FIELD(const double, x, 1);
  ROWS(nodes, 0);
  ROWS(place, 1);
  double n[27][27][3];
  double g[81][WIDE] __attribute__((aligned(64))) = {{0}}, wg[81][WIDE] = {{0}};
  table_of(n);
  for (int64_t e = first; e < last; e++) {
    double at[27][3], row[WIDE];
    for (int i = 0; i < 27; i++) memcpy(at[i], x + 3 * (int64_t)nodes[27 * e + i], sizeof at[i]);
    for (int q = 0; q < 27; q++) gradients_wide(n[q], at, q, g + 3 * q, wg + 3 * q);
    for (int i = 0; i < 27; i++) {
      product_row(g, wg, i, row);
      for (int m = 0; m < 27; m++) value[place[729 * e + 27 * i + m]] += row[m];
    }
  }
}

const yardstick yardstick_quadratic = {
    .name = "quadratic",
    .what = "assembly of a matrix from 27x27 blocks of quadratic hexahedra",
    .make = make,
    .kernel = {&quadratic_kernel},
    .queue = queue,
    .flops = 27 * (27 * 45 + 729 * 7),
    .limit = 50000,
    .tolerance = 1e-11,
    .twins = {{"scalar", 1, {{zero, 2, 0}, {assembly_scalar, 0, 1}}},
              {"lanes", 1, {{zero, 2, 0}, {assembly_lanes, 0, 1}}},
              {"product", 0, {{zero, 2, 0}, {assembly_product, 0, 1}}}},
};
