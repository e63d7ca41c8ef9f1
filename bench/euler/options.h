/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EULER_OPTIONS_H
#define EULER_OPTIONS_H

#include "common/option.h"
#include "mesh.h"

/** @file options.h
 * Command line of the Euler programs. */

typedef struct options {
  const char *mesh, *size, *far_field; /**< null: not given */
  double mach;
  int refine, iterations, every;
  bool renumber, flush;
  const char *graph, *dump_q;
  run_options run;
} options;

/** Parse the command line as option_parse() of option.h does, with its `program` and return
 * value. */
int options_parse(int argc, char **argv, unsigned program, options *o);

/** Read or make the mesh, refine and finish it as the options say. */
int options_mesh(const options *o, mesh *m, bench_error *error);

/** Print the sizes of the mesh. */
void options_print_mesh(const mesh *m);

#endif
