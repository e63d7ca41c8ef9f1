/* SPDX-License-Identifier: BSD-3-Clause */
/* op2_solve(): checks of calls, the table of distinct solves, and their execution. */
#include "solve.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "context.h"
#include "error.h"
#include "krylov.h"
#include "mem.h"
#include "operator.h"

/* ---- checks of arguments --------------------------------------------------------------------- */

/* A call, before its solve is looked up in the table. */
struct request {
  const char *call; /* the function, as messages name it */
  op2_where where;
  op2_solver solver;
  struct op2i_system system;
  /* The dat that is checked next has to be like the rows of the matrix or operator of this name, or
   * in a system of blocks like the dat x[i], which has this name then. */
  bool of_blocks;
  op2_set set;
  int32_t dim;
  const char *name;
  op2_type type;
  const char *type_name; /* of what has this type: the matrix or operator, or x[0] */
};

static op2_status check_member(const struct request *r, const void *object, enum op2i_kind kind,
                               const char *which) {
  char what[512];
  snprintf(what, sizeof what, "%s:%d: %s by '%s', %s", r->where.file, r->where.line, r->call,
           r->solver->obj.name, which);
  op2_status status = op2i_object_validate(object, kind, what);
  const struct op2i_object *member = object;
  if (status || member->ctx == r->solver->obj.ctx) return status;
  return op2i_error(OP2_ERR_MISMATCH, "%s: '%s' belongs to another context", what, member->name);
}

static op2_status check_square(const struct request *r) {
  const struct op2_mat_s *mat = *r->system.mat;
  const struct op2_set_s *rows = op2i_sparsity_row_set(mat->sparsity),
                         *columns = op2i_sparsity_column_set(mat->sparsity);
  if (rows == columns && mat->row_dim == mat->column_dim) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_MISMATCH,
                    "%s:%d: %s by '%s': matrix '%s' is not square: rows are of set '%s' with dim "
                    "%" PRId32 ", columns of '%s' with %" PRId32,
                    r->where.file, r->where.line, r->call, r->solver->obj.name, mat->obj.name,
                    rows->obj.name, mat->row_dim, columns->obj.name, mat->column_dim);
}

static op2_status check_dat(const struct request *r, op2_dat dat, const char *which) {
  op2_status status = check_member(r, dat, OP2I_DAT, which);
  if (status) return status;
  if (dat->set != r->set || dat->dim != r->dim)
    return op2i_error(OP2_ERR_MISMATCH,
                      "%s:%d: %s by '%s', %s: dat '%s' is on set '%s' with dim %" PRId32
                      ", and %s '%s' %s '%s' with %" PRId32,
                      r->where.file, r->where.line, r->call, r->solver->obj.name, which,
                      dat->obj.name, dat->set->obj.name, dat->dim,
                      r->of_blocks ? "dat" : "the rows of", r->name,
                      r->of_blocks ? "is on" : "are of", r->set->obj.name, r->dim);
  if (dat->type != r->type)
    return op2i_error(OP2_ERR_TYPE, "%s:%d: %s by '%s', %s: dat '%s' is %s, and '%s' %s",
                      r->where.file, r->where.line, r->call, r->solver->obj.name, which,
                      dat->obj.name, op2i_type_name(dat->type), r->type_name,
                      op2i_type_name(r->type));
  return OP2_SUCCESS;
}

static op2_status check_same(const struct request *r) {
  for (int i = 0; i < r->system.n; i++)
    for (int j = 0; j < r->system.n; j++)
      if (r->system.x[i] == r->system.b[j] || (i != j && r->system.x[i] == r->system.x[j]))
        return op2i_error(OP2_ERR_ARG, "%s:%d: %s by '%s': dat '%s' is %s", r->where.file,
                          r->where.line, r->call, r->solver->obj.name, r->system.x[i]->obj.name,
                          r->system.x[i] == r->system.b[j] ? "x and b as well" : "x twice");
  return OP2_SUCCESS;
}

static op2_status check_solver(const struct request *r) {
  op2_status status = op2i_object_validate(r->solver, OP2I_SOLVER, r->call);
  return status ? status : op2i_context_validate(r->solver->obj.ctx, r->call);
}

