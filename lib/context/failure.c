/* SPDX-License-Identifier: BSD-3-Clause */
/* Failures of queued operations. */
#include "failure.h"
#include "context.h"
#include "error.h"
#include "mem.h"

struct op2i_failure *op2i_failure_ref(struct op2i_failure *failure) {
  if (failure) failure->refs++;
  return failure;
}

void op2i_failure_unref(struct op2i_failure *failure) {
  if (!failure || --failure->refs > 0) return;
  op2i_free(failure->message);
  op2i_free(failure);
}

struct op2i_failure *op2i_failure_add(op2_context ctx, op2_status code, int64_t loop_number,
                                      const char *file, int line, const char *message) {
  struct op2i_failure *failure = op2i_calloc(1, sizeof *failure);
  if (!failure) return NULL;
  failure->message = op2i_strdup(message);
  if (!failure->message) {
    op2i_free(failure);
    return NULL;
  }
  failure->status = code;
  failure->loop_number = loop_number;
  failure->file = file;
  failure->line = line;
  failure->refs = 2; /* the caller's and the list's */
  struct op2i_failure **at = &ctx->records->failures;
  while (*at && (*at)->loop_number <= loop_number) at = &(*at)->next;
  failure->next = *at;
  *at = failure;
  return failure;
}

op2_status op2i_failure_report(op2_context ctx, struct op2i_failure *failure) {
  op2_status code = op2i_error_at(op2i_error(failure->status, "%s", failure->message),
                                  failure->file, failure->line, -1, NULL);
  if (!failure->reported) {
    failure->reported = true;
    struct op2i_failure **at = &ctx->records->failures;
    while (*at != failure) at = &(*at)->next;
    *at = failure->next;
    failure->next = NULL;
    op2i_failure_unref(failure);
  }
  return code;
}
