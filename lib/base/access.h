/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_ACCESS_H
#define OP2I_ACCESS_H

/* The meaning of each access mode. Code that depends on an access calls these functions or names
 * the mode. */

#include <stdbool.h>

#include "op2/types.h"

const char *op2i_access_name(op2_access access); /* "OP2_READ" */

/* True if the access may change values. */
static inline bool op2i_modifies(op2_access access) { return access != OP2_READ; }
/* True if the previous values do not matter. */
static inline bool op2i_overwrites(op2_access access) { return access == OP2_WRITE; }
/* True if each element's contribution is combined with the previous value. The order of elements
 * matters for rounding alone, since no element reads intermediate values. */
static inline bool op2i_accumulates(op2_access access) {
  return access == OP2_INC || access == OP2_MIN || access == OP2_MAX;
}
/* True if the kernel assigns values: where several elements write to the same target, the last one
 * wins, so their order must be kept. */
static inline bool op2i_keeps_order(op2_access access) {
  return access == OP2_WRITE || access == OP2_RW;
}

#endif
