/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PORTABLE_BOUNDS_H
#define OP2I_PORTABLE_BOUNDS_H

#include "portable_value.h"

/* Bounds of integers, and what operators make of them: a part of portable_value.c. */

static inline bool op2i_portable_whole(enum op2i_c_base base) {
  return base >= OP2I_C_BOOL && base <= OP2I_C_U64;
}
void op2i_portable_bounds(enum op2i_c_base base, int64_t *lo, int64_t *hi);
/* True if all of [lo, hi] are values of this type. */
bool op2i_portable_within(int64_t lo, int64_t hi, enum op2i_c_base base);
/* Give a value a type, to which its bounds are converted. */
void op2i_portable_become(struct op2i_portable_value *v, enum op2i_c_base base);
/* Give a value a type, with all values of the type as its bounds. */
void op2i_portable_typed(struct op2i_portable_value *v, struct op2i_c_type type);
/* Give a value the type and the value of a number of the source (6.4.4). */
void op2i_portable_number(struct op2i_portable_value *v, const struct op2i_piece *t);
/* Give a value of a bit-field's declared type the type and the bounds that its width leads to. A
 * bit-field narrower than an int is promoted to int, also if it is unsigned. */
void op2i_portable_bits(struct op2i_portable_value *v, int bits, int op);
void op2i_portable_unbounded(struct op2i_portable_value *v);
/* The bounds of a + b, a - b, a * b or a << b, or false if they are too large. */
bool op2i_portable_sum_bounds(char op, const struct op2i_portable_value *a,
                              const struct op2i_portable_value *b, int64_t *lo, int64_t *hi);
bool op2i_portable_shifts(const struct op2i_portable_state *p, int op);
/* Set the bounds of what the operator at `op` makes of two integers in the type that is `computed`. */
void op2i_portable_compute(struct op2i_portable_state *p, struct op2i_portable_value *v, int op);

#endif
