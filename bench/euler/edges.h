/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EULER_EDGES_H
#define EULER_EDGES_H

#include "mesh.h"

/** @file edges.h
 * The edges of a triangulation, sorted by their nodes. */

typedef struct edges {
  int64_t n;
  int32_t *node;  /**< [n][2], the lower one first */
  int64_t *start; /**< [nnode + 1] the first edge whose lower node is this one */
} edges;

/** List the edges of a mesh, to be freed with edges_free(). */
int edges_make(const mesh *m, edges *e, bench_error *error);

/** Return the edge between two nodes, or -1. */
int64_t edges_find(const edges *e, int32_t a, int32_t b);

/** Free the arrays; *e may be all zero. */
void edges_free(edges *e);

#endif
