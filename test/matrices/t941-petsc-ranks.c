/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices and dats as PETSc objects, and PETSc's solvers, on all ranks of the job; run by
 * t941-petsc.sh. Matrices of random meshes are compared entry by entry with the sums over the
 * elements, solutions with the vectors from which the systems were made. With an argument it tests
 * how PETSc begins and ends:
 *   before    the program initialises PETSc first, and finalises it before contexts end
 *   after     the library does first, and the program calls PetscFinalize() while solvers live
 *   never     the program calls neither MPI's nor PETSc's functions
 *   view      the options -ksp_view and -log_view of the command line */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "petsc_case.h"

/* ---- failures -------------------------------------------------------------------------------- */

static void fail_to_solve(struct scene *s, struct equations *q, const op2_solver_options *options,
                          op2_reason reason, const char *word) {
  op2_solver solver = NULL;
  op2_solve_result result = {0};
  op2_dat after = NULL;
  int64_t owned = s->share.set[NODES].ends[1];
  double *got = calloc((size_t)(owned * DIM) + 1, sizeof *got);
  DO(op2_dat_create(s->sets[NODES], DIM, OP2_F64, NULL, "after", &after));
  DO(op2_solver_create(s->ctx, options, "fails", &solver));
  op2_status queued = op2_solve(solver, q->mat, q->x, q->b);
  GOOD(!queued || queued == OP2_ERR_DIVERGED);
  DO(op2_mat_mult(q->mat, q->x, after));
  GOOD(op2_dat_get(after, got) == OP2_ERR_DIVERGED); /* the product is cancelled */
  if (!good(strstr(op2_error_message(), word) != NULL, __FILE__, __LINE__, word))
    fprintf(stderr, "# %s\n", op2_error_message());
  DO(op2_solver_result(solver, &result));
  if (!GOOD(result.reason == reason)) fprintf(stderr, "# reason %d\n", (int)result.reason);
  op2_solver_destroy(&solver);
  /* if failures are allowed, the solution is as PETSc left it */
  op2_solver_options allowing = *options;
  allowing.allow_failure = 1;
  DO(op2_solver_create(s->ctx, &allowing, "may", &solver));
  const op2_kernel_desc desc = {.name = "zero",
                                .source = "void zero(double *x) { x[0] = x[1] = 0; }"};
  op2_kernel zero = NULL;
  DO(op2_kernel_create(s->ctx, &desc, &zero));
  DO(op2_par_loop(zero, s->sets[NODES], op2_arg_direct(q->x, OP2_WRITE)));
  DO(op2_solve(solver, q->mat, q->x, q->b));
  DO(op2_dat_get(q->x, got));
  DO(op2_solver_result(solver, &result));
  GOOD(result.reason == reason);
  op2_kernel_destroy(&zero);
  op2_solver_destroy(&solver);
  op2_dat_destroy(&after);
  free(got);
}

static void spoil(struct scene *s, struct equations *q, const char *value) {
  char source[200];
  snprintf(
      source, sizeof source,
      "#include <math.h>\nvoid spoil(double a[2][2]) { a[0][0] = a[0][1] = a[1][0] = a[1][1] = "
      "%s; }",
      value);
  const op2_kernel_desc desc = {.name = "spoil", .source = source};
  op2_kernel spoil = NULL;
  DO(op2_kernel_create(s->ctx, &desc, &spoil));
  DO(op2_mat_zero(q->mat));
  add_heavy(s, q);
  DO(op2_par_loop(spoil, s->sets[NODES], op2_arg_mat(q->mat, s->self, s->self, OP2_WRITE)));
  op2_kernel_destroy(&spoil);
}

