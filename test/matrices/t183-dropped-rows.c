/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments that leave out rows or columns of a subset, for blocks, types, layouts of rows and both
 * accesses, before and after renumbering, compared with dense matrices; rows that no element
 * reaches and that have a diagonal all the same; a system with boundary values made this way;
 * subsets that go; and what is refused. */
#include <math.h>
#include <string.h>

#include "context.h"
#include "mat_case.h"
#include "sparse.h"
#include "support.h"

enum { MOST = 64 };

/* Some elements of a set of n, of which in[] is set. */
static struct drop_case draw_drop(uint64_t *seed, op2_set of, int n, op2_side side, bool *in) {
  int64_t list[MOST], count = 0;
  for (int i = 0; i < n; i++)
    if ((in[i] = draw_below(seed, 3) == 0)) list[count++] = i;
  return (struct drop_case){side, new_subset(of, count, list, "some"), in};
}

/* With each turn there is a subset that is first used after the rows have another order. */
static void each_side(uint64_t *seed, const struct pattern_case *p, int row_dim, int column_dim,
                      op2_type type) {
  struct mat_case m = new_mat(p, row_dim, column_dim, type, "A");
  bool rows[MOST], columns[MOST], late[MOST];
  const struct drop_case of_rows = draw_drop(seed, p->rows, p->nrows, OP2_ROWS, rows);
  const struct drop_case of_columns =
      draw_drop(seed, p->columns, p->ncolumns, OP2_COLUMNS, columns);
  struct drop_case of_both = of_rows;
  of_both.side = OP2_ROWS_AND_COLUMNS;
  for (int turn = 0; turn < 2; turn++) {
    const struct drop_case of_late = draw_drop(seed, p->rows, p->nrows, OP2_ROWS, late);
    add_dropping(&m, 1, &of_rows);
    add_to_mat(&m, 2);
    add_dropping(&m, 3, &of_columns);
    if (p->rows == p->columns) add_dropping(&m, 4, &of_both);
    add_dropping(&m, 5, &of_late);
    expect_mat(&m);
    op2_status status = op2_renumber(p->to_rows);
    if (status != OP2_ERR_UNAVAILABLE) MUST(status);
  }
  end_mat(&m);
}

static void sides(void) { each_mat(each_side); }

/* All elements write one value, so that their order does not matter. */
static void writes(void) {
  uint64_t seed = 21;
  struct pattern_case p = new_pattern(&seed, true);
  struct mat_case m = new_mat(&p, 1, 1, OP2_F64, "A");
  bool in[MOST];
  const struct drop_case drop = draw_drop(&seed, p.rows, p.nrows, OP2_ROWS_AND_COLUMNS, in);
  op2_kernel five = new_source(
      "five", "void five(double a[3][3]) { for (int k = 0; k < 9; k++) a[k / 3][k % 3] = 5; }");
  add_to_mat(&m, 1);
  MUST(op2_par_loop(five, p.cells,
                    op2_arg_mat_drop(m.mat, p.to_rows, p.to_columns, OP2_WRITE,
                                     OP2_ROWS_AND_COLUMNS, drop.subset)));
  for (int e = 0; e < PATTERN_CELLS; e++)
    for (int k = 0; k < 9; k++) {
      const int32_t row = p.row_idx[3 * e + k / 3], column = p.column_idx[3 * e + k % 3];
      if (!in[row] && !in[column]) m.dense[row * p.ncolumns + column] = 5;
    }
  expect_mat(&m);
  end_mat(&m);
  end_pattern(&p);
}

/* ---- rows that no element reaches ------------------------------------------------------------ */

static void unreached(void) {
  static const int32_t idx[] = {1, 2, 2, 4};
  static const int64_t list[] = {0, 2, 3};
  static const double want[] = {6, 1, 6, 6, 1};
  double got[5];
  op2_set edges = new_set(2, "edges"), nodes = new_set(5, "nodes");
  op2_set some = new_subset(nodes, 3, list, "some");
  op2_map ends = new_map(edges, nodes, 2, idx, "ends");
  op2_dat diagonal = new_dat(nodes, 1, OP2_F64, NULL, "diagonal");
  op2_kernel add = new_source(
      "add", "void add(double a[2][2]) { for (int k = 0; k < 4; k++) a[k / 2][k % 2] += 1; }");
  const op2_map_pair pairs[] = {{ends, ends}, {NULL, NULL}};
  for (int whole = 0; whole < 2; whole++) {
    op2_sparsity sparsity;
    op2_mat mat;
    int64_t places;
    MUST(op2_sparsity_create(1 + whole, pairs, "pattern", &sparsity));
    MUST(op2_sparsity_size(sparsity, NULL, &places));
    EXPECT(places == 7 + 2 * whole);
    MUST(op2_mat_create(sparsity, 1, 1, OP2_F64, "A", &mat));
    MUST(op2_par_loop(add, edges, op2_arg_mat_drop(mat, ends, ends, OP2_INC, OP2_ROWS, some)));
    if (whole) {
      MUST(op2_mat_zero_rows(mat, some, 6));
      MUST(op2_mat_diagonal(mat, diagonal));
      MUST(op2_dat_get(diagonal, got));
      EXPECT(!memcmp(got, want, sizeof want));
    } else {
      REFUSED(OP2_ERR_MISMATCH, op2_mat_zero_rows(mat, some, 6), "row 0", "diagonal");
    }
    op2_mat_destroy(&mat);
    op2_sparsity_destroy(&sparsity);
  }
}

