/* SPDX-License-Identifier: BSD-3-Clause */
/* Entities, nodes and elements of Gmsh's format 4.1. */
#include <inttypes.h>
#include <string.h>

#include "gmsh_sections.h"

/* ---- entities -------------------------------------------------------------------------------- */

/* The groups of an entity follow one another. */
static bool read_groups(struct op2i_gmsh *gmsh, struct op2i_gmsh_entity *entity) {
  struct op2i_scan *scan = gmsh->scan;
  int64_t tag;
  if (!op2i_scan_count(scan, "a number of groups", 2, &entity->n)) return false;
  entity->first = gmsh->ngroups;
  if (!op2i_raw_room(gmsh->raw->op2, &gmsh->groups, sizeof *gmsh->groups, gmsh->ngroups + entity->n,
                     &gmsh->group_capacity))
    return op2i_scan_nomem(scan);
  for (int64_t i = 0; i < entity->n; i++) {
    if (!op2i_scan_int(scan, "the number of a group", &tag)) return false;
    if (!op2i_raw_group(gmsh->raw, entity->dimension, tag < 0 ? -tag : tag, NULL, 0,
                        &gmsh->groups[gmsh->ngroups++]))
      return op2i_scan_nomem(scan);
  }
  return true;
}

static bool read_entity(struct op2i_gmsh *gmsh, int dimension) {
  struct op2i_scan *scan = gmsh->scan;
  struct op2i_gmsh_entity entity = {.dimension = dimension};
  int64_t bounds, bound;
  double x;
  if (!op2i_scan_int(scan, "the number of an entity", &entity.tag)) return false;
  for (int k = 0; k < (dimension ? 6 : 3); k++)
    if (!op2i_scan_real(scan, "a coordinate of an entity", &x)) return false;
  if (!read_groups(gmsh, &entity)) return false;
  if (dimension) {
    if (!op2i_scan_count(scan, "a number of bounding entities", 2, &bounds)) return false;
    for (int64_t i = 0; i < bounds; i++)
      if (!op2i_scan_int(scan, "the number of a bounding entity", &bound)) return false;
  }
  if (!op2i_raw_room(gmsh->raw->op2, &gmsh->entities, sizeof entity, gmsh->nentities + 1,
                     &gmsh->entity_capacity))
    return op2i_scan_nomem(scan);
  gmsh->entities[gmsh->nentities++] = entity;
  return true;
}

