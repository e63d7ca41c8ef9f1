/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EULER_LAPS_H
#define EULER_LAPS_H

#include <stdbool.h>

/** @file laps.h
 * Times within a run: the total cost of a short run, and the cost of a step after all initial work
 * of the library. */

enum { LAPS_SETTLED = 60, LAPS_EARLY = 100, LAPS_SHORT = 200 };

/** Seconds on the clock; 0 for points that were not reached. */
typedef struct laps {
  int warmup, iterations;
  double setup; /**< seconds that the run took to set up, before its first step */
  double begin, warm, settled, early, brief, end;
} laps;

/** Start the clock. */
void laps_begin(laps *l, int warmup, int iterations, double setup);

/** True if the clock is read after this step, which must have run by then. */
bool laps_due(const laps *l, int step);

/** Read the clock after a step for which it is due. */
void laps_take(laps *l, int step);

/** Print the time of the first 100 and 200 steps and that of a step from the sixtieth and from the
 * hundredth on, if the run got so far. */
void laps_print(const laps *l);

#endif
