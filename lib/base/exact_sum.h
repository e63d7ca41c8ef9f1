/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_EXACT_SUM_H
#define OP2I_EXACT_SUM_H

/* Sums of floating-point numbers without rounding errors. A sum is a fixed-point number that spans
 * all exponents, so it does not depend on the order in which values are added, nor on how they are
 * divided among ranks. It is rounded once, when its value is asked for. */

#include <stdbool.h>
#include <stdint.h>

#include "op2/types.h"

/* Digit k counts units of 2^(32 k - 1074), the smallest double being 2^-1074. Digits are signed, and
 * have 31 bits of room for carries. */
enum { OP2I_EXACT_DIGITS = 68 };
struct op2i_exact_sum {
  int64_t digit[OP2I_EXACT_DIGITS];
  int64_t nans, plus, minus; /* how many NaN and infinities of either sign were added */
  int64_t room; /* how many values can be added to the digits before carries have to move on */
};
/* The integers that ranks add up: all but the room. */
enum { OP2I_EXACT_WORDS = OP2I_EXACT_DIGITS + 3 };

void op2i_exact_clear(struct op2i_exact_sum *sum);
/* Add n values that are `step` values apart; their type is OP2_F64 or OP2_F32. */
void op2i_exact_add(struct op2i_exact_sum *sum, op2_type type, const void *values, int64_t n,
                    int64_t step);
/* Copy a sum to words[OP2I_EXACT_WORDS]. The words of up to 2^30 sums can be added, and make the
 * words of their sum. */
void op2i_exact_pack(struct op2i_exact_sum *sum, int64_t *words);
void op2i_exact_unpack(struct op2i_exact_sum *sum, const int64_t *words);
/* The digits of a sum that are not zero, if they fit: most sums do. Ranks combine these in one small
 * message. */
enum { OP2I_EXACT_WINDOW = 27 };
struct op2i_exact_window {
  int64_t first, n; /* digits [first, first + n); n is -1 where they do not fit */
  int64_t nans, plus, minus;
  int64_t digit[OP2I_EXACT_WINDOW];
};
void op2i_exact_narrow(struct op2i_exact_sum *sum, struct op2i_exact_window *window);
/* Add a window to another one. Up to 2^30 can be added. */
void op2i_exact_combine(struct op2i_exact_window *into, const struct op2i_exact_window *from);
/* Make the sum of a window. Returns false, and leaves the sum, if the digits did not fit. */
bool op2i_exact_widen(struct op2i_exact_sum *sum, const struct op2i_exact_window *window);
/* The value, rounded to nearest in that type, ties to even. A sum of zeros is +0. */
void op2i_exact_round(struct op2i_exact_sum *sum, op2_type type, void *value);

#endif
