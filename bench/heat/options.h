/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HEAT_OPTIONS_H
#define HEAT_OPTIONS_H

#include "common/option.h"
#include "problem.h"

/** @file options.h
 * Command line of the heat programs. */

typedef struct heat_options {
  const char *mesh;
  const char *shuffle; /**< the seed as given, null without --shuffle */
  int iterations, every;
  double tolerance;
  const char *graph, *dump;
  run_options run;
} heat_options;

/** As option_parse() of option.h, which says what `program` is and what is returned. */
int heat_options_parse(int argc, char **argv, unsigned program, heat_options *o);

/** The mesh that the options name, and the problem on it. */
int heat_options_open(const heat_options *o, mesh *m, problem *p, bench_error *error);

#endif
