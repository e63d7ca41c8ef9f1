/* SPDX-License-Identifier: BSD-3-Clause */
#include "tile_case.h"

#include <stdlib.h>
#include <string.h>

#include "plan_case.h"

static int32_t below(uint64_t *state, int64_t n) {
  return (int32_t)(plan_case_draw(state) % (uint64_t)n);
}

static void *room(int64_t count, size_t bytes) {
  void *memory = malloc(((size_t)count + 1) * bytes);
  if (!memory) exit(2);
  return memory;
}

/* ---- random cases ---- */

struct mesh {
  int32_t size[TILE_CASE_SETS];
  int32_t from[TILE_CASE_MAPS], to[TILE_CASE_MAPS], arity[TILE_CASE_MAPS];
  int32_t set_of[TILE_CASE_DATS];
};

/* One map of three leads to random elements; in the others neighbours lead to neighbours. */
static void random_map(struct tile_case *c, struct mesh *m, int map, uint64_t *state) {
  int32_t arity = below(state, 6) ? 1 + below(state, 4) : 1 + below(state, TILE_CASE_ARITY);
  m->from[map] = below(state, TILE_CASE_SETS);
  m->to[map] = below(state, TILE_CASE_SETS);
  m->arity[map] = arity;
  int64_t from = m->size[m->from[map]], to = m->size[m->to[map]];
  bool jumps = below(state, 3) == 0;
  c->maps[map] = room(from * arity, sizeof(int32_t));
  for (int64_t i = 0; i < from; i++)
    for (int32_t s = 0; s < arity; s++) {
      int64_t near = (i * to / from + s + (below(state, 8) ? 0 : below(state, 5))) % to;
      c->maps[map][i * arity + s] = jumps ? below(state, to) : (int32_t)near;
    }
}

/* An access of a loop over the set: direct, or through a map from it. False when the draw has
 * none. */
static bool random_access(struct tile_case *c, const struct mesh *m, int32_t set,
                          struct op2i_tile_access *access, uint64_t *state) {
  static const enum op2i_tile_mode modes[] = {OP2I_TILE_READ, OP2I_TILE_READ, OP2I_TILE_READ,
                                              OP2I_TILE_INC,  OP2I_TILE_INC,  OP2I_TILE_WRITE,
                                              OP2I_TILE_RW};
  int32_t dat = below(state, TILE_CASE_DATS), map = below(state, TILE_CASE_MAPS);
  enum op2i_tile_mode mode = modes[below(state, 7)];
  bool direct = m->set_of[dat] == set && below(state, 3);
  if (!direct && (m->from[map] != set || m->to[map] != m->set_of[dat])) return false;
  /* Modes whose order has to be kept are the rarer case. */
  if (!direct && mode != OP2I_TILE_READ && below(state, 4)) mode = OP2I_TILE_INC;
  *access = (struct op2i_tile_access){.dat = dat, .arity = 1, .mode = mode};
  if (direct) return true;
  access->idx = c->maps[map];
  access->arity = m->arity[map];
  access->slot = below(state, m->arity[map] + 1) - 1;
  return true;
}

static void random_loop(struct tile_case *c, const struct mesh *m, int loop, uint64_t *state) {
  struct op2i_tile_loop *l = &c->loops[loop];
  if (loop > 1 && below(state, 3) == 0) {
    *l = c->loops[below(state, loop)];
    return;
  }
  int32_t set = below(state, TILE_CASE_SETS), n = m->size[set];
  *l = (struct op2i_tile_loop){.n = n, .accesses = c->accesses[loop]};
  if (below(state, 6) == 0) l->n = below(state, n + 1);
  if (below(state, 20) == 0) l->n = 0;
  for (int tries = 0; tries < 30 && l->naccesses < TILE_CASE_ACCESSES; tries++) {
    if (l->naccesses > 0 && below(state, 8) == 0) break;
    l->naccesses += random_access(c, m, set, &c->accesses[loop][l->naccesses], state);
  }
}

/* True if two iterations of a loop touch one element of a dat. */
static bool meet(const struct op2i_tile_loop *loop, int32_t dat) {
  int32_t last[512];
  for (int e = 0; e < 512; e++) last[e] = -1;
  for (int32_t i = 0; i < loop->n; i++)
    for (int a = 0; a < loop->naccesses; a++) {
      const struct op2i_tile_access *access = &loop->accesses[a];
      for (int32_t s = 0; s < access->arity && access->dat == dat; s++) {
        if (access->idx && access->slot >= 0 && access->slot != s) continue;
        int32_t e = access->idx ? access->idx[i * access->arity + s] : i;
        if (last[e] >= 0 && last[e] != i) return true;
        last[e] = i;
      }
    }
  return false;
}

/* Mark most of the dats that are injective as such. */
static void call_injective(struct tile_case *c, int loop, uint64_t *state) {
  for (int32_t dat = 0; dat < TILE_CASE_DATS; dat++) {
    bool injective = below(state, 4) && !meet(&c->loops[loop], dat);
    for (int a = 0; a < c->loops[loop].naccesses; a++)
      c->accesses[loop][a].injective |= c->accesses[loop][a].dat == dat && injective;
  }
}

