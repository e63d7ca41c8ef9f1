/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_FACES_H
#define OP2I_FACES_H

/* Faces of the cells of a mesh: edges in two dimensions. They are numbered in the order in which the
 * cells first have them, and found by their lowest node: the rank whose share that node is in has the
 * sides of all cells that have it. */

#include "meshfile.h"

/* A face whose first cell is of this rank's share. */
struct op2i_face {
  int64_t cell[2]; /* the second is -1 at the boundary */
  int64_t node[4]; /* oriented as in op2i_cell_sides, seen from outside of the first cell; -1 behind
                    * the nodes of a face that has fewer */
};

/* A face whose lowest node is of this rank's share. */
struct op2i_face_entry {
  int64_t cell[2], node[4];
  int64_t row;  /* the first cell's, of those that have arrived */
  int64_t next; /* 1 + the next entry with the same lowest node; 0: none */
  int64_t code; /* as op2i_faces_look_up() returns it */
};

struct op2i_faces {
  op2_mesh mesh;
  int64_t n;
  struct op2i_face *face;     /* in the order of cells */
  int64_t interior, boundary; /* how many there are of each on this rank, */
  int64_t first[2];           /* and on ranks before it */
  int most_nodes;             /* of a face of any rank */
  int64_t nentries;
  struct op2i_face_entry *entry;
  int64_t *head; /* [this rank's nodes] 1 + the first entry with this lowest node; 0: none */
};

/* Find the faces of all cells. If `codes` is true they can be looked up then. Collective, as the next
 * one is; op2i_faces_free() is called in any case. */
op2_status op2i_faces_find(op2_mesh mesh, bool codes, struct op2i_faces *faces);
/* For n lists of 2 to 4 nodes, in any order and -1 behind them, find the face of these nodes: its
 * number among the interior faces, -1 less its number at the boundary, or INT64_MIN if there is none. */
op2_status op2i_faces_look_up(const struct op2i_faces *faces, op2_status status, int64_t n,
                              const int64_t (*node)[4], int64_t *code);
void op2i_faces_free(struct op2i_faces *faces);

#endif
