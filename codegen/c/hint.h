/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_HINT_H
#define OP2I_HINT_H

#include "loop.h"
#include "text.h"

/* Append to `message`, what the compiler said of the kernel, why names in it are not known: the text
 * is all that a kernel sees. Appends nothing where that is not what is wrong. */
void op2i_kernel_hint(op2_kernel kernel, const struct op2i_loop_const *consts, int nconsts,
                      struct op2i_text *message);

#endif
