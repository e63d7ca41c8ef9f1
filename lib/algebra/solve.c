/* SPDX-License-Identifier: BSD-3-Clause */
/* op2_solve(): what can be wrong with one, the table of distinct ones, and running them. */
#include "solve.h"

#include <inttypes.h>
#include <stdio.h>

#include "context.h"
#include "error.h"
#include "krylov.h"
#include "mem.h"

/* ---- what can be wrong ----------------------------------------------------------------------- */

static op2_status check_square(op2_where where, op2_solver solver, op2_mat mat) {
  const struct op2_sparsity_s *sparsity = mat->sparsity;
  if (sparsity->rows == sparsity->columns && mat->row_dim == mat->column_dim) return OP2_SUCCESS;
  return op2i_error(
      OP2_ERR_MISMATCH,
      "%s:%d: op2_solve by '%s': matrix '%s' is not square: rows are of set '%s' with dim "
      "%" PRId32 ", columns of '%s' with %" PRId32,
      where.file, where.line, solver->obj.name, mat->obj.name, sparsity->rows->obj.name,
      mat->row_dim, sparsity->columns->obj.name, mat->column_dim);
}

static op2_status check_dat(op2_where where, op2_solver solver, op2_mat mat, op2_dat dat,
                            const char *which) {
  op2_set rows = mat->sparsity->rows;
  char what[512];
  snprintf(what, sizeof what, "%s:%d: op2_solve by '%s', %s", where.file, where.line,
           solver->obj.name, which);
  op2_status status = op2i_object_validate(dat, OP2I_DAT, what);
  if (status) return status;
  if (dat->set != rows || dat->dim != mat->row_dim)
    return op2i_error(OP2_ERR_MISMATCH,
                      "%s: dat '%s' is on set '%s' with dim %" PRId32
                      ", and the rows of matrix '%s' are "
                      "of '%s' with %" PRId32,
                      what, dat->obj.name, dat->set->obj.name, dat->dim, mat->obj.name,
                      rows->obj.name, mat->row_dim);
  if (dat->type != mat->type)
    return op2i_error(OP2_ERR_TYPE, "%s: dat '%s' is %s, and matrix '%s' %s", what, dat->obj.name,
                      op2i_type_name(dat->type), mat->obj.name, op2i_type_name(mat->type));
  return OP2_SUCCESS;
}

static op2_status check(op2_where where, op2_solver solver, op2_mat mat, op2_dat x, op2_dat b) {
  op2_status status = op2i_object_validate(solver, OP2I_SOLVER, "op2_solve");
  if (!status) status = op2i_object_validate(mat, OP2I_MAT, "op2_solve, the matrix");
  if (!status) status = op2i_context_validate(mat->obj.ctx);
  if (status) return status;
  if (solver->obj.ctx != mat->obj.ctx)
    return op2i_error(OP2_ERR_MISMATCH,
                      "%s:%d: op2_solve by '%s': matrix '%s' belongs to another context",
                      where.file, where.line, solver->obj.name, mat->obj.name);
  status = check_square(where, solver, mat);
  if (!status) status = check_dat(where, solver, mat, x, "x");
  if (!status) status = check_dat(where, solver, mat, b, "b");
  if (status || x != b) return status;
  return op2i_error(OP2_ERR_ARG, "%s:%d: op2_solve by '%s': dat '%s' is x and b as well",
                    where.file, where.line, solver->obj.name, x->obj.name);
}

/* ---- the table ------------------------------------------------------------------------------- */

static void free_solve(struct op2i_solve *solve) {
  if (solve->op.ctx->sched) op2i_scheduler.forget(solve->op.ctx->sched, &solve->op);
  op2i_op_free_tables(&solve->op);
  op2i_free(solve);
}

static void add_dat(struct op2i_solve *solve, op2_dat dat, op2_access access) {
  struct op2i_op *op = &solve->op;
  op->dat_access[op2i_number_of((void **)op->dats, &op->ndats, dat)] = access;
}

static op2_status make_solve(op2_solver solver, op2_mat mat, op2_dat x, op2_dat b,
                             struct op2i_solve **out) {
  enum { DATS = 3 };
  struct op2i_solve *solve = op2i_calloc(1, sizeof *solve);
  if (!solve) return op2i_error_nomem("a solve");
  solve->op.kind = &op2i_solve_kind;
  solve->op.ctx = mat->obj.ctx;
  solve->solver = solver;
  solve->mat = mat;
  solve->x = x;
  solve->b = b;
  if (op2i_op_tables(&solve->op, DATS)) {
    free_solve(solve);
    return op2i_error_nomem("a solve");
  }
  add_dat(solve, mat->values, OP2_READ);
  add_dat(solve, b, OP2_READ);
  add_dat(solve, x, solver->options.start_at_zero ? OP2_WRITE : OP2_RW);
  solve->next = mat->obj.ctx->solves;
  mat->obj.ctx->solves = solve;
  *out = solve;
  return OP2_SUCCESS;
}

