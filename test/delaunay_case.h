/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_DELAUNAY_CASE_H
#define OP2_TEST_DELAUNAY_CASE_H

#include <stdint.h>

/* A triangulation of a disc, numbered as mesh generators number: the points of the boundary first,
 * then those inside in the order in which they were put in, each into the worst triangle of the
 * moment; triangles as they were made, in the places of those that went. */
struct delaunay {
  int32_t nnodes, ntriangles, nedges;
  int32_t (*triangle)[3];
  int32_t (*edge)[2]; /* as the triangles meet them */
};

/* Ends the program where it cannot be made. */
struct delaunay delaunay_make(int32_t nnodes);
/* Split each triangle into four; the new nodes come last. */
struct delaunay delaunay_refine(const struct delaunay *coarse);
void delaunay_free(struct delaunay *mesh);

#endif
