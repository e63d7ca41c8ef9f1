/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices with rows or columns of a set with one element that all elements of other sets share:
 * blocks n x 1, 1 x n and 1 x 1, of several values in a row, against dense sums; products with
 * them and their transposes, values of the host, rows and columns that are left out, norms, solves
 * in blocks, and dats of such a set that loops read and add to. */
#include <math.h>
#include <string.h>

#include "support.h"

enum { CELLS = 90, NODES = 61, ARITY = 3, DIM = 2, G = 2, BLOCK = ARITY * DIM, ALL = NODES * DIM };

/* Values are small whole numbers, so that sums are exact in any order. */
static double weight(int64_t cell) { return (double)(cell * 7 % 11) - 5; }
static int node_of(int64_t cell, int slot) { return (int)((cell + slot * 13) % (NODES - 1)); }

/* Node NODES - 1 belongs to no cell. */
struct mesh {
  op2_set cells, nodes, single;
  op2_map ends, whole; /* cells to nodes, and to the single element */
  op2_dat w;
};

static struct mesh new_mesh(void) {
  struct mesh m = {.cells = new_set(CELLS, "cells"), .nodes = new_set(NODES, "nodes")};
  int32_t *ends = scratch(CELLS * ARITY, sizeof *ends);
  double *w = scratch(CELLS, sizeof *w);
  for (int64_t c = 0; c < CELLS; c++) {
    w[c] = weight(c);
    for (int i = 0; i < ARITY; i++) ends[c * ARITY + i] = node_of(c, i);
  }
  MUST(op2_set_create_single(test_ctx, "R", &m.single));
  own_set(m.single);
  m.ends = new_map(m.cells, m.nodes, ARITY, ends, "ends");
  m.whole = new_map(m.cells, m.single, 1, NULL, "whole");
  m.w = new_dat(m.cells, 1, OP2_F64, w, "w");
  return m;
}

static op2_mat new_mat(op2_map rows, op2_map columns, int row_dim, int column_dim,
                       const char *name) {
  op2_sparsity sparsity;
  op2_mat mat;
  const op2_map_pair pair = {rows, columns};
  MUST(op2_sparsity_create(1, &pair, name, &sparsity));
  MUST(op2_mat_create(sparsity, row_dim, column_dim, OP2_F64, name, &mat));
  op2_sparsity_destroy(&sparsity);
  return mat;
}

/* The block of a cell in a dense row, and a dense column, and where both meet. */
static double row_value(int64_t cell, int k, int c) { return weight(cell) * (k + 1) + c; }
static double column_value(int64_t cell, int r, int k) { return weight(cell) - r * (k + 2); }
static double corner_value(int64_t cell, int k, int l) { return weight(cell) * (k - l) + k + 1; }

OP2_KERNEL(add_row, (const double *w, double a[2][6]), {
  for (int k = 0; k < 2; k++)
    for (int c = 0; c < 6; c++) a[k][c] += w[0] * (k + 1) + c;
});
OP2_KERNEL(add_column, (const double *w, double a[6][2]), {
  for (int r = 0; r < 6; r++)
    for (int k = 0; k < 2; k++) a[r][k] += w[0] - r * (k + 2);
});
OP2_KERNEL(add_corner, (const double *w, double a[2][2]), {
  for (int k = 0; k < 2; k++)
    for (int l = 0; l < 2; l++) a[k][l] += w[0] * (k - l) + k + 1;
});

/* Dense references: row[G][ALL], column[ALL][G], corner[G][G]. */
struct dense {
  double row[G][ALL], column[ALL][G], corner[G][G];
};

static struct dense *dense_of(void) {
  struct dense *d = scratch(1, sizeof *d);
  for (int64_t cell = 0; cell < CELLS; cell++)
    for (int k = 0; k < G; k++) {
      for (int c = 0; c < BLOCK; c++) {
        const int at = node_of(cell, c / DIM) * DIM + c % DIM;
        d->row[k][at] += row_value(cell, k, c);
        d->column[at][k] += column_value(cell, c, k);
      }
      for (int l = 0; l < G; l++) d->corner[k][l] += corner_value(cell, k, l);
    }
  return d;
}

