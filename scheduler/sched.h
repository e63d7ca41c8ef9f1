/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SCHED_H
#define OP2I_SCHED_H

#include "sched_state.h"

/* A scheduler begins and ends with its context. */
op2_status op2i_sched_create(op2_context ctx, struct op2i_sched **sched);
void op2i_sched_destroy(struct op2i_sched *sched);

/* Run everything; what fails is on record. Fails as op2i_execute_marked() does. `call` and `name` go
 * into the explanation. */
op2_status op2i_sched_run_all(struct op2i_sched *sched, const char *call, const char *name);
/* inner.c: the scheduler's enter() and leave(). */
op2_status op2i_sched_enter(struct op2i_sched *sched, const struct op2i_op *op,
                            struct op2i_version *const *versions, struct op2i_outside **outside);
op2_status op2i_sched_leave(struct op2i_sched *sched, const struct op2i_op *op,
                            struct op2i_outside *outside, op2_status status);
/* OP2_ERR_STATE for an operation within another one that uses what that one does not. */
op2_status op2i_sched_check_inside(const struct op2i_sched *sched, const struct op2i_op *op,
                                   op2_where where);
/* unasked.c: count a loop that is about to be queued, and renumber first where that is due. Fails
 * fatally, or where a loop that keeps element order cannot have it: for lack of memory. */
op2_status op2i_numbering_count(struct op2i_sched *sched, struct op2i_op *op);

#endif
