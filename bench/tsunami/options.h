/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TSUNAMI_OPTIONS_H
#define TSUNAMI_OPTIONS_H

#include "common/option.h"
#include "mesh.h"

/** @file options.h
 * Command line of the tsunami programs. */

typedef struct options {
  const char *mesh;
  const char *shuffle; /**< the seed as given, null without --shuffle */
  double hump;         /**< metres */
  int iterations, every;
  const char *graph, *picture, *dump_q;
  run_options run;
} options;

/** Parse the command line as option_parse() of option.h does, with its `program` and return
 * value. */
int options_parse(int argc, char **argv, unsigned program, options *o);

/** Open and shuffle the mesh as the options say. */
int options_mesh(const options *o, mesh *m, bench_error *error);

#endif
