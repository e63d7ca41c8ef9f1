/* SPDX-License-Identifier: BSD-3-Clause */
/* A nested queue for an operation that itself queues others while it runs, such as a solver. What
 * it queues does not wait for nodes of the outer queue, nor they for it; they wait only for the
 * operation as a whole. Each queue has a table of its own of what it knows of dats and globals, so
 * nothing of the outer queue changes meanwhile. */
#include "error.h"
#include "failure.h"
#include "gbl.h"
#include "mem.h"
#include "sched.h"

/* The versions that globals have in the nested queue: they begin with the values that they had when
 * the operation was queued. */
static op2_status copy_globals(const struct op2i_op *op, struct op2i_version *const *versions,
                               struct op2i_version **copies) {
  op2_status status = OP2_SUCCESS;
  for (int g = 0; g < op->ngbls && !status; g++)
    status = op2i_version_copy(op->gbls[g], versions[g], &copies[g]);
  return status;
}

static op2_status prepare_nested(struct op2i_sched *sched, const struct op2i_op *op,
                                 struct op2i_version *const *versions,
                                 struct op2i_version **copies) {
  op2_status status = copy_globals(op, versions, copies);
  if (!status && !sched->inner) status = op2i_sched_create(sched->ctx, &sched->inner);
  if (status) return status;
  sched->inner->outer = sched;
  sched->inner->records.outer = &sched->records;
  return op2i_records_reserve(&sched->inner->records, sched->ctx);
}

static void begin_nested(struct op2i_sched *inner, const struct op2i_op *op,
                         struct op2i_version **copies) {
  inner->records.inside = op;
  inner->records.describe_inside = op->kind->describe;
  inner->records.last_id_outside = inner->ctx->next_id;
  op2i_sched_use(inner);
  for (int d = 0; d < op->ndats; d++) op2i_resource_admit(&op->dats[d]->res);
  for (int g = 0; g < op->ngbls; g++) op2i_gbl_begin_nested(op->gbls[g], copies[g]);
}

op2_status op2i_sched_enter(struct op2i_sched *sched, const struct op2i_op *op,
                            struct op2i_version *const *versions) {
  if (sched->outer)
    return op2i_error(OP2_ERR_STATE,
                      "an operation that runs others cannot run inside another such");
  struct op2i_version **copies = op2i_calloc((size_t)op->ngbls + 1, sizeof *copies);
  op2_status status =
      copies ? prepare_nested(sched, op, versions, copies) : op2i_error_nomem("an operation");
  status = op2i_context_agree(sched->ctx, status);
  if (!status) begin_nested(sched->inner, op, copies);
  for (int g = 0; copies && status && g < op->ngbls; g++) op2i_version_unref(copies[g]);
  op2i_free(copies);
  return status;
}

op2_status op2i_sched_check_inside(const struct op2i_op *op, op2_where where) {
  for (int d = 0; d < op->ndats; d++)
    if (!op2i_resource_admitted(&op->dats[d]->res))
      return op2i_error(OP2_ERR_STATE,
                        "%s:%d: dat '%s' is used inside an operator that does not name it",
                        where.file, where.line, op->dats[d]->obj.name);
  for (int g = 0; g < op->ngbls; g++)
    if (!op2i_resource_admitted(&op->gbls[g]->res))
      return op2i_error(OP2_ERR_STATE,
                        "%s:%d: global '%s' is used inside an operator that does not name it",
                        where.file, where.line, op->gbls[g]->obj.name);
  return OP2_SUCCESS;
}

/* Report the first failure as the result, unless `status` is a failure; release the others. */
static op2_status report_failures(struct op2i_sched *inner, op2_status status) {
  struct op2i_failure **failures = &inner->records.failures;
  while (*failures) {
    struct op2i_failure *failure = *failures;
    if (!status) {
      status = op2i_failure_report(inner->ctx, failure);
      continue;
    }
    *failures = failure->next;
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

op2_status op2i_sched_leave(struct op2i_sched *sched, const struct op2i_op *op, op2_status status) {
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
  status = report_failures(inner, status);
  for (int g = 0; g < op->ngbls; g++) op2i_gbl_end_nested(op->gbls[g]);
  op2i_records_clear(&inner->records);
  op2i_sched_use(sched);
  add_up(sched, inner);
  return status;
}
