/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_OUTCOME_H
#define OP2I_OUTCOME_H

#include "passes.h"

/* Outcomes of operations on which ranks agree, and reductions that they combine together. */

/* ---- outcome.c: outcomes on which ranks agree ------------------------------------------------ */

/* Reset the outcomes of n nodes that are about to run. Outcomes are in the order of the nodes. */
void op2i_outcomes_begin(struct op2i_sched *sched, int64_t n);
/* Note that a group of the running program has failed on this rank. Returns the status; it is fatal
 * if other ranks already rely on the group's success. */
op2_status op2i_outcome_note(struct op2i_sched *sched, const struct op2i_grouping *grouping,
                             int64_t g, op2_status status);
/* True if the group has failed, so that its values on this rank must not be read. */
bool op2i_outcome_failed(const struct op2i_sched *sched, const struct op2i_grouping *grouping,
                         int64_t g);
/* Before group g, a call: make sure that what it needs is valid on all ranks, or cancel it.
 * Collective; does nothing where there are no other ranks. */
op2_status op2i_outcomes_before_call(struct op2i_sched *sched, struct op2i_node *const *nodes,
                                     const struct op2i_grouping *grouping, int64_t g,
                                     bool *cancelled);
/* Set the final states of those of these nodes that have run, in the order of the queue:
 * failed if they have failed on any rank, cancelled if they read what such a node was to
 * write, else done. Collective. */
op2_status op2i_outcomes_settle(struct op2i_sched *sched, struct op2i_node *const *nodes,
                                int64_t from, int64_t end);

/* Begin the agreement for op2i_outcomes_settle() with the same nodes. From now on none can fail. */
op2_status op2i_outcomes_agree_early(struct op2i_sched *sched, int64_t from, int64_t end);

/* ---- pending.c: reductions of programs of one operation, among ranks ------------------------- */

/* Defer a reduction of the program of `node`, which is referenced until it is combined. Reductions
 * that are needed at the same point go in one message, which begins when the last of them has run:
 * if this one does not fit into it, the others begin. Collective, as are the functions below; their
 * failures are those of messages. */
op2_status op2i_pending_add(struct op2i_sched *sched, struct op2i_program *program,
                            const struct op2i_reduction *reduction, struct op2i_node *node);
/* Combine the reductions that a node needs that is about to run: it uses their result, or
 * is the same operation. */
op2_status op2i_pending_combine_for(struct op2i_sched *sched, const struct op2i_node *node);
/* Combine all; to be called before final states are set. In between the ranks begin to agree on the
 * outcomes from index `from` to `end` - 1. */
op2_status op2i_pending_combine(struct op2i_sched *sched, int64_t from, int64_t end);
/* Release the programs, since the ranks cannot go on. */
void op2i_pending_drop(struct op2i_sched *sched);

#endif
