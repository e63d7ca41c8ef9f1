/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_IDENTITY_H
#define OP2I_IDENTITY_H

#include <stdbool.h>
#include <sys/stat.h>

#include "compiler.h"

/* Programs, response files and the environment determine a compiler and its flags without being
 * part of the command. Each function here appends lines about one of these to the compiler's
 * identity, a part of every key. */

/* Add a program that may be the compiler, or the wrapper that runs it. A small file is usually a
 * script, and identified by its contents; a large one is identified by its size, times and
 * inode. */
void op2i_identity_program(struct op2i_text *identity, const char *path, const struct stat *st);

/* Add the variables that GCC and Clang obey. A variable with a relative folder also adds the
 * working directory. */
void op2i_identity_environment(struct op2i_compiler *compiler);

/* Add the contents of files that flags name (response files, specs, plugins, objects, archives),
 * and the working directory if a flag holds a relative name. Words of a command that are not
 * options are programs and are ignored. Fails only for lack of memory. */
op2_status op2i_identity_flags(struct op2i_compiler *compiler, const struct op2i_words *flags,
                               bool command);

#endif
