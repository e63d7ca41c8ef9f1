/* SPDX-License-Identifier: BSD-3-Clause */
/* Exodus II files: coordinates and blocks of elements. */
#include "exodus.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "vtk_cells.h"

/* ---- names ----------------------------------------------------------------------------------- */

bool op2i_exodus_names_read(struct op2i_exodus *exodus, const char *prefix,
                            struct op2i_exodus_names *names) {
  char variable[40];
  struct op2i_tree_data data;
  void *numbers = NULL;
  int64_t n = -1;
  *names = (struct op2i_exodus_names){0};
  snprintf(variable, sizeof variable, "%s_prop1", prefix);
  if (op2i_netcdf_find(&exodus->file, variable, &data)) {
    if (!op2i_netcdf_numbers(&exodus->file, variable, false, &n, &numbers)) return false;
    names->number = numbers;
    names->n = n;
  }
  snprintf(variable, sizeof variable, "%s_names", prefix);
  if (!op2i_netcdf_find(&exodus->file, variable, &data)) return true;
  if (data.rank != 2 || (names->number && data.extent[0] != names->n))
    return op2i_netcdf_fail(&exodus->file, variable, "there should be a name for each of them");
  if (!op2i_netcdf_texts(&exodus->file, variable, &data, &names->name)) return false;
  names->n = data.extent[0];
  names->width = data.extent[1];
  return true;
}

void op2i_exodus_names_free(struct op2i_exodus *exodus, struct op2i_exodus_names *names) {
  exodus->raw->op2->free(names->name);
  exodus->raw->op2->free(names->number);
  *names = (struct op2i_exodus_names){0};
}

bool op2i_exodus_group(struct op2i_exodus *exodus, const struct op2i_exodus_names *names,
                       const char *prefix, int64_t i, int dimension, int32_t *group) {
  char number[30];
  const int64_t space = *prefix == 'e' ? 0 : *prefix == 's' ? 1 : 2; /* numbers are apart */
  const char *name = names->name && i < names->n ? names->name + i * names->width : "";
  size_t length = names->name && i < names->n ? strnlen(name, (size_t)names->width) : 0;
  while (length > 0 && name[length - 1] == ' ') length--;
  if (length == 0) {
    length = (size_t)snprintf(number, sizeof number, "%" PRId64,
                              names->number && i < names->n ? names->number[i] : i + 1);
    name = number;
  }
  return op2i_raw_group(exodus->raw, dimension, (space << 40) + i, name, length, group) ||
         op2i_scan_nomem(exodus->file.scan);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static bool add_nodes(struct op2i_exodus *exodus, double *const *x, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    double at[3] = {0};
    for (int k = 0; k < 3; k++)
      if (x[k]) at[k] = x[k][i];
    if (!op2i_is_place(at))
      return op2i_netcdf_fail(&exodus->file, "coord", "a coordinate is not a finite number");
    if (!op2i_raw_node(exodus->raw, i + 1, at)) return op2i_scan_nomem(exodus->file.scan);
  }
  return true;
}

