/* SPDX-License-Identifier: BSD-3-Clause */
/* A cost model that chooses the place of each loop. It runs through the steps that run
 * together twice, since a program mostly comes again, and adds up the time of each step where
 * it would run and of the copies that this needs from where values are now. All steps of a
 * loop are moved at once, from one place to the other or, where possible, onto both, as long
 * as the total decreases. */
#include <string.h>

#include "device.h"
#include "mem.h"
#include "mesh.h"
#include "model.h"
#include "place.h"
#include "split.h"

enum { HOST, DEVICE, PLACES };
/* A choice is changed only for a gain of at least this share; otherwise values would
 * be copied to and fro. */
static const double worth = 0.05;

struct dat {
  op2_dat dat;
  /* bytes that are up to date before: leading ones on the host, trailing ones on the device */
  size_t fresh[PLACES];
  size_t follow[PLACES]; /* the same while the model runs through the steps */
};

struct model {
  const struct op2i_step *steps;
  int64_t n;
  struct op2i_copy_cost each;
  int workers;
  /* ratio of the loops that run on both; not set: each step keeps its own */
  struct op2i_split split;
  struct dat *dats; /* the dats that the steps use, each once */
  int ndats;
  int32_t *dat_of; /* index into dats for each dat of each step */
  int64_t *first;  /* [nfirst] first step of each loop whose place can be chosen */
  int64_t nfirst;
  unsigned char *where; /* [n] op2i_where */
  size_t moved[PLACES]; /* bytes to the host and to the device in the last pass */
};

/* ---- the state of a model -------------------------------------------------------------------- */

/* True for the host's part of a loop, or all of it; the device's part is placed
 * together with it. */
static bool counts(const struct op2i_step *step) { return step->loop && !step->where.device_half; }

static int number_of(struct model *m, op2_dat dat) {
  int d = 0;
  while (d < m->ndats && m->dats[d].dat != dat) d++;
  if (d < m->ndats) return d;
  const struct op2i_buffer *values = &dat->values;
  size_t host = op2i_buffer_part(values, OP2I_HOST), shadow = op2i_buffer_part(values, OP2I_SHADOW);
  if (!op2i_buffer_has_memory(values)) host = values->owned_bytes;
  m->dats[m->ndats++] = (struct dat){
      .dat = dat, .fresh = {host > shadow ? host : shadow, op2i_buffer_part(values, OP2I_DEVICE)}};
  return d;
}

static bool open_model(struct model *m) {
  size_t uses = 0;
  for (int64_t s = 0; s < m->n; s++)
    uses += counts(&m->steps[s]) ? (size_t)m->steps[s].loop->op.ndats : 0;
  m->dats = op2i_malloc(uses * sizeof *m->dats);
  m->dat_of = op2i_malloc(uses * sizeof *m->dat_of);
  m->where = op2i_calloc((size_t)m->n, sizeof *m->where);
  m->first = op2i_malloc((size_t)m->n * sizeof *m->first);
  if (!m->dats || !m->dat_of || !m->where || !m->first) return false;
  size_t at = 0;
  for (int64_t s = 0; s < m->n; s++)
    for (int d = 0; counts(&m->steps[s]) && d < m->steps[s].loop->op.ndats; d++)
      m->dat_of[at++] = number_of(m, m->steps[s].loop->op.dats[d]);
  return true;
}

static void close_model(struct model *m) {
  op2i_free(m->dats);
  op2i_free(m->dat_of);
  op2i_free(m->where);
  op2i_free(m->first);
}

/* ---- estimated times ------------------------------------------------------------------------- */

/* The cut of a loop that runs on both. A ratio that a rule gives overrides the one of the model. */
static const struct op2i_cut *cut_of(const struct model *m, int64_t s) {
  struct op2i_rule rule = op2i_loop_rule(m->steps[s].loop);
  struct op2i_split split = op2i_is_split(m->split) ? m->split : m->steps[s].where.split;
  if (rule.kind == OP2I_RULE_SPLIT) split = (struct op2i_split){rule.parts[0], rule.parts[1]};
  return m->where[s] == OP2I_ON_BOTH ? op2i_loop_cut(m->steps[s].loop, split) : NULL;
}

