/* SPDX-License-Identifier: BSD-3-Clause */
/* Wide rows that are used about once: stored element matrices and moments of rows of 27. */
#include "columns.h"
#include "common/lanes.h"
#include "kernels.h"

OP2_KERNEL(dense12, (const double *k, const double *x[4], double *y[4]), {
  for (int i = 0; i < 12; i++) {
    double sum = 0;
    for (int j = 0; j < 12; j++) sum += k[12 * i + j] * x[j / 3][j % 3];
    y[i / 3][i % 3] += sum;
  }
});

OP2_KERNEL(row144, (const double *k, const double *x, double *y), {
  for (int i = 0; i < 12; i++) {
    double sum = 0;
    for (int j = 0; j < 12; j++) sum += k[12 * i + j] * x[j];
    y[i] = sum;
  }
});

OP2_KERNEL(hex8, (const double *k, const double *x[8], double *y[8]), {
  for (int i = 0; i < 8; i++) {
    double sum = 0;
    for (int j = 0; j < 8; j++) sum += k[8 * i + j] * x[j][0];
    y[i][0] += sum;
  }
});

OP2_KERNEL(row27, (const double *f, double *m), {
  double rho = 0;
  double x = 0;
  double y = 0;
  double z = 0;
  for (int k = 0; k < 27; k++) {
    rho += f[k];
    x += (k % 3 - 1) * f[k];
    y += (k / 3 % 3 - 1) * f[k];
    z += (k / 9 - 1) * f[k];
  }
  m[0] = rho;
  m[1] = x / rho;
  m[2] = y / rho;
  m[3] = z / rho;
});

/* ---- 12x12 element matrices of linear tetrahedra in elasticity ---- */

static void make_dense12(problem *p, int64_t n) {
  mesh_tets(p, n);
  problem_dat_add(p, 0, 144, OP2_F64, READ, problem_mixed);
  problem_dat_add(p, 1, 3, OP2_F64, READ, problem_mixed);
  problem_dat_add(p, 1, 3, OP2_F64, CHANGED, problem_zero);
}

static op2_status queue_scattered(ours *o) {
  return op2_par_loop(o->kernel[0], o->set[0], op2_arg_direct(o->dat[0], OP2_READ),
                      op2_arg_dat(o->dat[1], OP2_ALL, o->map[0], OP2_READ),
                      op2_arg_dat(o->dat[2], OP2_ALL, o->map[0], OP2_INC));
}

static inline void gather12(const double *x, const int32_t *row, double *local) {
  for (int j = 0; j < 12; j++) local[j] = x[3 * (int64_t)row[j / 3] + j % 3];
}

static inline void scatter12(const double *local, const int32_t *row, double *y) {
  for (int i = 0; i < 12; i++) y[3 * (int64_t)row[i / 3] + i % 3] += local[i];
}

WHOLE static void dense12_scalar(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, k, 0);
  FIELD(const double, x, 1);
  FIELD(double, y, 2);
  ROWS(nodes, 0);
  for (int64_t e = first; e < last; e++) {
    double in[12], out[12];
    gather12(x, nodes + 4 * e, in);
    row144(k + 144 * e, in, out);
    scatter12(out, nodes + 4 * e, y);
  }
}

static inline void multiply12_simd(const double *k, const double *x, double *y) {
  for (int i = 0; i < 12; i++) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int j = 0; j < 12; j++) sum += k[12 * i + j] * x[j];
    y[i] = sum;
  }
}

WHOLE static void dense12_simd(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, k, 0);
  FIELD(const double, x, 1);
  FIELD(double, y, 2);
  ROWS(nodes, 0);
  for (int64_t e = first; e < last; e++) {
    double in[12], out[12];
    gather12(x, nodes + 4 * e, in);
    multiply12_simd(k + 144 * e, in, out);
    scatter12(out, nodes + 4 * e, y);
  }
}

WHOLE static void dense12_lanes(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, k, 0);
  FIELD(const double, x, 1);
  FIELD(double, y, 2);
  ROWS(nodes, 0);
  for (int64_t e = first; e < last; e++) {
    double in[12], out[12];
    gather12(x, nodes + 4 * e, in);
    for (int i = 0; i < 12; i += 4) lanes4_rows(k + 144 * e + 12 * i, 12, 3, in, out + i);
    scatter12(out, nodes + 4 * e, y);
  }
}

