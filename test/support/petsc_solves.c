/* SPDX-License-Identifier: BSD-3-Clause */
/* PETSc's solvers find the solutions from which the systems were made, whether the matrix is one
 * matrix, an operator, or several blocks, also after changes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "petsc_case.h"
#include "renumber.h"
#include "renumber_order.h"

/* ---- methods --------------------------------------------------------------------------------- */

void try_methods(const char *backend, int how, uint64_t seed) {
  struct scene s;
  struct equations q;
  begin(&s, backend, seed % 3 == 0, how, seed);
  new_equations(&s, &q);
  DO(op2_mat_mult(q.mat, q.solution, q.b));
  for (op2_method method = OP2_METHOD_DEFAULT; method <= OP2_METHOD_BICGSTAB; method++)
    for (op2_preconditioner p = OP2_PRECONDITIONER_DEFAULT; p <= OP2_PRECONDITIONER_BLOCK_JACOBI;
         p++) {
      /* MINRES needs a symmetric preconditioner. */
      if (method == OP2_METHOD_MINRES && p == OP2_PRECONDITIONER_DEFAULT) continue;
      const op2_solver_options options = {
          .method = method, .preconditioner = p, .rtol = 1e-13, .start_at_zero = 1};
      op2_solver solver = NULL;
      op2_solve_result result = {0};
      KSP ksp = NULL;
      DO(op2_solver_create(s.ctx, &options, "any", &solver));
      DO(op2_solve(solver, q.mat, q.x, q.b));
      DO(op2_solver_result(solver, &result));
      GOOD(result.reason == OP2_CONVERGED_RTOL && result.iterations > 0);
      GOOD(error_of(&s, q.x, NODES, DIM, 1) < 1e-9);
      DO(op2_solver_petsc(solver, &ksp));
      PetscInt its = -1;
      if (ksp) PETSC(KSPGetIterationNumber(ksp, &its));
      GOOD(its == result.iterations);
      op2_solver_destroy(&solver);
    }
  end_equations(&q);
  end(&s);
}

/* A direct method of one step cannot correct a factorisation that is out of date. */
void try_changes(const char *backend, int how, uint64_t seed, const char *form) {
  struct scene s;
  struct equations q;
  op2_solver solver = NULL;
  op2_solve_result result = {0};
  const op2_solver_options options = {.prefix = "direct_", .start_at_zero = 1};
  begin(&s, backend, seed % 3 == 0, how, seed);
  set_option("-direct_ksp_type", "preonly");
  set_option("-direct_pc_type", "redundant");
  set_option("-direct_mat_type", form);
  new_equations(&s, &q);
  DO(op2_solver_create(s.ctx, &options, "direct", &solver));
  DO(op2_mat_mult(q.mat, q.solution, q.b));
  for (int times = 1; times < 4; times++) {
    DO(op2_solve(solver, q.mat, q.x, q.b));
    DO(op2_solver_result(solver, &result));
    GOOD(result.reason == OP2_CONVERGED_OTHER);
    GOOD(error_of(&s, q.x, NODES, DIM, 1.0 / times) < 1e-10);
    DO(op2_solve(solver, q.mat, q.x, q.b)); /* the same again */
    GOOD(error_of(&s, q.x, NODES, DIM, 1.0 / times) < 1e-10);
    add_heavy(&s, &q);
    if (times == 2 && !op2i_order_unavailable()) DO(op2_renumber(s.maps[CELL_NODE]));
  }
  op2_solver_destroy(&solver);
  end_equations(&q);
  end(&s);
  set_option("-direct_mat_type", NULL);
}

/* ---- operators ------------------------------------------------------------------------------- */

struct applied {
  struct equations *q;
  op2_gbl scale; /* read by the function */
  op2_kernel stretch;
  op2_set set;
  op2_dat secret; /* a dat that the operator does not name */
  bool uses_secret, destroys;
  int calls;
  int diagonals, reports; /* calls of the function for the diagonal, and reported residuals */
  double residual;        /* the last one of these */
};

static op2_status diagonal(void *data, op2_dat d) {
  struct applied *a = data;
  op2_status status = op2_mat_diagonal(a->q->mat, d);
  a->diagonals++;
  return status ? status
                : op2_par_loop(a->stretch, a->set, op2_arg_direct(d, OP2_RW),
                               op2_arg_gbl(a->scale, OP2_READ));
}

static void follow(void *data, int iteration, double residual) {
  struct applied *a = data;
  GOOD(iteration == a->reports++);
  a->residual = residual;
}

