/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice of places for steps: as OP2_PLACE names them, as tests draw them, or, where neither
 * applies, as the cost model (model.c) finds it best. */
#include "place.h"

#include "backend.h"
#include "device.h"
#include "device_probe.h"
#include "hash.h"
#include "loop_device.h"
#include "mem.h"
#include "model.h"
#include "split.h"

enum op2i_place op2i_host_place(op2_context ctx) {
  return ctx->config.shadow ? OP2I_SHADOW : OP2I_HOST;
}

struct op2i_rule op2i_loop_rule(const struct op2i_loop *loop) {
  op2_context ctx = loop->op.ctx;
  if (!ctx->device) return (struct op2i_rule){.kind = OP2I_RULE_HOST};
  const char *kernel = op2i_loop_member(loop, 0).kernel->obj.name;
  struct op2i_rule rule = op2i_rule_of(ctx->config.place, kernel);
  bool unsaid = rule.kind == OP2I_RULE_NONE || rule.kind == OP2I_RULE_FREE;
  if (unsaid) /* a backend that is named after a device runs loops there */
    rule.kind = op2i_on_device(ctx->backend->variant) ? OP2I_RULE_DEVICE : OP2I_RULE_FREE;
  return rule;
}

/* ---- forms of code --------------------------------------------------------------------------- */

int op2i_wishes(op2_context ctx, enum op2i_variant wishes[OP2I_WISHES]) {
  enum op2i_variant own = ctx->backend->variant;
  if (!ctx->device) {
    wishes[0] = own;
    return 1;
  }
  wishes[0] = op2i_on_device(own) ? OP2I_VECTOR : own;
  wishes[1] = op2i_device_variant(ctx->device->kind);
  return 2;
}

int op2i_compiled(op2_context ctx, enum op2i_variant variants[OP2I_COMPILED]) {
  int n = op2i_wishes(ctx, variants);
  if (ctx->backend->variant == OP2I_CHECKED && ctx->config.check_sample) variants[n++] = OP2I_PLAIN;
  return n;
}

bool op2i_loop_wants(const struct op2i_loop *loop, enum op2i_variant wish) {
  enum op2i_rule_kind kind = op2i_loop_rule(loop).kind;
  if (op2i_on_device(wish) && loop->form.device_compile_deferred) return false;
  return kind != (op2i_on_device(wish) ? OP2I_RULE_HOST : OP2I_RULE_DEVICE);
}

bool op2i_loop_may_split(const struct op2i_loop *loop) {
  enum op2i_rule_kind kind = op2i_loop_rule(loop).kind;
  bool asked = kind == OP2I_RULE_SPLIT || kind == OP2I_RULE_FREE;
  return loop->op.ctx->backend->run_steps && asked && !op2i_loop_unsplit(loop);
}

/* ---- one step -------------------------------------------------------------------------------- */

int64_t op2i_loop_distance(const struct op2i_loop *loop) {
  const struct op2i_loop_data *data = loop->attached.sched_data;
  const struct op2i_trial *trial = &data->trials[OP2I_TRY_PREFETCH];
  const bool without =
      trial->running ? trial->next == OP2I_TRIED_OTHER : loop->form.prefetch_slower;
  return without ? 0 : OP2I_PREFETCH_DISTANCE;
}

void op2i_step_place(struct op2i_step *step, enum op2i_variant wish) {
  const struct op2i_loop *loop = step->loop;
  const struct op2i_loop_data *data = loop->attached.sched_data;
  const struct op2i_trial *trial = &data->trials[OP2I_TRY_SCALAR];
  enum op2i_variant variant = op2i_loop_variant(loop, wish);
  if (trial->running && trial->next == OP2I_TRIED_OTHER) variant = OP2I_PLAIN;
  enum op2i_place place = op2i_on_device(variant) ? OP2I_DEVICE : op2i_host_place(loop->op.ctx);
  step->function = loop->code.function[variant];
  step->call.distance = op2i_loop_distance(loop);
  step->where.place = place;
}

static bool is_there(const struct op2i_loop *loop, enum op2i_variant wish) {
  return loop->code.function[op2i_loop_variant(loop, wish)];
}

/* True if the next step runs on the device by a rule that ignores costs. */
static bool draw(struct op2i_sched *sched, struct op2i_rule rule) {
  int64_t number = sched->stats.steps_placed++;
  if (rule.kind == OP2I_RULE_RANDOM) return op2i_hash_word(rule.seed, (uint64_t)number) >> 40 & 1;
  return number & 1;
}

/* ---- all steps of a program, by rule --------------------------------------------------------- */

struct choice {
  struct op2i_sched *sched;
  struct op2i_step *steps;
  int64_t n;
  enum op2i_variant wishes[OP2I_WISHES];
  unsigned char *where;    /* [n] op2i_where */
  bool *free;              /* [n] true if the place is chosen by cost */
  struct op2i_split split; /* ratio of loops chosen to run on both; not set: they keep theirs */
};

static struct op2i_step *device_half_of(const struct choice *c, int64_t s) {
  return s > 0 && c->steps[s - 1].where.device_half ? &c->steps[s - 1] : NULL;
}

/* All ranges of a loop run in one place, since what the loop overwrites becomes
 * fresh there as a whole. */
static void as_first(struct choice *c, int64_t s) {
  const struct op2i_loop *loop = c->steps[s].loop;
  int64_t first = s;
  while (c->steps[first].loop != loop || c->steps[first].range > 0) first--;
  bool device = c->steps[first].where.place == OP2I_DEVICE;
  c->where[s] = first < 0 ? (device ? OP2I_ON_DEVICE : OP2I_ON_HOST) : c->where[first];
  c->free[s] = first >= 0 && c->free[first];
}

