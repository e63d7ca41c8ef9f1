/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CG_REPORT_H
#define CG_REPORT_H

#include <stdbool.h>

#include "op2.h"

/** @file report.h
 * What the application tells its user about the library's work. */

/** Says on stderr which op2 call failed and why, unless it succeeded; returns whether it did. */
bool report_ok(op2_status status, const char *call);

/** Wall-clock times of a run in seconds; the iterations are flushed at their end. */
typedef struct run_times {
  double mesh;    /**< the mesh and the problem on it */
  double setup;   /**< declaring them and making the system */
  double loop;    /**< all iterations */
  double timed;   /**< those after the warm-up */
  int iterations; /**< number of iterations in `timed` */
} run_times;

/** Print times, and for every loop calls, time and bandwidth, on stdout. Returns false after
 * reporting an error. */
bool report_run(op2_context ctx, const run_times *times);

#endif
