/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices of random meshes, and the same as dense ones. */
#include "mat_case.h"

#include <stdio.h>
#include <string.h>

#include "context.h"
#include "support.h"

enum { ROWS = 37, COLUMNS = 29, ARITY = 3 };

/* Column 0 of a square pattern's map counts up, so that each row has a nonzero on the diagonal. */
static int32_t *draw_map(uint64_t *seed, int arity, int targets, bool all) {
  int32_t *idx = scratch((size_t)(PATTERN_CELLS * arity), sizeof *idx);
  for (int e = 0; e < PATTERN_CELLS; e++)
    for (int k = 0; k < arity; k++)
      idx[e * arity + k] = all && k == 0 ? e % targets : draw_below(seed, targets - !all * 9);
  return idx;
}

struct pattern_case new_pattern(uint64_t *seed, bool square) {
  struct pattern_case p = {
      .nrows = ROWS, .ncolumns = square ? ROWS : COLUMNS, .column_arity = square ? ARITY : 2};
  p.cells = new_set(PATTERN_CELLS, "cells");
  p.rows = new_set(ROWS, "rows");
  p.columns = square ? p.rows : new_set(COLUMNS, "columns");
  p.row_idx = draw_map(seed, ARITY, ROWS, square);
  p.column_idx = square ? p.row_idx : draw_map(seed, 2, COLUMNS, false);
  p.to_rows = new_map(p.cells, p.rows, ARITY, p.row_idx, "to rows");
  p.to_columns = square ? p.to_rows : new_map(p.cells, p.columns, 2, p.column_idx, "to columns");
  const op2_map_pair pair = {p.to_rows, p.to_columns};
  MUST(op2_sparsity_create(1, &pair, "pattern", &p.sparsity));
  return p;
}

void end_pattern(struct pattern_case *p) { op2_sparsity_destroy(&p->sparsity); }

int mat_rows(const struct mat_case *m) { return m->pattern->nrows * m->row_dim; }
int mat_columns(const struct mat_case *m) { return m->pattern->ncolumns * m->column_dim; }

static double value_of(int e, int r, int c, int salt) {
  return (double)((e + salt) % 5 - 1) * (r + 1) + (double)((c * salt + e) % 3) - 1;
}

static op2_kernel new_add(const struct mat_case *m) {
  char *text = scratch(512, 1);
  const int rows = ARITY * m->row_dim, columns = m->pattern->column_arity * m->column_dim;
  snprintf(text, 512,
           "void add(%s a[%d][%d], const int *e, int salt) {\n"
           "  for (int r = 0; r < %d; r++)\n    for (int c = 0; c < %d; c++)\n"
           "      a[r][c] += ((e[0] + salt) %% 5 - 1) * (r + 1) + (c * salt + e[0]) %% 3 - 1;\n}\n",
           m->type == OP2_F64 ? "double" : "float", rows, columns, rows, columns);
  return new_source("add", text);
}

struct mat_case new_mat(const struct pattern_case *pattern, int row_dim, int column_dim,
                        op2_type type, const char *name) {
  struct mat_case m = {
      .pattern = pattern, .row_dim = row_dim, .column_dim = column_dim, .type = type};
  MUST(op2_mat_create(pattern->sparsity, row_dim, column_dim, type, name, &m.mat));
  m.dense = scratch((size_t)(mat_rows(&m) * mat_columns(&m)), sizeof *m.dense);
  m.add = new_add(&m);
  return m;
}

void end_mat(struct mat_case *m) { op2_mat_destroy(&m->mat); }

void add_to_mat(struct mat_case *m, int salt) {
  const struct drop_case none = {0};
  add_dropping(m, salt, &none);
}

static bool dropped(const struct drop_case *drop, int32_t row, int32_t column) {
  return (drop->side & OP2_ROWS && drop->in[row]) || (drop->side & OP2_COLUMNS && drop->in[column]);
}

