/* SPDX-License-Identifier: BSD-3-Clause */
#include "dump.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int dump_write(const char *path, const double *q, int64_t n, double time, mesh_error *error) {
  FILE *file = fopen(path, "wb");
  if (!file) return mesh_fail(error, "%s: %s", path, strerror(errno));
  size_t put = fwrite(q, sizeof *q, (size_t)n, file);
  put += fwrite(&time, sizeof time, 1, file);
  if (fclose(file) || put != (size_t)n + 1)
    return mesh_fail(error, "%s: could not be written: %s", path, strerror(errno));
  return 0;
}
