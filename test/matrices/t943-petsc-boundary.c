/* SPDX-License-Identifier: BSD-3-Clause */
/* Boundary values in systems of linear triangles, Poisson and elasticity: they are eliminated by
 * the library, by partial maps, and by PETSc's function on the Mat, and conjugate gradients need
 * equally many iterations with all. Also blocks and PETSc's preconditioners; null spaces that are
 * set at another form; views for reading that PETSc changes. All on one rank. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hear.h"
#include "op2/petsc.h"
#include "support.h"

OP2_KERNEL(poisson, (double **x, double a[3][3]), {
  double d = (x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) - (x[2][0] - x[0][0]) * (x[1][1] - x[0][1]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int k = (i + 1) % 3, l = (i + 2) % 3, m = (j + 1) % 3, n = (j + 2) % 3;
      a[i][j] +=
          ((x[k][1] - x[l][1]) * (x[m][1] - x[n][1]) + (x[l][0] - x[k][0]) * (x[n][0] - x[m][0])) /
          (2 * d);
    }
});
OP2_KERNEL(elasticity, (double **x, double a[6][6]), {
  double d = (x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) - (x[2][0] - x[0][0]) * (x[1][1] - x[0][1]);
  double g[3][2];
  for (int i = 0; i < 3; i++) {
    int k = (i + 1) % 3, l = (i + 2) % 3;
    g[i][0] = (x[k][1] - x[l][1]) / d;
    g[i][1] = (x[l][0] - x[k][0]) / d;
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int c = 0; c < 2; c++)
        for (int e = 0; e < 2; e++)
          a[2 * i + c][2 * j + e] += d / 2 *
                                     (2 * g[i][c] * g[j][e] + g[i][e] * g[j][c] +
                                      (c == e ? g[i][0] * g[j][0] + g[i][1] * g[j][1] : 0));
});
OP2_KERNEL(one, (double *a), { a[0] += 1; });
OP2_KERNEL(ones, (double *a), {
  a[0] += 1;
  a[3] += 1;
});

enum { N = 24, NODES = (N + 1) * (N + 1), CELLS = 2 * N * N };
enum way { BY_PETSC, BY_OP2, BY_MAPS, BY_ROWS };
static const char *const names[] = {"MatZeroRowsColumns", "op2_mat_zero_rows_columns",
                                    "partial maps", "op2_mat_zero_rows"};

struct problem {
  op2_context ctx;
  int dim;
  op2_set cells, nodes, bound;
  op2_map map, partial, self;
  op2_dat x, u, b;
  op2_sparsity whole, cut;
  op2_mat A, cut_A;
  op2_kernel kernel, one;
  double *boundary, *right; /* the start of u, and b after elimination by hand */
};

static void make_sets(struct problem *p) {
  static int32_t idx[3 * CELLS], partial[3 * CELLS], self[NODES];
  static double x[2 * NODES];
  int64_t bound[N + 1];
  for (int i = 0; i < NODES; i++) {
    x[2 * i] = (double)(i % (N + 1)) / N;
    x[2 * i + 1] = (double)(i / (N + 1)) / N;
    self[i] = i % (N + 1) ? -1 : i;
  }
  for (int j = 0; j <= N; j++) bound[j] = (int64_t)j * (N + 1);
  for (int c = 0; c < N * N; c++) {
    const int k = c / N * (N + 1) + c % N;
    const int32_t two[] = {k, k + 1, k + N + 2, k, k + N + 2, k + N + 1};
    memcpy(idx + (ptrdiff_t)6 * c, two, sizeof two);
  }
  for (int i = 0; i < 3 * CELLS; i++) partial[i] = idx[i] % (N + 1) ? idx[i] : -1;
  CHECK(op2_set_create(p->ctx, CELLS, "cells", &p->cells));
  CHECK(op2_set_create(p->ctx, NODES, "nodes", &p->nodes));
  CHECK(op2_subset_create(p->nodes, N + 1, bound, "bound", &p->bound));
  CHECK(op2_map_create(p->cells, p->nodes, 3, idx, "nodes of cells", &p->map));
  CHECK(op2_map_create_partial(p->cells, p->nodes, 3, partial, "free nodes", &p->partial));
  CHECK(op2_map_create_partial(p->nodes, p->nodes, 1, self, "bound nodes", &p->self));
  CHECK(op2_dat_create(p->nodes, 2, OP2_F64, x, "x", &p->x));
}

