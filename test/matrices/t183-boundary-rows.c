/* SPDX-License-Identifier: BSD-3-Clause */
/* Boundary values: rows and columns are set to zero and the right-hand side is corrected, compared
 * with dense arithmetic on whole numbers; conjugate gradients solve the result, and warn of
 * matrices with only the rows set to zero; and many subsets are remembered. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hear.h"
#include "log.h"
#include "program.h"
#include "support.h"

enum { CELLS = 90, NODES = 70, SUBSETS = 20 };

/* A symmetric matrix of random triangles, and a chain, so that every node has a nonzero on the
 * diagonal. */
struct system {
  int dim;
  op2_type type;
  op2_set cells, nodes;
  int32_t *idx;
  op2_map map;
  op2_sparsity sparsity;
  op2_mat mat;
  op2_dat x, b;
  op2_kernel add;
  double *dense; /* [NODES * dim][NODES * dim] */
};

static double entry(int e, int r, int c) { return (r == c ? 40 : 0) + (e % 7 + 1) * (r + c) - 9; }

static op2_kernel add_kernel(const struct system *s) {
  char *text = scratch(512, 1);
  snprintf(text, 512,
           "void add(%s a[%d][%d], const long *e) {\n"
           "  for (int r = 0; r < %d; r++)\n    for (int c = 0; c < %d; c++)\n"
           "      a[r][c] += (r == c ? 40 : 0) + (e[0] %% 7 + 1) * (r + c) - 9;\n}\n",
           s->type == OP2_F64 ? "double" : "float", 3 * s->dim, 3 * s->dim, 3 * s->dim, 3 * s->dim);
  return new_source("add", text);
}

static struct system new_system(uint64_t *seed, int dim, op2_type type) {
  struct system s = {.dim = dim, .type = type};
  s.cells = new_set(CELLS, "cells");
  s.nodes = new_set(NODES, "nodes");
  s.idx = scratch((size_t)3 * CELLS, sizeof *s.idx);
  for (int e = 0; e < CELLS; e++)
    for (int k = 0; k < 3; k++) s.idx[3 * e + k] = k ? draw_below(seed, NODES) : e % NODES;
  s.map = new_map(s.cells, s.nodes, 3, s.idx, "nodes of cells");
  const op2_map_pair pair = {s.map, s.map};
  MUST(op2_sparsity_create(1, &pair, "pattern", &s.sparsity));
  MUST(op2_mat_create(s.sparsity, dim, dim, type, "A", &s.mat));
  s.x = new_dat(s.nodes, dim, type, NULL, "x");
  s.b = new_dat(s.nodes, dim, type, NULL, "b");
  s.add = add_kernel(&s);
  const size_t n = (size_t)(NODES * dim);
  s.dense = scratch(n * n, sizeof *s.dense);
  for (int e = 0; e < CELLS; e++)
    for (int r = 0; r < 3 * dim; r++)
      for (int c = 0; c < 3 * dim; c++) {
        size_t row = (size_t)(s.idx[3 * e + r / dim] * dim + r % dim);
        s.dense[row * n + (size_t)(s.idx[3 * e + c / dim] * dim + c % dim)] += entry(e, r, c);
      }
  return s;
}

static void end_system(struct system *s) {
  op2_mat_destroy(&s->mat);
  op2_sparsity_destroy(&s->sparsity);
}

static void assemble(const struct system *s) {
  MUST(op2_mat_zero(s->mat));
  MUST(op2_par_loop(s->add, s->cells, op2_arg_mat(s->mat, s->map, s->map, OP2_INC), op2_arg_idx()));
}

static void set(const struct system *s, op2_dat dat, const double *values) {
  const size_t n = (size_t)(NODES * s->dim);
  float *narrow = scratch(n, sizeof *narrow);
  for (size_t i = 0; i < n; i++) narrow[i] = (float)values[i];
  MUST(op2_dat_set(dat, s->type == OP2_F64 ? (const void *)values : narrow));
}

