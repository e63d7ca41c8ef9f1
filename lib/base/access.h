/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_ACCESS_H
#define OP2I_ACCESS_H

/* The meaning of each access mode, which access.def gives. Code that depends on an access calls
 * these functions. */

#include <stdbool.h>

#include "op2/types.h"

struct op2i_access_mode {
  const char *name; /* "OP2_READ" */
  bool reads;       /* the kernel reads the previous values */
  bool assigns;     /* the kernel assigns values */
  bool sums;        /* contributions are added */
  double identity;  /* where they are: the value that changes no other, from which copies start */
  char better;      /* the best contribution is kept: the operator between it and a worse one */
};
/* It is indexed by the access; entry 0 belongs to no mode. */
extern const struct op2i_access_mode op2i_access_modes[];

enum {
#define ACCESS(name_, ...) OP2I_ACCESS_##name_,
#include "access.def"
#undef ACCESS
  OP2I_ACCESSES
};
static inline bool op2i_access_valid(int access) {
  return access >= OP2_READ && access < OP2_READ + OP2I_ACCESSES;
}
static inline const char *op2i_access_name(op2_access access) {
  return op2i_access_modes[op2i_access_valid((int)access) ? access : 0].name;
}

/* True if the kernel reads the previous values. */
static inline bool op2i_reads(op2_access access) { return op2i_access_modes[access].reads; }
/* True if contributions are added. */
static inline bool op2i_sums(op2_access access) { return op2i_access_modes[access].sums; }
/* True if the best of the contributions is kept. */
static inline bool op2i_bounds(op2_access access) { return op2i_access_modes[access].better; }
/* The operator between a contribution and a worse one, for an access that keeps the best. */
static inline char op2i_better(op2_access access) { return op2i_access_modes[access].better; }
/* True if the least of the contributions is kept. */
static inline bool op2i_lowers(op2_access access) { return op2i_better(access) == '<'; }
/* True if each element's contribution is combined with the previous value. The order of elements
 * matters for rounding alone, since no element reads intermediate values. */
static inline bool op2i_accumulates(op2_access access) {
  return op2i_sums(access) || op2i_bounds(access);
}
/* True if the kernel assigns values: where several elements write to the same target, the last one
 * wins, so their order must be kept. */
static inline bool op2i_keeps_order(op2_access access) { return op2i_access_modes[access].assigns; }
/* True if the previous values do not matter. */
static inline bool op2i_overwrites(op2_access access) {
  return op2i_keeps_order(access) && !op2i_reads(access);
}
/* True if the access may change values. */
static inline bool op2i_modifies(op2_access access) {
  return op2i_keeps_order(access) || op2i_accumulates(access);
}

#endif
