/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HEAT_OPTIONS_H
#define HEAT_OPTIONS_H

#include "airfoil/mesh.h"
#include "common/option.h"

/** @file options.h
 * Command line of the heat programs. */

typedef struct options {
  const char *mesh;
  const char *shuffle; /**< the seed as given, null without --shuffle */
  int iterations, every;
  double tolerance;
  const char *graph, *dump;
  run_options run;
} options;

/** Parse the command line as option_parse() of option.h does, with its `program` and return
 * value. */
int options_parse(int argc, char **argv, unsigned program, options *o);

/** Open the mesh that the options name. */
int options_mesh(const options *o, mesh *m, bench_error *error);

#endif
