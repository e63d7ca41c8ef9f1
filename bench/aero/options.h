/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef AERO_OPTIONS_H
#define AERO_OPTIONS_H

#include "common/option.h"
#include "mesh.h"

/** @file options.h
 * Command line of the potential flow programs. */

typedef struct options {
  const char *mesh, *form;
  int newton;
  bool matrix_free;
  const char *graph, *write_mesh, *dump;
  run_options run;
} options;

/** Parse the command line as option_parse() of option.h does, with its `program` and return
 * value. */
int options_parse(int argc, char **argv, unsigned program, options *o);

/** Open the mesh that the options name, and write it if they say so. */
int options_mesh(const options *o, mesh *m, bench_error *error);

#endif
