/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TILE_INTERNAL_H
#define OP2I_TILE_INTERNAL_H

#include "tile.h"

/* ---- tile_pairs.c: pairs of tiles, each once ------------------------------------------------- */

struct op2i_tile_pairs {
  uint64_t *slots; /* hash table; 0: free, since no tile is paired with itself */
  int64_t nslots, count;
  uint64_t latest; /* last pair, since the same pair tends to be added repeatedly */
};
op2_status op2i_tile_pairs_open(struct op2i_tile_pairs *pairs);
void op2i_tile_pairs_close(struct op2i_tile_pairs *pairs);
op2_status op2i_tile_pairs_put(struct op2i_tile_pairs *pairs, int32_t first, int32_t second);
/* The first members for every second one: firsts[offs[s]] .. firsts[offs[s + 1] - 1], ascending.
 * The caller owns both arrays. */
op2_status op2i_tile_pairs_rows(const struct op2i_tile_pairs *pairs, int32_t ntiles, int64_t **offs,
                                int32_t **firsts);

static inline op2_status op2i_tile_pair(struct op2i_tile_pairs *pairs, int32_t first,
                                        int32_t second) {
  uint64_t key = (uint64_t)(uint32_t)first << 32 | (uint32_t)second;
  return key == pairs->latest ? OP2_SUCCESS : op2i_tile_pairs_put(pairs, first, second);
}

/* ---- tile_chain.c: the chain as far as conflicts go ------------------------------------------ */

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

/* ---- tile_grow.c, tile_link.c: tiles of the seed loop ---------------------------------------- */

/* Rows of an index list, either of equal length or given by their offsets. */
struct op2i_tile_rows {
  const int64_t *offs;
  const int32_t *items;
  int32_t arity, ncolumns;
  const int32_t *columns; /* the slots that are used */
};
static inline int64_t op2i_tile_row_length(const struct op2i_tile_rows *rows, int64_t row) {
  return rows->offs ? rows->offs[row + 1] - rows->offs[row] : rows->ncolumns;
}
static inline int64_t op2i_tile_row_item(const struct op2i_tile_rows *rows, int64_t row,
                                         int64_t k) {
  return rows->offs ? rows->items[rows->offs[row] + k]
                    : rows->items[row * rows->arity + rows->columns[k]];
}

/* Links between iterations of the seed loop: two iterations are neighbours if they have a link in
 * common. A link may also name numbers beyond the iterations of the seed loop, which are
 * ignored. */
struct op2i_tile_links {
  int64_t nvertices, nlinks; /* nlinks 0: no links were found */
  struct op2i_tile_rows of_vertex, of_link;
  int64_t *offs; /* owned: offsets of the relation that is not a map */
  int32_t *items, *columns;
};
op2_status op2i_tile_links_open(const struct op2i_tile_desc *desc,
                                const struct op2i_tile_chain *chain, struct op2i_tile_links *links);
void op2i_tile_links_close(struct op2i_tile_links *links);

/* Compute the tile of every iteration of the seed loop. There is at least one tile. */
op2_status op2i_tile_partition(const struct op2i_tile_desc *desc,
                               const struct op2i_tile_chain *chain, int32_t *tile, int32_t *ntiles);

/* ---- tile_home.c: tiles for iterations without dependences ----------------------------------- */

/* Assigns every element a tile near which it is used. Made at the first use. */
struct op2i_tile_home {
  const struct op2i_tile_desc *desc;
  const int32_t *seed_tile;
  int32_t ntiles;
  int32_t **of; /* [ndats][size], null for dats that are not reached; null before the first use */
};
op2_status op2i_tile_home_make(struct op2i_tile_home *home);
void op2i_tile_home_close(struct op2i_tile_home *home);
int32_t op2i_tile_home_of(const struct op2i_tile_home *home, int loop, int64_t iteration);

/* ---- tile_project.c: tiles of the other loops ------------------------------------------------ */

/* Tiles of the iterations of one loop. */
struct op2i_tile_loop_tiles {
  int loop;
  int32_t *tile; /* [n] */
  /* true if the tiles are given; otherwise they are lower bounds, -1 for none, to be raised */
  bool fixed;
};

struct op2i_tile_projection;
op2_status op2i_tile_projection_open(const struct op2i_tile_desc *desc,
                                     const struct op2i_tile_chain *chain,
                                     struct op2i_tile_home *home,
                                     struct op2i_tile_projection **projection);
void op2i_tile_projection_close(struct op2i_tile_projection *projection);
/* Forget all loops. The following ones run forwards, or backwards with tiles counted from the last
 * one. Unless `pairs` is null, it receives each tile that another one has to wait for, with the
 * latter. */
void op2i_tile_projection_begin(struct op2i_tile_projection *projection, bool backwards,
                                struct op2i_tile_pairs *pairs);
op2_status op2i_tile_projection_loop(struct op2i_tile_projection *projection,
                                     const struct op2i_tile_loop_tiles *tiles);

/* ---- tile_list.c: what each tile runs -------------------------------------------------------- */

struct op2i_tile_lists {
  struct op2i_tile_plan *plan; /* receives shares, spans and ids */
  int64_t spans_capacity, ids_capacity;
  struct op2i_tile_stretch *stretches; /* stretches of the present loop */
  int64_t nstretches, stretches_capacity;
  int64_t *counts; /* [ntiles]: number of stretches */
};
op2_status op2i_tile_lists_open(struct op2i_tile_lists *lists, struct op2i_tile_plan *plan);
void op2i_tile_lists_close(struct op2i_tile_lists *lists);
/* Spans are multiples of `batch`; 0: the order of iterations matters. */
op2_status op2i_tile_lists_loop(struct op2i_tile_lists *lists, int loop, int64_t n,
                                const int32_t *tile, int32_t batch);

/* ---- tile_dag.c ------------------------------------------------------------------------------ */

/* Predecessors and critical path of a plan. */
op2_status op2i_tile_dag_make(const struct op2i_tile_pairs *pairs, struct op2i_tile_plan *plan);

#endif
