/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PART_H
#define OP2I_PART_H

/* Partitioning. A mesh that is spread gets new owners in five steps, each in a file of its own: who
 * owns what of one set (part_method.c and what it calls); the other sets (part_follow.c); what each
 * rank has then (part_shape.c); all of it in new memory (part_move.c); and a change that cannot fail
 * (part_apply.c). Everything speaks of global numbers until the shape is known. Every function that
 * returns a status is collective and fails on all ranks alike. */

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
  bool has;     /* values, on any rank */
  void *values; /* [new total] */
};

/* One set: what this rank owns now, and what it will have. */
struct op2i_part_set {
  op2_set set;
  int64_t size;                /* of the whole */
  int64_t n, *number;          /* [n] what it owns now, in the library's order */
  int32_t *owner;              /* [n] who is to own it; null: nobody knows yet */
  struct op2i_table owners;    /* the same by number */
  int64_t narrived, *arrived;  /* numbers of what is to be owned here, as it came from ranks */
  struct op2i_numbers targets; /* that rows to be owned here lead to, and their owners */
  bool *core;                  /* [narrived] */
  int64_t nexec, *exec;        /* of the exec halo, as they came */
  int32_t *exec_owner;
  int64_t ends[OP2I_SECTIONS], *global; /* what the rank has */
  int32_t *halo_owner;
  struct op2i_numbers local; /* all of these, and the place of each */
  struct op2i_halo *halo;
  int64_t nsubsets, ndats;
  struct op2i_new_subset *subsets;
  struct op2i_new_dat *dats;
};

/* One map: rows that are owned here now, then those that will be, and then the exec halo's. */
struct op2i_part_map {
  op2_map map;
  int from, to; /* sets */
  const int64_t *row;
  int64_t *listed; /* memory of `row`, where that is not the map's own */
  int64_t *arrived, *exec;
  int32_t *idx;
};

struct op2i_parting {
  op2_context ctx;
  struct op2i_comm *comm;
  int nsets, nmaps; /* with values */
  struct op2i_part_set *sets;
  struct op2i_part_map *maps;
  op2_partition_report report;
};

/* part_collect.c: what there is, and its end. */
op2_status op2i_part_collect(op2_context ctx, struct op2i_parting *p);
void op2i_part_free(struct op2i_parting *p);
int op2i_part_find(const struct op2i_parting *p, op2_set set);
op2_status op2i_part_agree(const struct op2i_parting *p, op2_status status);

/* part_method.c: gives one set its owners, or all; -1: all. */
op2_status op2i_part_cut(struct op2i_parting *p, const op2_partition_options *how);
/* The owners of a set are known: tell all ranks. */
op2_status op2i_part_settle(struct op2i_parting *p, int set);
op2_status op2i_part_blocks(struct op2i_parting *p, int set);
/* part_coordinates.c */
op2_status op2i_part_coordinates(struct op2i_parting *p, int set, op2_dat coordinates);
/* part_arcs.c: the graph of a map as this rank's rows give it, by ascending numbers of elements:
 * for each its number, how many neighbours it has, and their numbers. Not collective. */
struct op2i_part_arcs {
  int64_t nwords, *word;
};
op2_status op2i_part_list_arcs(const struct op2i_parting *p, const struct op2i_part_map *m,
                               struct op2i_part_arcs *arcs);
/* part_kway.c */
op2_status op2i_part_kway(struct op2i_parting *p, int map);
/* part_follow.c: all sets that have no owners. */
op2_status op2i_part_follow(struct op2i_parting *p);
/* The rank that is in most of the votes, which it sorts; by the element's number where several are. */
int32_t op2i_part_elect(int64_t number, int64_t n, int32_t *votes);

op2_status op2i_part_shape(struct op2i_parting *p);
op2_status op2i_part_move(struct op2i_parting *p);
void op2i_part_apply(struct op2i_parting *p);

/* part_tell.c: what this rank has, and what the last partition made of it, for op2_explain(). */
void op2i_partition_explain(op2_context ctx, FILE *stream);

#endif
