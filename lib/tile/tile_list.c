/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of the iterations of every tile, made from the tile of every iteration. */

#include <string.h>

#include "error.h"
#include "mem.h"
#include "tile_list.h"

/* A maximal range of consecutive iterations of one tile. It ends where the next stretch begins. */
struct op2i_tile_stretch {
  int32_t lo, tile;
};

/* If the order matters, a tile has either spans or single iterations only. Single iterations are
 * better if stretches are shorter than this on average. */
enum { ORDERED_RUN_MIN = 4 };

op2_status op2i_tile_lists_open(struct op2i_tile_lists *lists, struct op2i_tile_plan *plan) {
  *lists = (struct op2i_tile_lists){.plan = plan};
  plan->shares = op2i_calloc((size_t)plan->ntiles * (size_t)plan->nloops, sizeof *plan->shares);
  lists->counts = op2i_malloc((size_t)plan->ntiles * sizeof *lists->counts);
  return plan->shares && lists->counts ? OP2_SUCCESS : op2i_error_nomem("the shares of tiles");
}

void op2i_tile_lists_close(struct op2i_tile_lists *lists) {
  op2i_free(lists->stretches);
  op2i_free(lists->counts);
}

static struct op2i_tile_share *share_of(const struct op2i_tile_lists *lists, int64_t tile,
                                        int loop) {
  return &lists->plan->shares[tile * lists->plan->nloops + loop];
}

/* The last stretch is followed by an entry that only marks its end. */
static op2_status find_stretches(struct op2i_tile_lists *lists, int64_t n, const int32_t *tile) {
  lists->nstretches = 0;
  for (int64_t i = 0; i < n;) {
    int64_t lo = i;
    int32_t t = tile[lo];
    while (i < n && tile[i] == t) i++;
    if (op2i_grow(&lists->stretches, sizeof *lists->stretches, lists->nstretches + 1,
                  &lists->stretches_capacity))
      return op2i_error_nomem("stretches of iterations");
    lists->stretches[lists->nstretches++] = (struct op2i_tile_stretch){(int32_t)lo, t};
    lists->stretches[lists->nstretches].lo = (int32_t)i;
  }
  return OP2_SUCCESS;
}

/* Choose spans or ids for all iterations of a tile of an ordered loop: spans run first, so a
 * mixture would not be in ascending order. counts[tile] becomes 1 for spans and 0 for ids. */
static void choose_kind(struct op2i_tile_lists *lists, int loop) {
  const struct op2i_tile_stretch *s = lists->stretches;
  memset(lists->counts, 0, (size_t)lists->plan->ntiles * sizeof *lists->counts);
  for (int64_t k = 0; k < lists->nstretches; k++) {
    lists->counts[s[k].tile]++;
    share_of(lists, s[k].tile, loop)->nids += s[k + 1].lo - s[k].lo;
  }
  for (int32_t t = 0; t < lists->plan->ntiles; t++) {
    struct op2i_tile_share *share = share_of(lists, t, loop);
    lists->counts[t] = share->nids / ORDERED_RUN_MIN >= lists->counts[t];
    share->nids = 0;
  }
}

/* The number of iterations of a stretch that form a span; the others are single iterations. Spans
 * are whole batches of vector code, since an incomplete batch costs as much as a full one, and the
 * single iterations of a tile have only one incomplete batch. */
static int32_t span_length(const struct op2i_tile_lists *lists, const struct op2i_tile_stretch *s,
                           int32_t batch) {
  int32_t length = s[1].lo - s[0].lo;
  if (!batch) return lists->counts[s->tile] > 0 ? length : 0;
  return length >= OP2I_TILE_SPAN_MIN ? length / batch * batch : 0;
}

/* Place the shares of a loop after those that exist, and empty them for filling. */
static op2_status lay_out(struct op2i_tile_lists *lists, int loop) {
  struct op2i_tile_plan *plan = lists->plan;
  for (int32_t t = 0; t < plan->ntiles; t++) {
    struct op2i_tile_share *share = share_of(lists, t, loop);
    share->first_span = plan->nspans;
    share->first_id = plan->nids;
    plan->nspans += share->nspans;
    plan->nids += share->nids;
    share->nspans = share->nids = 0;
  }
  if (op2i_reserve(&plan->spans, sizeof *plan->spans, plan->nspans, &lists->spans_capacity) ||
      op2i_reserve(&plan->ids, sizeof *plan->ids, plan->nids, &lists->ids_capacity))
    return op2i_error_nomem("the iterations of tiles");
  return OP2_SUCCESS;
}

op2_status op2i_tile_lists_loop(struct op2i_tile_lists *lists, int loop, int64_t n,
                                const int32_t *tile, int32_t batch) {
  op2_status status = find_stretches(lists, n, tile);
  if (status != OP2_SUCCESS) return status;
  struct op2i_tile_plan *plan = lists->plan;
  const struct op2i_tile_stretch *s = lists->stretches, *end = s + lists->nstretches;
  if (!batch) choose_kind(lists, loop);
  for (; s < end; s++) {
    struct op2i_tile_share *share = share_of(lists, s->tile, loop);
    int32_t length = span_length(lists, s, batch);
    share->nspans += length > 0;
    share->nids += s[1].lo - s[0].lo - length;
  }
  status = lay_out(lists, loop);
  if (status != OP2_SUCCESS) return status;
  for (s = lists->stretches; s < end; s++) {
    struct op2i_tile_share *share = share_of(lists, s->tile, loop);
    int32_t middle = s[0].lo + span_length(lists, s, batch);
    if (middle > s[0].lo)
      plan->spans[share->first_span + share->nspans++] = (struct op2i_tile_span){s[0].lo, middle};
    for (int32_t i = middle; i < s[1].lo; i++) plan->ids[share->first_id + share->nids++] = i;
  }
  return OP2_SUCCESS;
}