static op2_status intern(op2_solver solver, op2_mat mat, op2_dat x, op2_dat b,
                         struct op2i_solve **out) {
  struct op2i_solve *solve = mat->obj.ctx->solves;
  while (solve && (solve->solver != solver || solve->mat != mat || solve->x != x || solve->b != b))
    solve = solve->next;
  *out = solve;
  return solve ? OP2_SUCCESS : make_solve(solver, mat, x, b, out);
}

static bool names(const struct op2i_solve *solve, const void *object) {
  return object == solve->solver || object == solve->mat || object == solve->x ||
         object == solve->b;
}

static void drop(struct op2i_solve **at) {
  struct op2i_solve *solve = *at;
  *at = solve->next;
  if (solve->solver->last == solve) solve->solver->last = NULL;
  free_solve(solve);
}

static void forget_solves(op2_context ctx, const void *object) {
  for (struct op2i_solve **at = &ctx->solves; *at;)
    if (names(*at, object))
      drop(at);
    else
      at = &(*at)->next;
}

static void free_solves(op2_context ctx) {
  while (ctx->solves) drop(&ctx->solves);
}

const struct op2i_interned op2i_interned_solves = {forget_solves, free_solves};

/* ---- as an operation ------------------------------------------------------------------------- */

/* While it is queued it holds all that it names. */
static void use(struct op2i_op *op) {
  struct op2i_solve *solve = (struct op2i_solve *)op;
  if (op->uses++ > 0) return;
  void *const objects[] = {solve->solver, solve->mat, solve->x, solve->b};
  for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) op2i_ref(objects[i]);
}

/* The last reference to an object frees the solve as well (forget_solves). */
static void unuse(struct op2i_op *op) {
  struct op2i_solve *solve = (struct op2i_solve *)op;
  if (--op->uses > 0) return;
  void *const objects[] = {solve->solver, solve->mat, solve->x, solve->b};
  for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) op2i_unref(objects[i]);
}

static void describe(const struct op2i_op *op, struct op2i_text *text) {
  const struct op2i_solve *solve = (const struct op2i_solve *)op;
  op2i_text_add(text, "solve '%s' of '%s'", solve->solver->obj.name, solve->mat->obj.name);
}

static const char *in_words(op2_reason reason) {
  switch (reason) {
  case OP2_DIVERGED_ITERATIONS: return "there were enough iterations";
  case OP2_DIVERGED_DTOL: return "the residual has grown too large";
  case OP2_DIVERGED_NAN: return "the residual is no number";
  case OP2_DIVERGED_BREAKDOWN: return "the method cannot go on";
  case OP2_DIVERGED_INDEFINITE:
    return "the matrix, or the preconditioner, is not positive definite";
  default: return "it converged";
  }
}

static op2_status judge(const struct op2i_solve *solve) {
  const op2_solve_result *result = &solve->solver->result;
  if (result->reason > OP2_NOT_SOLVED || solve->solver->options.allow_failure) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_DIVERGED, "it did not converge: %s (%d iterations, residual %g)",
                    in_words(result->reason), result->iterations, result->residual);
}

static op2i_method *const methods[] = {
    [OP2_METHOD_CG] = op2i_solve_cg,
    [OP2_METHOD_MINRES] = op2i_solve_minres,
    [OP2_METHOD_GMRES] = op2i_solve_gmres,
    [OP2_METHOD_BICGSTAB] = op2i_solve_bicgstab,
};

static op2_status run(struct op2i_op *op, struct op2i_version *const *versions,
                      unsigned char *payload) {
  (void)versions, (void)payload;
  struct op2i_solve *solve = (struct op2i_solve *)op;
  struct op2i_sched *sched = op->ctx->sched;
  struct op2i_resource kept[3];
  solve->solver->result = (op2_solve_result){0};
  op2_status status = op2i_scheduler.enter(sched, op->ndats, op->dats, kept);
  if (status) return status;
  status = methods[solve->solver->options.method](solve, &solve->solver->result);
  status = op2i_scheduler.leave(sched, op->ndats, op->dats, kept, status);
  return status ? status : judge(solve);
}

const struct op2i_op_kind op2i_solve_kind = {
    .name = "solve", .queues = true, .use = use, .unuse = unuse, .describe = describe, .run = run};

/* ---- queueing -------------------------------------------------------------------------------- */

op2_status op2_solve_at(op2_where where, op2_solver solver, op2_mat mat, op2_dat x, op2_dat b) {
  struct op2i_solve *solve = NULL;
  if (!where.file) where.file = "?";
  op2_status status = check(where, solver, mat, x, b);
  if (status) return status;
  op2_context ctx = mat->obj.ctx;
  status = intern(solver, mat, x, b, &solve);
  if (status) return op2i_context_lost(ctx, status);
  status = op2i_op_validate_scopes(where, &solve->op);
  if (status) return status;
  use(&solve->op);
  solver->last = solve;
  status = op2i_scheduler.enqueue(ctx->sched, &solve->op, where, NULL,
                                  ctx->config.eager ? OP2I_EAGER : OP2I_LATER);
  unuse(&solve->op);
  return status;
}
