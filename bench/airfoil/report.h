/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef AIRFOIL_REPORT_H
#define AIRFOIL_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "op2.h"

/** @file report.h
 * What the application tells its user, apart from the rms. */

/** Says on stderr which op2 call failed and why, unless it succeeded; returns whether it did. */
bool report_ok(op2_status status, const char *call);

/** Wall-clock times of a run in seconds; the time loop is flushed at its end. */
typedef struct run_times {
  double mesh;        /**< generating or reading the mesh */
  double setup;       /**< declaring it to the library */
  double loop;        /**< all time steps */
  double timed;       /**< those after the warm-up */
  int64_t iterations; /**< time steps in `timed` */
} run_times;

/** Print times, and for every loop calls, time and bandwidth, on stdout. Returns false after
 * reporting an error. */
bool report_run(op2_context ctx, const run_times *times);

/** Show on stderr how far the time loop has come, now and then and only on a terminal; `it` of
 * `total` steps have been queued, each of `loops` loops. What waits is run first then, for else
 * there would be nothing to show. Returns false after reporting an error. */
bool report_progress(op2_context ctx, int it, int total, int loops);

/** Clear the line that report_progress() wrote. */
void report_progress_end(void);

#endif
