/* SPDX-License-Identifier: BSD-3-Clause */
/* Loop objects, and the call that makes, queues and releases a loop at once. */
#include <string.h>

#include "codegen.h"
#include "context.h"
#include "device.h"
#include "error.h"
#include "fpenv.h"
#include "loop.h"
#include "loop_single.h"
#include "loop_sums.h"
#include "loop_table.h"
#include "mem.h"
#include "text.h"

static op2_where known(op2_where where) {
  if (!where.file) where.file = "?";
  return where;
}

/* Queue a loop all of whose arguments are its own. Every op2_par_loop() passes here, mostly without
 * `single`. */
__attribute__((always_inline)) static inline op2_status
queue_loop(op2_where where, op2_kernel kernel, op2_set set, int nargs, const op2_arg *args,
           const struct op2i_single *single, bool later) {
  enum { USUAL = 1024 };
  _Alignas(16) unsigned char usual[USUAL];
  unsigned char *payload = usual;
  struct op2i_loop *loop;
  op2_status status = op2i_loop_intern(where, kernel, set, nargs, args, &loop);
  if (status == OP2_ERR_NOMEM) return op2i_context_abort_ranks(set->obj.ctx, status);
  if (status) return status;
  if (single) status = op2i_single_before(single);
  if (status) {
    op2i_loop_unuse(loop);
    return status;
  }
  if (loop->op.payload_bytes > USUAL) payload = op2i_malloc((size_t)loop->op.payload_bytes);
  if (payload) {
    op2i_loop_capture_values(loop, args, payload);
    status = op2i_scheduler.enqueue(loop->op.ctx->sched, &loop->op, where, payload,
                                    loop->op.ctx->config.eager && !later ? OP2I_EAGER : OP2I_LATER);
  } else {
    status = op2i_context_abort_ranks(loop->op.ctx, op2i_error_nomem("a loop's values"));
  }
  if (payload != usual) op2i_free(payload);
  op2i_loop_unuse(loop);
  return status;
}

/* A loop with sums is queued as a whole or not at all, and then run if that is wished: operations from
 * `first` on, of which `number` is the loop. */
static op2_status end_sums(op2_context ctx, int64_t first, int64_t number, enum op2i_wish wish,
                           op2_status status) {
  if (status) op2i_scheduler.undo_from(ctx->sched, first);
  if (status || wish == OP2I_LATER) return status;
  return op2i_scheduler.run_from(ctx->sched, first, number, wish);
}

/* Queue a loop in deterministic mode, and what adds up its contributions. */
static op2_status queue_sums(op2_where where, op2_kernel kernel, op2_set set, int nargs,
                             const op2_arg *args, const struct op2i_single *single,
                             enum op2i_wish wish) {
  const op2_context ctx = set->obj.ctx;
  struct op2i_sums sums;
  op2_status status = op2i_sums_open(where, kernel, set, nargs, args, false, &sums);
  if (status == OP2_ERR_NOMEM) return op2i_context_abort_ranks(ctx, status);
  if (status) return status;
  const int64_t first = op2i_scheduler.next(ctx->sched);
  status = op2i_sums_before(&sums);
  if (!status) status = queue_loop(where, kernel, set, nargs, sums.args, single, true);
  const int64_t number = op2i_scheduler.next(ctx->sched) - 1;
  if (!status) status = op2i_sums_after(&sums);
  status = end_sums(ctx, first, number, wish, status);
  op2i_sums_close(&sums);
  return status;
}

static enum op2i_wish wish_of(op2_context ctx) {
  return ctx->config.eager ? OP2I_EAGER : OP2I_LATER;
}

static op2_status queue_single(op2_where where, op2_kernel kernel, op2_set set, int nargs,
                               const op2_arg *args) {
  struct op2i_single single;
  op2_status status = op2i_single_open(where, kernel, set, nargs, args, &single);
  if (status == OP2_ERR_NOMEM) return op2i_context_abort_ranks(set->obj.ctx, status);
  if (status) return status;
  if (op2i_sums_any(set, nargs, single.args))
    status = queue_sums(where, kernel, set, nargs, single.args, &single, wish_of(set->obj.ctx));
  else
    status = queue_loop(where, kernel, set, nargs, single.args, &single, false);
  if (!status) status = op2i_single_after(&single);
  op2i_single_close(&single);
  return status;
}

op2_status op2_par_loop_at(op2_where where, op2_kernel kernel, op2_set set, int nargs,
                           const op2_arg *args) {
  where = known(where);
  if (op2i_single_any(set, nargs, args)) return queue_single(where, kernel, set, nargs, args);
  if (op2i_sums_any(set, nargs, args))
    return queue_sums(where, kernel, set, nargs, args, NULL, wish_of(set->obj.ctx));
  return queue_loop(where, kernel, set, nargs, args, NULL, false);
}

