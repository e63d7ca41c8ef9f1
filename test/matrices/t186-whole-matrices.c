/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations with whole matrices: scaled, added, copied, and their norms, compared with dense
 * arithmetic, for blocks, types and layouts of rows; with scalars that are globals; and what is
 * refused. */
#include <math.h>

#include "context.h"
#include "mat_case.h"
#include "sparse.h"
#include "support.h"

static void scale_dense(struct mat_case *m, double a) {
  for (int i = 0; i < mat_rows(m) * mat_columns(m); i++) m->dense[i] *= a;
}

static void add_dense(struct mat_case *y, double a, const struct mat_case *x) {
  for (int i = 0; i < mat_rows(y) * mat_columns(y); i++) y->dense[i] += a * x->dense[i];
}

static double frobenius(const struct mat_case *m) {
  double sum = 0;
  for (int i = 0; i < mat_rows(m) * mat_columns(m); i++) sum += m->dense[i] * m->dense[i];
  return sqrt(sum);
}

static double largest_row(const struct mat_case *m) {
  double most = 0;
  for (int i = 0; i < mat_rows(m); i++) {
    double sum = 0;
    for (int j = 0; j < mat_columns(m); j++) sum += fabs(m->dense[i * mat_columns(m) + j]);
    most = fmax(most, sum);
  }
  return most;
}

/* Sums of squares of whole numbers are exact, so norms are the same numbers. */
static void expect_norms(const struct mat_case *m) {
  op2_gbl whole = new_gbl(1, OP2_F64, NULL, "whole"), rows = new_gbl(1, OP2_F64, NULL, "row");
  MUST(op2_mat_norm(m->mat, OP2_NORM_FROBENIUS, whole));
  MUST(op2_mat_norm(m->mat, OP2_NORM_INF, rows));
  EXPECT_GBL(double, whole, frobenius(m));
  EXPECT_GBL(double, rows, largest_row(m));
}

static void combine(uint64_t *seed, const struct pattern_case *p, int row_dim, int column_dim,
                    op2_type type) {
  struct mat_case x = new_mat(p, row_dim, column_dim, type, "X");
  struct mat_case y = new_mat(p, row_dim, column_dim, type, "Y");
  const double two = 2, four = 4;
  op2_gbl numerator = new_gbl(1, OP2_F64, &four, "four");
  op2_gbl denominator = new_gbl(1, OP2_F64, &two, "two");
  (void)seed;
  fill_mat(&x, 1);
  fill_mat(&y, 2);
  MUST(op2_mat_axpy(y.mat, op2_scalar_value(-3), x.mat));
  add_dense(&y, -3, &x);
  expect_mat(&y);
  expect_norms(&y);
  MUST(op2_mat_scale(x.mat, op2_scalar_ratio(numerator, denominator)));
  scale_dense(&x, 2);
  add_to_mat(&x, 3);
  MUST(op2_mat_axpy(x.mat, op2_scalar_value(1), x.mat));
  scale_dense(&x, 2);
  MUST(op2_mat_copy(x.mat, y.mat));
  scale_dense(&y, 0);
  add_dense(&y, 1, &x);
  add_to_mat(&x, 4);
  expect_mat(&x);
  expect_mat(&y);
  MUST(op2_mat_zero(x.mat));
  scale_dense(&x, 0);
  expect_norms(&x);
  end_mat(&x);
  end_mat(&y);
}

static void combinations(void) { each_mat(combine); }

/* Values that go nowhere, since their map is partial, count in no norm. */
static void lost_values(void) {
  static const int32_t idx[] = {0, 1, -1, 2}, whole[] = {0, 1, 1, 2};
  op2_set edges = new_set(2, "edges"), nodes = new_set(3, "nodes");
  op2_map ends = new_map(edges, nodes, 2, whole, "ends"), some;
  op2_sparsity sparsity;
  op2_mat mat;
  op2_gbl norm = new_gbl(1, OP2_F64, NULL, "norm");
  op2_kernel add = new_source("add", "void add(double a[2][2]) { for (int i = 0; i < 4; i++) "
                                     "a[i / 2][i % 2] += 2; }");
  MUST(op2_map_create_partial(edges, nodes, 2, idx, "some", &some));
  own_map(some);
  const op2_map_pair pair = {some, ends};
  MUST(op2_sparsity_create(1, &pair, "pattern", &sparsity));
  MUST(op2_mat_create(sparsity, 1, 1, OP2_F64, "A", &mat));
  MUST(op2_par_loop(add, edges, op2_arg_mat(mat, some, ends, OP2_INC)));
  MUST(op2_mat_norm(mat, OP2_NORM_FROBENIUS, norm));
  EXPECT_GBL(double, norm, sqrt(6 * 4));
  MUST(op2_mat_norm(mat, OP2_NORM_INF, norm));
  EXPECT_GBL(double, norm, 4);
  op2_mat_destroy(&mat);
  op2_sparsity_destroy(&sparsity);
}

