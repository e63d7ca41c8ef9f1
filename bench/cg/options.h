/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CG_OPTIONS_H
#define CG_OPTIONS_H

#include "common/option.h"
#include "problem.h"

/** @file options.h
 * Command line of the conjugate gradient programs. */

typedef struct cg_options {
  const char *mesh, *problem;
  const char *shuffle; /**< the seed as given, null without --shuffle */
  int iterations, check;
  double tolerance;
  const char *graph, *dump;
  run_options run;
} cg_options;

/** As option_parse() of option.h, which says what `program` is and what is returned. */
int cg_options_parse(int argc, char **argv, unsigned program, cg_options *o);

/** The mesh and the problem that the options name. */
int cg_options_open(const cg_options *o, mesh *m, problem *p, bench_error *error);

#endif
