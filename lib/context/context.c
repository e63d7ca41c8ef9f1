/* SPDX-License-Identifier: BSD-3-Clause */
/* The checks with which every call begins, and the end of a context when nothing refers to it any
 * more. */
#include "context.h"

#include <inttypes.h>
#include <string.h>

#include "comm.h"
#include "device.h"
#include "error.h"
#include "log.h"
#include "mem.h"
#include "op2/version.h"
#include "process.h"
#include "text.h"
#include "types.h"
#include "watch.h"

_Atomic bool op2i_deterministic_begun;

int64_t op2i_next_id(op2_context ctx) { return ++ctx->next_id; }

op2_status op2i_error_forked(void) {
  return op2i_error(OP2_ERR_STATE,
                    "this process is a forked child: the context is its parent's, whose threads "
                    "are not here; a child can make a context of its own");
}

/* Calls that would take away what an operation with a nested queue still needs, or that need a
 * queue of their own. */
static const char *const refused_inside[] = {
    "op2_finalize",     "op2_partition", "op2_petsc_use",    "op2_renumber",
    "op2_solve_blocks", "op2_solve",     "op2_solve_nested", "op2_solve_operator"};

static op2_status allow_inside(const struct op2i_records *records, const char *call) {
  bool refused = false;
  struct op2i_text words = {0};
  for (size_t i = 0; i < sizeof refused_inside / sizeof *refused_inside; i++)
    refused |= !strcmp(call, refused_inside[i]);
  if (!refused) return OP2_SUCCESS;
  records->describe_inside(records->inside, &words);
  op2_status status =
      words.failed ? op2i_error_nomem("a message")
                   : op2i_error(OP2_ERR_STATE,
                                "%s cannot be called inside an operator's function: %s is running "
                                "(call it after op2_flush)",
                                call, words.chars);
  op2i_text_free(&words);
  return status;
}

op2_status op2i_context_allow(op2_context ctx, const char *call) {
  if (ctx->calling)
    return op2i_error(OP2_ERR_STATE,
                      "%s: inside the call '%s' nothing can be queued, run, made, set or looked "
                      "at: its arguments are all it has of its context",
                      call, ctx->calling);
  return ctx->records && ctx->records->inside ? allow_inside(ctx->records, call) : OP2_SUCCESS;
}

op2_status op2i_context_validate(op2_context ctx, const char *call) {
  if (!ctx) return op2i_error(OP2_ERR_STATE, "op2 is not initialised: the context is null");
  if (ctx->magic != OP2I_CONTEXT_MAGIC)
    return op2i_error(OP2_ERR_ARG, "not a context handle: an object's, or none at all");
  if (ctx->forked) return op2i_error_forked();
  if (ctx->finalized) return op2i_error(OP2_ERR_STATE, "the context has ended");
  if (ctx->comm && ctx->comm->watch.ended) ctx->fatal = true;
  if (ctx->fatal)
    return op2i_error(OP2_ERR_FATAL, "the context is dead after an earlier fatal error%s%s",
                      ctx->comm && ctx->comm->watch.ended ? ": " : "",
                      ctx->comm ? ctx->comm->watch.reason : "");
  const bool inside = ctx->calling || (ctx->records && ctx->records->inside);
  return inside ? op2i_context_allow(ctx, call) : OP2_SUCCESS;
}

op2_status op2i_context_agree(op2_context ctx, op2_status status) {
  return ctx->comm ? op2i_comm_agree(ctx->comm, status) : status;
}

/* Ranks whose number exceeds the smallest one report the mismatch; there is such a rank unless all
 * have the same number. */
op2_status op2i_context_alike_from(op2_context ctx, const char *kind, const char *name,
                                   const char *what, int64_t number, op2_type type, int64_t spare,
                                   bool *equal) {
  int64_t least[4] = {number, (int64_t)type, spare, -spare};
  *equal = true;
  if (!ctx->comm || ctx->comm->size == 1) return OP2_SUCCESS;
  op2_status status = op2i_comm_least(ctx->comm, 4, least);
  if (status) return status;
  *equal = least[2] == -least[3];
  if (number != least[0])
    status = op2i_error(OP2_ERR_MISMATCH,
                        "%s '%s' has %s %" PRId64 " here, and %" PRId64 " on another rank", kind,
                        name, what, number, least[0]);
  else if ((int64_t)type != least[1])
    status = op2i_error(OP2_ERR_MISMATCH, "%s '%s' is of type %s here, and %s on another rank",
                        kind, name, op2i_type_name(type), op2i_type_name((op2_type)least[1]));
  return op2i_comm_agree(ctx->comm, status);
}

op2_status op2i_context_alike(op2_context ctx, const char *kind, const char *name, const char *what,
                              int64_t number, op2_type type) {
  bool equal;
  return op2i_context_alike_from(ctx, kind, name, what, number, type, 0, &equal);
}

op2_status op2i_context_abort_ranks(op2_context ctx, op2_status status) {
  if (!status || !ctx->comm) return status;
  op2i_comm_abandon(ctx->comm, op2_error_message());
  ctx->fatal = true;
  return status;
}

void op2i_context_unref(op2_context ctx) {
  if (--ctx->refs > 0) return;
  op2i_process_forget(ctx);
  op2i_interned_loops.free(ctx);
  op2i_interned_calls.free(ctx);
  op2i_interned_solves.free(ctx);
  op2i_config_free(&ctx->config);
  op2i_device_close(ctx->device);
  op2i_device_close(ctx->shadow);
  op2i_comm_free(ctx->comm);
  op2i_free(ctx->slots.free);
  op2i_free(ctx->numa);
  op2i_objects_free_replaced(ctx);
  ctx->finalized = true;
  op2i_free_deferred(OP2I_DEFERRED_CONTEXT, ctx);
}

#define WORDS(number_)   #number_
#define VERSION(a, b, c) WORDS(a) "." WORDS(b) "." WORDS(c)

const char *op2_version(void) {
  return VERSION(OP2_VERSION_MAJOR, OP2_VERSION_MINOR, OP2_VERSION_PATCH);
}

bool op2_initialised(op2_context ctx) {
  return ctx && ctx->magic == OP2I_CONTEXT_MAGIC && !ctx->finalized;
}

int op2_workers(op2_context ctx) { return op2_initialised(ctx) ? ctx->workers : 0; }

void op2i_context_warn_order(op2_context ctx, enum op2i_order order) {
  if (!ctx->config.deterministic || !ctx->comm || ctx->warned_of_order & order) return;
  ctx->warned_of_order |= (unsigned char)order;
  op2i_log(ctx, OP2I_LOG_WARN,
           "%s also with OP2_DETERMINISTIC=1, so results depend on the number of ranks",
           order == OP2I_ORDER_ENGINE
               ? "PETSc solves, and adds in the order of ranks"
               : "products with the transpose of a matrix are added up in the order of ranks");
}
