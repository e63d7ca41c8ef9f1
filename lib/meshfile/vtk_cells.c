/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells by VTK's numbers. */
#include "vtk_cells.h"

#include <inttypes.h>
#include <stddef.h>

const struct op2i_vtk_group_name op2i_vtk_group_names[] = {
    {"gmsh:physical", false}, {"cell_tags", false}, {"CellEntityIds", false},
    {"medit:ref", false},     {"su2:tag", false},   {"name_to_read", true},
    {"MaterialIDs", true},    {NULL, false},
};

static const uint8_t pixel[] = {0, 1, 3, 2};
static const uint8_t voxel[] = {0, 1, 3, 2, 4, 5, 7, 6};

/* Other numbers for kinds that have one of their own: lines and polygons of few points, and Lagrange
 * elements up to order two. */
static const struct {
  uint8_t vtk, n, as;
  const uint8_t *reorder;
} others[] = {
    {2, 1, 1, NULL},   {4, 2, 3, NULL},    {6, 3, 5, NULL},   {7, 3, 5, NULL},   {7, 4, 9, NULL},
    {8, 4, 9, pixel},  {11, 8, 12, voxel}, {68, 2, 3, NULL},  {68, 3, 21, NULL}, {69, 3, 5, NULL},
    {69, 6, 22, NULL}, {70, 4, 9, NULL},   {70, 9, 28, NULL}, {71, 4, 10, NULL}, {71, 10, 24, NULL},
    {72, 8, 12, NULL}, {73, 6, 13, NULL},  {74, 5, 14, NULL},
};

bool op2i_vtk_kind_of(int64_t type, int64_t n, struct op2i_vtk_kind *kind) {
  const uint8_t *reorder = NULL;
  for (size_t o = 0; o < sizeof others / sizeof *others; o++)
    if (others[o].vtk == type && others[o].n == n) {
      type = others[o].as;
      reorder = others[o].reorder;
      break;
    }
  const int found = op2i_kind_of_vtk(type, n);
  if (found < 0) return false;
  *kind = (struct op2i_vtk_kind){found, reorder ? reorder : op2i_cell_kinds[found].reorder};
  return true;
}

bool op2i_vtk_cell_add(struct op2i_scan *scan, struct op2i_raw *raw, int64_t type, int64_t n,
                       const int64_t *node, int64_t first, int64_t nodes) {
  struct op2i_vtk_kind kind;
  int64_t tag = 0, *to;
  for (int d = 0; d < 4; d++) tag += raw->of[d].n;
  if (!op2i_vtk_kind_of(type, n, &kind))
    return op2i_scan_fail(scan,
                          "cell %" PRId64 " is of VTK's type %" PRId64 " with %" PRId64
                          " nodes, which is not known",
                          tag, type, n);
  if (!op2i_raw_element(raw, kind.kind, tag, &to)) return op2i_scan_nomem(scan);
  for (int64_t k = 0; k < n; k++) {
    if (node[k] < 0 || node[k] >= nodes)
      return op2i_scan_fail(scan, "cell %" PRId64 " has point %" PRId64 " of %" PRId64, tag,
                            node[k], nodes);
    to[kind.reorder ? kind.reorder[k] : k] = first + node[k];
  }
  return true;
}

bool op2i_vtk_group_add(struct op2i_scan *scan, struct op2i_raw *raw, int64_t type, int64_t n,
                        int64_t tag) {
  struct op2i_vtk_kind kind;
  int32_t group;
  if (!op2i_vtk_kind_of(type, n, &kind)) return false;
  const int dimension = op2i_cell_kinds[kind.kind].dimension;
  return (op2i_raw_group(raw, dimension, tag, NULL, 0, &group) &&
          op2i_raw_member(raw, dimension, group)) ||
         op2i_scan_nomem(scan);
}