/* ---- the table of solves --------------------------------------------------------------------- */

static size_t nblocks(const struct op2i_system *system) {
  return (size_t)system->n * (size_t)system->n;
}

/* The captured values: the change counter of each matrix when the solve was queued, and the solve's
 * number among those of its solver. */
static size_t payload_words(const struct op2i_system *system) { return nblocks(system) + 1; }

static void free_solve(struct op2i_solve *solve) {
  if (solve->op.ctx->sched) op2i_scheduler.forget(solve->op.ctx->sched, &solve->op);
  op2i_op_free_tables(&solve->op);
  op2i_free(solve->system.mat);
  op2i_free(solve->system.shell);
  op2i_free(solve->system.x);
  op2i_free(solve->system.b);
  op2i_free(solve);
}

static void add_dat(struct op2i_solve *solve, op2_dat dat, op2_access access) {
  struct op2i_op *op = &solve->op;
  int before = op->ndats;
  int32_t d = op2i_number_of((void **)op->dats, &op->ndats, dat);
  bool same = op->ndats > before || op->dat_access[d] == access;
  op->dat_access[d] = same ? access : OP2_RW;
}

static void add_operator(struct op2i_solve *solve, const struct op2i_op *uses) {
  struct op2i_op *op = &solve->op;
  for (int d = 0; d < uses->ndats; d++) add_dat(solve, uses->dats[d], uses->dat_access[d]);
  for (int g = 0; g < uses->ngbls; g++)
    op->gbl_access[op2i_number_of((void **)op->gbls, &op->ngbls, uses->gbls[g])] = OP2_READ;
}

static void resolve(struct op2i_solve *solve) {
  const struct op2i_system *s = &solve->system;
  bool overwrites = solve->solver->options.start_at_zero != 0;
  for (size_t m = 0; m < nblocks(s); m++)
    if (s->mat[m]) add_dat(solve, s->mat[m]->values, OP2_READ);
  for (size_t m = 0; m < nblocks(s); m++)
    if (s->shell[m]) add_operator(solve, &s->shell[m]->uses);
  for (int i = 0; i < s->n; i++) add_dat(solve, s->b[i], OP2_READ);
  for (int i = 0; i < s->n; i++) add_dat(solve, s->x[i], overwrites ? OP2_WRITE : OP2_RW);
  solve->op.payload_bytes = (int32_t)((payload_words(s) * sizeof(int64_t) + 15) / 16 * 16);
}

static void *copy_of(const void *objects, size_t n) {
  void *copy = op2i_calloc(n, sizeof(void *));
  if (copy) memcpy(copy, objects, n * sizeof(void *));
  return copy;
}

static op2_status make_solve(const struct request *r, struct op2i_solve **out) {
  const struct op2i_system *s = &r->system;
  struct op2i_solve *solve = op2i_calloc(1, sizeof *solve);
  if (!solve) return op2i_error_nomem("a solve");
  op2_context ctx = r->solver->obj.ctx;
  size_t n = (size_t)s->n, uses = 0;
  for (size_t m = 0; m < nblocks(s); m++)
    if (s->shell[m]) uses += (size_t)op2i_op_nresources(&s->shell[m]->uses);
  solve->op.kind = &op2i_solve_kind;
  solve->op.ctx = ctx;
  solve->solver = r->solver;
  solve->system = (struct op2i_system){.n = s->n,
                                       .mat = copy_of(s->mat, n * n),
                                       .shell = copy_of(s->shell, n * n),
                                       .x = copy_of(s->x, n),
                                       .b = copy_of(s->b, n)};
  const struct op2i_system *own = &solve->system;
  if (!own->mat || !own->shell || !own->x || !own->b ||
      op2i_op_tables(&solve->op, n * n + 2 * n + uses)) {
    free_solve(solve);
    return op2i_error_nomem("a solve");
  }
  resolve(solve);
  solve->next = ctx->solves;
  ctx->solves = solve;
  *out = solve;
  return OP2_SUCCESS;
}

