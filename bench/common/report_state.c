/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of an application in a file. */
#include <stdio.h>

#include "report.h"

#ifdef BENCH_HDF5
#include "op2/io.h"

bool report_state(op2_context ctx, const char *path) {
  return !path || report_ok(op2_file_dump(ctx, path), "op2_file_dump");
}
#else
bool report_state(op2_context ctx, const char *path) {
  (void)ctx;
  if (path) fprintf(stderr, "%s: --dump-state: this was built without HDF5\n", report_name);
  return !path;
}
#endif
