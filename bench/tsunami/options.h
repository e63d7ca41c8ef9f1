/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TSUNAMI_OPTIONS_H
#define TSUNAMI_OPTIONS_H

#include <stdint.h>

#include "mesh.h"

/** @file options.h
 * Command line of the tsunami programs. */

/** The programs; each takes the options that mean something to it. */
enum { PROGRAM_OP2 = 1, PROGRAM_SEQ = 2, PROGRAM_OMP = 4 };

typedef struct options {
  const char *mesh;
  const char *shuffle; /**< the seed as given, null without --shuffle */
  uint64_t seed;
  double hump; /**< metres */
  int iterations, every, warmup, threads, block_size;
  const char *backend, *graph, *explain, *dump_q;
} options;

/** Read the command line of a program into *o. Returns -1 when it should go on, otherwise the exit
 * status: 0 after --help, 2 after a wrong option, which has been reported. */
int options_parse(int argc, char **argv, unsigned program, options *o);

/** Open and shuffle the mesh as the options say. */
int options_mesh(const options *o, mesh *m, mesh_error *error);

/** Time steps that run before the clock starts; at least one is timed when there is any. */
int options_warmup(const options *o);

#endif
