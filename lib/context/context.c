/* SPDX-License-Identifier: BSD-3-Clause */
/* Life of a context: options to backend and scheduler, and the end of all that it holds. What every
 * call asks of a context first is here as well. */
#include "context.h"
#include "call.h"
#include "clock.h"

#include "error.h"
#include "log.h"
#include "loop.h"
#include "mem.h"
#include "process.h"

int64_t op2i_next_id(op2_context ctx) { return ++ctx->next_id; }

op2_status op2i_context_left_behind(void) {
  return op2i_error(OP2_ERR_STATE,
                    "this process is a forked child: the context is its parent's, whose threads "
                    "are not here; a child can make a context of its own");
}

op2_status op2i_context_calling(op2_context ctx) {
  return op2i_error(OP2_ERR_STATE,
                    "inside the call '%s' nothing can be queued, run, made, set or looked at: its "
                    "arguments are all it has of its context",
                    ctx->calling);
}

op2_status op2i_context_check(op2_context ctx) {
  if (!ctx) return op2i_error(OP2_ERR_STATE, "op2 is not initialised: the context is null");
  if (ctx->magic != OP2I_CONTEXT_MAGIC)
    return op2i_error(OP2_ERR_ARG, "not a context handle: an object's, or none at all");
  if (ctx->forked) return op2i_context_left_behind();
  if (ctx->finalized) return op2i_error(OP2_ERR_STATE, "the context has ended");
  if (ctx->calling) return op2i_context_calling(ctx);
  if (ctx->fatal)
    return op2i_error(OP2_ERR_FATAL, "the context is dead after an earlier fatal error");
  return OP2_SUCCESS;
}

void op2i_context_unref(op2_context ctx) {
  if (--ctx->refs > 0) return;
  op2i_loop_table_free(ctx);
  op2i_user_calls_free(ctx);
  op2i_config_free(&ctx->config);
  ctx->finalized = true;
  op2i_process_bury(OP2I_GRAVE_CONTEXT, ctx);
}

static op2_status choose_backend(op2_context ctx) {
  const char *name = ctx->config.backend;
  if (name)
    ctx->backend = op2i_backend_find(name);
  else
    ctx->backend = op2i_backend_default(
        ctx->config.threads ? ctx->config.threads : op2i_machine()->cores, &ctx->passed_over);
  if (!ctx->backend)
    return op2i_error(OP2_ERR_OPTION, "%s is '%s': %s", ctx->config.backend_by, name,
                      op2_backend_unavailable(name));
  const char *reason = ctx->backend->unavailable();
  if (reason)
    return op2i_error(OP2_ERR_UNAVAILABLE, "backend %s%s%s%s is not available: %s",
                      ctx->backend->name, name ? " (asked for by " : "",
                      name ? ctx->config.backend_by : "", name ? ")" : "", reason);
  return ctx->backend->open(ctx, &ctx->backend_state);
}

op2_status op2_init(const op2_options *options, op2_context *ctx_out) {
  if (!ctx_out) return op2i_error(OP2_ERR_ARG, "op2_init: where to put the context is null");
  op2_context ctx = op2i_calloc(1, sizeof *ctx);
  if (!ctx) return op2i_error_nomem("a context");
  ctx->magic = OP2I_CONTEXT_MAGIC;
  ctx->refs = 1;
  ctx->born = op2i_nanoseconds();
  ctx->epoch = 1;
  op2_status status;
  OP2I_TRY(op2i_config_init(&ctx->config, options));
  op2i_env_warn_unknown(ctx);
  if (ctx->config.simd_bytes == OP2I_SIMD_AUTO) ctx->config.simd_bytes = op2i_simd_bytes();
  OP2I_TRY(choose_backend(ctx));
  status = op2i_sched_create(ctx, &ctx->sched);
  if (status) {
    ctx->backend->close(ctx->backend_state);
    goto fail;
  }
  op2i_log(ctx, OP2I_LOG_INFO, "backend %s, %d workers", ctx->backend->name, op2_workers(ctx));
  if (ctx->passed_over)
    op2i_log(ctx, OP2I_LOG_INFO, "this build of %s has at most %d workers", ctx->passed_over->name,
             ctx->passed_over->most_workers());
  op2i_process_enter(ctx);
  *ctx_out = ctx;
  return OP2_SUCCESS;
fail:
  op2i_context_unref(ctx);
  return status;
}

static void drop_failures(op2_context ctx) {
  while (ctx->failures) {
    struct op2i_failure *failure = ctx->failures;
    ctx->failures = failure->next;
    op2i_log(ctx, OP2I_LOG_ERROR, "also failed: %s", failure->message);
    failure->next = NULL;
    op2i_failure_unref(failure);
  }
}

op2_status op2_finalize(op2_context *handle) {
  if (!handle || !*handle) return OP2_SUCCESS;
  op2_context ctx = *handle;
  if (ctx->magic == OP2I_CONTEXT_MAGIC && ctx->calling) return op2i_context_calling(ctx);
  op2_status status = OP2_SUCCESS;
  /* Before the handle is null: functions of op2_call() may have it. */
  if (ctx->magic == OP2I_CONTEXT_MAGIC && !ctx->finalized && !ctx->fatal)
    status = op2i_sched_flush(ctx->sched, "op2_finalize");
  *handle = NULL;
  if (ctx->magic != OP2I_CONTEXT_MAGIC)
    return op2i_error(OP2_ERR_ARG, "op2_finalize: not a context handle");
  if (ctx->forked) return op2i_context_left_behind();
  if (ctx->finalized)
    return op2i_error(OP2_ERR_STATE, "op2_finalize: the context was finalized before, through a "
                                     "copy of the handle");
  /* What cannot be returned here is at least said: nothing unreported is lost. */
  drop_failures(ctx);
  op2i_dats_come_home(ctx);
  ctx->finalized = true;
  op2i_process_leave(ctx);
  op2i_sched_destroy(ctx->sched);
  ctx->sched = NULL;
  op2i_loop_table_free(ctx);
  op2i_user_calls_free(ctx);
  op2i_jit_close(ctx);
  ctx->backend->close(ctx->backend_state);
  op2i_context_unref(ctx);
  return status;
}

static bool is_context(op2_context ctx) { return ctx && ctx->magic == OP2I_CONTEXT_MAGIC; }

bool op2_initialised(op2_context ctx) { return is_context(ctx) && !ctx->finalized; }

const char *op2_backend_name(op2_context ctx) {
  return is_context(ctx) ? ctx->backend->name : NULL;
}

int op2_workers(op2_context ctx) {
  return op2_initialised(ctx) ? ctx->backend->workers(ctx->backend_state) : 0;
}
