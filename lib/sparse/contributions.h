/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CONTRIBUTIONS_H
#define OP2I_CONTRIBUTIONS_H

/* Contributions: what the elements of a set add to the targets of a map, each in a row of its own.
 * In deterministic mode, loops that add through a map write contributions, and each target then adds
 * up its contributions in the order of the elements' global numbers. So the order of additions does
 * not depend on ranks, workers, plans or renumbering. */

#include "mesh.h"

/* How the kernel's block of values for one element is divided into rows of contributions.
 *
 * For one slot of a map a block is the values of one target, and so is a row: both fields are 0, and
 * contributions are dats over the elements themselves.
 *
 * For all slots a block is targets in rows of `columns`, each of which has block_rows by
 * block_columns values, and its memory goes row by row. Each row of contributions is block_columns
 * values of one target. A dat has one row of `arity` targets, each with one row of dim values. */
struct op2i_contribution_layout {
  int32_t columns, block_rows;
};

static inline int32_t op2i_block_rows(struct op2i_contribution_layout layout) {
  return layout.block_rows ? layout.block_rows : 1;
}

/* The slots of a map through which a dat is added to: one, or those of some bits. */
struct op2i_added_slots {
  int32_t slot;  /* OP2_ALL: those of `bits` */
  uint64_t bits; /* as op2i_map_slots() has them */
};

/* The contributions of each target through some slots, in the order in which they are added: a row
 * table of the targets (mesh.h), with contributions as entries. */
struct op2i_addends {
  struct op2i_added_slots through;
  int32_t block_row; /* of the target */
  op2_set targets;   /* those that have addends, and maybe others: a subset if they are few */
  op2_map first, entries;
};

/* A dat that holds contributions, and the kernels that clear it and add it to block rows of a
 * target. */
struct op2i_contributed {
  op2_dat dat;
  op2_dat before;  /* what targets were before a loop that adds in place; null: not requested yet */
  op2_kernel copy; /* copies rows to and from it; null: not requested yet */
  op2_kernel clear; /* sets contributions to -0.0; null: not requested yet */
  op2_kernel add[]; /* [block_rows]; null: not requested yet */
};

/* The contributions of a map (op2_map_s.contributions). */
struct op2i_contributions {
  struct op2i_contributions *next;
  struct op2i_contribution_layout layout;
  op2_set set; /* [from][arity * block_rows] contributions; for one slot, the elements */
  /* The map leads from each element to its contributions, in the order of the kernel's block; null
   * for one slot. */
  op2_map own;
  struct op2i_addends *addends;
  int64_t naddends, addends_capacity;
  struct op2i_contributed **dats;
  int64_t ndats, dats_capacity;
  /* These are for loops over all elements that add in place (in_place.c), through the slots of `bits`.
   * Only elements that lead to deferred targets have contributions, and only deferred targets have
   * addends. `elements` are those elements, halo included; null for other contributions, and where
   * too many targets would be deferred, so that loops do not add in place. */
  bool in_place;
  uint64_t bits;
  int32_t block_size; /* of the loops, when these were made */
  op2_set elements;
};

/* Get the contributions of a map's rows, made on the first call. Collective. */
op2_status op2i_contributions_need(op2_map map, struct op2i_contribution_layout layout,
                                   struct op2i_contributions **out);
/* True for a map between sets with sections in a context without ranks: they belong to programs that
 * have ranks of their own, so that what is added to elements of others stays there, and nothing can be
 * said of the order. */
bool op2i_contributions_foreign(const struct op2_map_s *map);
/* Get those of loops that add in place. Collective. */
op2_status op2i_contributions_in_place(op2_map map, uint64_t bits, struct op2i_contributions **out);
/* Get those of each target through some slots. Collective. *out is valid until the next call. */
op2_status op2i_addends_need(op2_map map, struct op2i_contributions *c,
                             struct op2i_added_slots through, int32_t block_row,
                             const struct op2i_addends **out);
/* Make addends of those targets that have a flag, [owned targets], and no others. Collective. */
op2_status op2i_addends_make(const struct op2_map_s *map, struct op2i_contributions *c,
                             struct op2i_added_slots through, const unsigned char *flags);
/* Put contributions into the map's list. */
void op2i_contributions_keep(op2_map map, struct op2i_contributions *c);
void op2i_contributions_free(struct op2i_contributions *c);
/* Make c->before, unless it is there: a dat over the set of the targets. */
op2_status op2i_contributed_before(struct op2i_contributed *c, op2_set set);
/* Get dat number `at` of those of this shape. `name` is the target's, for messages. */
op2_status op2i_contributed_need(struct op2i_contributions *c, int dim, op2_type type, int at,
                                 const char *name, struct op2i_contributed **out);

#endif
