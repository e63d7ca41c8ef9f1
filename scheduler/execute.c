/* SPDX-License-Identifier: BSD-3-Clause */
/* From marked nodes to finished work: compile what is missing, cancel what would read poison, plan,
 * run, settle. Loops run as programs, from one call of a user's function to the next. */
#include <inttypes.h>

#include "call.h"
#include "error.h"
#include "log.h"
#include "mem.h"
#include "program.h"
#include "text.h"

/* A part of the queue. */
struct part {
  int64_t first, end;
};

/* To be run by the force in progress, and not run yet. */
static bool waiting(const struct op2i_node *node) {
  return node->marked && node->state == OP2I_QUEUED;
}

/* The loops that run one by one. */
struct batch {
  struct op2i_sched *sched;
  struct part part;
  enum op2i_variant variant;
  struct op2i_compile compile;
  struct op2i_step *steps; /* of a task backend: the whole program */
  int64_t nsteps, steps_capacity;
};

/* ---- compiling ------------------------------------------------------------------------------- */

static op2_status compile(struct batch *batch) {
  const struct op2i_sched *sched = batch->sched;
  for (int64_t i = batch->part.first; i < batch->part.end; i++) {
    if (!waiting(&sched->nodes[i]) || sched->nodes[i].unfit) continue;
    op2_status status = op2i_compile_add(&batch->compile, op2i_node_loop(&sched->nodes[i]));
    if (status) return status;
  }
  return op2i_compile_run(&batch->compile);
}

static void free_batch(struct batch *batch) {
  op2i_compile_end(&batch->compile);
  op2i_free(batch->steps);
}

/* ---- failing --------------------------------------------------------------------------------- */

static void watch(struct op2i_sched *sched, const struct op2i_node *node,
                  struct op2i_failure *failure, bool own) {
  if (sched->watched != node->number) return;
  sched->watched_failure = op2i_failure_ref(failure);
  sched->watched_own = own;
}

/* Put a failure on record; what it was to write is poisoned. */
static op2_status fail_node(struct op2i_sched *sched, struct op2i_node *node, op2_status code,
                            const char *what) {
  struct op2i_text text = {0};
  op2i_text_add(&text, "%s:%d: ", node->where.file, node->where.line);
  node->op->kind->describe(node->op, &text);
  op2i_text_add(&text, " (%s %" PRId64 "): %s", node->op->kind->name, node->number, what);
  struct op2i_failure *failure =
      text.failed ? NULL : op2i_failure_add(sched->ctx, code, node->number, text.chars);
  op2i_text_free(&text);
  if (!failure) { /* without a record the loss could go unnoticed: better a dead context */
    sched->ctx->fatal = true;
    return op2i_error_nomem("a failure's record");
  }
  op2i_log(sched->ctx, OP2I_LOG_INFO, "failed: %s", failure->message);
  node->state = OP2I_FAILED;
  sched->loops_failed++;
  op2i_poison_results(node, failure);
  watch(sched, node, failure, true);
  op2i_failure_unref(failure);
  return OP2_SUCCESS;
}

static void cancel_node(struct op2i_sched *sched, struct op2i_node *node,
                        struct op2i_failure *failure) {
  op2i_failure_ref(failure);
  node->state = OP2I_CANCELLED;
  sched->loops_cancelled++;
  op2i_poison_results(node, failure);
  watch(sched, node, failure, false);
  op2i_failure_unref(failure);
}

static void settle_node(struct op2i_sched *sched, struct op2i_node *node) {
  node->state = OP2I_DONE;
  sched->loops_run++;
  op2i_poison_cure(node);
}

/* ---- one by one ------------------------------------------------------------------------------ */

