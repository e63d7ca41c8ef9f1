/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TSUNAMI_REPORT_H
#define TSUNAMI_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "op2.h"

/** @file report.h
 * What the application tells its user, apart from the water. */

/** Whether the call succeeded; if not, says on stderr which it was and why it failed. */
bool report_ok(op2_status status, const char *call);

/** Seconds of wall-clock time; the time loop ends with a flush. */
typedef struct run_times {
  double mesh;        /**< generating it */
  double setup;       /**< declaring it to the library, and the state at the start */
  double loop;        /**< all time steps */
  double timed;       /**< those after the warm-up */
  int64_t iterations; /**< time steps in `timed` */
} run_times;

/** Print on stdout the times, and calls, time and bandwidth of every loop. False after reporting an
 * error. */
bool report_run(op2_context ctx, const run_times *times);

#endif