static void begin(struct problem *p, int dim) {
  const op2_options options = {.backend = "openmp", .threads = 2, .cache_dir = test_cache()};
  *p = (struct problem){.dim = dim};
  CHECK(op2_init(&options, &p->ctx));
  CHECK(op2_petsc_use(p->ctx, 0, NULL));
  make_sets(p);
  CHECK(op2_dat_create(p->nodes, dim, OP2_F64, NULL, "u", &p->u));
  CHECK(op2_dat_create(p->nodes, dim, OP2_F64, NULL, "b", &p->b));
  const op2_map_pair whole = {p->map, p->map};
  const op2_map_pair cut[] = {{p->partial, p->partial}, {p->self, p->self}};
  CHECK(op2_sparsity_create(1, &whole, "whole", &p->whole));
  CHECK(op2_sparsity_create(2, cut, "cut", &p->cut));
  CHECK(op2_mat_create(p->whole, dim, dim, OP2_F64, "A", &p->A));
  CHECK(op2_mat_create(p->cut, dim, dim, OP2_F64, "cut A", &p->cut_A));
  CHECK(op2_kernel_create(p->ctx, dim > 1 ? &elasticity_kernel : &poisson_kernel, &p->kernel));
  CHECK(op2_kernel_create(p->ctx, dim > 1 ? &ones_kernel : &one_kernel, &p->one));
  p->boundary = calloc((size_t)(NODES * dim), sizeof *p->boundary);
  p->right = calloc((size_t)(NODES * dim), sizeof *p->right);
  for (int i = 0; i < NODES; i += N + 1)
    for (int c = 0; c < dim; c++) p->boundary[i * dim + c] = 1 + 0.02 * i - c;
}

static void end(struct problem *p) {
  op2_mat_destroy(&p->A);
  op2_mat_destroy(&p->cut_A);
  op2_sparsity_destroy(&p->whole);
  op2_sparsity_destroy(&p->cut);
  op2_dat *const dats[] = {&p->x, &p->u, &p->b};
  for (int i = 0; i < 3; i++) op2_dat_destroy(dats[i]);
  op2_map *const maps[] = {&p->map, &p->partial, &p->self};
  for (int i = 0; i < 3; i++) op2_map_destroy(maps[i]);
  op2_set *const sets[] = {&p->bound, &p->cells, &p->nodes};
  for (int i = 0; i < 3; i++) op2_set_destroy(sets[i]);
  op2_kernel_destroy(&p->kernel);
  op2_kernel_destroy(&p->one);
  free(p->boundary);
  free(p->right);
  CHECK(op2_finalize(&p->ctx));
}

static void assemble(struct problem *p, op2_mat mat, op2_map map) {
  CHECK(op2_mat_zero(mat));
  CHECK(op2_par_loop(p->kernel, p->cells, op2_arg_dat(p->x, OP2_ALL, p->map, OP2_READ),
                     op2_arg_mat(mat, map, map, OP2_INC)));
}

static void by_petsc(struct problem *p) {
  Mat A;
  Vec u, b;
  PetscInt *rows = calloc((size_t)((N + 1) * p->dim), sizeof *rows);
  for (int j = 0; j <= N; j++)
    for (int c = 0; c < p->dim; c++) rows[j * p->dim + c] = (PetscInt)(j * (N + 1) * p->dim + c);
  CHECK(op2_mat_petsc(p->A, OP2_RW, NULL, &A));
  CHECK(op2_dat_petsc(p->u, OP2_READ, &u));
  CHECK(op2_dat_petsc(p->b, OP2_RW, &b));
  ok(!MatZeroRowsColumns(A, (PetscInt)((N + 1) * p->dim), rows, 1, u, b), "MatZeroRowsColumns");
  CHECK(op2_dat_petsc_end(p->b, &b));
  CHECK(op2_dat_petsc_end(p->u, &u));
  CHECK(op2_mat_petsc_end(p->A, &A));
  CHECK(op2_dat_get(p->b, p->right));
  free(rows);
}

