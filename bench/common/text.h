/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_TEXT_H
#define BENCH_TEXT_H

#include <stddef.h>

#include "error.h"

/** Read a whole file into memory that is given back with free(), with a NUL behind its *size bytes.
 * Returns 0, or -1 with the reason in *error and nothing else changed. */
int text_load(const char *path, char **text, size_t *size, bench_error *error);

#endif