struct mats {
  op2_mat row, column, corner;
  op2_kernel add_row, add_column, add_corner;
};

static struct mats new_mats(const struct mesh *m) {
  return (struct mats){.row = new_mat(m->whole, m->ends, G, DIM, "row"),
                       .column = new_mat(m->ends, m->whole, DIM, G, "column"),
                       .corner = new_mat(m->whole, m->whole, G, G, "corner"),
                       .add_row = new_kernel(&add_row_kernel),
                       .add_column = new_kernel(&add_column_kernel),
                       .add_corner = new_kernel(&add_corner_kernel)};
}

static void assemble(const struct mesh *m, const struct mats *a, op2_set over) {
  MUST(op2_par_loop(a->add_row, over, op2_arg_direct(m->w, OP2_READ),
                    op2_arg_mat(a->row, m->whole, m->ends, OP2_INC)));
  MUST(op2_par_loop(a->add_column, over, op2_arg_direct(m->w, OP2_READ),
                    op2_arg_mat(a->column, m->ends, m->whole, OP2_INC)));
  MUST(op2_par_loop(a->add_corner, over, op2_arg_direct(m->w, OP2_READ),
                    op2_arg_mat(a->corner, m->whole, m->whole, OP2_INC)));
}

static void destroy_mats(struct mats *a) {
  op2_mat_destroy(&a->row);
  op2_mat_destroy(&a->column);
  op2_mat_destroy(&a->corner);
}

/* ---- values ---------------------------------------------------------------------------------- */

static void expect_row(op2_mat mat, double times, double got[G][ALL]) {
  double values[(NODES - 1) * G * DIM];
  const struct dense *d = dense_of();
  memset(got, 0, sizeof(double[G][ALL]));
  MUST(op2_mat_get(mat, values));
  for (int n = 0; n < NODES - 1; n++)
    for (int k = 0; k < G; k++)
      for (int l = 0; l < DIM; l++) got[k][n * DIM + l] = values[(n * G + k) * DIM + l];
  int wrong = 0;
  for (int k = 0; k < G; k++)
    for (int c = 0; c < ALL; c++) wrong += got[k][c] != times * d->row[k][c];
  EXPECT(wrong == 0);
}

static void expect_column(op2_mat mat, double times) {
  double values[(NODES - 1) * G * DIM];
  const struct dense *d = dense_of();
  MUST(op2_mat_get(mat, values));
  int wrong = 0;
  for (int r = 0; r < (NODES - 1) * DIM; r++)
    for (int k = 0; k < G; k++) wrong += values[r * G + k] != times * d->column[r][k];
  EXPECT(wrong == 0);
}

static void expect_corner(op2_mat mat, double times) {
  double values[G * G];
  const struct dense *d = dense_of();
  MUST(op2_mat_get(mat, values));
  int wrong = 0;
  for (int k = 0; k < G * G; k++) wrong += values[k] != times * d->corner[k / G][k % G];
  EXPECT(wrong == 0);
}

static void sums(void) {
  const struct mesh m = new_mesh();
  struct mats a = new_mats(&m);
  double got[G][ALL];
  for (int turn = 1; turn <= 3; turn++) {
    assemble(&m, &a, m.cells);
    if (turn == 2) continue; /* two assemblies wait together */
    expect_row(a.row, turn, got);
    expect_column(a.column, turn);
    expect_corner(a.corner, turn);
  }
  MUST(op2_mat_zero(a.row));
  MUST(op2_mat_zero(a.corner));
  assemble(&m, &a, m.cells);
  expect_row(a.row, 1, got);
  expect_corner(a.corner, 1);
  expect_column(a.column, 4);
  /* Any map to the set leads to the corner. */
  const op2_map other = new_map(m.cells, m.single, 1, NULL, "other");
  MUST(op2_par_loop(a.add_corner, m.cells, op2_arg_direct(m.w, OP2_READ),
                    op2_arg_mat(a.corner, m.whole, other, OP2_INC)));
  expect_corner(a.corner, 2);
  int32_t idx[CELLS];
  MUST(op2_map_get(other, idx));
  for (int c = 0; c < CELLS; c++) EXPECT(idx[c] == 0);
  destroy_mats(&a);
}