static op2_status apply(void *data, op2_dat x, op2_dat y) {
  struct applied *a = data;
  op2_status status = op2_mat_mult(a->q->mat, x, y);
  a->calls++;
  if (!status)
    status = op2_par_loop(a->stretch, a->set, op2_arg_direct(y, OP2_RW),
                          op2_arg_gbl(a->scale, OP2_READ));
  if (!status && a->uses_secret) status = op2_mat_mult(a->q->mat, a->secret, y);
  if (a->destroys) op2_dat_destroy(&y);
  return status;
}

/* The scale has the value that it had when the solve was queued. */
static void solve_operator(struct scene *s, struct equations *q, struct applied *a, op2_operator op,
                           op2_library library, op2_preconditioner p) {
  const op2_solver_options options = {.method = OP2_METHOD_CG,
                                      .preconditioner = p,
                                      .library = library,
                                      .rtol = 1e-13,
                                      .start_at_zero = 1};
  const double two = 2, seven = 7;
  op2_solver solver = NULL;
  op2_solve_result result = {0};
  DO(op2_gbl_set(a->scale, &two));
  a->reports = 0;
  DO(op2_solver_create(s->ctx, &options, "free", &solver));
  DO(op2_solver_monitor(solver, follow, a));
  DO(op2_solve_operator(solver, op, q->x, q->b));
  DO(op2_gbl_set(a->scale, &seven));
  DO(op2_solver_result(solver, &result));
  GOOD(result.reason == OP2_CONVERGED_RTOL && result.iterations > 0);
  GOOD(a->reports == result.iterations + 1 && a->residual < 1e-6);
  GOOD(error_of(s, q->x, NODES, DIM, 0.5) < 1e-9);
  op2_solver_destroy(&solver);
}

/* Solve with an operator whose function does something forbidden, which the message must name. */
static void refuse(struct scene *s, struct equations *q, op2_operator op, op2_library library,
                   bool *fault, const char *says) {
  const op2_solver_options options = {.library = library, .start_at_zero = 1};
  op2_solver solver = NULL;
  DO(op2_solver_create(s->ctx, &options, "refused", &solver));
  *fault = true;
  op2_status status = op2_solve_operator(solver, op, q->x, q->b), flushed = op2_flush(s->ctx);
  *fault = false;
  GOOD(status || flushed);
  GOOD(strstr(op2_error_message(), says) != NULL);
  GOOD(op2_dat_get(q->x, NULL) != OP2_SUCCESS);
  op2_solver_destroy(&solver);
}

/* The program calls PETSc's solver itself. */
static void solve_by_hand(struct scene *s, struct equations *q, struct applied *a,
                          op2_operator op) {
  Mat A = NULL;
  Vec b = NULL, x = NULL;
  KSP ksp = NULL;
  MPI_Comm comm = MPI_COMM_SELF;
  const double three = 3;
  DO(op2_gbl_set(a->scale, &three));
  DO(op2_operator_petsc(op, &A));
  DO(op2_mpi_comm(s->ctx, &comm));
  DO(op2_dat_petsc(q->b, OP2_READ, &b));
  DO(op2_dat_petsc(q->x, OP2_WRITE, &x));
  PETSC(KSPCreate(comm, &ksp));
  PETSC(KSPSetOperators(ksp, A, A));
  PETSC(KSPSetType(ksp, KSPCG));
  PC pc;
  PETSC(KSPGetPC(ksp, &pc));
  PETSC(PCSetType(pc, PCNONE));
  PETSC(KSPSetTolerances(ksp, 1e-13, 0, PETSC_DEFAULT, 1000));
  int calls = a->calls;
  PETSC(KSPSolve(ksp, b, x));
  GOOD(a->calls > calls);
  PETSC(KSPDestroy(&ksp));
  DO(op2_dat_petsc_end(q->b, &b));
  DO(op2_dat_petsc_end(q->x, &x));
  GOOD(error_of(s, q->x, NODES, DIM, 1.0 / 3) < 1e-9);
}

