/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FEM_GRID_H
#define FEM_GRID_H

#include <stdint.h>

#include "common/error.h"

/** @file grid.h
 * The unit square in n * n slightly distorted cells, each of them a quadrilateral or two
 * triangles. */

typedef enum grid_element { GRID_P1, GRID_Q1, GRID_P2 } grid_element;

typedef struct mesh {
  grid_element element;
  int n, arity;                  /**< cells along a side, nodes of an element */
  int64_t nnode, ncell, ncorner; /**< ncorner: nodes without those between corners */
  double *x;                     /**< [nnode][2] */
  double *inside;                /**< [nnode] 0 at the boundary, else 1 */
  int32_t *cell;                 /**< [ncell][arity] */
  int32_t *corner; /**< [ncell][3] of quadratic elements, with numbers of their own; else null */
} mesh;

/** Make the mesh. Returns 0, or -1 with a message. */
int grid_make(grid_element element, int n, mesh *m, bench_error *error);
void mesh_free(mesh *m);

#endif