static void try_failures(const char *backend) {
  struct scene s;
  struct equations q;
  op2_solver solver = NULL;
  begin(&s, backend, false, 1, 6);
  new_equations(&s, &q);
  DO(op2_mat_mult(q.mat, q.solution, q.b));
  const op2_solver_options few = {.method = OP2_METHOD_CG,
                                  .preconditioner = OP2_PRECONDITIONER_NONE,
                                  .iterations = 1,
                                  .rtol = 1e-14,
                                  .start_at_zero = 1};
  fail_to_solve(&s, &q, &few, OP2_DIVERGED_ITERATIONS, "DIVERGED_ITS");
  spoil(&s, &q, "NAN");
  const op2_solver_options jacobi = {
      .method = OP2_METHOD_GMRES, .preconditioner = OP2_PRECONDITIONER_NONE, .start_at_zero = 1};
  fail_to_solve(&s, &q, &jacobi, OP2_DIVERGED_NAN, "DIVERGED_NANORINF");
  spoil(&s, &q, "-1000");
  const op2_solver_options cg = {.method = OP2_METHOD_CG,
                                 .preconditioner = OP2_PRECONDITIONER_NONE,
                                 .dtol = 1e100,
                                 .start_at_zero = 1};
  fail_to_solve(&s, &q, &cg, OP2_DIVERGED_INDEFINITE, "DIVERGED_INDEFINITE_MAT");
  /* the matrix is singular: a row of zeros has no pivot */
  DO(op2_mat_zero(q.mat));
  add_heavy(&s, &q);
  int64_t first[1] = {0};
  op2_set row = NULL;
  DO(op2_subset_create(s.sets[NODES], s.share.set[NODES].ends[1] > 0 ? 1 : 0, first, "row", &row));
  DO(op2_mat_zero_rows(q.mat, row, 0));
  const op2_solver_options lu = {.prefix = "lu_", .start_at_zero = 1};
  set_option("-lu_pc_type", "redundant");
  set_option("-lu_mat_type", "aij");
  fail_to_solve(&s, &q, &lu, OP2_DIVERGED_PRECONDITIONER, "DIVERGED_PC_FAILED");
  op2_set_destroy(&row);
  /* options that do not exist */
  const op2_solver_options odd = {.prefix = "odd_", .start_at_zero = 1};
  set_option("-odd_ksp_type", "no such method");
  DO(op2_solver_create(s.ctx, &odd, "odd", &solver));
  DO(op2_solve(solver, q.mat, q.x, q.b));
  GOOD(op2_flush(s.ctx) == OP2_ERR_CALL);
  GOOD(strstr(op2_error_message(), "no such method") != NULL);
  op2_solver_destroy(&solver);
  set_option("-odd_ksp_type", NULL);
  set_option("-odd_mat_type", "dense");
  DO(op2_solver_create(s.ctx, &odd, "odd", &solver));
  DO(op2_solve(solver, q.mat, q.x, q.b));
  GOOD(op2_flush(s.ctx) == OP2_ERR_OPTION);
  op2_solver_destroy(&solver);
  set_option("-odd_mat_type", NULL);
  /* wrong scopes, types and handles */
  Mat A = NULL;
  Vec v = NULL, w = NULL;
  GOOD(op2_mat_petsc(q.mat, OP2_INC, NULL, &A) == OP2_ERR_ACCESS);
  GOOD(op2_mat_petsc(q.mat, OP2_READ, MATDENSE, &A) == OP2_ERR_TYPE);
  GOOD(op2_mat_petsc(NULL, OP2_READ, NULL, &A) == OP2_ERR_ARG);
  GOOD(op2_mat_petsc(q.mat, OP2_READ, NULL, NULL) == OP2_ERR_ARG);
  GOOD(op2_mat_petsc_end(q.mat, &A) == OP2_ERR_STATE);
  DO(op2_mat_petsc(q.mat, OP2_RW, NULL, &A));
  Mat B = NULL;
  GOOD(op2_mat_petsc(q.mat, OP2_READ, NULL, &B) == OP2_ERR_STATE && !B);
  GOOD(op2_mat_mult(q.mat, q.solution, q.b) == OP2_ERR_STATE);
  GOOD(
      strstr(op2_error_message(), "matrix 'H' is open for writing (op2_mat_petsc_end is missing)"));
  DO(op2_mat_petsc_end(q.mat, &A));
  GOOD(op2_dat_petsc(q.x, OP2_INC, &v) == OP2_ERR_ACCESS);
  DO(op2_dat_petsc(q.b, OP2_RW, &v));
  GOOD(op2_dat_petsc(q.b, OP2_READ, &w) == OP2_ERR_STATE && !w);
  GOOD(op2_dat_petsc_end(q.x, &v) == OP2_ERR_STATE && v);
  DO(op2_dat_petsc_end(q.b, &v));
  op2_dat ints = NULL;
  DO(op2_dat_create(s.sets[NODES], 1, OP2_I32, NULL, "ints", &ints));
  GOOD(op2_dat_petsc(ints, OP2_READ, &v) == OP2_ERR_TYPE);
  op2_dat_destroy(&ints);
  end_equations(&q);
  end(&s);
}

/* ---- initialisation and finalisation of PETSc ------------------------------------------------ */

static void solve_once(struct scene *s, struct equations *q, op2_solver *solver,
                       const op2_solver_options *options) {
  Mat A = NULL;
  new_equations(s, q);
  DO(op2_mat_mult(q->mat, q->solution, q->b));
  DO(op2_solver_create(s->ctx, options, "once", solver));
  DO(op2_solve(*solver, q->mat, q->x, q->b));
  GOOD(error_of(s, q->x, NODES, DIM, 1) < 1e-4);
  DO(op2_mat_petsc(q->mat, OP2_READ, MATAIJ, &A));
  DO(op2_mat_petsc_end(q->mat, &A));
}

static void finish(struct scene *s, struct equations *q, op2_solver *solver) {
  op2_solver_destroy(solver);
  end_equations(q);
  end(s);
}