void try_operators(const char *backend, int how, uint64_t seed) {
  struct scene s;
  struct equations q;
  const op2_kernel_desc stretch = {
      .name = "stretch",
      .source = "void stretch(double *y, const double *s) { y[0] *= s[0]; y[1] *= s[0]; }"};
  const double one = 1;
  begin(&s, backend, seed % 3 == 0, how, seed);
  new_equations(&s, &q);
  struct applied a = {.q = &q, .set = s.sets[NODES]};
  DO(op2_gbl_create(s.ctx, 1, OP2_F64, &one, "scale", &a.scale));
  DO(op2_kernel_create(s.ctx, &stretch, &a.stretch));
  a.secret = numbers_of(&s, NODES, DIM, 1);
  DO(op2_mat_mult(q.mat, q.solution, q.b));
  const op2_arg args[] = {op2_arg_mat(q.mat, NULL, NULL, OP2_READ), op2_arg_gbl(a.scale, OP2_READ)};
  enum { BARE, WITH_MATRIX, WITH_DIAGONAL };
  for (int with = BARE; with <= WITH_DIAGONAL; with++) {
    const op2_operator_desc desc = {.set = s.sets[NODES],
                                    .dim = DIM,
                                    .type = OP2_F64,
                                    .apply = apply,
                                    .data = &a,
                                    .preconditioner = with == WITH_MATRIX ? q.mat : NULL,
                                    .nargs = 2,
                                    .args = args,
                                    .diagonal = with == WITH_DIAGONAL ? diagonal : NULL};
    op2_operator op = NULL;
    DO(op2_operator_create(&desc, "shell", &op));
    for (op2_library l = OP2_LIBRARY_OP2; l <= OP2_LIBRARY_PETSC; l++) {
      solve_operator(&s, &q, &a, op, l,
                     with ? OP2_PRECONDITIONER_JACOBI : OP2_PRECONDITIONER_DEFAULT);
      GOOD((a.diagonals > 0) == (with == WITH_DIAGONAL));
      refuse(&s, &q, op, l, &a.uses_secret, "does not name");
      refuse(&s, &q, op, l, &a.destroys, "operator 'shell' destroys y");
    }
    solve_by_hand(&s, &q, &a, op);
    op2_operator_destroy(&op);
  }
  op2_gbl_destroy(&a.scale);
  op2_kernel_destroy(&a.stretch);
  op2_dat_destroy(&a.secret);
  end_equations(&q);
  end(&s);
}

/* ---- several dats ---------------------------------------------------------------------------- */

/* Values on nodes and on edges: each diagonal block is dominant, and each edge is coupled with its
 * nodes. */
struct blocks {
  op2_map own;
  op2_sparsity sparsity[4];
  op2_mat mat[4];
  op2_kernel kernel[4];
  op2_dat solution[2], x[2], b[2], part;
};

static void new_blocks(struct scene *s, struct equations *q, struct blocks *k) {
  static const char *const sources[4] = {
      NULL, "void up(double a[4][1]) { for (int i = 0; i < 4; i++) a[i][0] += 0.25 * (i + 1); }",
      "void down(double a[1][4]) { for (int j = 0; j < 4; j++) a[0][j] += 0.5 - 0.25 * j; }",
      "void edge(double a[1][1]) { a[0][0] += 5; }"};
  static const char *const names[4] = {NULL, "up", "down", "edge"};
  int64_t total = s->share.set[EDGES].ends[3];
  int32_t *own = calloc((size_t)total + 1, sizeof *own);
  *k = (struct blocks){.own = NULL};
  for (int64_t i = 0; i < total; i++) own[i] = (int32_t)i;
  DO(op2_map_create(s->sets[EDGES], s->sets[EDGES], 1, own, "own", &k->own));
  free(own);
  const op2_map_pair pairs[4] = {
      {NULL, NULL}, {s->maps[EDGE_NODE], k->own}, {k->own, s->maps[EDGE_NODE]}, {k->own, k->own}};
  const int dims[2] = {DIM, 1};
  k->mat[0] = q->mat;
  for (int m = 1; m < 4; m++) {
    const op2_kernel_desc desc = {.name = names[m], .source = sources[m]};
    DO(op2_sparsity_create(1, &pairs[m], names[m], &k->sparsity[m]));
    DO(op2_mat_create(k->sparsity[m], dims[m / 2], dims[m % 2], OP2_F64, names[m], &k->mat[m]));
    DO(op2_kernel_create(s->ctx, &desc, &k->kernel[m]));
  }
  for (int i = 0; i < 2; i++) {
    k->solution[i] = numbers_of(s, i ? EDGES : NODES, dims[i], 1);
    DO(op2_dat_create(s->sets[i ? EDGES : NODES], dims[i], OP2_F64, NULL, "x", &k->x[i]));
    DO(op2_dat_create(s->sets[i ? EDGES : NODES], dims[i], OP2_F64, NULL, "b", &k->b[i]));
  }
}

