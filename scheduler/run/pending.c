/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions that ranks have yet to combine, of operations that run as programs of their own. A
 * program of many operations combines in convoys those whose results are needed at one point, and
 * begins a convoy when the last of its loops has run (program_steps.c). Programs of one operation
 * do the same here, as far as that can be seen from the next nodes of the queue; otherwise a convoy
 * begins where its result is needed. What is combined when follows from the queue alone, so all
 * ranks do the same. Nothing here allocates memory. */
#include <string.h>

#include "outcome.h"
#include "program.h"
#include "program_keep.h"
#include "program_make.h"

/* An operation that runs once more would take the partial results of its first run for its own. */
static bool needed_by(const struct op2i_node *of, const struct op2i_node *node) {
  if (node->op == of->op) return true;
  return op2i_node_uses_result(node, of);
}

/* ---- convoys --------------------------------------------------------------------------------- */

static void note(struct op2i_sched *sched, const struct op2i_pending_list *list, int i,
                 op2_status *status) {
  const struct op2i_reduction *r = &list->reductions[i];
  sched->outcomes.first = list->list[i].at;
  if (r->status && *status != OP2_ERR_FATAL)
    *status = op2i_outcome_note(sched, &list->list[i].program->grouping, r->group, r->status);
  if (*status != OP2_ERR_FATAL) *status = OP2_SUCCESS;
}

/* Make a convoy of what is in the list. */
static void prepare(struct op2i_sched *sched, struct op2i_pending_list *list) {
  for (int i = 0; i < list->n; i++) {
    const struct op2i_pending *pending = &list->list[i];
    sched->outcomes.first = pending->at;
    list->reductions[i] = *pending->reduction;
    list->reductions[i].lost = op2i_outcome_failed(sched, &pending->program->grouping, 0);
  }
  list->convoy = op2i_convoy_make(list->reductions, list->n);
}

/* Release the programs when the convoy is over. Without memory for the message of a large one, it
 * has failed. */
static op2_status release(struct op2i_sched *sched, struct op2i_pending_list *list,
                          op2_status status) {
  if (status && status != OP2_ERR_FATAL) {
    list->reductions->status = status;
    status = OP2_SUCCESS;
    note(sched, list, 0, &status);
  }
  for (int i = 0; i < list->n; i++) op2i_program_put(sched, list->list[i].program);
  list->n = 0;
  return status;
}

/* Move what `node` needs, or everything if it is null, from the list of pending ones to another. */
static void take(struct op2i_pending_list *from, const struct op2i_node *node,
                 struct op2i_pending_list *to) {
  int kept = 0;
  to->n = 0;
  for (int i = 0; i < from->n; i++)
    if (node && !needed_by(from->list[i].node, node))
      from->list[kept++] = from->list[i];
    else
      to->list[to->n++] = from->list[i];
  from->n = kept;
}

static bool list_needed_by(const struct op2i_pending_list *list, const struct op2i_node *node) {
  bool needed = false;
  for (int i = 0; i < list->n; i++) needed = needed || !node || needed_by(list->list[i].node, node);
  return needed;
}

/* Begin the convoy of what a node needs, or of everything. A large one is combined as a whole. If
 * something is needed, there is room for one more convoy in flight. */
static op2_status begin(struct op2i_sched *sched, const struct op2i_node *node) {
  const int64_t at = sched->outcomes.first;
  if (!list_needed_by(&sched->outcomes.pending, node)) return OP2_SUCCESS;
  struct op2i_pending_list *list = &sched->outcomes.flying[sched->outcomes.nflying];
  take(&sched->outcomes.pending, node, list);
  prepare(sched, list);
  const bool small = op2i_convoy_small(&list->convoy);
  op2_status status = small ? op2i_convoy_begin(&list->convoy) : op2i_convoy_combine(&list->convoy);
  sched->outcomes.nflying += small;
  for (int i = 0; i < list->n && !status; i++) note(sched, list, i, &status);
  if (!small) status = release(sched, list, status);
  sched->outcomes.first = at;
  return status;
}

/* End the convoys in flight that a node needs; all of them if it is null. Lists do not move, since
 * the convoys refer to them: those behind the last one in flight are free. */
static op2_status end(struct op2i_sched *sched, const struct op2i_node *node) {
  const int64_t at = sched->outcomes.first;
  op2_status status = OP2_SUCCESS;
  for (int b = 0; b < sched->outcomes.nflying && !status; b++) {
    struct op2i_pending_list *list = &sched->outcomes.flying[b];
    if (!list_needed_by(list, node)) continue;
    status = op2i_convoy_end(&list->convoy);
    if (!status) status = release(sched, list, status);
  }
  while (sched->outcomes.nflying && !sched->outcomes.flying[sched->outcomes.nflying - 1].n)
    sched->outcomes.nflying--;
  sched->outcomes.first = at;
  return status;
}

