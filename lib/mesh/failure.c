/* SPDX-License-Identifier: BSD-3-Clause */
/* Execution failures, and the dependency graph's records of dats and globals. */
#include "context.h"
#include "error.h"
#include "mem.h"
#include "mesh.h"

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
                                      const char *message) {
  struct op2i_failure *failure = op2i_calloc(1, sizeof *failure);
  if (!failure) return NULL;
  failure->message = op2i_strdup(message);
  if (!failure->message) {
    op2i_free(failure);
    return NULL;
  }
  failure->status = code;
  failure->loop_number = loop_number;
  failure->refs = 2; /* the caller's and the list's */
  struct op2i_failure **at = &ctx->failures;
  while (*at && (*at)->loop_number <= loop_number) at = &(*at)->next;
  failure->next = *at;
  *at = failure;
  return failure;
}

op2_status op2i_failure_report(op2_context ctx, struct op2i_failure *failure) {
  op2_status code = op2i_error(failure->status, "%s", failure->message);
  if (!failure->reported) {
    failure->reported = true;
    struct op2i_failure **at = &ctx->failures;
    while (*at != failure) at = &(*at)->next;
    *at = failure->next;
    failure->next = NULL;
    op2i_failure_unref(failure);
  }
  return code;
}

void op2i_resource_init(struct op2i_resource *resource, op2_context ctx) {
  *resource = (struct op2i_resource){
      .ctx = ctx, .id = op2i_next_id(ctx), .nested_id = ctx->nested ? ctx->nested_id : 0};
}

void op2i_resource_clear(struct op2i_resource *resource) {
  op2i_free(resource->readers);
  op2i_resource_poison(resource, NULL);
  *resource = (struct op2i_resource){0};
}

void op2i_resource_poison(struct op2i_resource *resource, struct op2i_failure *failure) {
  resource->ctx->npoisoned += (failure != NULL) - (resource->poison != NULL);
  op2i_failure_ref(failure);
  op2i_failure_unref(resource->poison);
  resource->poison = failure;
  if (!failure) resource->poison_halo = false;
}

op2_status op2i_resource_report(op2_context ctx, struct op2i_resource *resource) {
  return resource->poison ? op2i_failure_report(ctx, resource->poison) : OP2_SUCCESS;
}
