/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of a mesh as subsets of its sets. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "meshfile.h"

/* Marks of all elements of a set, on all ranks. */
struct marks {
  int64_t n;
  char *marked;
};

static bool in_group(op2_mesh mesh, const char *name, int32_t group) {
  return !name || strcmp(mesh->raw.groups[group].name, name) == 0;
}

/* Mark the nodes of all elements of the group. */
static void mark_nodes(op2_mesh mesh, const char *name, struct marks *marks) {
  for (int d = 0; d < 4; d++)
    for (int64_t m = 0; m < mesh->raw.group[d].n; m++) {
      const struct op2i_member member = mesh->raw.group[d].member[m];
      const struct op2i_elements *list = &mesh->raw.of[d];
      if (!in_group(mesh, name, member.group)) continue;
      for (int64_t i = op2i_element_begin(list, member.element); i < list->end[member.element]; i++)
        marks->marked[list->node[i]] = 1;
    }
}

static void mark_cells(op2_mesh mesh, const char *name, struct marks *marks) {
  const struct op2i_members *members = &mesh->raw.group[mesh->raw.dimension];
  for (int64_t m = 0; m < members->n; m++)
    if (in_group(mesh, name, members->member[m].group))
      marks->marked[members->member[m].element] = 1;
}

/* Mark the interior faces, or those of the boundary, that are elements of the group. */
static void mark_faces(op2_mesh mesh, const char *name, bool interior, struct marks *marks) {
  const struct op2i_members *members = &mesh->raw.group[mesh->raw.dimension - 1];
  for (int64_t m = 0; m < members->n; m++) {
    const int64_t face = mesh->facet[members->member[m].element];
    if (in_group(mesh, name, members->member[m].group) && (face >= 0) == interior)
      marks->marked[interior ? face : -1 - face] = 1;
  }
}

/* Declare the subset of the elements that this rank has whose mark is `value`. */
static op2_status make_subset(op2_mesh mesh, const struct marks *marks, char value, op2_set of,
                              const char *name, op2_set *subset) {
  int64_t ends[4], n = 0, *number = NULL;
  op2_status status = op2_set_sections(of, ends);
  if (!status && !(number = mesh->op2->calloc((size_t)ends[3] + 1, sizeof *number)))
    status = mesh->op2->error_nomem("a group");
  if (!status) status = op2_set_global(of, number);
  for (int64_t i = 0; !status && i < ends[3]; i++)
    if (marks->marked[number[i]] == value) number[n++] = i;
  status = op2i_mesh_agree(mesh, status);
  if (!status) status = op2_subset_create(of, n, number, name, subset);
  mesh->op2->free(number);
  return status;
}

static op2_status no_such_group(op2_mesh mesh, const char *name) {
  char names[700] = "";
  size_t length = 0;
  for (int64_t g = 0; g < mesh->raw.ngroups && length + 80 < sizeof names; g++)
    length += (size_t)snprintf(names + length, sizeof names - length, "%s'%.60s'",
                               g ? ", " : "; its groups are ", mesh->raw.groups[g].name);
  return mesh->op2->error(OP2_ERR_NAME, "op2_mesh_group: %s has no group '%.200s'%s", mesh->path,
                          name, mesh->raw.ngroups ? names : ": it has no groups");
}

static op2_status check_group(op2_mesh mesh, const char *name, op2_set of, const op2_set *subset) {
  int64_t g = 0;
  if (!of || !subset) return mesh->op2->error(OP2_ERR_ARG, "op2_mesh_group: a null pointer");
  if (of != mesh->nodes && of != mesh->cells && of != mesh->faces.interior &&
      of != mesh->faces.boundary)
    return mesh->op2->error(OP2_ERR_MISMATCH, "op2_mesh_group: '%s' is for a set that is not of %s",
                            name ? name : "", mesh->path);
  while (name && g < mesh->raw.ngroups && !in_group(mesh, name, (int32_t)g)) g++;
  return name && g == mesh->raw.ngroups ? no_such_group(mesh, name) : OP2_SUCCESS;
}

op2_status op2_mesh_group(op2_mesh mesh, const char *name, op2_set of, op2_set *subset) {
  op2_status status = op2i_mesh_validate(mesh, "op2_mesh_group");
  struct marks marks = {0};
  if (status) return status;
  mesh->op2->call(mesh->ctx, "op2_mesh_group", name, 0, 0);
  status = check_group(mesh, name, of, subset);
  if (!status) {
    marks.n = op2_set_global_size(of);
    marks.marked = mesh->op2->calloc((size_t)marks.n + 1, 1);
    if (!marks.marked) status = mesh->op2->error_nomem("a group");
  }
  status = op2i_mesh_agree(mesh, status);
  if (!status && of == mesh->nodes) mark_nodes(mesh, name, &marks);
  if (!status && of == mesh->cells) mark_cells(mesh, name, &marks);
  if (!status && of == mesh->faces.interior) mark_faces(mesh, name, true, &marks);
  if (!status && of == mesh->faces.boundary) mark_faces(mesh, name, false, &marks);
  if (!status)
    status = make_subset(mesh, &marks, name ? 1 : 0, of, name ? name : "no group", subset);
  mesh->op2->free(marks.marked);
  return status;
}

op2_status op2_mesh_cells_of(op2_mesh mesh, op2_cell_type type, op2_set *subset) {
  op2_status status = op2i_mesh_validate(mesh, "op2_mesh_cells_of");
  struct marks marks = {0};
  if (status) return status;
  mesh->op2->call(mesh->ctx, "op2_mesh_cells_of", NULL, (uint64_t)type, 0);
  const struct op2i_elements *cells = &mesh->raw.of[mesh->raw.dimension];
  if (!subset || (int)type < OP2_CELL_POINT || type > OP2_CELL_HEXAHEDRON)
    status =
        mesh->op2->error(OP2_ERR_ARG, "op2_mesh_cells_of: a null pointer, or no op2_cell_type");
  else if (!(marks.marked = mesh->op2->calloc((size_t)cells->n + 1, 1)))
    status = mesh->op2->error_nomem("a subset");
  status = op2i_mesh_agree(mesh, status);
  for (int64_t e = 0; !status && e < cells->n; e++)
    marks.marked[e] = op2i_cell_kinds[cells->kind[e]].shape == (int)type;
  if (!status) status = make_subset(mesh, &marks, 1, mesh->cells, "cells of a type", subset);
  mesh->op2->free(marks.marked);
  return status;
}

op2_status op2_mesh_group_get(op2_mesh mesh, int i, op2_mesh_group_info *info) {
  op2_status status = op2i_mesh_validate(mesh, "op2_mesh_group_get");
  if (status) return status;
  if (!info) return mesh->op2->error(OP2_ERR_ARG, "op2_mesh_group_get: a null pointer");
  if (i < 0 || i >= mesh->raw.ngroups)
    return mesh->op2->error(OP2_ERR_RANGE, "op2_mesh_group_get: there is no group %d of %" PRId64,
                            i, mesh->raw.ngroups);
  op2_mesh_group_info got = {.name = mesh->raw.groups[i].name,
                             .dimension = mesh->raw.groups[i].dimension};
  const struct op2i_members *members = &mesh->raw.group[got.dimension];
  for (int64_t m = 0; m < members->n; m++) got.elements += members->member[m].group == i;
  *info = got;
  return OP2_SUCCESS;
}
