/* SPDX-License-Identifier: BSD-3-Clause */
/* op2_renumber() and automatic renumbering: the sets that are concerned, and the sequence in which
 * they determine each other's order. */
#include "renumber.h"
#include "renumber_order.h"

#include <inttypes.h>
#include <string.h>

#include "clock.h"
#include "comm.h"
#include "context.h"
#include "error.h"
#include "fpenv.h"
#include "log.h"
#include "loop.h"
#include "mem.h"
#include "numbering.h"
#include "text.h"

/* The sets that are renumbered together. */
struct renumbering {
  bool automatic; /* sets whose loops keep element order stay as they are */
  struct op2i_renumber *sets;
  int64_t nsets, sets_capacity;
  /* [nsets] sets that have their order, in the sequence in which they got it */
  struct op2i_renumber **done;
  int64_t ndone;
};

/* ---- choice of the sets ---------------------------------------------------------------------- */

static struct op2i_renumber *find_set(const struct renumbering *r, op2_set set) {
  for (int64_t i = 0; i < r->nsets; i++)
    if (r->sets[i].set == set) return &r->sets[i];
  return NULL;
}

static op2_status add_set(struct renumbering *r, op2_set set) {
  if (find_set(r, set)) return OP2_SUCCESS;
  if (op2i_grow(&r->sets, sizeof *r->sets, r->nsets, &r->sets_capacity))
    return op2i_error_nomem("a numbering");
  r->sets[r->nsets++] = (struct op2i_renumber){.set = set};
  return OP2_SUCCESS;
}

/* Add the first set and all sets that maps with values connect with it, directly or not. */
static op2_status collect(struct renumbering *r, op2_set first) {
  op2_status status = add_set(r, first);
  for (int64_t i = 0; i < r->nsets && !status; i++) {
    op2_set set = r->sets[i].set;
    for (struct op2i_link *l = set->maps_from.first; l && !status; l = l->next)
      if (((op2_map)l->object)->idx) status = add_set(r, ((op2_map)l->object)->to);
    for (struct op2i_link *l = set->maps_to.first; l && !status; l = l->next)
      if (((op2_map)l->object)->idx) status = add_set(r, ((op2_map)l->object)->from);
  }
  if (status) return status;
  r->done = op2i_calloc((size_t)r->nsets, sizeof *r->done);
  return r->done ? OP2_SUCCESS : op2i_error_nomem("a numbering");
}

static op2_status check_scopes(const struct renumbering *r, op2_map map) {
  for (int64_t i = 0; i < r->nsets; i++)
    for (struct op2i_link *l = r->sets[i].set->dats.first; l; l = l->next) {
      op2_dat dat = l->object;
      if (dat->open_reads || dat->open_writes)
        return op2i_error(OP2_ERR_STATE, "op2_renumber by map '%s': dat '%s' is open for %s",
                          map->obj.name, dat->obj.name, dat->open_writes ? "writing" : "reading");
    }
  return OP2_SUCCESS;
}

/* ---- choice of the order --------------------------------------------------------------------- */

/* A rule that orders a set by one that has its order already. */
typedef op2_status order_by(op2_map map, const struct op2i_renumber *by, struct op2i_renumber *r);

static op2_status order_one(struct renumbering *all, op2_map map, const struct op2i_renumber *by,
                            struct op2i_renumber *r, order_by *order) {
  all->done[all->ndone++] = r;
  return all->automatic && r->set->keeps_order ? op2i_order_keep(r) : order(map, by, r);
}

static op2_status by_graph(op2_map map, const struct op2i_renumber *none, struct op2i_renumber *r) {
  (void)none;
  return op2i_order_by_graph(map, r);
}

static op2_status order_others(struct renumbering *r, const struct op2i_renumber *by) {
  op2_status status = OP2_SUCCESS;
  for (struct op2i_link *l = by->set->maps_to.first; l && !status; l = l->next) {
    op2_map map = l->object;
    struct op2i_renumber *from = map->idx ? find_set(r, map->from) : NULL;
    if (from && !from->order) status = order_one(r, map, by, from, op2i_order_by_targets);
  }
  for (struct op2i_link *l = by->set->maps_from.first; l && !status; l = l->next) {
    op2_map map = l->object;
    struct op2i_renumber *to = map->idx ? find_set(r, map->to) : NULL;
    if (to && !to->order) status = order_one(r, map, by, to, op2i_order_by_touch);
  }
  return status;
}

/* Order the target set of the map first, then its neighbours, and then those of each ordered
 * set. */
static op2_status order_all(struct renumbering *r, op2_map map) {
  struct op2i_renumber *to = find_set(r, map->to), *from = find_set(r, map->from);
  op2_status status = order_one(r, map, NULL, to, by_graph);
  if (!status && from != to) status = order_one(r, map, to, from, op2i_order_by_targets);
  for (int64_t i = 0; i < r->ndone && !status; i++) status = order_others(r, r->done[i]);
  return status;
}

/* ---- loops ----------------------------------------------------------------------------------- */

