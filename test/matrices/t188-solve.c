/* SPDX-License-Identifier: BSD-3-Clause */
/* Systems of equations: solved lazily, in time loops, between other loops, with float and double
 * and with blocks; solutions are compared with the equations. Failures are reported, and cancel the
 * loops that need the result. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

enum { SIDE = 12, NODES = (SIDE + 1) * (SIDE + 1), CELLS = SIDE * SIDE };

struct system {
  op2_set cells, nodes;
  op2_map map;
  op2_sparsity sparsity;
  op2_mat mat;
  op2_dat x, b;
  op2_type type;
  int dim;
  op2_kernel add;
};

/* Declare the matrix of the map's pattern, and x and b. */
static void declare(struct system *s) {
  const op2_map_pair pair = {s->map, s->map};
  MUST(op2_sparsity_create(1, &pair, "pattern", &s->sparsity));
  MUST(op2_mat_create(s->sparsity, s->dim, s->dim, s->type, "A", &s->mat));
  s->x = new_dat(s->nodes, s->dim, s->type, NULL, "x");
  s->b = new_dat(s->nodes, s->dim, s->type, NULL, "b");
}

/* Mass and stiffness matrices of squares: symmetric, positive definite for `sign` = 1. */
static struct system new_system(op2_type type, int dim, double sign) {
  struct system s = {.type = type, .dim = dim};
  int32_t *idx = scratch(4 * CELLS, sizeof *idx);
  for (int e = 0; e < CELLS; e++) {
    int corner = e / SIDE * (SIDE + 1) + e % SIDE;
    idx[4 * e] = corner, idx[4 * e + 1] = corner + 1;
    idx[4 * e + 2] = corner + SIDE + 1, idx[4 * e + 3] = corner + SIDE + 2;
  }
  s.cells = new_set(CELLS, "cells");
  s.nodes = new_set(NODES, "nodes");
  s.map = new_map(s.cells, s.nodes, 4, idx, "cell nodes");
  declare(&s);
  const char *t = type == OP2_F64 ? "double" : "float";
  char *source = scratch(1024, 1);
  snprintf(source, 1024,
           "void add(%s a[%d][%d]) {\n"
           "  const %s mass[4] = {4, 2, 2, 1}, stiff[4] = {4, -1, -1, -2};\n"
           "  for (int i = 0; i < 4; i++)\n    for (int j = 0; j < 4; j++)\n"
           "      for (int k = 0; k < %d; k++)\n"
           "        a[i * %d + k][j * %d + k] += (%g) * (mass[i ^ j] * (1 + k) / 36 + stiff[i ^ j] "
           "/ 6);\n}\n",
           t, 4 * dim, 4 * dim, t, dim, dim, dim, sign);
  s.add = new_source("add", source);
  MUST(op2_par_loop(s.add, s.cells, op2_arg_mat(s.mat, s.map, s.map, OP2_INC)));
  return s;
}

static void end_system(struct system *s) {
  op2_mat_destroy(&s->mat);
  op2_sparsity_destroy(&s->sparsity);
}

static op2_kernel source_of(const struct system *s, double scale) {
  char *source = scratch(256, 1);
  snprintf(
      source, 256,
      "void fill(%s *b, int64_t i) { for (int k = 0; k < %d; k++) b[k] = %g * (i %% 7 - 2 + k); }",
      s->type == OP2_F64 ? "double" : "float", s->dim, scale);
  return new_source("fill", source);
}

