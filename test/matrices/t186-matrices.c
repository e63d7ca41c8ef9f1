/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that assemble matrices: INC and WRITE, blocks of every shape, float and double, several
 * pairs of maps in one loop, entries that lead nowhere, subsets, fused loops, zeros, and the forms
 * of the kernel's parameter; compared with dense matrices. All values are whole numbers, so that
 * their order does not matter. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { CELLS = 700, ROWS = 420, COLUMNS = 390, MOST = 3 };

struct side {
  int arity;
  op2_set set;
  int64_t n;
  int32_t *idx;
  op2_map map;
};

struct assembly {
  op2_set cells;
  struct side rows, columns;
  int row_dim, column_dim;
  op2_type type;
  op2_sparsity sparsity;
  op2_mat mat;
  op2_dat weight;
  double *w;
  double *dense; /* [rows][row_dim][columns][column_dim] */
};

/* A map to neighbours mostly, as in a mesh, or to any elements. */
static struct side new_side(uint64_t *seed, op2_set from, op2_set set, int64_t n, int arity,
                            bool partial, const char *name) {
  struct side side = {.arity = arity, .set = set, .n = n};
  bool scattered = draw_below(seed, 2);
  side.idx = scratch((size_t)(CELLS * arity), sizeof *side.idx);
  for (int64_t e = 0; e < CELLS; e++)
    for (int k = 0; k < arity; k++) {
      int64_t near = e * n / CELLS + draw_below(seed, 9);
      side.idx[e * arity + k] =
          scattered ? draw_below(seed, (int)n) : (int32_t)(near < n ? near : 0);
      if (partial && draw_below(seed, 6) == 0) side.idx[e * arity + k] = -7;
    }
  if (!partial) {
    side.map = new_map(from, set, arity, side.idx, name);
  } else {
    MUST(op2_map_create_partial(from, set, arity, side.idx, name, &side.map));
    own_map(side.map);
  }
  return side;
}

static struct assembly new_assembly(uint64_t *seed, int row_arity, int column_arity, int row_dim,
                                    int column_dim, op2_type type, bool partial) {
  struct assembly a = {.row_dim = row_dim, .column_dim = column_dim, .type = type};
  op2_set rows = new_set(ROWS, "rows"), columns = new_set(COLUMNS, "columns");
  a.cells = new_set(CELLS, "cells");
  a.rows = new_side(seed, a.cells, rows, ROWS, row_arity, partial, "to rows");
  a.columns = new_side(seed, a.cells, columns, COLUMNS, column_arity, partial, "to columns");
  a.w = scratch(CELLS, sizeof *a.w);
  for (int e = 0; e < CELLS; e++) a.w[e] = draw_below(seed, 50);
  a.weight = new_dat(a.cells, 1, OP2_F64, a.w, "weight");
  a.dense = scratch((size_t)ROWS * COLUMNS * (size_t)(row_dim * column_dim), sizeof *a.dense);
  const op2_map_pair pair = {a.rows.map, a.columns.map};
  MUST(op2_sparsity_create(1, &pair, "sparsity", &a.sparsity));
  MUST(op2_mat_create(a.sparsity, row_dim, column_dim, type, "K", &a.mat));
  return a;
}

static void end_assembly(struct assembly *a) {
  op2_mat_destroy(&a->mat);
  op2_sparsity_destroy(&a->sparsity);
}

static int block_rows(const struct assembly *a) { return a->rows.arity * a->row_dim; }
static int block_columns(const struct assembly *a) { return a->columns.arity * a->column_dim; }

/* The value that an element of weight w gives to row r and column c of its block. */
static double value(double w, int r, int c) { return w * (r + 1) - 3 * c + r * c; }

static op2_kernel block_kernel(const struct assembly *a, const char *parameter, bool flat) {
  char source[1024];
  const char *type = a->type == OP2_F64 ? "double" : "float";
  snprintf(source, sizeof source,
           "void block(const double *w, %s %s) {\n"
           "  for (int r = 0; r < %d; r++)\n    for (int c = 0; c < %d; c++)\n"
           "      a%s = w[0] * (r + 1) - 3 * c + r * c;\n}\n",
           type, parameter, block_rows(a), block_columns(a), flat ? "[r * NC + c]" : "[r][c]");
  char *text = scratch(sizeof source + 64, 1);
  snprintf(text, sizeof source + 64, "#define NC %d\n%s", block_columns(a), source);
  return new_source("block", text);
}

static op2_kernel flat_kernel(const struct assembly *a) { return block_kernel(a, "*a", true); }

static op2_kernel square_kernel(const struct assembly *a) {
  char parameter[64];
  snprintf(parameter, sizeof parameter, "a[%d][%d]", block_rows(a), block_columns(a));
  return block_kernel(a, parameter, false);
}

/* INC kernels and WRITE kernels give the same values, as the matrix starts at zero. */
static void assemble(struct assembly *a, op2_kernel kernel, op2_set over, op2_access access) {
  MUST(op2_par_loop(kernel, over, op2_arg_direct(a->weight, OP2_READ),
                    op2_arg_mat(a->mat, a->rows.map, a->columns.map, access)));
}

