/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CPU_H
#define OP2I_CPU_H

#include "text.h"

/* What of this machine's processor decides the code that a compiler makes for it: the same text on
 * every core and in every run, another one on a machine with other instructions. */
void op2i_cpu_text(struct op2i_text *text);

/* Whether the vector units of an x86 processor have half the width of its longest vectors, by its
 * vendor and by its signature (eax of cpuid 1). */
bool op2i_cpu_halves(const char vendor[12], unsigned signature, bool avx512);

/* The default optimisation flags of a compiler for this processor, parted by blanks. */
const char *op2i_cpu_flags(void);

/* Bytes of the vectors that this processor is fastest with; 0: it has none worth using. */
int op2i_simd_bytes(void);
/* Whether its vector units have half that width, so that it works on each vector in two steps. */
bool op2i_simd_halved(void);

#endif
