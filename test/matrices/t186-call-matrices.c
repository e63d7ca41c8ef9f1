/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls with matrices: a function reads, changes and overwrites their rows, in order with the loops
 * that assemble and use them, for blocks, types, layouts of rows and after renumbering, compared with
 * dense matrices; what the checked mode finds, and what is refused. */
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "mat_case.h"
#include "support.h"

/* ---- functions ------------------------------------------------------------------------------- */

/* What a function knows of its matrix, and found. */
struct known {
  const struct mat_case *m;
  double *dense;
  int calls;
  bool good;
};

/* A value of a nonzero, and its place in the dense matrix. */
struct place {
  int64_t value;
  int dense;
};

static struct place place_of(const struct mat_case *m, const op2_mat_rows *rows, int64_t i,
                             int64_t p, int k) {
  const int row = (int)i * m->row_dim + k / m->column_dim;
  const int column = (int)rows->columns[p] * m->column_dim + k % m->column_dim;
  return (struct place){p * m->row_dim * m->column_dim + k, row * mat_columns(m) + column};
}

static void set_value(const struct mat_case *m, const op2_mat_rows *rows, int64_t i, double value) {
  if (m->type == OP2_F64)
    ((double *)rows->values)[i] = value;
  else
    ((float *)rows->values)[i] = (float)value;
}

/* Call a function for each value of the rows. */
static void each_value(struct known *known, const op2_mat_rows *rows,
                       void (*body)(struct known *known, const op2_mat_rows *rows,
                                    struct place place)) {
  const struct mat_case *m = known->m;
  known->calls++;
  known->good = rows->nrows == m->pattern->nrows && rows->row_dim == m->row_dim &&
                rows->column_dim == m->column_dim && rows->type == m->type && rows->starts[0] == 0;
  for (int64_t i = 0; i < rows->nrows && known->good; i++)
    for (int64_t p = rows->starts[i]; p < rows->starts[i + 1]; p++) {
      known->good &= p == rows->starts[i] || rows->columns[p - 1] < rows->columns[p];
      for (int k = 0; k < m->row_dim * m->column_dim; k++)
        body(known, rows, place_of(m, rows, i, p, k));
    }
}

static void compare_one(struct known *known, const op2_mat_rows *rows, struct place place) {
  known->good &= mat_value(known->m, rows->values, place.value) == known->dense[place.dense];
}

static int compare(void *data, void *const *values) {
  each_value(data, values[0], compare_one);
  return 0;
}

/* Double a value and add one. */
static void change_one(struct known *known, const op2_mat_rows *rows, struct place place) {
  set_value(known->m, rows, place.value, 2 * mat_value(known->m, rows->values, place.value) + 1);
}

static int change(void *data, void *const *values) {
  each_value(data, values[0], change_one);
  return 0;
}

/* Values that are not written become zero, so every third one is left out. */
static double written(int place) { return place % 3 ? place % 17 - 8 : 0; }

static void write_one(struct known *known, const op2_mat_rows *rows, struct place place) {
  known->good &= mat_value(known->m, rows->values, place.value) == 0 || on_check();
  if (written(place.dense) != 0 || on_check())
    set_value(known->m, rows, place.value, written(place.dense));
}

static int overwrite(void *data, void *const *values) {
  each_value(data, values[0], write_one);
  return 0;
}

/* ---- in order with loops --------------------------------------------------------------------- */

/* Mark the nonzeros of the dense matrix. */
static bool *nonzeros_of(const struct mat_case *m) {
  const struct pattern_case *p = m->pattern;
  bool *marks = scratch((size_t)(mat_rows(m) * mat_columns(m)), sizeof *marks);
  for (int e = 0; e < PATTERN_CELLS; e++)
    for (int r = 0; r < 3 * m->row_dim; r++)
      for (int c = 0; c < p->column_arity * m->column_dim; c++) {
        const int row = p->row_idx[e * 3 + r / m->row_dim] * m->row_dim + r % m->row_dim;
        const int column = p->column_idx[e * p->column_arity + c / m->column_dim] * m->column_dim +
                           c % m->column_dim;
        marks[row * mat_columns(m) + column] = true;
      }
  return marks;
}

