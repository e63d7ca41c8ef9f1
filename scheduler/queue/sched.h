/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SCHED_H
#define OP2I_SCHED_H

#include "sched_state.h"

/* The scheduler of a context, which is created and destroyed with it: the calls that run what is
 * queued, and those of a nested queue. */
op2_status op2i_sched_create(op2_context ctx, struct op2i_sched **sched);
void op2i_sched_destroy(struct op2i_sched *sched);
/* Make it the queue that the context uses. */
void op2i_sched_use(struct op2i_sched *sched);

/* Run everything; failures of loops are recorded. Fails as op2i_execute_marked() does. `call` and
 * `name` are printed in the explanation. */
op2_status op2i_sched_run_all(struct op2i_sched *sched, const char *call, const char *name);
/* nested_queue.c: enter() and leave() of the scheduler, which begin and end a nested queue. */
op2_status op2i_sched_enter(struct op2i_sched *sched, const struct op2i_op *op,
                            struct op2i_version *const *versions);
op2_status op2i_sched_leave(struct op2i_sched *sched, const struct op2i_op *op, op2_status status);
/* OP2_ERR_STATE if an operation in a nested queue uses a dat or global that the enclosing
 * operation does not name. */
op2_status op2i_sched_check_inside(const struct op2i_op *op, op2_where where);
/* auto_renumber.c: count a loop that is about to be queued, and renumber first if that is due.
 * Fails fatally, or if a loop that keeps element order cannot have it for lack of memory. */
op2_status op2i_numbering_count(struct op2i_sched *sched, struct op2i_op *op);

#endif
