/* SPDX-License-Identifier: BSD-3-Clause */
/* The verifier of tiles finds corruptions of plans and names them. Each corruption is applied to
 * many random plans. Most kinds are always wrong; iterations that change places may be harmless,
 * and then a plan that the verifier accepts must give the values of the plain chain. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "plan_case.h"
#include "tap.h"
#include "tile_case.h"

static uint64_t state;

static int64_t below(int64_t n) { return (int64_t)(plan_case_draw(&state) % (uint64_t)n); }

static struct op2i_tile_share *any_share(struct op2i_tile_plan *p, int64_t *number) {
  *number = below((int64_t)p->ntiles * p->nloops);
  return &p->shares[*number];
}

/* ---- moving iterations; entries that are no longer used stay in the arrays ---- */

static void *resize(void *array, int64_t count, size_t bytes) {
  void *resized = op2i_realloc(array, (size_t)count * bytes);
  if (!resized) exit(2);
  return resized;
}

static int64_t take_id(struct op2i_tile_plan *p, struct op2i_tile_share *share) {
  int64_t k = below(share->nids), *ids = p->ids + share->first_id, id = ids[k];
  memmove(ids + k, ids + k + 1, (size_t)(share->nids - k - 1) * sizeof *ids);
  share->nids--;
  return id;
}

static void put_id(struct op2i_tile_plan *p, struct op2i_tile_share *share, int64_t id) {
  int64_t at = p->nids, k = 0;
  p->ids = resize(p->ids, p->nids + share->nids + 1, sizeof *p->ids);
  for (; k < share->nids && p->ids[share->first_id + k] < id; k++)
    p->ids[at++] = p->ids[share->first_id + k];
  p->ids[at++] = id;
  for (; k < share->nids; k++) p->ids[at++] = p->ids[share->first_id + k];
  share->first_id = p->nids;
  share->nids++;
  p->nids = at;
}

static struct op2i_tile_span take_span(struct op2i_tile_plan *p, struct op2i_tile_share *share) {
  int64_t k = below(share->nspans);
  struct op2i_tile_span *spans = p->spans + share->first_span, span = spans[k];
  memmove(spans + k, spans + k + 1, (size_t)(share->nspans - k - 1) * sizeof *spans);
  share->nspans--;
  return span;
}

static void put_span(struct op2i_tile_plan *p, struct op2i_tile_share *share,
                     struct op2i_tile_span span) {
  int64_t at = p->nspans, k = 0;
  p->spans = resize(p->spans, p->nspans + share->nspans + 1, sizeof *p->spans);
  for (; k < share->nspans && p->spans[share->first_span + k].lo < span.lo; k++)
    p->spans[at++] = p->spans[share->first_span + k];
  p->spans[at++] = span;
  for (; k < share->nspans; k++) p->spans[at++] = p->spans[share->first_span + k];
  share->first_span = p->nspans;
  share->nspans++;
  p->nspans = at;
}

/* The share of the same loop in another tile; null if there is only one tile. */
static struct op2i_tile_share *elsewhere(struct op2i_tile_plan *p, int64_t number) {
  if (p->ntiles == 1) return NULL;
  int64_t tile = number / p->nloops, other = (tile + 1 + below(p->ntiles - 1)) % p->ntiles;
  return &p->shares[other * p->nloops + number % p->nloops];
}

static void measure_path(struct op2i_tile_plan *p) {
  int32_t *depth = resize(NULL, p->ntiles, sizeof *depth);
  p->critical_path = 0;
  for (int32_t t = 0; t < p->ntiles; t++) {
    depth[t] = 1;
    for (int64_t k = p->pred_offs[t]; k < p->pred_offs[t + 1]; k++)
      if (depth[p->preds[k]] >= depth[t]) depth[t] = depth[p->preds[k]] + 1;
    if (depth[t] > p->critical_path) p->critical_path = depth[t];
  }
  op2i_free(depth);
}

/* ---- damage: each function returns true if there was something to damage ---- */

