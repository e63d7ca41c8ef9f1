/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_PROGRESS_H
#define BENCH_PROGRESS_H

#include <stdbool.h>

#include "op2.h"

/** @file progress.h
 * How far a run has come and how long it will still take, on stderr. Nothing is made to run for it:
 * what still waits in the queue counts as not done. */

/** Begin, with the clock, a run of so many steps. Without `always` it is shown on a terminal only;
 * with it a file gets a line for every tenth part. `program` and `unit`, the name of the steps, must
 * live on; without a unit only shares are told, for a run whose steps nobody knows. */
void progress_begin(const char *program, int steps, const char *unit, bool always);

/** The iterations that have run of the `queued` ones, each of so many loops. */
int progress_done(op2_context ctx, int queued, int loops);

/** The share of the run that is done, from 0 to 1. To be called as often as one likes. */
void progress_show(double share);

/** Clear the line on the terminal, before something else is written. */
void progress_clear(void);

/** The run is over: say so and how long it took. Nothing is shown after that. */
void progress_end(void);

#endif
