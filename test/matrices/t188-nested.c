/* SPDX-License-Identifier: BSD-3-Clause */
/* Systems of several dats by the library's own methods, alone and on 2 and 3 ranks: dats of other
 * sets and dims, absent blocks, definite and indefinite systems, each method and preconditioner.
 * The right-hand side is the product of a dense matrix, made from the same elements, with a known
 * solution. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "init.h"
#include "rank_case.h"
#include "support.h"
#include "whole_case.h"

enum { DIM = 2, U = 0, P, M, FIELDS, BLOCKS = FIELDS * FIELDS };

/* One way to solve. The third field is used if n is 3, and the block (p, p) is absent from a saddle
 * point. */
struct attempt {
  op2_method method;
  op2_preconditioner preconditioner;
  int n;
  bool saddle, matrix_free; /* matrix_free: the block (u, u) is an operator */
  op2_type type;
  double scale;
};

static const struct attempt attempts[] = {
    {OP2_METHOD_CG, OP2_PRECONDITIONER_JACOBI, 2, false, true, OP2_F64, 1},
    {OP2_METHOD_MINRES, OP2_PRECONDITIONER_JACOBI, 3, true, false, OP2_F64, 1},
    {OP2_METHOD_GMRES, OP2_PRECONDITIONER_BLOCK_JACOBI, 3, true, true, OP2_F64, 1},
    {OP2_METHOD_BICGSTAB, OP2_PRECONDITIONER_NONE, 2, false, false, OP2_F64, 1},
    {OP2_METHOD_CG, OP2_PRECONDITIONER_BLOCK_JACOBI, 3, false, false, OP2_F64, 1e150},
    {OP2_METHOD_CG, OP2_PRECONDITIONER_JACOBI, 2, false, false, OP2_F32, 1},
};
/* Other backends than `sequential` make the same queues: fewer attempts show that these run there, and
 * with slow compilers two. */
enum { ATTEMPTS = sizeof attempts / sizeof *attempts, SOME = 4, FEW = 2 };

struct trial {
  struct whole whole;
  const char *backend;
  bool eager, ranks;
  int attempts;
};

struct run {
  const struct trial *trial;
  const struct attempt *attempt;
  op2_context ctx;
  struct share share;
  op2_set sets[WHOLE_SETS];
  op2_map maps[WHOLE_MAPS], self; /* self: cells to themselves */
  op2_sparsity sparsities[4];     /* of u and u, u and p, p and u, p and p */
  op2_mat mats[BLOCKS], whole;    /* whole: the matrix of the operator, else null */
  op2_operator operators[BLOCKS];
  op2_dat x[FIELDS], b[FIELDS];
};

static int set_of(int field) { return field == U ? NODES : CELLS; }
static int dim_of(int field) { return field == U ? DIM : 1; }

/* The rows of a field that an element of a cell's block has: u's nodes, or the cell itself. */
static int arity_of(const struct trial *t, int field) {
  return field == U ? t->whole.map[CELL_NODE].arity : 1;
}

static bool is_there(const struct attempt *a, int row, int column) {
  if (row >= a->n || column >= a->n) return false;
  return !(a->saddle && row == P && column == P) && abs(row - column) < 2;
}

/* Values of a cell's block are quarters of whole numbers, with a dominant diagonal: exact in any
 * order. Text of the same meaning is compiled for the loops. */
static double value_of(const struct trial *t, int row, int column, int r, int c) {
  const int n = t->whole.map[CELL_NODE].arity * DIM;
  if (row == U && column == U) return r == c ? 2 * n : -1;
  if (row == U) return 0.25 * (r % 3 - 1);
  if (column == U) return 0.25 * (c % 3 - 1);
  return row == column ? 2 + n + row : 0.5;
}

static void value_text(const struct trial *t, int row, int column, char text[60]) {
  const int n = t->whole.map[CELL_NODE].arity * DIM;
  if (row == U && column == U)
    snprintf(text, 60, "r == c ? %d : -1", 2 * n);
  else if (row == U || column == U)
    snprintf(text, 60, "0.25 * (%c %% 3 - 1)", row == U ? 'r' : 'c');
  else
    snprintf(text, 60, row == column ? "%d" : "0.5", 2 + n + row);
}

static double solution(int field, int64_t row, int k) {
  return (double)((row * 5 + 3 * k + field) % 11) - 4;
}

