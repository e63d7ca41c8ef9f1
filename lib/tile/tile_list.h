/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TILE_LIST_H
#define OP2I_TILE_LIST_H

#include "tile.h"

/* Lists say what each tile runs. */

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

#endif
