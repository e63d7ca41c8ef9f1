/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LOOP_SPARE_H
#define OP2I_LOOP_SPARE_H

#include "loop.h"

/* Loops of dats and globals that are spares (recycle.h): see struct op2i_interned. */
void op2i_loops_left(op2_context ctx, const void *object);
/* Count the objects of a new loop whose handles were destroyed. */
void op2i_loop_count_left(struct op2i_loop *loop);
void op2i_loops_set_aside(op2_context ctx, const void *object);
void op2i_loops_pass_on(op2_context ctx, void *object, void *successor);

#endif
