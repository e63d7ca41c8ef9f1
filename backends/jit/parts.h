/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PARTS_H
#define OP2I_PARTS_H

#include "query.h"

/* The folders in which a compiler's driver finds the programs that it runs. GCC searches the
 * folders of -B, of COMPILER_PATH and its own, and then those of PATH; Clang searches those of -B
 * and COMPILER_PATH, its own folder, and those of PATH. */

/* Parse the commands that the driver prints it would run (-###). Adds to query->programs, by_path,
 * untaken and unmade. `first` becomes the first program; "": none. Fails only for lack of
 * memory. */
op2_status op2i_parts_read(const struct op2i_compiler *compiler, struct op2i_query *query,
                           const char *text, char first[PATH_MAX]);
/* The same for a wrapper, which may find the compiler by PATH, under the name that the compiler
 * prints or a usual one. */
op2_status op2i_parts_of_wrapper(struct op2i_query *query, const char *text);

#endif
