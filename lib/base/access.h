/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_ACCESS_H
#define OP2I_ACCESS_H

/* What each access mode means. All who act on an access ask here, or name the mode that they are
 * about. */

#include <stdbool.h>

#include "op2/types.h"

const char *op2i_access_name(op2_access access); /* "OP2_READ" */

/* Values are others afterwards. */
static inline bool op2i_modifies(op2_access access) { return access != OP2_READ; }
/* What was there does not matter. */
static inline bool op2i_overwrites(op2_access access) { return access == OP2_WRITE; }
/* What was there is combined with what each element gives, in any order but for rounding: nobody
 * sees what is there in between. */
static inline bool op2i_accumulates(op2_access access) {
  return access == OP2_INC || access == OP2_MIN || access == OP2_MAX;
}
/* The kernel sets values in place, so that of elements that meet the later one wins. */
static inline bool op2i_keeps_order(op2_access access) {
  return access == OP2_WRITE || access == OP2_RW;
}

#endif
