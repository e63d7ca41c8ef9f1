/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_TEXT_H
#define BENCH_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "error.h"

/** Read a whole file into memory that is freed with free(), with a NUL after its *size bytes.
 * Returns 0, or -1 with the reason in *error and nothing else changed. */
int text_load(const char *path, char **text, size_t *size, bench_error *error);

/** Create a file to write, or replace one. Returns null with the reason in *error. */
FILE *text_create(const char *path, bench_error *error);

/** Write six decimals if they reproduce the value, and otherwise as many digits as it needs; then a
 * character. */
void text_write_real(FILE *file, double value, char after);

/** Close a file that was written. Returns 0, or -1 with the reason in *error if anything failed. */
int text_finish(FILE *file, const char *path, bench_error *error);

#endif
