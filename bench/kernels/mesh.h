/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef KERNELS_MESH_H
#define KERNELS_MESH_H

#include "problem.h"

/** @file mesh.h
 * Meshes for problems: set 0 has about n elements, set 1 is what map 0 leads to. Numbers follow the
 * lines of a grid, as after a good renumbering. */

void mesh_direct(problem *p, int64_t n); /**< n elements and no map */
void mesh_tets(problem *p, int64_t n);   /**< tetrahedra, with their 4 nodes */
void mesh_hexes(problem *p, int64_t n);  /**< hexahedra, with their 8 nodes */
void mesh_edges(problem *p, int64_t n);  /**< edges of tetrahedra, with their 2 nodes */
void mesh_faces(problem *p, int64_t n);  /**< sides between quadrilaterals, with 2 of these */

/** The edges of about n nodes of triangles; the nodes are set 0 and the edges set 1. */
void mesh_triangles(problem *p, int64_t n);

/** Hexahedra with 27 nodes each. */
void mesh_quadratic(problem *p, int64_t n);

/** Coordinate k of a point of the grid, which is slightly distorted, so that no two elements are
 * alike. */
problem_value mesh_point;

#endif