static double copy(struct model *m, struct dat *dat, int to, size_t need) {
  if (need <= dat->follow[to]) return 0;
  size_t bytes = need - dat->follow[to];
  dat->follow[to] = need;
  m->moved[to] += bytes;
  return 1e-9 * (m->each.copy_ns + m->each.byte_ns * (double)bytes);
}

static double copies(struct model *m, int64_t s, const int32_t *dat_of) {
  const struct op2i_op *op = &m->steps[s].loop->op;
  const struct op2i_cut *cut = cut_of(m, s);
  double seconds = 0;
  for (int d = 0; d < op->ndats; d++) {
    struct dat *dat = &m->dats[dat_of[d]];
    size_t all = dat->dat->values.owned_bytes;
    bool reads = !op2i_overwrites(op->dat_access[d]);
    struct op2i_cut_dat rows = {.need = {0, 0}};
    if (cut) rows = cut->dats[d];
    if (!cut && reads) rows.need[m->where[s]] = all;
    if (!cut) rows.make[m->where[s]] = all;
    for (int to = 0; to < PLACES; to++) seconds += copy(m, dat, to, rows.need[to]);
    if (op2i_modifies(op->dat_access[d]) || !reads)
      memcpy(dat->follow, rows.make, sizeof dat->follow);
  }
  return seconds;
}

static double runs(const struct model *m, int64_t s) {
  const struct op2i_step *step = &m->steps[s];
  const struct op2i_cut *cut = cut_of(m, s);
  const struct op2i_range *all = &step->loop->ranges[step->range];
  double host = op2i_loop_cost(step->loop, false) / m->workers;
  double device = op2i_loop_cost(step->loop, true);
  if (cut) {
    host *= (double)(cut->host_end - all->lo);
    device *= (double)(all->hi - cut->device_begin);
    return 1e-9 * (host > device ? host : device);
  }
  return 1e-9 * (m->where[s] == OP2I_ON_DEVICE ? device : host) * (double)(all->hi - all->lo);
}

static double seconds_of(struct model *m) {
  enum { TIMES = 2 };
  double seconds = 0;
  for (int d = 0; d < m->ndats; d++)
    memcpy(m->dats[d].follow, m->dats[d].fresh, sizeof m->dats[d].fresh);
  for (int t = 0; t < TIMES; t++) {
    const int32_t *dat_of = m->dat_of;
    memset(m->moved, 0, sizeof m->moved);
    for (int64_t s = 0; s < m->n; s++) {
      if (!counts(&m->steps[s])) continue;
      seconds += runs(m, s) + copies(m, s, dat_of);
      dat_of += m->steps[s].loop->op.ndats;
    }
  }
  return seconds;
}

/* ---- choosing host or device ----------------------------------------------------------------- */

static void place_loop(struct model *m, const struct op2i_loop *loop, int where) {
  for (int64_t s = 0; s < m->n; s++)
    if (m->steps[s].loop == loop) m->where[s] = (unsigned char)where;
}

static bool may_split(const struct model *m, int64_t s) {
  return op2i_is_split(m->split) && s > 0 && m->steps[s - 1].where.device_half &&
         op2i_loop_cut(m->steps[s].loop, m->split);
}

/* Move all steps of the loop to the place with the least total time; they stay where none is
 * better. True if they moved. */
static bool move_loop(struct model *m, int64_t s, double *least) {
  const struct op2i_loop *loop = m->steps[s].loop;
  int best = m->where[s], places = may_split(m, s) ? OP2I_ON_BOTH : OP2I_ON_DEVICE;
  const int was = best;
  for (int where = 0; where <= places; where++) {
    if (where == was) continue;
    place_loop(m, loop, where);
    double seconds = seconds_of(m);
    if (seconds >= *least) continue;
    *least = seconds;
    best = where;
  }
  place_loop(m, loop, best);
  return best != was;
}