void add_dropping(struct mat_case *m, int salt, const struct drop_case *drop) {
  const struct pattern_case *p = m->pattern;
  const int32_t captured = salt;
  const op2_arg arg = drop->side ? op2_arg_mat_drop(m->mat, p->to_rows, p->to_columns, OP2_INC,
                                                    (op2_side)drop->side, drop->subset)
                                 : op2_arg_mat(m->mat, p->to_rows, p->to_columns, OP2_INC);
  const int rows = ARITY * m->row_dim, columns = p->column_arity * m->column_dim;
  MUST(op2_par_loop(m->add, p->cells, arg, op2_arg_idx(), op2_arg_val(&captured, 1, OP2_I32)));
  for (int e = 0; e < PATTERN_CELLS; e++)
    for (int r = 0; r < rows; r++)
      for (int c = 0; c < columns; c++) {
        const int32_t i = p->row_idx[e * ARITY + r / m->row_dim];
        const int32_t j = p->column_idx[e * p->column_arity + c / m->column_dim];
        const int row = i * m->row_dim + r % m->row_dim;
        const int column = j * m->column_dim + c % m->column_dim;
        if (dropped(drop, i, j)) continue;
        m->dense[row * mat_columns(m) + column] += value_of(e, r, c, salt);
      }
}

void fill_mat(struct mat_case *m, int salt) {
  MUST(op2_mat_zero(m->mat));
  memset(m->dense, 0, (size_t)(mat_rows(m) * mat_columns(m)) * sizeof *m->dense);
  add_to_mat(m, salt);
}

double mat_value(const struct mat_case *m, const void *values, int64_t i) {
  return m->type == OP2_F64 ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

void expect_mat(const struct mat_case *m) {
  int64_t rows, places, found = 0, expected = 0;
  const int block = m->row_dim * m->column_dim, all = mat_rows(m) * mat_columns(m);
  MUST(op2_sparsity_size(m->pattern->sparsity, &rows, &places));
  int64_t *starts = scratch((size_t)rows + 1, sizeof *starts);
  int64_t *columns = scratch((size_t)places, sizeof *columns);
  void *values = scratch((size_t)(places * block), sizeof(double));
  MUST(op2_sparsity_get(m->pattern->sparsity, starts, columns));
  MUST(op2_mat_get(m->mat, values));
  for (int64_t i = 0; i < rows; i++)
    for (int64_t p = starts[i]; p < starts[i + 1]; p++)
      for (int k = 0; k < block; k++) {
        const int64_t row = i * m->row_dim + k / m->column_dim;
        const int64_t column = columns[p] * m->column_dim + k % m->column_dim;
        const double want = m->dense[row * mat_columns(m) + column];
        found += want != 0;
        if (!EXPECT(mat_value(m, values, p * block + k) == want)) return;
      }
  for (int i = 0; i < all; i++) expected += m->dense[i] != 0;
  EXPECT(found == expected);
}

op2_dat new_vector(const struct mat_case *m, bool of_rows, uint64_t *seed, double **out,
                   const char *name) {
  const struct pattern_case *p = m->pattern;
  const int n = of_rows ? mat_rows(m) : mat_columns(m);
  double *values = scratch((size_t)n, sizeof *values);
  float *narrow = scratch((size_t)n, sizeof *narrow);
  for (int i = 0; i < n; i++) narrow[i] = (float)(values[i] = draw_below(seed, 9) - 4);
  *out = values;
  return new_dat(of_rows ? p->rows : p->columns, of_rows ? m->row_dim : m->column_dim, m->type,
                 m->type == OP2_F64 ? (const void *)values : narrow, name);
}

void expect_vector(const struct mat_case *m, op2_dat dat, int n, const double *want) {
  void *values = scratch((size_t)n, sizeof(double));
  MUST(op2_dat_get(dat, values));
  for (int i = 0; i < n; i++)
    if (!EXPECT(mat_value(m, values, i) == want[i])) return;
}

/* Devices compile slowly, so they get some of the blocks. */
void each_mat(void (*body)(uint64_t *seed, const struct pattern_case *pattern, int row_dim,
                           int column_dim, op2_type type)) {
  static const struct {
    int row_dim, column_dim;
    op2_type type;
  } blocks[] = {{1, 1, OP2_F64}, {2, 3, OP2_F32}, {1, 1, OP2_F32}, {3, 2, OP2_F64}};
  uint64_t seed = 11;
  const int n = on_device() ? 2 : (int)(sizeof blocks / sizeof *blocks);
  for (int kind = 0; kind < 4; kind++) {
    test_ctx->config.slices = kind / 2;
    struct pattern_case p = new_pattern(&seed, kind % 2);
    for (int b = 0; b < n; b++)
      body(&seed, &p, blocks[b].row_dim, blocks[b].column_dim, blocks[b].type);
    end_pattern(&p);
  }
}
