/* SPDX-License-Identifier: BSD-3-Clause */
/* Running a program: its steps are bound to the values of the nodes and run one after the other, or
 * together where the backend takes many. */
#include "compile.h"
#include "finite.h"
#include "halos.h"
#include "outcome.h"
#include "program.h"
#include "program_make.h"
#include "step_bind.h"

#include <string.h>

#include "call.h"
#include "clock.h"
#include "device_probe.h"
#include "error.h"
#include "log.h"
#include "loop_device.h"
#include "place.h"
#include "progress.h"
#include "section.h"
#include "section_time.h"
#include "tasks.h"
#include "tools.h"
#include "trace_steps.h"

/* Collect the values of a fused group's members where its code expects them. */
static void collect(const struct op2i_group *group, const int32_t *members,
                    struct op2i_node *const *nodes, unsigned char *payload,
                    struct op2i_version **globals) {
  const struct op2i_loop *loop = group->loop;
  for (int m = 0; m < group->count; m++) {
    const struct op2i_node *node = nodes[members[m]];
    memcpy(payload, node->payload, (size_t)node->op->payload_bytes);
    payload += (node->op->payload_bytes + 15) / 16 * 16;
    for (int a = 0; a < op2i_node_loop(node)->nargs; a++)
      if (op2i_node_loop(node)->args[a].gbl >= 0)
        globals[loop->args[loop->fused.members[m].first_arg + a].gbl] =
            node->versions[op2i_node_loop(node)->args[a].gbl];
  }
}

static void bind_step(struct op2i_step *step, const struct op2i_node *first,
                      const unsigned char *payload, struct op2i_version **versions) {
  step->number = first->number;
  step->file = first->where.file;
  step->line = first->where.line;
  step->values.versions = versions;
  step->call.payload = payload;
  step->time.nanoseconds = 0;
  step->time.seconds = step->time.elapsed = 0;
}

static void bind(struct op2i_program *program, struct op2i_node *const *nodes) {
  unsigned char *payload = program->payload;
  struct op2i_version **globals = program->globals;
  for (int64_t g = 0, s = 0; g < program->grouping.ngroups; g++) {
    const struct op2i_group *group = &program->grouping.groups[g];
    const int32_t *members = program->grouping.nodes + group->first;
    const struct op2i_node *first = nodes[members[0]];
    bool fused = group->count > 1;
    if (fused) collect(group, members, nodes, payload, globals);
    for (; s < program->nsteps && program->step_group[s] == g; s++)
      bind_step(&program->steps[s], first, fused ? payload : first->payload,
                fused ? globals : first->versions);
    payload += fused ? op2i_payload_room(group) : 0;
    globals += fused ? group->loop->op.ngbls : 0;
  }
}

/* Note for the drawing of the graph which loop each node was fused with. */
static void name_group(const struct op2i_program *program, int64_t g,
                       struct op2i_node *const *nodes) {
  const struct op2i_group *group = &program->grouping.groups[g];
  const int32_t *members = program->grouping.nodes + group->first;
  for (int32_t m = 0; m < group->count; m++)
    nodes[members[m]]->fused = group->count > 1 ? nodes[members[0]]->number : 0;
}

/* True if the step can run together with others. A task backend computes during halo exchanges, if
 * overlap is enabled and rows need not come from a device; and while reductions travel, of which it
 * has those of a device, too. A large convoy is combined as a whole. */
static bool joins(const struct op2i_sched *sched, const struct op2i_step *step) {
  if (sched->ctx->backend->run_loops) return step->kind == OP2I_STEP_LOOP;
  if (!sched->ctx->backend->run_steps) return false;
  if (step->kind == OP2I_STEP_LOOP) return true;
  if (step->kind == OP2I_STEP_CALL || !sched->ctx->config.overlap) return false;
  if (step->convoy) return op2i_convoy_small(step->convoy) && !sched->outcomes.gathers;
  return !sched->ctx->device;
}

/* The number of steps from s on that one call of the backend, or of the operation's function, runs.
 * Convoys that the program ends with are left to the scheduler. Tools see each step by itself. */
static int64_t together(struct op2i_sched *sched, const struct op2i_program *program, int64_t s) {
  const bool several = s < program->convoys.last && !sched->ctx->tools && !sched->ctx->config.nan;
  const int64_t most = several ? program->convoys.last : s + 1;
  int64_t end = s;
  while (end < most && joins(sched, &program->steps[end])) end++;
  return end > s ? op2i_steps_together(sched, &program->steps[s], end - s) : 1;
}

