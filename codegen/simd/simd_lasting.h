/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SIMD_LASTING_H
#define OP2I_SIMD_LASTING_H

#include <stdbool.h>

/* The conditions of loops that some lanes leave before others. */

struct op2i_simd_node;

/* True if `condition` is a sequence of operands of && without effects, which may be evaluated in any
 * lane and in any order. Those that are the same in all lanes need no mask then. */
bool op2i_simd_divisible(const struct op2i_simd_node *condition);

/* True if the condition of a loop that some lanes leave before others stays false in each lane where
 * it is false once, but for operands that are the same in all lanes: a lane that has left keeps the
 * values on which the condition depends. Then the mask of the lanes in the loop is the condition, and
 * need not be joined with the mask before. */
bool op2i_simd_lasting(const struct op2i_simd_node *loop);

#endif
