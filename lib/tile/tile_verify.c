/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of a plan of tiles against its description, by the definition. For one dat at a time, the
 * chain is replayed in sequential order, and each access is compared with the earlier ones with
 * which it conflicts. The checks use no code that makes plans, and trust nothing in the plan before
 * it is checked. */

#include "tile_verify.h"

#include <inttypes.h>
#include <string.h>

#include "error.h"
#include "mem.h"

#define BROKEN(...) op2i_error(OP2_ERR_STATE, "tiles: " __VA_ARGS__)
#define NOMEM()     op2i_error_nomem("the verification of tiles")

enum { NONE = -1 };

/* The position of an iteration: its tile, and the number of iterations of its loop that precede it
 * in the tile. */
struct slot {
  int32_t tile, position;
};

/* An access with which later ones are compared. For each tile the latest access is enough. */
struct access {
  int32_t tile, position, loop;
  int32_t next;
};

/* Accesses to one element, as lists: the last write or increments, reads since then, and the
 * increments of the present loop as long as no other access has come between. */
struct history {
  int32_t writes, reads, increments;
};

struct replay {
  const struct op2i_tile_plan *plan;
  const struct op2i_tile_desc *desc;
  struct slot *slots; /* [longest loop]: positions in the present loop */
  struct history *elements;
  struct access *accesses;
  int64_t naccesses, accesses_capacity;
  int32_t free; /* list of accesses that are no longer needed */
  struct op2i_tile_needs needs;
  int32_t dat, loop;
  int64_t iteration, element; /* the present access */
};

static const struct op2i_tile_share *share_of(const struct op2i_tile_plan *plan, int32_t tile,
                                              int loop) {
  return &plan->shares[(int64_t)tile * plan->nloops + loop];
}

/* ---- shape ---- */

static op2_status check_inputs(const struct op2i_tile_desc *desc) {
  for (int l = 0; l < desc->nloops; l++)
    for (int a = 0; a < desc->loops[l].naccesses; a++) {
      const struct op2i_tile_access *access = &desc->loops[l].accesses[a];
      for (int64_t i = 0; access->idx && i < desc->loops[l].n; i++)
        for (int32_t s = 0; s < access->arity; s++) {
          int64_t e = access->idx[i * access->arity + s];
          if ((access->slot < 0 || access->slot == s) &&
              (e < 0 || e >= desc->dat_size[access->dat]))
            return BROKEN("access %d of loop %d, slot %" PRId32 " of iteration %" PRId64
                          " points to %" PRId64 " of %" PRId64,
                          a, l, s, i, e, desc->dat_size[access->dat]);
        }
    }
  return OP2_SUCCESS;
}

static op2_status check_shape(const struct op2i_tile_plan *plan,
                              const struct op2i_tile_desc *desc) {
  if (plan->nloops != desc->nloops)
    return BROKEN("nloops is %d, not %d", plan->nloops, desc->nloops);
  if (plan->ntiles < 1) return BROKEN("ntiles is %" PRId32, plan->ntiles);
  if (!plan->shares || !plan->pred_offs || (!plan->spans && plan->nspans > 0) ||
      (!plan->ids && plan->nids > 0))
    return BROKEN("shares, spans, ids or pred_offs are missing");
  for (int32_t t = 0; t < plan->ntiles; t++)
    for (int l = 0; l < plan->nloops; l++) {
      const struct op2i_tile_share *share = share_of(plan, t, l);
      if (share->nspans < 0 || share->first_span < 0 ||
          share->first_span > plan->nspans - share->nspans)
        return BROKEN("spans of loop %d in tile %" PRId32 " are %" PRId32 " from %" PRId64
                      ", of %" PRId64,
                      l, t, share->nspans, share->first_span, plan->nspans);
      if (share->nids < 0 || share->first_id < 0 || share->first_id > plan->nids - share->nids)
        return BROKEN("ids of loop %d in tile %" PRId32 " are %" PRId32 " from %" PRId64
                      ", of %" PRId64,
                      l, t, share->nids, share->first_id, plan->nids);
    }
  return OP2_SUCCESS;
}