/* Make room for one more convoy in flight. */
static op2_status have_room(struct op2i_sched *sched) {
  return sched->outcomes.nflying < OP2I_ALLREDUCE_COUNT ? OP2_SUCCESS : end(sched, NULL);
}

op2_status op2i_pending_combine_for(struct op2i_sched *sched, const struct op2i_node *node) {
  op2_status status = OP2_SUCCESS;
  if (list_needed_by(&sched->outcomes.pending, node)) status = have_room(sched);
  if (!status) status = begin(sched, node);
  return status ? status : end(sched, node);
}

op2_status op2i_pending_combine(struct op2i_sched *sched, int64_t from, int64_t end_) {
  op2_status status = have_room(sched);
  if (!status) status = begin(sched, NULL);
  if (!status && from < end_) status = op2i_outcomes_agree_early(sched, from, end_);
  return status ? status : end(sched, NULL);
}

void op2i_pending_drop(struct op2i_sched *sched) {
  for (int b = 0; b < sched->outcomes.nflying; b++) {
    op2i_allreduce_forget(&sched->outcomes.flying[b].convoy.travel);
    (void)release(sched, &sched->outcomes.flying[b], OP2_SUCCESS);
  }
  sched->outcomes.nflying = 0;
  (void)release(sched, &sched->outcomes.pending, OP2_SUCCESS);
  op2i_allreduce_forget(&sched->outcomes.agreement.travel);
  sched->outcomes.agreement.begun = false;
}

/* ---- when to begin --------------------------------------------------------------------------- */

enum { LOOK = 64 /* nodes that are looked at */ };

/* The index of the first node behind `at` at which the node's results are combined at the latest;
 * the number of nodes at the end of the queue, -1 if it is too far away. */
static int64_t needed_at(const struct op2i_outcomes *outcomes, int64_t at,
                         const struct op2i_node *of) {
  int64_t i = at + 1;
  for (; i < outcomes->nnodes && i <= at + LOOK; i++) {
    const struct op2i_node *node = outcomes->nodes[i];
    if (node->op->kind->in_order || needed_by(of, node)) return i;
  }
  return i < outcomes->nnodes ? -1 : i;
}

static bool reduces(const struct op2i_node *node) {
  const struct op2i_loop *loop = op2i_node_loop(node);
  return loop && loop->partial_bytes;
}

/* True if no later reduction is combined with those that node `at` completes. *need is the node
 * that needs their results; null: all are needed at the same point. */
static bool complete(const struct op2i_outcomes *outcomes, int64_t at,
                     const struct op2i_node **need) {
  const int64_t needed = needed_at(outcomes, at, outcomes->nodes[at]);
  if (needed < 0) return false;
  for (int64_t i = at + 1; i < needed; i++)
    if (reduces(outcomes->nodes[i]) && needed_at(outcomes, i, outcomes->nodes[i]) == needed)
      return false;
  const struct op2i_node *node = needed < outcomes->nnodes ? outcomes->nodes[needed] : NULL;
  *need = node && !node->op->kind->in_order ? node : NULL;
  return true;
}

static size_t bytes_of(const struct op2i_reduction *reduction) {
  return op2i_reduction_bytes(reduction->steps->loop);
}

op2_status op2i_pending_add(struct op2i_sched *sched, struct op2i_program *program,
                            const struct op2i_reduction *reduction, struct op2i_node *node) {
  struct op2i_outcomes *outcomes = &sched->outcomes;
  struct op2i_pending_list *pending = &outcomes->pending;
  const struct op2i_node *need = NULL;
  size_t all = bytes_of(reduction);
  for (int i = 0; i < pending->n; i++) all += bytes_of(pending->list[i].reduction);
  op2_status status = have_room(sched);
  if (!status && (all > OP2I_REDUCED_TOGETHER || pending->n == OP2I_PENDING))
    status = begin(sched, NULL);
  if (!status) status = have_room(sched);
  if (status) return status;
  program->holders++;
  pending->list[pending->n++] = (struct op2i_pending){
      .program = program, .node = node, .at = outcomes->first, .reduction = reduction};
  const bool early = sched->ctx->config.overlap && bytes_of(reduction) <= OP2I_REDUCED_TOGETHER;
  return early && complete(outcomes, outcomes->first, &need) ? begin(sched, need) : OP2_SUCCESS;
}
