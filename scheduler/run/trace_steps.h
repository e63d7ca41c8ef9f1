/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TRACE_STEPS_H
#define OP2I_TRACE_STEPS_H

#include "sched_state.h"
#include "trace.h"

/* Slices of the timeline for what the scheduler runs. The context has a trace. */

/* Number the names of the steps' loops, before any of them runs. */
void op2i_steps_name(op2_context ctx, const struct op2i_step *steps, int64_t n);
/* The number of an operation's name, which is to run in the calling thread. */
int32_t op2i_op_name(const struct op2i_op *op);
/* The calling thread has run these steps together, or had them run. */
void op2i_steps_trace(op2_context ctx, const struct op2i_step *steps, int64_t n, int64_t begin);
/* The operations that a force selected have run, or failed. */
void op2i_force_trace(struct op2i_sched *sched, const struct op2i_force *force, int64_t begin);

#endif