static void release_parloop(void *object) {
  op2_loop parloop = object;
  for (int v = 0; v < OP2I_VARIANTS; v++)
    for (int s = 0; s < OP2I_DEVICE_STRATEGIES; s++) op2i_free(parloop->by_strategy[v][s]);
  op2i_free(parloop->payload);
  op2i_loop_unuse(parloop->loop);
  op2i_single_close(&parloop->single);
  op2i_sums_close(&parloop->sums);
}

static op2_status make(op2_where where, op2_kernel kernel, op2_set set, int nargs,
                       const op2_arg *args, op2_loop *out) {
  struct op2i_loop *loop;
  op2_status status = op2i_loop_intern(where, kernel, set, nargs, args, &loop);
  if (status) return status;
  op2_loop parloop = op2i_calloc(1, sizeof *parloop);
  unsigned char *payload = op2i_calloc(1, (size_t)loop->op.payload_bytes);
  status = parloop && payload ? OP2_SUCCESS : op2i_error_nomem("a loop object");
  if (!status)
    status = op2i_object_init(parloop, loop->op.ctx, OP2I_LOOP, kernel->obj.name, release_parloop);
  if (status) {
    op2i_free(payload);
    op2i_free(parloop);
    op2i_loop_unuse(loop);
    return status;
  }
  op2i_loop_capture_values(loop, args, payload);
  parloop->loop = loop;
  parloop->where = where;
  parloop->payload = payload;
  *out = parloop;
  return OP2_SUCCESS;
}

static op2_status make_sums(op2_where where, op2_kernel kernel, op2_set set, int nargs,
                            const op2_arg *args, op2_loop *out) {
  struct op2i_sums sums;
  if (!op2i_sums_any(set, nargs, args)) return make(where, kernel, set, nargs, args, out);
  op2_status status = op2i_sums_open(where, kernel, set, nargs, args, true, &sums);
  if (status) return status;
  status = make(where, kernel, set, nargs, sums.args, out);
  if (status)
    op2i_sums_close(&sums);
  else
    (*out)->sums = sums;
  return status;
}

static op2_status create(op2_where where, op2_kernel kernel, op2_set set, int nargs,
                         const op2_arg *args, op2_loop *out) {
  struct op2i_single single;
  if (!op2i_single_any(set, nargs, args)) return make_sums(where, kernel, set, nargs, args, out);
  op2_status status = op2i_single_open(where, kernel, set, nargs, args, &single);
  const bool opened = !status;
  if (op2_initialised(set->obj.ctx) && set->obj.ctx->config.deterministic)
    status = op2i_context_agree(set->obj.ctx, status);
  if (status && opened) op2i_single_close(&single);
  if (status) return status;
  status = make_sums(where, kernel, set, nargs, single.args, out);
  if (status)
    op2i_single_close(&single);
  else
    (*out)->single = single;
  return status;
}

op2_status op2_loop_create_at(op2_where where, op2_kernel kernel, op2_set set, int nargs,
                              const op2_arg *args, op2_loop *out) {
  op2_loop parloop = NULL;
  op2_status status = op2i_object_validate(set, OP2I_SET, "op2_loop_create");
  if (!out) return op2i_error(OP2_ERR_ARG, "op2_loop_create: where to put the loop is null");
  if (status == OP2_ERR_STATE) return status;
  op2i_object_call(set, OP2I_SET, "op2_loop_create", NULL, 0);
  bool together = !status && !op2i_context_validate(set->obj.ctx, "op2_loop_create");
  status = create(known(where), kernel, set, nargs, args, &parloop);
  if (together) status = op2i_context_agree(set->obj.ctx, status);
  if (status)
    op2_loop_destroy(&parloop);
  else
    *out = parloop;
  return status;
}

static const struct {
  const char *name;
  enum op2i_variant variant;
} targets[] = {
    {"c", OP2I_PLAIN},
    {"simd", OP2I_VECTOR},
    {"check", OP2I_CHECKED},
#define DEVICE_KIND(id_, name_, summary_) {#name_, OP2I_##id_},
#include "kinds.def"
#undef DEVICE_KIND
};

/* Generates scalar code if the loop cannot be vectorised. */
static op2_status generate(struct op2i_loop *loop, enum op2i_variant variant, const char **source) {
  const struct op2i_form *form = NULL;
  op2_status status = variant == OP2I_VECTOR ? op2i_loop_form(loop, &form) : OP2_SUCCESS;
  if (status) return status;
  bool scalar = form && form->why && !form->too_small;
  return op2i_loop_source(loop, scalar ? OP2I_PLAIN : variant, source);
}

