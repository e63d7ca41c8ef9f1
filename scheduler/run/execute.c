/* SPDX-License-Identifier: BSD-3-Clause */
/* Execution of marked nodes. The queue runs as programs. Where that is not possible each node runs
 * as a program of its own: around nodes that cannot run, and where a program of several could not
 * be made or has stopped early. Before a node runs, its inputs are checked: poison cancels it. */
#include <stdio.h>

#include "comm.h"
#include "compile.h"
#include "error.h"
#include "jit.h"
#include "mem.h"
#include "outcome.h"
#include "period.h"
#include "place.h"
#include "program.h"
#include "program_keep.h"
#include "settle.h"

/* The nodes to be run, in the order of the queue. */
struct part {
  struct op2i_sched *sched;
  struct op2i_node **nodes;
  int64_t n;
};

/* ---- running nodes one by one ---------------------------------------------------------------- */

/* Run one node. Without memory to prepare it the node stays queued, and the force ends. */
static op2_status run_one(struct op2i_sched *sched, struct op2i_node *node) {
  struct op2i_failure *poison = op2i_poison_read(node);
  struct op2i_program *program;
  int64_t done;
  if (poison) {
    op2i_node_cancel(sched, node, poison);
    return OP2_SUCCESS;
  }
  op2_status status = op2i_program_get(sched, &node, 1, &program);
  if (status == OP2_ERR_NOMEM) return status;
  if (!status) {
    status = op2i_program_run(sched, program, &node, &done);
    op2i_program_put(sched, program);
  }
  if (status == OP2_ERR_FATAL) return status;
  if (status) return op2i_node_fail(sched, node, status, op2_error_message());
  op2i_node_done(sched, node);
  return OP2_SUCCESS;
}

/* The code of many loops is compiled faster together. A loop without code reports that when it is
 * to run. All ranks lack code for the same loops, and a loop that has its code takes no memory
 * here: where none lacks it, no rank fails, and the ranks need not agree on anything. */
static op2_status compile_form(const struct part *part, enum op2i_variant wish) {
  struct op2i_compile compile = {.sched = part->sched, .wish = wish};
  op2_status status = OP2_SUCCESS;
  for (int64_t i = 0; i < part->n && !status; i++) {
    struct op2i_loop *loop = op2i_node_loop(part->nodes[i]);
    if (loop && op2i_loop_wants(loop, wish) && part->nodes[i]->state == OP2I_QUEUED &&
        !op2i_poison_read(part->nodes[i]))
      status = op2i_compile_add(&compile, loop);
  }
  if (status || compile.ncodes) status = op2i_context_agree(part->sched->ctx, status);
  if (!status) status = op2i_compile_run(&compile);
  op2i_compile_end(&compile);
  return status;
}

static op2_status compile_all(const struct part *part) {
  enum op2i_variant variants[OP2I_COMPILED];
  int n = op2i_compiled(part->sched->ctx, variants);
  op2_status status = OP2_SUCCESS;
  if (part->sched->ctx->backend->idle) return OP2_SUCCESS;
  for (int v = 0; v < n && !status; v++) status = compile_form(part, variants[v]);
  return status;
}

/* Among ranks: run the nodes that have not run yet, one by one. The outcome of those that have run
 * is decided only when it is needed: before a call, where there is poison, and at the end. *ran is
 * the first node whose outcome is not decided. */
static op2_status settle_until(const struct part *part, int64_t *ran, int64_t end) {
  op2_status status = op2i_pending_combine(part->sched, *ran, end);
  if (!status && *ran < end) status = op2i_outcomes_settle(part->sched, part->nodes, *ran, end);
  *ran = end;
  return status;
}

static op2_status run_next_singly(const struct part *part, int64_t *ran, int64_t i) {
  struct op2i_sched *sched = part->sched;
  struct op2i_node *node = part->nodes[i];
  struct op2i_program *program;
  int64_t done;
  op2_status status = OP2_SUCCESS;
  if (node->op->kind->in_order || sched->ctx->records->npoisoned)
    status = settle_until(part, ran, i);
  struct op2i_failure *poison = status ? NULL : op2i_poison_read(node);
  if (poison) op2i_node_cancel(sched, node, poison);
  if (status || poison) return status;
  status = op2i_program_get(sched, &node, 1, &program);
  if (status) {
    char what[OP2I_WORDS];
    op2_status code = status;
    snprintf(what, sizeof what, "%s", op2_error_message());
    status = settle_until(part, ran, i);
    if (status) return status;
    if (code == OP2_ERR_NOMEM || code == OP2_ERR_FATAL) return op2i_error(code, "%s", what);
    return op2i_node_fail(sched, node, code, what);
  }
  sched->outcomes.first = i;
  status = op2i_pending_combine_for(sched, node);
  sched->outcomes.gathers = true;
  if (!status) status = op2i_program_run(sched, program, &node, &done);
  sched->outcomes.gathers = false;
  op2i_program_put(sched, program);
  sched->outcomes.list[i].ran = !sched->outcomes.list[i].settled;
  return status;
}

static op2_status run_singly_together(const struct part *part) {
  op2_status status = OP2_SUCCESS;
  int64_t ran = 0;
  op2i_outcomes_begin(part->sched, part->n);
  part->sched->outcomes.nodes = part->nodes;
  part->sched->outcomes.nnodes = part->n;
  for (int64_t i = 0; i < part->n && !status; i++)
    if (part->nodes[i]->state == OP2I_QUEUED) status = run_next_singly(part, &ran, i);
  if (!status) status = settle_until(part, &ran, part->n);
  op2i_pending_drop(part->sched);
  return status;
}

