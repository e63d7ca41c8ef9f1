/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_RECORD_H
#define OP2_TEST_RECORD_H

/* Libraries of profilers in the tests record each call: they write a line into the file that
 * OP2_TEST_MARKERS names. */

#include <stdio.h>
#include <stdlib.h>

static inline void record(const char *call, const char *name) {
  static FILE *file;
  if (!file && getenv("OP2_TEST_MARKERS")) file = fopen(getenv("OP2_TEST_MARKERS"), "a");
  if (!file) return;
  fprintf(file, "%s%s%s\n", call, *name ? " " : "", name);
  fflush(file);
}

#endif