/* Coordinates are one variable for each direction, or one for all, one behind the other. */
static bool read_nodes(struct op2i_exodus *exodus) {
  static const char *const names[3] = {"coordx", "coordy", "coordz"};
  struct op2i_tree_data data;
  void *values[3] = {0};
  double *x[3] = {0};
  int64_t n = -1;
  bool good = true;
  if (op2i_netcdf_find(&exodus->file, "coord", &data)) {
    if (data.rank != 2 || data.extent[0] < 1 || data.extent[0] > 3)
      return op2i_netcdf_fail(&exodus->file, "coord", "this is not an array of coordinates");
    exodus->dimension = data.extent[0];
    good = op2i_netcdf_numbers(&exodus->file, "coord", true, &n, &values[0]);
    n = data.extent[1];
    for (int k = 0; good && k < exodus->dimension; k++) x[k] = (double *)values[0] + k * n;
  } else {
    for (int k = 0; good && k < 3; k++) {
      if (k && !op2i_netcdf_find(&exodus->file, names[k], &data)) break;
      good = op2i_netcdf_numbers(&exodus->file, names[k], true, &n, &values[k]);
      x[k] = values[k];
      exodus->dimension = k + 1;
    }
  }
  good = good && add_nodes(exodus, x, n);
  for (int k = 0; k < 3; k++) exodus->raw->op2->free(values[k]);
  if (good && exodus->dimension < 3) exodus->raw->space = 2;
  return good;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* VTK's order has the edges at the top before those between. */
static const uint8_t hexahedron[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 16, 17,
                                     18, 19, 12, 13, 14, 15, 26, 24, 25, 20, 21, 22, 23};
static const uint8_t prism[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 9, 10, 11};

/* Types of elements by how their names begin, and their number of nodes. */
static const struct {
  const char *name;
  uint8_t nodes, vtk;
  const uint8_t *reorder; /* VTK's node for each of the file's */
} types[] = {
    {"SPHERE", 1, 1, NULL},      {"CIRCLE", 1, 1, NULL}, {"POINT", 1, 1, NULL},
    {"BAR", 2, 3, NULL},         {"BEAM", 2, 3, NULL},   {"TRUSS", 2, 3, NULL},
    {"ROD", 2, 3, NULL},         {"EDGE", 2, 3, NULL},   {"BAR", 3, 21, NULL},
    {"BEAM", 3, 21, NULL},       {"TRUSS", 3, 21, NULL}, {"EDGE", 3, 21, NULL},
    {"TRI", 3, 5, NULL},         {"TRI", 6, 22, NULL},   {"SHELL", 3, 5, NULL},
    {"SHELL", 6, 22, NULL},      {"SHELL", 4, 9, NULL},  {"SHELL", 8, 23, NULL},
    {"SHELL", 9, 28, NULL},      {"QUAD", 4, 9, NULL},   {"QUAD", 8, 23, NULL},
    {"QUAD", 9, 28, NULL},       {"TET", 4, 10, NULL},   {"TET", 10, 24, NULL},
    {"PYR", 5, 14, NULL},        {"PYR", 13, 27, NULL},  {"WED", 6, 13, NULL},
    {"WED", 15, 26, prism},      {"HEX", 8, 12, NULL},   {"HEX", 20, 25, hexahedron},
    {"HEX", 27, 29, hexahedron},
};
enum { TYPES = sizeof types / sizeof *types };

static int type_of(const char *name, int64_t nodes) {
  for (int t = 0; t < TYPES; t++)
    if (types[t].nodes == nodes && strncasecmp(name, types[t].name, strlen(types[t].name)) == 0)
      return t;
  return -1;
}

static bool add_elements(struct op2i_exodus *exodus, const struct op2i_exodus_block *block,
                         int type, const int64_t *connect, int32_t group) {
  const int nodes = types[type].nodes;
  int64_t order[OP2I_ORDER_MOST];
  for (int64_t e = 0; e < block->n; e++) {
    for (int k = 0; k < nodes; k++)
      order[types[type].reorder ? types[type].reorder[k] : k] = connect[e * nodes + k] - 1;
    if (!op2i_vtk_cell_add(exodus->file.scan, exodus->raw, types[type].vtk, nodes, order, 1,
                           exodus->raw->nnodes))
      return false;
    if (!op2i_raw_member(exodus->raw, op2i_cell_kinds[block->kind].dimension, group))
      return op2i_scan_nomem(exodus->file.scan);
  }
  return true;
}

static bool read_block(struct op2i_exodus *exodus, const struct op2i_exodus_names *names, int64_t i,
                       const char *variable, const struct op2i_tree_data *data) {
  char name[64] = "", why[200];
  struct op2i_vtk_kind kind;
  struct op2i_exodus_block block = {.first = exodus->elements, .n = data->extent[0]};
  const int64_t nodes = data->rank == 2 ? data->extent[1] : 0;
  int32_t group;
  void *connect = NULL;
  if (!op2i_netcdf_elem_type(&exodus->file, variable, name, sizeof name))
    return op2i_netcdf_fail(&exodus->file, variable, "the block has no elem_type");
  const int type = type_of(name, nodes);
  snprintf(why, sizeof why, "elements of type %s with %" PRId64 " nodes are not known", name,
           nodes);
  if (type < 0 || !op2i_vtk_kind_of(types[type].vtk, nodes, &kind))
    return op2i_netcdf_fail(&exodus->file, variable, why);
  block.kind = kind.kind;
  const int dimension = op2i_cell_kinds[kind.kind].dimension;
  block.shell = dimension == 2 && exodus->dimension == 3 && strncasecmp(name, "QUAD", 4) != 0;
  block.raw_first = exodus->raw->of[dimension].n;
  if (!op2i_raw_room(exodus->raw->op2, &exodus->block, sizeof block, exodus->nblocks + 1,
                     &exodus->capacity))
    return op2i_scan_nomem(exodus->file.scan);
  exodus->block[exodus->nblocks++] = block;
  exodus->elements += block.n;
  int64_t n = data->n;
  const bool good = op2i_exodus_group(exodus, names, "eb", i, dimension, &group) &&
                    op2i_netcdf_numbers(&exodus->file, variable, false, &n, &connect) &&
                    add_elements(exodus, &block, type, connect, group);
  exodus->raw->op2->free(connect);
  return good;
}

/* Blocks without elements have no variable. */
static bool read_blocks(struct op2i_exodus *exodus) {
  struct op2i_exodus_names names;
  char variable[40];
  struct op2i_tree_data data;
  bool good = op2i_exodus_names_read(exodus, "eb", &names);
  for (int64_t i = 0; good; i++) {
    snprintf(variable, sizeof variable, "connect%" PRId64, i + 1);
    if (op2i_netcdf_find(&exodus->file, variable, &data))
      good = read_block(exodus, &names, i, variable, &data);
    else if (i >= names.n)
      break;
  }
  op2i_exodus_names_free(exodus, &names);
  return good;
}

bool op2i_exodus_recognise(struct op2i_tree *tree) {
  struct op2i_tree_data data;
  return tree->methods->find(tree->file, "/coord", &data) ||
         tree->methods->find(tree->file, "/coordx", &data) ||
         tree->methods->find(tree->file, "/eb_prop1", &data);
}

static bool read_file(struct op2i_exodus *exodus) {
  return read_nodes(exodus) && read_blocks(exodus) && op2i_exodus_sets(exodus);
}

bool op2i_exodus_read(struct op2i_tree *tree, struct op2i_raw *raw) {
  struct op2i_exodus exodus = {.file = {.scan = tree->scan, .tree = *tree}, .raw = raw};
  const bool good = read_file(&exodus);
  raw->op2->free(exodus.block);
  return good;
}

bool op2i_exodus_classic_read(struct op2i_scan *scan, struct op2i_raw *raw) {
  struct op2i_exodus exodus = {.file = {.scan = scan}, .raw = raw};
  const bool good = op2i_netcdf_classic_open(&exodus.file) && read_file(&exodus);
  raw->op2->free(exodus.file.variable);
  raw->op2->free(exodus.block);
  return good;
}
