/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions that ranks have yet to combine, of operations that run as programs of their own. A
 * program of many operations combines as late as one of them needs a result, so that several go
 * in one message (program_steps.c). Programs of one operation wait here for each other in the
 * same way. What is combined when follows from the queue alone, so all ranks do the same. Nothing
 * here allocates memory. */
#include <string.h>

#include "outcome.h"
#include "program.h"
#include "program_keep.h"
#include "program_make.h"

/* An operation that runs once more would take the partial results of its first run for its own. */
static bool needed_by(const struct op2i_pending *pending, const struct op2i_node *node) {
  if (node->op == pending->node->op) return true;
  return op2i_node_uses_result(node, pending->node);
}

static struct op2i_reduction reduction_of(struct op2i_sched *sched,
                                          const struct op2i_pending *pending) {
  struct op2i_program *program = pending->program;
  int64_t first = program->steps[pending->step].reduced;
  sched->outcomes.first = pending->at;
  return (struct op2i_reduction){.steps = &program->steps[first],
                                 .n = pending->step - first,
                                 .lost = op2i_outcome_failed(sched, &program->grouping, 0)};
}

/* Note which of the combined reductions failed, where `status` is that of their message, and
 * release the programs. Without memory for the message all reductions in it have failed. */
static op2_status end_combined(struct op2i_sched *sched, op2_status status,
                               const struct op2i_pending *combined,
                               const struct op2i_reduction *reductions, int n) {
  op2_status ended = status == OP2_ERR_FATAL ? status : OP2_SUCCESS;
  for (int i = 0; i < n; i++) {
    const op2_status failed = status ? status : reductions[i].status;
    sched->outcomes.first = combined[i].at;
    if (failed && ended != OP2_ERR_FATAL)
      ended = op2i_outcome_note(sched, &combined[i].program->grouping, 0, failed);
    op2i_program_put(sched, combined[i].program);
  }
  return ended == OP2_ERR_FATAL ? ended : OP2_SUCCESS;
}

/* Combine in one message the reductions that `node` needs; all of them if it is null. */
static op2_status combine(struct op2i_sched *sched, const struct op2i_node *node) {
  struct op2i_pending combined[OP2I_PENDING];
  struct op2i_reduction reductions[OP2I_PENDING];
  int64_t at = sched->outcomes.first;
  int n = 0, kept = 0;
  for (int i = 0; i < sched->outcomes.npending; i++) {
    const struct op2i_pending pending = sched->outcomes.pending[i];
    if (node && !needed_by(&pending, node)) {
      sched->outcomes.pending[kept++] = pending;
      continue;
    }
    reductions[n] = reduction_of(sched, &pending);
    combined[n++] = pending;
  }
  sched->outcomes.npending = kept;
  op2_status status = n ? op2i_steps_reduce(reductions, n) : OP2_SUCCESS;
  status = end_combined(sched, status, combined, reductions, n);
  sched->outcomes.first = at;
  return status;
}

op2_status op2i_pending_combine_for(struct op2i_sched *sched, const struct op2i_node *node) {
  return combine(sched, node);
}

op2_status op2i_pending_combine(struct op2i_sched *sched) { return combine(sched, NULL); }

op2_status op2i_pending_add(struct op2i_sched *sched, struct op2i_program *program, int64_t step,
                            struct op2i_node *node) {
  size_t bytes = op2i_reduction_bytes(program->steps[program->steps[step].reduced].loop);
  size_t all = bytes;
  for (int i = 0; i < sched->outcomes.npending; i++) all += sched->outcomes.pending[i].bytes;
  op2_status status = OP2_SUCCESS;
  if (all > OP2I_REDUCED_TOGETHER || sched->outcomes.npending == OP2I_PENDING)
    status = op2i_pending_combine(sched);
  if (status) return status;
  program->holders++;
  sched->outcomes.pending[sched->outcomes.npending++] = (struct op2i_pending){
      .program = program, .node = node, .step = step, .at = sched->outcomes.first, .bytes = bytes};
  return OP2_SUCCESS;
}

void op2i_pending_drop(struct op2i_sched *sched) {
  while (sched->outcomes.npending)
    op2i_program_put(sched, sched->outcomes.pending[--sched->outcomes.npending].program);
}
