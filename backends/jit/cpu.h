/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CPU_H
#define OP2I_CPU_H

#include "text.h"

/* What of this machine's processor decides the code that a compiler makes for it: the same text on
 * every core and in every run, another one on a machine with other instructions. */
void op2i_cpu_text(struct op2i_text *text);

/* The default optimisation flags of a compiler for this processor, parted by blanks. */
const char *op2i_cpu_flags(void);

/* Bytes of the vectors that this processor is fastest with; 0: it has none worth using. */
int op2i_simd_bytes(void);

#endif
