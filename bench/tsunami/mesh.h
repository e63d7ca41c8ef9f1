/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TSUNAMI_MESH_H
#define TSUNAMI_MESH_H

#include <stdint.h>

#include "common/error.h"

/** @file mesh.h
 * The sea: a square of MESH_EXTENT metres cut into triangles.
 *
 * Functions that can fail return 0 or -1; on -1 the text in *error says what is wrong and nothing
 * else was changed. They print nothing. A mesh obtained from one of them is given back with
 * mesh_free(). */

#define MESH_EXTENT 100e3

/** Interior edges lie between cells ecell[0] and ecell[1]; with (dx, dy) = x[edge[1]] - x[edge[0]]
 * the vector (dy, -dx) points out of the first. Boundary edges are oriented in the same way. */
typedef struct mesh {
  int64_t nnode, ncell, nedge, nbedge;
  double *x;       /**< [nnode][2] coordinates in metres, in [0, MESH_EXTENT] */
  int32_t *cell;   /**< [ncell][3] nodes, counter-clockwise */
  int32_t *edge;   /**< [nedge][2] nodes */
  int32_t *ecell;  /**< [nedge][2] cells */
  int32_t *bedge;  /**< [nbedge][2] nodes */
  int32_t *becell; /**< [nbedge] cell */
} mesh;

/** Cut ni x nj rectangles by diagonals of alternating direction into 2 ni nj triangles. Inner nodes
 * are displaced from the grid by distances that depend on their position in it alone. */
int mesh_generate(int64_t ni, int64_t nj, mesh *m, bench_error *error);

/** Open the mesh that a user names: `classic`, which is 500 x 500, or `IxJ` (two numbers). */
int mesh_open(const char *spec, mesh *m, bench_error *error);

/** Renumber nodes, cells and edges by random permutations that depend on `seed` alone; boundary
 * edges keep their order and follow. The geometry stays the same. */
int mesh_shuffle(mesh *m, uint64_t seed, bench_error *error);

/** Allocate the arrays for the counts that *m holds. */
int mesh_alloc(mesh *m, bench_error *error);

/** Free the arrays and zero the counts; *m may be all zero. */
void mesh_free(mesh *m);

#endif
