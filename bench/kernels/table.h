/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef KERNELS_TABLE_H
#define KERNELS_TABLE_H

#include "common/option.h"
#include "rounds.h"

/** @file table.h
 * A kernel at one size: results compared, times taken, lines printed. */

enum { MOST_SIZES = 16 };

typedef struct settings {
  const char *kernels, *sizes;
  int rounds, stream;
  double least;
  bool all, list, spoil, untried;
  int nsize;
  int64_t size[MOST_SIZES];
  run_options run;
} settings;

/** Where it runs: a context with vector code and one without, and what the memory gives. */
typedef struct machine {
  op2_context vectors, scalars;
  int threads;
  double read, change; /**< bytes per second; 0: not measured */
} machine;

/** Start the contexts and measure the memory; machine_end() is due in either case. Return false
 * after reporting an error. */
bool machine_start(machine *m, const settings *o);
bool machine_end(machine *m);

/** Comparisons of results, and ratios with the figures they are held against. */
typedef struct counts {
  int results, different;
  int figures;
  int missed; /**< the interval is below the figure */
  int unsure; /**< the figure is in the interval */
} counts;

void table_head(const settings *o, const machine *m);

/** Run a kernel at one size and print its lines. Returns false after reporting an error; results
 * that differ are reported and counted. */
bool table_lines(const settings *o, const machine *m, const yardstick *y, int64_t size, counts *c);

void table_foot(const counts *c);

#endif
