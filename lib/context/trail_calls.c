/* SPDX-License-Identifier: BSD-3-Clause */
/* The recording of public calls in the trail by which ranks compare their calls. */
#include "comm.h"
#include "context.h"

struct op2i_trail *op2i_context_trail(op2_context ctx) {
  return ctx->comm && !ctx->finalized && !ctx->calling ? ctx->comm->trail : NULL;
}

void op2i_context_call(op2_context ctx, const char *call, const char *name, uint64_t arguments,
                       uint64_t values) {
  struct op2i_trail *trail = op2i_context_trail(ctx);
  const struct op2i_behalf *behalf = &ctx->behalf;
  if (!trail) return;
  if (behalf->call)
    op2i_trail_add(trail, behalf->call, behalf->name, behalf->where,
                   op2i_digest_text(arguments, call), values);
  else
    op2i_trail_add(trail, call, name, (op2_where){0}, arguments, values);
}

struct op2i_behalf op2i_context_behalf(op2_context ctx, const char *call, const char *name,
                                       op2_where where) {
  struct op2i_behalf before = ctx->behalf;
  if (!before.call) ctx->behalf = (struct op2i_behalf){call, name, where};
  return before;
}

void op2i_context_behalf_end(op2_context ctx, struct op2i_behalf before) { ctx->behalf = before; }

void op2i_object_call(const void *object, enum op2i_kind kind, const char *call, const char *name,
                      uint64_t arguments) {
  const struct op2i_object *o = object;
  if (op2i_object_is(object, kind))
    op2i_context_call(o->ctx, call, name ? name : o->name, op2i_object_digest(arguments, object),
                      0);
}

uint64_t op2i_object_digest(uint64_t digest, const void *object) {
  const struct op2i_object *o = object;
  return op2i_hash_word(digest, o ? op2i_hash_word(o->magic, o->made) | 1 : 0);
}