/* Compile the code for the device that was deferred until a loop is due for a probe there. A loop
 * that fails stays on the host. */
static void have_code(struct op2i_sched *sched, const struct op2i_step *steps, int64_t n) {
  struct op2i_loop *loop;
  while (sched->ctx->device && (loop = op2i_probe_next_to_compile(sched, steps, n))) {
    struct op2i_compile compile = {
        .sched = sched, .wish = op2i_device_variant(sched->ctx->device->kind), .optional = true};
    double begin = op2i_seconds();
    if (!op2i_compile_add(&compile, loop)) (void)op2i_compile_run(&compile);
    op2i_compile_end(&compile);
    op2i_probe_has_code(sched, loop, op2i_seconds() - begin);
  }
}

/* Run loops by one call of a direct backend. When memory is too short for that, only the first one
 * runs: *n is the number of those that were run, or that failed. */
static op2_status run_loops(struct op2i_sched *sched, const struct op2i_program *program,
                            struct op2i_step *steps, int64_t *n) {
  op2_context ctx = sched->ctx;
  op2_status status = op2i_steps_bind(ctx, program, steps, *n);
  op2i_sched_starts(sched);
  if (!status) status = ctx->backend->run_loops(ctx->backend_state, steps, *n);
  if (!status || *n == 1) return status;
  *n = 1;
  status = op2i_steps_bind(ctx, program, steps, 1);
  steps->bundle->epoch = 0; /* the others of the bundle may not have their values */
  return status ? status : ctx->backend->run_loops(ctx->backend_state, steps, 1);
}

static op2_status run_steps(struct op2i_sched *sched, const struct op2i_program *program,
                            struct op2i_step *steps, int64_t n) {
  op2_context ctx = sched->ctx;
  have_code(sched, steps, n);
  op2i_steps_place(sched, steps, n);
  op2_status status = op2i_steps_bind(ctx, program, steps, n);
  if (status) return status;
  if (!ctx->backend->run_steps) {
    op2i_sched_starts(sched);
    return op2i_step_run(ctx, steps);
  }
  status = ctx->backend->run_steps(ctx->backend_state, steps, n);
  if (!status) return status;
  return op2i_error(OP2_ERR_FATAL, "the program could not be run: %s", op2_error_message());
}

/* Run an exchange while no loops run. */
static op2_status run_exchange(op2_context ctx, const struct op2i_program *program,
                               struct op2i_step *step) {
  op2_status bound = op2i_steps_bind(ctx, program, step, 1);
  op2_status status = op2i_exchange_step_run(step);
  return status ? status : bound;
}

/* Run a call; among ranks it is cancelled if something that it depends on has failed on any
 * of them. A joint one runs nevertheless, as loops do: nobody reads what it writes then. */
static op2_status run_call(struct op2i_sched *sched, const struct op2i_program *program, int64_t s,
                           struct op2i_node *const *nodes) {
  const struct op2i_grouping *grouping = &program->grouping;
  int64_t g = program->step_group[s];
  struct op2i_node *node = nodes[grouping->nodes[grouping->groups[g].first]];
  bool cancelled = false;
  op2_status status = OP2_SUCCESS;
  if (!node->op->kind->joint)
    status = op2i_outcomes_before_call(sched, nodes, grouping, g, &cancelled);
  if (status || cancelled) return status;
  sched->ctx->running = node->where;
  const int64_t begin = op2i_trace_begin(sched->ctx);
  const int32_t what = begin ? op2i_op_name(node->op) : 0;
  const int32_t open = op2i_section_open(sched->ctx);
  const double since = sched->ctx->config.graph_costs ? op2i_seconds() : 0;
  if (sched->ctx->sections) sched->ctx->sections->open = node->section; /* of what it queues */
  status = node->op->kind->run(node->op, node->versions, node->payload);
  if (sched->ctx->sections) sched->ctx->sections->open = open;
  if (since > 0) node->seconds = op2i_seconds() - since;
  op2i_trace_end(sched->ctx, begin, what, NULL, 0);
  return status;
}

