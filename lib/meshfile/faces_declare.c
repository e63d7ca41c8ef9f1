/* SPDX-License-Identifier: BSD-3-Clause */
/* Faces of a mesh as sets with maps to cells and nodes, each on the rank of its first cell, and which
 * faces are the elements that groups have. */
#include <inttypes.h>
#include <string.h>

#include "faces.h"
#include "meshfile.h"

/* This rank's rows of the maps of interior faces, or of those of the boundary. */
struct rows {
  int64_t n;
  int sides, nodes; /* arities of the maps to cells and nodes */
  int64_t *cell, *node;
};

static op2_status make_rows(op2_mesh mesh, const struct op2i_faces *faces, bool interior,
                            struct rows *rows) {
  const size_t n = (size_t)(interior ? faces->interior : faces->boundary);
  rows->sides = interior ? 2 : 1;
  rows->nodes = faces->most_nodes;
  rows->cell = mesh->op2->calloc(n * (size_t)rows->sides + 1, sizeof *rows->cell);
  rows->node = mesh->op2->calloc(n * (size_t)rows->nodes + 1, sizeof *rows->node);
  if (!rows->cell || !rows->node) return mesh->op2->error_nomem("faces");
  for (int64_t f = 0; f < faces->n; f++) {
    const struct op2i_face *face = &faces->face[f];
    if ((face->cell[1] >= 0) != interior) continue;
    int64_t *node = rows->node + rows->n * rows->nodes;
    memcpy(rows->cell + rows->n * rows->sides, face->cell,
           (size_t)rows->sides * sizeof *rows->cell);
    for (int k = 0; k < rows->nodes; k++)
      node[k] = face->node[k] >= 0 ? face->node[k] : face->node[k - 1];
    rows->n++;
  }
  return OP2_SUCCESS;
}

static void free_rows(op2_mesh mesh, struct rows *rows) {
  mesh->op2->free(rows->cell);
  mesh->op2->free(rows->node);
}

/* The corners of this rank's elements of the dimension of faces. */
static int64_t (*list_corners(op2_mesh mesh))[4] {
  const struct op2i_elements *list = &mesh->raw.of[mesh->raw.dimension - 1];
  int64_t(*node)[4] = mesh->op2->calloc((size_t)list->n + 1, sizeof *node);
  for (int64_t e = 0; node && e < list->n; e++)
    for (int k = 0; k < 4; k++)
      node[e][k] = k < op2i_cell_kinds[list->kind[e]].corners
                       ? list->node[op2i_element_begin(list, e) + k]
                       : -1;
  return node;
}

/* Find the face of each of these elements, as op2i_faces_look_up() does. Those of groups have to be
 * one. */
static op2_status match(op2_mesh mesh, const struct op2i_faces *faces) {
  const int side = mesh->raw.dimension - 1;
  const struct op2i_elements *list = &mesh->raw.of[side];
  const struct op2i_members *members = &mesh->raw.group[side];
  int64_t(*node)[4] = list_corners(mesh);
  mesh->facet = mesh->op2->calloc((size_t)list->n + 1, sizeof *mesh->facet);
  op2_status status = node && mesh->facet ? OP2_SUCCESS : mesh->op2->error_nomem("faces");
  status = op2i_faces_look_up(faces, status, list->n, (const int64_t(*)[4])node, mesh->facet);
  mesh->op2->free(node);
  for (int64_t m = 0; m < members->n && !status; m++)
    if (mesh->facet[members->member[m].element] == INT64_MIN)
      status = mesh->op2->error(OP2_ERR_MISMATCH,
                                "%s: element %" PRId64 " of group '%s' is no face of a cell",
                                mesh->path, list->tag[members->member[m].element],
                                mesh->raw.groups[members->member[m].group].name);
  return op2i_mesh_agree(mesh, status);
}

/* ---- declaration ----------------------------------------------------------------------------- */

static op2_status declare(op2_mesh mesh, const struct rows *rows, const char *const names[3],
                          op2_set *set, op2_map *cells, op2_map *nodes) {
  const op2_entries_desc how = {.type = OP2_I64, .global = true};
  op2_status status = op2_set_create(mesh->ctx, rows->n, names[0], set);
  if (!status)
    status =
        op2_map_create_entries(*set, mesh->cells, rows->sides, &how, rows->cell, names[1], cells);
  if (!status)
    status =
        op2_map_create_entries(*set, mesh->nodes, rows->nodes, &how, rows->node, names[2], nodes);
  return status;
}

void op2i_mesh_drop_faces(op2_mesh mesh) {
  op2_map_destroy(&mesh->faces.cells);
  op2_map_destroy(&mesh->faces.nodes);
  op2_map_destroy(&mesh->faces.boundary_cell);
  op2_map_destroy(&mesh->faces.boundary_nodes);
  op2_set_destroy(&mesh->faces.interior);
  op2_set_destroy(&mesh->faces.boundary);
  mesh->op2->free(mesh->facet);
  mesh->facet = NULL;
}

static op2_status make_faces(op2_mesh mesh) {
  static const char *const names[][3] = {{"faces", "face_cells", "face_nodes"},
                                         {"boundary_faces", "boundary_cell", "boundary_nodes"}};
  struct op2i_faces faces = {0};
  struct rows rows[2] = {{0}, {0}};
  op2_faces *made = &mesh->faces;
  op2_status status = op2i_faces_find(mesh, true, &faces);
  if (!status) status = match(mesh, &faces);
  if (!status) status = make_rows(mesh, &faces, true, &rows[0]);
  if (!status) status = make_rows(mesh, &faces, false, &rows[1]);
  op2i_faces_free(&faces);
  status = op2i_mesh_agree(mesh, status);
  if (!status)
    status = declare(mesh, &rows[0], names[0], &made->interior, &made->cells, &made->nodes);
  if (!status)
    status = declare(mesh, &rows[1], names[1], &made->boundary, &made->boundary_cell,
                     &made->boundary_nodes);
  free_rows(mesh, &rows[0]);
  free_rows(mesh, &rows[1]);
  if (status) op2i_mesh_drop_faces(mesh);
  return status;
}

op2_status op2_faces_create(op2_mesh mesh, op2_faces *faces) {
  op2_status status = op2i_mesh_validate(mesh, "op2_faces_create");
  if (status) return status;
  mesh->op2->call(mesh->ctx, "op2_faces_create", NULL, 0, 0);
  if (!faces) status = mesh->op2->error(OP2_ERR_ARG, "op2_faces_create: a null pointer");
  status = op2i_mesh_agree(mesh, status);
  if (!status && !mesh->faces.interior) status = make_faces(mesh);
  if (!status) *faces = mesh->faces;
  return status;
}
