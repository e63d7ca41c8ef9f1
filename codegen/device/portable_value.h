/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PORTABLE_VALUE_H
#define OP2I_PORTABLE_VALUE_H

#include "portable_state.h"

/* Expressions as trees, with the types of their values, and bounds of those that are integers: a
 * part of portable.c. */

enum op2i_portable_form {
  OP2I_PORTABLE_GROUP, /* ( a ) */
  OP2I_PORTABLE_SUM,   /* a + b, a - b, a * b, a << b, and - a without b */
  OP2I_PORTABLE_INDEX, /* a [ b ] */
  OP2I_PORTABLE_SET,   /* a += b and the like */
  OP2I_PORTABLE_STEP,  /* a ++ and the like; `op` is before `a` or behind it */
  OP2I_PORTABLE_COMMA, /* a , b */
  OP2I_PORTABLE_PLAIN  /* anything else, with its parts in `a`, `b`, and in the lists behind them */
};

struct op2i_portable_value {
  enum op2i_portable_form form;
  int begin, end, op; /* positions of its tokens, and of its operator */
  struct op2i_c_type type;
  int64_t lo, hi;            /* bounds of an integer's value */
  enum op2i_c_base computed; /* SET, SUM, STEP: the type in which it is computed */
  bool overflows;            /* the same: it is signed, and may leave this type */
  int bits;                  /* the width of a bit-field that it names, at `op`; or 0 */
  bool changes;              /* there is an assignment or a call in it */
  struct op2i_portable_value *a, *b, *next;
};

/* The expression [begin, end), or an initializer in braces; null if it cannot be read. */
struct op2i_portable_value *op2i_portable_value(struct op2i_portable_state *p, int begin, int end);

/* True for a signed integer of 32 or 64 bits. */
static inline bool op2i_portable_signed(enum op2i_c_base base) {
  return base == OP2I_C_I32 || base == OP2I_C_I64;
}

#endif
