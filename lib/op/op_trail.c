/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds queued operations to the trail by which ranks compare their calls. */
#include "call.h"
#include "context.h"
#include "loop.h"
#include "op.h"
#include "solve.h"
#include "types.h"

static uint64_t digest_key(uint64_t digest, const op2_arg *args, int n) {
  for (int a = 0; a < n; a++) {
    const op2_arg *arg = &args[a];
    digest = op2i_object_digest(digest, arg->object);
    digest = op2i_object_digest(op2i_object_digest(digest, arg->map), arg->map2);
    digest =
        op2i_object_digest(digest, arg->value); /* the subset of a matrix's argument, or null */
    const int32_t words[] = {arg->idx, arg->idx2, arg->dim, arg->type, arg->access};
    digest = op2i_digest_bytes(digest, words, sizeof words);
  }
  return digest;
}

/* Digest of what is the same each time. The text of a kernel is in the trail since it was made. */
static uint64_t digest_op(struct op2i_op *op) {
  const struct op2i_loop *loop = op2i_op_loop(op);
  const struct op2i_user_call *call = op2i_op_call(op);
  uint64_t digest = op2i_digest_text(0, op->kind->name);
  for (int d = 0; d < op->ndats; d++)
    digest = op2i_hash_word(op2i_object_digest(digest, op->dats[d]), (uint64_t)op->dat_access[d]);
  for (int g = 0; g < op->ngbls; g++)
    digest = op2i_hash_word(op2i_object_digest(digest, op->gbls[g]), (uint64_t)op->gbl_access[g]);
  if (loop) {
    digest = op2i_object_digest(op2i_object_digest(digest, loop->kernel), loop->set);
    digest = digest_key(digest, loop->entry.key, loop->nargs);
  }
  if (call) digest = digest_key(op2i_digest_text(digest, call->name), call->key, call->nargs);
  if (op->kind->queues)
    digest = op2i_object_digest(digest, ((const struct op2i_solve *)op)->solver);
  return digest;
}

static uint64_t digest_values(struct op2i_op *op, const unsigned char *payload) {
  const struct op2i_loop *loop = op2i_op_loop(op);
  const struct op2i_user_call *call = op2i_op_call(op);
  uint64_t digest = 0;
  for (int n = 0; loop && n < loop->nargs; n++) {
    const struct op2i_loop_arg *arg = &loop->args[n];
    if (arg->kind == OP2I_ARG_VAL)
      digest = op2i_digest_bytes(digest, payload + arg->offset,
                                 (size_t)arg->dim * op2i_type_size(arg->type));
  }
  for (int n = 0; call && n < call->nargs; n++)
    if (call->args[n].offset >= 0)
      digest =
          op2i_digest_bytes(digest, payload + call->args[n].offset,
                            (size_t)call->key[n].dim * op2i_type_size((op2_type)call->key[n].type));
  return digest;
}

/* Solves are the only operations that queue others. */
static const char *name_of(struct op2i_op *op) {
  const struct op2i_loop *loop = op2i_op_loop(op);
  const struct op2i_user_call *call = op2i_op_call(op);
  if (loop) return loop->kernel->obj.name;
  if (call) return call->name;
  return op->kind->queues ? ((const struct op2i_solve *)op)->solver->obj.name : "";
}

void op2i_op_trail(struct op2i_op *op, op2_where where, const unsigned char *payload,
                   bool runs_at_once) {
  struct op2i_trail *trail = op2i_context_trail(op->ctx);
  if (!trail) return;
  if (!op->digest) op->digest = digest_op(op) | 1;
  op2i_trail_add(trail, op->kind->name, name_of(op), where,
                 op2i_hash_word(op->digest, runs_at_once),
                 op->payload_bytes ? digest_values(op, payload) : 0);
}
