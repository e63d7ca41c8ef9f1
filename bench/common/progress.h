/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_PROGRESS_H
#define BENCH_PROGRESS_H

#include <stdbool.h>

#include "op2.h"

/** @file progress.h
 * The progress of a run and the time that is left, on stderr. It does not make anything run: what
 * is still queued counts as not done. */

/** Begin a run of so many steps, and start the clock. Without `always` the progress is shown only
 * on a terminal; with it a file gets a line for every tenth part. `program` and `unit`, the name of
 * the steps, must outlive the run. Without a unit only shares are printed, for a run whose number
 * of steps is not known. */
void progress_begin(const char *program, int steps, const char *unit, bool always);

/** Return how many of the `queued` iterations, each of so many loops, have run. */
int progress_done(op2_context ctx, int queued, int loops);

/** Show the share of the run that is done, from 0 to 1. It may be called at any rate. */
void progress_show(double share);

/** Clear the line on the terminal, before something else is written. */
void progress_clear(void);

/** End the run: print that it is over and its time. Nothing is shown after that. */
void progress_end(void);

#endif
