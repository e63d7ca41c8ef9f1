/* SPDX-License-Identifier: BSD-3-Clause */
/* CGNS files: the base, its zones and their coordinates. */
#include "cgns.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- nodes of the tree ----------------------------------------------------------------------- */

/* A link is a node whose group has the other node as " link": append that to the path of such a node. */
static void follow(struct op2i_cgns *cgns, char *path) {
  char text[OP2I_CGNS_LABEL];
  const size_t length = strlen(path);
  if (cgns->tree->methods->attribute(cgns->tree->file, path, "type", text, sizeof text) &&
      strcmp(text, "LK") == 0)
    snprintf(path + length, OP2I_CGNS_PATH - length, "/ link");
}

bool op2i_cgns_next(struct op2i_cgns *cgns, const char *path, const char *label, int64_t *i,
                    char *child, char *name) {
  const struct op2i_tree_methods *methods = cgns->tree->methods;
  char its_name[OP2I_CGNS_NAME], text[OP2I_CGNS_LABEL];
  while (methods->member(cgns->tree->file, path, (*i)++, its_name, sizeof its_name)) {
    const int parent = strcmp(path, "/") == 0 ? 0 : (int)strlen(path);
    const int length = snprintf(child, OP2I_CGNS_PATH, "%.*s/%s", parent, path, its_name);
    if (length < 0 || length + 10 >= OP2I_CGNS_PATH) continue;
    follow(cgns, child);
    if (!methods->attribute(cgns->tree->file, child, "label", text, sizeof text) ||
        strcmp(text, label) != 0)
      continue;
    if (name) strcpy(name, its_name);
    return true;
  }
  return false;
}

bool op2i_cgns_child(struct op2i_cgns *cgns, const char *path, const char *label, char *child) {
  int64_t i = 0;
  return op2i_cgns_next(cgns, path, label, &i, child, NULL);
}

static bool data_of(struct op2i_cgns *cgns, const char *path, const char *name, char *data) {
  const int length = snprintf(data, OP2I_CGNS_PATH, "%s%s%s", path, *name ? "/" : "", name);
  if (length < 0 || length + 20 >= OP2I_CGNS_PATH) return false;
  if (*name) follow(cgns, data);
  strcat(data, "/ data");
  return true;
}

bool op2i_cgns_has(struct op2i_cgns *cgns, const char *path, const char *name) {
  char data[OP2I_CGNS_PATH];
  struct op2i_tree_data what;
  return data_of(cgns, path, name, data) &&
         cgns->tree->methods->find(cgns->tree->file, data, &what);
}

bool op2i_cgns_named(struct op2i_cgns *cgns, const char *path, const char *name, bool real,
                     int64_t *n, void **out) {
  char data[OP2I_CGNS_PATH];
  if (!data_of(cgns, path, name, data))
    return op2i_tree_fail(cgns->tree, path, "the name of a node is too long");
  return op2i_tree_numbers(cgns->tree, data, real, n, out);
}

bool op2i_cgns_numbers(struct op2i_cgns *cgns, const char *path, bool real, int64_t *n,
                       void **out) {
  return op2i_cgns_named(cgns, path, "", real, n, out);
}

bool op2i_cgns_text(struct op2i_cgns *cgns, const char *path, char *text, size_t size) {
  char data[OP2I_CGNS_PATH], *found = NULL;
  struct op2i_tree_data what;
  if (!data_of(cgns, path, "", data))
    return op2i_tree_fail(cgns->tree, path, "the name of a node is too long");
  if (!op2i_tree_texts(cgns->tree, data, &what, &found)) return false;
  const size_t length = (size_t)what.n * what.bytes;
  snprintf(text, size, "%.*s", length < size ? (int)length : (int)size - 1, found);
  cgns->raw->op2->free(found);
  return true;
}

/* ---- zones ----------------------------------------------------------------------------------- */

/* Read a number of a node's data, such as its first. */
static bool read_value(struct op2i_cgns *cgns, const char *path, int64_t i, int64_t *value) {
  void *values = NULL;
  int64_t n = -1;
  if (!op2i_cgns_numbers(cgns, path, false, &n, &values)) return false;
  const bool good = i < n;
  if (good) *value = ((int64_t *)values)[i];
  cgns->raw->op2->free(values);
  return good || op2i_tree_fail(cgns->tree, path, "this node has too few values");
}

static bool read_coordinates(struct op2i_cgns *cgns, const struct op2i_cgns_zone *zone) {
  static const char *const names[3] = {"CoordinateX", "CoordinateY", "CoordinateZ"};
  char path[OP2I_CGNS_PATH];
  void *x[3] = {0};
  int64_t n = zone->nodes;
  if (!op2i_cgns_child(cgns, zone->path, "GridCoordinates_t", path))
    return op2i_tree_fail(cgns->tree, zone->path, "the zone has no coordinates");
  bool good = true;
  for (int k = 0; good && k < cgns->space; k++)
    good = op2i_cgns_named(cgns, path, names[k], true, &n, &x[k]);
  for (int64_t i = 0; good && i < n; i++) {
    double at[3] = {0};
    for (int k = 0; k < cgns->space; k++) at[k] = ((double *)x[k])[i];
    if (!op2i_is_place(at))
      good = op2i_tree_fail(cgns->tree, path, "a coordinate is not a finite number");
    else if (!op2i_raw_node(cgns->raw, cgns->raw->nnodes, at))
      good = op2i_scan_nomem(cgns->tree->scan);
  }
  for (int k = 0; k < 3; k++) cgns->raw->op2->free(x[k]);
  return good;
}