/* Mark the halos as stale or fresh that steps make so which are about to run. */
static void make_stale(const struct op2i_program *program, int64_t s, int64_t n,
                       struct op2i_node *const *nodes) {
  for (int64_t k = s; k < s + n; k++) {
    const struct op2i_step *step = &program->steps[k];
    const struct op2i_group *group = &program->grouping.groups[program->step_group[k]];
    if (step->kind == OP2I_STEP_LOOP) op2i_op_makes_stale(&step->loop->op);
    if (step->kind == OP2I_STEP_END) op2i_exchange_freshens(step->exchange);
    if (step->kind == OP2I_STEP_CALL)
      op2i_op_makes_stale(nodes[program->grouping.nodes[group->first]]->op);
  }
}

/* Note a failed step. Any group after an exchange may need the rows that were not received. */
static op2_status note_failure(struct op2i_sched *sched, const struct op2i_program *program,
                               int64_t s, op2_status status) {
  const struct op2i_step *step = &program->steps[s];
  int64_t g = program->step_group[s], end = g + 1;
  if (step->exchange) end = program->grouping.ngroups;
  if (step->convoy) g = step->convoy->reductions->group, end = g + 1;
  for (; g < end && status != OP2_ERR_FATAL; g++)
    status = op2i_outcome_note(sched, &program->grouping, g, status);
  return status == OP2_ERR_FATAL ? status : OP2_SUCCESS;
}

/* Before reductions are sent: a group that has failed has no results. */
static void find_lost(const struct op2i_sched *sched, const struct op2i_program *program, int64_t s,
                      int64_t n) {
  for (int64_t k = s; k < s + n; k++) {
    const struct op2i_convoy *convoy = program->steps[k].convoy;
    for (int i = 0; convoy && i < convoy->n; i++)
      convoy->reductions[i].lost =
          op2i_outcome_failed(sched, &program->grouping, convoy->reductions[i].group);
  }
}

/* Note reductions for which this rank had no memory. */
static op2_status note_unsent(struct op2i_sched *sched, const struct op2i_program *program,
                              int64_t s, int64_t n) {
  op2_status status = OP2_SUCCESS;
  for (int64_t k = s; k < s + n; k++) {
    const struct op2i_convoy *convoy = program->steps[k].convoy;
    for (int i = 0; convoy && i < convoy->n && !status; i++) {
      const struct op2i_reduction *r = &convoy->reductions[i];
      if (r->status) status = op2i_outcome_note(sched, &program->grouping, r->group, r->status);
      if (status != OP2_ERR_FATAL) status = OP2_SUCCESS;
    }
  }
  return status;
}

/* Begin or end a convoy while no loops run. */
static op2_status run_convoy(struct op2i_sched *sched, struct op2i_program *program, int64_t s) {
  struct op2i_convoy *convoy = program->steps[s].convoy;
  const bool sends = program->steps[s].kind == OP2I_STEP_SEND, small = op2i_convoy_small(convoy);
  if (sends || !small) find_lost(sched, program, s, 1);
  op2_status status = !small  ? op2i_convoy_combine(convoy)
                      : sends ? op2i_convoy_begin(convoy)
                              : op2i_convoy_end(convoy);
  if (!status && (sends || !small)) status = note_unsent(sched, program, s, 1);
  return status;
}

/* In a program of one operation, reductions may wait for those of the operations behind it. */
static op2_status run_reduction(struct op2i_sched *sched, struct op2i_program *program, int64_t s,
                                struct op2i_node *const *nodes) {
  const struct op2i_step *step = &program->steps[s];
  const bool first = step->kind == OP2I_STEP_SEND || !op2i_convoy_small(step->convoy);
  if (!sched->outcomes.gathers) return run_convoy(sched, program, s);
  return first ? op2i_pending_add(sched, program, step->convoy->reductions, nodes[0]) : OP2_SUCCESS;
}

static op2_status run_together(struct op2i_sched *sched, struct op2i_program *program, int64_t s,
                               int64_t n) {
  if (program->convoys.n) find_lost(sched, program, s, n);
  op2_status status = run_steps(sched, program, &program->steps[s], n);
  if (!status && program->convoys.n) status = note_unsent(sched, program, s, n);
  return status;
}

