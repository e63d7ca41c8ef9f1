/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MODEL_RECORD_H
#define MODEL_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

/** @file record.h
 * The file that OP2_SCHEDULE names: runs of loops, their plans, and which member of a team took
 * which blocks. */

/** A loop of a run. */
typedef struct record_step {
  char name[128];
  int64_t elements, size; /**< of the range; of a block */
  double bytes;           /**< that the loop moves at least */
  bool partials;          /**< it combines a partial result of each block */
  int32_t ncolour, nblock;
  int32_t *blocks; /**< [ncolour] */
} record_step;

/** Blocks that were taken together; n is 0 for a member's stay in a turn, and -1 for combining. */
typedef struct record_event {
  int32_t step, colour, member, owner, first, n;
  int64_t came, begin, end; /**< nanoseconds since the run began */
} record_event;

typedef struct record_run {
  bool openmp; /**< else a team of starpu's workers */
  int members;
  int64_t nstep, nevent, step_space, event_space;
  record_step *steps;
  record_event *events;
  int64_t ns, lost; /**< length of the run; events that were not recorded */
} record_run;

typedef struct record {
  int64_t nrun, space;
  record_run *runs;
} record;

/** Add the second half of a file's runs, whose code and data are in their places, to what *r holds;
 * it may be all zero. Returns 0, or -1 with the reason in *error and nothing in *r. */
int record_read(const char *path, record *r, bench_error *error);
void record_free(record *r);

#endif
