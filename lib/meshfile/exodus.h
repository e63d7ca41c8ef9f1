/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_EXODUS_H
#define OP2I_EXODUS_H

/* Reading of Exodus II files: netCDF variables for coordinates, blocks of elements, sets of nodes and of sides
 * of elements. */

#include "meshfile_raw.h"
#include "netcdf.h"

/* A block of elements of one kind, with numbers that follow those of the block before. */
struct op2i_exodus_block {
  int64_t first, n;  /* the file's numbers, from 0 */
  int kind;          /* index in op2i_cell_kinds */
  bool shell;        /* sides are numbered as those of shells: 1 and 2 are the element itself */
  int64_t raw_first; /* the first one among the elements of its dimension */
};

struct op2i_exodus {
  struct op2i_netcdf file;
  struct op2i_raw *raw;
  int64_t dimension, nblocks, capacity, elements;
  struct op2i_exodus_block *block;
};

/* The name of the i-th block or set: that which `names` has, if any, else its number in `numbers`, else
 * i + 1. `prefix` is for the variables of one kind: "eb", "ss" or "ns". */
struct op2i_exodus_names {
  int64_t n;     /* of names or numbers */
  int64_t width; /* of each name */
  char *name;
  int64_t *number;
};
bool op2i_exodus_names_read(struct op2i_exodus *exodus, const char *prefix,
                            struct op2i_exodus_names *names);
void op2i_exodus_names_free(struct op2i_exodus *exodus, struct op2i_exodus_names *names);
/* The group of the i-th of them. */
bool op2i_exodus_group(struct op2i_exodus *exodus, const struct op2i_exodus_names *names,
                       const char *prefix, int64_t i, int dimension, int32_t *group);

/* exodus.c: read a file of HDF5, if it is one of Exodus, or one of the classic formats. */
bool op2i_exodus_recognise(struct op2i_tree *tree);
bool op2i_exodus_read(struct op2i_tree *tree, struct op2i_raw *raw);
bool op2i_exodus_classic_read(struct op2i_scan *scan, struct op2i_raw *raw);

/* exodus_sets.c: sets of nodes and sides become groups. */
bool op2i_exodus_sets(struct op2i_exodus *exodus);

/* cell_sides.c: add the side of an element as an element of its own, with all nodes that it has; `nodes` are those
 * of the element, in our order, and `corner` the side's, numbers of its corners. */
bool op2i_cell_side_add(struct op2i_raw *raw, int kind, const int64_t *nodes, const int8_t *corner,
                        int corners, int64_t tag);

#endif
