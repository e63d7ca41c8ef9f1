/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of matrices in slices (SELL) and in sequence (CSR): products have the same bits, whatever
 * the lengths of rows; infinities and NaN stay in rows that have them; the choice between the two
 * layouts, and the effect of renumbering rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "context.h"
#include "sparse.h"
#include "support.h"

enum { MOST = 3, LONGEST = 13 };

struct problem {
  int64_t n;
  op2_set elements, nodes;
  op2_map rows, columns;
  int row_dim, column_dim;
  op2_type type;
  op2_sparsity sparsity;
  op2_mat mat;
  op2_dat x, y;
  op2_gbl sum, before;
};

/* The layout of matrices that are made from now on. */
static void lay_out(int slices) { test_ctx->config.slices = slices; }

/* Element e has row e, and as many different columns as length(e) says. */
static void declare(struct problem *p, int64_t n, int (*length)(int64_t row)) {
  int32_t *rows = scratch((size_t)n * LONGEST, sizeof *rows);
  int32_t *columns = scratch((size_t)n * LONGEST, sizeof *columns);
  int64_t count = 0;
  for (int64_t row = 0; row < n; row++)
    for (int k = 0; k < length(row); k++, count++) {
      rows[count] = (int32_t)row;
      columns[count] = (int32_t)((row * 5 + 11 * k) % n);
    }
  p->n = n;
  p->elements = new_set(count, "elements");
  p->nodes = new_set(n, "nodes");
  p->rows = new_map(p->elements, p->nodes, 1, rows, "rows");
  p->columns = new_map(p->elements, p->nodes, 1, columns, "columns");
}

static void fill(struct problem *p) {
  char source[512];
  const char *type = p->type == OP2_F64 ? "double" : "float";
  int block = p->row_dim * p->column_dim;
  snprintf(source, sizeof source,
           "void put(%s *a, const int *e) {\n"
           "  for (int i = 0; i < %d; i++) a[i] += (%s)(e[0] %% 17 + 1) / 3 + (%s)i / 7;\n}\n",
           type, block, type, type);
  MUST(op2_mat_zero(p->mat));
  MUST(op2_par_loop(new_source("put", source), p->elements,
                    op2_arg_mat(p->mat, p->rows, p->columns, OP2_INC), op2_arg_idx()));
}

static void make(struct problem *p, int slices) {
  const op2_map_pair pair = {p->rows, p->columns};
  lay_out(slices);
  MUST(op2_sparsity_create(1, &pair, "pattern", &p->sparsity));
  MUST(op2_mat_create(p->sparsity, p->row_dim, p->column_dim, p->type, "A", &p->mat));
  fill(p);
}

static void end(struct problem *p) {
  op2_mat_destroy(&p->mat);
  op2_sparsity_destroy(&p->sparsity);
}

/* x holds thirds, and y values that products overwrite. */
static void declare_dats(struct problem *p) {
  size_t nx = (size_t)p->n * (size_t)p->column_dim, ny = (size_t)p->n * (size_t)p->row_dim;
  double *x = scratch(nx, sizeof *x), *y = scratch(ny, sizeof *y);
  for (size_t i = 0; i < nx; i++) {
    double value = (double)(i * 7 % 23) / 3 - 2;
    if (p->type == OP2_F64)
      x[i] = value;
    else
      ((float *)x)[i] = (float)value;
  }
  memset(y, 0x55, ny * sizeof *y);
  p->x = new_dat(p->nodes, p->column_dim, p->type, x, "x");
  p->y = new_dat(p->nodes, p->row_dim, p->type, y, "y");
  p->sum = new_gbl(1, OP2_F64, NULL, "sum");
  p->before = new_gbl(1, OP2_F64, NULL, "before");
}

static size_t value_bytes(const struct problem *p) {
  return p->type == OP2_F64 ? sizeof(double) : sizeof(float);
}

/* The product, and the scalar product that is fused with it when it is repeated; before it a loop
 * that writes y. */
static void multiply(struct problem *p, void *out, double *square) {
  MUST(op2_dat_fill(p->y, op2_scalar_value(3)));
  MUST(op2_dat_sum(p->y, p->before));
  MUST(op2_mat_mult(p->mat, p->x, p->y));
  MUST(op2_dat_dot(p->y, p->y, p->sum));
  MUST(op2_gbl_get(p->sum, square));
  MUST(op2_dat_get(p->y, out));
}

