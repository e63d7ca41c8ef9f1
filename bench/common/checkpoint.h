/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_CHECKPOINT_H
#define BENCH_CHECKPOINT_H

#include "report.h"

/** @file checkpoint.h
 * Checkpoints of an application (--checkpoint). Without this option the functions do nothing. */

/** The state that an application keeps: `ndats` dats, `ngbls` globals, and the number of iterations
 * that it has made. */
typedef struct kept_state {
  op2_context ctx;
  const op2_dat *dats;
  const op2_gbl *gbls;
  int ndats, ngbls;
  int *iteration;
} kept_state;

/** Go on from the last checkpoint, if there is one; *checkpoint is null without the option. All three
 * return false after reporting an error. */
bool checkpoint_begin(const run_options *run, const kept_state *kept, void **checkpoint);
/** An iteration is over; *stop is true if the run is to end. */
bool checkpoint_step(void *checkpoint, bool *stop);
/** Print how many were written and the time that it took. */
bool checkpoint_end(void **checkpoint);

#endif
