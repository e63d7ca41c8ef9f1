/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of what a context waits for beside its queue. */
#include "background.h"

#include "context.h"
#include "error.h"
#include "mem.h"

op2_status op2i_background_add(op2_context ctx, op2i_background_function *wait, void *data) {
  struct op2i_background *work = op2i_malloc(sizeof *work);
  if (!work) return op2i_error_nomem("work beside the loops");
  *work = (struct op2i_background){wait, data, ctx->background};
  ctx->background = work;
  return OP2_SUCCESS;
}

op2_status op2i_background_wait(op2_context ctx, bool ends) {
  op2_status first = OP2_SUCCESS;
  struct op2i_background *next;
  for (struct op2i_background *work = ctx->background; work; work = next) {
    next = work->next;
    op2_status status = work->wait(work->data, ends);
    if (!first) first = status;
    if (ends) op2i_free(work);
  }
  if (ends) ctx->background = NULL;
  return first;
}