/* ---- results that are bitwise equal ---------------------------------------------------------- */

static int uneven(int64_t row) { return row % 6 == 3 ? 0 : 1 + (int)(row * row % LONGEST); }
static int even(int64_t row) { return row < 3 ? 4 : 7; }

static void compare(int64_t n, int (*length)(int64_t row), int row_dim, int column_dim,
                    op2_type type) {
  struct problem p = {.row_dim = row_dim, .column_dim = column_dim, .type = type};
  declare(&p, n, length);
  declare_dats(&p);
  size_t bytes = (size_t)(n * row_dim) * value_bytes(&p);
  char *got[2];
  double square[2];
  for (int slices = 0; slices < 2; slices++) {
    got[slices] = scratch(bytes + 1, 1);
    make(&p, slices);
    EXPECT(p.sparsity->rows_per_slice == (slices ? OP2I_SLICE : 1));
    for (int times = 0; times < 3; times++) multiply(&p, got[slices], &square[slices]);
    end(&p);
  }
  if (!EXPECT(!memcmp(got[0], got[1], bytes) && square[0] == square[1]))
    diag("%d rows, blocks of %d by %d", (int)n, row_dim, column_dim);
}

static void same_bits(void) {
  static const int dims[][2] = {{1, 1}, {2, 2}, {3, 1}, {1, 3}, {4, 4}};
  static const int64_t sizes[] = {1, 7, 8, 17, 643};
  for (size_t d = 0; d < sizeof dims / sizeof *dims; d++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      if (sizes[s] < 643 && (d > 1 || on_device())) continue; /* each is compiled anew */
      compare(sizes[s], uneven, dims[d][0], dims[d][1], OP2_F64);
      if (d < 2) compare(sizes[s], uneven, dims[d][0], dims[d][1], OP2_F32);
    }
  compare(20000, even, 1, 1, OP2_F64); /* several blocks */
}

/* Rows are shorter than others of their slice whose values of x are NaN or infinite: a row without
 * a value there must not be affected; and in a row with one, infinity must not become NaN. */
static void no_numbers(void) {
  struct problem p = {.row_dim = 1, .column_dim = 1, .type = OP2_F64};
  enum { ROWS = 320 };
  declare(&p, ROWS, uneven);
  declare_dats(&p);
  double *x = scratch(ROWS, sizeof *x), *got[2];
  for (int i = 0; i < ROWS; i++) x[i] = i % 61 == 4 ? NAN : i % 31 == 0 ? INFINITY : i;
  for (int slices = 0; slices < 2; slices++) {
    double square;
    got[slices] = scratch(ROWS, sizeof(double));
    MUST(op2_dat_set(p.x, x));
    make(&p, slices);
    multiply(&p, got[slices], &square);
    end(&p);
  }
  int infinite = 0, none = 0;
  for (int i = 0; i < ROWS; i++) {
    infinite += isinf(got[0][i]);
    none += isnan(got[0][i]);
    if (!EXPECT(isnan(got[0][i]) ? isnan(got[1][i]) : got[0][i] == got[1][i])) diag("row %d", i);
  }
  if (!EXPECT(infinite > 5 && none > 10 && infinite + none < ROWS / 2))
    diag("%d infinite, %d none", infinite, none);
}

/* Vectors at the end of a set have lanes without a row. Loops that are fused with a product must
 * not see them: neither the minimum of all values nor values that are written through a map. */
