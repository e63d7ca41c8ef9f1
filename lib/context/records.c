/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables in which queues keep what they know of dats and globals. */
#include "records.h"

#include <string.h>

#include "context.h"
#include "error.h"
#include "failure.h"
#include "mem.h"

struct op2i_record *op2i_resource_record(const struct op2i_resource *resource) {
  return &resource->ctx->records->list[resource->slot];
}

/* ---- resources ------------------------------------------------------------------------------- */

static op2_status grow(struct op2i_records *records, int64_t capacity) {
  if (capacity <= records->capacity) return OP2_SUCCESS;
  struct op2i_record *list = op2i_realloc(records->list, (size_t)capacity * sizeof *list);
  if (!list) return op2i_error_nomem("what queues know of dats and globals");
  memset(list + records->capacity, 0, (size_t)(capacity - records->capacity) * sizeof *list);
  records->list = list;
  records->capacity = capacity;
  return OP2_SUCCESS;
}

static op2_status grow_all(op2_context ctx) {
  struct op2i_slots *slots = &ctx->slots;
  op2_status status = OP2_SUCCESS;
  if (op2i_grow(&slots->free, sizeof *slots->free, slots->n, &slots->capacity))
    return op2i_error_nomem("what queues know of dats and globals");
  for (struct op2i_records *r = ctx->records; r && !status; r = r->outer)
    status = grow(r, slots->capacity);
  return status;
}

op2_status op2i_resource_init(struct op2i_resource *resource, op2_context ctx) {
  struct op2i_slots *slots = &ctx->slots;
  *resource = (struct op2i_resource){0};
  op2_status status = slots->nfree ? OP2_SUCCESS : grow_all(ctx);
  if (status) return status;
  resource->ctx = ctx;
  resource->slot = slots->nfree ? slots->free[--slots->nfree] : slots->n++;
  op2i_resource_admit(resource);
  return OP2_SUCCESS;
}

void op2i_resource_admit(const struct op2i_resource *resource) {
  op2i_resource_record(resource)->admitted = true;
}

bool op2i_resource_admitted(const struct op2i_resource *resource) {
  return !resource->ctx->records->outer || op2i_resource_record(resource)->admitted;
}

static void poison(struct op2i_records *records, struct op2i_record *record,
                   struct op2i_failure *failure) {
  records->npoisoned += (failure != NULL) - (record->poison != NULL);
  op2i_failure_ref(failure);
  op2i_failure_unref(record->poison);
  record->poison = failure;
  if (!failure) record->poison_halo = false;
}

/* The list of readers is kept for the next use of the slot. */
static void forget_record(struct op2i_records *records, int32_t slot) {
  struct op2i_record *record = &records->list[slot];
  if (record->poison) poison(records, record, NULL);
  record->last_writer = record->nreaders = 0;
  record->admitted = false;
}

void op2i_resource_clear(struct op2i_resource *resource) {
  op2_context ctx = resource->ctx;
  *resource = (struct op2i_resource){.slot = resource->slot};
  if (!ctx || !ctx->records) return;
  for (struct op2i_records *r = ctx->records; r; r = r->outer) forget_record(r, resource->slot);
  ctx->slots.free[ctx->slots.nfree++] = resource->slot;
}

void op2i_resource_poison(const struct op2i_resource *resource, struct op2i_failure *failure) {
  poison(resource->ctx->records, op2i_resource_record(resource), failure);
}

op2_status op2i_resource_report(const struct op2i_resource *resource) {
  struct op2i_failure *failure = op2i_resource_record(resource)->poison;
  return failure ? op2i_failure_report(resource->ctx, failure) : OP2_SUCCESS;
}

/* ---- tables ---------------------------------------------------------------------------------- */

op2_status op2i_records_reserve(struct op2i_records *records, op2_context ctx) {
  return grow(records, ctx->slots.capacity);
}

void op2i_records_clear(struct op2i_records *records) {
  for (int64_t s = 0; s < records->capacity; s++)
    if (records->list[s].admitted) forget_record(records, (int32_t)s);
  records->inside = NULL;
}

void op2i_records_free(struct op2i_records *records) {
  for (int64_t s = 0; s < records->capacity; s++) {
    forget_record(records, (int32_t)s);
    op2i_free(records->list[s].readers);
  }
  op2i_unref(records->norm_parts);
  for (int i = 0; i < records->ndot_parts; i++) op2i_unref(records->dot_parts[i]);
  op2i_free(records->dot_parts);
  op2i_free(records->list);
  *records = (struct op2i_records){0};
}
