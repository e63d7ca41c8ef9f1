/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PART_H
#define OP2I_PART_H

/* Partitioning. A distributed mesh gets new owners in five steps, each in a file of its own: the
 * owners of one set (part_method.c and the files that it calls); the owners of the other sets
 * (part_follow.c); the sections of each rank (part_shape.c); values and subsets in new memory
 * (part_move.c); and the change of the mesh, which cannot fail (part_apply.c). Numbers are global
 * until the sections are known. Every function that returns a status is collective and fails on all
 * ranks alike. */

#include <stdio.h>

#include "mail.h"
#include "mesh.h"
#include "numbers.h"

/* Subsets and dats of a set in new memory. */
struct op2i_new_subset {
  op2_set subset;
  int64_t n, *idx;
};
struct op2i_new_dat {
  op2_dat dat;
  bool has;     /* true if the dat has values on any rank */
  void *values; /* [new total] */
};

/* One set: the elements that this rank owns now, and those that it will have. */
struct op2i_part_set {
  op2_set set;
  int64_t size;             /* elements on all ranks */
  int64_t n, *number;       /* [n] elements that are owned now, in the library's order */
  int32_t *owner;           /* [n] their new owners; null: not known yet */
  struct op2i_table owners; /* new owners by global number */
  /* elements to be owned here, in the order in which they came from the ranks */
  int64_t narrived, *arrived;
  struct op2i_numbers targets; /* targets of the rows to be owned here, and their owners */
  bool *core;                  /* [narrived] true if the element is core */
  int64_t nexec, *exec;        /* elements of the exec halo, in the order in which they came */
  int32_t *exec_owner;
  int64_t ends[OP2I_SECTIONS], *global; /* the new sections, and the elements in them */
  int32_t *halo_owner;
  struct op2i_numbers local; /* maps the number of each of these elements to its position */
  struct op2i_halo *halo;
  int64_t nsubsets, ndats;
  struct op2i_new_subset *subsets;
  struct op2i_new_dat *dats;
};

/* One map: the rows that are owned here now, those that will be, and those of the exec halo. */
struct op2i_part_map {
  op2_map map;
  int from, to; /* indices of its sets */
  const int64_t *row;
  int64_t *listed; /* memory of `row` if that is not the map's own */
  int64_t *arrived, *exec;
  int32_t *idx;
};

struct op2i_parting {
  op2_context ctx;
  struct op2i_comm *comm;
  int nsets, nmaps; /* maps with values only */
  struct op2i_part_set *sets;
  struct op2i_part_map *maps;
  op2_partition_report report;
};

op2_status op2i_part_shape(struct op2i_parting *p);
op2_status op2i_part_move(struct op2i_parting *p);
void op2i_part_apply(struct op2i_parting *p);

#endif
