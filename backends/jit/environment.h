/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_ENVIRONMENT_H
#define OP2I_ENVIRONMENT_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "compiler.h"

/* The environment of a context's compiler: a copy of the process's, made when the first loop is
 * compiled. Entries of the cache are checked with the same copy, so the program may change its
 * variables afterwards. */

/* Copy the environment. A process that ignores its own environment gets one with the system's
 * folders only. Fails only for lack of memory. */
op2_status op2i_environment_copy(struct op2i_compiler *compiler);

/* Return the value of a variable in the copy; null: not set, or empty. */
const char *op2i_environment_value(const struct op2i_compiler *compiler, const char *name);

/* Return the copy with another TMPDIR, so that the files that a killed compiler leaves are removed
 * with that folder. `in_english` selects English output, which op2 parses. `setting` is
 * "TMPDIR=..." and is not copied. The caller frees the array but not the strings in it. Null: no
 * memory. */
char **op2i_environment_for_run(const struct op2i_compiler *compiler, char *setting,
                                bool in_english);

/* True for a regular file that this process may execute. */
bool op2i_is_program(const char *path, struct stat *st);

/* Take the next folder off a list with colons and append a name to it. An empty or relative folder
 * is resolved from the compiler's folder. Returns false at the end of the list, which is then null;
 * `file` is empty if the name is too long. */
bool op2i_next_in_list(const struct op2i_compiler *compiler, const char **list, const char *name,
                       char file[PATH_MAX]);

/* Find the first program of a name in the folders of PATH. */
bool op2i_find_in_path(const struct op2i_compiler *compiler, const char *name, char file[PATH_MAX]);

#endif