static int begins(const char *who, int argc, char **argv) {
  const op2_solver_options options = {.prefix = "once_"};
  struct scene s;
  struct equations q = {.mat = NULL};
  op2_solver solver = NULL;
  KSP ksp = NULL;
  bool before = !strcmp(who, "before"), after = !strcmp(who, "after");
  char view[] = "-once_ksp_view", *rest[] = {argv[0], view}, **given = rest;
  int ngiven = 2;
  if (!before && !after) {
    begin(&s, "sequential", false, 1, 7);
    GOOD(PetscInitializeCalled && !PetscFinalizeCalled);
    finish(&s, &q, &solver);
    return wrong;
  }
  if (before) PETSC(PetscInitialize(&ngiven, &given, NULL, NULL));
  begin(&s, "sequential", false, 1, 7);
  PETSC(PetscInitialize(&argc, &argv, NULL, NULL)); /* has no effect here */
  PETSC(KSPCreate(PETSC_COMM_WORLD, &ksp));
  solve_once(&s, &q, &solver, &options);
  if (after) finish(&s, &q, &solver);
  PETSC(KSPDestroy(&ksp));
  PETSC(PetscFinalize());
  if (before) {
    /* PETSc's objects are gone, and all else works */
    Mat A = NULL;
    GOOD(op2_mat_petsc(q.mat, OP2_READ, NULL, &A) == OP2_ERR_STATE);
    DO(op2_mat_mult(q.mat, q.x, q.b));
    DO(op2_flush(s.ctx));
    finish(&s, &q, &solver);
  }
  return wrong;
}

/* This context initialises neither MPI nor PETSc. */
static int alone(int argc, char **argv) {
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  op2_context ctx = NULL;
  op2_set set = NULL;
  op2_map map = NULL;
  op2_sparsity sparsity = NULL;
  op2_mat mat = NULL;
  op2_kernel two = NULL;
  op2_dat x = NULL, b = NULL;
  op2_solver solver = NULL;
  const int32_t idx[] = {0, 1, 2, 3};
  const double ones[] = {2, 4, 6, 8};
  double got[4] = {0};
  const op2_kernel_desc desc = {.name = "two",
                                .source = "void two(double a[1][1]) { a[0][0] += 2; }"};
  DO(op2_init(&options, &ctx));
  DO(op2_petsc_use(ctx, argc, argv));
  DO(op2_set_create(ctx, 4, "set", &set));
  DO(op2_map_create(set, set, 1, idx, "map", &map));
  const op2_map_pair pair = {map, map};
  DO(op2_sparsity_create(1, &pair, "pattern", &sparsity));
  DO(op2_mat_create(sparsity, 1, 1, OP2_F64, "A", &mat));
  DO(op2_kernel_create(ctx, &desc, &two));
  DO(op2_dat_create(set, 1, OP2_F64, NULL, "x", &x));
  DO(op2_dat_create(set, 1, OP2_F64, ones, "b", &b));
  DO(op2_solver_create(ctx, NULL, "s", &solver));
  DO(op2_par_loop(two, set, op2_arg_mat(mat, map, map, OP2_INC)));
  DO(op2_solve(solver, mat, x, b));
  DO(op2_dat_get(x, got));
  for (int i = 0; i < 4; i++) GOOD(fabs(got[i] - (i + 1)) < 1e-10);
  op2_solver_destroy(&solver);
  op2_dat_destroy(&x);
  op2_dat_destroy(&b);
  op2_kernel_destroy(&two);
  op2_mat_destroy(&mat);
  op2_sparsity_destroy(&sparsity);
  op2_map_destroy(&map);
  op2_set_destroy(&set);
  DO(op2_finalize(&ctx));
  printf("%d wrong\n", wrong);
  return wrong;
}

static void try_backend(const char *backend) {
  const int turns = quick() ? 1 : 2;
  try_matrices(backend, turns);
  for (int how = 0; how < WHOLE_HOWS; how++)
    for (int turn = 0; turn < turns; turn++) {
      uint64_t seed = (uint64_t)(10 * how + turn + 1);
      try_methods(backend, how, seed);
      tell("%s, %d ranks, mesh %d.%d: methods", backend, ranks, how, turn);
      try_changes(backend, how, seed, turn % 2 ? "aij" : "baij");
      tell("%s, %d ranks, mesh %d.%d: changes", backend, ranks, how, turn);
      try_operators(backend, how, seed);
      tell("%s, %d ranks, mesh %d.%d: operators", backend, ranks, how, turn);
      try_nested(backend, how, seed);
      tell("%s, %d ranks, mesh %d.%d: several dats", backend, ranks, how, turn);
    }
  try_failures(backend);
  tell("%s, %d ranks: failures", backend, ranks);
}

int main(int argc, char **argv) {
  test_environment();
  if (argc > 1 && !strcmp(argv[1], "alone")) return alone(argc - 1, argv + 1);
  begin_ranks(&argc, &argv);
  if (argc > 1) {
    wrong = begins(argv[1], argc, argv);
    tell("PETSc begins and ends: %s", argv[1]);
  } else {
    on_backends(try_backend);
  }
  return end_ranks();
}