struct op2i_step op2i_step_make(const struct op2i_loop *loop, int range,
                                enum op2i_variant variant) {
  const struct op2i_loop_data *data = loop->sched_data;
  return (struct op2i_step){.loop = (struct op2i_loop *)loop,
                            .entry = loop->entry[op2i_loop_form(loop, variant)],
                            .call = {.dat = data->dat,
                                     .map = data->map,
                                     .subset = loop->set->idx,
                                     .number = loop->set->base->number},
                            .lo = loop->ranges[range].lo,
                            .hi = loop->ranges[range].hi,
                            .reduces = loop->ranges[range].reduces,
                            .range = range,
                            .plan = data->plans[range] ? data->plans[range]->plan : NULL};
}

static struct op2i_step step_of(const struct op2i_node *node, int range,
                                enum op2i_variant variant) {
  struct op2i_step step = op2i_step_make(op2i_node_loop(node), range, variant);
  step.number = node->number;
  step.file = node->where.file;
  step.line = node->where.line;
  step.gbl = node->gbl;
  step.call.gbl = (const void *const *)node->gbl;
  step.call.payload = node->payload;
  return step;
}

static void count_run(struct op2i_loop *loop, const struct op2i_step *step, double seconds) {
  loop->profile_seconds += seconds;
  if (step->range == 0) loop->profile_calls++;
  loop->profile_elements += step->hi - step->lo;
}

/* The profile is about kernels: those of a fused loop share its time by the data that each would
 * move alone. */
static void count_members(const struct op2i_loop *loop, const struct op2i_step *step) {
  double bytes = 0;
  for (int m = 0; m < loop->nmembers; m++) bytes += loop->origins[m]->bytes;
  for (int m = 0; m < loop->nmembers; m++) {
    double share = bytes > 0 ? loop->origins[m]->bytes / bytes : 1.0 / loop->nmembers;
    count_run(loop->origins[m], step, share * step->seconds);
  }
}

void op2i_step_account(const struct op2i_step *step) {
  struct op2i_loop *loop = step->loop;
  struct op2i_loop_data *data = loop->sched_data;
  double elements = (double)(step->hi - step->lo);
  struct op2i_spent *spent = &loop->op.ctx->sched->spent;
  spent->loops += step->seconds;
  spent->running += step->clock_seconds;
  count_run(loop, step, step->seconds);
  if (loop->members) count_members(loop, step);
  if (elements < 1 || step->seconds <= 0) return;
  double ns = 1e9 * step->seconds / elements;
  data->ns_per_element = data->ns_per_element > 0 ? 0.75 * data->ns_per_element + 0.25 * ns : ns;
}

static op2_status run_now(struct batch *batch, struct op2i_node *node) {
  op2_context ctx = batch->sched->ctx;
  op2i_sched_starts(batch->sched);
  for (int r = 0; r < op2i_node_loop(node)->nranges; r++) {
    struct op2i_step step = step_of(node, r, batch->variant);
    op2_status status = ctx->backend->run_step(ctx->backend_state, &step);
    op2i_step_end(&step);
    if (status) return status;
    op2i_step_account(&step);
  }
  return OP2_SUCCESS;
}

static op2_status add_steps(struct batch *batch, struct op2i_node *node) {
  for (int r = 0; r < op2i_node_loop(node)->nranges; r++) {
    if (op2i_grow(&batch->steps, sizeof *batch->steps, batch->nsteps, &batch->steps_capacity))
      return op2i_error_nomem("a program");
    batch->steps[batch->nsteps++] = step_of(node, r, batch->variant);
  }
  return OP2_SUCCESS;
}

/* One node: cancelled, failed, run, or put into the program. What goes wrong with it is on record
 * afterwards. */
static op2_status process(struct batch *batch, struct op2i_node *node) {
  struct op2i_sched *sched = batch->sched;
  struct op2i_failure *poison = op2i_poison_read(node);
  if (poison) {
    cancel_node(sched, node, poison);
    return OP2_SUCCESS;
  }
  if (op2i_no_code(op2i_node_loop(node))) {
    const struct op2i_loop_data *data = op2i_node_loop(node)->sched_data;
    return fail_node(sched, node, data->no_code_status, data->no_code);
  }
  op2_status status = op2i_loop_prepare(sched, op2i_node_loop(node));
  if (!status)
    status = sched->ctx->backend->run_step ? run_now(batch, node) : add_steps(batch, node);
  if (status == OP2_ERR_FATAL) return status;
  if (status) return fail_node(sched, node, status, op2_error_message());
  settle_node(sched, node);
  return OP2_SUCCESS;
}