/* Check that predecessors have lower numbers, so that numbers give a valid order, and that the
 * length of the critical path is correct. */
static op2_status check_preds(const struct op2i_tile_plan *plan) {
  int32_t *depth = op2i_malloc((size_t)plan->ntiles * sizeof *depth), longest = 0;
  op2_status status = OP2_SUCCESS;
  if (!depth) return NOMEM();
  if (plan->pred_offs[0] != 0) OP2I_TRY(BROKEN("pred_offs begins at %" PRId64, plan->pred_offs[0]));
  for (int32_t t = 0; t < plan->ntiles; t++) {
    depth[t] = 1;
    if (plan->pred_offs[t + 1] < plan->pred_offs[t])
      OP2I_TRY(BROKEN("pred_offs goes down behind tile %" PRId32, t));
    if (plan->pred_offs[t + 1] > plan->pred_offs[t] && !plan->preds)
      OP2I_TRY(BROKEN("preds is missing"));
    for (int64_t i = plan->pred_offs[t]; i < plan->pred_offs[t + 1]; i++) {
      int32_t pred = plan->preds[i];
      if (pred < 0 || pred >= t)
        OP2I_TRY(BROKEN("tile %" PRId32 " waits for tile %" PRId32, t, pred));
      if (i > plan->pred_offs[t] && plan->preds[i - 1] >= pred)
        OP2I_TRY(BROKEN("predecessors of tile %" PRId32 " do not ascend", t));
      if (depth[pred] >= depth[t]) depth[t] = depth[pred] + 1;
    }
    if (depth[t] > longest) longest = depth[t];
  }
  if (longest != plan->critical_path)
    OP2I_TRY(BROKEN("critical_path is %" PRId32 ", not %" PRId32, plan->critical_path, longest));

fail:
  op2i_free(depth);
  return status;
}

/* ---- every iteration once ---- */

static op2_status place_iteration(struct replay *r, int64_t i, int32_t tile, int32_t *position) {
  int64_t n = r->desc->loops[r->loop].n;
  if (i < 0 || i >= n)
    return BROKEN("tile %" PRId32 " runs iteration %" PRId64 " of %" PRId64 " of loop %" PRId32,
                  tile, i, n, r->loop);
  if (r->slots[i].tile != NONE)
    return BROKEN("iteration %" PRId64 " of loop %" PRId32 " is in tile %" PRId32
                  " and again in tile %" PRId32,
                  i, r->loop, r->slots[i].tile, tile);
  r->slots[i] = (struct slot){tile, (*position)++};
  return OP2_SUCCESS;
}

static op2_status place_share(struct replay *r, int32_t tile) {
  const struct op2i_tile_share *share = share_of(r->plan, tile, r->loop);
  op2_status status = OP2_SUCCESS;
  int32_t position = 0;
  for (int32_t k = 0; k < share->nspans; k++) {
    const struct op2i_tile_span *span = &r->plan->spans[share->first_span + k];
    if (span->lo >= span->hi)
      OP2I_TRY(BROKEN("a span of loop %" PRId32 " in tile %" PRId32 " is %" PRId32 " to %" PRId32,
                      r->loop, tile, span->lo, span->hi));
    for (int32_t i = span->lo; i < span->hi; i++) OP2I_TRY(place_iteration(r, i, tile, &position));
  }
  for (int32_t k = 0; k < share->nids; k++) {
    const int64_t *id = &r->plan->ids[share->first_id + k];
    if (k > 0 && id[-1] >= id[0])
      OP2I_TRY(BROKEN("ids of loop %" PRId32 " in tile %" PRId32 " do not ascend: %" PRId64
                      " after %" PRId64,
                      r->loop, tile, id[0], id[-1]));
    OP2I_TRY(place_iteration(r, id[0], tile, &position));
  }

fail:
  return status;
}

static op2_status place_loop(struct replay *r, int loop) {
  op2_status status = OP2_SUCCESS;
  int64_t n = r->desc->loops[loop].n;
  r->loop = loop;
  for (int64_t i = 0; i < n; i++) r->slots[i] = (struct slot){NONE, 0};
  for (int32_t t = 0; t < r->plan->ntiles; t++) OP2I_TRY(place_share(r, t));
  for (int64_t i = 0; i < n; i++)
    if (r->slots[i].tile == NONE)
      OP2I_TRY(BROKEN("iteration %" PRId64 " of loop %d is in no tile", i, loop));

fail:
  return status;
}

