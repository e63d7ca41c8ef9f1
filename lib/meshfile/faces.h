/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_FACES_H
#define OP2I_FACES_H

/* Faces of the cells of a whole mesh: edges in two dimensions. They are numbered in the order in which
 * the cells first have them, and found by their lowest node. */

#include "meshfile_raw.h"

struct op2i_face {
  int64_t cell[2]; /* the second is -1 at the boundary */
  int64_t node[4]; /* oriented as in op2i_cell_sides, seen from outside of the first cell; -1 behind
                    * the nodes of a face that has fewer */
  int64_t next;    /* 1 + the next face with the same lowest node; 0: none */
  int64_t number;  /* among interior or boundary faces */
};

struct op2i_faces {
  const struct op2i_companion *op2;
  int64_t n, capacity;
  struct op2i_face *face;
  int64_t *head;              /* [nodes] 1 + the first face with this lowest node; 0: none */
  int64_t interior, boundary; /* how many there are of each */
  int most_nodes;             /* of a face */
};

/* Find the faces of all cells. */
op2_status op2i_faces_find(const struct op2i_raw *raw, const char *path, struct op2i_faces *faces);
void op2i_faces_free(struct op2i_faces *faces);
/* The face of these nodes in any order, or null. */
struct op2i_face *op2i_faces_at(const struct op2i_faces *faces, int n, const int64_t *node);

#endif
