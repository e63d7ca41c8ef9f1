/* SPDX-License-Identifier: BSD-3-Clause */
/* Solves that fail: each failure has its own reason and message, a result is never that of an
 * earlier solve, and x keeps the last good values. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

enum { METHODS = 4 };
static const op2_method methods[METHODS] = {OP2_METHOD_CG, OP2_METHOD_MINRES, OP2_METHOD_GMRES,
                                            OP2_METHOD_BICGSTAB};

/* ---- small systems --------------------------------------------------------------------------- */

enum { MOST = 4 };

/* A dense matrix of up to MOST rows, given by a dat of its values. */
struct small {
  int n;
  op2_set one, rows;
  op2_map map;
  op2_sparsity sparsity;
  op2_mat mat;
  op2_dat x, b;
  double a[MOST * MOST], rhs[MOST];
};

static struct small new_small(int n, const double *a, const double *b) {
  struct small s = {.n = n};
  const int32_t all[MOST] = {0, 1, 2, 3};
  char *source = scratch(256, 1);
  memcpy(s.a, a, (size_t)(n * n) * sizeof *a);
  memcpy(s.rhs, b, (size_t)n * sizeof *b);
  s.one = new_set(1, "one");
  s.rows = new_set(n, "rows");
  s.map = new_map(s.one, s.rows, n, all, "all");
  const op2_map_pair pair = {s.map, s.map};
  MUST(op2_sparsity_create(1, &pair, "pattern", &s.sparsity));
  MUST(op2_mat_create(s.sparsity, 1, 1, OP2_F64, "A", &s.mat));
  s.x = new_dat(s.rows, 1, OP2_F64, NULL, "x");
  s.b = new_dat(s.rows, 1, OP2_F64, b, "b");
  op2_dat values = new_dat(s.one, n * n, OP2_F64, a, "values");
  snprintf(source, 256,
           "void put(const double *v, double a[%d][%d]) {\n  for (int i = 0; i < %d; i++)\n"
           "    for (int j = 0; j < %d; j++) a[i][j] = v[i * %d + j];\n}\n",
           n, n, n, n, n);
  MUST(op2_par_loop(new_source("put", source), s.one, op2_arg_direct(values, OP2_READ),
                    op2_arg_mat(s.mat, s.map, s.map, OP2_WRITE)));
  return s;
}

static void end_small(struct small *s) {
  op2_mat_destroy(&s->mat);
  op2_sparsity_destroy(&s->sparsity);
}

static op2_solver new_solver(op2_solver_options options) {
  op2_solver solver;
  MUST(op2_solver_create(test_ctx, &options, "solver", &solver));
  return solver;
}

static double norm(int n, const double *v) {
  double largest = 0, sum = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(v[i]));
  if (largest == 0 || !isfinite(largest)) return largest;
  for (int i = 0; i < n; i++) sum += v[i] / largest * (v[i] / largest);
  return largest * sqrt(sum);
}

/* Returns |b - A x| / |b|; *finite is true if x is finite. */
static double residual_of(const struct small *s, bool *finite) {
  double x[MOST], r[MOST];
  MUST(op2_dat_get(s->x, x));
  *finite = true;
  for (int i = 0; i < s->n; i++) {
    *finite &= isfinite(x[i]) != 0;
    r[i] = s->rhs[i];
    for (int j = 0; j < s->n; j++) r[i] -= s->a[i * s->n + j] * x[j];
  }
  return norm(s->n, r) / norm(s->n, s->rhs);
}

/* ---- results of a solver --------------------------------------------------------------------- */

static op2_reason reason_of(op2_solver solver, int *iterations) {
  op2_solve_result result = {.reason = (op2_reason)99, .iterations = 99};
  MUST(op2_solver_result(solver, &result));
  *iterations = result.iterations;
  return result.reason;
}

static int refuse(void *data, void *const *values) {
  (void)data;
  (void)values;
  return 7;
}

