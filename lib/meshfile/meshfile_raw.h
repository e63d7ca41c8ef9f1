/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MESHFILE_RAW_H
#define OP2I_MESHFILE_RAW_H

/* A mesh as it was read, before sets and maps are made of it: nodes, elements of each dimension, and
 * groups of elements. Readers of file formats fill it, on one rank. Then each rank gets its share of
 * the nodes and of the elements of each dimension (meshfile_spread.c). */

#include "companion.h"
#include "meshfile_kinds.h"

/* Elements of one dimension. Nodes are the file's tags until op2i_raw_finish(), then numbers of
 * nodes. Element e of this rank's share is number first + e of all. */
struct op2i_elements {
  int64_t n, capacity;
  int64_t first, total; /* set by op2i_mesh_spread() */
  uint8_t *kind;        /* [n] index in op2i_cell_kinds */
  int64_t *tag;         /* [n] the file's number, for messages */
  int64_t *end; /* [n] where the nodes of the element end; those of the first one begin at 0 */
  int64_t *node;
  int64_t node_capacity;
};

struct op2i_member {
  int64_t group;
  int64_t element; /* of this rank's share */
};
struct op2i_members {
  int64_t n, capacity;
  struct op2i_member *member;
};

struct op2i_mesh_group {
  char *name;
  int32_t dimension; /* -1: of any dimension, as SU2's markers are */
  int64_t tag;
  int64_t elements; /* of all ranks; set by op2i_mesh_spread() */
};

struct op2i_raw {
  const struct op2i_companion *op2;
  int64_t nnodes, node_capacity, x_capacity;
  int64_t first_node, total_nodes; /* set by op2i_mesh_spread(), as for elements */
  int64_t *tag; /* [nnodes] the file's numbers of the nodes; after op2i_raw_finish() for messages */
  double *x;    /* [nnodes][3] */
  struct op2i_elements of[4];   /* by dimension */
  struct op2i_members group[4]; /* by dimension of the elements */
  int64_t ngroups, group_capacity;
  struct op2i_mesh_group *groups;
  int64_t nslots;  /* a power of two, at least twice as many as groups */
  int32_t *slot;   /* [nslots] groups by a hash of dimension and tag, from 1; 0: free */
  int dimension;   /* the highest one of which there are elements: cells */
  int space;       /* components of coordinates; 0: 2 if all z are 0, else 3 */
  bool repeats;    /* cells in several groups are there several times */
  uint8_t *turned; /* [cells] 1: the corners are in the order of negative area or volume */
};

static inline int64_t op2i_element_begin(const struct op2i_elements *elements, int64_t e) {
  return e ? elements->end[e - 1] : 0;
}

/* True if the coordinates are finite numbers. */
static inline bool op2i_is_place(const double x[3]) {
  return x[0] - x[0] == 0 && x[1] - x[1] == 0 && x[2] - x[2] == 0;
}

void op2i_raw_free(struct op2i_raw *raw);
/* Make space for n elements in an array that has a capacity; false: there is no memory. */
bool op2i_raw_room(const struct op2i_companion *op2, void *array_of_pointer, size_t bytes,
                   int64_t n, int64_t *capacity);
/* These return false if there is no memory. */
bool op2i_raw_node(struct op2i_raw *raw, int64_t tag, const double x[3]);
/* Add an element: *nodes is where its nodes are to be written. */
bool op2i_raw_element(struct op2i_raw *raw, int kind, int64_t tag, int64_t **nodes);
/* Add the last element of a dimension to a group. */
bool op2i_raw_member(struct op2i_raw *raw, int dimension, int32_t group);
/* Add any element of a dimension to a group. */
bool op2i_raw_member_at(struct op2i_raw *raw, int dimension, int64_t element, int32_t group);
/* The group of this dimension and number, or a new one of this name; null: the number is the name. */
bool op2i_raw_group(struct op2i_raw *raw, int32_t dimension, int64_t tag, const char *name,
                    size_t length, int32_t *group);

/* Mark the cells whose corners are in the order of negative area or volume. */
op2_status op2i_raw_find_turned(struct op2i_raw *raw);
/* Replace tags of nodes by their numbers, remove repeated cells, find the dimension, and mark turned
 * cells. */
op2_status op2i_raw_finish(struct op2i_raw *raw, const char *path);

#endif
