/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TSUNAMI_CLOCK_H
#define TSUNAMI_CLOCK_H

#include <time.h>

/** Seconds on a clock that only goes forward. */
static inline double clock_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
