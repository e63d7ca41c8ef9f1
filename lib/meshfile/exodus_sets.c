/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of nodes and of sides in Exodus II files. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "exodus.h"

/* Sides of shapes by the file's numbers. -1 fills the places that a side has not. */
static const struct op2i_cell_sides sides_of[] = {
    [OP2_CELL_POINT] = {0, {{0}}},
    [OP2_CELL_LINE] = {2, {{0, -1, -1, -1}, {1, -1, -1, -1}}},
    [OP2_CELL_TRIANGLE] = {3, {{0, 1, -1, -1}, {1, 2, -1, -1}, {2, 0, -1, -1}}},
    [OP2_CELL_QUADRILATERAL] = {4,
                                {{0, 1, -1, -1}, {1, 2, -1, -1}, {2, 3, -1, -1}, {3, 0, -1, -1}}},
    [OP2_CELL_TETRAHEDRON] = {4, {{0, 1, 3, -1}, {1, 2, 3, -1}, {0, 3, 2, -1}, {0, 2, 1, -1}}},
    [OP2_CELL_PYRAMID] =
        {5, {{0, 1, 4, -1}, {1, 2, 4, -1}, {2, 3, 4, -1}, {0, 4, 3, -1}, {0, 3, 2, 1}}},
    [OP2_CELL_PRISM] = {5,
                        {{0, 1, 4, 3}, {1, 2, 5, 4}, {0, 3, 5, 2}, {0, 2, 1, -1}, {3, 4, 5, -1}}},
    [OP2_CELL_HEXAHEDRON] =
        {6, {{0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {0, 4, 7, 3}, {0, 3, 2, 1}, {4, 5, 6, 7}}},
};

static const struct op2i_exodus_block *block_of(const struct op2i_exodus *exodus, int64_t element) {
  int64_t low = 0, high = exodus->nblocks;
  while (high - low > 1) {
    const int64_t middle = (low + high) / 2;
    if (exodus->block[middle].first <= element)
      low = middle;
    else
      high = middle;
  }
  return &exodus->block[low];
}

/* Add one side, of an element that was read, to a group. */
static bool add_side(struct op2i_exodus *exodus, const struct op2i_exodus_names *names, int64_t set,
                     int64_t element, int64_t side) {
  struct op2i_raw *raw = exodus->raw;
  const struct op2i_exodus_block *block = block_of(exodus, element);
  const struct op2i_cell_kind *what = &op2i_cell_kinds[block->kind];
  const struct op2i_elements *list = &raw->of[what->dimension];
  const struct op2i_cell_sides *sides = &sides_of[what->shape];
  int64_t nodes[OP2I_ORDER_MOST], *to;
  int32_t group;
  const int64_t begin = op2i_element_begin(list, block->raw_first + element - block->first);
  memcpy(nodes, list->node + begin, what->nodes * sizeof *nodes);
  if (block->shell) side -= 2;
  int dimension = what->dimension;
  bool good;
  if (block->shell && (side == -1 || side == 0)) { /* the element, seen from above or below */
    good = op2i_raw_element(raw, block->kind, element + 1, &to);
    if (good) memcpy(to, nodes, what->nodes * sizeof *nodes);
    raw->repeats = true;
  } else if (side < 1 || side > sides->n) {
    return op2i_netcdf_fail(&exodus->file, "elem_ss1", "a side of an element is not there");
  } else {
    const int8_t *corner = sides->corner[side - 1];
    int corners = 0;
    while (corners < 4 && corner[corners] >= 0) corners++;
    good = op2i_cell_side_add(raw, block->kind, nodes, corner, corners, element + 1);
    dimension--;
  }
  if (!good) return op2i_scan_nomem(exodus->file.scan);
  return op2i_exodus_group(exodus, names, "ss", set, dimension, &group) &&
         (op2i_raw_member(raw, dimension, group) || op2i_scan_nomem(exodus->file.scan));
}

static bool read_sides(struct op2i_exodus *exodus, const struct op2i_exodus_names *names,
                       int64_t set, const char *elements_name) {
  char name[40];
  void *elements = NULL, *sides = NULL;
  int64_t n = -1;
  snprintf(name, sizeof name, "side_ss%" PRId64, set + 1);
  bool good = op2i_netcdf_numbers(&exodus->file, elements_name, false, &n, &elements) &&
              op2i_netcdf_numbers(&exodus->file, name, false, &n, &sides);
  for (int64_t i = 0; good && i < n; i++) {
    const int64_t element = ((int64_t *)elements)[i];
    if (element < 1 || element > exodus->elements)
      good = op2i_netcdf_fail(&exodus->file, elements_name, "an element is not there");
    else
      good = add_side(exodus, names, set, element - 1, ((int64_t *)sides)[i]);
  }
  exodus->raw->op2->free(elements);
  exodus->raw->op2->free(sides);
  return good;
}

static bool read_nodes(struct op2i_exodus *exodus, const struct op2i_exodus_names *names,
                       int64_t set, const char *name) {
  const int point = op2i_kind_of_gmsh(15);
  struct op2i_raw *raw = exodus->raw;
  void *nodes = NULL;
  int32_t group;
  int64_t n = -1, *to;
  bool good = op2i_netcdf_numbers(&exodus->file, name, false, &n, &nodes) &&
              op2i_exodus_group(exodus, names, "ns", set, 0, &group);
  for (int64_t i = 0; good && i < n; i++) {
    const int64_t node = ((int64_t *)nodes)[i];
    if (node < 1 || node > raw->nnodes) {
      good = op2i_netcdf_fail(&exodus->file, name, "a node is not there");
    } else if (!op2i_raw_element(raw, point, exodus->elements + i + 1, &to)) {
      good = op2i_scan_nomem(exodus->file.scan);
    } else {
      *to = node;
      good = op2i_raw_member(raw, 0, group) || op2i_scan_nomem(exodus->file.scan);
    }
  }
  raw->op2->free(nodes);
  return good;
}

/* Sets that are empty have no variables. */
static bool read_sets(struct op2i_exodus *exodus, const char *prefix, const char *variable,
                      bool (*read)(struct op2i_exodus *exodus,
                                   const struct op2i_exodus_names *names, int64_t set,
                                   const char *name)) {
  struct op2i_exodus_names names;
  struct op2i_tree_data data;
  char name[40];
  bool good = op2i_exodus_names_read(exodus, prefix, &names);
  for (int64_t i = 0; good; i++) {
    snprintf(name, sizeof name, "%s_%s%" PRId64, variable, prefix, i + 1);
    if (op2i_netcdf_find(&exodus->file, name, &data))
      good = read(exodus, &names, i, name);
    else if (i >= names.n)
      break;
  }
  op2i_exodus_names_free(exodus, &names);
  return good;
}

bool op2i_exodus_sets(struct op2i_exodus *exodus) {
  return read_sets(exodus, "ss", "elem", read_sides) && read_sets(exodus, "ns", "node", read_nodes);
}
