/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables that op_decl_const() has declared. Compiled kernels read the variable itself, so each
 * loop takes the values that it has at the call. */
#include "compat.h"

static size_t bytes_of(const struct op2i_compat_const *c) {
  return (size_t)c->type->size * (size_t)c->dim;
}

static struct op2i_compat_const *find(const char *name, size_t length) {
  for (int64_t i = 0; i < op2i_compat.nconsts; i++) {
    struct op2i_compat_const *c = &op2i_compat.consts[i];
    if (strlen(c->name) == length && !memcmp(c->name, name, length)) return c;
  }
  return NULL;
}

bool op2i_compat_is_constant(const char *name, int length) {
  return find(name, (size_t)length) != NULL;
}

void op2_compat_const(const char *name, int dim, const char *type, const void *data) {
  if (!op2i_compat.ctx) op2i_compat_end("op_decl_const before op_init");
  while (*name == '&' || *name == ' ' || *name == '(') name++;
  size_t length = strcspn(name, " )[");
  if (find(name, length)) return;
  char *kept = op2i_compat_memory(length + 1);
  memcpy(kept, name, length);
  struct op2i_compat_const c = {
      .name = kept, .type = op2i_compat_type(type, 0), .dim = dim, .data = data};
  if (op2_const_create(op2i_compat.ctx, dim, c.type->type, data, kept, &c.handle)) {
    op2i_compat_warn("constant '%s': kernels that use it run by their address (%s)", kept,
                     op2_error_message());
    return;
  }
  c.last = op2i_compat_memory(bytes_of(&c));
  memcpy(c.last, data, bytes_of(&c));
  op2i_compat_append(&op2i_compat.consts, sizeof c, &op2i_compat.nconsts, &op2i_compat.consts_max,
                     &c);
}

void op2i_compat_constants(void) {
  for (int64_t i = 0; i < op2i_compat.nconsts; i++) {
    struct op2i_compat_const *c = &op2i_compat.consts[i];
    if (!memcmp(c->last, c->data, bytes_of(c))) continue;
    op2i_compat_check(op2_const_set(c->handle, c->data), "op_decl_const");
    memcpy(c->last, c->data, bytes_of(c));
  }
}

void op2i_compat_trial_constants(void) {
  for (int64_t i = 0; i < op2i_compat.nconsts; i++) {
    struct op2i_compat_const *c = &op2i_compat.consts[i];
    op2i_compat_check(c->trial ? op2_const_set(c->trial, c->data)
                               : op2_const_create(op2i_compat.trial, c->dim, c->type->type, c->data,
                                                  c->name, &c->trial),
                      "op_decl_const");
  }
}
