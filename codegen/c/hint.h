/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_HINT_H
#define OP2I_HINT_H

#include "loop.h"
#include "text.h"

/* Append to `message`, the compiler's output for the kernel, an explanation why names in it are not
 * known: a kernel sees nothing but its own text and headers. Appends nothing if that is not the
 * problem. */
void op2i_kernel_hint(op2_kernel kernel, const struct op2i_loop_const *consts, int nconsts,
                      struct op2i_text *message);

#endif
