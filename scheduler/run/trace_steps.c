/* SPDX-License-Identifier: BSD-3-Clause */
/* Slices of the timeline for steps and forces. */
#include "trace_steps.h"

#include <stdio.h>

#include "call.h"
#include "hash.h"
#include "loop.h"

void op2i_steps_name(op2_context ctx, const struct op2i_step *steps, int64_t n) {
  for (int64_t s = 0; s < n; s++) {
    struct op2i_loop *loop = steps[s].loop;
    if (loop && !loop->profile.what)
      loop->profile.what =
          op2i_trace_name(ctx->trace, op2i_loop_name(loop), "set", loop->set->obj.name);
  }
}

/* Add slices for the loops that a device runs. They were launched at `begin` or later. */
static void trace_devices(op2_context ctx, const struct op2i_step *steps, int64_t n,
                          int64_t begin) {
  for (int64_t s = 0; s < n; s++)
    if (steps[s].loop && steps[s].where.place == OP2I_DEVICE && steps[s].time.seconds > 0)
      op2i_trace_device(ctx->trace, steps[s].loop->profile.what, begin,
                        (int64_t)(1e9 * steps[s].time.seconds));
}

static int32_t what_of(const struct op2i_step *step, int64_t n) {
  switch (step->kind) {
  case OP2I_STEP_BEGIN: return n > 1 ? OP2I_WHAT_LOOPS : OP2I_WHAT_BEGIN;
  case OP2I_STEP_END: return n > 1 ? OP2I_WHAT_LOOPS : OP2I_WHAT_WAIT;
  case OP2I_STEP_SEND: return n > 1 ? OP2I_WHAT_LOOPS : OP2I_WHAT_SEND;
  case OP2I_STEP_REDUCE: return n > 1 ? OP2I_WHAT_LOOPS : OP2I_WHAT_REDUCE;
  default: return n > 1 ? OP2I_WHAT_LOOPS : step->loop->profile.what;
  }
}

void op2i_steps_trace(op2_context ctx, const struct op2i_step *steps, int64_t n, int64_t begin) {
  trace_devices(ctx, steps, n, begin);
  if (steps->kind == OP2I_STEP_CALL) return; /* it has a slice of its own */
  op2i_trace_end(ctx, begin, what_of(steps, n), "steps", n);
}

int32_t op2i_op_name(const struct op2i_op *op) {
  const uint64_t key = op2i_hash_word(2, (uint64_t)op->id);
  int32_t what = op2i_trace_find(op->ctx->trace, key);
  if (what) return what;
  struct op2i_text text = {0};
  op->kind->describe(op, &text);
  what = op2i_trace_name(op->ctx->trace, text.failed ? op->kind->name : text.chars, NULL, NULL);
  op2i_text_free(&text);
  op2i_trace_keep(op->ctx->trace, key, what);
  return what;
}

/* A force of the same call for the same object has the same name. */
static int32_t name_force(struct op2i_trace *trace, const struct op2i_force *force) {
  uint64_t key = op2i_hash_word(1, (uint64_t)(uintptr_t)force->call);
  for (const char *c = force->name; *c; c++) key = op2i_hash_word(key, (unsigned char)*c);
  int32_t what = op2i_trace_find(trace, key);
  if (what) return what;
  char cause[120];
  snprintf(cause, sizeof cause, *force->name ? "%s of '%s'" : "%s", force->call, force->name);
  what = op2i_trace_name(trace, "run the queue", "cause", cause);
  op2i_trace_keep(trace, key, what);
  return what;
}

void op2i_force_trace(struct op2i_sched *sched, const struct op2i_force *force, int64_t begin) {
  op2i_trace_end(sched->ctx, begin, name_force(sched->ctx->trace, force), "operations",
                 force->loops);
}