/* -u'' = 1 on a chain, with zeros at both ends: the differences have the exact solution. */
static void boundary(void) {
  enum { N = 9 };
  int32_t idx[2 * (N - 1)];
  double ones[N];
  for (int i = 0; i < N; i++) ones[i] = i % (N - 1) ? 1 : 0;
  for (int e = 0; e < N - 1; e++) idx[2 * e + 1] = (idx[2 * e] = e) + 1;
  op2_set edges = new_set(N - 1, "edges"), nodes = new_set(N, "nodes");
  op2_set outer = new_subset(nodes, 2, (const int64_t[]){0, N - 1}, "outer");
  op2_map ends = new_map(edges, nodes, 2, idx, "ends");
  op2_dat u = new_dat(nodes, 1, OP2_F64, NULL, "u"), b = new_dat(nodes, 1, OP2_F64, ones, "b");
  op2_kernel add =
      new_source("add", "void add(double a[2][2]) { for (int k = 0; k < 4; k++) a[k / 2][k % 2] += "
                        "k == 0 || k == 3 ? 1 : -1; }");
  const op2_map_pair pair = {ends, ends};
  const op2_solver_options options = {.method = OP2_METHOD_CG, .rtol = 1e-12};
  op2_sparsity sparsity;
  op2_mat mat;
  op2_solver solver;
  double got[N];
  MUST(op2_sparsity_create(1, &pair, "pattern", &sparsity));
  MUST(op2_mat_create(sparsity, 1, 1, OP2_F64, "A", &mat));
  MUST(op2_solver_create(test_ctx, &options, "cg", &solver));
  MUST(op2_par_loop(add, edges,
                    op2_arg_mat_drop(mat, ends, ends, OP2_INC, OP2_ROWS_AND_COLUMNS, outer)));
  MUST(op2_mat_zero_rows_columns(mat, outer, 1, NULL, NULL));
  MUST(op2_solve(solver, mat, u, b));
  MUST(op2_dat_get(u, got));
  for (int i = 0; i < N; i++) EXPECT(fabs(got[i] - i * (N - 1 - i) / 2.0) < 1e-9);
  op2_solver_destroy(&solver);
  op2_mat_destroy(&mat);
  op2_sparsity_destroy(&sparsity);
}

/* ---- subsets --------------------------------------------------------------------------------- */

/* A subset that is made anew each time, and given up while its loop waits, leaves no map behind. */
static void passing_subsets(void) {
  uint64_t seed = 22;
  struct pattern_case p = new_pattern(&seed, true);
  struct mat_case m = new_mat(&p, 1, 1, OP2_F64, "A");
  for (int64_t k = 0; k < 30; k++) {
    bool in[MOST] = {false};
    struct drop_case drop = {.side = OP2_ROWS, .in = in};
    in[k] = true;
    MUST(op2_subset_create(p.rows, 1, &k, "passing", &drop.subset));
    add_dropping(&m, (int)k, &drop);
    op2_set_destroy(&drop.subset);
    if (k % 10 == 0) expect_mat(&m);
  }
  expect_mat(&m);
  EXPECT(m.mat->sparsity->ndropped < 30);
  end_mat(&m);
  end_pattern(&p);
}

static void refused(void) {
  uint64_t seed = 23;
  struct pattern_case p = new_pattern(&seed, false);
  struct mat_case m = new_mat(&p, 1, 1, OP2_F64, "A");
  op2_set row = new_subset(p.rows, 1, (const int64_t[]){1}, "row");
  const op2_kernel add = new_source("none", "void none(double a[3][2]) { a[0][0] += 0; }");
#define DROP(side, subset)                                                                         \
  op2_par_loop(add, p.cells,                                                                       \
               op2_arg_mat_drop(m.mat, p.to_rows, p.to_columns, OP2_INC, side, subset))
  REFUSED(OP2_ERR_ARG, DROP(OP2_ROWS, NULL), "argument 0", "null");
  REFUSED(OP2_ERR_ARG, DROP((op2_side)4, row), "argument 0", "'A'", "side 4");
  REFUSED(OP2_ERR_MISMATCH, DROP(OP2_COLUMNS, row), "argument 0", "'row'", "'rows'", "'columns'");
  REFUSED(OP2_ERR_MISMATCH, DROP(OP2_ROWS_AND_COLUMNS, row), "argument 0", "'row'", "'columns'");
  REFUSED(OP2_ERR_MISMATCH, DROP(OP2_ROWS, p.cells), "argument 0", "'cells'", "'rows'");
#undef DROP
  const op2_map_pair pairs[] = {{p.to_rows, p.to_columns}, {NULL, NULL}};
  op2_sparsity sparsity = NULL;
  REFUSED(OP2_ERR_MISMATCH, op2_sparsity_create(2, pairs, "wide", &sparsity), "'wide'",
          "no diagonal", "'rows'", "'columns'");
  REFUSED(OP2_ERR_ARG, op2_sparsity_create(1, pairs + 1, "wide", &sparsity), "null");
  EXPECT(!sparsity);
  end_mat(&m);
  end_pattern(&p);
}

static const struct test_case cases[] = {
    {"rows and columns, blocks and types", sides}, {"values that are written", writes},
    {"rows that no element reaches", unreached},   {"a system with boundary values", boundary},
    {"subsets that go", passing_subsets},          {"what is refused", refused},
};

int main(void) {
  test_environment();
  return RUN(cases, RUN_ON_DEVICES | RUN_TWO_BLOCKS);
}