static op2_status run_some(struct op2i_sched *sched, struct op2i_program *program, int64_t s,
                           int64_t *n, struct op2i_node *const *nodes) {
  struct op2i_step *steps = &program->steps[s];
  if (joins(sched, steps) && sched->ctx->backend->run_loops)
    return run_loops(sched, program, steps, n);
  if (*n > 1 || (joins(sched, steps) && s < program->convoys.last))
    return run_together(sched, program, s, *n);
  switch (steps->kind) {
  case OP2I_STEP_LOOP: return run_steps(sched, program, steps, *n);
  case OP2I_STEP_CALL: return run_call(sched, program, s, nodes);
  case OP2I_STEP_SEND:
  case OP2I_STEP_REDUCE: return run_reduction(sched, program, s, nodes);
  default: return run_exchange(sched->ctx, program, steps);
  }
}

/* Run a loop and search for NaN in what it has computed. */
static op2_status run_searched(struct op2i_sched *sched, struct op2i_program *program, int64_t s,
                               int64_t *n, struct op2i_node *const *nodes) {
  struct op2i_finite before = {0};
  struct op2i_step *step = &program->steps[s];
  op2_status status = op2i_finite_begin(step, &before);
  if (!status) status = run_some(sched, program, s, n, nodes);
  if (!status) status = op2i_finite_judge(step, &before);
  op2i_finite_end(&before);
  return status;
}

static op2_status run_part(struct op2i_sched *sched, struct op2i_program *program, int64_t s,
                           int64_t *n, struct op2i_node *const *nodes) {
  return sched->ctx->config.nan && program->steps[s].loop
             ? run_searched(sched, program, s, n, nodes)
             : run_some(sched, program, s, n, nodes);
}

/* When memory is too short to run steps together, each is run by itself, since other ranks
 * run all of them. */
static op2_status run_apart(struct op2i_sched *sched, struct op2i_program *program, int64_t s,
                            int64_t n) {
  op2_status status = OP2_SUCCESS;
  for (int64_t k = s; k < s + n && !status; k++) {
    struct op2i_step *step = &program->steps[k];
    status = step->loop     ? run_steps(sched, program, step, 1)
             : step->convoy ? run_convoy(sched, program, k)
                            : run_exchange(sched->ctx, program, step);
    if (status) status = note_failure(sched, program, k, status);
  }
  return status;
}

/* Among ranks a group that fails on one rank does not keep the rank from running the others. */
static op2_status go_on(struct op2i_sched *sched, struct op2i_program *program, int64_t s,
                        int64_t n, op2_status status) {
  if (!program->stale || status == OP2_ERR_FATAL) return status;
  if (joins(sched, &program->steps[s]) && sched->ctx->backend->run_steps)
    return run_apart(sched, program, s, n);
  return note_failure(sched, program, s, status);
}

/* After a failure nothing that is in flight arrives any more. */
static void forget_messages(struct op2i_sched *sched, struct op2i_program *program) {
  for (int64_t b = 0; b < program->convoys.n; b++)
    op2i_allreduce_forget(&program->convoys.list[b].travel);
  op2i_allreduce_forget(&sched->outcomes.agreement.travel);
  sched->outcomes.agreement.begun = false;
}

/* Tools get a beginning and an end of each loop. */
static op2_status run_with_tools(struct op2i_sched *sched, struct op2i_program *program, int64_t s,
                                 int64_t *n, struct op2i_node *const *nodes) {
  const struct op2i_loop *loop = program->steps[s].loop;
  const enum op2i_tools_kind kind =
      loop && loop->partial_bytes ? OP2I_TOOLS_REDUCE : OP2I_TOOLS_FOR;
  struct op2i_tools_ids ids;
  if (loop) op2i_tools_begin(kind, op2i_loop_name(loop), &ids);
  op2_status status = run_part(sched, program, s, n, nodes);
  if (loop) op2i_tools_end(kind, &ids);
  return status;
}

/* Run a part and show it to tools and in the timeline. */
static op2_status run_seen(struct op2i_sched *sched, struct op2i_program *program, int64_t s,
                           int64_t *n, struct op2i_node *const *nodes) {
  op2_context ctx = sched->ctx;
  const int64_t begin = op2i_trace_begin(ctx);
  op2_status status = ctx->tools ? run_with_tools(sched, program, s, n, nodes)
                                 : run_part(sched, program, s, n, nodes);
  if (begin) op2i_steps_trace(ctx, &program->steps[s], *n, begin);
  return status;
}

