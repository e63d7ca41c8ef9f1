/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PARTS_H
#define OP2I_PARTS_H

#include "says.h"

/* Where a compiler's driver finds the programs that it runs: GCC in the folders of -B, of
 * COMPILER_PATH and of its own, and then in those of PATH; Clang in these of the user, beside itself,
 * and in PATH. */

/* Read what the driver prints of the commands that it would run (-###). Adds to says->programs,
 * by_path, untaken and unmade. `first` gets the first program, "" where there is none. Fails only for
 * lack of memory. */
op2_status op2i_parts_read(const struct op2i_compiler *compiler, struct op2i_says *says,
                           const char *text, char first[PATH_MAX]);
/* The same for a wrapper, which may find the compiler by PATH, under the name that the compiler prints
 * or a usual one. */
op2_status op2i_parts_of_wrapper(struct op2i_says *says, const char *text);

#endif
