/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TILE_HOME_H
#define OP2I_TILE_HOME_H

#include "tile.h"

/* Tiles for iterations without dependences. */

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

#endif