static void add_blocks(struct scene *s, struct blocks *k) {
  for (int m = 1; m < 4; m++) {
    const op2_map maps[2] = {s->maps[EDGE_NODE], k->own};
    DO(op2_par_loop(k->kernel[m], s->sets[EDGES],
                    op2_arg_mat(k->mat[m], maps[m / 2], maps[m % 2], OP2_INC)));
  }
}

static void multiply_blocks(struct scene *s, struct blocks *k) {
  const op2_kernel_desc descs[2] = {
      {.name = "plus2",
       .source = "void plus2(double *b, const double *c) { b[0] += c[0]; b[1] += c[1]; }"},
      {.name = "plus1", .source = "void plus1(double *b, const double *c) { b[0] += c[0]; }"}};
  for (int i = 0; i < 2; i++) {
    op2_kernel plus = NULL;
    op2_dat part = NULL;
    op2_set set = s->sets[i ? EDGES : NODES];
    DO(op2_kernel_create(s->ctx, &descs[i], &plus));
    DO(op2_dat_create(set, i ? 1 : DIM, OP2_F64, NULL, "part", &part));
    DO(op2_mat_mult(k->mat[2 * i], k->solution[0], k->b[i]));
    DO(op2_mat_mult(k->mat[2 * i + 1], k->solution[1], part));
    DO(op2_par_loop(plus, set, op2_arg_direct(k->b[i], OP2_RW), op2_arg_direct(part, OP2_READ)));
    op2_dat_destroy(&part);
    op2_kernel_destroy(&plus);
  }
}

static void end_blocks(struct blocks *k) {
  for (int m = 1; m < 4; m++) {
    op2_mat_destroy(&k->mat[m]);
    op2_sparsity_destroy(&k->sparsity[m]);
    op2_kernel_destroy(&k->kernel[m]);
  }
  for (int i = 0; i < 2; i++) {
    op2_dat_destroy(&k->solution[i]);
    op2_dat_destroy(&k->x[i]);
    op2_dat_destroy(&k->b[i]);
  }
  op2_map_destroy(&k->own);
}

/* Copy the values of a dat to the part of a Vec that an index set names. */
static void copy_field(op2_dat dat, IS rows, Vec all) {
  Vec v = NULL;
  DO(op2_dat_petsc(dat, OP2_READ, &v));
  if (v) PETSC(VecISCopy(all, rows, SCATTER_FORWARD, v));
  DO(op2_dat_petsc_end(dat, &v));
}

/* The local numbers of a block's rows lead to its rows in the nested matrix. */
static void look_at_numbers(Mat A, IS rows, IS local, Mat block) {
  ISLocalToGlobalMapping all = NULL, own = NULL;
  PetscInt first, end, start, stop, n;
  const PetscInt *number, *at, *own_at;
  PETSC(MatGetLocalToGlobalMapping(A, &all, NULL));
  PETSC(MatGetLocalToGlobalMapping(block, &own, NULL));
  if (!GOOD(all && own)) return;
  PETSC(MatGetOwnershipRange(block, &first, &end));
  PETSC(ISStrideGetInfo(rows, &start, &stop));
  PETSC(ISGetLocalSize(local, &n));
  PETSC(ISGetIndices(local, &number));
  PETSC(ISLocalToGlobalMappingGetIndices(all, &at));
  PETSC(ISLocalToGlobalMappingGetIndices(own, &own_at));
  for (PetscInt i = 0; i < n; i++)
    if (own_at[i] >= first && own_at[i] < end && !GOOD(at[number[i]] == start + own_at[i] - first))
      break;
  PETSC(ISLocalToGlobalMappingRestoreIndices(own, &own_at));
  PETSC(ISLocalToGlobalMappingRestoreIndices(all, &at));
  PETSC(ISRestoreIndices(local, &number));
}

