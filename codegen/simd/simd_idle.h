/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SIMD_IDLE_H
#define OP2I_SIMD_IDLE_H

#include "simd_base.h"

/* Branches in loops that are worth a test of whether any lane needs them. */

/* Returns true if a statement divides or takes a root in each lane. */
bool op2i_simd_costly(const struct op2i_simd_node *s);
/* Returns true if an expression, or one that follows it in a list, has the variable in it, or is too
 * deep to be looked through. */
bool op2i_simd_mentions(const struct op2i_simd_node *e, const struct op2i_simd_var *var);
/* The branch whose condition ends a loop when it is false in all lanes, because the loop does
 * nothing else and no later trip can make it true; or null. */
const struct op2i_simd_node *op2i_simd_ending(const struct op2i_simd_node *loop);

#endif
