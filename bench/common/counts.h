/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_COUNTS_H
#define BENCH_COUNTS_H

#include "report.h"

/** @file counts.h
 * Counts that do not depend on the machine: how much of a mesh each rank has, and what ranks send
 * in one iteration. */

/** Communication up to some moment. */
typedef struct counts {
  op2_comm_stats stats;
  int64_t n, *messages; /**< [n] to each neighbour */
} counts;

/** A set and its name, which the library does not report. */
typedef struct counted_set {
  op2_set set;
  const char *name;
} counted_set;

/** Get the counts; *c holds earlier ones or is all zero. Returns false after reporting an error. */
bool counts_get(op2_context ctx, counts *c);

/** Print, one line each, the sum over all ranks and the largest value of one rank: elements of the
 * sets by section, cut rows of maps, elements of all sets; and, since `before`, exchanges, messages
 * and bytes per iteration, and the number of ranks they went to. Returns false after reporting an
 * error. */
bool counts_print(op2_context ctx, int n, const counted_set *sets, const counts *before,
                  int64_t iterations);

void counts_free(counts *c);

#endif