static bool same(const struct op2i_solve *solve, const struct request *r) {
  const struct op2i_system *a = &solve->system, *b = &r->system;
  size_t n = (size_t)a->n;
  return solve->solver == r->solver && a->n == b->n &&
         !memcmp(a->mat, b->mat, n * n * sizeof *a->mat) &&
         !memcmp(a->shell, b->shell, n * n * sizeof *a->shell) &&
         !memcmp(a->x, b->x, n * sizeof *a->x) && !memcmp(a->b, b->b, n * sizeof *a->b);
}

static op2_status intern(const struct request *r, struct op2i_solve **out) {
  struct op2i_solve *solve = r->solver->obj.ctx->solves;
  while (solve && !same(solve, r)) solve = solve->next;
  *out = solve;
  return solve ? OP2_SUCCESS : make_solve(r, out);
}

static bool has(void *const *objects, size_t n, const void *object) {
  for (size_t i = 0; i < n; i++)
    if (objects[i] == object) return true;
  return false;
}

static bool names(const struct op2i_solve *solve, const void *object) {
  const struct op2i_system *s = &solve->system;
  return object == solve->solver || has((void *const *)s->mat, nblocks(s), object) ||
         has((void *const *)s->shell, nblocks(s), object) ||
         has((void *const *)s->x, (size_t)s->n, object) ||
         has((void *const *)s->b, (size_t)s->n, object);
}

static void drop_solve(struct op2i_solve **at) {
  struct op2i_solve *solve = *at;
  *at = solve->next;
  if (solve->solver->last == solve) solve->solver->last = NULL;
  free_solve(solve);
}

static void forget_solves(op2_context ctx, const void *object) {
  for (struct op2i_solve **at = &ctx->solves; *at;)
    if (names(*at, object))
      drop_solve(at);
    else
      at = &(*at)->next;
}

static void free_solves(op2_context ctx) {
  while (ctx->solves) drop_solve(&ctx->solves);
}

const struct op2i_interned op2i_interned_solves = {.forget = forget_solves, .free = free_solves};

/* ---- the operation in the queue -------------------------------------------------------------- */

/* A queued solve holds references to all its objects. */
static void use(struct op2i_op *op) {
  struct op2i_solve *solve = (struct op2i_solve *)op;
  const struct op2i_system *s = &solve->system;
  if (op->uses++ > 0) return;
  op2i_ref(solve->solver);
  for (size_t m = 0; m < nblocks(s); m++) op2i_ref(s->mat[m]);
  for (size_t m = 0; m < nblocks(s); m++) op2i_ref(s->shell[m]);
  for (int i = 0; i < s->n; i++) op2i_ref(s->x[i]);
  for (int i = 0; i < s->n; i++) op2i_ref(s->b[i]);
}

/* Releasing the last reference to an object frees the solve as well (forget_solves), so the solve
 * is not accessed after the first release. */
static void unuse(struct op2i_op *op) {
  enum { FEW = 64 };
  struct op2i_solve *solve = (struct op2i_solve *)op;
  const struct op2i_system *s = &solve->system;
  if (--op->uses > 0) return;
  size_t n = 0, most = 2 * nblocks(s) + 2 * (size_t)s->n + 1;
  void *few[FEW], **objects = most > FEW ? op2i_malloc(most * sizeof *objects) : few;
  if (!objects) return; /* the references are leaked, but no handle dangles */
  for (size_t m = 0; m < nblocks(s); m++) objects[n++] = s->mat[m];
  for (size_t m = 0; m < nblocks(s); m++) objects[n++] = s->shell[m];
  for (int i = 0; i < s->n; i++) objects[n++] = s->x[i];
  for (int i = 0; i < s->n; i++) objects[n++] = s->b[i];
  objects[n++] = solve->solver;
  for (size_t i = 0; i < n; i++) op2i_unref(objects[i]);
  if (objects != few) op2i_free(objects);
}

