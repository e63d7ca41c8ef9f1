/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "op2.h"
#include "option.h"

/** @file report.h
 * The output of an application about the library and its work. */

/** The prefix of messages; the application defines it. */
extern const char report_name[];

/** Go to `fail:` after reporting the error if an op2 call fails. */
#define TRY(call)                                                                                  \
  do {                                                                                             \
    if (!report_ok((call), #call)) goto fail;                                                      \
  } while (0)

/** Report on stderr which op2 call failed and why, unless it succeeded; returns true if it did. */
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
 * bandwidth, then waiting, compiling and the rest. `iterations` is the user's word for them. With
 * several ranks the times are the greatest of all ranks; the table, the messages and the waiting
 * time are those of rank 0. Returns false after reporting an error. */
bool report_run(op2_context ctx, const run_times *times, const char *iterations);

/** Print how many iterations take as long as a renumbering of so many seconds; nothing for 0. */
void report_renumbering(double seconds, const run_times *times);

/** End a context after a run; `good` is true if the run succeeded. If it did not, ranks that cannot
 * know of it are not waited for. Returns true if all was good. */
bool report_finalize(op2_context *ctx, bool good);

/** Write all values of a dat, `dim` for each of n elements, and then `last`, to a file, as
 * dump_write() does; null: no file. Returns false after reporting an error. */
bool report_dump(op2_dat dat, int64_t n, int dim, double last, const char *path);

/** Write the graph of the queue to a file, or to standard output for `-`; null: nothing. Returns
 * false after reporting an error. */
bool report_graph(op2_context ctx, const char *path);

/** The same for the report of what the library did with the loops. */
bool report_explain(op2_context ctx, const char *path);

/** Write all that the context has to an HDF5 file, by op2_file_dump(); null: no file. Returns false
 * after reporting an error, which it is if this was built without HDF5. */
bool report_state(op2_context ctx, const char *path);

#endif
