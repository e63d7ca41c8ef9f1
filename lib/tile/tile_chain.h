/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TILE_CHAIN_H
#define OP2I_TILE_CHAIN_H

#include "tile.h"

/* The chain as far as conflicts go. */

/* One slot of one map, and the access of a loop to a dat through it. */
struct op2i_tile_column {
  int32_t dat;
  int32_t map;        /* numbered by first appearance, from 1; 0: iteration i accesses element i */
  const int32_t *idx; /* null: direct */
  int32_t arity, slot;
  enum op2i_tile_mode mode; /* READ, INC, or RW for all accesses that keep the order */
  bool injective;
};

/* All accesses of a loop to one dat. */
struct op2i_tile_use {
  int32_t dat;
  bool writes;
  bool direct;    /* true if there is one column, without a map */
  bool injective; /* true if no two iterations access the same element */
  int32_t group;
  int32_t ncolumns;
  const struct op2i_tile_column *columns; /* sorted by map and slot, without duplicates */
};

struct op2i_tile_step {
  int64_t n;
  bool ordered;    /* some iterations in conflict must keep their order */
  int32_t ngroups; /* groups of uses with the same columns, which may differ in mode */
  int32_t nuses;
  struct op2i_tile_use *uses;
};

/* The chain without dats that no loop writes, and without dats all of whose conflicts are also
 * conflicts over another dat of the chain. */
struct op2i_tile_chain {
  int nloops, ndats;
  struct op2i_tile_step *loops;
  struct op2i_tile_use *uses;
  struct op2i_tile_column *columns;
  bool *written; /* [ndats] */
  bool *kept;    /* [ndats]: true for dats that the chain contains */
};
op2_status op2i_tile_chain_open(const struct op2i_tile_desc *desc, struct op2i_tile_chain *chain);
void op2i_tile_chain_close(struct op2i_tile_chain *chain);

#endif
