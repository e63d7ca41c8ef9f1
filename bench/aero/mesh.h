/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef AERO_MESH_H
#define AERO_MESH_H

#include <stdint.h>

#include "common/error.h"

/** @file mesh.h
 * The airfoil mesh for finite elements: the nodes of the wake are the same on both sides, and of
 * the boundary only the nodes of the far field are listed. It is generated, or read from OP2's
 * FE_grid.dat.
 *
 * Functions that can fail return 0 or -1; on -1 the text in *error says what is wrong and nothing
 * else was changed. A mesh obtained from one of them is freed with mesh_free(). */

typedef struct mesh {
  int64_t nnode, ncell, nfar;
  double *x;     /**< [nnode][2] coordinates, in chords */
  int32_t *cell; /**< [ncell][4] nodes: two of one side, then the two that face them */
  int32_t *far;  /**< [nfar] nodes of the far field */
} mesh;

/** Generate a mesh with ni cells along each side of the wake and along the section, and nj from
 * there to the far field. */
int mesh_generate(int64_t ni, int64_t nj, mesh *m, bench_error *error);

/** Read OP2's text file FE_grid.dat; errors name file and line. */
int mesh_read(const char *path, mesh *m, bench_error *error);

/** Write such a file; mesh_read() gives back the same mesh, bit for bit. */
int mesh_write(const mesh *m, const char *path, bench_error *error);

/** Open the mesh that a user names: `classic`, which is 400x600, `IxJ` (two numbers), or else a
 * file. */
int mesh_open(const char *spec, mesh *m, bench_error *error);

/** Allocate the arrays for the counts that *m holds. */
int mesh_alloc(mesh *m, bench_error *error);

/** Free the arrays and zero the counts; *m may be all zero. */
void mesh_free(mesh *m);

#endif