/* PETSc's product with the nested matrix is the right-hand side, `times` as large. */
static void look_at_nest(struct blocks *k, MatType type, double times) {
  IS rows[2], columns[2], local[2];
  Mat A = NULL, part = NULL;
  Vec x = NULL, y = NULL, want = NULL;
  PetscReal norm = 1;
  if (!DO(op2_nested_petsc(2, 2, k->mat, OP2_READ, type, &A))) return;
  PETSC(MatNestGetISs(A, rows, columns));
  PETSC(MatNestGetLocalISs(A, local, NULL));
  PETSC(MatCreateVecs(A, &x, &y));
  PETSC(VecDuplicate(y, &want));
  for (int i = 0; i < 2; i++) {
    copy_field(k->solution[i], columns[i], x);
    copy_field(k->b[i], rows[i], want);
    PETSC(MatNestGetSubMat(A, i, i, &part));
    look_at_numbers(A, rows[i], local[i], part);
  }
  PETSC(MatMult(A, x, y));
  PETSC(VecAXPY(y, -times, want));
  PETSC(VecNorm(y, NORM_INFINITY, &norm));
  GOOD(norm < 1e-9);
  PETSC(VecDestroy(&x));
  PETSC(VecDestroy(&y));
  PETSC(VecDestroy(&want));
  DO(op2_nested_petsc_end(2, 2, k->mat, &A));
  GOOD(!A);
}

static void refuse_nests(struct blocks *k) {
  const op2_mat half[4] = {k->mat[0], k->mat[1], NULL, NULL};
  const op2_mat turned[4] = {k->mat[0], k->mat[2], k->mat[1], k->mat[3]};
  Mat A = NULL;
  GOOD(op2_nested_petsc(0, 2, k->mat, OP2_READ, NULL, &A) == OP2_ERR_ARG && !A);
  GOOD(strstr(op2_error_message(), "op2_nested_petsc: 0 * 2 blocks, of 1 to 16 each"));
  GOOD(op2_nested_petsc(2, 2, half, OP2_READ, NULL, &A) == OP2_ERR_ARG && !A);
  GOOD(strstr(op2_error_message(), "all blocks of row 1 are null, so its size is unknown"));
  GOOD(op2_nested_petsc(2, 2, turned, OP2_READ, NULL, &A) == OP2_ERR_MISMATCH && !A);
  GOOD(strstr(op2_error_message(), "block (0, 1): 'down' has rows of set 'edges' with dim 1, and"));
  GOOD(op2_nested_petsc(2, 2, k->mat, OP2_READ, MATDENSE, &A) == OP2_ERR_TYPE && !A);
  GOOD(op2_nested_petsc(2, 2, k->mat, OP2_INC, NULL, &A) == OP2_ERR_ACCESS && !A);
  GOOD(op2_nested_petsc_end(2, 2, k->mat, &A) == OP2_ERR_ARG);
  GOOD(strstr(op2_error_message(), "op2_nested_petsc_end: 2 * 2 blocks"));
}

/* Blocks of two contexts, though none shares a row or a column with another. */
static void refuse_contexts(const struct scene *s, struct blocks *k) {
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  op2_context ctx = NULL;
  op2_set set = NULL;
  op2_sparsity sparsity = NULL;
  op2_mat mats[4] = {k->mat[0]};
  Mat A = NULL;
  op2_map map = NULL;
  if (op2_ranks(s->ctx) > 1) return; /* the other context is of one rank */
  DO(op2_init(&options, &ctx));
  DO(op2_set_create(ctx, 2, "far", &set));
  DO(op2_map_create(set, set, 1, (const int32_t[]){0, 1}, "far", &map));
  const op2_map_pair pair = {map, map};
  DO(op2_sparsity_create(1, &pair, "far", &sparsity));
  DO(op2_mat_create(sparsity, 1, 1, OP2_F64, "far", &mats[3]));
  GOOD(op2_nested_petsc(2, 2, mats, OP2_READ, NULL, &A) == OP2_ERR_MISMATCH && !A);
  GOOD(strstr(op2_error_message(), "block (1, 1): 'far' belongs to another context"));
  op2_mat_destroy(&mats[3]);
  op2_sparsity_destroy(&sparsity);
  op2_map_destroy(&map);
  op2_set_destroy(&set);
  DO(op2_finalize(&ctx));
}

/* A block that was ended before is a failure, after which no block is open and the Mat is gone. */
static void end_twice(struct blocks *k) {
  Mat A = NULL, part = NULL;
  if (!DO(op2_nested_petsc(2, 2, k->mat, OP2_READ, NULL, &A))) return;
  PETSC(MatNestGetSubMat(A, 0, 0, &part));
  DO(op2_mat_petsc_end(k->mat[0], &part));
  GOOD(op2_nested_petsc_end(2, 2, k->mat, &A) == OP2_ERR_STATE && !A);
  GOOD(strstr(op2_error_message(), "is not open"));
}