static op2_status run_steps(struct batch *batch) {
  op2_context ctx = batch->sched->ctx;
  struct op2i_task_list *tasks = NULL;
  if (!batch->nsteps) return OP2_SUCCESS;
  op2_status status =
      ctx->backend->run_program(ctx->backend_state, batch->steps, batch->nsteps, &tasks);
  op2i_task_list_free(&tasks);
  for (int64_t s = 0; s < batch->nsteps; s++) op2i_step_end(&batch->steps[s]);
  if (status)
    return op2i_error(OP2_ERR_FATAL, "the program could not be run: %s", op2_error_message());
  for (int64_t s = 0; s < batch->nsteps; s++) op2i_step_account(&batch->steps[s]);
  return OP2_SUCCESS;
}

/* Behind the last node that programs have run: without memory for the rest, the queue goes on from
 * there another time. */
static int64_t behind_done(const struct op2i_sched *sched, struct part part) {
  while (part.end > part.first && sched->nodes[part.end - 1].state != OP2I_DONE) part.end--;
  return part.end;
}

/* In the order of the queue, so that poison spreads and is cured as it would be without programs:
 * what they have run is settled, and what is left is each by itself, so that each has its own
 * failure. */
static op2_status finish(struct op2i_sched *sched, struct part part) {
  struct batch batch = {.sched = sched, .part = part, .variant = sched->ctx->backend->variant};
  batch.compile = (struct op2i_compile){.sched = sched, .variant = batch.variant};
  op2_status status = OP2_SUCCESS, uncompiled = compile(&batch);
  int64_t end = uncompiled ? behind_done(sched, part) : part.end;
  for (int64_t i = part.first; i < end && !status; i++) {
    if (waiting(&sched->nodes[i]))
      status = process(&batch, &sched->nodes[i]);
    else if (sched->nodes[i].state == OP2I_DONE)
      settle_node(sched, &sched->nodes[i]);
  }
  if (!status && !uncompiled) status = run_steps(&batch);
  free_batch(&batch);
  return status ? status : uncompiled;
}

/* ---- as programs ----------------------------------------------------------------------------- */

static op2_status list_fit(struct op2i_sched *sched, struct part part, int64_t *n) {
  *n = 0;
  for (int64_t i = part.first; i < part.end; i++) {
    if (!waiting(&sched->nodes[i]) || sched->nodes[i].unfit) continue;
    if (op2i_grow(&sched->marked, sizeof(struct op2i_node *), *n, &sched->marked_capacity))
      return op2i_error_nomem("a program");
    sched->marked[(*n)++] = &sched->nodes[i];
  }
  return OP2_SUCCESS;
}

/* Loops that had no code in an earlier force are tried alone, before others are fused with them. */
static op2_status compile_doubtful(struct op2i_sched *sched, struct part part) {
  struct op2i_compile compile = {.sched = sched, .variant = sched->ctx->backend->variant};
  op2_status status = OP2_SUCCESS;
  if (!sched->doubtful) return status;
  for (int64_t i = part.first; i < part.end && !status; i++) {
    const struct op2i_loop_data *data = op2i_node_loop(&sched->nodes[i])->sched_data;
    if (waiting(&sched->nodes[i]) && data && data->doubtful)
      status = op2i_compile_add(&compile, op2i_node_loop(&sched->nodes[i]));
  }
  if (!status) status = op2i_compile_run(&compile);
  op2i_compile_end(&compile);
  sched->doubtful = false;
  for (const struct op2i_loop *loop = sched->ctx->loops->first; loop; loop = loop->next) {
    const struct op2i_loop_data *data = loop->sched_data;
    sched->doubtful |= data && data->doubtful;
  }
  return status;
}

