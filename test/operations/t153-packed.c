/* SPDX-License-Identifier: BSD-3-Clause */
/* Packed arguments: private buffers of several extents in one loop, as elements of several orders
 * need them, in each access mode and beside the block of a matrix. */
#include "support.h"

enum { CELLS = 300, POINTS = 211, SIDES = 307 };

/* Elements with 6 velocities of 2 components, 3 pressures and 1 value of their own: Taylor and Hood. */
OP2_KERNEL(divergence, (double *p, const double u[6][2], const double *x, double *cell), {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 6; j++) p[i] += x[i] * u[j][0] - (i + 1) * u[j][1];
  cell[0] = cell[0] + u[0][0] + u[5][1];
});
OP2_KERNEL(gradient, (double u[6][2], const double *p), {
  for (int j = 0; j < 6; j++) {
    u[j][0] += (j + 1) * p[0] - p[1];
    u[j][1] += p[j / 2];
  }
});
OP2_KERNEL(spread, (int64_t * six, int32_t *three, const uint8_t *one), {
  for (int j = 0; j < 6; j++)
    if (six[j] > one[0] + j) six[j] = one[0] + j;
  for (int i = 0; i < 3; i++)
    if (three[i] < one[0] - i) three[i] = one[0] - i;
});
OP2_KERNEL(renew, (double *six, float *three, double *one), {
  for (int j = 0; j < 6; j++) six[j] = 2 * three[j / 2] - six[j];
  one[0] = 3;
  for (int i = 0; i < 3; i++) three[i] = (float)i;
});
OP2_KERNEL(block, (double *a, const double *p, const double u[6][2]), {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 6; j++) a[6 * i + j] += p[i] * u[j][1];
});
OP2_KERNEL(both, (double *x, double *y), {
  x[0] += 1;
  y[0] += 1;
});

/* Maps of three arities, from cells to points and sides, whose rows have no number twice. */
struct mesh {
  op2_set cells, points, sides;
  op2_map six, three, one;
  int32_t six_of[6 * CELLS], three_of[3 * CELLS], one_of[CELLS];
};

static void number(int32_t *entries, int arity, int n) {
  for (int c = 0; c < CELLS; c++)
    for (int i = 0; i < arity; i++) entries[arity * c + i] = (7 * c + 11 * i * (1 + c % 3)) % n;
}

static struct mesh *make_mesh(void) {
  struct mesh *m = scratch(1, sizeof *m);
  number(m->six_of, 6, SIDES);
  number(m->three_of, 3, POINTS);
  number(m->one_of, 1, SIDES);
  m->cells = new_set(CELLS, "cells");
  m->points = new_set(POINTS, "points");
  m->sides = new_set(SIDES, "sides");
  m->six = new_map(m->cells, m->sides, 6, m->six_of, "six");
  m->three = new_map(m->cells, m->points, 3, m->three_of, "three");
  m->one = new_map(m->cells, m->sides, 1, m->one_of, "one");
  return m;
}

/* Small integers, whose sums are exact in any order. */
static double *numbers(int n, int seed) {
  double *values = scratch(n, sizeof *values);
  for (int i = 0; i < n; i++) values[i] = (i * 37 + seed) % 23 - 11;
  return values;
}

