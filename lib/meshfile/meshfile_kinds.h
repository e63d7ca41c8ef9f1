/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MESHFILE_KINDS_H
#define OP2I_MESHFILE_KINDS_H

/* Kinds of elements in mesh files: a shape and an order. Files number them differently. Nodes at the
 * corners come first in all of them, in the order of Gmsh, which is that of VTK for these. */

#include <stdint.h>

#include "op2/meshfile.h"

enum { OP2I_CORNERS_MOST = 8, OP2I_ORDER_MOST = 27 };

struct op2i_cell_kind {
  uint8_t shape; /* op2_cell_type */
  uint8_t dimension;
  uint8_t gmsh; /* number in Gmsh's files */
  uint8_t nodes;
  uint8_t corners;
  uint8_t vtk;            /* number in VTK's files */
  uint8_t vtk_nodes;      /* how many of the nodes these have */
  const uint8_t *reorder; /* [vtk_nodes] our node for each of VTK's; null: the same order */
};

extern const struct op2i_cell_kind op2i_cell_kinds[];

/* The index of a kind by Gmsh's number, or by VTK's and the number of nodes; -1: unknown. */
int op2i_kind_of_gmsh(int64_t number);
int op2i_kind_of_vtk(int64_t number, int64_t nodes);
/* The same for the linear kind of this number. */
int op2i_linear_kind_of_vtk(int64_t number);

/* The sides of a shape: the corners of its edges in two dimensions, of its faces in three. Seen from
 * outside of a cell of positive area or volume, those of a face are counterclockwise, and those of an
 * edge have the cell on their left. A triangular face has -1 in the last place. */
struct op2i_cell_sides {
  int n;
  int8_t corner[6][4];
};
extern const struct op2i_cell_sides op2i_cell_sides[];

#endif
