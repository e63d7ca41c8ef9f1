/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PORTABLE_WRAP_H
#define OP2I_PORTABLE_WRAP_H

#include "portable_value.h"

/* Signed integers that wrap where compilers assume that they never overflow: a part of portable.c. */

/* Take note of what may overflow in the expression [begin, end). Returns it, or null if it cannot be
 * read or nothing is to be noted here. */
struct op2i_portable_value *op2i_portable_wrap(struct op2i_portable_state *p, int begin, int end);
/* Take note of the counter of the loop whose `for` stands at this position. */
void op2i_portable_count(struct op2i_portable_state *p, int loop);
/* True if the word at a position is a counter that has bounds there, which are set. */
bool op2i_portable_counter(const struct op2i_portable_state *p, int at, int64_t *lo, int64_t *hi);
/* Write the operation that begins at a position if it may overflow and ends before `end`. Returns what
 * follows it, or `at`. */
int op2i_portable_wrapped(struct op2i_portable_state *p, int at, int end);

#endif