static void assemble_dense(struct assembly *a, int64_t e, op2_access access) {
  for (int r = 0; r < block_rows(a); r++)
    for (int c = 0; c < block_columns(a); c++) {
      int64_t row = a->rows.idx[e * a->rows.arity + r / a->row_dim];
      int64_t column = a->columns.idx[e * a->columns.arity + c / a->column_dim];
      if (row < 0 || column < 0) continue;
      double *at = &a->dense[(row * a->row_dim + r % a->row_dim) * COLUMNS * a->column_dim +
                             column * a->column_dim + c % a->column_dim];
      *at = value(a->w[e], r, c) + (access == OP2_INC ? *at : 0);
    }
}

/* Values at the nonzeros of the sparsity; the dense matrix is zero elsewhere. */
static void expect_dense(struct assembly *a) {
  int64_t rows, places;
  MUST(op2_sparsity_size(a->sparsity, &rows, &places));
  size_t block = (size_t)(a->row_dim * a->column_dim);
  int64_t *starts = scratch((size_t)rows + 1, sizeof *starts);
  int64_t *columns = scratch((size_t)places + 1, sizeof *columns);
  char *values = scratch((size_t)places * block + 1, sizeof(double));
  double *seen = scratch((size_t)ROWS * COLUMNS * block, sizeof *seen);
  MUST(op2_sparsity_get(a->sparsity, starts, columns));
  MUST(op2_mat_get(a->mat, values));
  for (int64_t row = 0; row < rows; row++)
    for (int64_t p = starts[row]; p < starts[row + 1]; p++)
      for (size_t c = 0; c < block; c++) {
        size_t at = (size_t)p * block + c;
        int64_t k = (int64_t)c / a->column_dim, l = (int64_t)c % a->column_dim;
        seen[(row * a->row_dim + k) * COLUMNS * a->column_dim + columns[p] * a->column_dim + l] =
            a->type == OP2_F64 ? ((double *)values)[at] : (double)((float *)values)[at];
      }
  for (size_t i = 0; i < (size_t)ROWS * COLUMNS * block; i++)
    if (seen[i] != a->dense[i]) {
      mismatch_at(__FILE__, __LINE__, "a value", (int64_t)i, seen[i], a->dense[i]);
      return;
    }
}

/* ---- cases ----------------------------------------------------------------------------------- */

static void added(void) {
  static const int shapes[][4] = {{1, 1, 1, 1}, {3, 3, 1, 1}, {4, 4, 1, 1}, {4, 2, 1, 1},
                                  {3, 3, 2, 2}, {2, 3, 3, 1}, {4, 4, 2, 2}, {6, 6, 1, 1},
                                  {2, 2, 1, 4}, {3, 1, 2, 3}};
  uint64_t seed = 1;
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (int kind = 0; kind < 4; kind++) {
      struct assembly a = new_assembly(&seed, shapes[s][0], shapes[s][1], shapes[s][2],
                                       shapes[s][3], kind % 2 ? OP2_F32 : OP2_F64, kind / 2);
      op2_kernel kernel = s % 2 ? flat_kernel(&a) : square_kernel(&a);
      assemble(&a, kernel, a.cells, OP2_INC);
      for (int e = 0; e < CELLS; e++) assemble_dense(&a, e, OP2_INC);
      expect_dense(&a);
      assemble(&a, kernel, a.cells, OP2_INC);
      for (int e = 0; e < CELLS; e++) assemble_dense(&a, e, OP2_INC);
      expect_dense(&a);
      end_assembly(&a);
      if (on_device()) break; /* each needs another compilation */
    }
}

/* The last element that writes a nonzero determines its value. */
static void written(void) {
  static const int shapes[][4] = {{1, 1, 1, 1}, {3, 3, 1, 1}, {2, 2, 2, 2}};
  uint64_t seed = 2;
  if (on_check()) return; /* the checked mode refuses different values */
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (int partial = 0; partial < 2; partial++) {
      struct assembly a = new_assembly(&seed, shapes[s][0], shapes[s][1], shapes[s][2],
                                       shapes[s][3], OP2_F64, partial);
      op2_kernel kernel = flat_kernel(&a);
      assemble(&a, kernel, a.cells, OP2_INC);
      for (int e = 0; e < CELLS; e++) assemble_dense(&a, e, OP2_INC);
      assemble(&a, kernel, a.cells, OP2_WRITE);
      for (int e = 0; e < CELLS; e++) assemble_dense(&a, e, OP2_WRITE);
      expect_dense(&a);
      assemble(&a, kernel, a.cells, OP2_INC);
      for (int e = 0; e < CELLS; e++) assemble_dense(&a, e, OP2_INC);
      expect_dense(&a);
      end_assembly(&a);
    }
}

/* Each element has its own row and column: no two elements conflict, and no order is kept. Values
 * of large blocks are stored by loops, though each has one location only. */
