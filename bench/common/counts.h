/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_COUNTS_H
#define BENCH_COUNTS_H

#include "report.h"

/** @file counts.h
 * What does not depend on the machine: how much of a mesh each rank has, and what travels between
 * ranks in one iteration. */

/** What had travelled at some moment. */
typedef struct counts {
  op2_comm_stats stats;
  int64_t n, *messages; /**< [n] to each neighbour */
} counts;

/** The library does not tell the names of sets. */
typedef struct counted_set {
  op2_set set;
  const char *name;
} counted_set;

/** Get them; *c holds others or is all zero. Returns false after reporting an error. */
bool counts_get(op2_context ctx, counts *c);

/** Print, a line each, what all ranks have together and the most that one has: elements of the sets by
 * section, cut rows of maps, elements of all sets; and of what has travelled since `before`, exchanges,
 * messages and bytes of an iteration, and to how many ranks. Returns false after reporting an error. */
bool counts_print(op2_context ctx, int n, const counted_set *sets, const counts *before,
                  int64_t iterations);

void counts_free(counts *c);

#endif