/* The nonzeros of each, and the shapes of what is returned. */
static void patterns(void) {
  const struct mesh m = new_mesh();
  const op2_map_pair pairs[] = {{m.whole, m.ends}, {m.ends, m.whole}, {m.whole, m.whole}};
  const int64_t nrows[] = {1, NODES, 1}, nplaces[] = {NODES - 1, NODES - 1, 1};
  for (int k = 0; k < 3; k++) {
    op2_sparsity sparsity;
    int64_t rows, places, starts[NODES + 1], columns[NODES];
    MUST(op2_sparsity_create(1, &pairs[k], NULL, &sparsity));
    MUST(op2_sparsity_size(sparsity, &rows, &places));
    EXPECT(rows == nrows[k] && places == nplaces[k]);
    MUST(op2_sparsity_get(sparsity, starts, columns));
    EXPECT(starts[0] == 0 && starts[rows] == places);
    for (int64_t p = 0; p < places; p++) EXPECT(columns[p] == (k == 0 ? p : 0));
    for (int64_t r = 0; r < rows; r++)
      EXPECT(starts[r + 1] - starts[r] == (k == 0 ? NODES - 1 : k == 1 ? r < NODES - 1 : 1));
    op2_sparsity_destroy(&sparsity);
  }
}

static void host_values(void) {
  const struct mesh m = new_mesh();
  struct mats a = new_mats(&m);
  double got[G][ALL], corner[G * G];
  const int64_t rows[] = {0, 0}, columns[] = {7, 2};
  const double blocks[2 * G * DIM] = {1, 2, 3, 4, 5, 6, 7, 8};
  double values[(NODES - 1) * G * DIM];
  MUST(op2_mat_set(a.row, 2, rows, columns, blocks));
  MUST(op2_mat_add(a.row, 1, rows, columns, blocks));
  MUST(op2_mat_get(a.row, values));
  int wrong = 0;
  for (int n = 0; n < NODES - 1; n++)
    for (int k = 0; k < G * DIM; k++)
      wrong += values[n * G * DIM + k] != (n == 7 ? 2 * blocks[k] : n == 2 ? blocks[4 + k] : 0);
  EXPECT(wrong == 0);
  MUST(op2_mat_set(a.corner, 1, rows, rows, blocks));
  MUST(op2_mat_get(a.corner, corner));
  for (int k = 0; k < G * G; k++) EXPECT(corner[k] == blocks[k]);
  const int64_t beyond[] = {NODES}, last[] = {NODES - 1};
  REFUSED(OP2_ERR_RANGE, op2_mat_set(a.row, 1, rows, beyond, blocks), "row", "column 61");
  REFUSED(OP2_ERR_RANGE, op2_mat_set(a.row, 1, rows, last, blocks), "no place in row 0, column 60");
  MUST(op2_mat_zero(a.row));
  assemble(&m, &a, m.cells);
  expect_row(a.row, 1, got);
  destroy_mats(&a);
}

/* OP2_WRITE of a dense row, in a loop over a subset, without the columns of another one. */
OP2_KERNEL(write_row, (double a[2][6]), {
  for (int k = 0; k < 2; k++)
    for (int c = 0; c < 6; c++) a[k][c] = 3;
});

static void left_out(void) {
  const struct mesh m = new_mesh();
  struct mats a = new_mats(&m);
  const int64_t some[] = {0, 3, 4, 11, 80}, none[] = {node_of(0, 0), node_of(11, 2)};
  const op2_set over = new_subset(m.cells, 5, some, "some"),
                out = new_subset(m.nodes, 2, none, "out");
  const op2_kernel write = new_kernel(&write_row_kernel);
  double values[(NODES - 1) * G * DIM];
  bool written[NODES] = {false};
  for (int c = 0; c < 5; c++)
    for (int i = 0; i < ARITY; i++) written[node_of(some[c], i)] = true;
  written[none[0]] = written[none[1]] = false;
  MUST(op2_par_loop(write, over,
                    op2_arg_mat_drop(a.row, m.whole, m.ends, OP2_WRITE, OP2_COLUMNS, out)));
  MUST(op2_mat_get(a.row, values));
  int wrong = 0;
  for (int k = 0; k < (NODES - 1) * G * DIM; k++)
    wrong += values[k] != (written[k / (G * DIM)] ? 3 : 0);
  EXPECT(wrong == 0);
  destroy_mats(&a);
}