/* Run the nodes that have not run yet, one by one. */
static op2_status run_singly(const struct part *part) {
  op2_status status = compile_all(part);
  if (!status && part->sched->ctx->comm) return run_singly_together(part);
  for (int64_t i = 0; i < part->n && !status; i++)
    if (part->nodes[i]->state == OP2I_QUEUED) status = run_one(part->sched, part->nodes[i]);
  return status;
}

/* ---- running nodes as one program ------------------------------------------------------------ */

/* The number of nodes from the first on that can run together now: they read no poison, and none is
 * a loop that had no code. */
static int64_t count_fit(const struct part *part) {
  for (int64_t i = 0; i < part->n; i++) {
    const struct op2i_loop *loop = op2i_node_loop(part->nodes[i]);
    if ((loop && op2i_no_code(loop)) || op2i_poison_read(part->nodes[i])) return i;
  }
  return part->n;
}

static op2_status settle_groups(const struct part *part, const struct op2i_grouping *grouping,
                                int64_t done, op2_status failed) {
  op2_status status = OP2_SUCCESS;
  int64_t end = done < grouping->ngroups ? grouping->groups[done].first : grouping->n;
  for (int64_t i = 0; i < end; i++) part->nodes[grouping->nodes[i]]->state = OP2I_DONE;
  /* in the order of the queue, so that poison is removed as if they had run one by one */
  for (int64_t i = 0; i < part->n; i++)
    if (part->nodes[i]->state == OP2I_DONE) op2i_node_done(part->sched, part->nodes[i]);
  for (int32_t m = 0; failed && m < grouping->groups[done].count && !status; m++)
    status = op2i_node_fail(part->sched, part->nodes[grouping->nodes[end + m]], failed,
                            op2_error_message());
  return status;
}

/* A node that has failed on one rank has failed on all. */
static op2_status run_among_ranks(const struct part *part, struct op2i_program *program) {
  int64_t done;
  op2i_outcomes_begin(part->sched, part->n);
  part->sched->outcomes.settles = true;
  op2_status status = op2i_program_run(part->sched, program, part->nodes, &done);
  part->sched->outcomes.settles = false;
  if (status) return status;
  for (int64_t i = 0; i < part->n; i++)
    part->sched->outcomes.list[i].ran = !part->sched->outcomes.list[i].settled;
  return op2i_outcomes_settle(part->sched, part->nodes, 0, part->n);
}

/* *whole: true if all of its groups have run. */
static op2_status run_alone(const struct part *part, struct op2i_program *program, bool *whole) {
  int64_t done;
  op2_status status = op2i_program_run(part->sched, program, part->nodes, &done);
  *whole = !status;
  if (status == OP2_ERR_FATAL) return status;
  return settle_groups(part, &program->grouping, done, status);
}

/* Run all nodes as one program. If it cannot be made and the loop without code is known by now,
 * nothing is run; the caller runs the nodes around that one. */
static op2_status run_together(const struct part *part) {
  struct op2i_sched *sched = part->sched;
  struct op2i_program *program;
  int64_t no_codes = sched->stats.no_codes;
  bool whole = true;
  op2_status status = op2i_program_get(sched, part->nodes, part->n, &program);
  if (status == OP2_ERR_FATAL) return status;
  if (status) return sched->stats.no_codes > no_codes ? OP2_SUCCESS : run_singly(part);
  status = sched->ctx->comm ? run_among_ranks(part, program) : run_alone(part, program, &whole);
  op2i_program_put(sched, program);
  return status || whole ? status : run_singly(part);
}

/* ---- running all marked nodes ---------------------------------------------------------------- */

/* Run the next program from node `at` on; or its first node alone, if that cannot run. *through is
 * the number of nodes that are finished; 0 if it turned out that one of them has no code. */
static op2_status run_next(const struct part *all, int64_t at, int64_t before, int64_t *through) {
  struct part part = {all->sched, all->nodes + at, all->n - at};
  part.n = op2i_segment_length(part.nodes, part.n, before);
  part.n = count_fit(&part);
  if (part.n == 0) {
    *through = 1;
    return run_one(part.sched, part.nodes[0]);
  }
  op2_status status = run_together(&part);
  *through = part.nodes[0]->state == OP2I_QUEUED ? 0 : part.n;
  return status;
}

static op2_status run_part(const struct part *all) {
  op2_status status = OP2_SUCCESS;
  int64_t through = 0;
  if (!all->sched->ctx->backend->passes) return run_singly(all);
  for (int64_t at = 0; at < all->n && !status; at += through)
    status = run_next(all, at, through, &through);
  return status;
}

static op2_status list_marked(struct op2i_sched *sched, struct part *part) {
  *part = (struct part){.sched = sched};
  if (op2i_reserve(&sched->queue.marked, sizeof(struct op2i_node *), sched->queue.nnodes,
                   &sched->queue.marked_capacity))
    return op2i_error_nomem("a program");
  for (int64_t i = 0; i < sched->queue.nnodes; i++)
    if (sched->queue.nodes[i].marked) sched->queue.marked[part->n++] = &sched->queue.nodes[i];
  part->nodes = sched->queue.marked;
  return OP2_SUCCESS;
}

op2_status op2i_execute_marked(struct op2i_sched *sched) {
  struct part part;
  op2_status status = list_marked(sched, &part);
  if (!status) status = run_part(&part);
  op2i_jit_resume(sched->ctx);
  if (status == OP2_ERR_FATAL) sched->ctx->fatal = true;
  return sched->ctx->fatal ? op2i_context_abort_ranks(sched->ctx, status) : status;
}
