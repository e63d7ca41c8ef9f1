/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of elements of XDMF files. */
#include <strings.h>

#include "xdmf.h"

static const struct op2i_xdmf_kind kinds[] = {
    {"Polyvertex", "Vertex", 0x1, 1, 1, true},
    {"Polyline", "Interval", 0x2, 3, 2, true},
    {"Polygon", "Polygon", 0x3, 5, 3, true},
    {"Polygon", "Polygon", 0x3, 9, 4, true},
    {"Triangle", "Tri_3", 0x4, 5, 3, false},
    {"Quadrilateral", "Quad_4", 0x5, 9, 4, false},
    {"Tetrahedron", "Tet_4", 0x6, 10, 4, false},
    {"Pyramid", "Pyramid_5", 0x7, 14, 5, false},
    {"Wedge", "Wedge_6", 0x8, 13, 6, false},
    {"Hexahedron", "Hex_8", 0x9, 12, 8, false},
    {"Edge_3", "Line_3", 0x22, 21, 3, false},
    {"Quadrilateral_9", "Quad_9", 0x23, 28, 9, false},
    {"Triangle_6", "Tri_6", 0x24, 22, 6, false},
    {"Quadrilateral_8", "Quad_8", 0x25, 23, 8, false},
    {"Tetrahedron_10", "Tet_10", 0x26, 24, 10, false},
    {"Pyramid_13", "Pyramid_13", 0x27, 27, 13, false},
    {"Wedge_15", "Wedge_15", 0x28, 26, 15, false},
    {"Wedge_18", "Wedge_18", 0x29, 32, 18, false},
    {"Hexahedron_20", "Hex_20", 0x30, 25, 20, false},
    {"Hexahedron_27", "Hex_27", 0x32, 29, 27, false},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const struct op2i_xdmf_kind *op2i_xdmf_kind_named(const char *name, int64_t nodes) {
  for (int k = 0; k < KINDS; k++)
    if ((strcasecmp(kinds[k].name, name) == 0 || strcasecmp(kinds[k].other_name, name) == 0) &&
        (nodes == 0 || nodes == kinds[k].nodes))
      return &kinds[k];
  return NULL;
}

const struct op2i_xdmf_kind *op2i_xdmf_kind_mixed(int64_t number, int64_t nodes) {
  for (int k = 0; k < KINDS; k++)
    if (kinds[k].mixed == number && (nodes == 0 || nodes == kinds[k].nodes)) return &kinds[k];
  return NULL;
}

/* The kind that has a number of VTK's. Polygons come before those that are meant. */
static const struct op2i_xdmf_kind *kind_of(const struct op2i_cell_kind *cell) {
  const struct op2i_xdmf_kind *found = NULL;
  for (int k = 0; k < KINDS; k++)
    if (kinds[k].vtk == cell->vtk && kinds[k].nodes == cell->vtk_nodes) found = &kinds[k];
  return found;
}

op2_status op2i_xdmf_mixed(op2_mesh mesh, int64_t *n, int64_t **out) {
  const struct op2i_elements *cells = &mesh->raw.of[mesh->info.dimension];
  const int64_t most = cells->n ? cells->end[cells->n - 1] + 2 * cells->n : 0;
  int64_t *numbers = mesh->op2->calloc((size_t)most + 1, sizeof *numbers), at = 0;
  if (!numbers) return mesh->op2->error_nomem("the cells of an XDMF file");
  for (int64_t e = 0; e < cells->n; e++) {
    const struct op2i_cell_kind *cell = &op2i_cell_kinds[cells->kind[e]];
    const struct op2i_xdmf_kind *kind = kind_of(cell);
    const int64_t *node = cells->node + op2i_element_begin(cells, e);
    if (!kind) {
      mesh->op2->free(numbers);
      return mesh->op2->error(OP2_ERR_UNAVAILABLE,
                              "%s: XDMF has no cells of %d nodes like cell %lld", mesh->path,
                              cell->nodes, (long long)(cells->first + e));
    }
    numbers[at++] = kind->mixed;
    if (kind->counted) numbers[at++] = kind->nodes;
    for (int i = 0; i < kind->nodes; i++)
      numbers[at++] = node[cell->reorder ? cell->reorder[i] : i];
  }
  *n = at;
  *out = numbers;
  return OP2_SUCCESS;
}