/* ---- the right-hand side --------------------------------------------------------------------- */

static int64_t row_in(const struct trial *t, int field, int64_t cell, int slot) {
  if (field != U) return cell;
  return t->whole.map[CELL_NODE].idx[cell * t->whole.map[CELL_NODE].arity + slot];
}

static void add_block(const struct run *r, int row, int column, int64_t cell, double *sum) {
  const struct trial *t = r->trial;
  const int rows = arity_of(t, row) * dim_of(row), columns = arity_of(t, column) * dim_of(column);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      sum[row_in(t, row, cell, i / dim_of(row)) * dim_of(row) + i % dim_of(row)] +=
          value_of(t, row, column, i, j) *
          solution(column, row_in(t, column, cell, j / dim_of(column)), j % dim_of(column));
}

/* A row of b by the whole mesh. Nodes also have 1 on the diagonal, since some have no cell. */
static double *product(const struct run *r, int row) {
  const struct trial *t = r->trial;
  const int64_t n = t->whole.set[set_of(row)].size * dim_of(row);
  double *sum = calloc((size_t)n + 1, sizeof *sum);
  for (int column = 0; column < FIELDS; column++)
    for (int64_t cell = 0; cell < t->whole.set[CELLS].size; cell++)
      if (is_there(r->attempt, row, column)) add_block(r, row, column, cell, sum);
  for (int64_t i = 0; i < n && row == U; i++) sum[i] += solution(U, i / DIM, (int)(i % DIM));
  return sum;
}

static int set_b(struct run *r, int field, double times) {
  const int dim = dim_of(field);
  const int64_t *global = r->share.set[set_of(field)].global;
  const int64_t total = r->share.set[set_of(field)].ends[3];
  double *whole = product(r, field), *b = calloc((size_t)(total * dim) + 1, sizeof *b);
  float *narrow = (float *)b;
  for (int64_t i = 0; i < total * dim; i++) {
    const double value = times * whole[global[i / dim] * dim + i % dim];
    if (r->attempt->type == OP2_F64)
      b[i] = value;
    else
      narrow[i] = (float)value;
  }
  int wrong = op2_dat_set(r->b[field], b) != OP2_SUCCESS;
  free(whole);
  free(b);
  return wrong;
}

static int compare(struct run *r, int field, double times) {
  const int dim = dim_of(field);
  const int64_t owned = r->share.set[set_of(field)].ends[1];
  const double least = r->attempt->type == OP2_F64 ? 1e-6 : 1e-3;
  double *x = calloc((size_t)(owned * dim) + 1, sizeof *x);
  int wrong = op2_dat_get(r->x[field], x) != OP2_SUCCESS;
  for (int64_t i = 0; i < owned * dim && !wrong; i++) {
    const double got = r->attempt->type == OP2_F64 ? x[i] : (double)((float *)x)[i];
    const double want =
        solution(field, r->share.set[set_of(field)].global[i / dim], (int)(i % dim));
    wrong += !(fabs(got / times - want) <= least);
  }
  free(x);
  return wrong;
}

/* ---- declaring the system -------------------------------------------------------------------- */

static op2_status declare_sparsities(struct run *r) {
  op2_status status = self_declare(r->sets[CELLS], &r->self);
  for (int s = 0; s < 4 && !status; s++) {
    const op2_map nodes = r->maps[CELL_NODE];
    const op2_map_pair pairs[] = {{s & 2 ? r->self : nodes, s & 1 ? r->self : nodes}, {NULL, NULL}};
    status = op2_sparsity_create(s ? 1 : 2, pairs, "pattern", &r->sparsities[s]);
  }
  return status;
}

static op2_status assemble(struct run *r, int row, int column, op2_mat mat) {
  const struct trial *t = r->trial;
  const int rows = arity_of(t, row) * dim_of(row), columns = arity_of(t, column) * dim_of(column);
  const op2_map from = row == U ? r->maps[CELL_NODE] : r->self;
  const op2_map to = column == U ? r->maps[CELL_NODE] : r->self;
  char text[60], source[256];
  op2_kernel kernel = NULL;
  value_text(t, row, column, text);
  snprintf(source, sizeof source,
           "void add(%s a[%d][%d]) { for (int r = 0; r < %d; r++) for (int c = 0; c < %d; c++) "
           "a[r][c] += %s; }",
           r->attempt->type == OP2_F64 ? "double" : "float", rows, columns, rows, columns, text);
  const op2_kernel_desc desc = {.name = "add", .source = source};
  op2_status status = op2_kernel_create(r->ctx, &desc, &kernel);
  if (!status) status = op2_par_loop(kernel, r->sets[CELLS], op2_arg_mat(mat, from, to, OP2_INC));
  op2_kernel_destroy(&kernel);
  return status;
}

