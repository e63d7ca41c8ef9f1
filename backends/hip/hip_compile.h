/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_HIP_COMPILE_H
#define OP2I_HIP_COMPILE_H

/* Between the files of this folder: adapters of functions, compilation, and architectures. */

#include "hip_api.h"

/* hip_driver.c: put adapters in the place of functions that HIP has with other parameters. */
void op2i_hip_adapt(const struct op2i_hip_api *hip, struct op2i_cuda_api *as_cuda);
/* hip_compile.c: compile source to a code object for an architecture such as "gfx90a"; no device is
 * needed. hipRTC must know the architecture, since it may end the process otherwise. */
op2_status op2i_hip_compile(const char *source, const char *architecture,
                            const char *const *includes, struct op2i_text *log, void **binary,
                            size_t *bytes);
/* One thread at a time compiles. The last function is for a thread that holds hipRTC, and for the
 * child that it has forked meanwhile. */
void op2i_hip_hold(void);
void op2i_hip_let_go(void);
op2_status op2i_hip_compile_held(const char *source, const char *architecture,
                                 const char *const *includes, struct op2i_text *log, void **binary,
                                 size_t *bytes);
/* Write the identity of what builds binaries: hipRTC and the replacements for C's headers. */
void op2i_hip_compiler(char *name, size_t room);

/* hip_target.c: write the architecture for which hipRTC compiles what is to run on a target such as
 * "gfx90a:sramecc+:xnack-"; an empty text if it knows none. Child processes try them out once in a
 * process. Always returns false: the result needs no translation. */
bool op2i_hip_architecture(const char *target, char architecture[OP2I_CUDA_ARCHITECTURE]);

#endif
