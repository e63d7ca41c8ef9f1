/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TILE_PAIRS_H
#define OP2I_TILE_PAIRS_H

#include "tile.h"

/* Pairs of tiles, each once. */

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

#endif