static void three_extents(void) {
  struct mesh *m = make_mesh();
  double *u = numbers(2 * SIDES, 1), *p = numbers(POINTS, 2), *x = numbers(POINTS, 3),
         *own = numbers(SIDES, 4);
  op2_dat du = new_dat(m->sides, 2, OP2_F64, u, "u"), dp = new_dat(m->points, 1, OP2_F64, p, "p"),
          dx = new_dat(m->points, 1, OP2_F64, x, "x"),
          down = new_dat(m->sides, 1, OP2_F64, own, "own");
  MUST(op2_par_loop(new_kernel(&divergence_kernel), m->cells,
                    op2_arg_dat(dp, OP2_PACKED, m->three, OP2_INC),
                    op2_arg_dat(du, OP2_PACKED, m->six, OP2_READ),
                    op2_arg_dat(dx, OP2_PACKED, m->three, OP2_READ),
                    op2_arg_dat(down, OP2_PACKED, m->one, OP2_RW)));
  MUST(op2_par_loop(new_kernel(&gradient_kernel), m->cells,
                    op2_arg_dat(du, OP2_PACKED, m->six, OP2_INC),
                    op2_arg_dat(dp, OP2_PACKED, m->three, OP2_READ)));
  for (int c = 0; c < CELLS; c++) {
    const int32_t *six = m->six_of + 6 * c, *three = m->three_of + 3 * c;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 6; j++)
        p[three[i]] += x[three[i]] * u[2 * six[j]] - (i + 1) * u[2 * six[j] + 1];
    own[m->one_of[c]] += u[2 * six[0]] + u[2 * six[5] + 1];
  }
  for (int c = 0; c < CELLS; c++)
    for (int j = 0; j < 6; j++) {
      const int32_t *three = m->three_of + 3 * c;
      double *to = u + 2 * m->six_of[6 * c + j];
      to[0] += (j + 1) * p[three[0]] - p[three[1]];
      to[1] += p[three[j / 2]];
    }
  EXPECT_VALUES(double, dp, POINTS, i, p[i]);
  EXPECT_VALUES(double, down, SIDES, i, own[i]);
  EXPECT_VALUES(double, du, 2 * SIDES, i, u[i]);
}

static void extremes(void) {
  struct mesh *m = make_mesh();
  int64_t *six = scratch(SIDES, sizeof *six);
  int32_t *three = scratch(POINTS, sizeof *three);
  uint8_t *one = scratch(SIDES, sizeof *one);
  for (int i = 0; i < SIDES; i++) six[i] = 1000 - i, one[i] = (uint8_t)(i * 31 % 251);
  for (int i = 0; i < POINTS; i++) three[i] = i % 60;
  op2_dat d6 = new_dat(m->sides, 1, OP2_I64, six, "low"),
          d3 = new_dat(m->points, 1, OP2_I32, three, "high"),
          d1 = new_dat(m->sides, 1, OP2_U8, one, "given");
  MUST(op2_par_loop(new_kernel(&spread_kernel), m->cells,
                    op2_arg_dat(d6, OP2_PACKED, m->six, OP2_MIN),
                    op2_arg_dat(d3, OP2_PACKED, m->three, OP2_MAX),
                    op2_arg_dat(d1, OP2_PACKED, m->one, OP2_READ)));
  for (int c = 0; c < CELLS; c++) {
    const int value = one[m->one_of[c]];
    for (int j = 0; j < 6; j++)
      if (six[m->six_of[6 * c + j]] > value + j) six[m->six_of[6 * c + j]] = value + j;
    for (int i = 0; i < 3; i++)
      if (three[m->three_of[3 * c + i]] < value - i) three[m->three_of[3 * c + i]] = value - i;
  }
  EXPECT_VALUES(int64_t, d6, SIDES, i, six[i]);
  EXPECT_VALUES(int32_t, d3, POINTS, i, three[i]);
}

/* Elements run in order where they overwrite, so that the last one decides. */
static void overwritten(void) {
  struct mesh *m = make_mesh();
  double *six = numbers(SIDES, 5), *start = numbers(POINTS, 6);
  float *three = scratch(POINTS, sizeof *three);
  for (int i = 0; i < POINTS; i++) three[i] = (float)start[i];
  op2_dat d6 = new_dat(m->sides, 1, OP2_F64, six, "six"),
          d3 = new_dat(m->points, 1, OP2_F32, three, "three"),
          d1 = new_dat(m->sides, 1, OP2_F64, NULL, "one");
  double *one = scratch(SIDES, sizeof *one);
  MUST(op2_par_loop(new_kernel(&renew_kernel), m->cells,
                    op2_arg_dat(d6, OP2_PACKED, m->six, OP2_RW),
                    op2_arg_dat(d3, OP2_PACKED, m->three, OP2_RW),
                    op2_arg_dat(d1, OP2_PACKED, m->one, OP2_WRITE)));
  for (int c = 0; c < CELLS; c++) {
    float before[3];
    one[m->one_of[c]] = 3;
    for (int i = 0; i < 3; i++) before[i] = three[m->three_of[3 * c + i]];
    for (int j = 0; j < 6; j++)
      six[m->six_of[6 * c + j]] = 2 * before[j / 2] - six[m->six_of[6 * c + j]];
    for (int i = 0; i < 3; i++) three[m->three_of[3 * c + i]] = (float)i;
  }
  EXPECT_VALUES(double, d6, SIDES, i, six[i]);
  EXPECT_VALUES(float, d3, POINTS, i, three[i]);
  EXPECT_VALUES(double, d1, SIDES, i, one[i]);
}