void tile_case_random(struct tile_case *c, uint64_t seed) {
  static const int32_t tile_sizes[] = {1, 2, 3, 7, 16, 50, 100, 1000};
  uint64_t state = seed;
  struct mesh m;
  memset(c, 0, sizeof *c);
  for (int s = 0; s < TILE_CASE_SETS; s++)
    m.size[s] = 1 + below(&state, below(&state, 4) ? 60 : 400);
  for (int d = 0; d < TILE_CASE_DATS; d++) {
    m.set_of[d] = below(&state, TILE_CASE_SETS);
    c->dat_size[d] = m.size[m.set_of[d]];
  }
  for (int map = 0; map < TILE_CASE_MAPS; map++) random_map(c, &m, map, &state);
  c->desc = (struct op2i_tile_desc){.nloops = 1 + below(&state, TILE_CASE_LOOPS),
                                    .loops = c->loops,
                                    .ndats = TILE_CASE_DATS,
                                    .dat_size = c->dat_size,
                                    .tile_size = tile_sizes[below(&state, 8)]};
  for (int l = 0; l < c->desc.nloops; l++) random_loop(c, &m, l, &state);
  for (int l = 0; l < c->desc.nloops; l++)
    if (c->loops[l].accesses == c->accesses[l]) call_injective(c, l, &state);
  c->desc.seed = below(&state, 2) ? 0 : below(&state, c->desc.nloops);
}

void tile_case_free(struct tile_case *c) {
  for (int map = 0; map < TILE_CASE_MAPS; map++) free(c->maps[map]);
}

/* ---- values and kernels ---- */

static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t state = a ^ b * UINT64_C(0xd1342543de82ef95);
  return plan_case_draw(&state);
}

uint64_t **tile_case_values(const struct op2i_tile_desc *desc) {
  uint64_t **values = room(desc->ndats, sizeof *values);
  for (int d = 0; d < desc->ndats; d++) {
    values[d] = room(desc->dat_size[d], sizeof **values);
    for (int64_t e = 0; e < desc->dat_size[d]; e++)
      values[d][e] = mix((uint64_t)d + 1, (uint64_t)e);
  }
  return values;
}

void tile_case_values_free(const struct op2i_tile_desc *desc, uint64_t **values) {
  for (int d = 0; d < desc->ndats; d++) free(values[d]);
  free(values);
}

/* An iteration that has begun: the values that it read, in the order of its accesses and slots. */
struct iteration {
  int loop;
  int64_t i;
  uint64_t hash; /* hash of all values that the kernel may see */
  uint64_t old[TILE_CASE_ACCESSES * TILE_CASE_ARITY];
};

static int32_t width(const struct op2i_tile_access *access) {
  return access->idx && access->slot < 0 ? access->arity : 1;
}

static uint64_t *value_at(uint64_t **values, const struct op2i_tile_access *access, int64_t i,
                          int32_t k) {
  if (!access->idx) return &values[access->dat][i];
  int32_t slot = access->slot < 0 ? k : access->slot;
  return &values[access->dat][access->idx[i * access->arity + slot]];
}

static void begin(const struct op2i_tile_desc *desc, struct iteration *it, uint64_t **values) {
  const struct op2i_tile_loop *loop = &desc->loops[it->loop];
  uint64_t *old = it->old;
  it->hash = mix((uint64_t)it->loop, (uint64_t)it->i);
  for (int a = 0; a < loop->naccesses; a++)
    for (int32_t k = 0; k < width(&loop->accesses[a]); k++, old++) {
      *old = *value_at(values, &loop->accesses[a], it->i, k);
      if (loop->accesses[a].mode == OP2I_TILE_READ || loop->accesses[a].mode == OP2I_TILE_RW)
        it->hash = mix(it->hash, *old);
    }
}

static void end(const struct op2i_tile_desc *desc, const struct iteration *it, uint64_t **values) {
  const struct op2i_tile_loop *loop = &desc->loops[it->loop];
  uint64_t count = 0;
  for (int a = 0; a < loop->naccesses; a++)
    for (int32_t k = 0; k < width(&loop->accesses[a]); k++, count++) {
      uint64_t *value = value_at(values, &loop->accesses[a], it->i, k);
      if (loop->accesses[a].mode == OP2I_TILE_INC)
        *value = it->old[count] + mix(it->hash, count);
      else if (loop->accesses[a].mode != OP2I_TILE_READ)
        *value = mix(it->hash, count);
    }
}

void tile_case_run(const struct op2i_tile_desc *desc, int nloops, uint64_t **values) {
  struct iteration it;
  for (it.loop = 0; it.loop < nloops; it.loop++)
    for (it.i = 0; it.i < desc->loops[it.loop].n; it.i++) {
      begin(desc, &it, values);
      end(desc, &it, values);
    }
}

/* ---- running by tiles ---- */

enum { HANDS = 3, IDLE = -1 };