void op2i_loops_drop_plans(op2_context ctx) {
  if (!ctx->loops) return;
  for (struct op2i_loop *loop = ctx->loops->first; loop; loop = loop->entry.next) {
    if (loop->attached.sched_release) loop->attached.sched_release(loop->attached.sched_data);
    loop->attached.sched_data = NULL;
    loop->attached.sched_release = NULL;
    if (loop->attached.device_release) loop->attached.device_release(loop->attached.device_data);
    loop->attached.device_data = NULL;
    loop->attached.device_release = NULL;
  }
}

/* ---- the interface --------------------------------------------------------------------------- */

static op2_status check_map(op2_map map) {
  op2_status status = op2i_object_validate(map, OP2I_MAP, "op2_renumber");
  if (!status) status = op2i_context_validate(map->obj.ctx, "op2_renumber");
  if (status) return status;
  if (map->global) return op2i_map_partition_first("op2_renumber, map", map);
  if (!map->idx)
    return op2i_error(OP2_ERR_MISMATCH, "op2_renumber: map '%s' has no values", map->obj.name);
  if (map->arity == 1 && map->from != map->to)
    return op2i_error(OP2_ERR_MISMATCH,
                      "op2_renumber: map '%s' has arity 1, so that no row has two elements of '%s' "
                      "that could be neighbours",
                      map->obj.name, map->to->obj.name);
  if (op2i_order_unavailable())
    return op2i_error(OP2_ERR_UNAVAILABLE, "op2_renumber is not part of this library: %s",
                      op2i_order_unavailable());
  return OP2_SUCCESS;
}

static void free_all(struct renumbering *r) {
  for (int64_t i = 0; i < r->nsets; i++) {
    op2i_free(r->sets[i].order);
    op2i_free(r->sets[i].inverse);
  }
  op2i_free(r->sets);
  op2i_free(r->done);
}

static op2_status choose_sets(struct renumbering *r, op2_map map) {
  op2_status status = collect(r, map->to);
  return status ? status : check_scopes(r, map);
}

op2_status op2_renumber(op2_map map) {
  OP2I_FP_DEFAULT;
  struct renumbering r = {0};
  op2_status status = check_map(map);
  if (!op2i_object_is(map, OP2I_MAP) || map->obj.ctx->finalized) return status;
  op2_context ctx = map->obj.ctx;
  double start = op2i_seconds();
  if (ctx->records->inside) return status;
  op2i_object_call(map, OP2I_MAP, "op2_renumber", NULL, 0);
  OP2I_TRY(op2i_context_agree(ctx, status));
  if (ctx->ncontributions) {
    op2i_log(ctx, OP2I_LOG_INFO,
             "op2_renumber: nothing is renumbered any more, since loops have added through maps in "
             "deterministic mode (OP2_DETERMINISTIC=1)");
    return OP2_SUCCESS;
  }
  OP2I_TRY(op2i_context_agree(ctx, choose_sets(&r, map)));
  OP2I_TRY(op2i_scheduler.flush(ctx->sched, "op2_renumber"));
  OP2I_TRY(op2i_context_agree(ctx, order_all(&r, map)));
  OP2I_TRY(op2i_renumber_apply(r.nsets, r.sets));
  for (int64_t i = 0; i < r.nsets; i++) r.sets[i].set->auto_renumbered = false;
  op2i_scheduler.forget(ctx->sched, NULL);
  op2i_loops_drop_plans(ctx);
  op2i_log(ctx, OP2I_LOG_INFO, "renumbered %s by map '%s' in %.3f s", OP2I_N(r.nsets, "set"),
           map->obj.name, op2i_seconds() - start);
fail:
  free_all(&r);
  return status;
}

/* ---- automatic renumbering ------------------------------------------------------------------- */

/* The number of cache lines that one loop through every map of the sets loads. */
static double all_traffic(const struct renumbering *r, bool after) {
  double lines = 0;
  for (int64_t i = 0; i < r->nsets; i++)
    for (struct op2i_link *l = r->sets[i].set->maps_from.first; l; l = l->next) {
      op2_map map = l->object;
      const struct op2i_renumber *to = map->idx ? find_set(r, map->to) : NULL;
      if (to)
        lines += (double)map->to->ends[OP2I_NONEXEC] *
                 op2i_map_traffic(map, after ? r->sets[i].order : NULL, after ? to->inverse : NULL);
    }
  return lines;
}

/* Replace values by their sums over all ranks, which are thus the same on all of them. */
static op2_status add_up(op2_context ctx, int n, double *values) {
  int64_t sums[8];
  if (!ctx->comm) return OP2_SUCCESS;
  for (int i = 0; i < n; i++) sums[i] = (int64_t)(values[i] * 16);
  op2_status status = op2i_comm_sum(ctx->comm, n, sums);
  for (int i = 0; i < n; i++) values[i] = (double)sums[i] / 16;
  return status;
}

/* Estimate the gain of renumbering; *much is true if traffic falls below 0.7 of the present one. Where
 * blocks also conflict so often that few run at the same time, which an order by neighbours mends in
 * any mesh, it need not fall as far. */
