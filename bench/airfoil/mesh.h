/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef AIRFOIL_MESH_H
#define AIRFOIL_MESH_H

#include <stdint.h>

#include "common/error.h"

/** @file mesh.h
 * The airfoil mesh: a C-type grid of quadrilaterals round a NACA 0012 section, generated or read
 * from a file.
 *
 * Functions that can fail return 0 or -1; on -1 the text in *error says what is wrong and nothing
 * else was changed. They print nothing. A mesh obtained from one of them is given back with
 * mesh_free(). */

/** Kinds of boundary edges, as in OP2's grid file. */
enum { MESH_WALL = 1, MESH_FAR_FIELD = 2 };

/** Interior edges lie between cells ecell[0] and ecell[1]; with (dx, dy) = x[edge[0]] - x[edge[1]]
 * the vector (dy, -dx) points out of the first. Boundary edges are oriented in the same way. */
typedef struct mesh {
  int64_t nnode, ncell, nedge, nbedge;
  double *x;       /**< [nnode][2] coordinates, in chords */
  int32_t *cell;   /**< [ncell][4] nodes, in order round the cell */
  int32_t *edge;   /**< [nedge][2] nodes */
  int32_t *ecell;  /**< [nedge][2] cells */
  int32_t *bedge;  /**< [nbedge][2] nodes */
  int32_t *becell; /**< [nbedge] cell */
  int32_t *bound;  /**< [nbedge] MESH_WALL or MESH_FAR_FIELD */
} mesh;

/** Generate the grid with ni cells along each side of the wake and along the section, 3 ni in all,
 * and nj from there to the far field, at least 2 each. The classic mesh is 400 x 600. */
int mesh_generate(int64_t ni, int64_t nj, mesh *m, bench_error *error);

/** Read OP2's text file (new_grid.dat); errors name file and line. */
int mesh_read(const char *path, mesh *m, bench_error *error);

/** Write OP2's text file; mesh_read() gives back the same mesh, bit for bit. */
int mesh_write(const mesh *m, const char *path, bench_error *error);

/** Reading and writing of OP2's HDF5 files, whose names end in .h5, for programs that have called
 * mesh_hdf5_use(): see mesh_hdf5.h. */
typedef struct mesh_format {
  int (*read)(const char *path, mesh *m, bench_error *error);
  int (*write)(const mesh *m, const char *path, bench_error *error);
} mesh_format;
extern const mesh_format *mesh_hdf5; /**< null: no such files */

/** Write a mesh to a file of the format that its name ends in. */
int mesh_save(const mesh *m, const char *path, bench_error *error);

/** Open the mesh that a user names: `classic`, `IxJ` (two numbers), or else a file. */
int mesh_open(const char *spec, mesh *m, bench_error *error);

/** The same, shuffled with the seed that is given as text, unless that is null. */
int mesh_open_shuffled(const char *spec, const char *seed, mesh *m, bench_error *error);

/** Renumber nodes, cells and edges by random permutations that depend on `seed` alone; boundary
 * edges keep their order and follow. The geometry stays the same. */
int mesh_shuffle(mesh *m, uint64_t seed, bench_error *error);

/** Allocate the arrays for the counts that *m holds. */
int mesh_alloc(mesh *m, bench_error *error);

/** Free the arrays and zero the counts; *m may be all zero. */
void mesh_free(mesh *m);

#endif