static bool is_unstructured(struct op2i_cgns *cgns, const char *path) {
  char child[OP2I_CGNS_PATH], text[OP2I_CGNS_LABEL] = "Structured";
  if (op2i_cgns_child(cgns, path, "ZoneType_t", child) &&
      !op2i_cgns_text(cgns, child, text, sizeof text))
    return false;
  return strcmp(text, "Unstructured") == 0 ||
         op2i_tree_fail(cgns->tree, path, "this is a zone of type %s; unstructured ones are read",
                        text);
}

/* With several zones each is a group of its cells. */
static bool add_zone_group(struct op2i_cgns *cgns, const struct op2i_cgns_zone *zone,
                           const char *name) {
  int32_t group;
  const int dimension = (int)cgns->dimension;
  if (!op2i_raw_group(cgns->raw, dimension, -1 - cgns->zones.n, name, strlen(name), &group))
    return op2i_scan_nomem(cgns->tree->scan);
  for (int64_t e = 0; e < zone->nplaces; e++)
    if (zone->place[e].dimension == dimension &&
        !op2i_raw_member_at(cgns->raw, dimension, zone->place[e].element, group))
      return op2i_scan_nomem(cgns->tree->scan);
  return true;
}

static bool read_zone(struct op2i_cgns *cgns, const char *path, const char *name, bool several) {
  struct op2i_cgns_zone zone = {.path = path, .first = cgns->raw->nnodes};
  struct op2i_raw *raw = cgns->raw;
  if (!op2i_raw_room(raw->op2, &cgns->zones.first, sizeof *cgns->zones.first, cgns->zones.n + 1,
                     &cgns->zones.capacity))
    return op2i_scan_nomem(cgns->tree->scan);
  cgns->zones.first[cgns->zones.n++] = zone.first;
  const bool good = is_unstructured(cgns, path) && read_value(cgns, path, 0, &zone.nodes) &&
                    read_coordinates(cgns, &zone) && op2i_cgns_elements(cgns, &zone) &&
                    op2i_cgns_boundaries(cgns, &zone) &&
                    (!several || add_zone_group(cgns, &zone, name));
  raw->op2->free(zone.section);
  raw->op2->free(zone.place);
  return good;
}

static bool read_base(struct op2i_cgns *cgns, const char *base) {
  char path[OP2I_CGNS_PATH], other[OP2I_CGNS_PATH], name[OP2I_CGNS_NAME];
  int64_t i = 0, after;
  cgns->base = base;
  if (!read_value(cgns, base, 0, &cgns->dimension) || !read_value(cgns, base, 1, &cgns->space))
    return false;
  if (cgns->dimension < 1 || cgns->dimension > 3 || cgns->space < cgns->dimension ||
      cgns->space > 3)
    return op2i_tree_fail(cgns->tree, base,
                          "cells of dimension %" PRId64 " and %" PRId64 " coordinates",
                          cgns->dimension, cgns->space);
  if (cgns->space == 2) cgns->raw->space = 2;
  bool several = false;
  while (op2i_cgns_next(cgns, base, "Zone_t", &i, path, name)) {
    after = i;
    several = several || op2i_cgns_next(cgns, base, "Zone_t", &after, other, NULL);
    if (!read_zone(cgns, path, name, several)) return false;
  }
  return cgns->zones.n > 0 || op2i_tree_fail(cgns->tree, base, "the base has no zones");
}

bool op2i_cgns_recognise(struct op2i_tree *tree) {
  struct op2i_cgns cgns = {.tree = tree};
  char path[OP2I_CGNS_PATH];
  return op2i_cgns_child(&cgns, "/", "CGNSBase_t", path);
}

bool op2i_cgns_read(struct op2i_tree *tree, struct op2i_raw *raw) {
  struct op2i_cgns cgns = {.tree = tree, .raw = raw};
  char path[OP2I_CGNS_PATH], other[OP2I_CGNS_PATH];
  int64_t i = 0;
  bool good = op2i_cgns_next(&cgns, "/", "CGNSBase_t", &i, path, NULL);
  if (good && op2i_cgns_next(&cgns, "/", "CGNSBase_t", &i, other, NULL))
    good =
        op2i_tree_fail(tree, other, "this is a second base: files of several bases are not read");
  good = good && read_base(&cgns, path) && op2i_vtu_pieces_join(tree->scan, raw, &cgns.zones);
  raw->op2->free(cgns.zones.first);
  return good;
}