static void nothing_behind_the_last(void) {
  enum { ROWS = 1013 };
  struct problem p = {.row_dim = 1, .column_dim = 1, .type = OP2_F64};
  declare(&p, ROWS, even);
  declare_dats(&p);
  double *ones = scratch(ROWS, sizeof *ones), *y = scratch(ROWS, sizeof *y),
         *z = scratch(ROWS, sizeof *z);
  int32_t *self = scratch(ROWS, sizeof *self);
  for (int i = 0; i < ROWS; i++) ones[i] = 1, self[i] = i;
  op2_set others = new_set(ROWS, "others");
  op2_map across = new_map(p.nodes, others, 1, self, "across");
  op2_dat there = new_dat(others, 1, OP2_F64, NULL, "there");
  op2_gbl least = new_gbl(1, OP2_F64, NULL, "least");
  op2_kernel minimum =
      new_source("minimum", "void minimum(const double *y, double *m) { if (y[0] < "
                            "m[0]) m[0] = y[0]; }");
  op2_kernel copy = new_source("copy", "void copy(const double *y, double *z) { z[0] = y[0]; }");
  MUST(op2_dat_set(p.x, ones));
  for (int slices = 0; slices < 2; slices++) {
    make(&p, slices);
    for (int times = 0; times < 6; times++) { /* loops are fused when they are repeated */
      double found = 1e30, wanted = 1e30;
      bool reduce = times < 3;
      MUST(op2_gbl_set(least, &found));
      MUST(op2_mat_mult(p.mat, p.x, p.y));
      if (reduce)
        MUST(op2_par_loop(minimum, p.nodes, op2_arg_direct(p.y, OP2_READ),
                          op2_arg_gbl(least, OP2_MIN)));
      else
        MUST(op2_par_loop(copy, p.nodes, op2_arg_direct(p.y, OP2_READ),
                          op2_arg_dat(there, 0, across, OP2_WRITE)));
      MUST(op2_gbl_get(least, &found));
      MUST(op2_dat_get(there, z));
      MUST(op2_dat_get(p.y, y));
      for (int i = 0; i < ROWS; i++) wanted = fmin(wanted, y[i]);
      if (reduce && !EXPECT(found == wanted))
        diag("slices %d: the least is %g, not %g", slices, found, wanted);
      if (!reduce && !EXPECT(!memcmp(y, z, ROWS * sizeof *y)))
        diag("slices %d: the last is %g, not %g", slices, z[ROWS - 1], y[ROWS - 1]);
    }
    end(&p);
  }
}

/* ---- choice of the format -------------------------------------------------------------------- */

static bool vectors(void) {
  return test_ctx->backend->variant == OP2I_VECTOR && test_ctx->config.simd_bytes && !on_device();
}

static void chosen(void) {
  static const struct {
    int (*length)(int64_t row);
    int slice;
  } kinds[] = {{even, OP2I_SLICE}, {uneven, 1}};
  for (int k = 0; k < 2; k++) {
    struct problem p = {.row_dim = 1, .column_dim = 1, .type = OP2_F64};
    double square, *got = scratch(1000, sizeof *got);
    declare(&p, 1000, kinds[k].length);
    declare_dats(&p);
    make(&p, OP2I_SLICES_AUTO);
    bool slices = test_ctx->config.simd_bytes || test_ctx->device;
    EXPECT(p.sparsity->rows_per_slice == (slices ? kinds[k].slice : 1));
    multiply(&p, got, &square);
    if (vectors() && k == 1) EXPECT(explains("a matrix, which are not in slices"));
    if (vectors() && k == 0)
      EXPECT(explains("slices blocks of") == (test_config.block_size % OP2I_SLICE != 0));
    end(&p);
  }
}

/* ---- renumbered matrices --------------------------------------------------------------------- */

enum { HUBS = 8, SPOKES = 40, STAR = HUBS * (1 + SPOKES) };

/* Star graphs whose hubs come first: the first slice is long and all others are short. If the rows
 * are numbered star by star, each slice with a hub is as long as the hub's row, and the slices
 * exceed their memory limit. */
