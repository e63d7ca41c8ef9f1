/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MODEL_MACHINE_H
#define MODEL_MACHINE_H

#include <stdbool.h>
#include <stdio.h>

#include "simulate.h"

/** @file machine.h
 * Measures what the machine takes for the parts of dispatch, and for bytes from caches or from
 * memory. */

enum { MACHINE_SIZES = 9, MACHINE_THREADS = 2, MACHINE_KERNELS = 4, MACHINE_MOST = 64 };

typedef struct machine {
  int cores;
  sim_costs costs;             /**< without fold and start, which a run tells */
  double bytes[MACHINE_SIZES]; /**< of a working set */
  /** [threads - 1]: nanoseconds of a thread for each of its bytes while all of them pass over the
   * working set, of which each has a part, by kernels that compute more and more */
  double byte_ns[MACHINE_THREADS][MACHINE_KERNELS][MACHINE_SIZES];
} machine;

/** Measure; some seconds. Returns false if memory is short or the library fails. */
bool machine_measure(machine *m);

/** Measure what it takes to queue a loop and to find its program again. */
bool machine_queue_ns(double *ns);

/** The nanoseconds that a byte takes more in a working set of `bytes` with so many threads than in
 * one of `before` with one, for code that takes `ns` for a byte there: the more it computes, the
 * more of this is hidden. */
double machine_more_ns(const machine *m, double ns, double before, double bytes, int threads);

/** The median of up to MACHINE_MOST measurements, number by number. */
machine machine_median(const machine *several, int n);

/** Print what was measured. */
void machine_print(const machine *m, FILE *stream);

#endif
