/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TILE_VERIFY_H
#define OP2I_TILE_VERIFY_H

#include "tile.h"

/* Pairs of tiles that need a path, without duplicates, each with the first access that requires
 * it. */
struct op2i_tile_need {
  int32_t from, to;
  int32_t loop, dat;
  int64_t iteration, element;
};
struct op2i_tile_needs {
  struct op2i_tile_need *needs;
  int64_t count, capacity;
  int64_t *table; /* hash table: number of a need + 1, 0: free */
  int64_t table_size;
};
op2_status op2i_tile_needs_open(struct op2i_tile_needs *needs);
void op2i_tile_needs_close(struct op2i_tile_needs *needs);
op2_status op2i_tile_needs_add(struct op2i_tile_needs *needs, const struct op2i_tile_need *need);
/* Check that the plan, whose predecessors have been checked, has a path for each pair. */
op2_status op2i_tile_needs_verify(struct op2i_tile_needs *needs, const struct op2i_tile_plan *plan);

#endif
