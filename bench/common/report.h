/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "op2.h"
#include "option.h"

/** @file report.h
 * What an application tells its user about the library and its work. */

/** What messages begin with; the application defines it. */
extern const char report_name[];

/** Leave for `fail:` when an op2 call fails, having said why. */
#define TRY(call)                                                                                  \
  do {                                                                                             \
    if (!report_ok((call), #call)) goto fail;                                                      \
  } while (0)

/** Says on stderr which op2 call failed and why, unless it succeeded; returns whether it did. */
bool report_ok(op2_status status, const char *call);

/** Start the library as the options say. Returns false after reporting an error. */
bool report_init(const run_options *run, op2_context *ctx);

/** Wall-clock times of a run in seconds; the iterations are flushed at their end. */
typedef struct run_times {
  double mesh;        /**< generating or reading the mesh */
  double setup;       /**< declaring it to the library, and the state at the start */
  double loop;        /**< all iterations */
  double timed;       /**< those after the warm-up */
  int64_t iterations; /**< number of iterations in `timed` */
} run_times;

/** Print times on stdout, and a table of where they went: for every loop calls, time, its share and
 * bandwidth, then waiting, compiling and the rest. `iterations` is what the user knows them as.
 * Among ranks the times are the greatest of all; the table, and what was sent to others and waited
 * for, are those of rank 0.
 * Returns false after reporting an error. */
bool report_run(op2_context ctx, const run_times *times, const char *iterations);

/** Print how many iterations took as long as a renumbering of so many seconds; nothing for 0. */
void report_renumbering(double seconds, const run_times *times);

/** End a context, whose run was good or not; when it was not, ranks that cannot know of it are not
 * waited for. Returns whether all was good. */
bool report_finalize(op2_context *ctx, bool good);

/** Write all values of a dat, `dim` for each of n elements, and then `last` to a file, as dump_write()
 * does; nothing for null. Returns false after reporting an error. */
bool report_dump(op2_dat dat, int64_t n, int dim, double last, const char *path);

/** Write the graph of what waits to a file, or to standard output for `-`; nothing for null.
 * Returns false after reporting an error. */
bool report_graph(op2_context ctx, const char *path);

/** The same for what the library did with the loops. */
bool report_explain(op2_context ctx, const char *path);

#endif