/* A time loop that reads the solver's result must not get that of the previous step. */
static void results(void) {
  const double a[] = {2, 1, 1, 3}, b[] = {1, 2}, zero[2] = {0};
  struct small s = new_small(2, a, b);
  op2_solver solver = new_solver((op2_solver_options){0}),
             few = new_solver((op2_solver_options){.iterations = 1});
  int iterations;
  EXPECT(reason_of(solver, &iterations) == OP2_NOT_SOLVED && iterations == 0);
  MUST(op2_solve(solver, s.mat, s.x, s.b));
  EXPECT(reason_of(solver, &iterations) == OP2_CONVERGED_RTOL && iterations == 2);
  (void)!op2_call(test_ctx, refuse, NULL, op2_arg_direct(s.b, OP2_WRITE));
  (void)!op2_solve(solver, s.mat, s.x, s.b);
  EXPECT(reason_of(solver, &iterations) == OP2_SOLVE_CANCELLED && iterations == 0);
  (void)!op2_flush(test_ctx);
  EXPECT(reason_of(solver, &iterations) == OP2_SOLVE_CANCELLED && iterations == 0);
  MUST(op2_dat_set(s.b, b));
  MUST(op2_dat_set(s.x, zero));
  (void)!op2_solve(few, s.mat, s.x, s.b);
  EXPECT(reason_of(few, &iterations) == OP2_DIVERGED_ITERATIONS && iterations == 1);
  (void)!op2_flush(test_ctx);
  MUST(op2_dat_set(s.x, zero));
  MUST(op2_solve(solver, s.mat, s.x, s.b));
  EXPECT(reason_of(solver, &iterations) == OP2_CONVERGED_RTOL && iterations == 2);
  op2_solver_destroy(&solver);
  op2_solver_destroy(&few);
  end_small(&s);
}

/* After two solves by one solver the result is that of the later one, even if the earlier one runs
 * after it. */
static void out_of_order(void) {
  const double a[] = {2, 1, 1, 3}, b[] = {1, 2};
  struct small s = new_small(2, a, b);
  op2_dat y = new_dat(s.rows, 1, OP2_F64, NULL, "y"), zero = new_dat(s.rows, 1, OP2_F64, NULL, "0");
  op2_solver solver = new_solver((op2_solver_options){0});
  int iterations;
  MUST(op2_solve(solver, s.mat, s.x, s.b));
  MUST(op2_solve(solver, s.mat, y, zero));
  EXPECT(reason_of(solver, &iterations) == OP2_CONVERGED_ATOL && iterations == 0);
  MUST(op2_flush(test_ctx));
  EXPECT(reason_of(solver, &iterations) == OP2_CONVERGED_ATOL && iterations == 0);
  op2_solver_destroy(&solver);
  end_small(&s);
}

/* ---- operators ------------------------------------------------------------------------------- */

struct function {
  int status; /* the function's return value */
  int calls;  /* calls of the library that fail in it: 1 a refused one, 2 a loop whose kernel does
               * not compile */
  op2_set rows;
  op2_kernel broken;
};

static op2_status apply(void *data, op2_dat x, op2_dat y) {
  const struct function *f = data;
  (void)x;
  op2_set none = NULL;
  if (f->calls == 1) return op2_set_create(test_ctx, -6, "inside", &none);
  if (f->calls == 2) return op2_par_loop(f->broken, f->rows, op2_arg_direct(y, OP2_WRITE));
  return (op2_status)f->status;
}

/* The message names the operator and the status that its function returned; it contains neither the
 * message of an earlier failed call nor a source line of the library. */
static void functions_that_fail(void) {
  static const struct {
    int status, calls;
    op2_status want;
    const char *words[2];
  } all[] = {
      {OP2_ERR_ARG, 0, OP2_ERR_ARG, {"returned OP2_ERR_ARG (1)", ""}},
      {OP2_ERR_FATAL, 0, OP2_ERR_CALL, {"returned OP2_ERR_FATAL (16)", ""}},
      {-3, 0, OP2_ERR_CALL, {"no op2_status (-3)", ""}},
      {0, 1, OP2_ERR_ARG, {"returned OP2_ERR_ARG (1): set 'inside'", "-6"}},
      {0, 2, OP2_ERR_COMPILE, {"broken", "nonsense"}},
  };
  const double b[] = {1, 2};
  op2_set rows = new_set(2, "rows"), none = NULL;
  struct function f = {.rows = rows};
  f.broken = new_source("broken", "void broken(double *y) { y[0] = nonsense; }");
  op2_dat x = new_dat(rows, 1, OP2_F64, NULL, "x"), rhs = new_dat(rows, 1, OP2_F64, b, "b");
  const op2_operator_desc desc = {
      .set = rows, .dim = 1, .type = OP2_F64, .apply = apply, .data = &f};
  op2_operator op;
  MUST(op2_operator_create(&desc, "shell", &op));
  op2_solver solver = new_solver((op2_solver_options){.start_at_zero = 1});
  /* The library's sources are beside the folder of the tests. */
  char library[4096];
  const int above = (int)(strstr(__FILE__, "test/matrices/") - __FILE__);
  snprintf(library, sizeof library, "%.*slib/", above, __FILE__);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    int iterations;
    f.status = all[i].status;
    f.calls = all[i].calls;
    EXPECT(op2_set_create(test_ctx, -5, "before", &none) == OP2_ERR_ARG);
    op2_status status = op2_solve_operator(solver, op, x, rhs);
    if (!test_config.eager) status = op2_flush(test_ctx);
    const char *message = op2_error_message();
    bool good = EXPECT(status == all[i].want);
    good &= EXPECT(strstr(message, "solve 'solver' of 'shell'") && !strstr(message, "before"));
    good &= EXPECT(strstr(message, all[i].words[0]) && strstr(message, all[i].words[1]));
    good &= EXPECT(strstr(message, "t188-solve-failures.c") && !strstr(message, library));
    if (!good) printf("# function %d: %d, %s\n", (int)i, (int)status, message);
    EXPECT(reason_of(solver, &iterations) == OP2_SOLVE_FAILED && iterations == 0);
  }
  op2_solver_destroy(&solver);
  op2_operator_destroy(&op);
}

