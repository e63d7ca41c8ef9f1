/* SPDX-License-Identifier: BSD-3-Clause */
/* The final state of a node: it has run, has failed, or was cancelled. */
#include <inttypes.h>

#include "error.h"
#include "log.h"
#include "settle.h"
#include "text.h"

static void watch(struct op2i_sched *sched, const struct op2i_node *node,
                  struct op2i_failure *failure) {
  if (sched->watched == node->number) sched->watched_failure = op2i_failure_ref(failure);
}

op2_status op2i_node_fail(struct op2i_sched *sched, struct op2i_node *node, op2_status code,
                          const char *what) {
  struct op2i_text text = {0};
  op2i_text_add(&text, "%s:%d: ", node->where.file, node->where.line);
  node->op->kind->describe(node->op, &text);
  op2i_text_add(&text, " (%s %" PRId64 "): %s", node->op->kind->name, node->number, what);
  struct op2i_failure *failure =
      text.failed ? NULL
                  : op2i_failure_add(sched->ctx, code, node->number, node->where.file,
                                     node->where.line, text.chars);
  op2i_text_free(&text);
  if (!failure) { /* without a record the loss could go unnoticed, so the context is dead */
    sched->ctx->fatal = true;
    return op2i_error_nomem("a failure's record");
  }
  op2i_log(sched->ctx, OP2I_LOG_INFO, "failed: %s", failure->message);
  node->state = OP2I_FAILED;
  sched->stats.loops_failed++;
  op2i_poison_results(node, failure);
  watch(sched, node, failure);
  op2i_failure_unref(failure);
  return OP2_SUCCESS;
}

void op2i_node_cancel(struct op2i_sched *sched, struct op2i_node *node,
                      struct op2i_failure *failure) {
  op2i_failure_ref(failure);
  node->state = OP2I_CANCELLED;
  sched->stats.loops_cancelled++;
  op2i_poison_results(node, failure);
  watch(sched, node, failure);
  op2i_failure_unref(failure);
}

void op2i_node_done(struct op2i_sched *sched, struct op2i_node *node) {
  node->state = OP2I_DONE;
  sched->stats.loops_run++;
  op2i_poison_cure(node);
}