/* Add 1 to the diagonal of every node that this rank owns. `data` has their global numbers. */
static int add_one(void *data, void *const *values) {
  const int64_t *global = data;
  const op2_mat_rows *rows = values[0];
  for (int64_t i = 0; i < rows->nrows; i++)
    for (int64_t p = rows->starts[i]; p < rows->starts[i + 1]; p++)
      for (int k = 0; k < DIM && rows->columns[p] == global[i]; k++)
        if (rows->type == OP2_F64)
          ((double *)rows->values)[(p * DIM + k) * DIM + k] += 1;
        else
          ((float *)rows->values)[(p * DIM + k) * DIM + k] += 1;
  return 0;
}

static op2_status make_block(struct run *r, int row, int column, op2_mat *mat) {
  const int sparsity = 2 * (row != U) + (column != U);
  op2_status status = op2_mat_create(r->sparsities[sparsity], dim_of(row), dim_of(column),
                                     r->attempt->type, "block", mat);
  if (!status) status = assemble(r, row, column, *mat);
  if (status || row != U || column != U) return status;
  return op2_call(r->ctx, add_one, r->share.set[NODES].global,
                  op2_arg_mat(*mat, NULL, NULL, OP2_RW));
}

static op2_status multiply(void *data, op2_dat x, op2_dat y) {
  return op2_mat_mult(((const struct run *)data)->whole, x, y);
}

static op2_status diagonal(void *data, op2_dat into) {
  return op2_mat_diagonal(((const struct run *)data)->whole, into);
}

/* Replace the first block by an operator that multiplies by it. */
static op2_status make_operator(struct run *r) {
  r->whole = r->mats[0];
  r->mats[0] = NULL;
  const op2_arg uses[] = {op2_arg_mat(r->whole, NULL, NULL, OP2_READ)};
  const op2_operator_desc desc = {.set = r->sets[NODES],
                                  .dim = DIM,
                                  .type = r->attempt->type,
                                  .apply = multiply,
                                  .data = r,
                                  .nargs = 1,
                                  .args = uses,
                                  .diagonal = diagonal};
  return op2_operator_create(&desc, "op", &r->operators[0]);
}

static op2_status declare_system(struct run *r) {
  const int n = r->attempt->n;
  op2_status status = OP2_SUCCESS;
  for (int f = 0; f < n && !status; f++) {
    const op2_set set = r->sets[set_of(f)];
    status = op2_dat_create(set, dim_of(f), r->attempt->type, NULL, "x", &r->x[f]);
    if (!status) status = op2_dat_create(set, dim_of(f), r->attempt->type, NULL, "b", &r->b[f]);
  }
  for (int m = 0; m < n * n && !status; m++)
    if (is_there(r->attempt, m / n, m % n)) status = make_block(r, m / n, m % n, &r->mats[m]);
  return status || !r->attempt->matrix_free ? status : make_operator(r);
}

static void end_system(struct run *r) {
  for (int m = 0; m < BLOCKS; m++) op2_mat_destroy(&r->mats[m]);
  op2_operator_destroy(&r->operators[0]);
  op2_mat_destroy(&r->whole);
  for (int f = 0; f < FIELDS; f++) op2_dat_destroy(&r->x[f]);
  for (int f = 0; f < FIELDS; f++) op2_dat_destroy(&r->b[f]);
}

/* ---- solving --------------------------------------------------------------------------------- */

static op2_status queue(struct run *r, op2_solver solver) {
  const int n = r->attempt->n;
  return r->whole ? op2_solve_blocks(solver, n, r->mats, r->operators, r->x, r->b)
                  : op2_solve_nested(solver, n, r->mats, r->x, r->b);
}

