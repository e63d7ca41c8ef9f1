/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of a mesh as subsets of its sets. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "mesh_mail.h"

/* Numbers of elements of a set, of which this rank knows that they are in a group. */
struct list {
  int64_t n, capacity;
  int64_t *number;
};

static bool in_group(op2_mesh mesh, const char *name, int64_t group) {
  return !name || strcmp(mesh->raw.groups[group].name, name) == 0;
}

static bool add(op2_mesh mesh, struct list *list, int64_t number) {
  if (!op2i_raw_room(mesh->op2, &list->number, sizeof *list->number, list->n + 1, &list->capacity))
    return false;
  list->number[list->n++] = number;
  return true;
}

/* List the nodes of all elements of the group. */
static bool list_nodes(op2_mesh mesh, const char *name, struct list *list) {
  bool good = true;
  for (int d = 0; d < 4; d++)
    for (int64_t m = 0; m < mesh->raw.group[d].n; m++) {
      const struct op2i_member member = mesh->raw.group[d].member[m];
      const struct op2i_elements *of = &mesh->raw.of[d];
      if (!in_group(mesh, name, member.group)) continue;
      for (int64_t i = op2i_element_begin(of, member.element); i < of->end[member.element]; i++)
        good = good && add(mesh, list, of->node[i]);
    }
  return good;
}

static bool list_cells(op2_mesh mesh, const char *name, struct list *list) {
  const struct op2i_members *members = &mesh->raw.group[mesh->raw.dimension];
  const int64_t first = mesh->raw.of[mesh->raw.dimension].first;
  bool good = true;
  for (int64_t m = 0; m < members->n && good; m++)
    if (in_group(mesh, name, members->member[m].group))
      good = add(mesh, list, first + members->member[m].element);
  return good;
}

/* List the interior faces, or those of the boundary, that are elements of the group. */
static bool list_faces(op2_mesh mesh, const char *name, bool interior, struct list *list) {
  const struct op2i_members *members = &mesh->raw.group[mesh->raw.dimension - 1];
  bool good = true;
  for (int64_t m = 0; m < members->n && good; m++) {
    const int64_t face = mesh->facet[members->member[m].element];
    if (in_group(mesh, name, members->member[m].group) && (face >= 0) == interior)
      good = add(mesh, list, interior ? face : -1 - face);
  }
  return good;
}

static bool list_group(op2_mesh mesh, const char *name, op2_set of, struct list *list) {
  if (of == mesh->nodes) return list_nodes(mesh, name, list);
  if (of == mesh->cells) return list_cells(mesh, name, list);
  return list_faces(mesh, name, of == mesh->faces.interior, list);
}

/* Mark what all ranks have listed: *marks are those of this rank's share of the set. */
static op2_status mark(op2_mesh mesh, op2_status status, int64_t size, const struct list *list,
                       uint8_t **marks) {
  struct op2i_share shares = op2i_mesh_shares(mesh, size);
  struct op2i_mesh_mail mail = {0};
  int64_t first, n;
  int32_t *to = mesh->op2->calloc((size_t)list->n + 1, sizeof *to);
  op2i_mesh_block(mesh, size, &first, &n);
  *marks = mesh->op2->calloc((size_t)n + 1, 1);
  if (!status && (!to || !*marks)) status = mesh->op2->error_nomem("a group");
  for (int64_t i = 0; i < list->n && !status; i++)
    to[i] = op2i_mesh_share_of(mesh, &shares, list->number[i]);
  status =
      op2i_mesh_mail_send(mesh, status, list->n, to, sizeof *list->number, list->number, &mail);
  const int64_t *number = mail.rows;
  for (int64_t i = 0; i < mail.n && !status; i++) (*marks)[number[i] - first] = 1;
  op2i_mesh_mail_free(&mail);
  mesh->op2->free(to);
  return status;
}