static enum op2i_where wanted(struct choice *c, int64_t s, struct op2i_rule rule) {
  const struct op2i_step *step = &c->steps[s];
  bool drawn = rule.kind == OP2I_RULE_ALTERNATE || rule.kind == OP2I_RULE_RANDOM;
  if (drawn) return draw(c->sched, rule) ? OP2I_ON_DEVICE : OP2I_ON_HOST;
  if (rule.kind == OP2I_RULE_SPLIT) return OP2I_ON_BOTH;
  if (rule.kind == OP2I_RULE_FREE && op2i_is_split(step->where.split)) return OP2I_ON_BOTH;
  if (rule.kind == OP2I_RULE_FREE && step->where.place == OP2I_DEVICE && !step->probe.active)
    return OP2I_ON_DEVICE;
  return rule.kind == OP2I_RULE_DEVICE ? OP2I_ON_DEVICE : OP2I_ON_HOST;
}

static void by_rule(struct choice *c, int64_t s) {
  const struct op2i_step *step = &c->steps[s];
  const struct op2i_loop *loop = step->loop;
  struct op2i_rule rule = op2i_loop_rule(loop);
  bool host = is_there(loop, c->wishes[0]), device = is_there(loop, c->wishes[1]);
  enum op2i_where where = wanted(c, s, rule);
  if (where == OP2I_ON_BOTH && !(host && device && device_half_of(c, s)))
    where = rule.parts[0] < rule.parts[1] ? OP2I_ON_DEVICE : OP2I_ON_HOST;
  if (where == OP2I_ON_DEVICE && !device) where = OP2I_ON_HOST;
  if (where == OP2I_ON_HOST && !host) where = OP2I_ON_DEVICE;
  c->where[s] = (unsigned char)where;
  device = device || op2i_probe_waits(loop);
  c->free[s] = rule.kind == OP2I_RULE_FREE && host && device && step->lo < step->hi;
}

/* Its values have to be requested anew in another place. */
static void place_again(struct op2i_step *step, enum op2i_variant wish) {
  const enum op2i_place before = step->where.place;
  op2i_step_place(step, wish);
  if (step->where.place != before) step->bundle->epoch = 0;
}

/* ---- all steps of a program, by measured times ----------------------------------------------- */

/* The choice is made again after twice as many runs each time, since measurements get better and
 * values may move, and when the cost of more loops is known. It is not made together with a probe,
 * for which values are about to be copied to where they would not be in later runs. */
static void by_cost(struct choice *c) {
  int64_t known = 0;
  if (op2i_probes_begin(c->sched, c->steps, c->n, c->free, c->where)) return;
  for (int64_t s = 0; s < c->n; s++) known += c->free[s];
  if (known != c->steps->bundle->known_free) c->steps->bundle->times_free = 0;
  c->steps->bundle->known_free = known;
  if (known == 0) return;
  int64_t times = ++c->steps->bundle->times_free;
  if ((times & (times - 1)) == 0)
    (void)op2i_model_choose(c->sched, c->steps, c->n, c->free, c->where, &c->split);
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* Divide the loop between the host's step and the device's, where both are wanted and possible. */
static bool split(struct choice *c, int64_t s) {
  struct op2i_step *step = &c->steps[s], *half = device_half_of(c, s);
  if (!half) return false;
  struct op2i_rule rule = op2i_loop_rule(step->loop);
  struct op2i_split ratio = op2i_is_split(c->split) ? c->split : step->where.split;
  if (rule.kind == OP2I_RULE_SPLIT) ratio = (struct op2i_split){rule.parts[0], rule.parts[1]};
  const struct op2i_cut *cut =
      c->where[s] == OP2I_ON_BOTH ? op2i_loop_cut(step->loop, ratio) : NULL;
  op2i_uncut_steps(step, half);
  if (!cut) return false;
  place_again(half, c->wishes[1]);
  place_again(step, c->wishes[0]);
  op2i_cut_steps(cut, step, half);
  return true;
}

static void place_one(struct choice *c, int64_t s) {
  struct op2i_step *step = &c->steps[s];
  struct op2i_loop_data *data = step->loop->attached.sched_data;
  bool both = split(c, s);
  if (step->range > 0) as_first(c, s);
  struct op2i_rule rule = op2i_loop_rule(step->loop);
  if (!both && c->where[s] == OP2I_ON_BOTH)
    c->where[s] = rule.parts[0] < rule.parts[1] ? OP2I_ON_DEVICE : OP2I_ON_HOST;
  if (!both) place_again(step, c->wishes[c->where[s] == OP2I_ON_DEVICE]);
  if (step->range == 0) data->placed[c->where[s]]++;
}

static void place_all(struct choice *c) {
  for (int64_t s = 0; s < c->n; s++) {
    if (!c->steps[s].loop || c->steps[s].where.device_half) continue;
    if (c->steps[s].range == 0)
      by_rule(c, s);
    else
      as_first(c, s);
  }
  by_cost(c);
  for (int64_t s = 0; s < c->n; s++)
    if (c->steps[s].loop && !c->steps[s].where.device_half) place_one(c, s);
}

void op2i_steps_place(struct op2i_sched *sched, struct op2i_step *steps, int64_t n) {
  struct choice c = {.sched = sched, .steps = steps, .n = n};
  if (op2i_wishes(sched->ctx, c.wishes) < OP2I_WISHES) return;
  c.where = op2i_calloc((size_t)n, sizeof *c.where);
  c.free = op2i_calloc((size_t)n, sizeof *c.free);
  if (c.where && c.free) place_all(&c); /* without memory the steps keep their places */
  op2i_free(c.where);
  op2i_free(c.free);
}