static op2_status capture(struct op2i_op *op, unsigned char *payload) {
  const struct op2i_solve *solve = (const struct op2i_solve *)op;
  const struct op2i_system *s = &solve->system;
  int64_t *words = (int64_t *)payload;
  for (size_t m = 0; m < nblocks(s); m++) words[m] = s->mat[m] ? s->mat[m]->values->changes : 0;
  words[nblocks(s)] = ++solve->solver->queued;
  return OP2_SUCCESS;
}

static const char *name_of(const struct op2i_system *s) {
  for (size_t m = 0; m < nblocks(s); m++) {
    if (s->shell[m]) return s->shell[m]->obj.name;
    if (s->mat[m]) return s->mat[m]->obj.name;
  }
  return "";
}

static void describe(const struct op2i_op *op, struct op2i_text *text) {
  const struct op2i_solve *solve = (const struct op2i_solve *)op;
  op2i_text_add(text, "solve '%s' of '%s'", solve->solver->obj.name, name_of(&solve->system));
  if (solve->system.n > 1) op2i_text_add(text, " and others");
}

static const char *in_words(op2_reason reason) {
  switch (reason) {
  case OP2_DIVERGED_ITERATIONS: return "there were enough iterations";
  case OP2_DIVERGED_DTOL: return "the residual has grown too large";
  case OP2_DIVERGED_NAN: return "the residual is no number";
  case OP2_DIVERGED_BREAKDOWN: return "the method cannot go on";
  case OP2_DIVERGED_PRECONDITIONER: return "the preconditioner cannot be made or applied";
  case OP2_DIVERGED_OTHER: return "the library that solves gave up";
  case OP2_DIVERGED_INDEFINITE:
    return "the matrix, or the preconditioner, is not positive definite";
  default: return "it converged";
  }
}

static op2_status judge_result(const struct op2i_solve *solve, const op2_solve_result *result,
                               const char *details) {
  if (result->reason > OP2_NOT_SOLVED || solve->solver->options.allow_failure) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_DIVERGED, "it did not converge: %s (%s%s%d iterations, residual %g)",
                    in_words(result->reason), details ? details : "", details ? ", " : "",
                    result->iterations, result->residual);
}

/* The library that the options name, or else PETSc if it is in use. */
static const struct op2i_engine *engine_of(const struct op2i_solve *solve) {
  return solve->solver->options.library == OP2_LIBRARY_OP2 ? NULL : solve->op.ctx->engine;
}

static op2_status run_method(struct op2i_solve *solve, const int64_t *changes,
                             op2_solve_result *result, const char **details) {
  const struct op2i_engine *engine = engine_of(solve);
  if (engine) op2i_context_warn_order(solve->op.ctx, OP2I_ORDER_ENGINE);
  if (engine) return engine->solve(solve, changes, result, details);
  return op2i_method_kind(solve->solver->options.method)->solve(solve, result);
}

/* Solves of one solver may run in another order than they were queued: the result of the solve
 * queued last is kept. */
static void keep_result(op2_solver solver, int64_t number, const op2_solve_result *result) {
  if (number < solver->ran) return;
  solver->ran = number;
  solver->result = *result;
}

/* One of the system's operators, the first; null: there is none. */
static op2_operator any_operator(const struct op2i_system *s) {
  for (size_t m = 0; m < nblocks(s); m++)
    if (s->shell[m]) return s->shell[m];
  return NULL;
}

/* The operator of a system that has one, in one block or more; null: there are several. */
static op2_operator only_operator(const struct op2i_system *s) {
  const op2_operator first = any_operator(s);
  for (size_t m = 0; m < nblocks(s); m++)
    if (s->shell[m] && s->shell[m] != first) return NULL;
  return first;
}

/* The number of dats of x whose handles were given up; the last of them becomes *last. */
static int ngiven_up(const struct op2i_system *s, op2_dat *last) {
  int n = 0;
  for (int i = 0; i < s->n; i++) {
    if (!s->x[i]->obj.given_up) continue;
    *last = s->x[i];
    n++;
  }
  return n;
}

/* Operators may not destroy a dat of x. The program may have destroyed `before` of them since it
 * queued the solve. */
