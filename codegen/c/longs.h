/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LONGS_H
#define OP2I_LONGS_H

/* In OpenCL C `long` has 64 bits and `long long` is reserved; compilers may give it 128 bits, and
 * sums would no longer wrap where C's do. */

#include "text.h"

/* Copy C text, with `long` for `long long` and L for the suffix LL. A piece of text may end within
 * specifiers, after a `long`: *behind is true in that case, on entry for the text before and on
 * return for this one. */
void op2i_longs_add(struct op2i_text *out, const char *text, size_t n, bool *behind);

#endif