/* ---- conflicts ---- */

static op2_status need_path(struct replay *r, int32_t from, int32_t to) {
  struct op2i_tile_need need = {from, to, r->loop, r->dat, r->iteration, r->element};
  return op2i_tile_needs_add(&r->needs, &need);
}

/* Check that the present iteration runs after each of these. */
static op2_status follows(struct replay *r, int32_t chain) {
  struct slot now = r->slots[r->iteration];
  op2_status status = OP2_SUCCESS;
  for (int32_t at = chain; at != NONE; at = r->accesses[at].next) {
    const struct access *before = &r->accesses[at];
    if (before->tile > now.tile)
      return BROKEN(
          "iteration %" PRId64 " of loop %" PRId32 " in tile %" PRId32 " touches element %" PRId64
          " of dat %" PRId32 " after loop %" PRId32 " in tile %" PRId32,
          r->iteration, r->loop, now.tile, r->element, r->dat, before->loop, before->tile);
    if (before->tile < now.tile)
      OP2I_TRY(need_path(r, before->tile, now.tile));
    else if (before->loop == r->loop && before->position > now.position)
      return BROKEN("iteration %" PRId64 " of loop %" PRId32 " runs too early in tile %" PRId32
                    ": an earlier one that touches element %" PRId64 " of dat %" PRId32
                    " comes later",
                    r->iteration, r->loop, now.tile, r->element, r->dat);
  }

fail:
  return status;
}

/* Check that the present iteration never runs at the same time as one of these; the order may be
 * either. */
static op2_status takes_turns(struct replay *r, int32_t chain) {
  int32_t now = r->slots[r->iteration].tile;
  op2_status status = OP2_SUCCESS;
  for (int32_t at = chain; at != NONE; at = r->accesses[at].next) {
    int32_t other = r->accesses[at].tile;
    if (other != now) OP2I_TRY(need_path(r, other < now ? other : now, other < now ? now : other));
  }

fail:
  return status;
}

static op2_status note_access(struct replay *r, int32_t *chain) {
  struct slot now = r->slots[r->iteration];
  int32_t at = *chain;
  while (at != NONE && r->accesses[at].tile != now.tile) at = r->accesses[at].next;
  if (at == NONE) {
    at = r->free;
    if (at != NONE) {
      r->free = r->accesses[at].next;
    } else {
      if (r->naccesses == INT32_MAX ||
          op2i_grow(&r->accesses, sizeof *r->accesses, r->naccesses, &r->accesses_capacity))
        return NOMEM();
      at = (int32_t)r->naccesses++;
    }
    r->accesses[at] = (struct access){now.tile, now.position, r->loop, *chain};
    *chain = at;
    return OP2_SUCCESS;
  }
  struct access *same = &r->accesses[at];
  if (same->loop != r->loop || same->position < now.position) same->position = now.position;
  same->loop = r->loop;
  return OP2_SUCCESS;
}

static void drop_accesses(struct replay *r, int32_t *chain) {
  while (*chain != NONE) {
    int32_t next = r->accesses[*chain].next;
    r->accesses[*chain].next = r->free;
    r->free = *chain;
    *chain = next;
  }
}

/* The increments are complete: they become the last write. */
static void close_increments(struct replay *r, struct history *h) {
  if (h->increments == NONE) return;
  drop_accesses(r, &h->writes);
  drop_accesses(r, &h->reads);
  h->writes = h->increments;
  h->increments = NONE;
}

static op2_status replay_increment(struct replay *r, struct history *h) {
  op2_status status = OP2_SUCCESS;
  if (h->increments != NONE && r->accesses[h->increments].loop != r->loop) close_increments(r, h);
  OP2I_TRY(follows(r, h->writes));
  OP2I_TRY(follows(r, h->reads));
  OP2I_TRY(takes_turns(r, h->increments));
  OP2I_TRY(note_access(r, &h->increments));

fail:
  return status;
}