const yardstick yardstick_dense12 = {
    .name = "dense12",
    .what = "products with stored 12x12 element matrices of tetrahedra",
    .make = make_dense12,
    .kernel = {&dense12_kernel},
    .queue = queue_scattered,
    .flops = 288,
    .limit = 400000,
    .twins = {{"scalar", 1, {{dense12_scalar, 0, 1}}},
              {"simd", 1, {{dense12_simd, 0, 1}}},
              {"lanes", 0, {{dense12_lanes, 0, 1}}}},
};

/* ---- the same with the vectors in the elements ---- */

static void make_row144(problem *p, int64_t n) {
  mesh_direct(p, n);
  problem_dat_add(p, 0, 144, OP2_F64, READ, problem_mixed);
  problem_dat_add(p, 0, 12, OP2_F64, READ, problem_mixed);
  problem_dat_add(p, 0, 12, OP2_F64, WRITTEN, problem_zero);
}

static op2_status queue_row144(ours *o) {
  return op2_par_loop(o->kernel[0], o->set[0], op2_arg_direct(o->dat[0], OP2_READ),
                      op2_arg_direct(o->dat[1], OP2_READ), op2_arg_direct(o->dat[2], OP2_WRITE));
}

WHOLE static void row144_scalar(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, k, 0);
  FIELD(const double, x, 1);
  FIELD(double, y, 2);
  for (int64_t e = first; e < last; e++) row144(k + 144 * e, x + 12 * e, y + 12 * e);
}

WHOLE static void row144_simd(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, k, 0);
  FIELD(const double, x, 1);
  FIELD(double, y, 2);
  for (int64_t e = first; e < last; e++) multiply12_simd(k + 144 * e, x + 12 * e, y + 12 * e);
}

WHOLE static void row144_lanes(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, k, 0);
  FIELD(const double, x, 1);
  FIELD(double, y, 2);
  for (int64_t e = first; e < last; e++)
    for (int i = 0; i < 12; i += 4)
      lanes4_rows(k + 144 * e + 12 * i, 12, 3, x + 12 * e, y + 12 * e + i);
}

const yardstick yardstick_row144 = {
    .name = "row144",
    .what = "products with stored 12x12 matrices, no map",
    .make = make_row144,
    .kernel = {&row144_kernel},
    .queue = queue_row144,
    .flops = 288,
    .limit = 400000,
    .twins = {{"scalar", 1, {{row144_scalar, 0, 0}}},
              {"simd", 1, {{row144_simd, 0, 0}}},
              {"lanes", 0, {{row144_lanes, 0, 0}}}},
};

/* ---- 8x8 element matrices of hexahedra ---- */

static void make_hex8(problem *p, int64_t n) {
  mesh_hexes(p, n);
  problem_dat_add(p, 0, 64, OP2_F64, READ, problem_mixed);
  problem_dat_add(p, 1, 1, OP2_F64, READ, problem_mixed);
  problem_dat_add(p, 1, 1, OP2_F64, CHANGED, problem_zero);
}

WHOLE static void hex8_scalar(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, k, 0);
  FIELD(const double, x, 1);
  FIELD(double, y, 2);
  ROWS(nodes, 0);
  for (int64_t e = first; e < last; e++) {
    const int32_t *row = nodes + 8 * e;
    double in[8], out[8];
    for (int j = 0; j < 8; j++) in[j] = x[row[j]];
    for (int i = 0; i < 8; i++) {
      out[i] = 0;
      for (int j = 0; j < 8; j++) out[i] += k[64 * e + 8 * i + j] * in[j];
    }
    for (int i = 0; i < 8; i++) y[row[i]] += out[i];
  }
}

WHOLE static void hex8_simd(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, k, 0);
  FIELD(const double, x, 1);
  FIELD(double, y, 2);
  ROWS(nodes, 0);
  for (int64_t e = first; e < last; e++) {
    const int32_t *row = nodes + 8 * e;
    double in[8];
    for (int j = 0; j < 8; j++) in[j] = x[row[j]];
    for (int i = 0; i < 8; i++) {
      double sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int j = 0; j < 8; j++) sum += k[64 * e + 8 * i + j] * in[j];
      y[row[i]] += sum;
    }
  }
}

WHOLE static void hex8_lanes(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, k, 0);
  FIELD(const double, x, 1);
  FIELD(double, y, 2);
  ROWS(nodes, 0);
  for (int64_t e = first; e < last; e++) {
    const int32_t *row = nodes + 8 * e;
    double in[8], out[8];
    for (int j = 0; j < 8; j++) in[j] = x[row[j]];
    for (int i = 0; i < 8; i += 4) lanes4_rows(k + 64 * e + 8 * i, 8, 2, in, out + i);
    for (int i = 0; i < 8; i++) y[row[i]] += out[i];
  }
}

