/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EULER_LAPS_H
#define EULER_LAPS_H

#include <stdbool.h>

/** @file laps.h
 * Times on the way of a run: what a short run costs in all, and what a step costs once all that is
 * done on the way is done. */

enum { LAPS_EARLY = 100, LAPS_SHORT = 200 };

/** Seconds on the clock; 0 for what was not reached. */
typedef struct laps {
  int warmup, iterations;
  double setup; /**< seconds that the run took to set up, before its first step */
  double begin, warm, early, brief, end;
} laps;

/** Start the clock. */
void laps_begin(laps *l, int warmup, int iterations, double setup);

/** Whether the clock is looked at behind this step, which then has to have run. */
bool laps_due(const laps *l, int step);

/** Look at the clock, behind a step for which it is due. */
void laps_take(laps *l, int step);

/** Print the time of the first 200 steps and that of a step from the hundredth on, as far as the
 * run came. */
void laps_print(const laps *l);

#endif