static op2_status weigh(const struct renumbering *r, op2_map map, struct op2i_gain *gain,
                        bool *much) {
  const double falls = map->crowd_blocks ? 0.9 : 0.7;
  double targets = (double)map->to->ends[OP2I_NONEXEC];
  const struct op2i_renumber *from = find_set(r, map->from), *to = find_set(r, map->to);
  double sums[] = {all_traffic(r, false), all_traffic(r, true),
                   targets * op2i_map_traffic(map, NULL, NULL),
                   targets * op2i_map_traffic(map, from->order, to->inverse), targets};
  op2_status status = add_up(map->obj.ctx, 5, sums);
  if (status) return status;
  *much = sums[1] < falls * sums[0];
  *gain = (struct op2i_gain){.before = sums[4] > 0 ? sums[2] / sums[4] : 1,
                             .after = sums[4] > 0 ? sums[3] / sums[4] : 1};
  return OP2_SUCCESS;
}

/* Stop the counting for all maps of these sets, also of those that keep their order, so that they
 * are renumbered automatically only once. */
static void settle_sets(const struct renumbering *r, struct op2i_gain *gain) {
  for (int64_t i = 0; i < r->nsets; i++) {
    op2_set set = r->sets[i].set;
    for (struct op2i_link *l = set->maps_from.first; l; l = l->next)
      op2i_numbering_settle(l->object);
    set->auto_renumbered = !r->sets[i].kept;
    gain->nsets += !r->sets[i].kept;
  }
}

op2_status op2i_renumber_auto(op2_map map, bool anyhow, struct op2i_gain *gain) {
  struct renumbering r = {.automatic = true};
  op2_context ctx = map->obj.ctx;
  bool much = false;
  op2_status status;
  OP2I_TRY(op2i_context_agree(ctx, collect(&r, map->to)));
  OP2I_TRY(op2i_context_agree(ctx, order_all(&r, map)));
  OP2I_TRY(weigh(&r, map, gain, &much));
  if (anyhow || much) {
    OP2I_TRY(op2i_renumber_apply(r.nsets, r.sets));
    settle_sets(&r, gain);
  }
fail:
  free_all(&r);
  return status;
}

/* *bad is true if a map of sets that have just been partitioned is badly numbered, on all ranks
 * together. */
static op2_status is_bad(op2_map map, bool *bad) {
  const double good = 1.5;
  double targets = (double)map->to->ends[OP2I_NONEXEC];
  double sums[] = {targets * op2i_map_traffic(map, NULL, NULL), targets};
  op2_status status = add_up(map->obj.ctx, 2, sums);
  *bad = map->obj.ctx->config.renumber == 1 || sums[0] >= good * sums[1];
  return status;
}

/* Renumber by the first map to the set that op2i_numbering_spread() admits. */
static op2_status renumber_set(op2_set set, struct op2i_gain *sum) {
  struct op2i_gain gain = {0};
  op2_status status = OP2_SUCCESS;
  bool bad = false;
  for (struct op2i_link *l = set->maps_to.first; l && !status; l = l->next) {
    op2_map map = l->object;
    if (set->number || set->keeps_order || !op2i_numbering_spread(map)) continue;
    status = is_bad(map, &bad);
    if (!status && bad) status = op2i_renumber_auto(map, map->obj.ctx->config.renumber == 1, &gain);
    if (gain.nsets) *sum = (struct op2i_gain){sum->nsets + gain.nsets, gain.before, gain.after};
    break;
  }
  return status;
}

op2_status op2i_renumber_spread(op2_context ctx, struct op2i_gain *gain) {
  op2_status status = OP2_SUCCESS;
  *gain = (struct op2i_gain){0};
  for (struct op2i_link *l = ctx->sets.first; l && !status; l = l->next)
    status = renumber_set(l->object, gain);
  return status;
}

op2_status op2i_renumber_back(op2_set set) {
  int64_t total = set->ends[OP2I_NONEXEC];
  struct op2i_renumber r = {.set = set,
                            .order = op2i_malloc((size_t)total * sizeof *r.order),
                            .inverse = op2i_malloc((size_t)total * sizeof *r.inverse)};
  op2_status status = r.order && r.inverse ? OP2_SUCCESS : op2i_error_nomem("a numbering");
  status = op2i_context_agree(set->obj.ctx, status);
  for (int64_t i = 0; i < total && !status; i++) {
    r.inverse[i] = set->number[i];
    r.order[set->number[i]] = i;
  }
  if (!status) status = op2i_renumber_apply(1, &r);
  if (!status) set->auto_renumbered = false;
  op2i_free(r.order);
  op2i_free(r.inverse);
  return status;
}

op2_status op2_set_numbering(op2_set set, int64_t *number) {
  op2_status status = op2i_object_validate(set, OP2I_SET, "op2_set_numbering");
  if (status) return status;
  if (!number) return op2i_error(OP2_ERR_ARG, "op2_set_numbering: a null pointer");
  if (set->base != set)
    return op2i_error(OP2_ERR_ARG, "op2_set_numbering: '%s' is a subset of '%s'", set->obj.name,
                      set->base->obj.name);
  for (int64_t i = 0; i < set->ends[OP2I_NONEXEC]; i++) number[i] = op2i_set_place(set, i);
  return OP2_SUCCESS;
}
