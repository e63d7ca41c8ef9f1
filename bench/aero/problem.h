/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef AERO_PROBLEM_H
#define AERO_PROBLEM_H

#include "mesh.h"

/** @file problem.h
 * The problem: div(rho grad phi) = 0, full potential flow of Mach number 0.1, solved as in OP2's
 * aero by Newton steps, each by truncated conjugate gradients. */

#define PROBLEM_MACH     0.1
#define PROBLEM_DECREASE 0.1 /**< of the residual, after which a step's iterations end */
enum { PROBLEM_MOST = 200 }; /**< maximum of iterations in a step */

typedef struct problem {
  double *phi;    /**< [nnode] the potential at the start */
  double *inside; /**< [nnode] 0 in the far field, where phi is given, and else 1 */
} problem;

/** Set up the problem, to be freed with problem_free(). Returns 0, or -1 with the reason in
 * *error. */
int problem_create(const mesh *m, problem *p, bench_error *error);

/** Free the arrays; *p may be all zero. */
void problem_free(problem *p);

/** Print a line for a step: its number, its iterations and the rms of the change. */
void problem_line(int step, int iterations, double rms);

#endif
