/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TILE_SEED_H
#define OP2I_TILE_SEED_H

#include "tile_chain.h"

/* Tiles of the seed loop: tile_link.c finds neighbours, tile_grow.c lets tiles grow. */

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

#endif