static void apart(int dim, op2_access access) {
  uint64_t seed = 3;
  char text[256];
  size_t n = (size_t)(dim * dim);
  op2_set cells = new_set(CELLS, "cells");
  int32_t *idx = scratch(CELLS, sizeof *idx);
  for (int i = 0; i < CELLS; i++) idx[i] = (i * 3) % CELLS;
  op2_map map = new_map(cells, cells, 1, idx, "map");
  const op2_map_pair pair = {map, map};
  op2_sparsity sparsity;
  op2_mat mat;
  MUST(op2_sparsity_create(1, &pair, "apart", &sparsity));
  MUST(op2_mat_create(sparsity, dim, dim, OP2_F64, "K", &mat));
  double *w = scratch(CELLS, sizeof *w), *got = scratch(CELLS, n * sizeof *got);
  for (int i = 0; i < CELLS; i++) w[i] = draw_below(&seed, 90);
  op2_dat weight = new_dat(cells, 1, OP2_F64, w, "weight");
  snprintf(text, sizeof text,
           "void put(const double *w, double a[%d][%d]) {\n  for (int i = 0; i < %d; i++)\n"
           "    for (int j = 0; j < %d; j++) a[i][j] %s w[0] * (i - j) + i;\n}\n",
           dim, dim, dim, dim, access == OP2_INC ? "+=" : "=");
  MUST(op2_par_loop(new_source("put", text), cells, op2_arg_direct(weight, OP2_READ),
                    op2_arg_mat(mat, map, map, access)));
  MUST(op2_mat_get(mat, got));
  for (size_t i = 0; i < CELLS * n; i++) {
    int row = (int)(i % n) / dim, column = (int)(i % n) % dim;
    if (!EXPECT(got[(size_t)idx[i / n] * n + i % n] == w[i / n] * (row - column) + row)) break;
  }
  op2_mat_destroy(&mat);
  op2_sparsity_destroy(&sparsity);
}

static void written_apart(void) {
  for (int dim = 2; dim <= 6; dim += 4) {
    apart(dim, OP2_WRITE);
    apart(dim, OP2_INC);
  }
}

static void subsets_and_zero(void) {
  uint64_t seed = 4;
  struct assembly a = new_assembly(&seed, 3, 2, 1, 2, OP2_F64, true);
  int64_t *list = scratch(CELLS, sizeof *list), n = 0;
  for (int e = 0; e < CELLS; e++)
    if (draw_below(&seed, 3) == 0) list[n++] = e;
  op2_set some = new_subset(a.cells, n, list, "some");
  op2_kernel kernel = square_kernel(&a);
  assemble(&a, kernel, a.cells, OP2_INC);
  MUST(op2_mat_zero(a.mat));
  assemble(&a, kernel, some, OP2_INC);
  for (int64_t i = 0; i < n; i++) assemble_dense(&a, list[i], OP2_INC);
  expect_dense(&a);
  MUST(op2_mat_zero(a.mat));
  memset(a.dense, 0, (size_t)ROWS * COLUMNS * 2 * sizeof *a.dense);
  expect_dense(&a);
  end_assembly(&a);
}