/* ---- products -------------------------------------------------------------------------------- */

static double x_of(int64_t i) { return (double)(i * 3 % 7) - 3; }

static op2_dat new_vector(op2_set set, int64_t n, int dim, const char *name) {
  double *x = scratch((size_t)(n * dim), sizeof *x);
  for (int64_t i = 0; i < n * dim; i++) x[i] = x_of(i);
  return new_dat(set, dim, OP2_F64, x, name);
}

static double times_row(const struct dense *d, int k) {
  double sum = 0;
  for (int c = 0; c < ALL; c++) sum += d->row[k][c] * x_of(c);
  return sum;
}

static double times_column(const struct dense *d, int k) {
  double sum = 0;
  for (int r = 0; r < ALL; r++) sum += d->column[r][k] * x_of(r);
  return sum;
}

static void products(void) {
  const struct mesh m = new_mesh();
  struct mats a = new_mats(&m);
  const struct dense *d = dense_of();
  const op2_dat u = new_vector(m.nodes, NODES, DIM, "u"), p = new_vector(m.single, 1, G, "p");
  const op2_dat u2 = new_dat(m.nodes, DIM, OP2_F64, NULL, "u2"),
                p2 = new_dat(m.single, G, OP2_F64, NULL, "p2");
  assemble(&m, &a, m.cells);
  MUST(op2_mat_mult(a.row, u, p2));
  EXPECT_VALUES(double, p2, G, k, times_row(d, (int)k));
  MUST(op2_mat_mult_transpose(a.column, u, p2));
  EXPECT_VALUES(double, p2, G, k, times_column(d, (int)k));
  MUST(op2_mat_mult(a.column, p, u2));
  EXPECT_VALUES(double, u2, ALL, r, d->column[r][0] * x_of(0) + d->column[r][1] * x_of(1));
  MUST(op2_mat_mult_transpose(a.row, p, u2));
  EXPECT_VALUES(double, u2, ALL, c, d->row[0][c] * x_of(0) + d->row[1][c] * x_of(1));
  MUST(op2_mat_mult(a.corner, p, p2));
  EXPECT_VALUES(double, p2, G, k, d->corner[k][0] * x_of(0) + d->corner[k][1] * x_of(1));
  MUST(op2_mat_mult_transpose(a.corner, p, p2));
  EXPECT_VALUES(double, p2, G, k, d->corner[0][k] * x_of(0) + d->corner[1][k] * x_of(1));
  destroy_mats(&a);
}

/* ---- whole matrices -------------------------------------------------------------------------- */