/* ---- values of x after a failure ------------------------------------------------------------- */

/* All methods, with and without the diagonal: x is finite, no reported convergence is false, and
 * the reason is one that the system allows. */
static void try_all(const char *what, int n, const double *a, const double *b, unsigned allowed,
                    unsigned must) {
  struct small s = new_small(n, a, b);
  for (int m = 0; m < METHODS; m++)
    for (int pc = OP2_PRECONDITIONER_NONE; pc <= OP2_PRECONDITIONER_JACOBI; pc++) {
      op2_solver solver = new_solver((op2_solver_options){.method = methods[m],
                                                          .preconditioner = (op2_preconditioner)pc,
                                                          .iterations = 200,
                                                          .start_at_zero = 1,
                                                          .allow_failure = 1});
      op2_solve_result result;
      bool finite;
      MUST(op2_solve(solver, s.mat, s.x, s.b));
      MUST(op2_solver_result(solver, &result));
      const double residual = residual_of(&s, &finite);
      const bool claims = result.reason > 0;
      bool good = EXPECT(finite);
      good &= EXPECT(!claims || residual <= 1e-7);
      good &= EXPECT(claims || allowed >> -(int)result.reason & 1);
      good &= EXPECT(claims || !(must >> m & 1));
      good &= EXPECT(isfinite(result.residual) != 0 || result.reason == OP2_DIVERGED_NAN);
      if (!good)
        printf("# %s, method %d, preconditioner %d: reason %d, %d iterations, %g, really %g\n",
               what, (int)methods[m], pc, (int)result.reason, result.iterations, result.residual,
               residual);
      op2_solver_destroy(&solver);
    }
  end_small(&s);
}

enum {
  ITERATIONS = 1 << 1,
  GREW = 1 << 2,
  INDEFINITE = 1 << 4,
  BREAKDOWN = 1 << 5,
  NONE = 0,
  ALL = 15,
  BY_MINRES = 1 << 1,
  BY_GMRES = 1 << 2,
  BY_BICGSTAB = 1 << 3
};

static void small_systems(void) {
  const double ones[] = {1, 1, 1}, ramp[] = {1, 2, 3}, large[] = {1e200, -2e200, 3e200};
  const double plus_minus[] = {1, 0, 0, -1}, zero[9] = {0}, swap[] = {0, 1, 1, 0};
  const double skew[] = {0, 1, -1, 0}, flat[] = {1, 1, 1, 1}, half[] = {1, 0, 0, 0};
  const double definite[] = {4, 1, 0, 1, 3, 1, 0, 1, 2}, saddle[] = {2, 0, 1, 0, 3, 1, 1, 1, 0};
  /* The first row is a boundary value's: one step solves it, and BiCGSTAB's first shadow residual,
   * which is nonzero only there, is useless from then on. */
  const double boundary[] = {1, 0, 0, 0, -3, 2, 1, 0, 3, 1, 3, 1, -3, 0, 1, 9};
  const double first[] = {1, 0, 0, 0};
  try_all("diag(1, -1)", 2, plus_minus, ones, INDEFINITE | BREAKDOWN, BY_MINRES | BY_GMRES);
  try_all("nothing", 3, zero, ramp, INDEFINITE | BREAKDOWN, NONE);
  try_all("a swap", 2, swap, ramp, INDEFINITE | BREAKDOWN, BY_MINRES | BY_GMRES);
  try_all("skew", 2, skew, ramp, ITERATIONS | INDEFINITE | BREAKDOWN, BY_GMRES);
  try_all("singular, consistent", 2, flat, ones, INDEFINITE | BREAKDOWN, ALL);
  try_all("singular, without a solution", 2, half, ones, ITERATIONS | INDEFINITE | BREAKDOWN, NONE);
  try_all("a saddle point", 3, saddle, ramp, INDEFINITE | BREAKDOWN, BY_MINRES | BY_GMRES);
  try_all("a boundary value", 4, boundary, first, ITERATIONS | GREW | INDEFINITE | BREAKDOWN,
          BY_GMRES | BY_BICGSTAB);
  try_all("large values", 3, definite, large, NONE, ALL);
}

