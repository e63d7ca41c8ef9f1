/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock that everything is timed with: monotonic, in seconds or nanoseconds. */
#include "clock.h"

#include <time.h>

int64_t op2i_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

double op2i_seconds(void) { return 1e-9 * (double)op2i_nanoseconds(); }
