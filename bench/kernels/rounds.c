/* SPDX-License-Identifier: BSD-3-Clause */
#include "rounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"

static double processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Wait until threads that the last subject left waiting for work have gone to sleep, at most for a
 * quarter of a second. */
static void settle(void) {
  for (int k = 0; k < 250; k++) {
    const double before = processor_time();
    nanosleep(&(struct timespec){0, 1000000}, NULL);
    if (processor_time() - before < 2e-4) return;
  }
}

static bool run(const contest *c, const subject *s) {
  if (s->ours) return ours_run(s->ours, c->y);
  if (s->twin)
    crew_run(c->crew, s->twin);
  else
    crew_read(c->crew->threads, c->stream, c->bytes);
  return true;
}

static bool measure(const contest *c, const subject *s, double *time) {
  const double begin = clock_now();
  for (int64_t k = 0; k < s->repeats; k++)
    if (!run(c, s)) return false;
  *time = (clock_now() - begin) / (double)s->repeats;
  return true;
}

/* Choose the number of steps by runs that double until they take long enough. */
static bool calibrate(const contest *c, subject *s, double seconds) {
  settle();
  for (s->repeats = 1;; s->repeats *= 2) {
    if (!measure(c, s, &s->step)) return false;
    if (s->step * (double)s->repeats >= seconds) return true;
  }
}

/* A step before the clock starts wakes the threads, which matters for short ones only. */
static bool warm(const contest *c, const subject *s) {
  const double long_step = 0.02;
  settle();
  return s->step > long_step || run(c, s);
}

bool rounds_run(contest *c, int rounds, double seconds) {
  for (int k = 0; k < c->n; k++)
    if (!calibrate(c, &c->subjects[k], seconds)) return false;
  for (int r = 0; r < rounds; r++)
    for (int k = 0; k < c->n; k++) {
      const subject *s = &c->subjects[(k + r) % c->n];
      if (!warm(c, s) || !measure(c, s, &s->times[r])) return false;
    }
  return true;
}

/* ---- figures --------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void sorted(const double *values, int n, double *out) {
  memcpy(out, values, (size_t)n * sizeof *out);
  qsort(out, (size_t)n, sizeof *out, by_size);
}

static double middle(const double *ordered, int n) {
  return 0.5 * (ordered[(n - 1) / 2] + ordered[n / 2]);
}

double rounds_median(const double *times, int n) {
  double ordered[MOST_ROUNDS];
  sorted(times, n, ordered);
  return middle(ordered, n);
}

double rounds_least(const double *times, int n) {
  double least = times[0];
  for (int k = 1; k < n; k++) least = fmin(least, times[k]);
  return least;
}

/* How many of the n values in order may be left out at either end: as many as the median is beyond
 * with a probability of 2.5 % at most, by the binomial distribution. */
static int left_out(int n) {
  double term = pow(0.5, n), sum = term;
  int k = 0;
  while (sum <= 0.025) {
    k++;
    term *= (double)(n - k + 1) / k;
    sum += term;
  }
  return k > 0 ? k - 1 : 0;
}

ratio rounds_ratio(const double *above, const double *below, int n) {
  double pairs[MOST_ROUNDS], ordered[MOST_ROUNDS];
  for (int k = 0; k < n; k++) pairs[k] = above[k] / below[k];
  sorted(pairs, n, ordered);
  const int k = left_out(n);
  return (ratio){rounds_least(above, n) / rounds_least(below, n), middle(ordered, n), ordered[k],
                 ordered[n - 1 - k]};
}