/* Generates code by the named strategy, and by no other in its place. */
static op2_status generate_by(op2_loop parloop, enum op2i_variant variant, const char *name,
                              const char **source) {
  enum op2i_device_strategy strategy;
  struct op2i_text text = {0};
  op2_status status = op2i_strategy_parse(name, "op2_loop_generate", &strategy);
  if (status) return op2i_error(OP2_ERR_UNAVAILABLE, "%s", op2_error_message());
  char **kept = &parloop->by_strategy[variant][strategy];
  if (!*kept) status = op2i_codegen.generate_by(parloop->loop, variant, strategy, &text);
  if (!status && text.failed) status = op2i_error_nomem("generated code");
  if (status) {
    op2i_text_free(&text);
    return status;
  }
  if (!*kept) *kept = text.chars;
  *source = *kept;
  return OP2_SUCCESS;
}

op2_status op2_loop_generate(op2_loop parloop, const char *target, const char **source) {
  OP2I_FP_DEFAULT;
  op2_status status = op2i_object_validate(parloop, OP2I_LOOP, "op2_loop_generate");
  if (status) return status;
  if (!target || !source) return op2i_error(OP2_ERR_ARG, "op2_loop_generate: a null pointer");
  size_t length = strcspn(target, ":");
  for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
    enum op2i_variant variant = targets[t].variant;
    if (strlen(targets[t].name) != length || strncmp(target, targets[t].name, length)) continue;
    if (!target[length]) return generate(parloop->loop, variant, source);
    if (op2i_on_device(variant)) return generate_by(parloop, variant, target + length + 1, source);
  }
  return op2i_error(OP2_ERR_UNAVAILABLE,
                    "op2_loop_generate: there is no target '%s': choose from c, simd, check%s; "
                    "DEVICE:STRATEGY is code for a device by that strategy",
                    target, op2i_device_names);
}

/* Queue a loop with contributions of the queue in use, as a call with the same arguments. */
static op2_status queue_elsewhere(op2_loop parloop, enum op2i_wish wish) {
  const struct op2i_loop *loop = parloop->loop;
  op2_arg *args = parloop->sums.given;
  const struct op2i_single *single = parloop->single.nuses ? &parloop->single : NULL;
  for (int n = 0; n < loop->nargs; n++)
    if (loop->args[n].kind == OP2I_ARG_VAL) args[n].value = parloop->payload + loop->args[n].offset;
  op2_status status =
      queue_sums(parloop->where, loop->kernel, loop->set, loop->nargs, args, single, wish);
  return status ? status : op2i_single_after(&parloop->single);
}

static op2_status queue(op2_loop parloop, const char *call, enum op2i_wish wish) {
  op2_status status = op2i_object_validate(parloop, OP2I_LOOP, call);
  if (!status) status = op2i_context_validate(parloop->obj.ctx, call);
  if (!status) status = op2i_op_validate_scopes(parloop->where, &parloop->loop->op);
  if (status) return status;
  const op2_context ctx = parloop->obj.ctx;
  if (wish == OP2I_LATER && ctx->config.eager) wish = OP2I_EAGER;
  if (op2i_sums_elsewhere(&parloop->sums, ctx)) return queue_elsewhere(parloop, wish);
  const bool sums = parloop->sums.nsums > 0;
  const int64_t first = op2i_scheduler.next(ctx->sched);
  status = op2i_sums_before(&parloop->sums);
  if (!status) status = op2i_single_before(&parloop->single);
  if (!status)
    status = op2i_scheduler.enqueue(ctx->sched, &parloop->loop->op, parloop->where,
                                    parloop->payload, sums ? OP2I_LATER : wish);
  const int64_t number = op2i_scheduler.next(ctx->sched) - 1;
  if (!status) status = op2i_sums_after(&parloop->sums);
  if (sums) status = end_sums(ctx, first, number, wish, status);
  return status ? status : op2i_single_after(&parloop->single);
}

op2_status op2_loop_compute(op2_loop parloop) {
  return queue(parloop, "op2_loop_compute", OP2I_COMPUTE);
}
op2_status op2_loop_enqueue(op2_loop parloop) {
  return queue(parloop, "op2_loop_enqueue", OP2I_LATER);
}

void op2_loop_destroy(op2_loop *parloop) {
  if (!parloop) return;
  if (op2i_object_leave(*parloop, OP2I_LOOP)) op2i_unref(*parloop);
  *parloop = NULL;
}
