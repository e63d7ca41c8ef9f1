/* SPDX-License-Identifier: BSD-3-Clause */
/* Globals and constants. */
#include <ctype.h>
#include <string.h>

#include "cnames.h"
#include "context.h"
#include "error.h"
#include "fpenv.h"
#include "gbl.h"
#include "mem.h"
#include "mesh.h"
#include "recycle.h"

static op2_status check_values(int dim, op2_type type, const char *kind, const char *name) {
  if (dim < 1) return op2i_error(OP2_ERR_ARG, "%s '%s': dim %d is not positive", kind, name, dim);
  if (!op2i_type_size(type))
    return op2i_error(OP2_ERR_TYPE, "%s '%s': %d is not an op2_type", kind, name, (int)type);
  return OP2_SUCCESS;
}

/* ---- globals --------------------------------------------------------------------------------- */

struct op2i_version *op2i_version_ref(struct op2i_version *version) {
  version->refs++;
  return version;
}

void op2i_version_unref(struct op2i_version *version) {
  if (!version || --version->refs > 0) return;
  op2i_resource_clear(&version->res);
  op2i_buffer_free(&version->values);
  op2i_free(version->name);
  op2_context ctx = version->ctx;
  op2i_free_data(version);
  op2i_context_unref(ctx);
}

static struct op2i_version *make_version(op2_context ctx, const char *name, size_t bytes,
                                         const void *data) {
  /* Round up to whole cache lines, so that the flexible array can be handled as 64-byte aligned
   * storage. */
  size_t room = (sizeof(struct op2i_version) + bytes + 63) / 64 * 64;
  struct op2i_version *version = op2i_alloc_data(room);
  if (!version) return NULL;
  version->name = op2i_strdup(name);
  if (!version->name) {
    op2i_free_data(version);
    return NULL;
  }
  if (op2i_resource_init(&version->res, ctx)) {
    op2i_free(version->name);
    op2i_free_data(version);
    return NULL;
  }
  version->refs = 1;
  version->ctx = ctx;
  ctx->refs++;
  if (data) memcpy(version->data, data, bytes);
  op2i_buffer_init(&version->values, ctx, bytes, bytes, false);
  op2i_buffer_replace(&version->values, version->data, true);
  return version;
}

op2_status op2i_version_copy(op2_gbl gbl, struct op2i_version *from, struct op2i_version **out) {
  void *data;
  op2_status status = op2i_buffer_at(&from->values, OP2I_HOST, OP2_READ, OP2I_EVERY_ROW, &data);
  if (status) return status;
  *out = make_version(gbl->obj.ctx, gbl->obj.name, gbl->bytes, data);
  return *out ? OP2_SUCCESS : op2i_error_nomem("a global's values");
}

struct op2i_version *op2i_gbl_now(op2_gbl gbl) {
  struct op2i_version *nested = op2i_resource_record(&gbl->res)->version;
  return nested ? nested : gbl->version;
}

bool op2i_gbl_poisoned(op2_gbl gbl) {
  return op2i_resource_record(&op2i_gbl_now(gbl)->res)->poison != NULL;
}

void op2i_gbl_replace(op2_gbl gbl, struct op2i_version *version) {
  struct op2i_record *record = op2i_resource_record(&gbl->res);
  struct op2i_version **now = record->version ? &record->version : &gbl->version;
  op2i_version_unref(*now);
  *now = version;
}

void op2i_gbl_begin_nested(op2_gbl gbl, struct op2i_version *version) {
  op2i_resource_record(&gbl->res)->version = version;
  op2i_gbl_admit(gbl);
}

void op2i_gbl_end_nested(op2_gbl gbl) {
  struct op2i_version *version = op2i_resource_record(&gbl->res)->version;
  op2i_resource_record(&gbl->res)->version = NULL;
  op2i_version_unref(version);
}

void op2i_gbl_admit(op2_gbl gbl) {
  op2i_resource_admit(&gbl->res);
  op2i_resource_admit(&op2i_gbl_now(gbl)->res);
}