static bool id_lost(struct op2i_tile_plan *p) {
  int64_t number;
  struct op2i_tile_share *share = any_share(p, &number);
  if (share->nids == 0) return false;
  take_id(p, share);
  return true;
}
static bool id_twice(struct op2i_tile_plan *p) {
  int64_t number;
  struct op2i_tile_share *share = any_share(p, &number), *other = elsewhere(p, number);
  if (share->nids == 0 || !other) return false;
  put_id(p, other, p->ids[share->first_id + below(share->nids)]);
  return true;
}
static bool id_repeated(struct op2i_tile_plan *p) {
  int64_t number;
  struct op2i_tile_share *share = any_share(p, &number);
  if (share->nids == 0) return false;
  put_id(p, share, p->ids[share->first_id + below(share->nids)]);
  return true;
}
static bool id_negative(struct op2i_tile_plan *p) {
  int64_t number;
  put_id(p, any_share(p, &number), -1);
  return true;
}
static bool id_high(struct op2i_tile_plan *p) {
  int64_t number;
  put_id(p, any_share(p, &number), INT32_MAX);
  return true;
}
static bool ids_swapped(struct op2i_tile_plan *p) {
  int64_t number;
  struct op2i_tile_share *share = any_share(p, &number);
  if (share->nids < 2) return false;
  int64_t *id = p->ids + share->first_id + below(share->nids - 1), kept = id[0];
  id[0] = id[1];
  id[1] = kept;
  return true;
}
static bool span_lost(struct op2i_tile_plan *p) {
  int64_t number;
  struct op2i_tile_share *share = any_share(p, &number);
  if (share->nspans == 0) return false;
  take_span(p, share);
  return true;
}
static bool span_twice(struct op2i_tile_plan *p) {
  int64_t number;
  struct op2i_tile_share *share = any_share(p, &number), *other = elsewhere(p, number);
  if (share->nspans == 0 || !other) return false;
  put_span(p, other, p->spans[share->first_span + below(share->nspans)]);
  return true;
}
static struct op2i_tile_span *any_span(struct op2i_tile_plan *p) {
  int64_t number;
  struct op2i_tile_share *share = any_share(p, &number);
  return share->nspans ? &p->spans[share->first_span + below(share->nspans)] : NULL;
}
static bool span_longer(struct op2i_tile_plan *p) {
  struct op2i_tile_span *span = any_span(p);
  if (span) span->hi++;
  return span;
}
static bool span_shorter(struct op2i_tile_plan *p) {
  struct op2i_tile_span *span = any_span(p);
  if (span) span->lo++;
  return span;
}
static bool span_backwards(struct op2i_tile_plan *p) {
  struct op2i_tile_span *span = any_span(p);
  if (span) *span = (struct op2i_tile_span){span->hi, span->lo};
  return span;
}
static bool edge_removed(struct op2i_tile_plan *p) {
  int64_t npreds = p->pred_offs[p->ntiles];
  if (npreds == 0) return false;
  int64_t k = below(npreds);
  memmove(p->preds + k, p->preds + k + 1, (size_t)(npreds - k - 1) * sizeof *p->preds);
  for (int32_t t = 0; t <= p->ntiles; t++) p->pred_offs[t] -= p->pred_offs[t] > k;
  measure_path(p);
  return true;
}
static int64_t any_pred(const struct op2i_tile_plan *p, int32_t *tile) {
  *tile = (int32_t)below(p->ntiles);
  int64_t count = p->pred_offs[*tile + 1] - p->pred_offs[*tile];
  return count ? p->pred_offs[*tile] + below(count) : -1;
}
static bool pred_itself(struct op2i_tile_plan *p) {
  int32_t tile;
  int64_t k = any_pred(p, &tile);
  if (k >= 0) p->preds[k] = tile;
  return k >= 0;
}
static bool pred_negative(struct op2i_tile_plan *p) {
  int32_t tile;
  int64_t k = any_pred(p, &tile);
  if (k >= 0) p->preds[k] = -1;
  return k >= 0;
}
static bool preds_swapped(struct op2i_tile_plan *p) {
  int32_t tile;
  int64_t k = any_pred(p, &tile);
  if (k <= 0 || k == p->pred_offs[tile]) return false;
  int32_t kept = p->preds[k];
  p->preds[k] = p->preds[k - 1];
  p->preds[k - 1] = kept;
  return true;
}
static bool offs_begin(struct op2i_tile_plan *p) {
  p->pred_offs[0] = 1;
  return true;
}
static bool offs_down(struct op2i_tile_plan *p) {
  p->pred_offs[p->ntiles] = -1;
  return true;
}
static bool path_longer(struct op2i_tile_plan *p) {
  p->critical_path++;
  return true;
}
static bool tiles_none(struct op2i_tile_plan *p) {
  p->ntiles = 0;
  return true;
}
static bool loops_less(struct op2i_tile_plan *p) {
  p->nloops--;
  return true;
}
static bool share_high_span(struct op2i_tile_plan *p) {
  int64_t number;
  any_share(p, &number)->first_span = p->nspans + 1;
  return true;
}
static bool share_more_spans(struct op2i_tile_plan *p) {
  int64_t number;
  any_share(p, &number)->nspans = INT32_MAX;
  return true;
}
static bool share_high_id(struct op2i_tile_plan *p) {
  int64_t number;
  any_share(p, &number)->first_id = p->nids + 1;
  return true;
}
static bool share_negative(struct op2i_tile_plan *p) {
  int64_t number;
  any_share(p, &number)->nids = -1;
  return true;
}
static bool shares_missing(struct op2i_tile_plan *p) {
  op2i_free(p->shares);
  p->shares = NULL;
  return true;
}

