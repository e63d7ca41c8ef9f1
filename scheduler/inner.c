/* SPDX-License-Identifier: BSD-3-Clause */
/* A queue within an operation that runs, as a solver's: what it queues waits for nobody outside, and
 * nobody outside for it, but for the operation as a whole. */
#include "error.h"
#include "sched.h"

op2_status op2i_sched_enter(struct op2i_sched *sched, int ndats, const op2_dat *dats,
                            struct op2i_resource *kept) {
  op2_context ctx = sched->ctx;
  op2_status status = OP2_SUCCESS;
  if (sched->outer)
    return op2i_error(OP2_ERR_STATE,
                      "an operation that runs others cannot run inside another such");
  if (!sched->inner) {
    status = op2i_sched_create(ctx, &sched->inner);
    if (!status) sched->inner->outer = sched;
  }
  status = op2i_context_agree(ctx, status);
  if (status) return status;
  sched->inner->outer_failures = ctx->failures;
  ctx->failures = NULL;
  ctx->sched = sched->inner;
  ctx->inside = true;
  for (int d = 0; d < ndats; d++) {
    kept[d] = dats[d]->res;
    op2i_resource_init(&dats[d]->res, ctx);
  }
  return OP2_SUCCESS;
}

/* The first is the result, unless there is one. */
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

/* Times count for the queue outside; loops do, too. */
static void add_up(struct op2i_sched *outer, struct op2i_sched *inner) {
  outer->spent.loops += inner->spent.loops;
  outer->spent.compiling += inner->spent.compiling;
  outer->spent.preparing += inner->spent.preparing;
  outer->loops_run += inner->loops_run;
  outer->tasks_submitted += inner->tasks_submitted;
  outer->programs_inline += inner->programs_inline;
  outer->programs_team += inner->programs_team;
  if (!outer->first_kernel) outer->first_kernel = inner->first_kernel;
  inner->spent = (struct op2i_spent){0};
  inner->loops_run = inner->tasks_submitted = inner->programs_inline = inner->programs_team = 0;
}

op2_status op2i_sched_leave(struct op2i_sched *sched, int ndats, const op2_dat *dats,
                            struct op2i_resource *kept, op2_status status) {
  op2_context ctx = sched->ctx;
  struct op2i_sched *inner = sched->inner;
  char said[OP2I_WORDS] = "";
  if (status) snprintf(said, sizeof said, "%s", op2_error_message());
  op2_status ran = ctx->fatal ? OP2_ERR_FATAL : op2i_sched_run_all(inner, "an operation's end", "");
  if (!status && ran)
    status = ran;
  else if (status)
    status = op2i_error(status, "%s", said);
  status = report_failures(ctx, status);
  ctx->failures = inner->outer_failures;
  inner->outer_failures = NULL;
  ctx->sched = sched;
  ctx->inside = false;
  add_up(sched, inner);
  for (int d = 0; d < ndats; d++) {
    op2i_resource_clear(&dats[d]->res);
    dats[d]->res = kept[d];
  }
  return status;
}