static void release_gbl(void *object) {
  op2_gbl gbl = object;
  op2i_gbl_leave_memory(gbl);
  op2i_version_unref(gbl->version);
  op2i_resource_clear(&gbl->res);
  for (int64_t k = 0; k < gbl->nterms; k++) {
    op2i_unref(gbl->terms[k].clear);
    op2i_unref(gbl->terms[k].dat);
  }
  op2i_free(gbl->terms);
}

op2_status op2i_gbl_make(op2_context ctx, int dim, op2_type type, const void *data,
                         const char *name, op2_gbl *out) {
  char room[OP2I_NAME_ROOM];
  name = op2i_object_name(ctx, OP2I_GBL, name, room);
  op2_status status = check_values(dim, type, "global", name);
  if (status) return status;
  op2_gbl gbl = op2i_object_room(ctx, OP2I_GBL, sizeof *gbl);
  if (!gbl) return op2i_error_nomem("a global");
  gbl->dim = dim;
  gbl->type = type;
  gbl->bytes = (size_t)dim * op2i_type_size(type);
  status = op2i_object_init(gbl, ctx, OP2I_GBL, name, release_gbl);
  if (status) {
    op2i_free(gbl);
    return status;
  }
  status = op2i_resource_init(&gbl->res, ctx);
  if (!status) gbl->version = make_version(ctx, gbl->obj.name, gbl->bytes, data);
  if (!gbl->version) {
    op2i_unref(gbl);
    return op2i_error_nomem("a global");
  }
  *out = gbl;
  return OP2_SUCCESS;
}

/* Add the declaration to the trail by which ranks compare their calls: values have to be the same
 * on all ranks. */
static void trail_declaration(op2_context ctx, int dim, op2_type type, const void *data,
                              const char *name, const char *call) {
  if (!op2i_context_trail(ctx)) return;
  const int32_t shape[] = {dim, (int32_t)type};
  size_t bytes = (size_t)dim * op2i_type_size(type);
  op2i_context_call(ctx, call, name,
                    op2i_digest_bytes(op2i_digest_text(0, name), shape, sizeof shape),
                    op2i_digest_bytes(0, data, bytes));
}

op2_status op2i_gbl_give(op2_context ctx, op2_status status, op2_gbl gbl, void *spare,
                         const char *name, const char *call, op2_gbl *out) {
  bool equal = true;
  status = op2i_context_agree(ctx, status);
  if (!status && ctx->comm)
    status = op2i_context_alike_from(ctx, "global", gbl->obj.name, "dim", gbl->dim, gbl->type,
                                     op2i_spare_made(spare), &equal);
  if (status) {
    op2_gbl_destroy(&gbl);
    return status;
  }
  op2i_spare_succeed(spare, gbl, equal);
  /* Zeros are the same values whether or not a rank has given them. */
  trail_declaration(ctx, gbl->dim, gbl->type, gbl->version->data, name, call);
  *out = gbl;
  return OP2_SUCCESS;
}

op2_status op2_gbl_create(op2_context ctx, int dim, op2_type type, const void *data,
                          const char *name, op2_gbl *out) {
  op2_gbl gbl = NULL;
  op2_status status = op2i_context_validate(ctx, "op2_gbl_create");
  if (status) return status;
  op2i_context_call(ctx, "op2_gbl_create", name, 0, 0);
  if (!out) return op2i_error(OP2_ERR_ARG, "op2_gbl_create: where to put the global is null");
  status = op2i_gbl_make(ctx, dim, type, data, name, &gbl);
  void *spare = status ? NULL : op2i_gbl_predecessor(gbl);
  status = op2i_gbl_give(ctx, status, gbl, spare, name, "op2_gbl_create", out);
  if (!status) op2i_gbl_recycle(gbl);
  return status;
}