/* The norm is the same whether squares overflow or not, and NaN if a value is NaN. */
static void extreme(void) {
  uint64_t seed = 3;
  struct pattern_case p = new_pattern(&seed, true);
  struct mat_case m = new_mat(&p, 1, 1, OP2_F64, "A");
  op2_gbl norm = new_gbl(1, OP2_F64, NULL, "norm");
  op2_kernel spoil = new_source("spoil", "void spoil(double *a) { a[0] = a[0] / a[0]; }");
  fill_mat(&m, 5);
  MUST(op2_mat_scale(m.mat, op2_scalar_value(0x1p700)));
  MUST(op2_mat_norm(m.mat, OP2_NORM_FROBENIUS, norm));
  double got;
  MUST(op2_gbl_get(norm, &got));
  EXPECT(fabs(got / (frobenius(&m) * 0x1p700) - 1) < 1e-14);
  MUST(op2_mat_norm(m.mat, OP2_NORM_INF, norm));
  EXPECT_GBL(double, norm, largest_row(&m) * 0x1p700);
  MUST(op2_mat_zero(m.mat));
  MUST(op2_par_loop(spoil, m.mat->values->set, op2_arg_direct(m.mat->values, OP2_RW)));
  for (int k = 0; k < 2; k++) {
    MUST(op2_mat_norm(m.mat, k ? OP2_NORM_INF : OP2_NORM_FROBENIUS, norm));
    MUST(op2_gbl_get(norm, &got));
    EXPECT(isnan(got));
  }
  end_mat(&m);
  end_pattern(&p);
}

/* Operations with matrices wait, and what nobody reads is not run for a norm of another matrix. */
static void lazy(void) {
  uint64_t seed = 4;
  struct pattern_case p = new_pattern(&seed, true);
  struct mat_case x = new_mat(&p, 1, 1, OP2_F64, "X"), y = new_mat(&p, 1, 1, OP2_F64, "Y");
  op2_gbl norm = new_gbl(1, OP2_F64, NULL, "norm");
  fill_mat(&x, 1);
  fill_mat(&y, 2);
  MUST(op2_mat_scale(x.mat, op2_scalar_value(2)));
  MUST(op2_mat_norm(y.mat, OP2_NORM_FROBENIUS, norm));
  if (queue_grows()) EXPECT(op2_queued(test_ctx) > 0);
  EXPECT_GBL(double, norm, frobenius(&y));
  scale_dense(&x, 2);
  expect_mat(&x);
  end_mat(&x);
  end_mat(&y);
  end_pattern(&p);
}

static void refused(void) {
  uint64_t seed = 9;
  struct pattern_case p = new_pattern(&seed, true), q = new_pattern(&seed, true);
  struct mat_case x = new_mat(&p, 1, 1, OP2_F64, "X"), y = new_mat(&q, 1, 1, OP2_F64, "Y");
  struct mat_case f = new_mat(&p, 1, 1, OP2_F32, "F"), b = new_mat(&p, 2, 1, OP2_F64, "B");
  op2_gbl norm = new_gbl(1, OP2_F64, NULL, "norm"), narrow = new_gbl(1, OP2_F32, NULL, "narrow");
  op2_gbl many = new_gbl(2, OP2_F64, NULL, "many");
  const op2_scalar one = op2_scalar_value(1);
  REFUSED(OP2_ERR_MISMATCH, op2_mat_axpy(x.mat, one, y.mat),
          "t186-whole-matrices.c:", "op2_mat_axpy", "'X'", "'Y'", "'pattern'", "one sparsity");
  REFUSED(OP2_ERR_MISMATCH, op2_mat_copy(y.mat, x.mat), "op2_mat_copy", "one sparsity");
  REFUSED(OP2_ERR_MISMATCH, op2_mat_copy(x.mat, b.mat), "'X'", "1 by 1", "'B'", "2 by 1");
  REFUSED(OP2_ERR_TYPE, op2_mat_axpy(x.mat, one, f.mat), "'F'", "OP2_F32");
  REFUSED(OP2_ERR_ARG, op2_mat_scale(NULL, one), "op2_mat_scale", "null");
  REFUSED(OP2_ERR_ARG, op2_mat_axpy(x.mat, one, NULL), "op2_mat_axpy", "null");
  REFUSED(OP2_ERR_MISMATCH, op2_mat_scale(x.mat, op2_scalar_gbl(many)), "op2_mat_scale, a",
          "'many'");
  REFUSED(OP2_ERR_ARG, op2_mat_norm(x.mat, OP2_NORM_2, norm), "op2_mat_norm", "'X'",
          "OP2_NORM_FROBENIUS");
  REFUSED(OP2_ERR_TYPE, op2_mat_norm(x.mat, OP2_NORM_INF, narrow), "op2_mat_norm", "'narrow'");
  REFUSED(OP2_ERR_ARG, op2_mat_norm(x.mat, OP2_NORM_FROBENIUS, NULL), "op2_mat_norm", "null");
  struct mat_case *const all[] = {&x, &y, &f, &b};
  for (int m = 0; m < 4; m++) end_mat(all[m]);
  end_pattern(&p);
  end_pattern(&q);
}

/* The Frobenius norm of a dat or global is its 2-norm. */
static void of_dats(void) {
  static const double values[] = {3, 4};
  op2_set set = new_set(2, "set");
  op2_dat dat = new_dat(set, 1, OP2_F64, values, "dat");
  op2_gbl gbl = new_gbl(2, OP2_F64, values, "gbl"), norm = new_gbl(1, OP2_F64, NULL, "norm");
  MUST(op2_dat_norm(dat, OP2_NORM_FROBENIUS, norm));
  EXPECT_GBL(double, norm, 5);
  MUST(op2_gbl_norm(gbl, OP2_NORM_FROBENIUS, norm));
  EXPECT_GBL(double, norm, 5);
}

static const struct test_case cases[] = {
    {"sums, multiples, copies and norms", combinations}, {"values that lead nowhere", lost_values},
    {"values that overflow, and NaN", extreme},          {"operations wait", lazy},
    {"the norm of dats and globals", of_dats},           {"what is refused", refused},
};

int main(void) {
  test_environment();
  return RUN(cases, RUN_ON_DEVICES | RUN_TWO_BLOCKS);
}
