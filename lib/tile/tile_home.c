/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles of iterations that no dependence places. They access nothing that earlier loops have
 * accessed, so any tile would be correct, but only one near those that use their results later is
 * good. So the tiles of the seed loop are spread over all elements that loops access together, even
 * without a dependence. */

#include <string.h>

#include "error.h"
#include "mem.h"
#include "tile_home.h"

enum { NOWHERE = -1 };

static void slots_of(const struct op2i_tile_access *access, int32_t *first, int32_t *end) {
  *first = access->idx && access->slot > 0 ? access->slot : 0;
  *end = access->idx && access->slot < 0 ? access->arity : *first + 1;
}

static int64_t target_of(const struct op2i_tile_access *access, int64_t i, int32_t slot) {
  return access->idx ? access->idx[i * access->arity + slot] : i;
}

/* The tile of the first element of this iteration to which a tile is assigned; NOWHERE: there is
 * none. */
static int32_t tile_beside(const struct op2i_tile_home *home, int loop, int64_t i) {
  const struct op2i_tile_loop *l = &home->desc->loops[loop];
  for (int a = 0; a < l->naccesses; a++) {
    const int32_t *of = home->of[l->accesses[a].dat];
    int32_t slot, end;
    if (!of) continue;
    for (slots_of(&l->accesses[a], &slot, &end); slot < end; slot++)
      if (of[target_of(&l->accesses[a], i, slot)] != NOWHERE)
        return of[target_of(&l->accesses[a], i, slot)];
  }
  return NOWHERE;
}

/* Assign the tile of each iteration to those of its elements that belong to new dats. */
static void spread(struct op2i_tile_home *home, int loop, const bool *new_dat) {
  const struct op2i_tile_loop *l = &home->desc->loops[loop];
  for (int64_t i = 0; i < l->n; i++) {
    int32_t tile = loop == home->desc->seed ? home->seed_tile[i] : tile_beside(home, loop, i);
    if (tile == NOWHERE) continue;
    for (int a = 0; a < l->naccesses; a++) {
      int32_t *of = home->of[l->accesses[a].dat], slot, end;
      if (!new_dat[l->accesses[a].dat]) continue;
      for (slots_of(&l->accesses[a], &slot, &end); slot < end; slot++) {
        int32_t *at = &of[target_of(&l->accesses[a], i, slot)];
        if (*at == NOWHERE) *at = tile;
      }
    }
  }
}

static bool is_reached(const struct op2i_tile_home *home, int loop) {
  const struct op2i_tile_loop *l = &home->desc->loops[loop];
  for (int a = 0; a < l->naccesses; a++)
    if (home->of[l->accesses[a].dat]) return true;
  return loop == home->desc->seed;
}

/* Process one loop that is reached and accesses dats that are not; *found is set if there was such
 * a dat. */
static op2_status reach_further(struct op2i_tile_home *home, int loop, bool *new_dat, bool *found) {
  const struct op2i_tile_loop *l = &home->desc->loops[loop];
  bool any = false;
  if (!is_reached(home, loop)) return OP2_SUCCESS;
  memset(new_dat, 0, (size_t)home->desc->ndats * sizeof *new_dat);
  for (int a = 0; a < l->naccesses; a++) {
    int32_t dat = l->accesses[a].dat;
    if (home->of[dat]) continue;
    int64_t size = home->desc->dat_size[dat];
    home->of[dat] = op2i_alloc_data((size_t)size * sizeof *home->of[dat]);
    if (!home->of[dat]) return op2i_error_nomem("homes of elements");
    for (int64_t e = 0; e < size; e++) home->of[dat][e] = NOWHERE;
    new_dat[dat] = any = true;
  }
  if (any) spread(home, loop, new_dat);
  *found |= any;
  return OP2_SUCCESS;
}

op2_status op2i_tile_home_make(struct op2i_tile_home *home) {
  if (home->of) return OP2_SUCCESS;
  const struct op2i_tile_desc *desc = home->desc;
  op2_status status = OP2_SUCCESS;
  bool *new_dat = op2i_malloc((size_t)desc->ndats * sizeof *new_dat);
  home->of = op2i_calloc((size_t)desc->ndats, sizeof *home->of);
  if (!new_dat || !home->of) OP2I_TRY(op2i_error_nomem("homes of elements"));
  bool found = false;
  OP2I_TRY(reach_further(home, desc->seed, new_dat, &found));
  while (found) {
    found = false;
    for (int l = 0; l < desc->nloops; l++) OP2I_TRY(reach_further(home, l, new_dat, &found));
  }

fail:
  op2i_free(new_dat);
  return status;
}

void op2i_tile_home_close(struct op2i_tile_home *home) {
  for (int d = 0; home->of && d < home->desc->ndats; d++) op2i_free_data(home->of[d]);
  op2i_free(home->of);
  home->of = NULL;
}

int32_t op2i_tile_home_of(const struct op2i_tile_home *home, int loop, int64_t iteration) {
  int32_t tile = tile_beside(home, loop, iteration);
  if (tile != NOWHERE) return tile;
  return (int32_t)(iteration * home->ntiles / home->desc->loops[loop].n);
}
