/* SPDX-License-Identifier: BSD-3-Clause */
/* Sections of elements of CGNS files. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cgns.h"
#include "meshfile_scan.h"

/* Orders of nodes: our node for each of the file's. Null: the same. */
static const uint8_t tetrahedron_10[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};
static const uint8_t pyramid_14[] = {0, 1, 2, 3, 4, 5, 8, 10, 6, 7, 9, 11, 12, 13};
static const uint8_t prism_18[] = {0, 1, 2, 3, 4, 5, 6, 9, 7, 8, 10, 11, 12, 14, 13, 15, 17, 16};
static const uint8_t hexahedron_27[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  11, 13, 9,  10, 12,
                                        14, 15, 16, 18, 19, 17, 20, 21, 23, 24, 22, 25, 26};

/* Types of elements by the file's numbers, and Gmsh's for the same. */
enum { MIXED = 20, POLYGONS = 22, POLYHEDRA = 23 };
static const struct {
  uint8_t number, gmsh;
  const uint8_t *order;
} types[] = {
    {2, 15, NULL},
    {3, 1, NULL},
    {4, 8, NULL},
    {5, 2, NULL},
    {6, 9, NULL},
    {7, 3, NULL},
    {8, 16, NULL},
    {9, 10, NULL},
    {10, 4, NULL},
    {11, 11, tetrahedron_10},
    {12, 7, NULL},
    {13, 14, pyramid_14},
    {14, 6, NULL},
    {15, 18, prism_18},
    {16, 13, prism_18},
    {17, 5, NULL},
    {18, 17, hexahedron_27},
    {19, 12, hexahedron_27},
    {21, 19, pyramid_14},
};
enum { TYPES = sizeof types / sizeof *types };

/* The numbers of a section, of which some were taken. */
struct section {
  struct op2i_cgns *cgns;
  struct op2i_cgns_zone *zone;
  const char *path;
  int64_t type, n, at, end;
  int64_t *numbers;
};

static bool add_element(struct section *section, int64_t type, int64_t number) {
  struct op2i_raw *raw = section->cgns->raw;
  struct op2i_cgns_zone *zone = section->zone;
  int t = 0;
  int64_t *to;
  while (t < TYPES && types[t].number != type) t++;
  if (t == TYPES)
    return op2i_tree_fail(section->cgns->tree, section->path,
                          "elements of CGNS's type %" PRId64 " are not known", type);
  const int kind = op2i_kind_of_gmsh(types[t].gmsh);
  const struct op2i_cell_kind *what = &op2i_cell_kinds[kind];
  if (section->end - section->at < what->nodes)
    return op2i_tree_fail(section->cgns->tree, section->path,
                          "element %" PRId64 " has too few nodes", number);
  if (!op2i_raw_element(raw, kind, number, &to) ||
      !op2i_raw_room(raw->op2, &zone->place, sizeof *zone->place, zone->nplaces + 1,
                     &zone->place_capacity))
    return op2i_scan_nomem(section->cgns->tree->scan);
  for (int k = 0; k < what->nodes; k++) {
    const int64_t node = section->numbers[section->at++];
    if (node < 1 || node > zone->nodes)
      return op2i_tree_fail(section->cgns->tree, section->path,
                            "element %" PRId64 " has node %" PRId64 " of %" PRId64, number, node,
                            zone->nodes);
    to[types[t].order ? types[t].order[k] : k] = zone->first + node - 1;
  }
  zone->place[zone->nplaces++] =
      (struct op2i_cgns_place){what->dimension, raw->of[what->dimension].n - 1};
  return true;
}

static bool add_elements(struct section *section, int64_t first) {
  for (int64_t e = 0; e < section->n; e++) {
    int64_t type = section->type;
    if (type == MIXED) {
      if (section->at == section->end)
        return op2i_tree_fail(section->cgns->tree, section->path, "the last elements are missing");
      type = section->numbers[section->at++];
    }
    if (!add_element(section, type, first + e)) return false;
  }
  return section->at == section->end ||
         op2i_tree_fail(section->cgns->tree, section->path,
                        "there are more nodes than the elements have");
}

static bool check_type(struct section *section) {
  if (section->type != POLYGONS && section->type != POLYHEDRA) return true;
  return op2i_tree_fail(section->cgns->tree, section->path,
                        "elements of the types NGON_n and NFACE_n are not read: save the mesh with "
                        "elements of a shape");
}

static bool read_section(struct op2i_cgns *cgns, struct op2i_cgns_zone *zone, const char *path) {
  struct section section = {.cgns = cgns, .zone = zone, .path = path};
  struct op2i_raw *raw = cgns->raw;
  void *head = NULL, *range = NULL, *numbers = NULL;
  int64_t nhead = -1, nrange = 2, first = 0;
  bool good = op2i_cgns_numbers(cgns, path, false, &nhead, &head) &&
              op2i_cgns_named(cgns, path, "ElementRange", false, &nrange, &range);
  if (good && nhead < 1) good = op2i_tree_fail(cgns->tree, path, "the section has no type");
  if (good) {
    section.type = ((int64_t *)head)[0];
    first = ((int64_t *)range)[0];
    section.n = first < 1 ? -1 : ((int64_t *)range)[1] - first + 1;
    good = check_type(&section);
    section.end = -1;
  }
  good = good && op2i_cgns_named(cgns, path, "ElementConnectivity", false, &section.end, &numbers);
  if (good && (section.n < 0 || section.n > section.end))
    good = op2i_tree_fail(cgns->tree, path, "the range of elements is damaged");
  section.numbers = numbers;
  if (good && !op2i_raw_room(raw->op2, &zone->section, sizeof *zone->section, zone->nsections + 1,
                             &zone->capacity))
    good = op2i_scan_nomem(cgns->tree->scan);
  if (good)
    zone->section[zone->nsections++] = (struct op2i_cgns_section){first, section.n, zone->nplaces};
  good = good && add_elements(&section, first);
  raw->op2->free(head);
  raw->op2->free(range);
  raw->op2->free(numbers);
  return good;
}

static int by_number(const void *a, const void *b) {
  const struct op2i_cgns_section *x = a, *y = b;
  return (x->first > y->first) - (x->first < y->first);
}

bool op2i_cgns_elements(struct op2i_cgns *cgns, struct op2i_cgns_zone *zone) {
  char path[OP2I_CGNS_PATH];
  int64_t i = 0;
  while (op2i_cgns_next(cgns, zone->path, "Elements_t", &i, path, NULL))
    if (!read_section(cgns, zone, path)) return false;
  if (!zone->nsections) return op2i_tree_fail(cgns->tree, zone->path, "the zone has no elements");
  qsort(zone->section, (size_t)zone->nsections, sizeof *zone->section, by_number);
  return true;
}