/* Two blocks of one matrix and a right-hand side in one loop, and in loops that are fused. */
static void several(void) {
  uint64_t seed = 5;
  op2_set cells = new_set(CELLS, "cells"), nodes = new_set(ROWS, "nodes");
  struct side p = new_side(&seed, cells, nodes, ROWS, 3, false, "p");
  struct side q = new_side(&seed, cells, nodes, ROWS, 2, true, "q");
  const op2_map_pair pairs[] = {{p.map, p.map}, {q.map, p.map}, {p.map, q.map}};
  op2_sparsity sparsity;
  op2_mat one, two;
  MUST(op2_sparsity_create(3, pairs, "several", &sparsity));
  MUST(op2_mat_create(sparsity, 1, 1, OP2_F64, "one", &one));
  MUST(op2_mat_create(sparsity, 1, 1, OP2_F64, "two", &two));
  op2_dat b = new_dat(nodes, 1, OP2_F64, NULL, "b");
  op2_kernel both = new_source("both", "void both(double a[3][3], double c[2][3], double **b) {\n"
                                       "for (int i = 0; i < 3; i++) {\n"
                                       "  for (int j = 0; j < 3; j++) a[i][j] += 1 + i + 4 * j;\n"
                                       "  for (int k = 0; k < 2; k++) c[k][i] += 20 + k + 2 * i;\n"
                                       "  b[i][0] += 1; } }");
  op2_kernel first =
      new_source("first", "void first(double a[3][3]) { for (int i = 0; i < 9; i++) a[i / "
                          "3][i % 3] += 1 + i / 3 + 4 * (i % 3); }");
  op2_kernel second =
      new_source("second", "void second(double *c) { for (int i = 0; i < 6; i++) c[i] += "
                           "20 + i / 3 + 2 * (i % 3); }");
  MUST(op2_par_loop(both, cells, op2_arg_mat(one, p.map, p.map, OP2_INC),
                    op2_arg_mat(one, q.map, p.map, OP2_INC),
                    op2_arg_dat(b, OP2_ALL, p.map, OP2_INC)));
  for (int times = 0; times < 2; times++) {
    if (times) MUST(op2_mat_zero(two));
    MUST(op2_par_loop(first, cells, op2_arg_mat(two, p.map, p.map, OP2_INC)));
    MUST(op2_par_loop(second, cells, op2_arg_mat(two, q.map, p.map, OP2_INC)));
    MUST(op2_flush(test_ctx));
  }
  int64_t rows, places;
  MUST(op2_sparsity_size(sparsity, &rows, &places));
  double *dense = scratch((size_t)ROWS * ROWS, sizeof *dense);
  double *u = scratch((size_t)places, sizeof *u), *v = scratch((size_t)places, sizeof *v);
  int64_t *starts = scratch((size_t)rows + 1, sizeof *starts);
  int64_t *columns = scratch((size_t)places, sizeof *columns);
  for (int e = 0; e < CELLS; e++)
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++)
        dense[p.idx[3 * e + i] * ROWS + p.idx[3 * e + j]] += 1 + i + 4 * j;
      for (int k = 0; k < 2; k++)
        if (q.idx[2 * e + k] >= 0)
          dense[q.idx[2 * e + k] * ROWS + p.idx[3 * e + i]] += 20 + k + 2 * i;
    }
  MUST(op2_sparsity_get(sparsity, starts, columns));
  MUST(op2_mat_get(one, u));
  MUST(op2_mat_get(two, v));
  for (int64_t row = 0; row < rows; row++)
    for (int64_t at = starts[row]; at < starts[row + 1]; at++) {
      double want = dense[row * ROWS + columns[at]];
      if (!EXPECT(u[at] == want && v[at] == want)) row = rows - 1, at = starts[rows];
    }
  op2_mat_destroy(&one);
  op2_mat_destroy(&two);
  op2_sparsity_destroy(&sparsity);
}

/* Renumbering is invisible to the program: before the sparsity is made, or while the matrix has
 * values and a product is queued. */
static void renumbered_when(bool before, bool ordered) {
  uint64_t seed = 6;
  op2_set cells = new_set(CELLS, "cells"), nodes = new_set(ROWS, "nodes");
  struct side p = new_side(&seed, cells, nodes, ROWS, 3, true, "p");
  op2_status status = before ? op2_renumber(p.map) : OP2_SUCCESS;
  if (status == OP2_ERR_UNAVAILABLE) return;
  MUST(status);
  struct assembly a = {.cells = cells, .rows = p, .columns = p, .row_dim = 1, .column_dim = 1};
  a.type = OP2_F64;
  a.w = scratch(CELLS, sizeof *a.w);
  for (int e = 0; e < CELLS; e++) a.w[e] = draw_below(&seed, 50);
  a.weight = new_dat(cells, 1, OP2_F64, a.w, "weight");
  const op2_map_pair pair = {p.map, p.map};
  MUST(op2_sparsity_create(1, &pair, "sparsity", &a.sparsity));
  MUST(op2_mat_create(a.sparsity, 1, 1, OP2_F64, "K", &a.mat));
  op2_kernel kernel = square_kernel(&a);
  double *x = scratch(ROWS, sizeof *x);
  for (int i = 0; i < ROWS; i++) x[i] = draw_below(&seed, 9);
  op2_dat dx = new_dat(nodes, 1, OP2_F64, x, "x"), dy = new_dat(nodes, 1, OP2_F64, NULL, "y");
  for (int times = 1; times <= 3; times++) {
    assemble(&a, kernel, cells, OP2_INC);
    if (ordered) { /* a loop that keeps order makes the library undo its automatic renumbering */
      op2_kernel last =
          new_source("last", "void last(const double *w, double *y) { y[0] = y[0] / 2 + w[0]; }");
      op2_map whole = new_map(cells, nodes, 1, scratch(CELLS, sizeof(int32_t)), "to the first");
      MUST(op2_par_loop(last, cells, op2_arg_direct(a.weight, OP2_READ),
                        op2_arg_dat(dy, 0, whole, OP2_RW)));
    }
    MUST(op2_mat_mult(a.mat, dx, dy));
    if (times == 2) {
      status = op2_renumber(p.map);
      if (status == OP2_ERR_UNAVAILABLE) break;
      MUST(status);
    }
    int64_t rows, places;
    MUST(op2_sparsity_size(a.sparsity, &rows, &places));
    double *dense = scratch((size_t)ROWS * ROWS, sizeof *dense),
           *got = scratch((size_t)places, sizeof *got);
    double *y = scratch(ROWS, sizeof *y);
    int64_t *starts = scratch((size_t)rows + 1, sizeof *starts);
    int64_t *columns = scratch((size_t)places, sizeof *columns);
    for (int e = 0; e < CELLS; e++)
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          if (p.idx[3 * e + i] >= 0 && p.idx[3 * e + j] >= 0)
            dense[p.idx[3 * e + i] * ROWS + p.idx[3 * e + j]] += times * value(a.w[e], i, j);
    for (int i = 0; i < ROWS; i++)
      for (int j = 0; j < ROWS; j++) y[i] += dense[i * ROWS + j] * x[j];
    MUST(op2_sparsity_get(a.sparsity, starts, columns));
    MUST(op2_mat_get(a.mat, got));
    for (int64_t row = 0; row < rows; row++)
      for (int64_t at = starts[row]; at < starts[row + 1]; at++)
        if (!EXPECT(got[at] == dense[row * ROWS + columns[at]])) row = rows - 1, at = starts[rows];
    EXPECT_VALUES(double, dy, ROWS, i, y[i]);
  }
  end_assembly(&a);
}

