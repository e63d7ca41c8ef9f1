/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_ACCESS_H
#define OP2I_ACCESS_H

/* The meaning of each access mode. Code that depends on an access calls these functions; few places
 * name a mode. */

#include <stdbool.h>

#include "op2/types.h"

const char *op2i_access_name(op2_access access); /* "OP2_READ" */

/* True if the access may change values. */
static inline bool op2i_modifies(op2_access access) { return access != OP2_READ; }
/* True if the previous values do not matter. */
static inline bool op2i_overwrites(op2_access access) { return access == OP2_WRITE; }
/* True if the kernel reads the previous values. */
static inline bool op2i_reads(op2_access access) { return access == OP2_READ || access == OP2_RW; }
/* True if contributions are added. */
static inline bool op2i_sums(op2_access access) { return access == OP2_INC; }
/* True if the best of the contributions is kept. */
static inline bool op2i_bounds(op2_access access) { return access == OP2_MIN || access == OP2_MAX; }
/* The operator between a contribution and a worse one, for an access that keeps the best. */
static inline char op2i_better(op2_access access) { return access == OP2_MIN ? '<' : '>'; }
/* True if each element's contribution is combined with the previous value. The order of elements
 * matters for rounding alone, since no element reads intermediate values. */
static inline bool op2i_accumulates(op2_access access) {
  return op2i_sums(access) || op2i_bounds(access);
}
/* True if the kernel assigns values: where several elements write to the same target, the last one
 * wins, so their order must be kept. */
static inline bool op2i_keeps_order(op2_access access) {
  return access == OP2_WRITE || access == OP2_RW;
}

#endif
