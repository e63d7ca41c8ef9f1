/* SPDX-License-Identifier: BSD-3-Clause */
/* Random systems of nine kinds, solved by all methods and preconditioners of the library itself: no
 * reported convergence is false by more than a factor of 10, x is finite, and definite systems with
 * a good condition converge. Each kind is tried in each type; OP2_TEST_FULL=1 tries 3,000 systems. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum kind {
  DEFINITE,
  UNSYMMETRIC,
  INDEFINITE,
  SINGULAR,
  SKEW,
  ZERO_DIAGONAL,
  ZERO_SIDE,
  EXACT_START,
  ILL_CONDITIONED,
  KINDS
};
static const char *const kind_names[KINDS] = {"definite", "unsymmetric", "indefinite",
                                              "singular", "skew",        "zero diagonal",
                                              "b = 0",    "exact start", "ill-conditioned"};

enum { METHODS = 4, SYSTEMS = 3000, SAMPLE = 18, MOST = 48 };

/* Values are rounded to the type, so that the residual below is that of the same system. */
struct trial {
  enum kind kind;
  op2_type type;
  int dim, rows, n; /* n = dim * rows */
  double a[MOST * MOST], b[MOST], x0[MOST];
  double condition; /* condition number of the definite kinds */
};

static double uniform(uint64_t *seed) { return (double)(draw(seed) >> 11) * 0x1p-52 - 1; }

static double in_type(const struct trial *t, double value) {
  return t->type == OP2_F64 ? value : (double)(float)value;
}

/* ---- systems --------------------------------------------------------------------------------- */

/* Q diag(l) Q', where Q is a product of reflections. */
static void rotate(struct trial *t, const double *l, uint64_t *seed) {
  const int n = t->n;
  for (int i = 0; i < n * n; i++) t->a[i] = i % (n + 1) == 0 ? l[i / (n + 1)] : 0;
  for (int k = 0; k < 3; k++) {
    double v[MOST], square = 0;
    for (int i = 0; i < n; i++) v[i] = uniform(seed), square += v[i] * v[i];
    for (int side = 0; side < 2; side++)
      for (int i = 0; i < n; i++) {
        double *at = side ? t->a + i * n : t->a + i, product = 0;
        const int step = side ? 1 : n;
        for (int j = 0; j < n; j++) product += v[j] * at[j * step];
        for (int j = 0; j < n; j++) at[j * step] -= 2 * product / square * v[j];
      }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) t->a[i * n + j] = t->a[j * n + i];
}

static void draw_spectrum(struct trial *t, double condition, int negative, int zeros,
                          uint64_t *seed) {
  double l[MOST];
  for (int i = 0; i < t->n; i++) {
    l[i] = pow(condition, -0.5 * (1 + uniform(seed)));
    if (i == 0) l[i] = 1;
    if (i == t->n - 1) l[i] = 1 / condition;
    if (i % 2 && negative) l[i] = -l[i];
    if (i < zeros) l[i] = 0;
  }
  rotate(t, l, seed);
}

static void draw_matrix(struct trial *t, uint64_t *seed) {
  const int n = t->n;
  t->condition = pow(10, 1.9 * (1 + uniform(seed)));
  switch (t->kind) {
  case UNSYMMETRIC:
    draw_spectrum(t, 10, 0, 0, seed);
    for (int i = 0; i < n * n; i++) t->a[i] += 0.1 * uniform(seed);
    break;
  case INDEFINITE: draw_spectrum(t, t->condition, 1, 0, seed); break;
  case SINGULAR: draw_spectrum(t, 30, 0, 1 + n / 5, seed); break;
  case SKEW:
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++) {
        t->a[i * n + j] = i == j ? 0 : uniform(seed);
        t->a[j * n + i] = -t->a[i * n + j];
      }
    break;
  case ILL_CONDITIONED: draw_spectrum(t, 1e10, 0, 0, seed); break;
  default: draw_spectrum(t, t->condition, 0, 0, seed);
  }
  if (t->kind == ZERO_DIAGONAL)
    for (int i = 0; i < n; i += 2) t->a[i * n + i] = 0;
  for (int i = 0; i < n * n; i++) t->a[i] = in_type(t, t->a[i]);
}

/* b = A y, so that singular systems have a solution, and b is not all along the least
 * eigenvalue. */
static void draw_trial(struct trial *t, int number, bool full, uint64_t *seed) {
  *t = (struct trial){.kind = (enum kind)(number % KINDS),
                      .type = number / KINDS % 2 ? OP2_F32 : OP2_F64,
                      .dim = full ? 1 + number / (2 * KINDS) % 3 : 1};
  t->rows = 1 + draw_below(seed, MOST / t->dim);
  t->n = t->rows * t->dim;
  draw_matrix(t, seed);
  for (int i = 0; i < t->n; i++) t->x0[i] = in_type(t, uniform(seed));
  for (int i = 0; i < t->n; i++) {
    for (int j = 0; j < t->n; j++) t->b[i] += t->a[i * t->n + j] * t->x0[j];
    t->b[i] = t->kind == ZERO_SIDE ? 0 : in_type(t, t->b[i]);
  }
  if (t->kind == EXACT_START || t->kind == ZERO_SIDE) return;
  for (int i = 0; i < t->n; i++) t->x0[i] = 0;
}

