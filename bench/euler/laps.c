/* SPDX-License-Identifier: BSD-3-Clause */
#include "laps.h"

#include <stdio.h>

#include "common/clock.h"

void laps_begin(laps *l, int warmup, int iterations, double setup) {
  *l = (laps){.warmup = warmup, .iterations = iterations, .setup = setup, .begin = clock_now()};
  l->warm = l->end = l->begin;
}

bool laps_due(const laps *l, int step) {
  return step == l->warmup || step == LAPS_EARLY || step == LAPS_SHORT || step == l->iterations;
}

void laps_take(laps *l, int step) {
  const double now = clock_now();
  if (step == l->warmup) l->warm = now;
  if (step == LAPS_EARLY) l->early = now;
  if (step == LAPS_SHORT) l->brief = now;
  if (step == l->iterations) l->end = now;
}

void laps_print(const laps *l) {
  printf("setup_s %.6f\n", l->setup);
  if (l->brief > 0)
    printf("first_%d_iterations_s %.6f (%.6f with the setup)\n", LAPS_SHORT, l->brief - l->begin,
           l->brief - l->begin + l->setup);
  if (l->early > 0 && l->iterations > LAPS_EARLY)
    printf("time_per_iteration_from_%d_ms %.6f\n", LAPS_EARLY,
           1e3 * (l->end - l->early) / (l->iterations - LAPS_EARLY));
}