/* Build the system with its boundary values; returns the matrix to solve with. */
static op2_mat eliminate(struct problem *p, enum way way) {
  CHECK(op2_dat_set(p->u, p->boundary));
  CHECK(op2_dat_fill(p->b, op2_scalar_value(1e-3)));
  if (way == BY_MAPS) {
    assemble(p, p->cut_A, p->partial);
    CHECK(op2_par_loop(p->one, p->nodes, op2_arg_mat(p->cut_A, p->self, p->self, OP2_INC)));
    CHECK(op2_dat_set(p->b, p->right));
    return p->cut_A;
  }
  assemble(p, p->A, p->map);
  if (way == BY_PETSC) by_petsc(p);
  if (way == BY_OP2) CHECK(op2_mat_zero_rows_columns(p->A, p->bound, 1, p->u, p->b));
  if (way == BY_ROWS) {
    CHECK(op2_mat_zero_rows(p->A, p->bound, 1));
    CHECK(op2_dat_set(p->u, p->boundary)); /* b is the boundary value in these rows */
    double *b = calloc((size_t)(NODES * p->dim), sizeof *b);
    for (int i = 0; i < NODES * p->dim; i++) b[i] = i / p->dim % (N + 1) ? 1e-3 : p->boundary[i];
    CHECK(op2_dat_set(p->b, b));
    free(b);
  }
  CHECK(op2_dat_set(p->u, p->boundary));
  return p->A;
}

static op2_solve_result solve(struct problem *p, enum way way, op2_solver_options options) {
  op2_solver solver;
  op2_solve_result result = {0};
  options.start_at_zero = way != BY_ROWS; /* with BY_ROWS, u must start at the boundary values */
  options.allow_failure = 1;
  options.iterations = 3000;
  CHECK(op2_solver_create(p->ctx, &options, "s", &solver));
  op2_mat mat = eliminate(p, way);
  CHECK(op2_solve(solver, mat, p->u, p->b));
  CHECK(op2_solver_result(solver, &result));
  op2_solver_destroy(&solver);
  return result;
}

/* ---- boundary values ------------------------------------------------------------------------- */

static void set_option(const char *name, const char *value) {
  ok(!PetscOptionsSetValue(NULL, name, value), "%s %s", name, value);
}

static void compare_ways(struct problem *p, const char *what, op2_solver_options options) {
  const op2_solve_result hand = solve(p, BY_PETSC, options);
  double *want = calloc((size_t)(NODES * p->dim), sizeof *want);
  double *got = calloc((size_t)(NODES * p->dim), sizeof *got);
  CHECK(op2_dat_get(p->u, want));
  for (enum way way = BY_PETSC; way <= BY_MAPS; way++) {
    const op2_solve_result result = way ? solve(p, way, options) : hand;
    double far = 0, size = 0;
    ok(result.reason > 0, "%s, dim %d, %s: converged", what, p->dim, names[way]);
    if (way == BY_PETSC) continue; /* the other ways are compared with this one */
    CHECK(op2_dat_get(p->u, got));
    for (int i = 0; i < NODES * p->dim; i++) {
      far = fmax(far, fabs(got[i] - want[i]));
      size = fmax(size, fabs(want[i]));
    }
    ok(abs(result.iterations - hand.iterations) * 5 <= hand.iterations,
       "%s, dim %d, %s: %d iterations, by hand %d", what, p->dim, names[way], result.iterations,
       hand.iterations);
    ok(far <= 1e-5 * size, "%s, dim %d, %s: the same solution", what, p->dim, names[way]);
  }
  free(want);
  free(got);
}

