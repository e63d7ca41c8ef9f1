/* SPDX-License-Identifier: BSD-3-Clause */
/* From marked nodes to finished work: compile what is missing, cancel what would read poison, plan,
 * run, settle. */
#include <inttypes.h>

#include "error.h"
#include "log.h"
#include "loopdata.h"
#include "mem.h"
#include "text.h"

struct batch {
  struct op2i_sched *sched;
  enum op2i_variant variant;
  struct op2i_jit_unit *units;
  struct op2i_loop **loops; /* [nunits] */
  int64_t nunits;
  struct op2i_step *steps; /* of a task backend: the whole program */
  int64_t nsteps, steps_capacity;
};

/* ---- compiling ------------------------------------------------------------------------------- */

static op2_status add_unit(struct batch *batch, struct op2i_loop *loop, int64_t *units_capacity,
                           int64_t *loops_capacity) {
  struct op2i_loop_data *data;
  op2_status status = op2i_loop_data(loop, &data);
  if (status || data->unit >= 0 || loop->entry[batch->variant]) return status;
  const char *source;
  status = op2i_loop_source(loop, batch->variant, &source);
  if (status) return status;
  if (op2i_grow(&batch->units, sizeof *batch->units, batch->nunits, units_capacity) ||
      op2i_grow(&batch->loops, sizeof *batch->loops, batch->nunits, loops_capacity))
    return op2i_error_nomem("a compilation");
  batch->units[batch->nunits] =
      (struct op2i_jit_unit){.source = source,
                             .mergeable = loop->mergeable[batch->variant],
                             .includes = (const char *const *)loop->kernel->includes,
                             .label = loop->kernel->obj.name};
  batch->loops[batch->nunits] = loop;
  data->unit = batch->nunits++;
  return OP2_SUCCESS;
}

static op2_status compile(struct batch *batch) {
  struct op2i_sched *sched = batch->sched;
  int64_t units_capacity = 0, loops_capacity = 0;
  for (int64_t i = 0; i < sched->nnodes; i++) {
    if (!sched->nodes[i].marked) continue;
    op2_status status = add_unit(batch, sched->nodes[i].loop, &units_capacity, &loops_capacity);
    if (status) return status;
  }
  if (!batch->nunits) return OP2_SUCCESS;
  op2_status status = op2i_jit_get(sched->ctx, (int)batch->nunits, batch->units);
  if (status) return status;
  for (int64_t u = 0; u < batch->nunits; u++)
    if (!batch->units[u].status) batch->loops[u]->entry[batch->variant] = batch->units[u].entry;
  return OP2_SUCCESS;
}

static void free_batch(struct batch *batch) {
  for (int64_t u = 0; u < batch->nunits; u++) {
    ((struct op2i_loop_data *)batch->loops[u]->sched_data)->unit = -1;
    op2i_free(batch->units[u].message);
  }
  op2i_free(batch->units);
  op2i_free(batch->loops);
  op2i_free(batch->steps);
}

/* ---- failing --------------------------------------------------------------------------------- */

static void poison_results(struct op2i_node *node, struct op2i_failure *failure) {
  const struct op2i_loop *loop = node->loop;
  for (int32_t r = 0; r < loop->ndats + loop->ngbls; r++) {
    op2_access access = op2i_node_access(node, r);
    if (access != OP2_READ) op2i_resource_poison(op2i_node_resource(node, r, NULL), failure);
  }
}

static void watch(struct op2i_sched *sched, const struct op2i_node *node,
                  struct op2i_failure *failure, bool own) {
  if (sched->watched != node->number) return;
  sched->watched_failure = op2i_failure_ref(failure);
  sched->watched_own = own;
}

/* Put a failure of a loop on record; what it was to write is poisoned. */
static op2_status fail_node(struct op2i_sched *sched, struct op2i_node *node, op2_status code,
                            const char *what) {
  struct op2i_text text = {0};
  op2i_text_add(&text, "%s:%d: loop '%s' over '%s' (loop %" PRId64 "): %s", node->where.file,
                node->where.line, node->loop->kernel->obj.name, node->loop->set->obj.name,
                node->number, what);
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
  poison_results(node, failure);
  watch(sched, node, failure, true);
  op2i_failure_unref(failure);
  return OP2_SUCCESS;
}

/* The failure with the lowest loop number among those that poison what the node reads. */
static struct op2i_failure *poison_read(const struct op2i_node *node) {
  const struct op2i_loop *loop = node->loop;
  struct op2i_failure *lowest = NULL;
  for (int32_t r = 0; r < loop->ndats + loop->ngbls; r++) {
    op2_access access = op2i_node_access(node, r);
    struct op2i_failure *poison = op2i_node_resource(node, r, NULL)->poison;
    if (access != OP2_WRITE && poison && (!lowest || poison->loop_number < lowest->loop_number))
      lowest = poison;
  }
  return lowest;
}

