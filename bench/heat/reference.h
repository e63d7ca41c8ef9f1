/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HEAT_REFERENCE_H
#define HEAT_REFERENCE_H

#include <stdint.h>

#include "options.h"
#include "problem.h"

/** @file reference.h
 * The common part of the two hand-written programs: the arrays, the flow along an edge, and the
 * driver of the time steps. Neither program uses the op2 library. */

typedef struct heat_state {
  int64_t nnode, nedge;
  int32_t *edge;    /**< [nedge][2] nodes */
  double *weight;   /**< [nedge] */
  double *rate, *u; /**< [nnode] */
  double *gain;     /**< [nnode] zero before every time step */
} heat_state;

/** A program: its preparation, if it needs one, and one time step, which returns the largest
 * change. It may swap u and gain, which have room for whole vectors, as all arrays of nodes do. */
typedef struct reference {
  unsigned program; /**< PROGRAM_SEQ or PROGRAM_OMP */
  int (*prepare)(const options *o, const heat_state *s, bench_error *error);
  double (*step)(heat_state *s);
  void (*finish)(void);
} reference;

/** main() of a reference program. */
int reference_main(int argc, char **argv, const reference *r);

static inline void ref_flow(double weight, const int32_t *restrict node, const double *restrict u,
                            double *restrict gain) {
  const double heat = weight * (u[node[1]] - u[node[0]]);
  gain[node[0]] += heat;
  gain[node[1]] -= heat;
}

#endif
