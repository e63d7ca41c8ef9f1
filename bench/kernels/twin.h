/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef KERNELS_TWIN_H
#define KERNELS_TWIN_H

#include "common/error.h"
#include "common/plan.h"
#include "yardstick.h"

/** @file twin.h
 * Steps by hand, on OpenMP's threads. */

/** The threads, and what they share out. */
typedef struct crew {
  int threads;
  const problem *p;
  plan plan[MOST_MAPS]; /**< blocks by colours, of maps that a twin adds through */
} crew;

/** Make the plans that the twins need, to be freed with crew_free(). Returns -1 with a message. */
int crew_make(crew *c, const yardstick *y, const problem *p, int threads, bench_error *error);
void crew_free(crew *c);

/** Run a step; returns the largest value that its loops have found, at least 0. */
double crew_run(const crew *c, const twin *t);

/** Read so many bytes on all threads, as fast as the memory gives them. */
void crew_read(int threads, const double *data, int64_t bytes);

/** Read and write them. */
void crew_change(int threads, double *data, int64_t bytes);

#endif
