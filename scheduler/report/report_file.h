/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_REPORT_FILE_H
#define OP2I_REPORT_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "op2/types.h"

/* Files that options name, which the library writes by itself. */

/* True if this rank writes the file: only rank 0 does, unless each rank has a file of its own. */
bool op2i_report_writes(op2_context ctx, const char *name);
/* "%d" in the name is replaced by a number, and "%r" by that of the rank; only the first of each is
 * replaced, and no other character is special. */
void op2i_report_path(op2_context ctx, const char *name, int64_t number, char *path, size_t size);
/* A pipe without a reader is an error; a pipe with a reader blocks as usual. Returns null after
 * setting the error, which names `by`. */
FILE *op2i_report_open(const char *path, const char *by);

#endif
