/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of a context's objects, as programs see it. */
#include "context.h"
#include "error.h"

/* Handles that were destroyed are gone for the program, even if something still refers to the
 * object. */
static bool listed(const struct op2i_object *object, op2_object_kind kind) {
  const op2_object_kind is = (op2_object_kind)op2i_object_kind(object);
  return !object->own && !object->given_up && (kind == OP2_OBJECT_ANY || kind == is);
}

int64_t op2_objects(op2_context ctx, op2_object_kind kind) {
  int64_t n = 0;
  if (!op2_initialised(ctx)) return 0;
  for (const struct op2i_link *l = ctx->objects.first; l; l = l->next) n += listed(l->object, kind);
  return n;
}

op2_status op2_object_get(op2_context ctx, op2_object_kind kind, int i, op2_object *out) {
  op2_status status = op2i_context_validate(ctx, "op2_object_get");
  if (status) return status;
  if (!out || i < 0 || kind < OP2_OBJECT_ANY || kind > OP2_OBJECT_COMPONENT)
    return op2i_error(OP2_ERR_ARG,
                      "op2_object_get: a null pointer, a negative number or an unknown kind");
  int64_t left = i;
  for (const struct op2i_link *l = ctx->objects.first; l; l = l->next) {
    const struct op2i_object *object = l->object;
    if (!listed(object, kind) || left-- > 0) continue;
    *out = (op2_object){.kind = (op2_object_kind)op2i_object_kind(object),
                        .handle = l->object,
                        .name = object->name};
    return OP2_SUCCESS;
  }
  return op2i_error(OP2_ERR_RANGE, "op2_object_get: there is no object %d of this kind", i);
}