static bool id_moved(struct op2i_tile_plan *p) {
  int64_t number;
  struct op2i_tile_share *share = any_share(p, &number), *other = elsewhere(p, number);
  if (share->nids == 0 || !other) return false;
  put_id(p, other, take_id(p, share));
  return true;
}
static bool span_moved(struct op2i_tile_plan *p) {
  int64_t number;
  struct op2i_tile_share *share = any_share(p, &number), *other = elsewhere(p, number);
  if (share->nspans == 0 || !other) return false;
  put_span(p, other, take_span(p, share));
  return true;
}
static bool shares_swapped(struct op2i_tile_plan *p) {
  int64_t number;
  struct op2i_tile_share *share = any_share(p, &number), *other = elsewhere(p, number);
  if (!other || share->nids + share->nspans + other->nids + other->nspans == 0) return false;
  struct op2i_tile_share kept = *share;
  *share = *other;
  *other = kept;
  return true;
}
static bool spans_swapped(struct op2i_tile_plan *p) {
  int64_t number;
  struct op2i_tile_share *share = any_share(p, &number);
  if (share->nspans < 2) return false;
  struct op2i_tile_span *span = p->spans + share->first_span + below(share->nspans - 1),
                        kept = span[0];
  span[0] = span[1];
  span[1] = kept;
  return true;
}
/* A random id of a share becomes a span; span_made_id() makes the first iteration of a span an id,
 * and the others stay a span. */
static bool id_made_span(struct op2i_tile_plan *p) {
  int64_t number;
  struct op2i_tile_share *share = any_share(p, &number);
  if (share->nids < 2) return false;
  int64_t id = take_id(p, share);
  put_span(p, share, (struct op2i_tile_span){(int32_t)id, (int32_t)id + 1});
  return true;
}
static bool span_made_id(struct op2i_tile_plan *p) {
  int64_t number;
  struct op2i_tile_share *share = any_share(p, &number);
  if (share->nspans == 0) return false;
  struct op2i_tile_span span = take_span(p, share);
  put_id(p, share, span.lo);
  if (span.lo + 1 < span.hi) put_span(p, share, (struct op2i_tile_span){span.lo + 1, span.hi});
  return true;
}

