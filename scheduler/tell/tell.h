/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TELL_H
#define OP2I_TELL_H

/* The queue as a drawing. */

struct op2i_sched;

/* Draw the queue into the configured file, if any. */
void op2i_dot_dump(struct op2i_sched *sched);

#endif
