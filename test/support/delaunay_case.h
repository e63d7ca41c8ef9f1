/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_DELAUNAY_CASE_H
#define OP2_TEST_DELAUNAY_CASE_H

#include <stdint.h>

/* A triangulation of a disc, numbered as mesh generators number: first the points of the boundary,
 * then the interior points in the order of insertion, each put into the worst triangle of that
 * moment; triangles in the order of creation, where new ones reuse the numbers of removed ones. */
struct delaunay {
  int32_t nnodes, ntriangles, nedges;
  int32_t (*triangle)[3];
  int32_t (*edge)[2]; /* in the order in which the triangles meet them */
};

/* Ends the program if the mesh cannot be made. */
struct delaunay delaunay_make(int32_t nnodes);
/* Split each triangle into four; the new nodes come last. */
struct delaunay delaunay_refine(const struct delaunay *coarse);
void delaunay_free(struct delaunay *mesh);

#endif
