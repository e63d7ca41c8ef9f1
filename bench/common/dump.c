/* SPDX-License-Identifier: BSD-3-Clause */
#include "dump.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int dump_write(const char *path, const double *values, int64_t n, double last, bench_error *error) {
  FILE *file = fopen(path, "wb");
  if (!file) return bench_fail(error, "%s: %s", path, strerror(errno));
  const bool written = fwrite(values, sizeof *values, (size_t)n, file) == (size_t)n &&
                       fwrite(&last, sizeof last, 1, file) == 1;
  if (fclose(file) || !written)
    return bench_fail(error, "%s: could not be written: %s", path, strerror(errno));
  return 0;
}
