/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PARTIAL_H
#define OP2I_PARTIAL_H

#include "loop.h"
#include "step.h"

/* Set into[i] to into[i] combined with from[i] by INC, MIN or MAX, as generated code combines them
 * (codegen/host/emit_arg.c). Integers wrap. For MIN and MAX, NaNs are ignored, into[i] is kept if
 * the values are equal, and a zero that is taken is positive. The arrays do not overlap and are
 * aligned for the type. */
void op2i_values_combine(op2_type type, op2_access access, int64_t n, void *into, const void *from);
/* Set n values to the one that a private copy starts from: for increments of floating-point types
 * negative zero, which changes no value that it is added to. */
void op2i_values_begin(op2_type type, op2_access access, int64_t n, void *into);
/* Replace the located result of reduction `a`, and the values beside it, by those of another
 * partial result if that one wins. */
void op2i_reduce_minloc(const struct op2i_loop *loop, int a, unsigned char *into,
                        unsigned char *from);

/* Return the number of leading blocks of the plan that the step runs: all, unless a device has a
 * part of the loop. */
int32_t op2i_step_blocks(const struct op2i_step *step);
/* Call a step's function for positions [lo, hi). Kernels by address that are for one thread at a
 * time keep other threads waiting here. */
void op2i_step_apply(const struct op2i_step *step, int64_t lo, int64_t hi, unsigned char *partial);
/* Begin and end to run a loop's kernels in another way. */
void op2i_kernels_enter(const struct op2i_loop *loop);
void op2i_kernels_leave(const struct op2i_loop *loop);
/* Run the kernel over these blocks, entries first..last-1 of the plan's blkmap, each into its own
 * partial results. Those that a device has are left out. */
void op2i_step_run_blocks(const struct op2i_step *step, int32_t first, int32_t last);
/* True if op2i_step_run_blocks() runs all of them by one call of the loop's code. */
bool op2i_step_joins_blocks(const struct op2i_step *step);

#endif
