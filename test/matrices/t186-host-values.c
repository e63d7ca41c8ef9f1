/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of matrices from the host, by rows and columns: overwritten and added, for blocks, types and
 * layouts of rows, before and after renumbering, between loops, compared with dense matrices; and
 * what is refused changes nothing. */
#include "mat_case.h"
#include "support.h"

enum { BLOCKS = 20, MOST = BLOCKS * 6 };

/* Draw blocks of nonzeros, and put them into the dense matrix. */
static void draw_blocks(uint64_t *seed, struct mat_case *m, bool adds, int64_t *rows,
                        int64_t *columns, double *values) {
  const struct pattern_case *p = m->pattern;
  for (int b = 0; b < BLOCKS; b++) {
    const int e = draw_below(seed, PATTERN_CELLS);
    rows[b] = p->row_idx[3 * e + draw_below(seed, 3)];
    columns[b] = p->column_idx[p->column_arity * e + draw_below(seed, p->column_arity)];
    for (int k = 0; k < m->row_dim * m->column_dim; k++) {
      const int64_t row = rows[b] * m->row_dim + k / m->column_dim;
      const int64_t column = columns[b] * m->column_dim + k % m->column_dim;
      double *to = &m->dense[row * mat_columns(m) + column];
      *values = draw_below(seed, 19) - 9;
      *to = adds ? *to + *values : *values;
      values++;
    }
  }
}

static void blocks(uint64_t *seed, const struct pattern_case *p, int row_dim, int column_dim,
                   op2_type type) {
  struct mat_case m = new_mat(p, row_dim, column_dim, type, "A");
  int64_t rows[BLOCKS], columns[BLOCKS];
  double values[MOST];
  float narrow[MOST];
  fill_mat(&m, 1);
  for (int turn = 0; turn < 4; turn++) {
    const bool adds = turn % 2;
    draw_blocks(seed, &m, adds, rows, columns, values);
    for (int k = 0; k < MOST; k++) narrow[k] = (float)values[k];
    const void *given = type == OP2_F64 ? (const void *)values : narrow;
    MUST(adds ? op2_mat_add(m.mat, BLOCKS, rows, columns, given)
              : op2_mat_set(m.mat, BLOCKS, rows, columns, given));
    add_to_mat(&m, 2);
    expect_mat(&m);
    op2_status status = op2_renumber(turn ? p->to_columns : p->to_rows);
    if (status != OP2_ERR_UNAVAILABLE) MUST(status);
  }
  MUST(op2_mat_add(m.mat, 0, NULL, NULL, NULL));
  expect_mat(&m);
  end_mat(&m);
}

static void each_block(void) { each_mat(blocks); }

static void refused(void) {
  static const int32_t idx[] = {0, 1, 1, 2};
  static const int64_t rows[] = {0, 2, 0, 3, -1}, columns[] = {1, 2, 2, 1, 0};
  static const double ones[5] = {1, 1, 1, 1, 1};
  op2_set edges = new_set(2, "edges"), nodes = new_set(3, "nodes");
  op2_map ends = new_map(edges, nodes, 2, idx, "ends");
  const op2_map_pair pair = {ends, ends};
  op2_sparsity sparsity;
  op2_mat mat;
  double values[7];
  MUST(op2_sparsity_create(1, &pair, "pattern", &sparsity));
  MUST(op2_mat_create(sparsity, 1, 1, OP2_F64, "A", &mat));
  REFUSED(OP2_ERR_RANGE, op2_mat_add(mat, 3, rows, columns, ones), "op2_mat_add", "'A'",
          "'pattern'", "row 0, column 2");
  REFUSED(OP2_ERR_RANGE, op2_mat_set(mat, 1, rows + 3, columns, ones), "op2_mat_set", "row 3",
          "[0, 3)");
  REFUSED(OP2_ERR_RANGE, op2_mat_set(mat, 1, rows + 4, columns, ones), "row -1");
  REFUSED(OP2_ERR_ARG, op2_mat_set(mat, -1, rows, columns, ones), "-1 blocks");
  REFUSED(OP2_ERR_ARG, op2_mat_set(mat, 1, NULL, columns, ones), "null");
  REFUSED(OP2_ERR_ARG, op2_mat_set(NULL, 1, rows, columns, ones), "op2_mat_set", "null");
  MUST(op2_mat_get(mat, values));
  for (int k = 0; k < 7; k++) EXPECT(values[k] == 0);
  MUST(op2_mat_add(mat, 2, rows, columns, ones));
  MUST(op2_mat_get(mat, values));
  for (int k = 0; k < 7; k++) EXPECT(values[k] == (k == 1 || k == 6));
  op2_mat_destroy(&mat);
  op2_sparsity_destroy(&sparsity);
}

static const struct test_case cases[] = {
    {"blocks, types and layouts", each_block},
    {"what is refused", refused},
};

int main(void) {
  test_environment();
  return RUN(cases, RUN_ON_DEVICES | RUN_TWO_BLOCKS);
}
