/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef AIRFOIL_OPTIONS_H
#define AIRFOIL_OPTIONS_H

#include "common/option.h"
#include "mesh.h"

/** @file options.h
 * Command line of the airfoil programs. */

typedef struct options {
  const char *mesh;
  const char *shuffle; /**< the seed as given, null without --shuffle */
  int iterations, every, graph_steps;
  bool renumber, counts;
  const char *graph, *picture, *write_mesh, *dump_q;
  run_options run;
} options;

/** Parse the command line as option_parse() of option.h does, with its `program` and return
 * value. */
int options_parse(int argc, char **argv, unsigned program, options *o);

/** Open, shuffle and write the mesh as the options say. */
int options_mesh(const options *o, mesh *m, bench_error *error);

#endif