static void list_first(struct model *m, const bool *free) {
  for (int64_t s = 0; s < m->n; s++) {
    int64_t f = 0;
    while (f < m->nfirst && m->steps[m->first[f]].loop != m->steps[s].loop) f++;
    if (free[s] && f == m->nfirst) m->first[m->nfirst++] = s;
  }
}

static double improve(struct model *m) {
  enum { ROUNDS = 8 };
  double least = seconds_of(m);
  bool better = true;
  for (int round = 0; round < ROUNDS && better; round++) {
    better = false;
    for (int64_t f = 0; f < m->nfirst; f++) better |= move_loop(m, m->first[f], &least);
  }
  return least;
}

/* The ratio at which host and device would finish the loops that can be split at the same time.
 * A device on the host's own processors gains nothing from a split, so it is tried there only
 * where costs are given. */
static struct op2i_split ratio(const struct model *m, const bool *free) {
  enum { PARTS = 16 };
  double host = 0, device = 0;
  for (int64_t s = 0; s < m->n; s++) {
    const struct op2i_step *step = &m->steps[s];
    if (!free[s] || s == 0 || !m->steps[s - 1].where.device_half) continue;
    double elements = (double)(step->loop->ranges[0].hi - step->loop->ranges[0].lo);
    host += elements * op2i_loop_cost(step->loop, false) / m->workers;
    device += elements * op2i_loop_cost(step->loop, true);
  }
  int parts = host + device > 0 ? (int)(PARTS * device / (host + device) + 0.5) : 0;
  if (parts < 1 || parts >= PARTS) return (struct op2i_split){0, 0};
  return (struct op2i_split){parts, PARTS - parts};
}

/* The starting point of a search: every free loop in one place, as far as it may run there. */
static void start_search(struct model *m, const bool *free, const unsigned char *where, int all) {
  for (int64_t s = 0; s < m->n; s++) {
    m->where[s] = where[s];
    if (free[s]) m->where[s] = (unsigned char)all;
    if (free[s] && all == OP2I_ON_BOTH && !may_split(m, s)) m->where[s] = OP2I_ON_HOST;
  }
}

bool op2i_model_choose(struct op2i_sched *sched, const struct op2i_step *steps, int64_t n,
                       const bool *free, unsigned char *where, struct op2i_split *split) {
  struct model m = {.steps = steps, .n = n, .workers = sched->ctx->workers};
  op2i_copy_cost(sched, &m.each);
  bool good = open_model(&m);
  if (good) {
    list_first(&m, free);
    memcpy(m.where, where, (size_t)n * sizeof *where);
    double least = (1 - worth) * seconds_of(&m);
    bool apart = !sched->ctx->device->limits.on_host || sched->ctx->config.place_costs;
    m.split = apart ? ratio(&m, free) : (struct op2i_split){0, 0};
    for (int all = OP2I_ON_HOST; all <= OP2I_ON_BOTH; all++) {
      start_search(&m, free, where, all);
      double seconds = improve(&m);
      if (seconds >= least) continue;
      least = seconds;
      *split = m.split;
      memcpy(where, m.where, (size_t)n * sizeof *where);
    }
  }
  close_model(&m);
  return good;
}

bool op2i_model_copies(struct op2i_sched *sched, const struct op2i_step *steps, int64_t n,
                       struct op2i_model_copies *copies) {
  struct model m = {.steps = steps, .n = n, .workers = sched->ctx->workers};
  bool good = open_model(&m);
  for (int64_t s = 0; s < n && good; s++) {
    m.where[s] = steps[s].where.place == OP2I_DEVICE ? OP2I_ON_DEVICE : OP2I_ON_HOST;
    if (op2i_is_split(steps[s].where.split)) m.where[s] = OP2I_ON_BOTH;
  }
  if (good) (void)seconds_of(&m);
  *copies = (struct op2i_model_copies){.to_host = m.moved[HOST], .to_device = m.moved[DEVICE]};
  close_model(&m);
  return good;
}