static void cancel_node(struct op2i_sched *sched, struct op2i_node *node,
                        struct op2i_failure *failure) {
  op2i_failure_ref(failure);
  node->state = OP2I_CANCELLED;
  sched->loops_cancelled++;
  poison_results(node, failure);
  watch(sched, node, failure, false);
  op2i_failure_unref(failure);
}

/* A loop that overwrites a dat as a whole makes it good again. */
static void settle_node(struct op2i_sched *sched, struct op2i_node *node) {
  const struct op2i_loop *loop = node->loop;
  node->state = OP2I_DONE;
  sched->loops_run++;
  for (int d = 0; d < loop->ndats; d++)
    if (loop->dat_access[d] == OP2_WRITE) op2i_resource_poison(&loop->dats[d]->res, NULL);
}

/* ---- running --------------------------------------------------------------------------------- */

static struct op2i_step make_step(const struct op2i_node *node, int range,
                                  enum op2i_variant variant) {
  struct op2i_loop *loop = node->loop;
  const struct op2i_loop_data *data = loop->sched_data;
  return (struct op2i_step){.loop = loop,
                            .number = node->number,
                            .file = node->where.file,
                            .line = node->where.line,
                            .entry = loop->entry[variant],
                            .call = {.dat = data->dat,
                                     .map = data->map,
                                     .subset = loop->set->idx,
                                     .gbl = (const void *const *)node->gbl,
                                     .payload = node->payload},
                            .lo = loop->ranges[range].lo,
                            .hi = loop->ranges[range].hi,
                            .reduces = loop->ranges[range].reduces,
                            .range = range,
                            .plan = data->plans[range] ? data->plans[range]->plan : NULL,
                            .gbl = node->gbl};
}

static void account(struct op2i_loop *loop, const struct op2i_step *step) {
  struct op2i_loop_data *data = loop->sched_data;
  double elements = (double)(step->hi - step->lo);
  loop->profile_seconds += step->seconds;
  if (step->range == 0) loop->profile_calls++;
  loop->profile_elements += step->hi - step->lo;
  if (elements < 1 || step->seconds <= 0) return;
  double ns = 1e9 * step->seconds / elements;
  data->ns_per_element = data->ns_per_element > 0 ? 0.75 * data->ns_per_element + 0.25 * ns : ns;
}

static op2_status run_now(struct batch *batch, struct op2i_node *node) {
  op2_context ctx = batch->sched->ctx;
  for (int r = 0; r < node->loop->nranges; r++) {
    struct op2i_step step = make_step(node, r, batch->variant);
    op2_status status = ctx->backend->run_step(ctx->backend_state, &step);
    if (status) return status;
    account(node->loop, &step);
  }
  return OP2_SUCCESS;
}

static op2_status add_steps(struct batch *batch, struct op2i_node *node) {
  for (int r = 0; r < node->loop->nranges; r++) {
    if (op2i_grow(&batch->steps, sizeof *batch->steps, batch->nsteps, &batch->steps_capacity))
      return op2i_error_nomem("a program");
    batch->steps[batch->nsteps++] = make_step(node, r, batch->variant);
  }
  return OP2_SUCCESS;
}

/* One node: cancelled, failed, run, or put into the program. What goes wrong with it is on record
 * afterwards. */
static op2_status process(struct batch *batch, struct op2i_node *node) {
  struct op2i_sched *sched = batch->sched;
  struct op2i_failure *poison = poison_read(node);
  if (poison) {
    cancel_node(sched, node, poison);
    return OP2_SUCCESS;
  }
  const struct op2i_loop_data *data = node->loop->sched_data;
  if (!node->loop->entry[batch->variant])
    return fail_node(sched, node, batch->units[data->unit].status,
                     batch->units[data->unit].message);
  op2_status status = op2i_loop_prepare(sched, node->loop);
  if (!status)
    status = sched->ctx->backend->run_step ? run_now(batch, node) : add_steps(batch, node);
  if (status == OP2_ERR_FATAL) return status;
  if (status) return fail_node(sched, node, status, op2_error_message());
  settle_node(sched, node);
  return OP2_SUCCESS;
}

static op2_status run_program(struct batch *batch) {
  op2_context ctx = batch->sched->ctx;
  if (!batch->nsteps) return OP2_SUCCESS;
  op2_status status = ctx->backend->run_program(ctx->backend_state, batch->steps, batch->nsteps);
  if (status)
    return op2i_error(OP2_ERR_FATAL, "the program could not be run: %s", op2_error_message());
  for (int64_t s = 0; s < batch->nsteps; s++) account(batch->steps[s].loop, &batch->steps[s]);
  return OP2_SUCCESS;
}

op2_status op2i_execute_marked(struct op2i_sched *sched) {
  struct batch batch = {.sched = sched, .variant = sched->ctx->backend->variant};
  op2_status status = compile(&batch);
  for (int64_t i = 0; i < sched->nnodes && !status; i++)
    if (sched->nodes[i].marked) status = process(&batch, &sched->nodes[i]);
  if (!status) status = run_program(&batch);
  if (status == OP2_ERR_FATAL) sched->ctx->fatal = true;
  free_batch(&batch);
  return status;
}
