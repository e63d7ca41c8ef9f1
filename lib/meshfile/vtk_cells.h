/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_VTK_CELLS_H
#define OP2I_VTK_CELLS_H

/* Cells by VTK's numbers, and groups of cells by an array of integers, as in VTU and XDMF files. */

#include "meshfile_raw.h"
#include "meshfile_scan.h"

/* A kind of cells with the order of its nodes: ours for each of the file's; null: the same order. */
struct op2i_vtk_kind {
  int kind; /* index in op2i_cell_kinds */
  const uint8_t *reorder;
};

/* The kind of cells of VTK's type that have n nodes; false: it is not known. */
bool op2i_vtk_kind_of(int64_t type, int64_t n, struct op2i_vtk_kind *kind);
/* Add a cell with these n nodes, numbers behind `first` that are lower than `nodes`. A failure is recorded in
 * `scan`. */
bool op2i_vtk_cell_add(struct op2i_scan *scan, struct op2i_raw *raw, int64_t type, int64_t n,
                       const int64_t *node, int64_t first, int64_t nodes);
/* Put the last cell that was added into the group of this number. */
bool op2i_vtk_group_add(struct op2i_scan *scan, struct op2i_raw *raw, int64_t type, int64_t n,
                        int64_t tag);

/* Arrays of these names have groups; the first one is preferred. A name of null ends them. */
struct op2i_vtk_group_name {
  const char *name;
  bool zero; /* 0 is a group as well */
};
extern const struct op2i_vtk_group_name op2i_vtk_group_names[];

#endif