struct hand {
  int32_t tile, at; /* `at` counts the tile's iterations of the loop */
  struct iteration it;
  bool begun;
};

struct crew {
  const struct op2i_tile_plan *plan;
  const struct op2i_tile_desc *desc;
  int nloops;
  uint64_t **values;
  int32_t *waits; /* predecessors not finished; -1: taken */
  int32_t finished;
  struct hand hands[HANDS];
};

/* The iteration at this index of a share, -1 past the last. */
static int64_t iteration_at(const struct op2i_tile_plan *plan, const struct op2i_tile_share *share,
                            int32_t at) {
  for (int32_t k = 0; k < share->nspans; k++) {
    const struct op2i_tile_span *span = &plan->spans[share->first_span + k];
    if (at < span->hi - span->lo) return span->lo + at;
    at -= span->hi - span->lo;
  }
  return at < share->nids ? plan->ids[share->first_id + at] : -1;
}

static void finish(struct crew *crew, struct hand *hand) {
  const struct op2i_tile_plan *plan = crew->plan;
  for (int32_t t = 0; t < plan->ntiles; t++)
    for (int64_t k = plan->pred_offs[t]; k < plan->pred_offs[t + 1]; k++)
      crew->waits[t] -= plan->preds[k] == hand->tile;
  hand->tile = IDLE;
  crew->finished++;
}

static void step(struct crew *crew, struct hand *hand) {
  if (hand->begun) {
    end(crew->desc, &hand->it, crew->values);
    hand->begun = false;
    return;
  }
  for (; hand->it.loop < crew->nloops; hand->it.loop++, hand->at = 0) {
    int64_t share = (int64_t)hand->tile * crew->plan->nloops + hand->it.loop;
    hand->it.i = iteration_at(crew->plan, &crew->plan->shares[share], hand->at++);
    if (hand->it.i < 0) continue;
    begin(crew->desc, &hand->it, crew->values);
    hand->begun = true;
    return;
  }
  finish(crew, hand);
}

/* A random tile that waits for none; IDLE if there is none. */
static int32_t take(struct crew *crew, uint64_t *state) {
  int32_t chosen = IDLE, ready = 0;
  for (int32_t t = 0; t < crew->plan->ntiles; t++)
    if (crew->waits[t] == 0 && below(state, ++ready) == 0) chosen = t;
  if (chosen != IDLE) crew->waits[chosen] = -1;
  return chosen;
}

bool tile_case_run_tiles(const struct op2i_tile_plan *plan, const struct op2i_tile_desc *desc,
                         int nloops, uint64_t seed, uint64_t **values) {
  struct crew *crew = room(1, sizeof *crew);
  *crew = (struct crew){.plan = plan, .desc = desc, .nloops = nloops, .values = values};
  crew->waits = room(plan->ntiles, sizeof *crew->waits);
  for (int32_t t = 0; t < plan->ntiles; t++)
    crew->waits[t] = (int32_t)(plan->pred_offs[t + 1] - plan->pred_offs[t]);
  for (int h = 0; h < HANDS; h++) crew->hands[h].tile = IDLE;
  bool stuck = false;
  while (crew->finished < plan->ntiles && !stuck) {
    struct hand *hand = &crew->hands[below(&seed, HANDS)];
    if (hand->tile == IDLE) {
      int32_t tile = take(crew, &seed);
      if (tile != IDLE) *hand = (struct hand){.tile = tile};
    }
    if (hand->tile != IDLE) step(crew, hand);
    stuck = true;
    for (int h = 0; h < HANDS; h++) stuck &= crew->hands[h].tile == IDLE;
    for (int32_t t = 0; t < plan->ntiles; t++) stuck &= crew->waits[t] != 0;
  }
  bool all = crew->finished == plan->ntiles;
  free(crew->waits);
  free(crew);
  return all;
}

/* ---- comparing plans ---- */

const char *tile_case_difference(const struct op2i_tile_plan *a, const struct op2i_tile_plan *b) {
  if (a->ntiles != b->ntiles) return "ntiles";
  if (a->nloops != b->nloops) return "nloops";
  size_t nshares = (size_t)a->ntiles * (size_t)a->nloops;
  if (memcmp(a->shares, b->shares, nshares * sizeof *a->shares) != 0) return "shares";
  if (a->nspans != b->nspans || a->nids != b->nids) return "nspans or nids";
  if (a->nspans && memcmp(a->spans, b->spans, (size_t)a->nspans * sizeof *a->spans) != 0)
    return "spans";
  if (a->nids && memcmp(a->ids, b->ids, (size_t)a->nids * sizeof *a->ids) != 0) return "ids";
  size_t noffs = (size_t)a->ntiles + 1;
  if (memcmp(a->pred_offs, b->pred_offs, noffs * sizeof *a->pred_offs) != 0) return "pred_offs";
  size_t npreds = (size_t)a->pred_offs[a->ntiles];
  if (npreds && memcmp(a->preds, b->preds, npreds * sizeof *a->preds) != 0) return "preds";
  return a->critical_path == b->critical_path ? NULL : "critical_path";
}