static const struct {
  const char *name;
  bool (*damage)(struct op2i_tile_plan *p);
  const char *words; /* text of the message, if the corruption is always found */
} kinds[] = {
    {"an id lost", id_lost, "is in no tile"},
    {"an id in two tiles", id_twice, "and again in tile"},
    {"an id repeated", id_repeated, "do not ascend"},
    {"a negative id", id_negative, "runs iteration -1"},
    {"an id too high", id_high, "runs iteration 2147483647"},
    {"ids swapped", ids_swapped, "do not ascend"},
    {"a span lost", span_lost, "is in no tile"},
    {"a span in two tiles", span_twice, "and again in tile"},
    {"a span too long", span_longer, "iteration"},
    {"a span too short", span_shorter, "tile"},
    {"a span backwards", span_backwards, "a span of loop"},
    {"a predecessor removed", edge_removed, "has no path from tile"},
    {"a tile that waits for itself", pred_itself, "waits for tile"},
    {"a negative predecessor", pred_negative, "waits for tile -1"},
    {"predecessors swapped", preds_swapped, "do not ascend"},
    {"pred_offs that begin late", offs_begin, "pred_offs begins at 1"},
    {"pred_offs that go down", offs_down, "pred_offs goes down"},
    {"a wrong critical path", path_longer, "critical_path is"},
    {"no tiles", tiles_none, "ntiles is 0"},
    {"a loop less", loops_less, "nloops is"},
    {"a share beyond the spans", share_high_span, "spans of loop"},
    {"a share with too many spans", share_more_spans, "spans of loop"},
    {"a share beyond the ids", share_high_id, "ids of loop"},
    {"a share with a negative count", share_negative, "ids of loop"},
    {"no shares", shares_missing, "are missing"},
    {"an id moved", id_moved, NULL},
    {"a span moved", span_moved, NULL},
    {"shares of two tiles swapped", shares_swapped, NULL},
    {"spans swapped", spans_swapped, NULL},
    {"an id made a span", id_made_span, NULL},
    {"an iteration of a span made an id", span_made_id, NULL},
};

/* ---- damage to many plans ---- */

static bool values_right(const struct op2i_tile_plan *plan, const struct op2i_tile_desc *desc) {
  uint64_t **plain = tile_case_values(desc), **tiled = tile_case_values(desc);
  tile_case_run(desc, desc->nloops, plain);
  bool right = tile_case_run_tiles(plan, desc, desc->nloops, state, tiled);
  for (int d = 0; d < desc->ndats; d++)
    right &= memcmp(plain[d], tiled[d], (size_t)desc->dat_size[d] * sizeof **plain) == 0;
  tile_case_values_free(desc, plain);
  tile_case_values_free(desc, tiled);
  return right;
}

struct tally {
  int done, caught, unnamed, harmful;
};

static void try_damage(int kind, uint64_t seed, struct tally *tally) {
  struct tile_case c;
  struct op2i_tile_plan *plan = NULL;
  tile_case_random(&c, seed);
  state = seed;
  if (op2i_tile_create(&c.desc, &plan) != OP2_SUCCESS) exit(2);
  bool damaged = false;
  for (int tries = 0; tries < 20 && !damaged; tries++) damaged = kinds[kind].damage(plan);
  if (damaged) {
    op2_status status = op2i_tile_verify(plan, &c.desc);
    tally->done++;
    tally->caught += status == OP2_ERR_STATE;
    if (kinds[kind].words && !strstr(op2_error_message(), kinds[kind].words)) {
      if (tally->unnamed++ == 0)
        diag("seed %llu: %s", (unsigned long long)seed, op2_error_message());
    }
    if (status == OP2_SUCCESS && !values_right(plan, &c.desc)) {
      if (tally->harmful++ == 0) diag("seed %llu does harm", (unsigned long long)seed);
    }
  }
  op2i_tile_free(plan);
  tile_case_free(&c);
}

int main(void) {
  int cases = quick() ? 200 : 1500;
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
    struct tally tally = {0};
    for (int i = 0; i < cases; i++) try_damage((int)kind, (uint64_t)i, &tally);
    if (kinds[kind].words) {
      ok(tally.done > cases / 50 && tally.caught == tally.done, "%s: %d of %d plans are refused",
         kinds[kind].name, tally.caught, tally.done);
      is_int(tally.unnamed, 0, "and the message says \"%s\"", kinds[kind].words);
    } else {
      ok(tally.caught > cases / 200, "%s: %d of %d plans are refused", kinds[kind].name,
         tally.caught, tally.done);
      is_int(tally.harmful, 0, "and the others are right");
    }
  }
  return done();
}