static void rows_alone(struct problem *p) {
  static const op2_method methods[] = {OP2_METHOD_GMRES, OP2_METHOD_BICGSTAB};
  for (int m = 0; m < 2; m++)
    for (int library = OP2_LIBRARY_OP2; library <= OP2_LIBRARY_PETSC; library++) {
      const op2_solver_options options = {
          .method = methods[m], .library = (op2_library)library, .restart = 100};
      const op2_solve_result result = solve(p, BY_ROWS, options);
      ok(result.reason > 0,
         "rows alone, dim %d, method %d of library %d: reason %d, %d iterations, residual %g",
         p->dim, (int)methods[m], library, (int)result.reason, result.iterations, result.residual);
    }
  hear_begin();
  (void)solve(p, BY_ROWS, (op2_solver_options){.prefix = "g_"});
  ok(strstr(hear_end(), "op2_mat_zero_rows_columns"), "dim %d: PETSc's cg is warned of", p->dim);
}

static void boundary_values(int dim) {
  struct problem p;
  begin(&p, dim);
  for (int pc = OP2_PRECONDITIONER_DEFAULT; pc <= OP2_PRECONDITIONER_BLOCK_JACOBI; pc++) {
    const op2_solver_options own = {.method = OP2_METHOD_CG,
                                    .library = OP2_LIBRARY_OP2,
                                    .preconditioner = (op2_preconditioner)pc};
    static const char *const of[] = {"default", "none", "Jacobi", "block Jacobi"};
    compare_ways(&p, of[pc], own);
  }
  compare_ways(&p, "PETSc's gamg", (op2_solver_options){.prefix = "g_"});
  rows_alone(&p);
  end(&p);
}

/* ---- types ----------------------------------------------------------------------------------- */

/* With a preconditioner a matrix whose type is automatic converges as AIJ does, or fails as AIJ
 * does. */
static void types(void) {
  static const char *const pcs[] = {"none", "jacobi", "pbjacobi", "bjacobi",  "asm",  "ilu",
                                    "icc",  "lu",     "sor",      "cholesky", "gamg", "eisenstat"};
  struct problem p;
  begin(&p, 2);
  for (size_t k = 0; k < sizeof pcs / sizeof *pcs; k++) {
    set_option("-t_ksp_type", "gmres");
    set_option("-t_pc_type", pcs[k]);
    const op2_solve_result chosen = solve(&p, BY_OP2, (op2_solver_options){.prefix = "t_"});
    set_option("-t_mat_type", "aij");
    const op2_solve_result aij = solve(&p, BY_OP2, (op2_solver_options){.prefix = "t_"});
    ok(!PetscOptionsClearValue(NULL, "-t_mat_type"), "%s: cleared", pcs[k]);
    ok((chosen.reason > 0) == (aij.reason > 0) && chosen.reason, "%s: reason %d, and %d as AIJ",
       pcs[k], (int)chosen.reason, (int)aij.reason);
  }
  end(&p);
}

/* ---- null spaces ----------------------------------------------------------------------------- */

static bool solve_sees(struct problem *p, bool near, MatNullSpace space) {
  op2_solver solver;
  KSP ksp;
  Mat A;
  MatNullSpace has = NULL;
  const op2_solver_options options = {.allow_failure = 1, .iterations = 2};
  CHECK(op2_solver_create(p->ctx, &options, "s", &solver));
  CHECK(op2_solve(solver, p->A, p->u, p->b));
  CHECK(op2_flush(p->ctx));
  CHECK(op2_solver_petsc(solver, &ksp));
  ok(!KSPGetOperators(ksp, &A, NULL), "operators");
  ok(!(near ? MatGetNearNullSpace(A, &has) : MatGetNullSpace(A, &has)), "the space");
  op2_solver_destroy(&solver);
  return has == space;
}

