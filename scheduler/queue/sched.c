/* SPDX-License-Identifier: BSD-3-Clause */
/* Queueing operations and forcing them to run. */
#include "sched.h"
#include "background.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "combination.h"
#include "device.h"
#include "error.h"
#include "failure.h"
#include "fpenv.h"
#include "log.h"
#include "loopdata.h"
#include "mem.h"
#include "op2/graph.h"
#include "outcome.h"
#include "period.h"
#include "plancache.h"
#include "program.h"
#include "program_keep.h"
#include "report.h"
#include "tools.h"
#include "trace_steps.h"

op2_status op2i_sched_create(op2_context ctx, struct op2i_sched **out) {
  struct op2i_sched *sched = op2i_calloc(1, sizeof *sched);
  struct op2i_plan_cache *plans = op2i_plan_cache_create();
  struct op2i_combinations *combinations = op2i_calloc(1, sizeof *combinations);
  if (!sched || !plans || !combinations) {
    op2i_free(sched);
    op2i_free(combinations);
    op2i_free(plans);
    return op2i_error_nomem("the scheduler");
  }
  sched->ctx = ctx;
  sched->queue.next_number = 1;
  sched->caches.plans = plans;
  sched->caches.combinations = combinations;
  *out = sched;
  return OP2_SUCCESS;
}

void op2i_sched_use(struct op2i_sched *sched) {
  sched->ctx->sched = sched;
  sched->ctx->records = &sched->records;
}

void op2i_sched_destroy(struct op2i_sched *sched) {
  op2_context ctx = sched->ctx;
  if (sched->inner) op2i_sched_destroy(sched->inner);
  /* Freeing what is queued may free objects, which are then removed from all queues. */
  sched->inner = NULL;
  op2i_graph_mark_all(sched); /* nodes are left here only after a fatal error */
  op2i_graph_retire(sched);
  op2i_sched_forget_all(sched);
  op2i_records_free(&sched->records);
  op2i_combinations_free(sched->caches.combinations);
  op2i_plan_cache_unref(sched->caches.plans);
  op2i_free(sched->queue.marked);
  op2i_outcomes_begin(sched, sched->outcomes.capacity);
  op2i_free(sched->outcomes.list);
  op2i_free(sched->queue.nodes);
  op2i_free(sched->queue.edges);
  op2i_free(sched->queue.before);
  op2i_text_free(&sched->stats.renumberings);
  op2i_text_free(&sched->drawing.exchanges);
  if (ctx->sched == sched) {
    ctx->sched = NULL;
    ctx->records = NULL;
  }
  op2i_free(sched);
}

/* Remember the force for op2_explain(). Every flush calls this, so nothing is formatted here. */
static void remember(struct op2i_sched *sched, int64_t marked, const char *call, const char *name) {
  struct op2i_force *force = &sched->stats.forces[sched->stats.nforces++ % OP2I_FORCES];
  size_t length = strlen(name);
  if (length >= sizeof force->name) length = sizeof force->name - 1;
  memcpy(force->name, name, length);
  force->name[length] = '\0';
  force->call = call;
  force->loops = marked;
  force->left = sched->queue.nnodes - marked;
}

/* Run the marked nodes, in the default floating-point environment. After a shortage of memory the
 * loops that did not run stay queued. */
static op2_status run_marked_here(struct op2i_sched *sched) {
  const struct op2i_force *force = &sched->stats.forces[(sched->stats.nforces - 1) % OP2I_FORCES];
  const struct op2i_force about = *force; /* others may come meanwhile */
  bool verify = sched->ctx->config.verify;
  op2_status status = verify ? op2i_graph_verify(sched) : OP2_SUCCESS;
  if (status) return op2i_context_abort_ranks(sched->ctx, status);
  if (verify) status = op2i_verify_ranks(sched, force->call, force->name);
  if (status) return status;
  op2i_dot_dump(sched);
  const int64_t begin = op2i_trace_begin(sched->ctx);
  status = op2i_execute_marked(sched);
  if (begin) op2i_force_trace(sched, &about, begin);
  for (int64_t i = 0; i < sched->queue.nnodes; i++)
    if (sched->queue.nodes[i].state == OP2I_QUEUED) sched->queue.nodes[i].marked = false;
  op2i_dot_dump(sched);
  op2i_graph_retire(sched);
  return status;
}

static op2_status run_marked(struct op2i_sched *sched) {
  OP2I_FP_DEFAULT;
  return run_marked_here(sched);
}

static op2_status run_all_here(struct op2i_sched *sched, const char *call, const char *name) {
  if (!sched->queue.nnodes) return OP2_SUCCESS;
  remember(sched, op2i_graph_mark_all(sched), call, name);
  return run_marked_here(sched);
}

op2_status op2i_sched_run_all(struct op2i_sched *sched, const char *call, const char *name) {
  OP2I_FP_DEFAULT;
  return run_all_here(sched, call, name);
}

/* Run a full queue except for the last, incomplete program, so that a time loop that never flushes
 * has the same programs each time. This is allowed, since a loop may always run after everything
 * that was queued before it. */
