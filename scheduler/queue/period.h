/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PERIOD_H
#define OP2I_PERIOD_H

#include "sched_state.h"

/* How much of a sequence makes one program: all of it, or some whole periods of a sequence that
 * repeats itself, so that the next as many need no program of their own. The program before had
 * `before` loops, which stand before nodes[0]; 0 at the start. */
int64_t op2i_segment_length(struct op2i_node *const *nodes, int64_t n, int64_t before);
/* The loops of the queue that make whole programs; all, where there is but one. */
int64_t op2i_sched_complete(struct op2i_sched *sched);

#endif
