/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_ADDRESS_CASE_H
#define OP2_TEST_ADDRESS_CASE_H

#include "compile_case.h"
#include "program_case.h"

/* Kernels of random programs that are compiled beforehand and called by address. */

/* Compile every second kernel of a seed that uses no constants, into functions[its number]; the
 * others stay null. Returns how many there are; 0 if they cannot be compiled. The functions stay
 * until case_unload(). */
int address_compile(uint64_t seed, op2_function functions[PROGRAM_KERNELS],
                    struct compiled *compiled);
/* The declaration of a kernel's function, which the caller frees. */
char *address_declaration(const struct rkernel *kernel);

#endif
