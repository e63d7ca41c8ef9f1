/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_FUSE_H
#define OP2I_FUSE_H

#include "combination.h"
#include "passes.h"

/* Types and functions that the files of the fusion pass share. */

enum { OP2I_MEMBERS_MAX = 16, OP2I_ARGS_MAX = 64, OP2I_NO_NODE = -1 };

/* Loops that are to be fused, or an operation by itself. */
struct op2i_cluster {
  op2_set set;         /* null: an operation that is no loop */
  uint64_t objects;    /* a bit for the id of each of its dats and maps, modulo 64 */
  int32_t first, last; /* indices of its nodes, chained through `next` */
  int32_t count, nargs;
  /* set for clusters of several loops when the clusters are final */
  struct op2i_combination *combination;
};

struct op2i_fusion {
  struct op2i_sched *sched;
  struct op2i_node *const *nodes;
  int64_t n;
  int32_t *cluster_of, *next; /* [n] */
  /* Edges between nodes of the sequence, by index: node p depends on from[from_at[p]] up to
   * from_at[p + 1], and those in `to` depend on it. */
  int32_t *from_at, *to_at; /* [n + 1] */
  int32_t *from, *to;
  struct op2i_cluster *clusters; /* [n] */
  int64_t nclusters;
  bool again;           /* the sequence has come before */
  int32_t calls_placed; /* operations that are no loops have been placed up to this cluster */
  struct op2i_text *notes;
  int64_t nnotes;
};

/* The accesses of a loop to a dat. */
struct op2i_dat_use {
  bool any, modifies, mapped;
  bool sums; /* true if all arguments have the same accumulating access: INC, MIN, ... */
  op2_access access;
};
struct op2i_dat_use op2i_dat_use(const struct op2i_loop *loop, op2_dat dat);

/* fuse_group.c: turn clusters into groups, and decide which are fused and what they need
 * not store. */
op2_status op2i_fuse_groups(struct op2i_fusion *pass, struct op2i_grouping *out);

/* True if more notes may be added: a queue without a pattern would fill pages. */
bool op2i_fuse_notes(const struct op2i_fusion *pass);
/* Add a line to the notes unless it is there already, since time steps repeat. Frees the line. */
void op2i_fuse_note(struct op2i_fusion *pass, struct op2i_text *line);

#endif