static void whole_matrices(void) {
  const struct mesh m = new_mesh();
  struct mats a = new_mats(&m);
  const struct dense *d = dense_of();
  const op2_gbl norm = new_gbl(1, OP2_F64, NULL, "norm");
  const op2_dat diagonal = new_dat(m.single, G, OP2_F64, NULL, "diagonal");
  double got[G][ALL], squares = 0, largest = 0, found;
  assemble(&m, &a, m.cells);
  MUST(op2_mat_scale(a.row, op2_scalar_value(2)));
  MUST(op2_mat_axpy(a.row, op2_scalar_value(1), a.row));
  expect_row(a.row, 4, got);
  for (int k = 0; k < G; k++) {
    double amounts = 0;
    for (int c = 0; c < ALL; c++) {
      squares += got[k][c] * got[k][c];
      amounts += fabs(got[k][c]);
    }
    largest = amounts > largest ? amounts : largest;
  }
  MUST(op2_mat_norm(a.row, OP2_NORM_FROBENIUS, norm));
  MUST(op2_gbl_get(norm, &found));
  EXPECT(fabs(found - sqrt(squares)) < 1e-12 * found);
  MUST(op2_mat_norm(a.row, OP2_NORM_INF, norm));
  EXPECT_GBL(double, norm, largest);
  MUST(op2_mat_diagonal(a.corner, diagonal));
  EXPECT_VALUES(double, diagonal, G, k, d->corner[k][k]);
  MUST(op2_mat_zero_rows(a.corner, m.single, 5));
  MUST(op2_mat_diagonal(a.corner, diagonal));
  EXPECT_VALUES(double, diagonal, G, k, 5);
  destroy_mats(&a);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* The one row of this rank: its columns ascend, and its values are doubled. */
static int twice(void *wrong, void *const *values) {
  op2_mat_rows *rows = values[0];
  *(bool *)wrong = rows->nrows != 1 || rows->starts[1] != NODES - 1 || rows->columns[5] != 5 ||
                   rows->row_dim != G || rows->column_dim != DIM;
  for (int64_t k = 0; k < rows->starts[1] * G * DIM; k++) ((double *)rows->values)[k] *= 2;
  return 0;
}

static void calls(void) {
  const struct mesh m = new_mesh();
  struct mats a = new_mats(&m);
  double got[G][ALL];
  bool wrong = true;
  assemble(&m, &a, m.cells);
  MUST(op2_call(test_ctx, twice, &wrong, op2_arg_mat(a.row, NULL, NULL, OP2_RW)));
  expect_row(a.row, 2, got);
  EXPECT(!wrong);
  destroy_mats(&a);
}

/* ---- dats of the single set ------------------------------------------------------------------ */

OP2_KERNEL(move, (const double *w, const double *p, double *q, double *sum, int *count), {
  q[0] = w[0] * p[0] + p[1];
  sum[0] += w[0];
  sum[1] += p[1];
  count[0] += 1;
});

static void rows_of_dats(void) {
  const struct mesh m = new_mesh();
  const op2_dat p = new_vector(m.single, 1, G, "p"), q = new_dat(m.cells, 1, OP2_F64, NULL, "q");
  const op2_dat sum = new_vector(m.single, 1, G, "sum"),
                count = new_dat(m.single, 1, OP2_I32, NULL, "count");
  const op2_kernel move = new_kernel(&move_kernel);
  double all = 0;
  for (int64_t c = 0; c < CELLS; c++) all += weight(c);
  const op2_arg args[] = {op2_arg_direct(m.w, OP2_READ), op2_arg_dat(p, 0, m.whole, OP2_READ),
                          op2_arg_direct(q, OP2_WRITE),
                          op2_arg_dat(sum, OP2_PACKED, m.whole, OP2_INC),
                          op2_arg_dat(count, 0, m.whole, OP2_INC)};
  op2_loop loop;
  MUST(op2_par_loop_at(OP2_HERE, move, m.cells, 5, args));
  MUST(op2_loop_create_at(OP2_HERE, move, m.cells, 5, args, &loop));
  MUST(op2_loop_enqueue(loop));
  MUST(op2_loop_compute(loop));
  op2_loop_destroy(&loop);
  EXPECT_VALUES(int, count, 1, i, 3 * CELLS);
  EXPECT_VALUES(double, sum, G, k, x_of(k) + 3 * (k ? CELLS * x_of(1) : all));
  EXPECT_VALUES(double, q, CELLS, c, weight(c) * x_of(0) + x_of(1));
  MUST(op2_dat_set(p, (double[]){2, 1}));
  MUST(op2_par_loop_at(OP2_HERE, move, m.cells, 5, args));
  EXPECT_VALUES(double, q, CELLS, c, 2 * weight(c) + 1);
}

OP2_KERNEL(to_dat, (const double *g, double *p), { p[0] = g[0]; });

/* Values go between globals and dats in loops over the set. */
static void globals(void) {
  const struct mesh m = new_mesh();
  const double value = 4;
  const op2_gbl g = new_gbl(1, OP2_F64, &value, "g"), h = new_gbl(1, OP2_F64, NULL, "h");
  const op2_dat p = new_dat(m.single, 1, OP2_F64, NULL, "p");
  MUST(op2_par_loop(new_kernel(&to_dat_kernel), m.single, op2_arg_gbl(g, OP2_READ),
                    op2_arg_direct(p, OP2_WRITE)));
  MUST(op2_par_loop(new_source("back", "void back(double *g, const double *p) { g[0] += p[0]; }"),
                    m.single, op2_arg_gbl(h, OP2_INC), op2_arg_direct(p, OP2_READ)));
  EXPECT_GBL(double, h, value);
}

/* ---- scopes and operators -------------------------------------------------------------------- */

OP2_KERNEL(add_one, (double *q), { q[0] += 1; });

/* A dat that the host has open is in no loop: neither part of a call is queued. */
static void scopes(void) {
  const struct mesh m = new_mesh();
  const op2_dat q = new_dat(m.single, 1, OP2_F64, NULL, "q");
  const op2_kernel add = new_kernel(&add_one_kernel);
  const op2_arg args[] = {op2_arg_dat(q, 0, m.whole, OP2_INC)};
  void *values;
  op2_loop loop;
  MUST(op2_loop_create_at(OP2_HERE, add, m.cells, 1, args, &loop));
  MUST(op2_dat_write_begin(q, &values));
  REFUSED(OP2_ERR_STATE, op2_par_loop_at(OP2_HERE, add, m.cells, 1, args), "dat 'q' is open");
  REFUSED(OP2_ERR_STATE, op2_loop_enqueue(loop), "dat 'q' is open");
  MUST(op2_dat_write_end(q, &values));
  MUST(op2_loop_enqueue(loop));
  EXPECT_VALUES(double, q, 1, i, CELLS);
  op2_loop_destroy(&loop);
}

/* An operator that multiplies by 2, and counts the cells of all its products. */
struct counter {
  op2_set cells;
  op2_map whole;
  op2_dat count;
  op2_kernel add;
};

static op2_status twice_and_count(void *data, op2_dat x, op2_dat y) {
  const struct counter *c = data;
  op2_status status = op2_par_loop(c->add, c->cells, op2_arg_dat(c->count, 0, c->whole, OP2_INC));
  return status ? status : op2_dat_axpby(y, op2_scalar_value(2), op2_scalar_value(0), x);
}

static void solve_counting(const struct mesh *m, struct counter *c, int nargs, op2_solver solver,
                           op2_dat x, op2_dat b) {
  const op2_arg uses[] = {op2_arg_direct(c->count, OP2_RW)};
  const op2_operator_desc desc = {.set = m->nodes,
                                  .dim = 1,
                                  .type = OP2_F64,
                                  .apply = twice_and_count,
                                  .data = c,
                                  .nargs = nargs,
                                  .args = uses};
  op2_operator op;
  MUST(op2_operator_create(&desc, "op", &op));
  const op2_status status = op2_solve_operator(solver, op, x, b);
  if (nargs)
    MUST(status);
  else
    EXPECT(test_config.eager ? status == OP2_ERR_STATE : status == OP2_SUCCESS);
  op2_operator_destroy(&op);
}

static void operators(void) {
  const struct mesh m = new_mesh();
  struct counter c = {m.cells, m.whole, new_dat(m.single, 1, OP2_F64, NULL, "count"),
                      new_kernel(&add_one_kernel)};
  const op2_dat x = new_dat(m.nodes, 1, OP2_F64, NULL, "x"), b = new_vector(m.nodes, NODES, 1, "b");
  const op2_solver_options options = {.preconditioner = OP2_PRECONDITIONER_NONE};
  op2_solver solver;
  double count = 0;
  MUST(op2_solver_create(test_ctx, &options, "solver", &solver));
  solve_counting(&m, &c, 1, solver, x, b);
  EXPECT_VALUES(double, x, NODES, i, x_of(i) / 2);
  MUST(op2_dat_get(c.count, &count));
  EXPECT(count >= 2 * CELLS && fmod(count, CELLS) == 0);
  solve_counting(&m, &c, 0, solver, x, b);
  EXPECT(op2_flush(test_ctx) == (test_config.eager ? OP2_SUCCESS : OP2_ERR_STATE));
  EXPECT(test_config.eager ||
         strstr(op2_error_message(), "dat 'count' is used inside an operator"));
  EXPECT_VALUES(double, c.count, 1, i, count);
  op2_solver_destroy(&solver);
}

/* ---- systems --------------------------------------------------------------------------------- */

OP2_KERNEL(stiffness, (double a[3][3]), {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a[i][j] += i == j ? 2 : -1;
});
OP2_KERNEL(masses_column, (double a[3][1]), {
  for (int i = 0; i < 3; i++) a[i][0] += 1;
});
OP2_KERNEL(masses_row, (double a[1][3]), {
  for (int i = 0; i < 3; i++) a[0][i] += 1;
});

/* A singular system whose solution has the mean 0, by a Lagrange multiplier: [K c; c' 0]. */
static void solves(void) {
  const struct mesh m = new_mesh();
  const op2_map_pair pairs[] = {{m.ends, m.ends}, {NULL, NULL}};
  op2_sparsity sparsity;
  op2_mat k, c = new_mat(m.ends, m.whole, 1, 1, "c"), ct = new_mat(m.whole, m.ends, 1, 1, "ct");
  op2_solver solver;
  const op2_solver_options options = {.method = OP2_METHOD_MINRES, .rtol = 1e-12};
  double x0[NODES], mean = 0, y[NODES], multiplier;
  MUST(op2_sparsity_create(2, pairs, "pattern", &sparsity));
  MUST(op2_mat_create(sparsity, 1, 1, OP2_F64, "K", &k));
  MUST(op2_solver_create(test_ctx, &options, "solver", &solver));
  MUST(op2_par_loop(new_kernel(&stiffness_kernel), m.cells,
                    op2_arg_mat(k, m.ends, m.ends, OP2_INC)));
  MUST(op2_par_loop(new_kernel(&masses_column_kernel), m.cells,
                    op2_arg_mat(c, m.ends, m.whole, OP2_INC)));
  MUST(op2_par_loop(new_kernel(&masses_row_kernel), m.cells,
                    op2_arg_mat(ct, m.whole, m.ends, OP2_INC)));
  const int64_t loose[] = {NODES - 1};
  MUST(op2_mat_zero_rows_columns(k, new_subset(m.nodes, 1, loose, "loose"), 1.0, NULL, NULL));
  for (int n = 0; n < NODES; n++) x0[n] = x_of(n);
  const double lambda = 2.5;
  const op2_dat x = new_dat(m.nodes, 1, OP2_F64, x0, "x"),
                b = new_dat(m.nodes, 1, OP2_F64, NULL, "b");
  const op2_dat part = new_dat(m.nodes, 1, OP2_F64, NULL, "part");
  const op2_dat l = new_dat(m.single, 1, OP2_F64, &lambda, "l"),
                d = new_dat(m.single, 1, OP2_F64, NULL, "d");
  MUST(op2_mat_mult(k, x, b));
  MUST(op2_mat_mult(c, l, part));
  MUST(op2_dat_axpy(b, op2_scalar_value(1), part));
  MUST(op2_mat_mult(ct, x, d));
  const op2_dat u = new_dat(m.nodes, 1, OP2_F64, NULL, "u"),
                p = new_dat(m.single, 1, OP2_F64, NULL, "p");
  const op2_mat mats[] = {k, c, ct, NULL};
  MUST(op2_solve_nested(solver, 2, mats, ((const op2_dat[]){u, p}), ((const op2_dat[]){b, d})));
  MUST(op2_dat_get(u, y));
  MUST(op2_dat_get(p, &multiplier));
  for (int n = 0; n < NODES; n++) mean += fabs(y[n] - x0[n]);
  EXPECT(mean < 1e-7);
  EXPECT(fabs(multiplier - lambda) < 1e-7);
  op2_solver_destroy(&solver);
  op2_sparsity_destroy(&sparsity);
  op2_mat_destroy(&k);
  op2_mat_destroy(&c);
  op2_mat_destroy(&ct);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void refused_arguments(const struct mesh *m, const struct mats *a) {
  const op2_dat p = new_dat(m->single, G, OP2_F64, NULL, "p");
  const op2_dat q = new_dat(m->nodes, G, OP2_F64, NULL, "q");
  const op2_kernel one = new_source("one", "void one(double *p) { p[0] += 1; }");
  const op2_map other = new_map(m->nodes, m->single, 1, NULL, "other");
  REFUSED(OP2_ERR_ACCESS, op2_par_loop(one, m->cells, op2_arg_dat(p, 0, m->whole, OP2_WRITE)),
          "argument 0: dat 'p'", "READ or INC", "loop over 'R'");
  REFUSED(OP2_ERR_ACCESS, op2_par_loop(one, m->cells, op2_arg_dat(p, 0, m->whole, OP2_MAX)),
          "op2_arg_gbl");
  REFUSED(OP2_ERR_RANGE, op2_par_loop(one, m->cells, op2_arg_dat(p, OP2_ALL, m->whole, OP2_INC)),
          "slot 0");
  REFUSED(OP2_ERR_MISMATCH, op2_par_loop(one, m->cells, op2_arg_dat(q, 0, m->whole, OP2_INC)),
          "dat 'q' is on set 'nodes'", "leads to 'R'");
  REFUSED(OP2_ERR_MISMATCH, op2_par_loop(one, m->cells, op2_arg_dat(p, 0, other, OP2_INC)),
          "map 'other'", "starts from set 'nodes'");
  REFUSED(OP2_ERR_ACCESS,
          op2_par_loop(a->add_corner, m->cells, op2_arg_direct(m->w, OP2_READ),
                       op2_arg_mat(a->corner, m->whole, m->whole, OP2_WRITE)),
          "argument 1: matrix 'corner'", "only be INC", "op2_mat_zero");
  REFUSED(
      OP2_ERR_ARG,
      op2_par_loop(a->add_corner, m->cells, op2_arg_direct(m->w, OP2_READ),
                   op2_arg_mat_drop(a->corner, m->whole, m->whole, OP2_INC, OP2_ROWS, m->single)),
      "matrix 'corner'", "none can be left out");
  REFUSED(OP2_ERR_MISMATCH,
          op2_par_loop(a->add_corner, m->nodes, op2_arg_direct(q, OP2_READ),
                       op2_arg_mat(a->corner, other, m->whole, OP2_INC)),
          "by map 'whole', which starts from set 'cells'");
  REFUSED(OP2_ERR_MISMATCH,
          op2_par_loop(a->add_corner, m->cells, op2_arg_direct(m->w, OP2_READ),
                       op2_arg_mat(a->row, m->whole, m->whole, OP2_INC)),
          "matrix 'row' has rows of set 'R' and columns of 'nodes'");
}

static void refused(void) {
  const struct mesh m = new_mesh();
  struct mats a = new_mats(&m);
  const int32_t stray[CELLS] = {0, 0, 1};
  op2_map map = NULL;
  op2_set set = NULL;
  REFUSED(OP2_ERR_ARG, op2_set_create_single(test_ctx, "s", NULL), "null");
  REFUSED(OP2_ERR_STATE, op2_set_create_single(NULL, "s", &set), "context is null");
  REFUSED(OP2_ERR_ARG, op2_map_create(m.cells, m.single, 2, NULL, "two", &map), "map 'two'",
          "arity 1");
  REFUSED(OP2_ERR_RANGE, op2_map_create(m.cells, m.single, 1, stray, "stray", &map), "row 2");
  REFUSED(OP2_ERR_ARG, op2_map_create_partial(m.cells, m.single, 1, stray, "part", &map),
          "none leads nowhere");
  REFUSED(OP2_ERR_UNAVAILABLE, op2_mat_zero_rows(a.row, m.single, 0), "matrix 'row' has one row",
          "op2_mat_zero()");
  REFUSED(OP2_ERR_MISMATCH, op2_mat_zero_rows(a.row, m.single, 1), "no diagonal",
          "rows are of set 'R'");
  const op2_dat u = new_dat(m.nodes, DIM, OP2_F64, NULL, "u");
  REFUSED(OP2_ERR_MISMATCH, op2_mat_mult(a.row, u, u), "the rows are of 'R'");
  refused_arguments(&m, &a);
  destroy_mats(&a);
  EXPECT(!map && !set);
}

int main(void) {
  const struct test_case cases[] = {
      {"sums", sums},
      {"patterns", patterns},
      {"host values", host_values},
      {"left out", left_out},
      {"products", products},
      {"whole matrices", whole_matrices},
      {"calls", calls},
      {"dats", rows_of_dats},
      {"globals", globals},
      {"scopes", scopes},
      {"operators", operators},
      {"solves", solves},
      {"refused calls", refused},
  };
  return RUN(cases, RUN_ON_DEVICES);
}