/* ---- declarations ---------------------------------------------------------------------------- */

struct system {
  op2_set one, rows;
  op2_map map;
  op2_sparsity sparsity;
  op2_mat mat;
  op2_dat x, b, values;
};

/* Convert values to the type of the library's dat. */
static void *typed(const struct trial *t, int n, const double *from) {
  void *to = scratch((size_t)n, sizeof(double));
  for (int i = 0; i < n; i++)
    if (t->type == OP2_F64)
      ((double *)to)[i] = from[i];
    else
      ((float *)to)[i] = (float)from[i];
  return to;
}

static op2_kernel put_kernel(const struct trial *t) {
  const char *type = t->type == OP2_F64 ? "double" : "float";
  char *source = scratch(512, 1);
  snprintf(
      source, 512,
      "void put(const %s *v, %s a[%d][%d]) {\n"
      "  for (int i = 0; i < %d; i++)\n    for (int j = 0; j < %d; j++) a[i][j] += v[i * %d + j];"
      "\n}\n",
      type, type, t->dim, t->dim, t->dim, t->dim, t->dim);
  return new_source("put", source);
}

/* One element for each block, in the order of rows as in `values`. */
static struct system declare(const struct trial *t) {
  struct system s;
  const int rows = t->rows, blocks = rows * rows, dim = t->dim;
  int32_t *row = scratch((size_t)blocks, sizeof *row),
          *column = scratch((size_t)blocks, sizeof *row);
  double *values = scratch((size_t)(t->n * t->n), sizeof *values);
  for (int e = 0; e < blocks; e++) {
    row[e] = e / rows, column[e] = e % rows;
    for (int k = 0; k < dim * dim; k++)
      values[e * dim * dim + k] = t->a[(row[e] * dim + k / dim) * t->n + column[e] * dim + k % dim];
  }
  s.one = new_set(blocks, "blocks");
  s.rows = new_set(rows, "rows");
  const op2_map_pair pair = {new_map(s.one, s.rows, 1, row, "row"),
                             new_map(s.one, s.rows, 1, column, "column")};
  MUST(op2_sparsity_create(1, &pair, "pattern", &s.sparsity));
  MUST(op2_mat_create(s.sparsity, dim, dim, t->type, "A", &s.mat));
  s.x = new_dat(s.rows, dim, t->type, typed(t, t->n, t->x0), "x");
  s.b = new_dat(s.rows, dim, t->type, typed(t, t->n, t->b), "b");
  s.values = new_dat(s.one, dim * dim, t->type, typed(t, t->n * t->n, values), "values");
  MUST(op2_par_loop(put_kernel(t), s.one, op2_arg_direct(s.values, OP2_READ),
                    op2_arg_mat(s.mat, pair.rows, pair.columns, OP2_INC)));
  return s;
}

/* ---- checks of solutions --------------------------------------------------------------------- */

struct norms {
  double residual, b, start, reach; /* reach: the residual that rounding leaves */
  bool finite;
};

static struct norms judge(const struct trial *t, const struct system *s) {
  void *view = scratch((size_t)t->n, sizeof(double));
  struct norms out = {.finite = true};
  double x[MOST];
  MUST(op2_dat_get(s->x, view));
  for (int i = 0; i < t->n; i++) {
    x[i] = t->type == OP2_F64 ? ((double *)view)[i] : (double)((float *)view)[i];
    out.finite &= isfinite(x[i]) != 0;
  }
  for (int i = 0; i < t->n; i++) {
    double r = t->b[i], first = t->b[i], amounts = 0;
    for (int j = 0; j < t->n; j++) {
      r -= t->a[i * t->n + j] * x[j];
      first -= t->a[i * t->n + j] * t->x0[j];
      amounts += fabs(t->a[i * t->n + j] * x[j]);
    }
    out.residual += r * r;
    out.b += t->b[i] * t->b[i];
    out.start += first * first;
    out.reach += amounts * amounts;
  }
  out.residual = sqrt(out.residual), out.b = sqrt(out.b), out.start = sqrt(out.start);
  out.reach = 4 * sqrt(out.reach) * (t->type == OP2_F64 ? 0x1p-52 : 0x1p-23);
  return out;
}

static bool must_converge(const struct trial *t, const struct norms *n, double tolerance) {
  const bool definite = t->kind == DEFINITE || t->kind == ZERO_SIDE || t->kind == EXACT_START;
  return definite && t->condition < 1e4 && n->reach <= tolerance;
}