static void stars(bool fits) {
  struct problem p = {.row_dim = 1, .column_dim = 1, .type = OP2_F64};
  int32_t *ends = scratch(2 * STAR, sizeof *ends);
  int n = 0;
  for (int h = 0; h < HUBS; h++)
    for (int s = 0; s < SPOKES; s++, n++) {
      ends[2 * n] = fits ? n : h;
      ends[2 * n + 1] = fits ? n + 1 : HUBS + h * SPOKES + s;
    }
  p.n = STAR;
  p.elements = new_set(n, "edges");
  p.nodes = new_set(STAR, "nodes");
  p.rows = p.columns = new_map(p.elements, p.nodes, 2, ends, "ends");
  declare_dats(&p);
  const op2_map_pair pair = {p.rows, p.rows};
  lay_out(1);
  MUST(op2_sparsity_create(1, &pair, "pattern", &p.sparsity));
  MUST(op2_mat_create(p.sparsity, 1, 1, OP2_F64, "A", &p.mat));
  op2_kernel kernel = new_source(
      "put", "void put(double a[2][2], const int *e) { a[0][0] += e[0]; a[0][1] -= 1; a[1][0] += "
             "3; a[1][1] += 2; }");
  MUST(
      op2_par_loop(kernel, p.elements, op2_arg_mat(p.mat, p.rows, p.rows, OP2_INC), op2_arg_idx()));
  double *before = scratch(STAR, sizeof *before), *after = scratch(STAR, sizeof *after), square;
  multiply(&p, before, &square);
  multiply(&p, before, &square);
  op2_status status = op2_renumber(p.rows);
  if (status != OP2_ERR_UNAVAILABLE) {
    MUST(status);
    EXPECT(p.sparsity->rows_per_slice == (fits ? OP2I_SLICE : 1));
    for (int times = 0; times < 2; times++) {
      multiply(&p, after, &square);
      for (int i = 0; i < STAR; i++)
        if (!EXPECT(fabs(before[i] - after[i]) <= 1e-9)) break;
    }
    MUST(op2_mat_zero(p.mat));
    MUST(op2_par_loop(kernel, p.elements, op2_arg_mat(p.mat, p.rows, p.rows, OP2_INC),
                      op2_arg_idx()));
    multiply(&p, after, &square);
    for (int i = 0; i < STAR; i++)
      if (!EXPECT(fabs(before[i] - after[i]) <= 1e-9)) break;
  }
  op2_mat_destroy(&p.mat);
  op2_sparsity_destroy(&p.sparsity);
}

static void renumbered(void) { stars(true); }
static void renumbered_without_room(void) { stars(false); }

/* ---- boundary rows --------------------------------------------------------------------------- */

/* Fix every third row; `got` gets the right-hand side and then a product. */
static void fix_rows(struct problem *p, char *got) {
  const size_t bytes = (size_t)(p->n * p->row_dim) * value_bytes(p);
  double square;
  int64_t *rows = scratch((size_t)p->n, sizeof *rows);
  int64_t count = 0;
  for (int64_t row = 0; row < p->n; row += 3) rows[count++] = row;
  op2_set fixed = new_subset(p->nodes, count, rows, "fixed");
  op2_dat b = new_dat(p->nodes, p->row_dim, p->type, NULL, "b");
  MUST(op2_dat_fill(b, op2_scalar_value(1)));
  MUST(op2_mat_zero_rows_columns(p->mat, fixed, 0, p->x, b));
  MUST(op2_dat_get(b, got));
  multiply(p, got + bytes, &square);
}

static void fix(int dim, op2_type type) {
  struct problem p = {.row_dim = dim, .column_dim = dim, .type = type};
  declare(&p, 643, even);
  declare_dats(&p);
  const size_t bytes = (size_t)(p.n * dim) * value_bytes(&p);
  char *got[2];
  for (int slices = 0; slices < 2; slices++) {
    got[slices] = scratch(2 * bytes, 1);
    make(&p, slices);
    EXPECT(p.sparsity->rows_per_slice == (slices ? OP2I_SLICE : 1));
    fix_rows(&p, got[slices]);
    end(&p);
  }
  if (!EXPECT(!memcmp(got[0], got[1], 2 * bytes))) diag("blocks of %d, type %d", dim, (int)type);
}

static void boundary_rows(void) {
  fix(1, OP2_F64);
  fix(1, OP2_F32);
  if (on_device()) return;
  fix(2, OP2_F64);
  fix(3, OP2_F32);
}

static const struct test_case cases[] = {
    {"the same bits", same_bits},
    {"boundary rows", boundary_rows},
    {"what is no number stays in its rows", no_numbers},
    {"no rows behind the last one", nothing_behind_the_last},
    {"which layout is chosen", chosen},
    {"other numbers, and slices as before", renumbered},
    {"other numbers, and no room for slices", renumbered_without_room},
};

int main(void) { return RUN(cases, RUN_LAZY_ONLY | RUN_ON_DEVICES); }
