/* SPDX-License-Identifier: BSD-3-Clause */
/* Boundary conditions of CGNS files as groups. They list elements of the zone, or its nodes. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cgns.h"
#include "meshfile_scan.h"

struct boundary {
  struct op2i_cgns *cgns;
  struct op2i_cgns_zone *zone;
  const char *path, *name;
  bool nodes; /* it lists nodes, not elements */
  int64_t tag;
};

static const struct op2i_cgns_place *place_of(const struct op2i_cgns_zone *zone, int64_t element) {
  int64_t low = 0, high = zone->nsections;
  while (high - low > 1) {
    const int64_t middle = (low + high) / 2;
    if (zone->section[middle].first <= element)
      low = middle;
    else
      high = middle;
  }
  const struct op2i_cgns_section *section = &zone->section[low];
  if (element < section->first || element - section->first >= section->n) return NULL;
  return &zone->place[section->offset + element - section->first];
}

/* Add an element, or a node as a point, to the group. */
static bool add_item(struct boundary *boundary, int64_t item) {
  struct op2i_cgns *cgns = boundary->cgns;
  struct op2i_raw *raw = cgns->raw;
  struct op2i_cgns_place place = {0};
  int64_t *to;
  int32_t group;
  if (boundary->nodes) {
    if (item < 1 || item > boundary->zone->nodes)
      return op2i_tree_fail(cgns->tree, boundary->path, "node %" PRId64 " is not there", item);
    if (!op2i_raw_element(raw, op2i_kind_of_gmsh(15), item, &to))
      return op2i_scan_nomem(cgns->tree->scan);
    *to = boundary->zone->first + item - 1;
    place.element = raw->of[0].n - 1;
  } else {
    const struct op2i_cgns_place *found = place_of(boundary->zone, item);
    if (!found)
      return op2i_tree_fail(cgns->tree, boundary->path, "element %" PRId64 " is not there", item);
    place = *found;
  }
  return (op2i_raw_group(raw, place.dimension, boundary->tag, boundary->name,
                         strlen(boundary->name), &group) &&
          op2i_raw_member_at(raw, place.dimension, place.element, group)) ||
         op2i_scan_nomem(cgns->tree->scan);
}

/* A list of items, or the first and the last one. */
static bool add_items(struct boundary *boundary, const char *variable) {
  struct op2i_cgns *cgns = boundary->cgns;
  const bool range = strstr(variable, "Range") != NULL;
  int64_t n = range ? 2 : -1;
  void *values = NULL;
  bool good = op2i_cgns_named(cgns, boundary->path, variable, false, &n, &values);
  const int64_t *item = values;
  if (good && range) {
    const int64_t most = boundary->nodes ? boundary->zone->nodes : boundary->zone->nplaces;
    if (item[0] < 1 || item[1] < item[0] || item[1] - item[0] >= most)
      good = op2i_tree_fail(cgns->tree, boundary->path, "the range of the group is damaged");
    for (int64_t i = item[0]; good && i <= item[1]; i++) good = add_item(boundary, i);
  } else
    for (int64_t i = 0; good && i < n; i++) good = add_item(boundary, item[i]);
  cgns->raw->op2->free(values);
  return good;
}

static bool add_list(struct boundary *boundary) {
  static const char *const variables[] = {"PointList", "PointRange", "ElementList", "ElementRange"};
  char child[OP2I_CGNS_PATH], text[OP2I_CGNS_LABEL] = "Vertex";
  if (op2i_cgns_child(boundary->cgns, boundary->path, "GridLocation_t", child) &&
      !op2i_cgns_text(boundary->cgns, child, text, sizeof text))
    return false;
  for (int v = 0; v < 4; v++) {
    if (!op2i_cgns_has(boundary->cgns, boundary->path, variables[v])) continue;
    boundary->nodes = v < 2 && strcmp(text, "Vertex") == 0;
    return add_items(boundary, variables[v]);
  }
  return true;
}

/* Families have numbers that are made of their names, which several conditions may share. */
static int64_t family_tag(const char *name) {
  uint64_t hash = UINT64_C(14695981039346656037);
  for (; *name; name++) hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
  return (int64_t)(hash >> 2 | UINT64_C(1) << 62);
}

static bool add_family(struct boundary *boundary, const char *family) {
  if (strcmp(family, boundary->name) == 0) return true;
  struct boundary again = *boundary;
  again.name = family;
  again.tag = family_tag(family);
  return add_list(&again);
}

/* A condition is a group of its own name, of that of its family, if it has one, and of those of the families
 * that this one belongs to: Gmsh has the names of physical groups there. */
static bool read_boundary(struct boundary *boundary) {
  struct op2i_cgns *cgns = boundary->cgns;
  char child[OP2I_CGNS_PATH], family[OP2I_CGNS_LABEL] = "", path[OP2I_CGNS_PATH];
  int64_t i = 0;
  if (!add_list(boundary)) return false;
  if (!op2i_cgns_child(cgns, boundary->path, "FamilyName_t", child)) return true;
  if (!op2i_cgns_text(cgns, child, family, sizeof family) || !add_family(boundary, family))
    return false;
  const int length = snprintf(path, sizeof path, "%s/%s", cgns->base, family);
  if (length < 0 || length >= (int)sizeof path) return true;
  while (op2i_cgns_next(cgns, path, "FamilyName_t", &i, child, NULL))
    if (!op2i_cgns_text(cgns, child, family, sizeof family) || !add_family(boundary, family))
      return false;
  return true;
}

bool op2i_cgns_boundaries(struct op2i_cgns *cgns, struct op2i_cgns_zone *zone) {
  char all[OP2I_CGNS_PATH], path[OP2I_CGNS_PATH], name[OP2I_CGNS_NAME];
  struct boundary boundary = {.cgns = cgns, .zone = zone, .path = path, .name = name};
  int64_t i = 0;
  if (!op2i_cgns_child(cgns, zone->path, "ZoneBC_t", all)) return true;
  while (op2i_cgns_next(cgns, all, "BC_t", &i, path, name)) {
    boundary.tag = (cgns->zones.n << 32) + i;
    if (!read_boundary(&boundary)) return false;
  }
  return true;
}