static op2_status make_room(struct op2i_sched *sched) {
  int64_t n = op2i_sched_complete(sched);
  for (int64_t i = 0; i < n; i++) sched->queue.nodes[i].marked = true;
  remember(sched, n, "the queue was full", "");
  return run_marked(sched);
}

/* In the default floating-point environment. */
static op2_status flush_here(struct op2i_sched *sched, const char *call) {
  op2_context ctx = sched->ctx;
  bool empty = !sched->queue.nnodes && ctx->config.verify;
  op2_status status = empty ? op2i_verify_ranks(sched, call, "") : run_all_here(sched, call, "");
  if (status) return status;
  return ctx->records->failures ? op2i_failure_report(ctx, ctx->records->failures) : OP2_SUCCESS;
}

static op2_status flush(struct op2i_sched *sched, const char *call) {
  OP2I_FP_DEFAULT;
  return flush_here(sched, call);
}

static op2_status force(struct op2i_sched *sched, struct op2i_resource *resource, bool overwrite,
                        const char *call, const char *name) {
  if (!op2i_resource_admitted(resource))
    return op2i_error(OP2_ERR_STATE,
                      "%s: '%s' is looked at inside an operator that does not name it", call, name);
  op2_status status = op2i_graph_join(sched);
  if (status) return op2i_context_abort_ranks(sched->ctx, status);
  int64_t marked = op2i_graph_mark(sched, resource, overwrite);
  if (!marked) return OP2_SUCCESS;
  remember(sched, marked, call, name);
  return run_marked(sched);
}

static const char *reason(enum op2i_wish wish) {
  return wish == OP2I_COMPUTE ? "op2_loop_compute" : "eager mode";
}

/* Mark the operations from a number on and what they depend on, and run them. */
static op2_status run_with_past(struct op2i_sched *sched, int64_t first, enum op2i_wish wish) {
  op2_status status = op2i_graph_join(sched);
  if (status) return op2i_context_abort_ranks(sched->ctx, status);
  for (int64_t i = sched->queue.nnodes - 1; i >= 0 && sched->queue.nodes[i].number >= first; i--)
    sched->queue.nodes[i].marked = true;
  remember(sched, op2i_graph_mark(sched, NULL, false), reason(wish), "");
  return run_marked(sched);
}

/* The failure of an operation that was watched while it ran. An operation that was cancelled has the
 * failure of an older one, which a submission must not return. */
static op2_status end_watch(struct op2i_sched *sched, int64_t number, enum op2i_wish wish,
                            op2_status status) {
  struct op2i_failure *failure = sched->watched_failure;
  sched->watched = 0;
  sched->watched_failure = NULL;
  if (!status && failure && (failure->loop_number == number || wish == OP2I_COMPUTE))
    status = op2i_failure_report(sched->ctx, failure);
  op2i_failure_unref(failure);
  return status;
}

/* Run the operation queued last with all it depends on, and return its failure. */
static op2_status run_last(struct op2i_sched *sched, enum op2i_wish wish) {
  const int64_t number = sched->queue.nodes[sched->queue.nnodes - 1].number;
  sched->watched = number;
  op2_status status = run_with_past(sched, number, wish);
  if (status && op2i_graph_find(sched, number)) op2i_graph_undo(sched);
  return end_watch(sched, number, wish, status);
}

static op2_status run_from(struct op2i_sched *sched, int64_t first, int64_t number,
                           enum op2i_wish wish) {
  sched->watched = number;
  op2_status status = run_with_past(sched, first, wish);
  if (status == OP2_ERR_NOMEM && !sched->ctx->fatal) status = OP2_SUCCESS;
  return end_watch(sched, number, wish, status);
}

/* True if captured values take too much memory: each queued loop has its own copy of large
 * constants and values. */
static bool too_large(const struct op2i_sched *sched) {
  const size_t most = (size_t)256 << 20;
  return sched->queue.slab.large > most;
}

static op2_status enqueue(struct op2i_sched *sched, struct op2i_op *op, op2_where where,
                          const unsigned char *payload, enum op2i_wish wish) {
  op2_status status = OP2_SUCCESS;
  if (sched->ctx->fatal || sched->ctx->calling)
    return op2i_context_validate(sched->ctx, "op2_par_loop");
  if (sched->outer) status = op2i_sched_check_inside(op, where);
  if (status) return status;
  if (sched->ctx->comm) op2i_op_trail(op, where, payload, wish == OP2I_COMPUTE);
  if (!op->counted) status = op2i_numbering_count(sched, op);
  if (status) return op2i_context_abort_ranks(sched->ctx, status);
  if (wish != OP2I_BEHIND && sched->queue.nnodes >= sched->ctx->config.queue_max)
    status = make_room(sched);
  else if (wish != OP2I_BEHIND && too_large(sched))
    status = op2i_sched_run_all(sched, "captured values filled the memory for them", "");
  op2i_op_count_changes(op);
  if (!status) {
    status = op2i_graph_add(sched, op, where, payload);
    if (status) status = op2i_context_abort_ranks(sched->ctx, status);
  }
  return status || wish < OP2I_EAGER ? status : run_last(sched, wish);
}

