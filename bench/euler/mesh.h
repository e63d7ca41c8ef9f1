/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EULER_MESH_H
#define EULER_MESH_H

#include <stdint.h>

#include "common/error.h"

/** @file mesh.h
 * Triangulations of the plane, from SU2's mesh files or of a channel, and their median dual: round
 * every node a dual cell of thirds of the triangles there, and for every edge the face that the
 * dual cells of its two nodes share.
 *
 * Functions that can fail return 0 or -1; on -1 the text in *error says what is wrong. They print
 * nothing. A mesh obtained from one of them is freed with mesh_free(), also if a later one
 * fails. */

enum { MESH_MARKERS = 64, MESH_NAME = 64 };

/** Kinds of boundary edges. */
enum { MESH_WALL = 0, MESH_FAR_FIELD = 1 };

/** The length of a normal is that of its face. Boundary edges have the mesh on their left. */
typedef struct mesh {
  const char *name; /**< for messages */
  int64_t nnode, ncell, nbedge, nedge;
  double *x;       /**< [nnode][2] */
  int32_t *cell;   /**< [ncell][3] nodes, counter-clockwise */
  int32_t *bedge;  /**< [nbedge][2] nodes */
  int32_t *marker; /**< [nbedge] */
  int nmarker;
  char marker_name[MESH_MARKERS][MESH_NAME];

  /* made by mesh_finish() */
  int32_t *edge;   /**< [nedge][2] nodes, sorted; the lower one comes first */
  double *normal;  /**< [nedge][3] from the first node's cell to the second's, and its length */
  double *bnormal; /**< [nbedge][3] out of the mesh, and its length */
  int32_t *kind;   /**< [nbedge] MESH_WALL or MESH_FAR_FIELD */
  double *area;    /**< [nnode] area of the dual cell */
  double *rim;     /**< [nnode] perimeter of the dual cell */
} mesh;

/** Read an SU2 file; errors name file and line. Quadrilaterals are cut into two triangles. The path
 * must outlive the mesh. */
int mesh_read(const char *path, mesh *m, bench_error *error);

/** A channel of 3 by 1 with a bump on its floor, ni x nj rectangles of two triangles. Its markers
 * are inlet, outlet, floor and ceiling. */
int mesh_channel(int64_t ni, int64_t nj, mesh *m, bench_error *error);

/** The same channel as a Delaunay triangulation of about so many nodes, which are numbered at random,
 * always in the same way. */
int mesh_random(int64_t nodes, mesh *m, bench_error *error);

/** Check that cells and boundary edges fit together, and turn the latter. */
int mesh_check(mesh *m, bench_error *error);

/** Split every triangle into four, so many times. Nodes keep their numbers; the new ones follow in
 * the order of the edges that they halve. */
int mesh_refine(mesh *m, int times, bench_error *error);

/** Make edges and dual. The far field consists of the markers in `far_field`, which are names
 * separated by commas or `none`; if it is null, of those whose names speak of far fields, inflow
 * and outflow. */
int mesh_finish(mesh *m, const char *far_field, bench_error *error);

/** Allocate cells, nodes and boundary edges for the counts that *m holds. */
int mesh_alloc(mesh *m, bench_error *error);

/** Free the arrays and zero the counts; *m may be all zero. */
void mesh_free(mesh *m);

#endif