static void renumbered(void) { renumbered_when(true, false); }
static void renumbered_later(void) { renumbered_when(false, false); }
static void renumbered_automatically(void) { renumbered_when(false, true); }

/* ---- rows and the diagonal ------------------------------------------------------------------ */

/* The matrix is square and every node is reached, so that each row has a diagonal. */
static struct assembly square_assembly(uint64_t *seed, int dim) {
  struct assembly a = {.row_dim = dim, .column_dim = dim, .type = OP2_F64};
  op2_set nodes = new_set(ROWS, "nodes");
  a.cells = new_set(CELLS, "cells");
  a.rows = (struct side){.arity = 3, .set = nodes, .n = ROWS};
  a.rows.idx = scratch(CELLS * 3, sizeof *a.rows.idx);
  for (int e = 0; e < CELLS; e++)
    for (int k = 0; k < 3; k++) a.rows.idx[3 * e + k] = k ? draw_below(seed, ROWS) : e % ROWS;
  a.rows.map = new_map(a.cells, nodes, 3, a.rows.idx, "nodes of cells");
  a.columns = a.rows;
  a.w = scratch(CELLS, sizeof *a.w);
  for (int e = 0; e < CELLS; e++) a.w[e] = 1 + draw_below(seed, 50);
  a.weight = new_dat(a.cells, 1, OP2_F64, a.w, "weight");
  a.dense = scratch((size_t)ROWS * ROWS * (size_t)(dim * dim), sizeof *a.dense);
  const op2_map_pair pair = {a.rows.map, a.rows.map};
  MUST(op2_sparsity_create(1, &pair, "sparsity", &a.sparsity));
  MUST(op2_mat_create(a.sparsity, dim, dim, OP2_F64, "K", &a.mat));
  return a;
}

/* Value (k, l) of the nonzero in row i and column j of an assembled square matrix. */
static double square_value(const struct assembly *a, int64_t i, int64_t j, int k, int l) {
  double sum = 0;
  for (int e = 0; e < CELLS; e++)
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++)
        if (a->rows.idx[3 * e + r] == i && a->rows.idx[3 * e + c] == j)
          sum += value(a->w[e], r * a->row_dim + k, c * a->row_dim + l);
  return sum;
}

static void rows_and_diagonal(void) {
  uint64_t seed = 12;
  for (int dim = 1; dim <= 2; dim++) {
    struct assembly a = square_assembly(&seed, dim);
    const int block = dim * dim;
    op2_kernel kernel = square_kernel(&a);
    int64_t list[ROWS / 5 + 1], n = 0, rows, places;
    for (int i = 0; i < ROWS; i += 5) list[n++] = i;
    op2_set some = new_subset(a.rows.set, n, list, "some");
    op2_dat diagonal = new_dat(a.rows.set, dim, OP2_F64, NULL, "diagonal");
    op2_dat blocks = new_dat(a.rows.set, block, OP2_F64, NULL, "blocks");
    MUST(op2_sparsity_size(a.sparsity, &rows, &places));
    int64_t *starts = scratch((size_t)rows + 1, sizeof *starts);
    int64_t *columns = scratch((size_t)places, sizeof *columns);
    double *was = scratch((size_t)(places * block), sizeof *was);
    double *is = scratch((size_t)(places * block), sizeof *is);
    MUST(op2_sparsity_get(a.sparsity, starts, columns));
    for (int times = 0; times < 3; times++) {
      if (times == 1) {
        op2_status status = op2_renumber(a.rows.map);
        if (status != OP2_ERR_UNAVAILABLE) MUST(status);
      }
      MUST(op2_mat_zero(a.mat));
      assemble(&a, kernel, a.cells, OP2_INC);
      MUST(op2_mat_get(a.mat, was));
      EXPECT(was[0] == square_value(&a, 0, columns[0], 0, 0));
      MUST(op2_mat_diagonal(a.mat, blocks));
      MUST(op2_mat_zero_rows(a.mat, some, times < 2 ? 7 : 0));
      MUST(op2_mat_diagonal(a.mat, diagonal));
      MUST(op2_mat_get(a.mat, is));
      for (int64_t i = 0; i < rows; i++)
        for (int64_t p = starts[i]; p < starts[i + 1]; p++)
          for (int c = 0; c < block; c++) {
            bool on = columns[p] == i && c % (dim + 1) == 0 && times < 2;
            double want = i % 5 ? was[p * block + c] : on ? 7 : 0;
            if (!EXPECT(is[p * block + c] == want)) return;
          }
      int64_t *on = scratch((size_t)rows, sizeof *on); /* its nonzero on the diagonal */
      for (int64_t i = 0; i < rows; i++)
        for (on[i] = starts[i]; columns[on[i]] != i;) on[i]++;
      EXPECT_VALUES(double, blocks, rows *block, i, was[on[i / block] * block + i % block]);
      EXPECT_VALUES(double, diagonal, rows *dim, i, is[on[i / dim] * block + i % dim * (dim + 1)]);
    }
    end_assembly(&a);
  }
}

