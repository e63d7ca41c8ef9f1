/* SPDX-License-Identifier: BSD-3-Clause */
/* op2_renumber(), and what is like it but not asked for: which sets it concerns, and which of them
 * gives which its order. */
#include "renumber.h"

#include <inttypes.h>
#include <string.h>

#include "clock.h"
#include "context.h"
#include "error.h"
#include "log.h"
#include "loop.h"
#include "mem.h"
#include "numbering.h"

/* The sets that are renumbered together. */
struct renumbering {
  bool unasked; /* then sets whose loops keep element order stay as they are */
  struct op2i_renumber *sets;
  int64_t nsets, sets_capacity;
  struct op2i_renumber **done; /* [nsets] those that have their order, in the order they got it */
  int64_t ndone;
};

/* ---- which sets ------------------------------------------------------------------------------ */

static struct op2i_renumber *find(const struct renumbering *r, op2_set set) {
  for (int64_t i = 0; i < r->nsets; i++)
    if (r->sets[i].set == set) return &r->sets[i];
  return NULL;
}

static op2_status add_set(struct renumbering *r, op2_set set) {
  if (find(r, set)) return OP2_SUCCESS;
  if (op2i_grow(&r->sets, sizeof *r->sets, r->nsets, &r->sets_capacity))
    return op2i_error_nomem("a numbering");
  r->sets[r->nsets++] = (struct op2i_renumber){.set = set};
  return OP2_SUCCESS;
}

/* All that maps with values connect with a set. */
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

/* ---- which order ----------------------------------------------------------------------------- */

/* How a set gets its order from one that has it. */
typedef op2_status order_by(op2_map map, const struct op2i_renumber *by, struct op2i_renumber *r);

static op2_status order_one(struct renumbering *all, op2_map map, const struct op2i_renumber *by,
                            struct op2i_renumber *r, order_by *order) {
  all->done[all->ndone++] = r;
  return all->unasked && r->set->keeps_order ? op2i_order_keep(r) : order(map, by, r);
}

static op2_status by_graph(op2_map map, const struct op2i_renumber *none, struct op2i_renumber *r) {
  (void)none;
  return op2i_order_by_graph(map, r);
}

static op2_status order_others(struct renumbering *r, const struct op2i_renumber *by) {
  op2_status status = OP2_SUCCESS;
  for (struct op2i_link *l = by->set->maps_to.first; l && !status; l = l->next) {
    op2_map map = l->object;
    struct op2i_renumber *from = map->idx ? find(r, map->from) : NULL;
    if (from && !from->order) status = order_one(r, map, by, from, op2i_order_by_targets);
  }
  for (struct op2i_link *l = by->set->maps_from.first; l && !status; l = l->next) {
    op2_map map = l->object;
    struct op2i_renumber *to = map->idx ? find(r, map->to) : NULL;
    if (to && !to->order) status = order_one(r, map, by, to, op2i_order_by_touch);
  }
  return status;
}

/* From the target set of the map to its neighbours, and on from those. */
static op2_status order_all(struct renumbering *r, op2_map map) {
  struct op2i_renumber *to = find(r, map->to), *from = find(r, map->from);
  op2_status status = order_one(r, map, NULL, to, by_graph);
  if (!status && from != to) status = order_one(r, map, to, from, op2i_order_by_targets);
  for (int64_t i = 0; i < r->ndone && !status; i++) status = order_others(r, r->done[i]);
  return status;
}

/* ---- loops ----------------------------------------------------------------------------------- */

void op2i_loop_reset_all(op2_context ctx) {
  if (!ctx->loops) return;
  for (struct op2i_loop *loop = ctx->loops->first; loop; loop = loop->next) {
    if (loop->sched_release) loop->sched_release(loop->sched_data);
    loop->sched_data = NULL;
    loop->sched_release = NULL;
  }
}

/* ---- the interface --------------------------------------------------------------------------- */

