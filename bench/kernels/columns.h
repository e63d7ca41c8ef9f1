/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef KERNELS_COLUMNS_H
#define KERNELS_COLUMNS_H

#include <stdint.h>

/** @file columns.h
 * Blocks of elements whose values are in columns, so that `omp simd` finds them side by side: gcc
 * makes no vectors of rows of 13 or 25. Inner loops are in functions of their own, since gcc does
 * not keep the arrays of a simd loop's body in registers. */

enum { BLOCK = 64 };

/** Column k has value k of each element of a block. */
typedef double column[BLOCK];

/** Take the rows of a block of elements, each of `dim` values. */
static inline void columns_load(const double *restrict rows, int dim, column *restrict to) {
  for (int e = 0; e < BLOCK; e++)
    for (int k = 0; k < dim; k++) to[k][e] = rows[dim * e + k];
}

static inline void columns_store(double *restrict rows, int dim, const column *restrict from) {
  for (int e = 0; e < BLOCK; e++)
    for (int k = 0; k < dim; k++) rows[dim * e + k] = from[k][e];
}

/** Take the rows that a map of this arity leads to: column slot * dim + k has value k. */
static inline void columns_gather(const double *restrict x, int dim, const int32_t *restrict map,
                                  int arity, column *restrict to) {
  for (int e = 0; e < BLOCK; e++)
    for (int s = 0; s < arity; s++)
      for (int k = 0; k < dim; k++) to[s * dim + k][e] = x[dim * (int64_t)map[arity * e + s] + k];
}

/** Add to the rows that a map leads to, element by element. */
static inline void columns_add(double *restrict x, int dim, const int32_t *restrict map, int arity,
                               const column *restrict from) {
  for (int e = 0; e < BLOCK; e++)
    for (int s = 0; s < arity; s++)
      for (int k = 0; k < dim; k++)
        x[dim * (int64_t)map[arity * e + s] + k] += from[s * dim + k][e];
}

#endif