/* A null space is set at one form, replaced at another, and removed. */
static void null_spaces(bool near) {
  static const MatType forms[] = {MATAIJ, MATBAIJ, NULL, MATAIJ};
  struct problem p;
  begin(&p, 2);
  assemble(&p, p.A, p.map);
  for (int f = 0; f < 5; f++) {
    Mat A;
    MatNullSpace space = NULL;
    if (f < 4) ok(!MatNullSpaceCreate(PETSC_COMM_SELF, PETSC_TRUE, 0, NULL, &space), "a space");
    CHECK(op2_mat_petsc(p.A, OP2_READ, f < 4 ? forms[f] : MATBAIJ, &A));
    ok(!(near ? MatSetNearNullSpace(A, space) : MatSetNullSpace(A, space)), "it is set");
    CHECK(op2_mat_petsc_end(p.A, &A));
    ok(solve_sees(&p, near, space), "%s %d is seen", near ? "near null space" : "null space", f);
    if (f == 2) assemble(&p, p.A, p.map);
    if (space) (void)MatNullSpaceDestroy(&space);
  }
  end(&p);
}

/* ---- views for reading ---------------------------------------------------------------------- */

static double sum_of(struct problem *p) {
  double *u = calloc((size_t)(NODES * p->dim), sizeof *u), sum = 0;
  CHECK(op2_dat_get(p->u, u));
  for (int i = 0; i < NODES * p->dim; i++) sum += u[i];
  free(u);
  return sum;
}

/* A copy that PETSc changed is built anew. If the Mat uses the matrix's own memory, which neither
 * blocks nor slices allow, the change stays, and all solvers use the changed values. */
static void changed_while_read(int dim, bool slices) {
  const bool copied = dim > 1 || slices;
  struct problem p;
  op2_solver solver[2];
  double sum[2], before;
  Mat A;
  setenv("OP2_SLICES", slices ? "1" : "0", 1);
  begin(&p, dim);
  (void)eliminate(&p, BY_OP2);
  for (int l = 0; l < 2; l++) {
    const op2_solver_options options = {.library = l ? OP2_LIBRARY_OP2 : OP2_LIBRARY_PETSC,
                                        .method = OP2_METHOD_CG,
                                        .start_at_zero = 1,
                                        .rtol = 1e-12};
    CHECK(op2_solver_create(p.ctx, &options, "s", &solver[l]));
  }
  CHECK(op2_solve(solver[0], p.A, p.u, p.b));
  before = sum_of(&p);
  CHECK(op2_mat_petsc(p.A, OP2_READ, NULL, &A));
  ok(!MatScale(A, 2), "scaled");
  CHECK(op2_mat_petsc_end(p.A, &A));
  for (int l = 0; l < 2; l++) {
    CHECK(op2_solve(solver[l], p.A, p.u, p.b));
    sum[l] = sum_of(&p);
    op2_solver_destroy(&solver[l]);
  }
  ok(fabs(sum[0] - sum[1]) <= 1e-6 * fabs(before), "dim %d%s: PETSc solves what op2 does: %g, %g",
     dim, slices ? ", slices" : "", sum[0], sum[1]);
  ok(fabs(sum[0] - before / (copied ? 1 : 2)) <= 1e-6 * fabs(before), "dim %d%s: %s", dim,
     slices ? ", slices" : "", copied ? "and the matrix is as it was" : "with the memory as it is");
  end(&p);
}

#ifdef __SANITIZE_ADDRESS__
/* PETSc and MPI keep what they allocate, also in threads of their own and in modules that are
 * unloaded when leaks are checked, so that no list of exceptions covers them. As in tests that
 * mpirun.sh starts, leaks are not checked. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return 1; }
#endif

int main(void) {
  test_environment();
  set_option("-g_ksp_type", "cg");
  set_option("-g_pc_type", "gamg");
  for (int dim = 1; dim <= 2; dim++) boundary_values(dim);
  types();
  for (int near = 0; near <= 1; near++) null_spaces(near);
  changed_while_read(1, false);
  changed_while_read(1, true);
  changed_while_read(2, false);
  return done();
}
