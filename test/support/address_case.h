/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_ADDRESS_CASE_H
#define OP2_TEST_ADDRESS_CASE_H

#include "compile_case.h"
#include "program_case.h"

/* Kernels of random programs that are compiled beforehand and called by address. */

/* Choose the kernels of a pool: those at even places use no constants, which only generated code
 * has, and are to be compiled; those at odd places are text of any sort. */
void address_choose(uint64_t seed, int numbers[PROGRAM_KERNELS]);
/* Compile the kernels at even places of the pool, into functions[place]; the others stay null.
 * Returns how many there are; 0 if they cannot be compiled. The functions stay until
 * case_unload(). */
int address_compile(struct rkernel *const pool[PROGRAM_KERNELS],
                    op2_function functions[PROGRAM_KERNELS], struct compiled *compiled);
/* The declaration of a kernel's function, which the caller frees. */
char *address_declaration(const struct rkernel *kernel);

#endif
