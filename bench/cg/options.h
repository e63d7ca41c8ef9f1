/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CG_OPTIONS_H
#define CG_OPTIONS_H

#include "problem.h"

/** @file options.h
 * Command line of the conjugate gradient programs. */

/** The programs; each takes the options that mean something to it. */
enum { CG_OP2 = 1, CG_SEQ = 2, CG_OMP = 4 };

typedef struct cg_options {
  const char *mesh, *problem;
  const char *shuffle; /**< the seed as given, null without --shuffle */
  int iterations, check, warmup, threads, block_size;
  double tolerance;
  const char *backend, *graph, *explain, *dump;
} cg_options;

/** Read the command line of a program into *o. Returns -1 when it should go on, otherwise the exit
 * status: 0 after --help, 2 after a wrong option, which has been reported. */
int cg_options_parse(int argc, char **argv, unsigned program, cg_options *o);

/** The mesh and the problem that the options name. */
int cg_options_open(const cg_options *o, mesh *m, problem *p, mesh_error *error);

/** Iterations that run before the clock starts; at least one is timed when there is any. */
int cg_options_warmup(const cg_options *o);

#endif
