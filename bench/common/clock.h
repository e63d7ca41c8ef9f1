/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <time.h>

/** Seconds on a clock that never jumps. */
static inline double clock_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
