/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SCHED_H
#define OP2I_SCHED_H

#include "sched_state.h"

/* A scheduler begins and ends with its context. */
op2_status op2i_sched_create(op2_context ctx, struct op2i_sched **sched);
void op2i_sched_destroy(struct op2i_sched *sched);

#endif
