/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CG_PROBLEM_H
#define CG_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "airfoil/mesh.h"

/** @file problem.h
 * The problem: -div grad u = f on the nodes of an airfoil mesh, with u given on a part of the
 * boundary and no flux through the rest of it. Functions that can fail return as those of
 * mesh.h. */

typedef enum problem_kind {
  /** The potential of the flow round the section: no source, u = x in the far field, and no flux
   * through the section. The wake is a streamline without incidence, so the cut there may stay
   * open. */
  PROBLEM_FLOW,
  /** u = 1 + 2 x - 3 y, which bilinear elements hold exactly; given on the whole boundary. */
  PROBLEM_LINEAR,
  /** u = sin(x / 4) cos(y / 5) and the source that belongs to it; given on the whole boundary. */
  PROBLEM_WAVE
} problem_kind;

typedef struct problem {
  problem_kind kind;
  int64_t nfixed;
  int32_t *fixed; /**< [nfixed] the nodes where u is given, in ascending order */
  double *start;  /**< [nnode] u where it is given and zero elsewhere */
  double *source; /**< [nnode] f at the nodes */
} problem;

/** Set up the problem that a user names: `flow`, `linear` or `wave`. */
int problem_create(const char *name, const mesh *m, problem *p, bench_error *error);

/** Free the arrays; *p may be all zero. */
void problem_free(problem *p);

/** The result of a run. */
typedef struct outcome {
  int iterations;
  double residual; /**< norm of b - K u over the free nodes */
  bool converged;
} outcome;

/** Print a line for the residual after an iteration. */
void outcome_line(int iteration, double residual);

/** Print the result on stdout: how the solver ended, the root mean square of u over the nodes, and,
 * if the solution is known, the largest error. */
void outcome_print(const outcome *end, const problem *p, const mesh *m, const double *u);

#endif
