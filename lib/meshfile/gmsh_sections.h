/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_GMSH_SECTIONS_H
#define OP2I_GMSH_SECTIONS_H

/* Sections of Gmsh's files. Each function reads the contents of a section, after its first line. */

#include "meshfile_raw.h"
#include "meshfile_scan.h"

/* A geometrical entity of format 4 and the groups that it is in. */
struct op2i_gmsh_entity {
  int dimension;
  int64_t tag;
  int64_t first, n; /* in the list of groups */
};

struct op2i_gmsh {
  struct op2i_scan *scan;
  struct op2i_raw *raw;
  bool binary;
  int version; /* 2 or 4 */
  int64_t nentities, entity_capacity;
  struct op2i_gmsh_entity *entities;
  int64_t ngroups, group_capacity;
  int32_t *groups;
  bool has_nodes, has_elements;
};

/* gmsh_2.c */
bool op2i_gmsh2_nodes(struct op2i_gmsh *gmsh);
bool op2i_gmsh2_elements(struct op2i_gmsh *gmsh);
/* gmsh_4.c */
bool op2i_gmsh4_entities(struct op2i_gmsh *gmsh);
bool op2i_gmsh4_nodes(struct op2i_gmsh *gmsh);
bool op2i_gmsh4_elements(struct op2i_gmsh *gmsh);

/* The kind of Gmsh's number, or a failure: -1. */
int op2i_gmsh_kind(struct op2i_gmsh *gmsh, int64_t number);

#endif
