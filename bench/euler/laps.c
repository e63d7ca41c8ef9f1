/* SPDX-License-Identifier: BSD-3-Clause */
#include "laps.h"

#include <stdio.h>

#include "common/clock.h"

void laps_begin(laps *l, int warmup, int iterations, double setup) {
  *l = (laps){.warmup = warmup, .iterations = iterations, .setup = setup, .begin = clock_now()};
  l->warm = l->end = l->begin;
}

bool laps_due(const laps *l, int step) {
  return step == l->warmup || step == LAPS_SETTLED || step == LAPS_EARLY || step == LAPS_SHORT ||
         step == l->iterations;
}

void laps_take(laps *l, int step) {
  const double now = clock_now();
  if (step == l->warmup) l->warm = now;
  if (step == LAPS_SETTLED) l->settled = now;
  if (step == LAPS_EARLY) l->early = now;
  if (step == LAPS_SHORT) l->brief = now;
  if (step == l->iterations) l->end = now;
}

static void print_first(const laps *l, int steps, double time) {
  if (time > 0)
    printf("first_%d_iterations_s %.6f (%.6f with the setup)\n", steps, time - l->begin,
           time - l->begin + l->setup);
}

static void print_from(const laps *l, int step, double time) {
  if (time > 0 && l->iterations > step)
    printf("time_per_iteration_from_%d_ms %.6f\n", step,
           1e3 * (l->end - time) / (l->iterations - step));
}

void laps_print(const laps *l) {
  printf("setup_s %.6f\n", l->setup);
  print_first(l, LAPS_EARLY, l->early);
  print_first(l, LAPS_SHORT, l->brief);
  print_from(l, LAPS_SETTLED, l->settled);
  print_from(l, LAPS_EARLY, l->early);
}
