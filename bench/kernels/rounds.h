/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef KERNELS_ROUNDS_H
#define KERNELS_ROUNDS_H

#include "ours.h"
#include "twin.h"

/** @file rounds.h
 * Times of a kernel and its twins, taken in turn. */

enum { MOST_ROUNDS = 999, MOST_SUBJECTS = 3 + MOST_TWINS };

/** A subject is timed: it is the library, a twin, or the reading of an array. */
typedef struct subject {
  const char *name;
  ours *ours;       /**< null: not the library */
  const twin *twin; /**< null: not a twin */
  int64_t repeats;  /**< steps of a measurement */
  double step;      /**< about how many seconds a step takes */
  double *times;    /**< seconds of a step, one of each round */
} subject;

/** All that one line of the table is about. */
typedef struct contest {
  const yardstick *y;
  const crew *crew;
  const double *stream; /**< an array of as many bytes as the problem has */
  int64_t bytes;
  int n;
  subject subjects[MOST_SUBJECTS];
} contest;

/** Time each subject in so many rounds, in another order each time; a measurement takes at least so
 * many seconds. Returns false after reporting an error. */
bool rounds_run(contest *c, int rounds, double seconds);

/** The ratio of the times of two subjects, by pairs. */
typedef struct ratio {
  double least;        /**< of the least times */
  double median;       /**< of the pairs */
  double lower, upper; /**< the 95 % interval of the median, which supposes no distribution; with
                            less than six rounds it is all there is and covers less */
} ratio;

ratio rounds_ratio(const double *above, const double *below, int n);

/** The least and the median of n times. */
double rounds_least(const double *times, int n);
double rounds_median(const double *times, int n);

#endif