static void refused_rows(void) {
  uint64_t seed = 13;
  struct assembly a = new_assembly(&seed, 2, 2, 2, 1, OP2_F64, false),
                  b = square_assembly(&seed, 1);
  op2_dat d = new_dat(a.rows.set, 2, OP2_F64, NULL, "d"),
          far = new_dat(b.cells, 1, OP2_F64, NULL, "far");
  op2_dat f = new_dat(b.rows.set, 1, OP2_F32, NULL, "f"),
          wide = new_dat(b.rows.set, 3, OP2_F64, NULL, "wide");
  REFUSED(OP2_ERR_MISMATCH, op2_mat_zero_rows(a.mat, a.columns.set, 0), "'K'", "'columns'",
          "'rows'");
  REFUSED(OP2_ERR_MISMATCH, op2_mat_zero_rows(a.mat, a.rows.set, 1), "no diagonal", "'rows'",
          "'columns'");
  REFUSED(OP2_ERR_MISMATCH, op2_mat_diagonal(a.mat, d), "'K'", "none");
  REFUSED(OP2_ERR_MISMATCH, op2_mat_diagonal(b.mat, far), "'far'", "'cells'", "'nodes'");
  REFUSED(OP2_ERR_MISMATCH, op2_mat_diagonal(b.mat, wide), "'wide'", "dim 3");
  REFUSED(OP2_ERR_TYPE, op2_mat_diagonal(b.mat, f), "'f'", "OP2_F32");
  REFUSED(OP2_ERR_ARG, op2_mat_zero_rows(NULL, a.rows.set, 0), "null");
  REFUSED(OP2_ERR_ARG, op2_mat_zero_rows(a.mat, NULL, 0), "null");
  REFUSED(OP2_ERR_ARG, op2_mat_diagonal(b.mat, NULL), "null");
  end_assembly(&a);
  end_assembly(&b);
  op2_set two = new_set(2, "two"), one = new_set(1, "one");
  static const int32_t zero[] = {0};
  op2_map map = new_map(one, two, 1, zero, "to the first");
  const op2_map_pair pair = {map, map};
  op2_sparsity sparsity;
  op2_mat mat;
  MUST(op2_sparsity_create(1, &pair, "short", &sparsity));
  MUST(op2_mat_create(sparsity, 1, 1, OP2_F64, "S", &mat));
  REFUSED(OP2_ERR_MISMATCH, op2_mat_zero_rows(mat, two, 1), "'short'", "row 1", "diagonal");
  op2_dat diagonal = new_dat(two, 1, OP2_F64, (const double[]){5, 5}, "diagonal");
  MUST(op2_mat_zero_rows(mat, two, 0));
  MUST(op2_mat_diagonal(mat, diagonal));
  EXPECT_VALUES(double, diagonal, 2, i, 0 * (double)i);
  op2_mat_destroy(&mat);
  op2_sparsity_destroy(&sparsity);
}

/* ---- products -------------------------------------------------------------------------------- */

/* The dense matrix times x, for x of whole numbers. */
static double product(const struct assembly *a, const double *x, int64_t row) {
  double sum = 0;
  for (int64_t c = 0; c < (int64_t)COLUMNS * a->column_dim; c++)
    sum += a->dense[row * COLUMNS * a->column_dim + c] * x[c];
  return sum;
}

