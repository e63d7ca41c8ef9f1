/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PERIOD_H
#define OP2I_PERIOD_H

#include "sched_state.h"

/* The number of loops that the next program takes of a sequence: all of it, or some whole
 * periods of a sequence that repeats itself, so that the loops after them can use the same
 * program. `before` is the number of loops in the previous program, which stand directly before
 * nodes[0]; 0 at the start. */
int64_t op2i_segment_length(struct op2i_node *const *nodes, int64_t n, int64_t before);
/* The number of queued loops that make whole programs; all of them, if there is only one
 * program. */
int64_t op2i_sched_complete(struct op2i_sched *sched);

#endif
