/* SPDX-License-Identifier: BSD-3-Clause */
/* A nested queue for an operation that itself queues others while it runs, such as a solver. What
 * it queues does not wait for nodes of the outer queue, nor they for it; they wait only for the
 * operation as a whole. */
#include "error.h"
#include "gbl.h"
#include "mem.h"
#include "sched.h"

struct op2i_saved_state {
  struct op2i_resource *dats;
  struct op2i_version **gbls;
};

static void free_saved(struct op2i_saved_state *saved) {
  if (!saved) return;
  op2i_free(saved->dats);
  op2i_free(saved->gbls);
  op2i_free(saved);
}

/* Allocate what enter() saves, with new versions of the globals for the nested queue. */
static op2_status alloc_saved(const struct op2i_op *op, struct op2i_version *const *versions,
                              struct op2i_saved_state **out) {
  struct op2i_saved_state *saved = *out = op2i_calloc(1, sizeof *saved);
  op2_status status = OP2_SUCCESS;
  if (!saved) return op2i_error_nomem("an operation that queues others");
  saved->dats = op2i_calloc((size_t)op->ndats + 1, sizeof *saved->dats);
  saved->gbls = op2i_calloc((size_t)op->ngbls + 1, sizeof(struct op2i_version *));
  if (!saved->dats || !saved->gbls) return op2i_error_nomem("an operation that queues others");
  for (int g = 0; g < op->ngbls && !status; g++)
    status = op2i_version_copy(op->gbls[g], versions[g], &saved->gbls[g]);
  return status;
}

static void swap_globals(const struct op2i_op *op, struct op2i_saved_state *saved) {
  for (int g = 0; g < op->ngbls; g++) {
    struct op2i_version *now = op->gbls[g]->now;
    op->gbls[g]->now = saved->gbls[g];
    saved->gbls[g] = now;
    op->gbls[g]->now->res.nested_id = op->ctx->nested_id;
  }
}

static op2_status prepare(struct op2i_sched *sched, const struct op2i_op *op,
                          struct op2i_version *const *versions, struct op2i_saved_state **out) {
  op2_status status = alloc_saved(op, versions, out);
  if (status || sched->inner) return status;
  status = op2i_sched_create(sched->ctx, &sched->inner);
  if (!status) sched->inner->outer = sched;
  return status;
}

static void drop_globals(const struct op2i_op *op, struct op2i_saved_state *saved) {
  for (int g = 0; saved && saved->gbls && g < op->ngbls; g++) op2i_version_unref(saved->gbls[g]);
  free_saved(saved);
}

op2_status op2i_sched_enter(struct op2i_sched *sched, const struct op2i_op *op,
                            struct op2i_version *const *versions, struct op2i_saved_state **out) {
  op2_context ctx = sched->ctx;
  if (sched->outer)
    return op2i_error(OP2_ERR_STATE,
                      "an operation that runs others cannot run inside another such");
  op2_status status = op2i_context_agree(ctx, prepare(sched, op, versions, out));
  if (status) {
    drop_globals(op, *out);
    return status;
  }
  sched->inner->outer_failures = ctx->failures;
  ctx->failures = NULL;
  ctx->sched = sched->inner;
  ctx->nested = op;
  ctx->last_id_outside = ctx->next_id;
  ctx->nested_id++;
  for (int d = 0; d < op->ndats; d++) {
    (*out)->dats[d] = op->dats[d]->res;
    op2i_resource_init(&op->dats[d]->res, ctx);
  }
  swap_globals(op, *out);
  return OP2_SUCCESS;
}

op2_status op2i_sched_check_inside(const struct op2i_sched *sched, const struct op2i_op *op,
                                   op2_where where) {
  for (int d = 0; d < op->ndats; d++)
    if (op->dats[d]->res.nested_id != sched->ctx->nested_id)
      return op2i_error(OP2_ERR_STATE,
                        "%s:%d: dat '%s' is used inside an operator that does not name it",
                        where.file, where.line, op->dats[d]->obj.name);
  for (int g = 0; g < op->ngbls; g++)
    if (op->gbls[g]->now->res.nested_id != sched->ctx->nested_id)
      return op2i_error(OP2_ERR_STATE,
                        "%s:%d: global '%s' is used inside an operator that does not name it",
                        where.file, where.line, op->gbls[g]->obj.name);
  return OP2_SUCCESS;
}

/* Report the first failure as the result, unless `status` is a failure; release the others. */
static op2_status report_failures(op2_context ctx, op2_status status) {
  while (ctx->failures) {
    if (!status) {
      status = op2i_failure_report(ctx, ctx->failures);
      continue;
    }
    struct op2i_failure *failure = ctx->failures;
    ctx->failures = failure->next;
    failure->next = NULL;
    failure->reported = true;
    op2i_failure_unref(failure);
  }
  return status;
}

/* Add times and counts of the nested queue to those of the outer one. */
static void add_up(struct op2i_sched *outer, struct op2i_sched *inner) {
  outer->stats.spent.loops += inner->stats.spent.loops;
  outer->stats.spent.running += inner->stats.spent.running;
  outer->stats.spent.compiling += inner->stats.spent.compiling;
  outer->stats.spent.preparing += inner->stats.spent.preparing;
  outer->stats.loops_run += inner->stats.loops_run;
  outer->stats.tasks_submitted += inner->stats.tasks_submitted;
  outer->stats.programs_inline += inner->stats.programs_inline;
  outer->stats.programs_team += inner->stats.programs_team;
  outer->costs.probe_seconds += inner->costs.probe_seconds;
  if (!outer->stats.first_kernel) outer->stats.first_kernel = inner->stats.first_kernel;
  inner->stats.spent = (struct op2i_spent){0};
  inner->costs.probe_seconds = 0;
  inner->stats.loops_run = inner->stats.tasks_submitted = inner->stats.programs_inline =
      inner->stats.programs_team = 0;
}

/* After a shortage of memory, or a fatal error, loops may be left that did not run. They
 * are dropped, since the operation that queued them has failed, and the next one uses the
 * same queue. */
static void discard(struct op2i_sched *inner) {
  op2i_graph_mark_all(inner);
  op2i_graph_retire(inner);
}

op2_status op2i_sched_leave(struct op2i_sched *sched, const struct op2i_op *op,
                            struct op2i_saved_state *saved, op2_status status) {
  op2_context ctx = sched->ctx;
  struct op2i_sched *inner = sched->inner;
  char said[OP2I_WORDS] = "";
  if (status) snprintf(said, sizeof said, "%s", op2_error_message());
  op2_status ran = ctx->fatal ? OP2_ERR_FATAL : op2i_sched_run_all(inner, "an operation's end", "");
  if (!status && ran)
    status = ran;
  else if (status)
    status = op2i_error(status, "%s", said);
  discard(inner);
  status = report_failures(ctx, status);
  ctx->failures = inner->outer_failures;
  inner->outer_failures = NULL;
  ctx->sched = sched;
  ctx->nested = NULL;
  add_up(sched, inner);
  for (int d = 0; d < op->ndats; d++) {
    op2i_resource_clear(&op->dats[d]->res);
    op->dats[d]->res = saved->dats[d];
  }
  swap_globals(op, saved);
  drop_globals(op, saved);
  return status;
}
