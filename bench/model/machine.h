/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MODEL_MACHINE_H
#define MODEL_MACHINE_H

#include <stdbool.h>
#include <stdio.h>

#include "simulate.h"

/** @file machine.h
 * What the machine takes for the parts of dispatch, and for bytes that come from caches or from
 * memory: all of it is measured. */

enum { MACHINE_SIZES = 12, MACHINE_THREADS = 2 };

typedef struct machine {
  int cores;
  sim_costs costs;             /**< without fold, start and queue, which a run tells */
  double bytes[MACHINE_SIZES]; /**< of a working set */
  /** [threads - 1]: nanoseconds of a thread for each of its bytes while all of them pass over the
   * working set, of which each has a part */
  double byte_ns[MACHINE_THREADS][MACHINE_SIZES];
} machine;

/** Measure; a second or two. Returns false if memory is short. */
bool machine_measure(machine *m);

/** Nanoseconds of a thread for each of its bytes in a working set of so many bytes. */
double machine_byte_ns(const machine *m, double bytes, int threads);

/** Print what was measured. */
void machine_print(const machine *m, FILE *stream);

#endif