static long claims, solves, fell_short; /* fell_short: definite systems that did not converge, for
                                         * any method */

static void solve_by(const struct trial *t, const struct system *s, op2_method method,
                     op2_preconditioner pc, int number) {
  const op2_solver_options options = {
      .method = method, .preconditioner = pc, .iterations = 2000, .allow_failure = 1};
  op2_solver solver;
  op2_solve_result result;
  MUST(op2_solver_create(test_ctx, &options, "solver", &solver));
  MUST(op2_dat_set(s->x, typed(t, t->n, t->x0)));
  MUST(op2_solve(solver, s->mat, s->x, s->b));
  MUST(op2_solver_result(solver, &result));
  const struct norms n = judge(t, s);
  const double tolerance = (t->type == OP2_F64 ? 1e-8 : 1e-5) * (n.b > 0 ? n.b : n.start);
  solves++;
  claims += result.reason > 0;
  bool good = EXPECT(n.finite);
  good &= EXPECT(result.reason <= 0 || n.residual <= 10 * fmax(tolerance, 1e-50));
  if (must_converge(t, &n, tolerance)) good &= EXPECT(result.reason > 0);
  fell_short += t->kind == DEFINITE && result.reason <= 0;
  if (!good)
    printf("# system %d (%s, type %d, %d rows of %d, condition %g), method %d, preconditioner %d: "
           "reason %d, %d iterations, %g claimed, %g of %g\n",
           number, kind_names[t->kind], (int)t->type, t->rows, t->dim, t->condition, (int)method,
           (int)pc, (int)result.reason, result.iterations, result.residual, n.residual, tolerance);
  op2_solver_destroy(&solver);
}

/* A full run tries all methods with all preconditioners. A sample tries one pair for each system,
 * with few kernels to compile: rows of one value, without blocks, and for float the method that
 * drifts most. */
static void try_system(int number) {
  uint64_t seed = 1000 + (uint64_t)number;
  const bool full = getenv("OP2_TEST_FULL") != NULL;
  struct trial *t = scratch(1, sizeof *t);
  draw_trial(t, number, full, &seed);
  struct system s = declare(t);
  const int one = t->type == OP2_F32 ? 2 * METHODS - 1 : draw_below(&seed, 2 * METHODS);
  for (int m = 0; m < METHODS; m++)
    for (int pc = OP2_PRECONDITIONER_NONE; pc <= OP2_PRECONDITIONER_BLOCK_JACOBI; pc++)
      if (full || (m == one / 2 && pc == OP2_PRECONDITIONER_NONE + one % 2))
        solve_by(t, &s, (op2_method)(OP2_METHOD_CG + m), (op2_preconditioner)pc, number);
  op2_mat_destroy(&s.mat);
  op2_sparsity_destroy(&s.sparsity);
}

/* On this system BiCGSTAB in float once stagnated at a hundred times the tolerance, because of
 * rounding alone. */
static void plateau(void) {
  const int number = 2139;
  uint64_t seed = 1000 + (uint64_t)number;
  struct trial *t = scratch(1, sizeof *t);
  draw_trial(t, number, true, &seed);
  struct system s = declare(t);
  solve_by(t, &s, OP2_METHOD_BICGSTAB, OP2_PRECONDITIONER_JACOBI, number);
  op2_mat_destroy(&s.mat);
  op2_sparsity_destroy(&s.sparsity);
}

/* A context for each of BATCH systems, as objects of a case stay until it ends. */
enum { BATCH = 12 };
static int next_system, last_system;

static void batch(void) {
  const int end = next_system + BATCH < last_system ? next_system + BATCH : last_system;
  while (next_system < end) try_system(next_system++);
}

/* OP2_TEST_SYSTEMS=FIRST,END gives the range of systems to try. */
int main(void) {
  static struct test_case cases[SYSTEMS / BATCH + 1];
  const char *named = getenv("OP2_TEST_SYSTEMS");
  int n = 0;
  next_system = getenv("OP2_TEST_FULL") ? 0 : taken_half() * SAMPLE;
  last_system = getenv("OP2_TEST_FULL") ? SYSTEMS : next_system + SAMPLE;
  if (named && sscanf(named, "%d,%d", &next_system, &last_system) != 2) return 1;
  for (int i = next_system; i < last_system && n < SYSTEMS / BATCH; i += BATCH)
    cases[n++] = (struct test_case){"random systems", batch};
  cases[n++] = (struct test_case){"a plateau", plateau};
  setenv("OP2_TEST_BACKEND", "openmp", 0);
  const int failed = run_cases(n, cases, RUN_ONE_BLOCK | RUN_LAZY_ONLY);
  printf("# %ld solves, %ld claims, %ld of definite systems without one\n", solves, claims,
         fell_short);
  return failed;
}
