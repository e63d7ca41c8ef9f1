/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MODEL_CHECK_H
#define MODEL_CHECK_H

#include "predict.h"

/** @file check.h
 * Recorded schedules beside those of the model, where members share the cores of this machine. */

/** Compare each loop's turns in a record with the model's: rounds, which are the blocks of the
 * member that ran most of them, stolen blocks, and the share of time for which members are idle.
 * Prints a line for each loop. Returns 0, or -1 with the reason in *error. */
int check_schedule(const machine *m, const char *name, const profile *p, const record *r,
                   bench_error *error);

/** Rehearse turns of 256 blocks by so many members, which need no cores while they sleep: in one
 * colour and in two, with equal blocks and with blocks that differ. Prints a line for each. `path`
 * is a file for records. */
int check_rehearsals(int members, const char *path, bench_error *error);

#endif