const yardstick yardstick_hex8 = {
    .name = "hex8",
    .what = "products with stored 8x8 element matrices of hexahedra",
    .make = make_hex8,
    .kernel = {&hex8_kernel},
    .queue = queue_scattered,
    .flops = 128,
    .limit = 1000000,
    .twins = {{"scalar", 1, {{hex8_scalar, 0, 1}}},
              {"simd", 1, {{hex8_simd, 0, 1}}},
              {"lanes", 0, {{hex8_lanes, 0, 1}}}},
};

/* ---- moments of the 27 populations of a lattice cell ---- */

static void make_row27(problem *p, int64_t n) {
  mesh_direct(p, n);
  problem_dat_add(p, 0, 27, OP2_F64, READ, problem_mixed);
  problem_dat_add(p, 0, 4, OP2_F64, WRITTEN, problem_zero);
}

static op2_status queue_row27(ours *o) {
  return op2_par_loop(o->kernel[0], o->set[0], op2_arg_direct(o->dat[0], OP2_READ),
                      op2_arg_direct(o->dat[1], OP2_WRITE));
}

WHOLE static void row27_scalar(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, f, 0);
  FIELD(double, m, 1);
  for (int64_t e = first; e < last; e++) row27(f + 27 * e, m + 4 * e);
}

/* Add the values of a column to the sums, with the factors of its velocity. */
static inline void add_column(const column f, int k, column *m) {
  const double cx = k % 3 - 1, cy = k / 3 % 3 - 1, cz = k / 9 - 1;
#pragma omp simd
  for (int e = 0; e < BLOCK; e++) {
    m[0][e] += f[e];
    m[1][e] += cx * f[e];
    m[2][e] += cy * f[e];
    m[3][e] += cz * f[e];
  }
}

WHOLE static void row27_simd(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, f, 0);
  FIELD(double, m, 1);
  int64_t i = first;
  for (; i + BLOCK <= last; i += BLOCK) {
    column in[27], out[4] = {{0}};
    columns_load(f + 27 * i, 27, in);
    for (int k = 0; k < 27; k++) add_column(in[k], k, out);
    for (int k = 1; k < 4; k++)
#pragma omp simd
      for (int e = 0; e < BLOCK; e++) out[k][e] /= out[0][e];
    columns_store(m + 4 * i, 4, out);
  }
  row27_scalar(a, i, last);
}

/* Take value `at` and those behind it, of as many rows as there are lanes. */
static inline void columns27(const double *f, int at, lanes v[LANES]) {
  for (int l = 0; l < LANES; l++) v[l] = lanes_load(f + 27 * l + at);
  lanes_transpose(v);
}

/* Add those of them that come after the first `from` to the sums. */
static inline void add27(const lanes v[LANES], int at, int from, lanes sum[4]) {
  for (int k = from; k < LANES; k++) {
    const int c = at + k;
    sum[0] += v[k];
    sum[1] += (c % 3 - 1) * v[k];
    sum[2] += (c / 3 % 3 - 1) * v[k];
    sum[3] += (c / 9 - 1) * v[k];
  }
}

WHOLE static void row27_lanes(const arrays *a, int64_t first, int64_t last) {
  FIELD(const double, f, 0);
  FIELD(double, m, 1);
  int64_t e = first;
  for (; e + LANES <= last; e += LANES) {
    lanes v[LANES], sum[4] = {{0}};
    int at = 0;
    for (; at + LANES <= 27; at += LANES) {
      columns27(f + 27 * e, at, v);
      add27(v, at, 0, sum);
    }
    /* The last columns overlap with those before them. */
    columns27(f + 27 * e, 27 - LANES, v);
    add27(v, 27 - LANES, at - (27 - LANES), sum);
    for (int k = 1; k < 4; k++) sum[k] /= sum[0];
    for (int l = 0; l < LANES; l++)
      for (int k = 0; k < 4; k++) m[4 * (e + l) + k] = sum[k][l];
  }
  row27_scalar(a, e, last);
}

const yardstick yardstick_row27 = {
    .name = "row27",
    .what = "moments of rows of 27",
    .make = make_row27,
    .kernel = {&row27_kernel},
    .queue = queue_row27,
    .flops = 84,
    .limit = 2000000,
    .twins = {{"scalar", 1, {{row27_scalar, 0, 0}}},
              {"simd", 1, {{row27_simd, 0, 0}}},
              {"lanes", 1, {{row27_lanes, 0, 0}}}},
};
