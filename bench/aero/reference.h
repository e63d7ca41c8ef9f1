/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef AERO_REFERENCE_H
#define AERO_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/plan.h"
#include "options.h"
#include "problem.h"

/** @file reference.h
 * The hand-written programs: their arrays, the linearisation of the equation, and the driver of the
 * iterations. None uses the op2 library. They share one source, which the sequential program
 * compiles without OpenMP and with the cells as one block. */

typedef struct flow {
  int64_t nnode, ncell, nfar;
  const int32_t *cell, *far; /**< [ncell][4] nodes; [nfar] nodes */
  const double *x;           /**< [nnode][2] coordinates */
  double *phi, *inside;      /**< [nnode] as in a ::problem */
  double *u, *r, *p;         /**< [nnode] change, residual, direction */
  double *v;                 /**< [nnode] K p; zero before the first iteration */
  plan cells;                /**< blocks of cells; blocks of one colour share no node */
} flow;

/** A form in which the matrix is stored, with its iteration. */
typedef struct form {
  const char *name;
  bool inside; /**< True if values of far-field nodes are zero when they are stored */
  int (*prepare)(const flow *f, bench_error *error);
  void (*clear)(const flow *f); /**< before values are stored; may be null */
  void (*store)(const flow *f, int64_t c, const double k[4][4]);
  /** One iteration, which takes r.r before it and returns r.r after it. */
  double (*iterate)(const flow *f, double rr);
  void (*finish)(void);
} form;

extern const form form_op2;    /**< the loops of OP2's aero, one by one */
extern const form form_csr;    /**< rows and columns, in three passes */
extern const form form_slices; /**< the same, eight rows at a time */
extern const form form_cells;  /**< cell by cell, in three passes */

/** main() of a program, PROGRAM_SEQ or PROGRAM_OMP; the latter passes a function that sets the
 * number of threads. */
int reference_main(int argc, char **argv, unsigned program, void (*use_threads)(int n));

/** numerator / denominator, or 0 if `denominator` is 0. */
static inline double flow_quotient(double numerator, double denominator) {
  return denominator != 0 ? numerator / denominator : 0;
}

/** The last pass of an iteration in forms with few passes: p and u. */
void flow_pass_p(const flow *f, double step, double turn);

#endif
