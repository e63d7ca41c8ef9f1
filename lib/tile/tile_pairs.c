/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash set of pairs of tiles. */

#include <stdlib.h>

#include "error.h"
#include "mem.h"
#include "tile_pairs.h"

enum { SLOTS_AT_FIRST = 1024 };

static int64_t slot_of(const struct op2i_tile_pairs *pairs, uint64_t key) {
  uint64_t mixed = key * UINT64_C(0x9e3779b97f4a7c15);
  int64_t at = (int64_t)(mixed >> 20) & (pairs->nslots - 1);
  while (pairs->slots[at] != 0 && pairs->slots[at] != key) at = (at + 1) & (pairs->nslots - 1);
  return at;
}

op2_status op2i_tile_pairs_open(struct op2i_tile_pairs *pairs) {
  *pairs = (struct op2i_tile_pairs){.nslots = SLOTS_AT_FIRST};
  pairs->slots = op2i_calloc(SLOTS_AT_FIRST, sizeof *pairs->slots);
  return pairs->slots ? OP2_SUCCESS : op2i_error_nomem("pairs of tiles");
}

void op2i_tile_pairs_close(struct op2i_tile_pairs *pairs) {
  op2i_free(pairs->slots);
  pairs->slots = NULL;
}

static op2_status grow(struct op2i_tile_pairs *pairs) {
  struct op2i_tile_pairs larger = *pairs;
  larger.nslots *= 2;
  larger.slots = op2i_calloc((size_t)larger.nslots, sizeof *larger.slots);
  if (!larger.slots) return op2i_error_nomem("pairs of tiles");
  for (int64_t i = 0; i < pairs->nslots; i++)
    if (pairs->slots[i]) larger.slots[slot_of(&larger, pairs->slots[i])] = pairs->slots[i];
  op2i_free(pairs->slots);
  *pairs = larger;
  return OP2_SUCCESS;
}

op2_status op2i_tile_pairs_put(struct op2i_tile_pairs *pairs, int32_t first, int32_t second) {
  uint64_t key = (uint64_t)(uint32_t)first << 32 | (uint32_t)second;
  int64_t at = slot_of(pairs, key);
  pairs->latest = key;
  if (pairs->slots[at]) return OP2_SUCCESS;
  pairs->slots[at] = key;
  return 2 * ++pairs->count > pairs->nslots ? grow(pairs) : OP2_SUCCESS;
}

static int ascending(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

op2_status op2i_tile_pairs_rows(const struct op2i_tile_pairs *pairs, int32_t ntiles, int64_t **offs,
                                int32_t **firsts) {
  int64_t *at = op2i_calloc((size_t)ntiles + 2, sizeof *at);
  int32_t *rows = op2i_malloc((size_t)pairs->count * sizeof *rows);
  if (!at || !rows) {
    op2i_free(at);
    op2i_free(rows);
    return op2i_error_nomem("rows of pairs of tiles");
  }
  for (int64_t i = 0; i < pairs->nslots; i++)
    if (pairs->slots[i]) at[(uint32_t)pairs->slots[i] + 2]++;
  for (int32_t t = 0; t < ntiles; t++) at[t + 2] += at[t + 1];
  for (int64_t i = 0; i < pairs->nslots; i++)
    if (pairs->slots[i])
      rows[at[(uint32_t)pairs->slots[i] + 1]++] = (int32_t)(pairs->slots[i] >> 32);
  for (int32_t t = 0; t < ntiles; t++)
    qsort(rows + at[t], (size_t)(at[t + 1] - at[t]), sizeof *rows, ascending);
  *offs = at;
  *firsts = rows;
  return OP2_SUCCESS;
}
