/* SPDX-License-Identifier: BSD-3-Clause */
/* Products with the transpose of a matrix, for blocks, types, layouts of rows, matrices that are not
 * square, columns without nonzeros, and after rows and columns were renumbered, compared with dense
 * arithmetic; fused with other loops; values that are not finite; and what is refused. */
#include <math.h>
#include <string.h>

#include "context.h"
#include "mat_case.h"
#include "sparse.h"
#include "support.h"

/* out = A^T in */
static void multiply_dense(const struct mat_case *m, const double *in, double *out) {
  const int rows = mat_rows(m), columns = mat_columns(m);
  memset(out, 0, (size_t)columns * sizeof *out);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) out[j] += m->dense[i * columns + j] * in[i];
}

static void products(uint64_t *seed, const struct pattern_case *p, int row_dim, int column_dim,
                     op2_type type) {
  struct mat_case m = new_mat(p, row_dim, column_dim, type, "A");
  double *on_rows, *on_columns;
  op2_dat x = new_vector(&m, true, seed, &on_rows, "x");
  op2_dat y = new_vector(&m, false, seed, &on_columns, "y");
  for (int turn = 0; turn < 3; turn++) {
    fill_mat(&m, turn);
    MUST(op2_mat_mult_transpose(m.mat, x, y));
    multiply_dense(&m, on_rows, on_columns);
    add_to_mat(&m, 7);
    expect_vector(&m, y, mat_columns(&m), on_columns);
    op2_status status = op2_renumber(turn ? p->to_columns : p->to_rows);
    if (status != OP2_ERR_UNAVAILABLE) MUST(status);
  }
  end_mat(&m);
}

static void each_product(void) { each_mat(products); }

/* The product of a normal equation, with other loops in the same queue. */
static void queued(void) {
  uint64_t seed = 31;
  struct pattern_case p = new_pattern(&seed, false);
  struct mat_case m = new_mat(&p, 1, 1, OP2_F64, "A");
  double *values, *sum = scratch((size_t)p.nrows, sizeof *sum);
  double *want = scratch((size_t)p.ncolumns, sizeof *want);
  op2_dat x = new_vector(&m, false, &seed, &values, "x");
  op2_dat ax = new_dat(p.rows, 1, OP2_F64, NULL, "Ax");
  op2_dat y = new_dat(p.columns, 1, OP2_F64, NULL, "y");
  fill_mat(&m, 3);
  MUST(op2_mat_mult(m.mat, x, ax));
  MUST(op2_dat_scale(ax, op2_scalar_value(2)));
  MUST(op2_mat_mult_transpose(m.mat, ax, y));
  MUST(op2_dat_axpy(y, op2_scalar_value(-1), x));
  if (queue_grows()) EXPECT(op2_queued(test_ctx) > 0);
  for (int i = 0; i < p.nrows; i++)
    for (int j = 0; j < p.ncolumns; j++) sum[i] += 2 * m.dense[i * p.ncolumns + j] * values[j];
  multiply_dense(&m, sum, want);
  for (int j = 0; j < p.ncolumns; j++) want[j] -= values[j];
  expect_vector(&m, y, p.ncolumns, want);
  end_mat(&m);
  end_pattern(&p);
}

/* NaN in a row comes to the columns that it has, and to no other. */
static void not_finite(void) {
  uint64_t seed = 32;
  for (int slices = 0; slices < 2; slices++) {
    test_ctx->config.slices = slices;
    struct pattern_case p = new_pattern(&seed, false);
    struct mat_case m = new_mat(&p, 1, 1, OP2_F64, "A");
    double *values, got[64];
    bool reached[64] = {false};
    op2_dat x = new_vector(&m, true, &seed, &values, "x");
    op2_dat y = new_dat(p.columns, 1, OP2_F64, NULL, "y");
    const int32_t row = p.row_idx[0];
    fill_mat(&m, 1);
    values[row] = NAN;
    MUST(op2_dat_set(x, values));
    MUST(op2_mat_mult_transpose(m.mat, x, y));
    MUST(op2_dat_get(y, got));
    for (int e = 0; e < PATTERN_CELLS; e++)
      for (int k = 0; k < 3; k++)
        for (int j = 0; j < p.column_arity && p.row_idx[3 * e + k] == row; j++)
          reached[p.column_idx[e * p.column_arity + j]] = true;
    for (int j = 0; j < p.ncolumns; j++)
      if (!EXPECT(isnan(got[j]) == reached[j])) break;
    end_mat(&m);
    end_pattern(&p);
  }
}

static void refused(void) {
  uint64_t seed = 33;
  struct pattern_case p = new_pattern(&seed, false);
  struct mat_case m = new_mat(&p, 2, 1, OP2_F64, "A");
  op2_dat x = new_dat(p.rows, 2, OP2_F64, NULL, "x"), y = new_dat(p.columns, 1, OP2_F64, NULL, "y");
  op2_dat wide = new_dat(p.columns, 2, OP2_F64, NULL, "wide");
  op2_dat f = new_dat(p.rows, 2, OP2_F32, NULL, "f");
  REFUSED(OP2_ERR_MISMATCH, op2_mat_mult_transpose(m.mat, y, x), "op2_mat_mult_transpose", "'A'",
          "'y'", "'columns'", "the rows are of 'rows'");
  REFUSED(OP2_ERR_MISMATCH, op2_mat_mult_transpose(m.mat, x, wide), "'wide'", "dim 2", "1 columns");
  REFUSED(OP2_ERR_TYPE, op2_mat_mult_transpose(m.mat, f, y), "'f'", "OP2_F32");
  REFUSED(OP2_ERR_ARG, op2_mat_mult_transpose(NULL, x, y), "op2_mat_mult_transpose", "null");
  REFUSED(OP2_ERR_ARG, op2_mat_mult_transpose(m.mat, x, NULL), "op2_mat_mult_transpose", "null");
  end_mat(&m);
  end_pattern(&p);
}

static const struct test_case cases[] = {
    {"blocks, types and layouts", each_product},
    {"in a queue", queued},
    {"values that are not finite", not_finite},
    {"what is refused", refused},
};

int main(void) {
  test_environment();
  return RUN(cases, RUN_ON_DEVICES | RUN_TWO_BLOCKS);
}
