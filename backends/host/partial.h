/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PARTIAL_H
#define OP2I_PARTIAL_H

#include "loop.h"
#include "step.h"

/* into[i] becomes into[i] combined with from[i] by INC, MIN or MAX, as generated code combines
 * (codegen/host/emit_arg.c): integers wrap; for MIN and MAX a NaN counts for nothing, of equal values
 * into[i] stays, and a zero that is taken is positive. The arrays do not overlap and are aligned
 * for the type. */
void op2i_values_combine(op2_type type, op2_access access, int64_t n, void *into, const void *from);
/* What increments start at: zero, and of floating types the negative one, which added to any value
 * changes nothing. */
void op2i_values_clear(op2_type type, int64_t n, void *into);
/* What one partial result has found in reduction `a`, and what stands beside it, is taken over by
 * another if it wins there; reductions that are located. */
void op2i_partial_offer(const struct op2i_loop *loop, int a, unsigned char *into,
                        unsigned char *from);

/* Of its plan's blocks the step has the first so many: all, unless a device has a part of the loop. */
int32_t op2i_step_blocks(const struct op2i_step *step);
/* Run the kernel over one of these, into the block's partial results. */
void op2i_step_run_block(const struct op2i_step *step, int32_t block);

#endif