/* Declare the subset of the elements that this rank has now whose mark is `value`. */
static op2_status make_subset(op2_mesh mesh, const uint8_t *marks, uint8_t value, op2_set of,
                              const char *name, op2_set *subset) {
  int64_t ends[4] = {0}, n = 0, *number = NULL;
  uint8_t *mark = NULL;
  op2_status status = op2_set_sections(of, ends);
  if (!status) {
    number = mesh->op2->calloc((size_t)ends[3] + 1, sizeof *number);
    mark = mesh->op2->calloc((size_t)ends[3] + 1, 1);
    status = number && mark ? op2_set_global(of, number) : mesh->op2->error_nomem("a group");
  }
  status = op2i_mesh_fetch(mesh, status, op2_set_global_size(of), 1, marks, status ? 0 : ends[3],
                           number, mark);
  for (int64_t i = 0; !status && i < ends[3]; i++)
    if (mark[i] == value) number[n++] = i;
  if (!status) status = op2_subset_create(of, n, number, name, subset);
  mesh->op2->free(number);
  mesh->op2->free(mark);
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
  while (name && g < mesh->raw.ngroups && !in_group(mesh, name, g)) g++;
  return name && g == mesh->raw.ngroups ? no_such_group(mesh, name) : OP2_SUCCESS;
}

op2_status op2_mesh_group(op2_mesh mesh, const char *name, op2_set of, op2_set *subset) {
  op2_status status = op2i_mesh_validate(mesh, "op2_mesh_group");
  struct list list = {0};
  uint8_t *marks = NULL;
  if (status) return status;
  mesh->op2->call(mesh->ctx, "op2_mesh_group", name, 0, 0);
  status = op2i_mesh_agree(mesh, check_group(mesh, name, of, subset));
  if (status) return status;
  if (!list_group(mesh, name, of, &list)) status = mesh->op2->error_nomem("a group");
  status = mark(mesh, status, op2_set_global_size(of), &list, &marks);
  mesh->op2->free(list.number);
  if (!status)
    status = make_subset(mesh, marks, name ? 1 : 0, of, name ? name : "no group", subset);
  mesh->op2->free(marks);
  return status;
}

op2_status op2_mesh_cells_of(op2_mesh mesh, op2_cell_type type, op2_set *subset) {
  op2_status status = op2i_mesh_validate(mesh, "op2_mesh_cells_of");
  if (status) return status;
  mesh->op2->call(mesh->ctx, "op2_mesh_cells_of", NULL, (uint64_t)type, 0);
  const struct op2i_elements *cells = &mesh->raw.of[mesh->raw.dimension];
  uint8_t *marks = mesh->op2->calloc((size_t)cells->n + 1, 1);
  if (!subset || (int)type < OP2_CELL_POINT || type > OP2_CELL_HEXAHEDRON)
    status =
        mesh->op2->error(OP2_ERR_ARG, "op2_mesh_cells_of: a null pointer, or no op2_cell_type");
  else if (!marks)
    status = mesh->op2->error_nomem("a subset");
  status = op2i_mesh_agree(mesh, status);
  for (int64_t e = 0; !status && e < cells->n; e++)
    marks[e] = op2i_cell_kinds[cells->kind[e]].shape == (int)type;
  if (!status) status = make_subset(mesh, marks, 1, mesh->cells, "cells of a type", subset);
  mesh->op2->free(marks);
  return status;
}

op2_status op2_mesh_group_get(op2_mesh mesh, int i, op2_mesh_group_info *info) {
  op2_status status = op2i_mesh_validate(mesh, "op2_mesh_group_get");
  if (status) return status;
  if (!info) return mesh->op2->error(OP2_ERR_ARG, "op2_mesh_group_get: a null pointer");
  if (i < 0 || i >= mesh->raw.ngroups)
    return mesh->op2->error(OP2_ERR_RANGE, "op2_mesh_group_get: there is no group %d of %" PRId64,
                            i, mesh->raw.ngroups);
  const struct op2i_mesh_group *group = &mesh->raw.groups[i];
  op2_mesh_group_info got = {
      .name = group->name, .dimension = group->dimension, .elements = group->elements};
  *info = got;
  return OP2_SUCCESS;
}
