/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_IDENTITY_H
#define OP2I_IDENTITY_H

#include <stdbool.h>
#include <sys/stat.h>

#include "compiler.h"

/* Programs, response files and the environment choose a compiler and its flags without standing in
 * the command. Each function here appends lines about one of these to the compiler's identity, a
 * part of every key. */

/* A program that may be the compiler, or the wrapper that runs it. A small one is a script as a
 * rule, and identified by its contents; a large one by its size, its times and its place. */
void op2i_identity_program(struct op2i_text *identity, const char *path, const struct stat *st);

/* Variables that GCC and Clang obey. One with a relative folder also adds the working directory. */
void op2i_identity_environment(struct op2i_compiler *compiler);

/* Files that flags name (response files, specs, plugins, objects, archives), by their contents, and
 * the working directory where a flag holds a relative name. Words of a command that are not options
 * are programs and are passed over. Fails only for lack of memory. */
op2_status op2i_identity_flags(struct op2i_compiler *compiler, const struct op2i_words *flags,
                               bool command);

#endif
