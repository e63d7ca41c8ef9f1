/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FEM_BY_HAND_H
#define FEM_BY_HAND_H

#include <stdbool.h>

#include "grid.h"

/** @file by_hand.h
 * The matrices of kernels_assembly.h assembled as one would write it for bilinear elements alone. */

/** Rows of blocks, and for each value of a cell's block where it goes. */
typedef struct by_hand {
  int dim;
  int64_t nplace;
  int32_t *start, *column, *place; /**< place: [ncell][4][4] */
  double *x;                       /**< the mesh's, on huge pages as the rest */
  int32_t *cell;
  double *values;
} by_hand;

/** Find rows and places. False without memory; free it in any case. */
bool by_hand_prepare(by_hand *h, const mesh *m, int dim);
/** Make all values zero. */
void by_hand_zero(by_hand *h);
/** Add all elements, with OpenMP. */
void by_hand_assemble(const by_hand *h, const mesh *m);
/** The sum of all values' squares. */
double by_hand_squares(const by_hand *h);
void by_hand_free(by_hand *h);

#endif
