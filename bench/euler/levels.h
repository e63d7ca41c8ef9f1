/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EULER_LEVELS_H
#define EULER_LEVELS_H

#include "options.h"

/** @file levels.h
 * The meshes of a multigrid method: the mesh of the options is the coarsest, and each finer one has
 * its triangles split into four. */

enum { LEVELS = 3 };

typedef struct levels {
  mesh mesh[LEVELS]; /**< from the finest to the coarsest */
  int32_t
      *parent[LEVELS - 1]; /**< [nnode of level k][2] the nodes of level k + 1 at the ends of the
                                    edge that the node halves, or the node itself twice */
} levels;

/** Make the finer meshes of a coarsest one, which levels_free() frees together with them. Returns 0,
 * or -1 with the reason in *error and nothing to free but `coarsest`. */
int levels_make(const options *o, mesh *coarsest, levels *l, bench_error *error);

void levels_free(levels *l);

#endif