static bool follows_unfit(struct op2i_sched *sched, const struct op2i_node *node) {
  for (int32_t e = 0; e < node->nedges; e++) {
    const struct op2i_node *from = op2i_graph_find(sched, sched->edges[node->first_edge + e].from);
    if (from && from->unfit) return true;
  }
  return false;
}

/* Where the sequence has to be cut: a node may depend on earlier ones by way of one that is left
 * out, and passes would not see that. */
static int64_t stretch(struct op2i_sched *sched, int64_t first, int64_t n, int64_t nunfit) {
  int64_t end = first + 1;
  while (end < n && !(nunfit && follows_unfit(sched, sched->marked[end]))) end++;
  return end;
}

static op2_status run_segment(struct op2i_sched *sched, struct op2i_node *const *nodes, int64_t n) {
  struct op2i_program *program;
  op2_status status = op2i_program_get(sched, nodes, n, &program);
  if (!status) status = op2i_program_run(sched, program, nodes);
  for (int64_t i = 0; i < n && !status; i++) nodes[i]->state = OP2I_DONE;
  return status;
}

static op2_status run_stretches(struct op2i_sched *sched, int64_t n, int64_t nunfit) {
  op2_status status = nunfit ? op2i_graph_join(sched) : OP2_SUCCESS;
  for (int64_t done = 0; done < n && !status;) {
    int64_t end = stretch(sched, done, n, nunfit);
    for (int64_t length = 0; done < end && !status; done += length) {
      length = op2i_segment_length(sched->marked + done, end - done, length);
      status = run_segment(sched, sched->marked + done, length);
    }
  }
  return status;
}

/* All that can run. When loops turn out to have no code, the others try again without them. What
 * other errors leave behind runs one by one. */
static op2_status run_programs(struct op2i_sched *sched, struct part part) {
  op2_status status = compile_doubtful(sched, part);
  bool again = !status;
  while (again) {
    int64_t n, nunfit = op2i_find_unfit(sched, part.first, part.end), known = sched->no_codes;
    status = list_fit(sched, part, &n);
    if (!status) status = run_stretches(sched, n, nunfit);
    again = status == OP2_ERR_UNAVAILABLE && sched->no_codes > known;
  }
  return status == OP2_ERR_FATAL ? status : OP2_SUCCESS;
}

/* ---- in order -------------------------------------------------------------------------------- */

static op2_status run_loops(struct op2i_sched *sched, struct part part) {
  op2_status status = sched->ctx->backend->passes ? run_programs(sched, part) : OP2_SUCCESS;
  return status ? status : finish(sched, part);
}

/* Whatever comes before the call has run, failed or been cancelled, and is settled. */
static op2_status run_call(struct op2i_sched *sched, struct op2i_node *node) {
  struct op2i_failure *poison = op2i_poison_read(node);
  if (poison) {
    cancel_node(sched, node, poison);
    return OP2_SUCCESS;
  }
  op2_status status = op2i_user_call_run(op2i_op_call(node->op), node->gbl, node->payload);
  if (status) return fail_node(sched, node, status, op2_error_message());
  settle_node(sched, node);
  return OP2_SUCCESS;
}

op2_status op2i_execute_marked(struct op2i_sched *sched) {
  op2_status status = OP2_SUCCESS;
  for (struct part part = {0, 0}; part.first < sched->nnodes && !status; part.first = part.end) {
    while (part.end < sched->nnodes && op2i_node_loop(&sched->nodes[part.end])) part.end++;
    if (part.end > part.first) status = run_loops(sched, part);
    if (status || part.end == sched->nnodes) break;
    struct op2i_node *node = &sched->nodes[part.end++];
    if (waiting(node)) status = run_call(sched, node);
  }
  op2i_compile_forget(sched);
  op2i_jit_resume(sched->ctx);
  if (status == OP2_ERR_FATAL) sched->ctx->fatal = true;
  return status;
}
