/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HEAT_PROBLEM_H
#define HEAT_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "airfoil/mesh.h"

/** @file problem.h
 * Heat that spreads over the nodes of an airfoil mesh, by finite volumes round them and explicit
 * time steps. No heat crosses the boundary, so its total is constant. Functions that can fail
 * return as those of mesh.h. */

typedef struct problem {
  double *area;   /**< [nnode] a quarter of each cell round the node */
  double *start;  /**< [nnode] temperatures at the start, from 0 to 1 */
  double *rate;   /**< [nnode] length of the time step over the area */
  double *weight; /**< [nedge] width of the face that heat flows through, over the edge's length */
} problem;

/** Compute what is the same for all time steps. Their length is limited by the smallest volume. */
int problem_create(const mesh *m, problem *p, bench_error *error);

/** Free the arrays; *p may be all zero. */
void problem_free(problem *p);

/** The result of a run. */
typedef struct outcome {
  int steps;
  double change; /**< largest change of a temperature in the last step */
  bool steady;   /**< True if it was small enough to stop */
} outcome;

/** Print a line for the largest change of a time step. */
void outcome_line(int step, double change);

/** Print the result on stdout: how the run ended, the total heat, and the highest temperature. */
void outcome_print(const outcome *end, const problem *p, const mesh *m, const double *u);

#endif