static double value_at(const struct system *s, const void *values, int64_t i) {
  return s->type == OP2_F64 ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

/* Returns |b - A x| / |b|, with the matrix read from the library. */
static double residual_of(const struct system *s) {
  int64_t rows, places;
  MUST(op2_sparsity_size(s->sparsity, &rows, &places));
  int64_t *starts = scratch((size_t)rows + 1, sizeof *starts);
  int64_t *columns = scratch((size_t)places, sizeof *columns);
  void *a = scratch((size_t)(places * s->dim * s->dim), sizeof(double));
  void *x = scratch((size_t)(rows * s->dim), sizeof(double)),
       *b = scratch((size_t)(rows * s->dim), sizeof(double));
  double sum = 0, square = 0;
  MUST(op2_sparsity_get(s->sparsity, starts, columns));
  MUST(op2_mat_get(s->mat, a));
  MUST(op2_dat_get(s->x, x));
  MUST(op2_dat_get(s->b, b));
  for (int64_t i = 0; i < rows; i++)
    for (int k = 0; k < s->dim; k++) {
      double r = value_at(s, b, i * s->dim + k);
      square += r * r;
      for (int64_t p = starts[i]; p < starts[i + 1]; p++)
        for (int l = 0; l < s->dim; l++)
          r -= value_at(s, a, (p * s->dim + k) * s->dim + l) *
               value_at(s, x, columns[p] * s->dim + l);
      sum += r * r;
    }
  return sqrt(sum / square);
}

static op2_solver new_solver(op2_solver_options options) {
  op2_solver solver;
  MUST(op2_solver_create(test_ctx, &options, "cg", &solver));
  return solver;
}

enum { METHODS = 4 };
static const op2_method methods[METHODS] = {OP2_METHOD_CG, OP2_METHOD_MINRES, OP2_METHOD_GMRES,
                                            OP2_METHOD_BICGSTAB};

static void solve_by(op2_method method, op2_type type, int dim, op2_preconditioner preconditioner) {
  double rtol = type == OP2_F64 ? 1e-10 : 1e-5;
  struct system s = new_system(type, dim, 1);
  op2_solver solver = new_solver((op2_solver_options){.method = method,
                                                      .preconditioner = preconditioner,
                                                      .rtol = rtol,
                                                      .restart = dim == 2 ? 12 : 0});
  op2_solve_result result;
  MUST(op2_solver_result(solver, &result));
  EXPECT(result.reason == OP2_NOT_SOLVED && result.iterations == 0);
  MUST(op2_par_loop(source_of(&s, 1), s.nodes, op2_arg_direct(s.b, OP2_WRITE), op2_arg_idx()));
  MUST(op2_solve(solver, s.mat, s.x, s.b));
  if (queue_grows()) EXPECT(op2_queued(test_ctx) == 3);
  MUST(op2_solver_result(solver, &result));
  bool good = EXPECT(result.reason == OP2_CONVERGED_RTOL && result.iterations > 3 &&
                     result.iterations < 120);
  EXPECT(op2_queued(test_ctx) == 0);
  good &= EXPECT(residual_of(&s) <= (method == OP2_METHOD_MINRES ? 40 : 4) * rtol);
  if (!good)
    printf("# method %d, type %d, dim %d, preconditioner %d: reason %d, %d iterations, %g\n",
           (int)method, (int)type, dim, (int)preconditioner, (int)result.reason, result.iterations,
           residual_of(&s));
  op2_solver_destroy(&solver);
  end_system(&s);
}

/* Compilation takes most of the time: each type and dim has its own kernels, and blocks have
 * others. One backend tries float. */
static bool is_tried(op2_type type, int dim, op2_preconditioner pc) {
  const bool block = pc == OP2_PRECONDITIONER_BLOCK_JACOBI;
  if (on_device()) return type == OP2_F64 && dim == 1 && pc == OP2_PRECONDITIONER_JACOBI;
  if (thorough()) return true;
  if (type == OP2_F64) return block == (dim == 2);
  return !strcmp(test_config.backend, "sequential") && dim == 1 && pc == OP2_PRECONDITIONER_JACOBI;
}

static void solved(void) {
  static const op2_type types[] = {OP2_F64, OP2_F32};
  for (int m = 0; m < METHODS; m++)
    for (int t = 0; t < 2; t++)
      for (int dim = 1; dim <= 2; dim++)
        for (int pc = OP2_PRECONDITIONER_NONE; pc <= OP2_PRECONDITIONER_BLOCK_JACOBI; pc++)
          if (is_tried(types[t], dim, (op2_preconditioner)pc))
            solve_by(methods[m], types[t], dim, (op2_preconditioner)pc);
}

/* GMRES and BiCGSTAB solve the unsymmetric system; MINRES and those two solve the indefinite
 * one. */
static void not_definite(void) {
  op2_kernel skew = new_source(
      "skew", "void skew(double a[4][4]) { for (int i = 0; i < 4; i++) for (int j = 0; j < "
              "4; j++) if (i != j) a[i][j] += i < j ? 0.03 : -0.03; }");
  op2_kernel shift = new_source(
      "shift", "void shift(double a[4][4], int64_t e) { a[0][0] -= e % 5 == 0 ? 3 : 0; }");
  for (int m = 1; m < METHODS; m++)
    for (int kind = 0; kind < 2; kind++) {
      if (methods[m] == OP2_METHOD_MINRES && kind == 0) continue;
      /* The checked mode takes seconds for this one. */
      if (methods[m] == OP2_METHOD_GMRES && kind == 1 && on_check() && !thorough()) continue;
      struct system s = new_system(OP2_F64, 1, 1);
      op2_solver solver = new_solver((op2_solver_options){.method = methods[m],
                                                          .preconditioner = OP2_PRECONDITIONER_NONE,
                                                          .restart = 100,
                                                          .rtol = 1e-9});
      op2_solve_result result;
      if (kind == 0)
        MUST(op2_par_loop(skew, s.cells, op2_arg_mat(s.mat, s.map, s.map, OP2_INC)));
      else
        MUST(
            op2_par_loop(shift, s.cells, op2_arg_mat(s.mat, s.map, s.map, OP2_INC), op2_arg_idx()));
      MUST(op2_par_loop(source_of(&s, 1), s.nodes, op2_arg_direct(s.b, OP2_WRITE), op2_arg_idx()));
      MUST(op2_solve(solver, s.mat, s.x, s.b));
      MUST(op2_solver_result(solver, &result));
      bool good = EXPECT(result.reason == OP2_CONVERGED_RTOL);
      good &= EXPECT(residual_of(&s) <= 1e-8);
      if (!good)
        printf("# method %d, kind %d: reason %d, %d iterations, %g\n", (int)methods[m], kind,
               (int)result.reason, result.iterations, residual_of(&s));
      op2_solver_destroy(&solver);
      end_system(&s);
    }
}

/* Uncoupled blocks: their inverses solve the system at once, the inverse of the diagonal does not.
 * The first value of every third block is zero, so that pivoting is needed. */
static void blocks_alone(op2_method method, op2_type type, int dim) {
  struct system s = {.type = type, .dim = dim};
  int32_t *self = scratch(NODES, sizeof *self);
  for (int i = 0; i < NODES; i++) self[i] = i;
  s.nodes = new_set(NODES, "nodes");
  s.map = new_map(s.nodes, s.nodes, 1, self, "self");
  declare(&s);
  const char *t = type == OP2_F64 ? "double" : "float";
  char *source = scratch(1024, 1);
  snprintf(source, 1024,
           "void own(%s a[%d][%d], int64_t e) {\n"
           "  for (int i = 0; i < %d; i++)\n    for (int j = 0; j < %d; j++)\n"
           "      a[i][j] = 1.0 / (1 + i + j + e %% 5) + (i == j ? 2 : 0);\n"
           "  if (%d && e %% 3 == 0) { a[0][0] = 0; a[0][1] = 3; a[1][0] = 2; }\n}\n",
           t, dim, dim, dim, dim, method != OP2_METHOD_CG && method != OP2_METHOD_MINRES);
  MUST(op2_par_loop(new_source("own", source), s.nodes, op2_arg_mat(s.mat, s.map, s.map, OP2_WRITE),
                    op2_arg_idx()));
  MUST(op2_par_loop(source_of(&s, 1), s.nodes, op2_arg_direct(s.b, OP2_WRITE), op2_arg_idx()));
  const double rtol = type == OP2_F64 ? 1e-12 : 1e-5;
  const bool both = type == OP2_F64 && dim == 2;
  int iterations[2] = {2};
  for (int k = both ? 0 : 1; k < 2; k++) {
    op2_solver solver = new_solver((op2_solver_options){
        .method = method,
        .preconditioner = k ? OP2_PRECONDITIONER_BLOCK_JACOBI : OP2_PRECONDITIONER_JACOBI,
        .rtol = rtol,
        .restart = 100,
        .iterations = 100,
        .start_at_zero = 1,
        .allow_failure = 1});
    op2_solve_result result;
    MUST(op2_solve(solver, s.mat, s.x, s.b));
    MUST(op2_solver_result(solver, &result));
    EXPECT(k == 0 || result.reason == OP2_CONVERGED_RTOL);
    iterations[k] = result.iterations;
    op2_solver_destroy(&solver);
  }
  bool good = EXPECT(iterations[1] == 1 && iterations[0] > 1);
  good &= EXPECT(residual_of(&s) <= 4 * rtol);
  if (!good)
    printf("# method %d, type %d, dim %d: %d and %d iterations, %g\n", (int)method, (int)type, dim,
           iterations[0], iterations[1], residual_of(&s));
  end_system(&s);
}

static void blocks(void) {
  /* A device's compiler takes seconds for each method. */
  for (int m = 0; m < METHODS; m += on_device() && quick() ? 2 : 1)
    blocks_alone(methods[m], OP2_F64, 2);
  if (on_device()) return;
  blocks_alone(OP2_METHOD_GMRES, OP2_F64, 3);
  blocks_alone(OP2_METHOD_CG, OP2_F32, 2);
}

/* A block without an inverse is replaced by the identity. */
static void singular_block(void) {
  op2_set rows = new_set(2, "rows");
  const int32_t self[] = {0, 1};
  op2_map map = new_map(rows, rows, 1, self, "self");
  const op2_map_pair pair = {map, map};
  op2_sparsity sparsity;
  op2_mat mat;
  MUST(op2_sparsity_create(1, &pair, "pattern", &sparsity));
  MUST(op2_mat_create(sparsity, 2, 2, OP2_F64, "A", &mat));
  const double b[] = {4, 6, 5, 5}; /* in the range of the singular block */
  op2_dat x = new_dat(rows, 2, OP2_F64, NULL, "x"), rhs = new_dat(rows, 2, OP2_F64, b, "b");
  MUST(op2_par_loop(new_source("own", "void own(double a[2][2], int64_t e) {\n"
                                      "  a[0][0] = e ? 1 : 2; a[0][1] = e ? 1 : 0;\n"
                                      "  a[1][0] = e ? 1 : 0; a[1][1] = e ? 1 : 3;\n}\n"),
                    rows, op2_arg_mat(mat, map, map, OP2_WRITE), op2_arg_idx()));
  op2_solver solver =
      new_solver((op2_solver_options){.preconditioner = OP2_PRECONDITIONER_BLOCK_JACOBI});
  MUST(op2_solve(solver, mat, x, rhs));
  EXPECT_VALUES(double, x, 4, i, i < 2 ? 2 : 2.5);
  op2_solver_destroy(&solver);
  op2_mat_destroy(&mat);
  op2_sparsity_destroy(&sparsity);
}

/* Each time step has its own right-hand side and starts from the last solution. */
static void in_time(void) {
  struct system s = new_system(OP2_F64, 1, 1);
  op2_solver solver = new_solver((op2_solver_options){.rtol = 1e-9});
  op2_kernel grow = new_source(
      "grow", "void grow(double *b, const double *x, double *sum) { b[0] += x[0] / 8 + 1; "
              "sum[0] += x[0]; }");
  op2_gbl sum = new_gbl(1, OP2_F64, NULL, "sum");
  const double zero = 0;
  double total, before = 0;
  op2_solve_result result;
  for (int step = 0; step < 5; step++) {
    MUST(op2_gbl_set(sum, &zero));
    MUST(op2_par_loop(grow, s.nodes, op2_arg_direct(s.b, OP2_RW), op2_arg_direct(s.x, OP2_READ),
                      op2_arg_gbl(sum, OP2_INC)));
    MUST(op2_solve(solver, s.mat, s.x, s.b));
    if (step != 3) continue;
    EXPECT(residual_of(&s) <= 4e-9);
    MUST(op2_gbl_get(sum, &before));
  }
  MUST(op2_gbl_get(sum, &total));
  EXPECT(total > before && before > 0);
  EXPECT(residual_of(&s) <= 4e-9);
  MUST(op2_solver_result(solver, &result));
  EXPECT(result.reason == OP2_CONVERGED_RTOL);
  MUST(op2_solve(solver, s.mat, s.x, s.b)); /* x is the solution already */
  MUST(op2_solver_result(solver, &result));
  EXPECT(result.reason == OP2_CONVERGED_RTOL && result.iterations == 0);
  op2_solver_destroy(&solver);
  end_system(&s);
}

/* Two independent solves: one is run, the other stays queued. */
static void only_what_is_needed(void) {
  struct system s = new_system(OP2_F64, 1, 1);
  op2_dat y = new_dat(s.nodes, 1, OP2_F64, NULL, "y"), c = new_dat(s.nodes, 1, OP2_F64, NULL, "c");
  op2_solver one = new_solver((op2_solver_options){0}),
             two = new_solver((op2_solver_options){.start_at_zero = 1});
  op2_solve_result result;
  MUST(op2_par_loop(source_of(&s, 1), s.nodes, op2_arg_direct(s.b, OP2_WRITE), op2_arg_idx()));
  MUST(op2_par_loop(source_of(&s, -2), s.nodes, op2_arg_direct(c, OP2_WRITE), op2_arg_idx()));
  MUST(op2_solve(one, s.mat, s.x, s.b));
  MUST(op2_solve(two, s.mat, y, c));
  MUST(op2_solver_result(two, &result));
  EXPECT(result.reason == OP2_CONVERGED_RTOL);
  if (queue_grows()) EXPECT(op2_queued(test_ctx) == 2); /* b, and the solve with it */
  MUST(op2_solver_result(one, &result));
  EXPECT(result.reason == OP2_CONVERGED_RTOL && op2_queued(test_ctx) == 0);
  EXPECT(residual_of(&s) <= 4e-8);
  double *x = scratch(NODES, sizeof *x);
  MUST(op2_dat_get(s.x, x));
  const void *view = NULL;
  MUST(op2_dat_read_begin(y, &view));
  for (int i = 0; i < NODES; i++)
    if (!EXPECT(fabs(((const double *)view)[i] + 2 * x[i]) < 1e-6)) break;
  MUST(op2_dat_read_end(y, &view));
  op2_solver_destroy(&one);
  op2_solver_destroy(&two);
  end_system(&s);
}

/* ---- failures -------------------------------------------------------------------------------- */

static void diverged(void) {
  struct system s = new_system(OP2_F64, 1, -1);
  op2_solver solver = new_solver((op2_solver_options){0});
  op2_dat y = new_dat(s.nodes, 1, OP2_F64, NULL, "y");
  op2_kernel copy = new_source("copy", "void copy(double *y, const double *x) { y[0] = x[0]; }");
  op2_solve_result result;
  MUST(op2_par_loop(source_of(&s, 1), s.nodes, op2_arg_direct(s.b, OP2_WRITE), op2_arg_idx()));
  op2_status status = op2_solve(solver, s.mat, s.x, s.b);
  EXPECT(status == (test_config.eager ? OP2_ERR_DIVERGED : OP2_SUCCESS));
  MUST(op2_par_loop(copy, s.nodes, op2_arg_direct(y, OP2_WRITE), op2_arg_direct(s.x, OP2_READ)));
  MUST(op2_solver_result(solver, &result));
  EXPECT(result.reason == OP2_DIVERGED_INDEFINITE);
  double *values = scratch(NODES, sizeof *values);
  EXPECT(op2_dat_get(y, values) == OP2_ERR_DIVERGED);
  EXPECT(strstr(op2_error_message(), "solve 'cg' of 'A'") &&
         strstr(op2_error_message(), "t188-solve.c") &&
         strstr(op2_error_message(), "not positive definite"));
  EXPECT(op2_flush(test_ctx) == OP2_SUCCESS); /* the failure has been reported already */
  MUST(op2_dat_set(s.x, values));
  MUST(op2_par_loop(copy, s.nodes, op2_arg_direct(y, OP2_WRITE), op2_arg_direct(s.x, OP2_READ)));
  EXPECT_VALUES(double, y, NODES, i, 0 * (double)i);
  op2_solver_destroy(&solver);
  end_system(&s);
}

static void ended_early(void) {
  struct system s = new_system(OP2_F64, 1, 1);
  op2_solver few = new_solver((op2_solver_options){.iterations = 3, .allow_failure = 1});
  op2_solver strict = new_solver((op2_solver_options){.iterations = 3});
  op2_solve_result result;
  MUST(op2_par_loop(source_of(&s, 1), s.nodes, op2_arg_direct(s.b, OP2_WRITE), op2_arg_idx()));
  MUST(op2_solve(few, s.mat, s.x, s.b));
  MUST(op2_solver_result(few, &result));
  EXPECT(result.reason == OP2_DIVERGED_ITERATIONS && result.iterations == 3);
  EXPECT(residual_of(&s) < 1);
  op2_status status = op2_solve(strict, s.mat, s.x, s.b);
  if (!test_config.eager) status = op2_flush(test_ctx);
  EXPECT(status == OP2_ERR_DIVERGED && strstr(op2_error_message(), "enough iterations"));
  double *bad = scratch(NODES, sizeof *bad);
  bad[5] = NAN;
  MUST(op2_dat_set(s.x, scratch(NODES, sizeof *bad)));
  MUST(op2_dat_set(s.b, bad));
  MUST(op2_solve(few, s.mat, s.x, s.b));
  MUST(op2_solver_result(few, &result));
  EXPECT(result.reason == OP2_DIVERGED_NAN);
  op2_solver_destroy(&few);
  op2_solver_destroy(&strict);
  end_system(&s);
}

/* A solve whose input has failed does not run. */
static void cancelled(void) {
  struct system s = new_system(OP2_F64, 1, 1);
  op2_solver solver = new_solver((op2_solver_options){0});
  op2_solve_result result;
  op2_kernel broken = new_source("broken", "void broken(double *b) { b[0] = nonsense; }");
  (void)!op2_par_loop(broken, s.nodes, op2_arg_direct(s.b, OP2_WRITE));
  (void)!op2_solve(solver, s.mat, s.x, s.b);
  double *values = scratch(NODES, sizeof *values);
  EXPECT(op2_dat_get(s.x, values) == OP2_ERR_COMPILE);
  MUST(op2_solver_result(solver, &result));
  EXPECT(result.reason == OP2_SOLVE_CANCELLED);
  op2_solver_destroy(&solver);
  end_system(&s);
}

static void handles_go(void) {
  struct system s = new_system(OP2_F64, 1, 1);
  op2_solver solver = new_solver((op2_solver_options){0}), copy = solver;
  MUST(op2_par_loop(source_of(&s, 1), s.nodes, op2_arg_direct(s.b, OP2_WRITE), op2_arg_idx()));
  MUST(op2_solve(solver, s.mat, s.x, s.b));
  op2_solver_destroy(&solver);
  op2_mat mat = s.mat;
  op2_mat_destroy(&s.mat);
  MUST(op2_flush(test_ctx));
  REFUSED(OP2_ERR_ARG, op2_solve(copy, mat, s.x, s.b), "destroyed");
  end_system(&s);
}

static void refused(void) {
  struct system s = new_system(OP2_F64, 1, 1);
  MUST(op2_flush(test_ctx));
  op2_solver solver = new_solver((op2_solver_options){0}), none = NULL;
  op2_dat wide = new_dat(s.nodes, 2, OP2_F64, NULL, "wide"),
          far = new_dat(s.cells, 1, OP2_F64, NULL, "far");
  op2_dat f = new_dat(s.nodes, 1, OP2_F32, NULL, "f");
  REFUSED(OP2_ERR_ARG, op2_solve(none, s.mat, s.x, s.b), "null");
  REFUSED(OP2_ERR_ARG, op2_solve(solver, NULL, s.x, s.b), "null");
  REFUSED(OP2_ERR_ARG, op2_solve(solver, s.mat, NULL, s.b), "'cg'", "x", "null");
  REFUSED(OP2_ERR_ARG, op2_solve(solver, s.mat, s.x, NULL), "'cg'", "b", "null");
  REFUSED(OP2_ERR_ARG, op2_solve(solver, s.mat, s.x, s.x), "x and b");
  REFUSED(OP2_ERR_MISMATCH, op2_solve(solver, s.mat, wide, s.b), "'wide'", "dim 2", "'A'");
  REFUSED(OP2_ERR_MISMATCH, op2_solve(solver, s.mat, s.x, far), "'far'", "'cells'", "'nodes'");
  REFUSED(OP2_ERR_TYPE, op2_solve(solver, s.mat, f, s.b), "'f'", "OP2_F32");
  op2_mat flat;
  MUST(op2_mat_create(s.sparsity, 1, 2, OP2_F64, "flat", &flat));
  REFUSED(OP2_ERR_MISMATCH, op2_solve(solver, flat, s.x, s.b), "'flat'", "not square");
  op2_mat_destroy(&flat);
  const op2_solver_options wrong[] = {{.method = (op2_method)77},
                                      {.preconditioner = (op2_preconditioner)-1},
                                      {.rtol = -1},
                                      {.atol = NAN},
                                      {.restart = 101},
                                      {.iterations = -5}};
  for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++)
    REFUSED(OP2_ERR_OPTION, op2_solver_create(test_ctx, &wrong[w], "odd", &none), "'odd'");
  REFUSED(OP2_ERR_ARG, op2_solver_create(test_ctx, NULL, "odd", NULL), "null");
  REFUSED(OP2_ERR_ARG, op2_solver_result(solver, NULL), "null");
  EXPECT(!none);
  op2_solver_destroy(&solver);
  end_system(&s);
}

static const struct test_case cases[] = {
    {"solved", solved},
    {"not symmetric, not definite", not_definite},
    {"blocks by themselves", blocks},
    {"a block without inverse", singular_block},
    {"in a loop over time", in_time},
    {"only what is needed", only_what_is_needed},
    {"not positive definite", diverged},
    {"ended early", ended_early},
    {"cancelled", cancelled},
    {"handles that go", handles_go},
    {"what is refused", refused},
};

int main(void) { return RUN(cases, RUN_ON_DEVICES | RUN_TWO_BLOCKS); }