static op2_status check_lent(const struct op2i_system *s, int before) {
  op2_context ctx = s->x[0]->obj.ctx;
  op2_dat lost = NULL;
  if (!any_operator(s)) return OP2_SUCCESS;
  if (ngiven_up(s, &lost) > before) ctx->lent_destroyed = &lost->obj;
  return op2i_operator_check_lent(ctx, only_operator(s), lost, NULL);
}

static op2_status run(struct op2i_op *op, struct op2i_version *const *versions,
                      unsigned char *payload) {
  struct op2i_solve *solve = (struct op2i_solve *)op;
  const int64_t *words = (const int64_t *)payload, number = words[nblocks(&solve->system)];
  struct op2i_sched *sched = op->ctx->sched;
  op2_solve_result result = {0};
  const char *details = NULL;
  const int before = ngiven_up(&solve->system, &(op2_dat){NULL});
  op->ctx->lent_destroyed = NULL;
  op2_status status = op2i_scheduler.enter(sched, op, versions);
  if (!status) {
    status = run_method(solve, words, &result, &details);
    status = op2i_scheduler.leave(sched, op, status);
  }
  if (!status) status = check_lent(&solve->system, before);
  if (status) result = (op2_solve_result){.reason = OP2_SOLVE_FAILED};
  keep_result(solve->solver, number, &result);
  return status ? status : judge_result(solve, &result, details);
}

const struct op2i_op_kind op2i_solve_kind = {.name = "solve",
                                             .queues = true,
                                             .use = use,
                                             .unuse = unuse,
                                             .capture = capture,
                                             .describe = describe,
                                             .run = run};

/* ---- queueing -------------------------------------------------------------------------------- */

/* Check that a library that can solve such a system is available. */
static op2_status check_library(const struct request *r) {
  enum op2_library library = r->solver->options.library;
  bool own = library == OP2_LIBRARY_OP2 || !r->solver->obj.ctx->engine;
  if (library == OP2_LIBRARY_PETSC && own)
    return op2i_error(OP2_ERR_UNAVAILABLE,
                      "%s:%d: %s by '%s': PETSc is to solve, and op2_petsc_use() has not been "
                      "called",
                      r->where.file, r->where.line, r->call, r->solver->obj.name);
  if (own || r->system.n == 1 || !any_operator(&r->system)) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_UNAVAILABLE,
                    "%s:%d: %s by '%s': PETSc is to solve, and blocks that are operators are "
                    "for the library's own methods (OP2_LIBRARY_OP2)",
                    r->where.file, r->where.line, r->call, r->solver->obj.name);
}

static op2_status enqueue(const struct request *r) {
  op2_context ctx = r->solver->obj.ctx;
  struct op2i_solve *solve = NULL;
  op2_status status = check_same(r);
  if (!status) status = check_library(r);
  if (status) return status;
  status = intern(r, &solve);
  if (status) return op2i_context_abort_ranks(ctx, status);
  op2i_warn_of_rows(solve, r->where);
  status = op2i_op_validate_scopes(r->where, &solve->op);
  if (status) return status;
  unsigned char *payload = op2i_calloc(1, (size_t)solve->op.payload_bytes);
  if (!payload) return op2i_context_abort_ranks(ctx, op2i_error_nomem("a solve"));
  use(&solve->op);
  r->solver->last = solve;
  status = op2i_scheduler.enqueue(ctx->sched, &solve->op, r->where, payload,
                                  ctx->config.eager ? OP2I_EAGER : OP2I_LATER);
  unuse(&solve->op);
  op2i_free(payload);
  return status;
}

op2_status op2_solve_at(op2_where where, op2_solver solver, op2_mat mat, op2_dat x, op2_dat b) {
  if (!where.file) where.file = "?";
  op2_operator none = NULL;
  struct request r = {
      .call = "op2_solve", .where = where, .solver = solver, .system = {1, &mat, &none, &x, &b}};
  op2_status status = check_solver(&r);
  if (!status) status = check_member(&r, mat, OP2I_MAT, "the matrix");
  if (!status) status = check_square(&r);
  if (status) return status;
  r.set = op2i_sparsity_row_set(mat->sparsity);
  r.dim = mat->row_dim;
  r.type = mat->type;
  r.name = r.type_name = mat->obj.name;
  status = check_dat(&r, x, "x");
  if (!status) status = check_dat(&r, b, "b");
  return status ? status : enqueue(&r);
}

