/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LONGS_H
#define OP2I_LONGS_H

/* In OpenCL C `long` has 64 bits and `long long` is reserved, which compilers take for 128: sums would no
 * longer wrap where C's do. */

#include "text.h"

/* Copy C text, with `long` for `long long` and L for the suffix LL. What has just been copied may have ended
 * within specifiers, behind a `long`: *behind says so, of the text before and then of this. */
void op2i_longs_add(struct op2i_text *out, const char *text, size_t n, bool *behind);

#endif