bool op2i_gmsh4_entities(struct op2i_gmsh *gmsh) {
  int64_t n[4];
  for (int d = 0; d < 4; d++)
    if (!op2i_scan_count(gmsh->scan, "the number of entities", 8, &n[d])) return false;
  for (int d = 0; d < 4; d++)
    for (int64_t i = 0; i < n[d]; i++)
      if (!read_entity(gmsh, d)) return false;
  return true;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Both sections begin with the numbers of blocks and of items, and the least and the largest tag. */
static bool read_totals(struct op2i_gmsh *gmsh, const char *what, int64_t *blocks, int64_t *items) {
  int64_t least, most;
  return op2i_scan_count(gmsh->scan, "the number of blocks", 8, blocks) &&
         op2i_scan_count(gmsh->scan, what, 4, items) &&
         op2i_scan_size(gmsh->scan, "the least tag", &least) &&
         op2i_scan_size(gmsh->scan, "the largest tag", &most);
}

static bool read_nodes(struct op2i_gmsh *gmsh, int64_t dimension, int64_t parametric, int64_t n) {
  struct op2i_scan *scan = gmsh->scan;
  struct op2i_raw *raw = gmsh->raw;
  const int64_t first = raw->nnodes;
  double x[3] = {0}, parameter;
  int64_t tag;
  for (int64_t i = 0; i < n; i++) {
    if (!op2i_scan_size(scan, "the number of a node", &tag)) return false;
    if (!op2i_raw_node(raw, tag, x)) return op2i_scan_nomem(scan);
  }
  for (int64_t i = 0; i < n; i++) {
    for (int k = 0; k < 3; k++)
      if (!op2i_scan_real(scan, "a coordinate", &raw->x[3 * (first + i) + k])) return false;
    for (int64_t k = 0; k < (parametric ? dimension : 0); k++)
      if (!op2i_scan_real(scan, "a parametric coordinate", &parameter)) return false;
  }
  return true;
}

bool op2i_gmsh4_nodes(struct op2i_gmsh *gmsh) {
  struct op2i_scan *scan = gmsh->scan;
  int64_t blocks, all, dimension, entity, parametric, n;
  if (!read_totals(gmsh, "the number of nodes", &blocks, &all)) return false;
  for (int64_t b = 0; b < blocks; b++) {
    if (!op2i_scan_int(scan, "the dimension of an entity", &dimension) ||
        !op2i_scan_int(scan, "the number of an entity", &entity) ||
        !op2i_scan_int(scan, "the mark of parametric coordinates", &parametric) ||
        !op2i_scan_count(scan, "a number of nodes", 8, &n))
      return false;
    if (dimension < 0 || dimension > 3 || parametric < 0 || parametric > 1)
      return op2i_scan_fail(scan, "a block of nodes of dimension %" PRId64, dimension);
    if (!read_nodes(gmsh, dimension, parametric, n)) return false;
  }
  if (gmsh->raw->nnodes == all) return true;
  return op2i_scan_fail(scan, "there are %" PRId64 " nodes, and the file says %" PRId64,
                        gmsh->raw->nnodes, all);
}

/* ---- elements -------------------------------------------------------------------------------- */

/* Find an entity, most often the one after the last. */
static const struct op2i_gmsh_entity *find(const struct op2i_gmsh *gmsh, int dimension, int64_t tag,
                                           int64_t *last) {
  for (int64_t i = 0; i < gmsh->nentities; i++) {
    const int64_t at = (*last + i) % gmsh->nentities;
    if (gmsh->entities[at].tag != tag || gmsh->entities[at].dimension != dimension) continue;
    *last = at;
    return &gmsh->entities[at];
  }
  return NULL;
}

static bool read_elements(struct op2i_gmsh *gmsh, int kind, const struct op2i_gmsh_entity *entity,
                          int64_t n) {
  struct op2i_scan *scan = gmsh->scan;
  const struct op2i_cell_kind *what = &op2i_cell_kinds[kind];
  int64_t tag, *nodes;
  for (int64_t i = 0; i < n; i++) {
    if (!op2i_scan_size(scan, "the number of an element", &tag)) return false;
    if (!op2i_raw_element(gmsh->raw, kind, tag, &nodes)) return op2i_scan_nomem(scan);
    for (int k = 0; k < what->nodes; k++)
      if (!op2i_scan_size(scan, "a node of an element", &nodes[k])) return false;
    for (int64_t g = 0; entity && g < entity->n; g++)
      if (!op2i_raw_member(gmsh->raw, what->dimension, gmsh->groups[entity->first + g]))
        return op2i_scan_nomem(scan);
  }
  return true;
}

bool op2i_gmsh4_elements(struct op2i_gmsh *gmsh) {
  struct op2i_scan *scan = gmsh->scan;
  int64_t blocks, all, dimension, tag, type, n, last = 0, done = 0;
  if (!read_totals(gmsh, "the number of elements", &blocks, &all)) return false;
  for (int64_t b = 0; b < blocks; b++, done += n) {
    if (!op2i_scan_int(scan, "the dimension of an entity", &dimension) ||
        !op2i_scan_int(scan, "the number of an entity", &tag) ||
        !op2i_scan_int(scan, "the type of elements", &type) ||
        !op2i_scan_count(scan, "a number of elements", 4, &n))
      return false;
    const int kind = op2i_gmsh_kind(gmsh, type);
    if (kind < 0) return false;
    if (dimension != op2i_cell_kinds[kind].dimension)
      return op2i_scan_fail(scan, "elements of type %" PRId64 " on an entity of dimension %" PRId64,
                            type, dimension);
    if (!read_elements(gmsh, kind, find(gmsh, (int)dimension, tag, &last), n)) return false;
  }
  if (done == all) return true;
  return op2i_scan_fail(scan, "there are %" PRId64 " elements, and the file says %" PRId64, done,
                        all);
}