static void account(struct op2i_sched *sched, const struct op2i_program *program, int64_t s,
                    int64_t n, struct op2i_node *const *nodes) {
  for (int64_t k = s; k < s + n; k++) {
    if (!program->steps[k].loop) continue;
    const double seconds = op2i_step_account(&program->steps[k]);
    if (sched->ctx->sections || sched->ctx->config.graph_costs)
      op2i_nodes_account(program, k, nodes, seconds);
  }
}

/* True if launches of the program are collected into graphs. Its first runs are measured loop by
 * loop, and one in MEASURED later on. */
static bool makes_graphs(const struct op2i_sched *sched, const struct op2i_program *program) {
  enum { FIRST = 2, MEASURED = 512 };
  const op2_context ctx = sched->ctx;
  return ctx->device && ctx->device->kind->submit && !ctx->device->no_graphs &&
         ctx->config.device_graphs && !ctx->backend->run_steps && !ctx->tools && !ctx->config.nan &&
         program->runs >= FIRST && program->runs % MEASURED != 0;
}

/* Before a step: launches of successive loops are collected. Other steps run functions of programs,
 * or other programs, or wait for other ranks; what comes before these is handed over first. */
static op2_status collect_launches(struct op2i_sched *sched, struct op2i_program *program,
                                   int64_t s, bool *anew) {
  struct op2i_device *device = sched->ctx->device;
  const struct op2i_step *step = &program->steps[s];
  if (step->kind != OP2I_STEP_LOOP || step->where.place != OP2I_DEVICE)
    return op2i_device_collected(device);
  if (!device->collecting) op2i_device_collect(device, &program->kept.graphs, *anew);
  *anew = false;
  return OP2_SUCCESS;
}

/* Whatever became of the program, hand over what was collected. */
static op2_status end_collection(struct op2i_sched *sched, op2_status status) {
  struct op2i_device *device = sched->ctx->device;
  struct op2i_error_kept kept;
  const char *refused = device->no_graphs;
  if (status) op2i_error_keep(&kept);
  op2_status over = op2i_device_collected(device);
  if (status && over != OP2_ERR_FATAL) over = status;
  if (status && over == status) op2i_error_restore(&kept);
  if (device->no_graphs != refused)
    op2i_log(sched->ctx, OP2I_LOG_WARN,
             "%s makes no graph of launches (%s failed); they are handed over one by one",
             device->limits.name, device->no_graphs);
  return over;
}

static op2_status run(struct op2i_sched *sched, struct op2i_program *program,
                      struct op2i_node *const *nodes, int64_t *done) {
  int64_t ngroups = program->grouping.ngroups, n;
  bool graphs = makes_graphs(sched, program), anew = true;
  *done = 0;
  bind(program, nodes);
  op2_status status = OP2_SUCCESS;
  for (int64_t s = 0; s < program->nsteps; s += n) {
    n = together(sched, program, s);
    if (s == program->convoys.last && sched->outcomes.settles)
      status = op2i_outcomes_agree_early(sched, 0, program->grouping.n);
    if (status) break;
    *done = program->step_group[s];
    if (program->stale) make_stale(program, s, n, nodes);
    if (graphs) status = collect_launches(sched, program, s, &anew);
    if (status) break;
    status = run_seen(sched, program, s, &n, nodes);
    if (status) status = go_on(sched, program, s, n, status);
    if (status) break;
    account(sched, program, s, n, nodes);
  }
  if (graphs) status = end_collection(sched, status);
  if (!status) *done = ngroups;
  if (status) forget_messages(sched, program);
  for (int64_t g = 0; g < *done; g++) name_group(program, g, nodes);
  if (sched->ctx->config.graph_file && !sched->outer)
    op2i_program_draw(sched, program, nodes, *done);
  program->runs += !status;
  return status;
}

op2_status op2i_program_run(struct op2i_sched *sched, struct op2i_program *program,
                            struct op2i_node *const *nodes, int64_t *done) {
  const int64_t begin = op2i_trace_begin(sched->ctx);
  if (begin) op2i_steps_name(sched->ctx, program->steps, program->nsteps);
  op2_status status = run(sched, program, nodes, done);
  op2i_trace_end(sched->ctx, begin, OP2I_WHAT_PROGRAM, "operations", program->grouping.n);
  if (sched->ctx->config.progress) op2i_progress_show(sched->ctx);
  return status;
}