/* Solve twice by one solver: from zero, and for another right-hand side from the first solution. */
static int solve(struct run *r) {
  const struct attempt *a = r->attempt;
  const op2_solver_options options = {.method = a->method,
                                      .preconditioner = a->preconditioner,
                                      .rtol = a->type == OP2_F64 ? 1e-12 : 1e-6,
                                      .restart = 60,
                                      .library = OP2_LIBRARY_OP2};
  op2_solver solver = NULL;
  op2_solve_result result = {0};
  int wrong = op2_solver_create(r->ctx, &options, "nested", &solver) != OP2_SUCCESS;
  for (int turn = 1; turn <= 2 && !wrong; turn++) {
    for (int f = 0; f < a->n; f++) wrong += set_b(r, f, turn * a->scale);
    if (!wrong) wrong += queue(r, solver) != OP2_SUCCESS;
    if (!wrong && !r->trial->eager) wrong += op2_queued(r->ctx) == 0;
    if (!wrong) wrong += op2_solver_result(solver, &result) != OP2_SUCCESS;
    wrong += result.reason != OP2_CONVERGED_RTOL || result.iterations < 2;
    for (int f = 0; f < a->n && !wrong; f++) wrong += compare(r, f, turn * a->scale);
  }
  if (wrong)
    fprintf(stderr, "# method %d, preconditioner %d: reason %d, %d iterations, residual %g\n",
            (int)a->method, (int)a->preconditioner, (int)result.reason, result.iterations,
            result.residual);
  op2_solver_destroy(&solver);
  return wrong;
}

static int has(op2_status got, op2_status want, const char *words) {
  if (got == want && strstr(op2_error_message(), words)) return 0;
  fprintf(stderr, "# expected \"%s\"\n", words);
  return 1;
}

/* Calls that are refused leave nothing in the queue. */
static int refused(struct run *r) {
  const op2_mat none[4] = {NULL}, turned[] = {r->mats[3], r->mats[2], r->mats[1], r->whole};
  const op2_mat both[] = {r->whole, NULL, NULL, r->mats[3]};
  const op2_operator moved[] = {NULL, NULL, NULL, r->operators[0]};
  op2_dat *const x = r->x, *const b = r->b;
  const op2_dat twice[] = {x[U], x[U]}, swapped[] = {b[P], b[U]};
  op2_solver own = NULL, petsc = NULL;
  const op2_solver_options options = {.library = OP2_LIBRARY_PETSC};
  int wrong = op2_solver_create(r->ctx, NULL, "own", &own) != OP2_SUCCESS;
  wrong += op2_solver_create(r->ctx, &options, "petsc", &petsc) != OP2_SUCCESS;
  wrong += op2_flush(r->ctx) != OP2_SUCCESS;
  wrong += has(op2_solve_nested(own, 0, r->mats, x, b), OP2_ERR_ARG, "0 blocks, of 1 to 16");
  wrong += has(op2_solve_nested(own, 17, r->mats, x, b), OP2_ERR_ARG, "17 blocks, of 1 to 16");
  wrong += has(op2_solve_nested(own, 2, NULL, x, b), OP2_ERR_ARG, "op2_solve_nested by 'own': 2");
  wrong += has(op2_solve_nested(own, 2, none, x, b), OP2_ERR_ARG, "all blocks are null");
  wrong +=
      has(op2_solve_nested(own, 2, turned, x, b), OP2_ERR_MISMATCH,
          "the matrix of block (0, 0): 'block' has rows of set 'cells' with dim 1 and columns");
  wrong += has(op2_solve_nested(own, 2, r->mats, twice, twice), OP2_ERR_MISMATCH, "block (0, 1)");
  wrong += has(op2_solve_nested(own, 2, r->mats, x, swapped), OP2_ERR_MISMATCH,
               "b[0]: dat 'b' is on set 'cells' with dim 1, and dat 'x' is on 'nodes' with 2");
  wrong += has(op2_solve_nested(own, 2, r->mats, x, x), OP2_ERR_ARG, "dat 'x' is x and b as well");
  wrong += has(op2_solve_blocks(own, 2, both, r->operators, x, b), OP2_ERR_ARG,
               "block (0, 0) is a matrix and an operator");
  wrong += has(op2_solve_blocks(own, 2, NULL, moved, x, b), OP2_ERR_MISMATCH,
               "the operator of block (1, 1): 'op' has rows of set 'nodes' with dim 2 and columns");
  wrong += has(op2_solve_blocks(own, 2, NULL, NULL, x, b), OP2_ERR_ARG,
               "op2_solve_blocks by 'own': 2 blocks, of 1 to 16, or a null pointer");
  wrong += has(op2_solve_nested(petsc, 2, r->mats, x, b), OP2_ERR_UNAVAILABLE,
               "PETSc is to solve, and op2_petsc_use() has not been called");
  wrong += op2_queued(r->ctx) != 0;
  op2_solver_destroy(&own);
  op2_solver_destroy(&petsc);
  return wrong;
}