static double get(const struct system *s, const void *values, size_t i) {
  return s->type == OP2_F64 ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

static void expect_matrix(const struct system *s, const bool *bound, double diagonal) {
  int64_t rows, places;
  MUST(op2_sparsity_size(s->sparsity, &rows, &places));
  const int block = s->dim * s->dim;
  int64_t *starts = scratch((size_t)rows + 1, sizeof *starts);
  int64_t *columns = scratch((size_t)places, sizeof *columns);
  void *values = scratch((size_t)(places * block), sizeof(double));
  MUST(op2_sparsity_get(s->sparsity, starts, columns));
  MUST(op2_mat_get(s->mat, values));
  for (int64_t i = 0; i < rows; i++)
    for (int64_t p = starts[i]; p < starts[i + 1]; p++)
      for (int k = 0; k < block; k++) {
        int64_t row = i * s->dim + k / s->dim, column = columns[p] * s->dim + k % s->dim;
        double want = bound[i] || bound[columns[p]] ? (row == column ? diagonal : 0)
                                                    : s->dense[row * NODES * s->dim + column];
        if (!EXPECT(get(s, values, (size_t)(p * block + k)) == want)) return;
      }
}

static void expect_corrected(const struct system *s, const bool *bound, double diagonal,
                             const double *x, const double *b) {
  const int n = NODES * s->dim;
  void *values = scratch((size_t)n, sizeof(double));
  MUST(op2_dat_get(s->b, values));
  for (int i = 0; i < n; i++) {
    double want = bound[i / s->dim] ? diagonal * x[i] : b[i];
    for (int j = 0; j < n && !bound[i / s->dim]; j++)
      if (bound[j / s->dim]) want -= s->dense[i * n + j] * x[j];
    if (!EXPECT(get(s, values, (size_t)i) == want)) return;
  }
}

/* x is NaN where it is not read. */
static void case_of(uint64_t *seed, int dim, op2_type type, bool corrects, bool renumbers) {
  struct system s = new_system(seed, dim, type);
  const double diagonal = draw_below(seed, 2) ? 3 : 0;
  double *x = scratch((size_t)(NODES * dim), sizeof *x), *b = scratch((size_t)(NODES * dim), 8);
  bool bound[NODES];
  int64_t list[NODES], n = 0;
  for (int i = 0; i < NODES; i++)
    if ((bound[i] = draw_below(seed, 4) == 0)) list[n++] = i;
  for (int i = 0; i < NODES * dim; i++) {
    x[i] = bound[i / dim] ? draw_below(seed, 9) - 4 : NAN;
    b[i] = draw_below(seed, 50);
  }
  op2_set some = new_subset(s.nodes, n, list, "some");
  for (int times = 0; times < 2; times++) {
    if (renumbers) {
      op2_status status = op2_renumber(s.map);
      if (status != OP2_ERR_UNAVAILABLE) MUST(status);
    }
    renumbers = renumbers && !times;
    set(&s, s.x, x);
    set(&s, s.b, b);
    assemble(&s);
    MUST(op2_mat_zero_rows_columns(s.mat, some, diagonal, corrects ? s.x : NULL,
                                   corrects ? s.b : NULL));
    expect_matrix(&s, bound, diagonal);
    if (corrects) expect_corrected(&s, bound, diagonal, x, b);
  }
  end_system(&s);
}

static void random_cases(void) {
  uint64_t seed = 5;
  const int dims = on_device() ? 1 : quick() ? 2 : 3;
  for (int dim = 1; dim <= dims; dim++)
    for (int kind = 0; kind < 8; kind++)
      case_of(&seed, dim, kind % 2 ? OP2_F32 : OP2_F64, kind / 2 % 2 == 0, kind / 4);
}

/* ---- solving --------------------------------------------------------------------------------- */

static op2_solver new_solver(op2_method method) {
  op2_solver solver;
  const op2_solver_options options = {.method = method,
                                      .library = OP2_LIBRARY_OP2,
                                      .rtol = 1e-10,
                                      .allow_failure = 1,
                                      .start_at_zero = 1,
                                      .iterations = 3};
  MUST(op2_solver_create(test_ctx, &options, "s", &solver));
  return solver;
}

/* True if a warning is printed to stderr while a solve is queued, before it has begun. */
static bool warned(const struct system *s, op2_solver solver) {
  hear_begin();
  op2_status status = op2_solve(solver, s->mat, s->x, s->b);
  const char *said = hear_end();
  MUST(status);
  bool warns = strstr(said, "op2_mat_zero_rows_columns") != NULL;
  if (warns) EXPECT(strstr(said, "'A'") && strstr(said, "t183-boundary-rows.c:"));
  return warns;
}

static void warnings(void) {
  uint64_t seed = 6;
  static const op2_method methods[] = {OP2_METHOD_DEFAULT, OP2_METHOD_CG, OP2_METHOD_MINRES,
                                       OP2_METHOD_GMRES, OP2_METHOD_BICGSTAB};
  if (on_device()) return;
  test_ctx->config.log_level = OP2I_LOG_WARN;
  for (int m = 0; m < 5; m++) {
    struct system s = new_system(&seed, 1, OP2_F64);
    op2_set some = new_subset(s.nodes, 3, (const int64_t[]){1, 5, 30}, "some");
    op2_solver solver = new_solver(methods[m]);
    const bool symmetric = m < 3;
    assemble(&s);
    MUST(op2_mat_zero_rows_columns(s.mat, some, 1, s.x, s.b));
    EXPECT(!warned(&s, solver));
    MUST(op2_mat_zero_rows(s.mat, some, 1));
    EXPECT(warned(&s, solver) == symmetric);
    EXPECT(!warned(&s, solver));
    op2_mat_destroy(&s.mat);
    MUST(op2_mat_create(s.sparsity, 1, 1, OP2_F64, "A", &s.mat));
    MUST(op2_mat_zero_rows(s.mat, some, 1));
    assemble(&s);
    EXPECT(!warned(&s, solver));
    MUST(op2_flush(test_ctx));
    op2_solver_destroy(&solver);
    end_system(&s);
  }
}

/* ---- subsets --------------------------------------------------------------------------------- */

static bool counting(void) {
  return test_ctx->backend->passes && !test_config.eager && test_ctx->config.replay;
}

static void many_subsets(void) {
  uint64_t seed = 7;
  struct system s = new_system(&seed, 1, OP2_F64);
  op2_set subsets[SUBSETS];
  for (int64_t k = 0; k < SUBSETS; k++)
    subsets[k] = new_subset(s.nodes, 1, (const int64_t[]){3 * k}, "one");
  int64_t made = 0;
  for (int times = 0; times < 4; times++) {
    assemble(&s);
    for (int k = 0; k < SUBSETS; k++)
      if (k % 2)
        MUST(op2_mat_zero_rows_columns(s.mat, subsets[k], 2, NULL, NULL));
      else
        MUST(op2_mat_zero_rows(s.mat, subsets[k], 2));
    MUST(op2_flush(test_ctx));
    if (times == 2) made = test_ctx->sched->stats.programs_made;
  }
  if (counting()) EXPECT(test_ctx->sched->stats.programs_made == made);
  end_system(&s);
}

/* A subset that is made anew each time leaves no cached nonzeros behind that a later subset could
 * be given. */
static void passing_subsets(void) {
  uint64_t seed = 8;
  struct system s = new_system(&seed, 1, OP2_F64);
  for (int64_t k = 0; k < 30; k++) {
    op2_set one;
    bool bound[NODES] = {false};
    MUST(op2_subset_create(s.nodes, 1, &k, "passing", &one));
    assemble(&s);
    MUST(op2_mat_zero_rows_columns(s.mat, one, 5, NULL, NULL));
    op2_set_destroy(&one);
    bound[k] = true;
    if (k % 10 == 0) expect_matrix(&s, bound, 5);
  }
  MUST(op2_flush(test_ctx));
  end_system(&s);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void refused(void) {
  uint64_t seed = 9;
  struct system s = new_system(&seed, 2, OP2_F64);
  op2_set all = s.nodes;
  op2_dat narrow = new_dat(s.nodes, 1, OP2_F64, NULL, "narrow");
  op2_dat f = new_dat(s.nodes, 2, OP2_F32, NULL, "f");
  op2_dat far = new_dat(s.cells, 2, OP2_F64, NULL, "far");
  op2_mat tall;
  MUST(op2_mat_create(s.sparsity, 2, 1, OP2_F64, "tall", &tall));
  REFUSED(OP2_ERR_MISMATCH, op2_mat_zero_rows_columns(tall, all, 1, NULL, NULL), "'tall'",
          "no diagonal");
  REFUSED(OP2_ERR_MISMATCH, op2_mat_zero_rows_columns(tall, all, 0, NULL, NULL), "'tall'",
          "no diagonal");
  REFUSED(OP2_ERR_MISMATCH, op2_mat_zero_rows_columns(s.mat, s.cells, 1, s.x, s.b), "'cells'",
          "'nodes'");
  REFUSED(OP2_ERR_ARG, op2_mat_zero_rows_columns(s.mat, all, 1, s.x, NULL), "b is null");
  REFUSED(OP2_ERR_ARG, op2_mat_zero_rows_columns(s.mat, all, 1, NULL, s.b), "x is null");
  REFUSED(OP2_ERR_ARG, op2_mat_zero_rows_columns(s.mat, all, 1, s.x, s.x), "'x'", "as well");
  REFUSED(OP2_ERR_MISMATCH, op2_mat_zero_rows_columns(s.mat, all, 1, narrow, s.b), "'narrow'",
          "dim 1");
  REFUSED(OP2_ERR_MISMATCH, op2_mat_zero_rows_columns(s.mat, all, 1, s.x, far), "'far'", "'cells'");
  REFUSED(OP2_ERR_TYPE, op2_mat_zero_rows_columns(s.mat, all, 1, s.x, f), "'f'", "OP2_F32");
  REFUSED(OP2_ERR_ARG, op2_mat_zero_rows_columns(NULL, all, 1, s.x, s.b), "null");
  REFUSED(OP2_ERR_ARG, op2_mat_zero_rows_columns(s.mat, NULL, 1, s.x, s.b), "null");
  const void *open = NULL;
  MUST(op2_dat_read_begin(s.b, &open));
  REFUSED(OP2_ERR_STATE, op2_mat_zero_rows_columns(s.mat, all, 1, s.x, s.b), "'b'", "open");
  MUST(op2_dat_read_end(s.b, &open));
  op2_mat_destroy(&tall);
  end_system(&s);
}

static const struct test_case cases[] = {
    {"random matrices, blocks and values", random_cases},
    {"warnings", warnings},
    {"many subsets", many_subsets},
    {"subsets that go", passing_subsets},
    {"what is refused", refused},
};

int main(void) {
  test_environment();
  return RUN(cases, RUN_ON_DEVICES);
}