op2_status op2i_gbl_acquire(op2_gbl gbl, const char *call, void **data) {
  OP2I_FP_DEFAULT;
  struct op2i_version *now = op2i_gbl_now(gbl);
  op2_status status =
      op2i_scheduler.force(gbl->obj.ctx->sched, &now->res, false, call, gbl->obj.name);
  if (!status) status = op2i_resource_report(&now->res);
  return status ? status : op2i_buffer_at(&now->values, OP2I_HOST, OP2_READ, OP2I_EVERY_ROW, data);
}

op2_status op2_gbl_get(op2_gbl gbl, void *out) {
  op2_status status = op2i_object_validate(gbl, OP2I_GBL, "op2_gbl_get");
  if (!status) status = op2i_context_validate(gbl->obj.ctx, "op2_gbl_get");
  if (status) return status;
  op2i_object_call(gbl, OP2I_GBL, "op2_gbl_get", NULL, 0);
  if (!out)
    return op2i_error(OP2_ERR_ARG, "op2_gbl_get: global '%s': a null pointer", gbl->obj.name);
  if (gbl->open_writes)
    return op2i_error(OP2_ERR_STATE, "op2_gbl_get: global '%s' is open for writing", gbl->obj.name);
  void *data;
  status = op2i_gbl_acquire(gbl, "op2_gbl_get", &data);
  if (!status) memcpy(out, data, gbl->bytes);
  return status;
}

op2_status op2_gbl_set(op2_gbl gbl, const void *in) {
  op2_status status = op2i_object_validate(gbl, OP2I_GBL, "op2_gbl_set");
  if (status) return status;
  if (!in)
    return op2i_error(OP2_ERR_ARG, "op2_gbl_set: global '%s': a null pointer", gbl->obj.name);
  if (gbl->open_reads || gbl->open_writes)
    return op2i_error(OP2_ERR_STATE, "op2_gbl_set: global '%s' is open (%s_end is missing)",
                      gbl->obj.name, gbl->opened_by);
  if (!op2i_resource_admitted(&gbl->res))
    return op2i_error(OP2_ERR_STATE,
                      "op2_gbl_set: '%s' is set inside an operator that does not name it",
                      gbl->obj.name);
  struct op2i_version *version = make_version(gbl->obj.ctx, gbl->obj.name, gbl->bytes, in);
  if (!version)
    return op2i_context_abort_ranks(gbl->obj.ctx, op2i_error_nomem("a global's values"));
  op2i_context_call(gbl->obj.ctx, "op2_gbl_set", gbl->obj.name, op2i_object_digest(0, gbl),
                    op2i_digest_bytes(0, in, gbl->bytes));
  op2i_gbl_replace(gbl, version);
  gbl->changes++;
  return OP2_SUCCESS;
}

op2_status op2i_gbl_clear(op2_gbl gbl) {
  void *zeros = op2i_calloc(1, gbl->bytes);
  if (!zeros) return op2i_context_abort_ranks(gbl->obj.ctx, op2i_error_nomem("a global's values"));
  const op2_status status = op2_gbl_set(gbl, zeros);
  op2i_free(zeros);
  return status;
}

void op2_gbl_destroy(op2_gbl *gbl) {
  if (!gbl) return;
  if (op2i_object_leave(*gbl, OP2I_GBL)) op2i_unref(*gbl);
  *gbl = NULL;
}

/* ---- constants ------------------------------------------------------------------------------- */

static void release_const(void *object) {
  op2_const cst = object;
  op2_context ctx = cst->obj.ctx;
  /* The name becomes free now: a constant has no other users, since loops capture values. */
  if (cst->prev)
    cst->prev->next = cst->next;
  else
    ctx->consts = cst->next;
  if (cst->next) cst->next->prev = cst->prev;
  ctx->const_epoch++;
  op2i_free(cst->data);
}

static bool is_identifier(const char *name) {
  if (!name || !(isalpha((unsigned char)*name) || *name == '_')) return false;
  for (const char *c = name; *c; c++)
    if (!isalnum((unsigned char)*c) && *c != '_') return false;
  return true;
}

