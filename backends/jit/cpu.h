/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CPU_H
#define OP2I_CPU_H

#include "text.h"

/* Write the properties of this machine's processor that decide the code that a compiler makes for
 * it. The text is the same on every core and in every run, and differs on a machine with other
 * instructions. */
void op2i_cpu_text(struct op2i_text *text);

/* True if the vector units of an x86 processor have half the width of its longest vectors, by its
 * vendor and its signature (eax of cpuid 1). */
bool op2i_cpu_halves(const char vendor[12], unsigned signature, bool avx512);

/* Return the default optimisation flags of a compiler for this processor, separated by blanks. */
const char *op2i_cpu_flags(void);

/* Return the bytes of the vectors that this processor is fastest with; 0: none worth using. */
int op2i_simd_bytes(void);
/* True if its vector units have half that width, so that each vector takes two steps. */
bool op2i_simd_halved(void);

#endif
