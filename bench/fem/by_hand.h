/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FEM_BY_HAND_H
#define FEM_BY_HAND_H

#include <stdbool.h>

#include "grid.h"

/** @file by_hand.h
 * The matrices of kernels_assembly.h, assembled by code that is written for bilinear elements
 * alone. */

/** A matrix in block rows, and the index of each value of a cell's block. */
typedef struct by_hand {
  int dim;
  int64_t nplace;
  int32_t *start, *column, *place; /**< place: [ncell][4][4] */
  double *x;                       /**< the mesh's coordinates, on huge pages like the other
                                        arrays */
  int32_t *cell;
  double *values;
} by_hand;

/** Find rows and indices. Returns false without memory; free it in any case. */
bool by_hand_prepare(by_hand *h, const mesh *m, int dim);
/** Set all values to zero. */
void by_hand_zero(by_hand *h);
/** Add all elements, with OpenMP. */
void by_hand_assemble(const by_hand *h, const mesh *m);
/** Return the sum of the squares of all values. */
double by_hand_squares(const by_hand *h);
void by_hand_free(by_hand *h);

#endif