static op2_status check_name(op2_context ctx, const char *name) {
  if (!is_identifier(name))
    return op2i_error(OP2_ERR_NAME,
                      "constant '%s': the name must be a C identifier, since kernels use it",
                      name ? name : "");
  const char *taken = op2i_c_name(name);
  if (taken)
    return op2i_error(OP2_ERR_NAME,
                      "constant '%s': this is %s, and kernels could not tell the two apart", name,
                      taken);
  for (op2_const c = ctx->consts; c; c = c->next)
    if (!strcmp(c->obj.name, name))
      return op2i_error(OP2_ERR_NAME, "constant '%s' exists already", name);
  return OP2_SUCCESS;
}

static op2_status create_const(op2_context ctx, int dim, op2_type type, const void *data,
                               const char *name, op2_const *out) {
  op2_status status = check_name(ctx, name);
  if (!status) status = check_values(dim, type, "constant", name);
  if (status) return status;
  if (!data) return op2i_error(OP2_ERR_ARG, "constant '%s': a null pointer", name);
  op2_const cst = op2i_calloc(1, sizeof *cst);
  if (!cst) return op2i_error_nomem("a constant");
  cst->dim = dim;
  cst->type = type;
  cst->bytes = (size_t)dim * op2i_type_size(type);
  cst->data = op2i_malloc(cst->bytes);
  if (!cst->data) {
    status = op2i_error_nomem("a constant");
    goto fail;
  }
  memcpy(cst->data, data, cst->bytes);
  OP2I_TRY(op2i_object_init(cst, ctx, OP2I_CONST, name, release_const));
  op2_const last = ctx->consts;
  while (last && last->next) last = last->next;
  cst->prev = last;
  *(last ? &last->next : &ctx->consts) = cst;
  ctx->const_epoch++;
  *out = cst;
  return OP2_SUCCESS;
fail:
  op2i_free(cst->data);
  op2i_free(cst);
  return status;
}

/* Remember which variable a constant was set from. Constants that were set from it before have nothing
 * to do with its value any more: functions reuse their stack, and some programs one variable. */
static void note_variable(op2_const cst, const void *data) {
  for (op2_const c = cst->obj.ctx->consts; c; c = c->next)
    if (c->given == data) c->given = NULL;
  cst->given = data;
}

op2_status op2_const_create(op2_context ctx, int dim, op2_type type, const void *data,
                            const char *name, op2_const *out) {
  op2_const cst = NULL;
  op2_status status = op2i_context_validate(ctx, "op2_const_create");
  if (status) return status;
  op2i_context_call(ctx, "op2_const_create", name, 0, 0);
  op2i_objects_release_awaiting(ctx); /* they keep their names until then */
  if (!out) return op2i_error(OP2_ERR_ARG, "constant '%s': a null pointer", name ? name : "");
  status = op2i_context_agree(ctx, create_const(ctx, dim, type, data, name, &cst));
  if (!status) status = op2i_context_alike(ctx, "constant", cst->obj.name, "dim", dim, type);
  if (status) {
    op2_const_destroy(&cst);
    return status;
  }
  trail_declaration(ctx, dim, type, data, name, "op2_const_create");
  note_variable(cst, data);
  *out = cst;
  return OP2_SUCCESS;
}

op2_status op2_const_set(op2_const cst, const void *in) {
  op2_status status = op2i_object_validate(cst, OP2I_CONST, "op2_const_set");
  if (status) return status;
  if (!in)
    return op2i_error(OP2_ERR_ARG, "op2_const_set: constant '%s': a null pointer", cst->obj.name);
  op2i_context_call(cst->obj.ctx, "op2_const_set", cst->obj.name, op2i_object_digest(0, cst),
                    op2i_digest_bytes(0, in, cst->bytes));
  memcpy(cst->data, in, cst->bytes);
  note_variable(cst, in);
  return OP2_SUCCESS;
}

void op2_const_destroy(op2_const *handle) {
  if (!handle || !*handle) return;
  op2_const cst = *handle;
  *handle = NULL;
  if (op2i_object_leave(cst, OP2I_CONST)) op2i_unref(cst);
}