/* Systems that are nearly singular, with residuals whose squares would overflow: GMRES reverts its
 * last cycle, which makes the residual larger, and the residual that it reports is that of x. */
static void taken_back(void) {
  uint64_t seed = 3;
  for (int k = 0; k < 8; k++) {
    double a[9], b[3], start[3];
    bool finite;
    op2_solve_result result;
    for (int i = 0; i < 6; i++) a[i] = draw_below(&seed, 9) - 4;
    for (int j = 0; j < 3; j++) a[6 + j] = a[j] + a[3 + j] + 0x1p-46 * (draw_below(&seed, 9) - 4);
    for (int i = 0; i < 3; i++) b[i] = (draw_below(&seed, 9) - 4.5) * 1e150;
    for (int i = 0; i < 3; i++) start[i] = (draw_below(&seed, 9) - 4.5) * 1e150;
    struct small s = new_small(3, a, b);
    op2_solver solver = new_solver((op2_solver_options){
        .method = OP2_METHOD_GMRES, .preconditioner = OP2_PRECONDITIONER_NONE, .allow_failure = 1});
    MUST(op2_dat_set(s.x, start));
    MUST(op2_solve(solver, s.mat, s.x, s.b));
    MUST(op2_solver_result(solver, &result));
    const double residual = residual_of(&s, &finite), claimed = result.residual / norm(3, b);
    EXPECT(finite && (claimed > 0.1 || residual < 0.5));
    op2_solver_destroy(&solver);
    end_small(&s);
  }
}

/* The first value of the solution of A x = b is too large for float: x = s (10, 3) and A = u ((1,
 * -3), (0, 1)). GMRES leaves that value as it was. With the second one alone the residual would be
 * s u (10, 0) instead of s u (1, 3), so x stays as it was before the cycle. */
static void half_a_solution(void) {
  const float s = 0x1.cp124f, u = 0x1p-100f, b[] = {1 * s * u, 3 * s * u};
  const int32_t all[] = {0, 1};
  float x[2];
  op2_solve_result result;
  op2_sparsity sparsity;
  op2_mat mat;
  op2_set one = new_set(1, "one"), rows = new_set(2, "rows");
  op2_map map = new_map(one, rows, 2, all, "all");
  const op2_map_pair pair = {map, map};
  op2_dat dat = new_dat(rows, 1, OP2_F32, NULL, "x"), rhs = new_dat(rows, 1, OP2_F32, b, "b");
  MUST(op2_sparsity_create(1, &pair, "pattern", &sparsity));
  MUST(op2_mat_create(sparsity, 1, 1, OP2_F32, "A", &mat));
  MUST(op2_par_loop(new_source("put", "void put(float a[2][2]) {\n"
                                      "  a[0][0] = a[1][1] = 0x1p-100f;\n"
                                      "  a[0][1] = -3 * 0x1p-100f;\n  a[1][0] = 0;\n}\n"),
                    one, op2_arg_mat(mat, map, map, OP2_WRITE)));
  op2_solver solver = new_solver((op2_solver_options){
      .method = OP2_METHOD_GMRES, .preconditioner = OP2_PRECONDITIONER_NONE, .allow_failure = 1});
  MUST(op2_solve(solver, mat, dat, rhs));
  MUST(op2_solver_result(solver, &result));
  MUST(op2_dat_get(dat, x));
  EXPECT(result.iterations == 2 && result.reason == OP2_DIVERGED_BREAKDOWN);
  EXPECT(x[0] == 0 && x[1] == 0);
  EXPECT(fabs(result.residual / hypot(b[0], b[1]) - 1) < 1e-6);
  op2_solver_destroy(&solver);
  op2_mat_destroy(&mat);
  op2_sparsity_destroy(&sparsity);
}

static const struct test_case cases[] = {
    {"results", results},
    {"results out of order", out_of_order},
    {"small systems", small_systems},
    {"what GMRES takes back", taken_back},
    {"half a solution of GMRES", half_a_solution},
    {"functions of operators that fail", functions_that_fail},
};

int main(void) { return RUN(cases, RUN_ONE_BLOCK); }