/* A failed solve says so, and cancels what needs any of its dats. */
static int diverge(struct run *r) {
  const op2_solver_options options = {.iterations = 1, .library = OP2_LIBRARY_OP2};
  op2_solver solver = NULL;
  double *x = calloc((size_t)r->share.set[CELLS].ends[3] + 1, sizeof *x);
  int wrong = op2_solver_create(r->ctx, &options, "hasty", &solver) != OP2_SUCCESS;
  for (int f = 0; f < r->attempt->n; f++) wrong += set_b(r, f, 1);
  for (int f = 0; f < r->attempt->n; f++)
    wrong += op2_dat_fill(r->x[f], op2_scalar_value(7)) != OP2_SUCCESS;
  op2_status status = queue(r, solver);
  if (!r->trial->eager) wrong += status != OP2_SUCCESS;
  if (!status) status = op2_dat_get(r->x[P], x);
  wrong += status != OP2_ERR_DIVERGED ||
           !strstr(op2_error_message(), "solve 'hasty' of 'op' and others") ||
           !strstr(op2_error_message(), "there were enough iterations");
  op2_solver_destroy(&solver);
  free(x);
  return wrong;
}

static int play(struct run *r) {
  int wrong = declare_sparsities(r) != OP2_SUCCESS;
  for (int a = 0; a < r->trial->attempts && !wrong; a++) {
    r->attempt = &attempts[a];
    wrong += declare_system(r) != OP2_SUCCESS;
    if (!wrong) wrong += solve(r);
    if (!wrong && a == 0) wrong += refused(r);
    if (!wrong && a == 0) wrong += diverge(r);
    end_system(r);
  }
  return wrong;
}

static int run_one(struct op2i_comm *comm, void *data) {
  const struct trial *t = data;
  struct run r = {.trial = t};
  const op2_options options = {.backend = t->backend,
                               .threads = 1,
                               .eager = t->eager ? 1 : -1,
                               .block_size = 8,
                               .cache_dir = test_cache()};
  whole_share(&t->whole, comm ? comm->rank : -1, &r.share);
  op2_status status = comm ? op2i_init_ranks(&options, comm, &r.ctx) : op2_init(&options, &r.ctx);
  if (!status) status = share_declare(&t->whole, &r.share, r.ctx, r.sets, r.maps);
  int wrong = status ? 1 : play(&r);
  if (wrong) fprintf(stderr, "# %s, eager %d: %s\n", t->backend, t->eager, op2_error_message());
  for (int s = 0; s < 4; s++) op2_sparsity_destroy(&r.sparsities[s]);
  op2_map_destroy(&r.self);
  for (int m = 0; m < t->whole.nmaps; m++) op2_map_destroy(&r.maps[m]);
  for (int s = 0; s < t->whole.nsets; s++) op2_set_destroy(&r.sets[s]);
  share_free(&t->whole, &r.share);
  return wrong + (op2_finalize(&r.ctx) != OP2_SUCCESS);
}

static int try_one(const char *backend, int ranks, bool eager) {
  struct trial t = {.backend = backend, .eager = eager, .ranks = ranks > 1, .attempts = SOME};
  uint64_t seed = 12;
  if (is_device(backend) || !strcmp(backend, "check")) t.attempts = FEW;
  if (!strcmp(backend, "sequential")) t.attempts = ATTEMPTS;
  whole_draw(&t.whole, ranks, 0, &seed);
  int wrong = ranks > 1 ? run_contexts(ranks, run_one, &t) : run_one(NULL, &t);
  whole_free(&t.whole);
  return wrong;
}

int main(void) {
  const char *backend;
  test_environment();
  for (int b = 0; (backend = next_backend_of_ranks(every_backend, &b));)
    for (int ranks = 1; ranks <= 3; ranks++) {
      if (is_device(backend) && ranks > 2 && !thorough()) continue;
      is_int(try_one(backend, ranks, ranks == 2), 0, "%s, %d rank%s", backend, ranks,
             ranks > 1 ? "s" : "");
    }
  return done();
}