static void expect_product(struct mat_case *m, op2_dat x, op2_dat y, const double *values) {
  double *want = scratch((size_t)mat_rows(m), sizeof *want);
  MUST(op2_mat_mult(m->mat, x, y));
  for (int i = 0; i < mat_rows(m); i++)
    for (int j = 0; j < mat_columns(m); j++)
      want[i] += m->dense[i * mat_columns(m) + j] * values[j];
  expect_vector(m, y, mat_rows(m), want);
}

/* All calls are queued before the first one runs. */
static void one_turn(struct mat_case *m, const bool *marks, int turn) {
  const int n = mat_rows(m) * mat_columns(m);
  struct known read = {m, scratch((size_t)n, sizeof(double)), 0, false};
  struct known wrote = {m, NULL, 0, false}, changed = wrote;
  if (turn % 2) {
    fill_mat(m, turn);
  } else {
    MUST(op2_call(test_ctx, overwrite, &wrote, op2_arg_mat(m->mat, NULL, NULL, OP2_WRITE)));
    for (int i = 0; i < n; i++) m->dense[i] = marks[i] ? written(i) : 0;
  }
  memcpy(read.dense, m->dense, (size_t)n * sizeof *m->dense);
  MUST(op2_call(test_ctx, compare, &read, op2_arg_mat(m->mat, NULL, NULL, OP2_READ)));
  add_to_mat(m, turn + 5);
  MUST(op2_call(test_ctx, change, &changed, op2_arg_mat(m->mat, NULL, NULL, OP2_RW)));
  for (int i = 0; i < n; i++) m->dense[i] = marks[i] ? 2 * m->dense[i] + 1 : 0;
  add_to_mat(m, turn + 9);
  if (queue_grows()) EXPECT(read.calls + wrote.calls + changed.calls == 0);
  MUST(op2_flush(test_ctx));
  EXPECT(read.calls == 1 && read.good && changed.calls == 1 && changed.good);
  EXPECT(wrote.calls == 1 - turn % 2 && wrote.good == !(turn % 2));
}

static void in_order_of(uint64_t *seed, const struct pattern_case *p, int row_dim, int column_dim,
                        op2_type type) {
  struct mat_case m = new_mat(p, row_dim, column_dim, type, "A");
  double *values;
  op2_dat x = new_vector(&m, false, seed, &values, "x");
  op2_dat y = new_dat(p->rows, row_dim, type, NULL, "y");
  const bool *marks = nonzeros_of(&m);
  for (int turn = 0; turn < 3; turn++) {
    one_turn(&m, marks, turn);
    expect_mat(&m);
    expect_product(&m, x, y, values);
    op2_status status = op2_renumber(turn ? p->to_columns : p->to_rows);
    if (status != OP2_ERR_UNAVAILABLE) MUST(status);
  }
  end_mat(&m);
}

static void in_order(void) { each_mat(in_order_of); }

/* A queued call keeps its matrix. A matrix of the same kind that is made later is another one. */
static void destroyed(void) {
  uint64_t seed = 41;
  struct pattern_case p = new_pattern(&seed, true);
  for (int turn = 0; turn < 4; turn++) {
    struct mat_case m = new_mat(&p, 1, 1, OP2_F64, "A");
    struct known known = {&m, m.dense, 0, false};
    fill_mat(&m, turn);
    MUST(op2_call(test_ctx, compare, &known, op2_arg_mat(m.mat, NULL, NULL, OP2_READ)));
    end_mat(&m);
    MUST(op2_flush(test_ctx));
    EXPECT(known.calls == 1 && known.good);
  }
  end_pattern(&p);
}

/* ---- failures -------------------------------------------------------------------------------- */

static int give_up(void *data, void *const *values) {
  (void)data;
  (void)values;
  return 7;
}