/* A nested matrix is read as blocks of two types, and changed by PETSc and back. */
static void try_nest(struct scene *s, struct blocks *k) {
  Mat A = NULL;
  refuse_nests(k);
  refuse_contexts(s, k);
  end_twice(k);
  multiply_blocks(s, k);
  look_at_nest(k, NULL, 1);
  look_at_nest(k, MATAIJ, 1);
  for (int turn = 0; turn < 2; turn++) {
    if (DO(op2_nested_petsc(2, 2, k->mat, OP2_RW, MATAIJ, &A))) PETSC(MatScale(A, turn ? 0.5 : 2));
    DO(op2_nested_petsc_end(2, 2, k->mat, &A));
    look_at_nest(k, NULL, turn ? 1 : 2);
  }
}

/* PETSc does not solve systems of several dats with operators. */
static void refuse_operator(struct scene *s, struct blocks *k, op2_solver solver) {
  const op2_operator_desc desc = {
      .set = s->sets[NODES], .dim = DIM, .type = OP2_F64, .apply = apply};
  const op2_mat mats[4] = {NULL, k->mat[1], k->mat[2], k->mat[3]};
  op2_operator operators[4] = {NULL};
  DO(op2_operator_create(&desc, "first", &operators[0]));
  GOOD(op2_solve_blocks(solver, 2, mats, operators, k->x, k->b) == OP2_ERR_UNAVAILABLE);
  GOOD(strstr(op2_error_message(), "blocks that are operators are for the library's own methods"));
  op2_operator_destroy(&operators[0]);
}

/* The system is solved as one matrix by a direct method, as a nested matrix by GMRES, split into its
 * fields, and by the library's own GMRES. */
void try_nested(const char *backend, int how, uint64_t seed) {
  enum { WAYS = 4, OWN = 3 };
  static const char *const prefixes[WAYS] = {"flat_", "nest_", "split_", "own_"};
  struct scene s;
  struct equations q;
  struct blocks k;
  op2_solver solvers[WAYS] = {NULL};
  begin(&s, backend, seed % 3 == 0, how, seed);
  set_option("-flat_mat_type", "aij");
  set_option("-flat_ksp_type", "preonly");
  set_option("-flat_pc_type", "redundant");
  set_option("-nest_pc_type", "none");
  set_option("-split_pc_type", "fieldsplit");
  set_option("-split_fieldsplit_1_pc_type", "jacobi");
  new_equations(&s, &q);
  new_blocks(&s, &q, &k);
  add_blocks(&s, &k);
  for (int n = 0; n < WAYS; n++) {
    const op2_solver_options options = {.prefix = prefixes[n],
                                        .rtol = 1e-13,
                                        .start_at_zero = 1,
                                        .restart = 100,
                                        .method = n == OWN ? OP2_METHOD_GMRES : OP2_METHOD_DEFAULT,
                                        .library =
                                            n == OWN ? OP2_LIBRARY_OP2 : OP2_LIBRARY_DEFAULT};
    DO(op2_solver_create(s.ctx, &options, prefixes[n], &solvers[n]));
  }
  for (int turn = 0; turn < 3; turn++) {
    if (turn != 1) try_nest(&s, &k);
    multiply_blocks(&s, &k);
    for (int n = 0; n < WAYS; n++) {
      op2_solve_result result = {0};
      DO(op2_solve_nested(solvers[n], 2, k.mat, k.x, k.b));
      DO(op2_solver_result(solvers[n], &result));
      GOOD(result.reason > OP2_NOT_SOLVED);
      GOOD(error_of(&s, k.x[0], NODES, DIM, 1) < 1e-8);
      GOOD(error_of(&s, k.x[1], EDGES, 1, 1) < 1e-8);
    }
    add_heavy(&s, &q);
    if (turn) add_blocks(&s, &k);
    if (turn == 1 && !op2i_order_unavailable()) DO(op2_renumber(s.maps[CELL_NODE]));
  }
  const op2_mat none[4] = {NULL};
  GOOD(op2_solve_nested(solvers[0], 2, none, k.x, k.b) == OP2_ERR_ARG);
  const op2_mat turned[4] = {k.mat[3], k.mat[2], k.mat[1], k.mat[0]};
  GOOD(op2_solve_nested(solvers[0], 2, turned, k.x, k.b) == OP2_ERR_MISMATCH);
  refuse_operator(&s, &k, solvers[0]);
  for (int n = 0; n < WAYS; n++) op2_solver_destroy(&solvers[n]);
  end_blocks(&k);
  end_equations(&q);
  end(&s);
}