static void undo(struct op2i_sched *sched, const struct op2i_version *version) {
  const struct op2i_node *last =
      sched->queue.nnodes ? &sched->queue.nodes[sched->queue.nnodes - 1] : NULL;
  bool uses = false;
  for (int g = 0; last && g < last->op->ngbls; g++) uses |= last->versions[g] == version;
  if (uses && last->state == OP2I_QUEUED) op2i_graph_undo(sched);
}

static void cancel_with(struct op2i_sched *sched, op2_dat dat) {
  sched->queue.nodes[sched->queue.nnodes - 1].beside = dat;
}

static int64_t next(const struct op2i_sched *sched) { return sched->queue.next_number; }

static void undo_from(struct op2i_sched *sched, int64_t number) {
  while (sched->queue.nnodes > sched->queue.njoined &&
         sched->queue.nodes[sched->queue.nnodes - 1].number >= number)
    op2i_graph_undo(sched);
}

static void report_lost(const struct op2i_sched *sched, bool closely) {
  const struct op2i_node *first = NULL;
  int64_t n = 0;
  struct op2i_text text = {0};
  for (int64_t i = sched->queue.nnodes - 1; i >= 0; i--) { /* the queue may be running */
    if (sched->queue.nodes[i].state != OP2I_QUEUED) continue;
    first = &sched->queue.nodes[i];
    n++;
  }
  if (!n) return;
  if (closely) {
    op2i_text_add(&text, " (the first: ");
    first->op->kind->describe(first->op, &text);
    op2i_text_add(&text, ", queued at %s:%d)", first->where.file, first->where.line);
  }
  op2i_log(sched->ctx, OP2I_LOG_WARN,
           "the program ends with %" PRId64
           " loop%s queued that never ran%s: op2_finalize() was not "
           "called",
           n, n == 1 ? "" : "s", text.chars && !text.failed ? text.chars : "");
  op2i_text_free(&text);
}

/* Wait for all work on the device. Other forces wait only for what they need of it. */
static op2_status wait_for_device(op2_context ctx) {
  const int64_t begin = ctx->device ? op2i_trace_begin(ctx) : 0;
  op2_status status = ctx->device ? ctx->device->kind->wait(ctx->device) : OP2_SUCCESS;
  op2i_trace_end(ctx, begin, OP2I_WHAT_DEVICE, NULL, 0);
  if (!status) return status;
  ctx->fatal = status == OP2_ERR_FATAL;
  return ctx->fatal ? op2i_context_abort_ranks(ctx, status) : status;
}

op2_status op2_flush(op2_context ctx) {
  OP2I_FP_DEFAULT;
  op2_status status = op2i_context_validate(ctx, "op2_flush");
  if (status) return status;
  op2i_context_call(ctx, "op2_flush", NULL, 0, 0);
  status = flush_here(ctx->sched, "op2_flush");
  struct op2i_tools_ids ids;
  if (ctx->tools) op2i_tools_begin(OP2I_TOOLS_FENCE, "op2_flush", &ids);
  op2_status over = ctx->fatal ? OP2_SUCCESS : wait_for_device(ctx);
  if (ctx->tools) op2i_tools_end(OP2I_TOOLS_FENCE, &ids);
  if (ctx->awaiting_release) op2i_objects_release_awaiting(ctx);
  if (!status) status = over;
  struct op2i_error_kept kept;
  if (status) op2i_error_keep(&kept);
  op2_status beside = op2i_background_wait(ctx, false);
  if (status) op2i_error_restore(&kept);
  return status ? status : beside;
}

int64_t op2_queued(op2_context ctx) { return op2_initialised(ctx) ? ctx->sched->queue.nnodes : 0; }

/* Forget an operation, or all of them, in the outer queue and in nested ones. */
static void forget_operation(struct op2i_sched *sched, struct op2i_op *op) {
  while (sched->outer) sched = sched->outer;
  for (; sched; sched = sched->inner)
    if (op)
      op2i_sched_forget(sched, op);
    else
      op2i_sched_forget_all(sched);
}

/* Operations have been changed already; beside them, programs refer to dats in exchanges only. */
static void pass_on(struct op2i_sched *sched, const void *object, void *successor) {
  if (!sched->ctx->comm) return;
  while (sched->outer) sched = sched->outer;
  for (; sched; sched = sched->inner) op2i_programs_pass_on(sched, object, successor);
}

const struct op2i_scheduler op2i_scheduler = {.enqueue = enqueue,
                                              .undo = undo,
                                              .cancel_with = cancel_with,
                                              .next = next,
                                              .undo_from = undo_from,
                                              .run_from = run_from,
                                              .force = force,
                                              .flush = flush,
                                              .forget = forget_operation,
                                              .pass_on = pass_on,
                                              .enter = op2i_sched_enter,
                                              .leave = op2i_sched_leave,
                                              .report_lost = report_lost};