/* What a failed call was to write is missing until it is overwritten. */
static void failed(void) {
  uint64_t seed = 42;
  struct pattern_case p = new_pattern(&seed, true);
  struct mat_case m = new_mat(&p, 1, 1, OP2_F64, "A");
  double *values, *got = scratch((size_t)p.nrows, sizeof *got);
  op2_dat x = new_vector(&m, false, &seed, &values, "x");
  op2_dat y = new_dat(p.rows, 1, OP2_F64, NULL, "y");
  fill_mat(&m, 1);
  op2_status status = op2_call(test_ctx, give_up, NULL, op2_arg_mat(m.mat, NULL, NULL, OP2_RW));
  EXPECT(status == (test_config.eager ? OP2_ERR_CALL : OP2_SUCCESS));
  status = op2_mat_mult(m.mat, x, y);
  if (!status) status = op2_dat_get(y, got);
  EXPECT(status != OP2_SUCCESS);
  struct known wrote = {&m, NULL, 0, false};
  MUST(op2_call(test_ctx, overwrite, &wrote, op2_arg_mat(m.mat, NULL, NULL, OP2_WRITE)));
  const bool *marks = nonzeros_of(&m);
  for (int i = 0; i < p.nrows * p.ncolumns; i++) m.dense[i] = marks[i] ? written(i) : 0;
  expect_product(&m, x, y, values);
  end_mat(&m);
  end_pattern(&p);
}

static int meddle(void *data, void *const *values) {
  (void)data;
  ((double *)((const op2_mat_rows *)values[0])->values)[2] = 1e9;
  return 0;
}

static int forget(void *data, void *const *values) {
  const op2_mat_rows *rows = values[0];
  (void)data;
  for (int64_t p = 0; p < rows->starts[rows->nrows]; p++)
    if (p != 1) ((double *)rows->values)[p] = 1;
  return 0;
}

/* The checked mode sees functions that break their access. */
static void accused(void) {
  uint64_t seed = 43;
  if (!on_check()) return;
  struct pattern_case p = new_pattern(&seed, true);
  struct mat_case m = new_mat(&p, 1, 1, OP2_F64, "A");
  fill_mat(&m, 1);
  op2_status status = op2_call(test_ctx, meddle, NULL, op2_arg_mat(m.mat, NULL, NULL, OP2_READ));
  if (!status) status = op2_flush(test_ctx);
  EXPECT(status == OP2_ERR_KERNEL &&
         strstr(op2_error_message(), "changed OP2_READ value 0 of nonzero 2 of matrix 'A'"));
  expect_mat(&m);
  status = op2_call(test_ctx, forget, NULL, op2_arg_mat(m.mat, NULL, NULL, OP2_WRITE));
  if (!status) status = op2_flush(test_ctx);
  EXPECT(
      status == OP2_ERR_KERNEL &&
      strstr(op2_error_message(), "left unwritten OP2_WRITE value 0 of nonzero 1 of matrix 'A'"));
  end_mat(&m);
  end_pattern(&p);
}

static void refused(void) {
  uint64_t seed = 44;
  struct pattern_case p = new_pattern(&seed, true);
  struct mat_case m = new_mat(&p, 1, 1, OP2_F64, "A");
  op2_mat none = NULL;
  REFUSED(OP2_ERR_ACCESS,
          op2_call(test_ctx, give_up, NULL, op2_arg_mat(m.mat, NULL, NULL, OP2_INC)),
          "call 'give_up': argument 0 ('A'): calls READ, WRITE or RW what they get");
  REFUSED(OP2_ERR_RANGE,
          op2_call(test_ctx, give_up, NULL, op2_arg_mat(m.mat, p.to_rows, p.to_columns, OP2_RW)),
          "argument 0: matrix 'A' through a map: calls get whole matrices (op2_arg_mat() with null "
          "maps)");
  REFUSED(OP2_ERR_ACCESS,
          op2_call(test_ctx, give_up, NULL, op2_arg_mat(m.mat, NULL, NULL, OP2_READ),
                   op2_arg_mat(m.mat, NULL, NULL, OP2_RW)),
          "arguments 0 and 1 are both 'A'");
  REFUSED(OP2_ERR_ARG, op2_call(test_ctx, give_up, NULL, op2_arg_mat(none, NULL, NULL, OP2_RW)),
          "call 'give_up', argument 0");
  REFUSED(OP2_ERR_ARG, op2_call(test_ctx, give_up, NULL, op2_arg_idx()),
          "not made by op2_arg_direct(), op2_arg_mat(), op2_arg_gbl() or op2_arg_val()");
  end_mat(&m);
  end_pattern(&p);
}

static const struct test_case cases[] = {
    {"in order with loops", in_order}, {"a matrix that is destroyed", destroyed},
    {"a call that fails", failed},     {"what the checked mode finds", accused},
    {"what is refused", refused},
};

int main(void) {
  test_environment();
  return RUN(cases, RUN_TWO_BLOCKS | RUN_ON_DEVICES);
}
