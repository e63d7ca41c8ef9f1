/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TILE_PROJECT_H
#define OP2I_TILE_PROJECT_H

#include "tile_chain.h"
#include "tile_home.h"
#include "tile_pairs.h"

/* Tiles of the other loops. */

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

#endif