/* Check that an operator uses no dat of x. It may use b. */
static op2_status check_apart(const struct request *r, op2_operator op) {
  const struct op2i_op *uses = &op->uses;
  for (int i = 0; i < r->system.n; i++)
    if (has((void *const *)uses->dats, (size_t)uses->ndats, r->system.x[i]))
      return op2i_error(OP2_ERR_ARG, "%s:%d: %s by '%s': dat '%s' is x, and operator '%s' uses it",
                        r->where.file, r->where.line, r->call, r->solver->obj.name,
                        r->system.x[i]->obj.name, op->obj.name);
  return OP2_SUCCESS;
}

op2_status op2_solve_operator_at(op2_where where, op2_solver solver, op2_operator operator_,
                                 op2_dat x, op2_dat b) {
  if (!where.file) where.file = "?";
  op2_mat mat = NULL;
  struct request r = {.call = "op2_solve_operator",
                      .where = where,
                      .solver = solver,
                      .system = {1, &mat, &operator_, &x, &b}};
  op2_status status = check_solver(&r);
  if (!status) status = check_member(&r, operator_, OP2I_OPERATOR, "the operator");
  if (status) return status;
  mat = operator_->desc.preconditioner;
  r.set = operator_->desc.set;
  r.dim = operator_->desc.dim;
  r.type = operator_->desc.type;
  r.name = r.type_name = operator_->obj.name;
  status = check_dat(&r, x, "x");
  if (!status) status = check_dat(&r, b, "b");
  if (!status) status = check_apart(&r, operator_);
  return status ? status : enqueue(&r);
}

/* One side of a block. */
struct side {
  op2_set set;
  int32_t dim;
  op2_type type;
};

static bool is_of(const struct side *side, op2_dat dat) {
  return side->set == dat->set && side->dim == dat->dim && side->type == dat->type;
}

/* The blocks of a row have the rows of b[i], and those of a column the columns of x[j]. */
static op2_status check_sides(const struct request *r, const char *which, const char *name,
                              const struct side sides[2], const op2_dat dats[2]) {
  if (is_of(&sides[0], dats[0]) && is_of(&sides[1], dats[1])) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_MISMATCH,
                    "%s:%d: %s by '%s', %s: '%s' has rows of set '%s' with dim %" PRId32
                    " and columns of '%s' with %" PRId32 ", %s; dat '%s' is on '%s' with %" PRId32
                    ", dat '%s' on '%s' with %" PRId32 ", %s",
                    r->where.file, r->where.line, r->call, r->solver->obj.name, which, name,
                    sides[0].set->obj.name, sides[0].dim, sides[1].set->obj.name, sides[1].dim,
                    op2i_type_name(sides[0].type), dats[0]->obj.name, dats[0]->set->obj.name,
                    dats[0]->dim, dats[1]->obj.name, dats[1]->set->obj.name, dats[1]->dim,
                    op2i_type_name(dats[0]->type));
}

static op2_status check_mat_block(const struct request *r, const char *which, op2_mat mat,
                                  const op2_dat dats[2]) {
  op2_status status = check_member(r, mat, OP2I_MAT, which);
  if (status) return status;
  const struct side sides[] = {
      {op2i_sparsity_row_set(mat->sparsity), mat->row_dim, mat->type},
      {op2i_sparsity_column_set(mat->sparsity), mat->column_dim, mat->type}};
  return check_sides(r, which, mat->obj.name, sides, dats);
}

static op2_status check_operator_block(const struct request *r, const char *which, op2_operator op,
                                       const op2_dat dats[2]) {
  op2_status status = check_member(r, op, OP2I_OPERATOR, which);
  if (status) return status;
  const struct side side = {op->desc.set, op->desc.dim, op->desc.type};
  const struct side sides[] = {side, side};
  status = check_sides(r, which, op->obj.name, sides, dats);
  return status ? status : check_apart(r, op);
}

