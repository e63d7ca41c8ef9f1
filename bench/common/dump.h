/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_DUMP_H
#define BENCH_DUMP_H

#include <stdint.h>

#include "error.h"

/** Write values[n] and then `last` as binary doubles, for bitwise comparisons. Returns 0, or -1
 * with the reason in *error. */
int dump_write(const char *path, const double *values, int64_t n, double last, bench_error *error);

#endif