static op2_status check_map(op2_map map) {
  op2_status status = op2i_object_validate(map, OP2I_MAP, "op2_renumber");
  if (!status) status = op2i_context_validate(map->obj.ctx);
  if (status) return status;
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

op2_status op2_renumber(op2_map map) {
  struct renumbering r = {0};
  op2_status status = check_map(map);
  if (status) return status;
  op2_context ctx = map->obj.ctx;
  double start = op2i_seconds();
  if (ctx->comm)
    return op2i_error(OP2_ERR_UNAVAILABLE,
                      "op2_renumber: map '%s': sets that are spread over ranks keep their numbers",
                      map->obj.name);
  OP2I_TRY(collect(&r, map->to));
  OP2I_TRY(check_scopes(&r, map));
  OP2I_TRY(op2i_scheduler.flush(ctx->sched, "op2_renumber"));
  OP2I_TRY(order_all(&r, map));
  OP2I_TRY(op2i_renumber_apply(r.nsets, r.sets));
  for (int64_t i = 0; i < r.nsets; i++) r.sets[i].set->unasked = false;
  op2i_scheduler.forget(ctx->sched, NULL);
  op2i_loop_reset_all(ctx);
  op2i_log(ctx, OP2I_LOG_INFO, "renumbered %" PRId64 " sets by map '%s' in %.3f s", r.nsets,
           map->obj.name, op2i_seconds() - start);
fail:
  free_all(&r);
  return status;
}

/* ---- unasked --------------------------------------------------------------------------------- */

/* The cache lines that one loop through every map of the sets brings to a cache. */
static double all_traffic(const struct renumbering *r, bool after) {
  double lines = 0;
  for (int64_t i = 0; i < r->nsets; i++)
    for (struct op2i_link *l = r->sets[i].set->maps_from.first; l; l = l->next) {
      op2_map map = l->object;
      const struct op2i_renumber *to = map->idx ? find(r, map->to) : NULL;
      if (to)
        lines += (double)map->to->ends[OP2I_NONEXEC] *
                 op2i_map_traffic(map, after ? r->sets[i].order : NULL, after ? to->inverse : NULL);
    }
  return lines;
}

static bool is_worth_it(const struct renumbering *r) {
  const double much = 0.7;
  return all_traffic(r, true) < much * all_traffic(r, false);
}

/* It is done once: neither again by another of the maps, nor by those that keep sets apart. */
static void settle_sets(const struct renumbering *r, struct op2i_gain *gain) {
  for (int64_t i = 0; i < r->nsets; i++) {
    op2_set set = r->sets[i].set;
    for (struct op2i_link *l = set->maps_from.first; l; l = l->next)
      op2i_numbering_settle(l->object);
    set->unasked = !r->sets[i].kept;
    gain->nsets += !r->sets[i].kept;
  }
}

op2_status op2i_renumber_unasked(op2_map map, bool anyhow, struct op2i_gain *gain) {
  struct renumbering r = {.unasked = true};
  op2_status status;
  OP2I_TRY(collect(&r, map->to));
  OP2I_TRY(order_all(&r, map));
  *gain = (struct op2i_gain){
      .before = op2i_map_traffic(map, NULL, NULL),
      .after = op2i_map_traffic(map, find(&r, map->from)->order, find(&r, map->to)->inverse)};
  if (anyhow || is_worth_it(&r)) {
    OP2I_TRY(op2i_renumber_apply(r.nsets, r.sets));
    settle_sets(&r, gain);
  }
fail:
  free_all(&r);
  return status;
}

op2_status op2i_renumber_back(op2_set set) {
  int64_t total = set->ends[OP2I_NONEXEC];
  struct op2i_renumber r = {.set = set,
                            .order = op2i_malloc((size_t)total * sizeof *r.order),
                            .inverse = op2i_malloc((size_t)total * sizeof *r.inverse)};
  op2_status status = r.order && r.inverse ? OP2_SUCCESS : op2i_error_nomem("a numbering");
  for (int64_t i = 0; i < total && !status; i++) {
    r.inverse[i] = set->number[i];
    r.order[set->number[i]] = i;
  }
  if (!status) status = op2i_renumber_apply(1, &r);
  if (!status) set->unasked = false;
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
  for (int64_t i = 0; i < set->ends[OP2I_NONEXEC]; i++) number[i] = op2i_set_number(set, i);
  return OP2_SUCCESS;
}
