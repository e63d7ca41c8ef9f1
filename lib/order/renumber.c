/* SPDX-License-Identifier: BSD-3-Clause */
/* op2_renumber(): which sets it concerns, and which of them gives which its order. */
#include "renumber.h"

#include <inttypes.h>
#include <string.h>

#include "clock.h"
#include "context.h"
#include "error.h"
#include "log.h"
#include "loop.h"
#include "mem.h"

/* The sets that are renumbered together. */
struct renumbering {
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

static op2_status order_others(struct renumbering *r, const struct op2i_renumber *by) {
  op2_status status = OP2_SUCCESS;
  for (struct op2i_link *l = by->set->maps_to.first; l && !status; l = l->next) {
    op2_map map = l->object;
    struct op2i_renumber *from = map->idx ? find(r, map->from) : NULL;
    if (!from || from->order) continue;
    status = op2i_order_by_targets(map, by, from);
    r->done[r->ndone++] = from;
  }
  for (struct op2i_link *l = by->set->maps_from.first; l && !status; l = l->next) {
    op2_map map = l->object;
    struct op2i_renumber *to = map->idx ? find(r, map->to) : NULL;
    if (!to || to->order) continue;
    status = op2i_order_by_touch(map, by, to);
    r->done[r->ndone++] = to;
  }
  return status;
}

/* From the target set of the map to its neighbours, and on from those. */
static op2_status order_all(struct renumbering *r, op2_map map) {
  struct op2i_renumber *to = find(r, map->to), *from = find(r, map->from);
  op2_status status = op2i_order_by_graph(map, to);
  r->done[r->ndone++] = to;
  if (!status && from != to) {
    status = op2i_order_by_targets(map, to, from);
    r->done[r->ndone++] = from;
  }
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
  op2_status status = op2i_object_check(map, OP2I_MAP, "op2_renumber");
  if (!status) status = op2i_context_check(map->obj.ctx);
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
    op2i_free(r->sets[i].place);
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
  OP2I_TRY(collect(&r, map->to));
  OP2I_TRY(check_scopes(&r, map));
  OP2I_TRY(op2i_scheduler.flush(ctx->sched, "op2_renumber"));
  OP2I_TRY(order_all(&r, map));
  OP2I_TRY(op2i_renumber_apply(r.nsets, r.sets));
  op2i_scheduler.forget(ctx->sched, NULL);
  op2i_loop_reset_all(ctx);
  op2i_log(ctx, OP2I_LOG_INFO, "renumbered %" PRId64 " sets by map '%s' in %.3f s", r.nsets,
           map->obj.name, op2i_seconds() - start);
fail:
  free_all(&r);
  return status;
}

op2_status op2_set_numbering(op2_set set, int64_t *number) {
  op2_status status = op2i_object_check(set, OP2I_SET, "op2_set_numbering");
  if (status) return status;
  if (!number) return op2i_error(OP2_ERR_ARG, "op2_set_numbering: a null pointer");
  if (set->base != set)
    return op2i_error(OP2_ERR_ARG, "op2_set_numbering: '%s' is a subset of '%s'", set->obj.name,
                      set->base->obj.name);
  for (int64_t i = 0; i < set->ends[OP2I_NONEXEC]; i++) number[i] = op2i_set_number(set, i);
  return OP2_SUCCESS;
}