/* A block of 3 rows and 6 columns beside packed arguments of both extents. */
static void beside_a_matrix(void) {
  struct mesh *m = make_mesh();
  double *u = numbers(2 * SIDES, 7), *p = numbers(POINTS, 8), *ones = scratch(SIDES, sizeof *ones),
         *want = scratch(POINTS, sizeof *want);
  for (int i = 0; i < SIDES; i++) ones[i] = i % 5 - 2;
  op2_dat du = new_dat(m->sides, 2, OP2_F64, u, "u"), dp = new_dat(m->points, 1, OP2_F64, p, "p"),
          x = new_dat(m->sides, 1, OP2_F64, ones, "x"),
          y = new_dat(m->points, 1, OP2_F64, NULL, "y");
  op2_sparsity sparsity;
  op2_mat a;
  MUST(op2_sparsity_create(1, &(op2_map_pair){m->three, m->six}, "sparsity", &sparsity));
  MUST(op2_mat_create(sparsity, 1, 1, OP2_F64, "a", &a));
  MUST(op2_par_loop(new_kernel(&block_kernel), m->cells, op2_arg_mat(a, m->three, m->six, OP2_INC),
                    op2_arg_dat(dp, OP2_PACKED, m->three, OP2_READ),
                    op2_arg_dat(du, OP2_PACKED, m->six, OP2_READ)));
  MUST(op2_mat_mult(a, x, y));
  for (int c = 0; c < CELLS; c++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 6; j++) {
        const int32_t row = m->three_of[3 * c + i], column = m->six_of[6 * c + j];
        want[row] += p[row] * u[2 * column + 1] * ones[column];
      }
  EXPECT_VALUES(double, y, POINTS, i, want[i]);
  op2_mat_destroy(&a);
  op2_sparsity_destroy(&sparsity);
}

static void refused(void) {
  struct mesh *m = make_mesh();
  op2_dat x = new_dat(m->points, 1, OP2_F64, NULL, "x"),
          y = new_dat(m->cells, 1, OP2_F64, NULL, "y");
  op2_kernel k = new_kernel(&both_kernel);
  REFUSED(OP2_ERR_RANGE,
          op2_par_loop(k, m->cells, op2_arg_dat(x, OP2_PACKED, m->three, OP2_INC),
                       op2_arg_dat(y, OP2_PACKED, NULL, OP2_INC)),
          "both", "argument 1", "'y' as a packed argument without a map");
  REFUSED(OP2_ERR_MISMATCH,
          op2_par_loop(k, m->cells, op2_arg_dat(x, OP2_PACKED, m->six, OP2_INC),
                       op2_arg_direct(y, OP2_INC)),
          "both", "argument 0", "six");
  MUST(op2_par_loop(k, m->cells, op2_arg_dat(x, OP2_PACKED, m->three, OP2_INC),
                    op2_arg_direct(y, OP2_INC)));
  EXPECT_VALUES(double, y, CELLS, i, 1);
}

static const struct test_case cases[] = {
    {"three extents in one loop", three_extents}, {"minima and maxima", extremes},
    {"values that are overwritten", overwritten}, {"beside a matrix", beside_a_matrix},
    {"calls that are refused", refused},
};

int main(void) { return RUN(cases, 0); }