/* The matrix of an operator is for its preconditioner. */
static op2_status check_block(struct request *r, int i, int j) {
  const struct op2i_system *s = &r->system;
  op2_mat *mat = &s->mat[i * s->n + j];
  const op2_operator op = s->shell[i * s->n + j];
  const op2_dat dats[] = {s->b[i], s->x[j]};
  char which[60];
  if (*mat && op)
    return op2i_error(OP2_ERR_ARG, "%s:%d: %s by '%s': block (%d, %d) is a matrix and an operator",
                      r->where.file, r->where.line, r->call, r->solver->obj.name, i, j);
  snprintf(which, sizeof which, "the %s of block (%d, %d)", op ? "operator" : "matrix", i, j);
  if (*mat) return check_mat_block(r, which, *mat, dats);
  if (!op) return OP2_SUCCESS;
  op2_status status = check_operator_block(r, which, op, dats);
  if (!status) *mat = op->desc.preconditioner;
  return status;
}

static op2_status check_nested(struct request *r) {
  const struct op2i_system *s = &r->system;
  char which[2][40];
  op2_status status = OP2_SUCCESS;
  r->of_blocks = true;
  for (int i = 0; i < s->n && !status; i++) {
    snprintf(which[0], sizeof which[0], "x[%d]", i);
    snprintf(which[1], sizeof which[1], "b[%d]", i);
    status = check_member(r, s->x[i], OP2I_DAT, which[0]);
    if (status) return status;
    r->set = s->x[i]->set;
    r->dim = s->x[i]->dim;
    r->type = s->x[0]->type;
    r->type_name = s->x[0]->obj.name;
    r->name = s->x[i]->obj.name;
    status = check_dat(r, s->x[i], which[0]);
    if (!status) status = check_dat(r, s->b[i], which[1]);
  }
  for (int i = 0; i < s->n; i++)
    for (int j = 0; j < s->n && !status; j++) status = check_block(r, i, j);
  return status;
}

static op2_status solve_system(const char *call, op2_where where, op2_solver solver, int n,
                               const op2_mat *mats, const op2_operator *operators, const op2_dat *x,
                               const op2_dat *b) {
  enum { MOST = OP2I_BLOCKS_MOST * OP2I_BLOCKS_MOST };
  op2_mat mat[MOST] = {NULL};
  op2_operator shell[MOST] = {NULL};
  if (!where.file) where.file = "?";
  struct request r = {.call = call,
                      .where = where,
                      .solver = solver,
                      .system = {n, mat, shell, (op2_dat *)x, (op2_dat *)b}};
  op2_status status = check_solver(&r);
  if (status) return status;
  if (n < 1 || n > OP2I_BLOCKS_MOST || (!mats && !operators) || !x || !b)
    return op2i_error(OP2_ERR_ARG, "%s:%d: %s by '%s': %d blocks, of 1 to %d, or a null pointer",
                      where.file, where.line, call, solver->obj.name, n, OP2I_BLOCKS_MOST);
  bool any = false;
  for (int m = 0; m < n * n; m++) {
    if (mats) mat[m] = mats[m];
    if (operators) shell[m] = operators[m];
    any |= mat[m] || shell[m];
  }
  status = check_nested(&r);
  if (status) return status;
  if (any) return enqueue(&r);
  return op2i_error(OP2_ERR_ARG, "%s:%d: %s by '%s': all blocks are null", where.file, where.line,
                    call, solver->obj.name);
}

op2_status op2_solve_blocks_at(op2_where where, op2_solver solver, int n, const op2_mat *mats,
                               const op2_operator *operators, const op2_dat *x, const op2_dat *b) {
  return solve_system("op2_solve_blocks", where, solver, n, mats, operators, x, b);
}

op2_status op2_solve_nested_at(op2_where where, op2_solver solver, int n, const op2_mat *mats,
                               const op2_dat *x, const op2_dat *b) {
  return solve_system("op2_solve_nested", where, solver, n, mats, NULL, x, b);
}
