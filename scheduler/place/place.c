/* SPDX-License-Identifier: BSD-3-Clause */
/* Places by rule: those that OP2_PLACE names, and those that tests draw. */
#include "place.h"

#include "backend.h"
#include "device.h"
#include "hash.h"

enum op2i_place op2i_host_place(op2_context ctx) {
  return ctx->config.shadow ? OP2I_SHADOW : OP2I_HOST;
}

struct op2i_rule op2i_loop_rule(const struct op2i_loop *loop) {
  op2_context ctx = loop->op.ctx;
  if (!ctx->device) return (struct op2i_rule){.kind = OP2I_RULE_HOST};
  const char *kernel = op2i_loop_member(loop, 0).kernel->obj.name;
  struct op2i_rule rule = op2i_rule_of(ctx->config.place, kernel);
  bool unsaid = rule.kind == OP2I_RULE_NONE || rule.kind == OP2I_RULE_FREE;
  if (unsaid) /* backends that are named after a device are asked for it */
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
  wishes[1] = ctx->device->kind == &op2i_device_cuda ? OP2I_CUDA : OP2I_OPENCL;
  return 2;
}

bool op2i_loop_wants(const struct op2i_loop *loop, enum op2i_variant wish) {
  enum op2i_rule_kind kind = op2i_loop_rule(loop).kind;
  return kind != (op2i_on_device(wish) ? OP2I_RULE_HOST : OP2I_RULE_DEVICE);
}

/* ---- steps ----------------------------------------------------------------------------------- */

void op2i_step_place(struct op2i_step *step, enum op2i_variant wish) {
  const struct op2i_loop *loop = step->loop;
  enum op2i_variant variant = op2i_loop_variant(loop, wish);
  enum op2i_place place = op2i_on_device(variant) ? OP2I_DEVICE : op2i_host_place(loop->op.ctx);
  if (place != step->place) step->epoch = 0;
  step->function = loop->function[variant];
  step->place = place;
}

static bool is_there(const struct op2i_loop *loop, enum op2i_variant wish) {
  return loop->function[op2i_loop_variant(loop, wish)];
}

/* Whether the next step is for the device, by a rule that does not ask what it takes. */
static bool draw(struct op2i_sched *sched, struct op2i_rule rule) {
  int64_t number = sched->steps_placed++;
  if (rule.kind == OP2I_RULE_RANDOM) return op2i_hash_word(rule.seed, (uint64_t)number) >> 40 & 1;
  return number & 1;
}

/* All of a loop is in one place: what it overwrites is fresh there as a whole. */
static bool as_before(const struct op2i_step *step) {
  const struct op2i_step *first = step;
  while (first->loop != step->loop || first->range > 0) first--;
  return first->place == OP2I_DEVICE;
}

static bool on_device(struct op2i_sched *sched, const struct op2i_step *step,
                      const enum op2i_variant wishes[OP2I_WISHES]) {
  struct op2i_rule rule = op2i_loop_rule(step->loop);
  if (step->range > 0) return as_before(step);
  bool device = rule.kind == OP2I_RULE_DEVICE;
  if (rule.kind == OP2I_RULE_ALTERNATE || rule.kind == OP2I_RULE_RANDOM) device = draw(sched, rule);
  return is_there(step->loop, wishes[device]) ? device : !device;
}

void op2i_steps_place(struct op2i_sched *sched, struct op2i_step *steps, int64_t n) {
  enum op2i_variant wishes[OP2I_WISHES];
  if (op2i_wishes(sched->ctx, wishes) < OP2I_WISHES) return;
  for (int64_t s = 0; s < n; s++)
    if (steps[s].loop) op2i_step_place(&steps[s], wishes[on_device(sched, &steps[s], wishes)]);
}
