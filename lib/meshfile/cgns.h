/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CGNS_H
#define OP2I_CGNS_H

/* Reading of CGNS files that are HDF5: nodes of the tree are groups with a label, and have their data in a
 * dataset called " data". */

#include "meshfile_raw.h"
#include "meshfile_tree.h"
#include "vtu_read.h"

enum { OP2I_CGNS_PATH = 600, OP2I_CGNS_NAME = 100, OP2I_CGNS_LABEL = 40 };

struct op2i_cgns {
  struct op2i_tree *tree;
  struct op2i_raw *raw;
  const char *base;         /* its path */
  int64_t dimension, space; /* of the cells and the coordinates of the base */
  struct op2i_vtu_pieces zones;
};

/* A section of elements of a zone. Elements of a zone are numbered through all sections. */
struct op2i_cgns_section {
  int64_t first, n;
  int64_t offset; /* of the first in op2i_cgns_zone.place */
};

/* Where an element of a zone is among those that were read. */
struct op2i_cgns_place {
  int dimension;
  int64_t element;
};

struct op2i_cgns_zone {
  const char *path;
  int64_t nodes, first; /* first among those that were read */
  int64_t nsections, capacity;
  struct op2i_cgns_section *section; /* [nsections], by number once all are read */
  int64_t nplaces, place_capacity;
  struct op2i_cgns_place *place;
};

/* cgns.c: read a file, if it is one of CGNS. */
bool op2i_cgns_recognise(struct op2i_tree *tree);
bool op2i_cgns_read(struct op2i_tree *tree, struct op2i_raw *raw);

/* The next child of a node with this label, from the i-th on: its path, and its name in OP2I_CGNS_NAME letters unless
 * that is null. *i becomes the one behind it. False: there is no more. Here and below links are followed. */
bool op2i_cgns_next(struct op2i_cgns *cgns, const char *path, const char *label, int64_t *i,
                    char *child, char *name);
/* The first child with this label. */
bool op2i_cgns_child(struct op2i_cgns *cgns, const char *path, const char *label, char *child);
/* Data of a node: numbers, of which there are *n, or any if that is -1, and a short text. */
bool op2i_cgns_numbers(struct op2i_cgns *cgns, const char *path, bool real, int64_t *n, void **out);
bool op2i_cgns_text(struct op2i_cgns *cgns, const char *path, char *text, size_t size);
/* The same for a child of this name. */
bool op2i_cgns_has(struct op2i_cgns *cgns, const char *path, const char *name);
bool op2i_cgns_named(struct op2i_cgns *cgns, const char *path, const char *name, bool real,
                     int64_t *n, void **out);

/* cgns_elements.c: read the sections of a zone. */
bool op2i_cgns_elements(struct op2i_cgns *cgns, struct op2i_cgns_zone *zone);
/* cgns_boundary.c: boundary conditions of a zone become groups. */
bool op2i_cgns_boundaries(struct op2i_cgns *cgns, struct op2i_cgns_zone *zone);

#endif