static void multiplied(void) {
  static const int shapes[][4] = {{3, 3, 1, 1}, {2, 1, 1, 1}, {3, 2, 2, 3}, {1, 2, 4, 1}};
  uint64_t seed = 10;
  op2_kernel dot =
      new_source("dot", "void dot(const double *u, const double *v, double *sum, double *w) { "
                        "sum[0] += u[0] * v[0]; w[0] = u[0] + 1; }");
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    struct assembly a =
        new_assembly(&seed, shapes[s][0], shapes[s][1], shapes[s][2], shapes[s][3], OP2_F64, s % 2);
    int64_t nx = COLUMNS * a.column_dim, ny = ROWS * a.row_dim;
    double *x = scratch((size_t)nx, sizeof *x), *twice = scratch((size_t)nx, sizeof *twice),
           sum = 0;
    for (int64_t i = 0; i < nx; i++) twice[i] = 2 * (x[i] = draw_below(&seed, 40) - 20);
    op2_dat dx = new_dat(a.columns.set, a.column_dim, OP2_F64, x, "x");
    op2_dat dy = new_dat(a.rows.set, a.row_dim, OP2_F64, NULL, "y");
    op2_dat w = new_dat(a.rows.set, 1, OP2_F64, NULL, "w");
    op2_gbl total = new_gbl(1, OP2_F64, NULL, "total");
    op2_kernel kernel = flat_kernel(&a);
    for (int e = 0; e < CELLS; e++) assemble_dense(&a, e, OP2_INC);
    for (int times = 0; times < 2; times++) {
      assemble(&a, kernel, a.cells, OP2_INC);
      MUST(op2_mat_mult(a.mat, dx, dy));
      if (a.row_dim == 1)
        MUST(op2_par_loop(dot, a.rows.set, op2_arg_direct(dy, OP2_READ),
                          op2_arg_direct(dy, OP2_READ), op2_arg_gbl(total, OP2_INC),
                          op2_arg_direct(w, OP2_WRITE)));
      EXPECT_VALUES(double, dy, ny, i, product(&a, times ? twice : x, i));
      for (int64_t i = 0; i < ny && a.row_dim == 1; i++) {
        double y = product(&a, times ? twice : x, i);
        sum += y * y;
      }
      if (a.row_dim == 1) {
        EXPECT_GBL(double, total, sum);
        EXPECT_VALUES(double, w, ROWS, i, product(&a, times ? twice : x, i) + 1);
      }
      MUST(op2_mat_zero(a.mat));
      MUST(op2_dat_set(dx, twice));
    }
    MUST(op2_mat_mult(a.mat, dx, dy));
    EXPECT_VALUES(double, dy, ny, i, 0 * (double)i);
    end_assembly(&a);
  }
}

static void refused_products(void) {
  uint64_t seed = 11;
  struct assembly a = new_assembly(&seed, 2, 2, 2, 1, OP2_F64, false);
  op2_set rows = a.rows.set, columns = a.columns.set;
  op2_dat x = new_dat(columns, 1, OP2_F64, NULL, "x"), y = new_dat(rows, 2, OP2_F64, NULL, "y");
  op2_dat narrow = new_dat(rows, 1, OP2_F64, NULL, "narrow"),
          f = new_dat(columns, 1, OP2_F32, NULL, "f");
  REFUSED(OP2_ERR_MISMATCH, op2_mat_mult(a.mat, y, x), "'K'", "'y'", "'rows'", "columns",
          "'columns'");
  REFUSED(OP2_ERR_MISMATCH, op2_mat_mult(a.mat, x, x), "'K'", "'x'", "'rows'");
  REFUSED(OP2_ERR_MISMATCH, op2_mat_mult(a.mat, x, narrow), "'narrow'", "dim 1", "2 rows");
  REFUSED(OP2_ERR_TYPE, op2_mat_mult(a.mat, f, y), "'f'", "OP2_F32", "OP2_F64");
  REFUSED(OP2_ERR_ARG, op2_mat_mult(a.mat, NULL, y), "null");
  REFUSED(OP2_ERR_ARG, op2_mat_mult(a.mat, x, NULL), "null");
  REFUSED(OP2_ERR_ARG, op2_mat_mult(NULL, x, y), "null");
  end_assembly(&a);
}

/* Handles are destroyed while loops are queued. */
static void gone(void) {
  uint64_t seed = 7;
  struct assembly a = new_assembly(&seed, 2, 2, 1, 1, OP2_F64, false);
  op2_kernel kernel = square_kernel(&a);
  op2_mat copy = a.mat;
  assemble(&a, kernel, a.cells, OP2_INC);
  end_assembly(&a);
  MUST(op2_flush(test_ctx));
  REFUSED(OP2_ERR_ARG,
          op2_par_loop(kernel, a.cells, op2_arg_direct(a.weight, OP2_READ),
                       op2_arg_mat(copy, a.rows.map, a.columns.map, OP2_INC)),
          "block", "argument 1", "matrix", "destroyed");
}

/* ---- declarations of parameters -------------------------------------------------------------- */

