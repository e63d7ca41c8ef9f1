/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_BLOCK_MAP_H
#define OP2I_BLOCK_MAP_H

/* Rows of maps, addressed by global element numbers as block.h does it for rows of values. */

#include "mesh.h"

/* Fetch the targets of elements [first, first + n) into out[n][arity], -1 where an entry leads
 * nowhere. Collective; fails on all ranks alike. */
op2_status op2i_map_get_block(op2_map map, int64_t first, int64_t n, int64_t *out);
/* Declare a map from such rows: all ranks together provide each row once, whichever rank owns it.
 * Entries below 0 lead nowhere if it is `partial`, on all ranks alike. Collective. */
op2_status op2i_map_create_block(op2_set from, op2_set to, int arity, int64_t first, int64_t n,
                                 const int64_t *in, bool partial, const char *name, op2_map *map);

#endif
