/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_FUSE_H
#define OP2I_FUSE_H

#include "combination.h"
#include "passes.h"

/* Types and functions that the files of the fusion pass share. */

enum { OP2I_MEMBERS_MAX = 16, OP2I_ARGS_MAX = 64, OP2I_NO_NODE = -1, OP2I_NOTES_SEEN = 512 };

/* These properties of a node are needed again and again, so they are found once. */
struct op2i_traits {
  /* a bit for the number that each of its dats has in the sequence, modulo 64, and for the id of each
   * of its maps */
  uint64_t objects;
  /* Plain loops of the same kind may be fused if they share a dat: they have no maps and no globals,
   * and nothing about their forms keeps them apart. 0: the loop is not plain, or it is none. */
  unsigned plain;
  int32_t repeats; /* members of a fused loop that may have its kernel: OP2I_MEMBERS_MAX at most */
};

/* Loops that are to be fused, or an operation by itself. */
struct op2i_cluster {
  op2_set set;         /* null: an operation that is no loop */
  uint64_t objects;    /* those of all members together */
  unsigned plain;      /* that of all members if it is the same, else 0 */
  int32_t first, last; /* indices of its nodes, chained through `next` */
  int32_t count, nargs;
  /* set for clusters of several loops when the clusters are final */
  struct op2i_combination *combination;
};

struct op2i_fusion {
  struct op2i_sched *sched;
  struct op2i_node *const *nodes;
  int64_t n;
  struct op2i_traits *traits; /* [n] */
  bool few_dats;              /* at most 64 in the sequence, so that each has a bit of its own */
  int32_t *cluster_of, *next; /* [n] */
  /* Edges between nodes of the sequence, by index: node p depends on from[from_at[p]] up to
   * from_at[p + 1], and those in `to` depend on it. */
  int32_t *from_at, *to_at; /* [n + 1] */
  int32_t *from, *to;
  struct op2i_cluster *clusters; /* [n] */
  int64_t nclusters;
  bool again;           /* the sequence has come before */
  int32_t calls_placed; /* operations that are no loops have been placed up to this cluster */
  /* The dats that node p uses are uses use_at[p] to use_at[p + 1] - 1. The next node that uses the
   * same dat as use u is next_user[u]; OP2I_NO_NODE: there is none. */
  int32_t *use_at; /* [n + 1] */
  int32_t *next_user;
  struct op2i_text *notes;
  int64_t nnotes;
  /* A hash table of what was noted: lines, and what they were made of. 0: a free place. */
  uint64_t seen[OP2I_NOTES_SEEN];
  int nseen;
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
/* True if this hash was given before, so that the line made of what it is the hash of need not be
 * made again. */
bool op2i_fuse_noted(struct op2i_fusion *pass, uint64_t hash);
/* Add a line to the notes unless it is there already, since time steps repeat. Frees the line. */
void op2i_fuse_note(struct op2i_fusion *pass, struct op2i_text *line);

#endif