static op2_status replay_access(struct replay *r, struct history *h, enum op2i_tile_mode mode) {
  op2_status status = OP2_SUCCESS;
  if (mode == OP2I_TILE_INC) return replay_increment(r, h);
  close_increments(r, h);
  OP2I_TRY(follows(r, h->writes));
  if (mode == OP2I_TILE_READ) return note_access(r, &h->reads);
  OP2I_TRY(follows(r, h->reads));
  drop_accesses(r, &h->writes);
  drop_accesses(r, &h->reads);
  OP2I_TRY(note_access(r, &h->writes));

fail:
  return status;
}

static op2_status replay_loop(struct replay *r) {
  const struct op2i_tile_loop *loop = &r->desc->loops[r->loop];
  op2_status status = OP2_SUCCESS;
  for (r->iteration = 0; r->iteration < loop->n; r->iteration++)
    for (int a = 0; a < loop->naccesses; a++) {
      const struct op2i_tile_access *access = &loop->accesses[a];
      if (access->dat != r->dat) continue;
      int32_t arity = access->idx ? access->arity : 1;
      for (int32_t slot = 0; slot < arity; slot++) {
        if (access->idx && access->slot >= 0 && access->slot != slot) continue;
        r->element = access->idx ? access->idx[r->iteration * arity + slot] : r->iteration;
        OP2I_TRY(replay_access(r, &r->elements[r->element], access->mode));
      }
    }

fail:
  return status;
}

static bool touches(const struct op2i_tile_loop *loop, int32_t dat) {
  for (int a = 0; a < loop->naccesses; a++)
    if (loop->accesses[a].dat == dat) return true;
  return false;
}

static op2_status replay_dat(struct replay *r, int32_t dat) {
  op2_status status = OP2_SUCCESS;
  int64_t size = r->desc->dat_size[dat];
  r->dat = dat;
  r->naccesses = 0;
  r->free = NONE;
  op2i_free(r->elements);
  r->elements = op2i_malloc((size_t)size * sizeof *r->elements);
  if (!r->elements) return NOMEM();
  for (int64_t e = 0; e < size; e++) r->elements[e] = (struct history){NONE, NONE, NONE};
  for (int l = 0; l < r->desc->nloops; l++) {
    if (!touches(&r->desc->loops[l], dat)) continue;
    OP2I_TRY(place_loop(r, l));
    OP2I_TRY(replay_loop(r));
  }

fail:
  return status;
}

static bool is_written(const struct op2i_tile_desc *desc, int32_t dat) {
  for (int l = 0; l < desc->nloops; l++)
    for (int a = 0; a < desc->loops[l].naccesses; a++)
      if (desc->loops[l].accesses[a].dat == dat &&
          desc->loops[l].accesses[a].mode != OP2I_TILE_READ)
        return true;
  return false;
}

op2_status op2i_tile_verify(const struct op2i_tile_plan *plan, const struct op2i_tile_desc *desc) {
  struct replay r = {.plan = plan, .desc = desc};
  op2_status status = OP2_SUCCESS;
  int64_t longest = 0;
  OP2I_TRY(check_inputs(desc));
  OP2I_TRY(check_shape(plan, desc));
  OP2I_TRY(check_preds(plan));
  for (int l = 0; l < desc->nloops; l++)
    if (desc->loops[l].n > longest) longest = desc->loops[l].n;
  r.slots = op2i_malloc((size_t)longest * sizeof *r.slots);
  if (!r.slots) OP2I_TRY(NOMEM());
  OP2I_TRY(op2i_tile_needs_open(&r.needs));
  for (int l = 0; l < desc->nloops; l++) OP2I_TRY(place_loop(&r, l));
  for (int32_t d = 0; d < desc->ndats; d++)
    if (is_written(desc, d)) OP2I_TRY(replay_dat(&r, d));
  OP2I_TRY(op2i_tile_needs_verify(&r.needs, plan));

fail:
  op2i_free(r.slots);
  op2i_free(r.elements);
  op2i_free(r.accesses);
  op2i_tile_needs_close(&r.needs);
  return status;
}
