/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CG_REFERENCE_H
#define CG_REFERENCE_H

#include <stdint.h>

#include "options.h"
#include "problem.h"

/** @file reference.h
 * The common part of the two hand-written programs: the system's arrays and their set-up, the
 * kernel of the matrix, and the driver of the iteration. Neither program uses the op2 library. */

typedef struct cg_system {
  int64_t nnode, ncell, nfixed;
  int32_t *cell;        /**< [ncell][4] nodes */
  const int32_t *fixed; /**< [nfixed] nodes where u is given */
  double *k;            /**< [ncell][10] element matrices, rows from the diagonal on */
  double *u, *r, *p;    /**< [nnode] solution, residual, direction */
  double *v;            /**< [nnode] K p; zero before every iteration */
} cg_system;

/** A program: its preparation, if it needs one, and one iteration, which takes r.r before it and
 * returns r.r after it. */
typedef struct reference {
  unsigned program; /**< PROGRAM_SEQ or PROGRAM_OMP */
  int (*prepare)(const options *o, const cg_system *s, bench_error *error);
  double (*iterate)(const cg_system *s, double rr);
  void (*finish)(void);
} reference;

/** main() of a reference program. */
int reference_main(int argc, char **argv, const reference *r);

/** v += K p, the part of one cell. */
static inline void ref_spmv(const double *restrict k, const int32_t *restrict node,
                            const double *restrict p, double *restrict v) {
  const double p0 = p[node[0]], p1 = p[node[1]], p2 = p[node[2]], p3 = p[node[3]];
  v[node[0]] += k[0] * p0 + k[1] * p1 + k[2] * p2 + k[3] * p3;
  v[node[1]] += k[1] * p0 + k[4] * p1 + k[5] * p2 + k[6] * p3;
  v[node[2]] += k[2] * p0 + k[5] * p1 + k[7] * p2 + k[8] * p3;
  v[node[3]] += k[3] * p0 + k[6] * p1 + k[8] * p2 + k[9] * p3;
}

/** numerator / denominator, or 0 if `denominator` is 0. */
static inline double ref_quotient(double numerator, double denominator) {
  return denominator != 0.0 ? numerator / denominator : 0.0;
}

#endif
