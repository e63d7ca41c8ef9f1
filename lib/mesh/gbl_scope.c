/* SPDX-License-Identifier: BSD-3-Clause */
/* Access to the values of globals in place, by scopes, and globals over memory of the program. */
#include <string.h>

#include "context.h"
#include "error.h"
#include "gbl.h"
#include "wrapped.h"

/* ---- memory of the program ------------------------------------------------------------------- */

/* Store the values in the user's memory for good. It is left alone while a scope for writing is open,
 * since that shows it, and if the values could not be computed. */
static void come_home(op2_gbl gbl) {
  const struct op2i_record *record = op2i_resource_record(&gbl->version->res);
  void *data;
  if (!gbl->open_writes && !record->poison &&
      !op2i_buffer_at(&gbl->version->values, OP2I_HOST, OP2_READ, OP2I_EVERY_ROW, &data))
    memcpy(gbl->wrapped, data, gbl->bytes);
  op2i_list_remove(&gbl->obj.ctx->wrapped_gbls, &gbl->link_of_wrapped);
  gbl->wrapped = NULL;
}

void op2i_gbls_come_home(op2_context ctx) {
  while (ctx->wrapped_gbls.first) come_home(ctx->wrapped_gbls.first->object);
}

void op2i_gbl_leave_memory(op2_gbl gbl) {
  gbl->obj.ctx->open_scopes -= gbl->open_reads + gbl->open_writes;
  if (gbl->wrapped) come_home(gbl);
  op2i_version_unref(gbl->opened);
  gbl->opened = NULL;
}

static op2_status wrap(op2_context ctx, int dim, op2_type type, void *data, const char *name,
                       op2_gbl *out) {
  char room[OP2I_NAME_ROOM];
  const char *named = op2i_object_name(ctx, OP2I_GBL, name, room);
  const size_t size = op2i_type_size(type);
  op2_status status = OP2_SUCCESS;
  if (dim >= 1 && size)
    status = op2i_wrapped_check(ctx, "global", named, data, (size_t)dim * size, type);
  if (!status) status = op2i_gbl_make(ctx, dim, type, data, name, out);
  if (status) return status;
  (*out)->wrapped = data;
  op2i_list_append(&ctx->wrapped_gbls, &(*out)->link_of_wrapped, *out);
  return OP2_SUCCESS;
}

op2_status op2_gbl_wrap(op2_context ctx, int dim, op2_type type, void *data, const char *name,
                        op2_gbl *out) {
  op2_gbl gbl = NULL;
  op2_status status = op2i_context_validate(ctx, "op2_gbl_wrap");
  if (status) return status;
  op2i_context_call(ctx, "op2_gbl_wrap", name, 0, 0);
  if (!out) return op2i_error(OP2_ERR_ARG, "op2_gbl_wrap: where to put the global is null");
  status = wrap(ctx, dim, type, data, name, &gbl);
  return op2i_gbl_give(ctx, status, gbl, NULL, name, "op2_gbl_wrap", out);
}

/* ---- scopes ---------------------------------------------------------------------------------- */

static op2_status check_access(op2_gbl gbl, const void *pointer, const char *call) {
  op2_status status = op2i_object_validate(gbl, OP2I_GBL, call);
  if (status) return status;
  if (!pointer)
    return op2i_error(OP2_ERR_ARG, "%s: global '%s': a null pointer", call, gbl->obj.name);
  return op2i_context_validate(gbl->obj.ctx, call);
}

static op2_status check_open(op2_gbl gbl, int32_t open, const char *how, const char *call) {
  if (open) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_STATE, "%s: global '%s' is not open for %s", call, gbl->obj.name, how);
}

/* A scope shows the host's memory of a version or, where the user has lent memory, a copy there. */
static void *show(op2_gbl gbl, void *values) {
  if (gbl->wrapped) memcpy(gbl->wrapped, values, gbl->bytes);
  return gbl->wrapped ? gbl->wrapped : values;
}

op2_status op2_gbl_read_begin(op2_gbl gbl, const void **out) {
  void *values;
  op2i_object_call(gbl, OP2I_GBL, "op2_gbl_read_begin", NULL, 0);
  op2_status status = check_access(gbl, out, "op2_gbl_read_begin");
  if (status) return status;
  if (gbl->open_writes)
    return op2i_error(OP2_ERR_STATE, "op2_gbl_read_begin: global '%s' is open for writing",
                      gbl->obj.name);
  status = op2i_gbl_acquire(gbl, "op2_gbl_read_begin", &values);
  if (status) return status;
  if (!gbl->open_reads++) gbl->opened = op2i_version_ref(op2i_gbl_now(gbl));
  gbl->opened_by = "op2_gbl_read";
  gbl->obj.ctx->open_scopes++;
  *out = show(gbl, values);
  return OP2_SUCCESS;
}

op2_status op2_gbl_read_end(op2_gbl gbl, const void **data) {
  op2_status status = check_access(gbl, data, "op2_gbl_read_end");
  if (!status) status = check_open(gbl, gbl->open_reads, "reading", "op2_gbl_read_end");
  if (status) return status;
  if (--gbl->open_reads == 0) {
    op2i_version_unref(gbl->opened);
    gbl->opened = NULL;
  }
  gbl->obj.ctx->open_scopes--;
  *data = NULL;
  return OP2_SUCCESS;
}

/* The new version is made here, so that the end of the scope needs no memory. */
op2_status op2_gbl_write_begin(op2_gbl gbl, void **out) {
  void *values;
  op2i_object_call(gbl, OP2I_GBL, "op2_gbl_write_begin", NULL, 0);
  op2_status status = check_access(gbl, out, "op2_gbl_write_begin");
  if (status) return status;
  if (gbl->open_reads || gbl->open_writes)
    return op2i_error(OP2_ERR_STATE, "op2_gbl_write_begin: global '%s' is already open",
                      gbl->obj.name);
  status = op2i_gbl_acquire(gbl, "op2_gbl_write_begin", &values);
  if (!status)
    status = op2i_context_abort_ranks(gbl->obj.ctx,
                                      op2i_version_copy(gbl, op2i_gbl_now(gbl), &gbl->opened));
  if (status) return status;
  gbl->changes++;
  gbl->open_writes++;
  gbl->opened_by = "op2_gbl_write";
  gbl->obj.ctx->open_scopes++;
  *out = show(gbl, gbl->opened->data);
  return OP2_SUCCESS;
}

op2_status op2_gbl_write_end(op2_gbl gbl, void **data) {
  op2_status status = check_access(gbl, data, "op2_gbl_write_end");
  if (!status) status = check_open(gbl, gbl->open_writes, "writing", "op2_gbl_write_end");
  if (status) return status;
  if (gbl->wrapped) memcpy(gbl->opened->data, gbl->wrapped, gbl->bytes);
  op2i_context_call(gbl->obj.ctx, "op2_gbl_write_end", gbl->obj.name, op2i_object_digest(0, gbl),
                    op2i_digest_bytes(0, gbl->opened->data, gbl->bytes));
  op2i_gbl_replace(gbl, gbl->opened);
  gbl->opened = NULL;
  gbl->open_writes--;
  gbl->obj.ctx->open_scopes--;
  *data = NULL;
  return OP2_SUCCESS;
}