static void parameters(void) {
  static const char *const good[] = {"a[6][4]", "a[][4]", "(*a)[4]",    "a[24]",
                                     "*a",      "a[]",    "a[3][2][4]", "a[3][2][2][2]"};
  static const char *const bad[] = {"a[5][4]", "a[6][5]",       "a[4][6]",  "(*a)[6]", "a[23]",
                                    "a[25]",   "a[2][2][2][3]", "a[12][2]", "a[][8]"};
  uint64_t seed = 8;
  struct assembly a = new_assembly(&seed, 3, 2, 2, 2, OP2_F64, false);
  op2_arg weight = op2_arg_direct(a.weight, OP2_READ);
  op2_arg mat = op2_arg_mat(a.mat, a.rows.map, a.columns.map, OP2_INC);
  char source[256];
  for (size_t g = 0; g < sizeof good / sizeof *good; g++) {
    snprintf(source, sizeof source, "void f(const double *w, double %s) { *(double *)a += w[0]; }",
             good[g]);
    MUST(op2_par_loop(new_source("f", source), a.cells, weight, mat));
    for (int e = 0; e < CELLS; e++)
      a.dense[a.rows.idx[3 * e] * 2 * COLUMNS * 2 + a.columns.idx[2 * e] * 2] += a.w[e];
  }
  expect_dense(&a);
  for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
    snprintf(source, sizeof source, "void f(const double *w, double %s) { *(double *)a += w[0]; }",
             bad[b]);
    REFUSED(OP2_ERR_TYPE, op2_par_loop(new_source("f", source), a.cells, weight, mat), "argument 1",
            "K", "6 rows and 4 columns");
  }
  REFUSED(
      OP2_ERR_TYPE,
      op2_par_loop(new_source("f", "void f(const double *w, float a[6][4]) { a[0][0] += w[0]; }"),
                   a.cells, weight, mat),
      "argument 1", "OP2_F64", "float");
  REFUSED(OP2_ERR_TYPE,
          op2_par_loop(new_source("f", "void f(const double *w, double **a) { a[0][0] += w[0]; }"),
                       a.cells, weight, mat),
          "argument 1", "a pointer");
  REFUSED(OP2_ERR_ACCESS,
          op2_par_loop(new_source("f", "void f(const double *w, const double a[6][4]) {}"), a.cells,
                       weight, mat),
          "const");
  end_assembly(&a);
}

static void refused(void) {
  uint64_t seed = 9;
  struct assembly a = new_assembly(&seed, 2, 2, 1, 1, OP2_F64, true);
  op2_kernel kernel = square_kernel(&a);
  op2_arg weight = op2_arg_direct(a.weight, OP2_READ);
  static const op2_access modes[] = {OP2_READ, OP2_RW, OP2_MIN, OP2_MAX};
  for (int m = 0; m < 4; m++)
    REFUSED(OP2_ERR_ACCESS,
            op2_par_loop(kernel, a.cells, weight,
                         op2_arg_mat(a.mat, a.rows.map, a.columns.map, modes[m])),
            "matrix 'K'", "INC and WRITE");
  REFUSED(
      OP2_ERR_MISMATCH,
      op2_par_loop(kernel, a.cells, weight, op2_arg_mat(a.mat, a.columns.map, a.rows.map, OP2_INC)),
      "no pair", "'to rows'", "'to columns'", "'sparsity'", "'K'");
  REFUSED(
      OP2_ERR_ARG,
      op2_par_loop(kernel, a.cells, weight, op2_arg_mat(NULL, a.rows.map, a.columns.map, OP2_INC)),
      "argument 1", "null");
  REFUSED(OP2_ERR_ARG,
          op2_par_loop(kernel, a.cells, weight, op2_arg_mat(a.mat, NULL, a.columns.map, OP2_INC)),
          "argument 1", "null");
  REFUSED(OP2_ERR_ARG,
          op2_par_loop(kernel, a.cells, weight, op2_arg_mat(a.mat, a.rows.map, NULL, OP2_INC)),
          "argument 1", "null");
  REFUSED(OP2_ERR_MISMATCH,
          op2_par_loop(kernel, a.rows.set,
                       op2_arg_direct(new_dat(a.rows.set, 1, OP2_F64, NULL, "w"), OP2_READ),
                       op2_arg_mat(a.mat, a.rows.map, a.columns.map, OP2_INC)),
          "starts from set 'cells'", "'rows'");
  op2_dat on_rows = new_dat(a.rows.set, 1, OP2_F64, NULL, "y");
  REFUSED(OP2_ERR_MISMATCH,
          op2_par_loop(kernel, a.cells, weight, op2_arg_dat(on_rows, 0, a.rows.map, OP2_INC)),
          "lead nowhere", "'to rows'");
  REFUSED(OP2_ERR_ARG, op2_mat_get(a.mat, NULL), "'K'", "null");
  REFUSED(OP2_ERR_ARG, op2_mat_zero(NULL), "op2_mat_zero", "null");
  end_assembly(&a);
}

static const struct test_case cases[] = {
    {"added", added},
    {"written", written},
    {"written where nobody meets", written_apart},
    {"subsets and zeros", subsets_and_zero},
    {"several pairs and matrices", several},
    {"renumbered", renumbered},
    {"renumbered later", renumbered_later},
    {"renumbered, and loops that keep an order", renumbered_automatically},
    {"rows and the diagonal", rows_and_diagonal},
    {"rows that are refused", refused_rows},
    {"products", multiplied},
    {"products that are refused", refused_products},
    {"handles that go", gone},
    {"what parameters look like", parameters},
    {"what is refused", refused},
};

/* Slices are used throughout, though random rows would not be chosen for them; t188 and t933 cover
 * the other layout. */
int main(void) {
  test_environment();
  setenv("OP2_SLICES", "1", 1);
  return RUN(cases, RUN_ON_DEVICES | RUN_TWO_BLOCKS);
}
