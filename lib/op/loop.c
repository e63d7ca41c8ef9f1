/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops: how one is made and freed, the values that it captures, and what it is to the queue. */
#include "loop.h"

#include <string.h>

#include "context.h"
#include "drop.h"
#include "error.h"
#include "loop_resolve.h"
#include "loop_table.h"
#include "mem.h"
#include "sparse.h"

const char *op2i_loop_name(const struct op2i_loop *loop) {
  return loop->name ? loop->name : loop->kernel->obj.name;
}

/* ---- creating and freeing -------------------------------------------------------------------- */

static void release_images(struct op2i_loop *loop) {
  for (int v = 0; v < OP2I_VARIANTS; v++) {
    if (loop->code.image[v]) loop->code.release(loop->op.ctx, loop->code.image[v]);
    loop->code.image[v] = NULL;
  }
}

void op2i_loop_free(struct op2i_loop *loop) {
  if (loop->profile.line) loop->profile.line->calls_gone += loop->profile.calls;
  if (loop->op.ctx && loop->op.ctx->sched) op2i_scheduler.forget(loop->op.ctx->sched, &loop->op);
  if (!loop->fused.members && loop->kernel->model == loop) loop->kernel->model = NULL;
  if (loop->attached.sched_release) loop->attached.sched_release(loop->attached.sched_data);
  if (loop->attached.device_release) loop->attached.device_release(loop->attached.device_data);
  release_images(loop);
  for (int v = 0; v < OP2I_VARIANTS; v++) op2i_free(loop->code.source[v]);
  op2i_free(loop->form.why);
  op2i_free(loop->name);
  op2i_free(loop->fused.members);
  op2i_free(loop->fused.origins);
  op2i_free(loop->fused.dropped);
  for (int c = 0; c < loop->nconsts; c++) op2i_free(loop->consts[c].name);
  op2i_free(loop->consts);
  op2i_free(loop->entry.key);
  op2i_free(loop->args);
  op2i_free(loop->maps);
  op2i_free(loop->named);
  op2i_op_free_tables(&loop->op);
  op2i_free(loop);
}

static op2_status allocate_loop(op2_kernel kernel, op2_set set, int nargs, struct op2i_loop **out) {
  struct op2i_loop *loop = op2i_calloc(1, sizeof *loop);
  if (!loop) return op2i_error_nomem("a loop");
  size_t n = (size_t)nargs;
  loop->op.kind = &op2i_loop_kind;
  loop->op.ctx = set->obj.ctx;
  loop->kernel = kernel;
  loop->set = set;
  loop->nargs = loop->entry.nkey = nargs;
  loop->entry.key = op2i_malloc(n * sizeof *loop->entry.key);
  loop->args = op2i_calloc(n, sizeof *loop->args);
  loop->maps = op2i_calloc(2 * n, sizeof *loop->maps);   /* each may need a row table as well */
  loop->named = op2i_calloc(2 * n, sizeof *loop->named); /* a matrix may come with a subset */
  if (!loop->entry.key || !loop->args || !loop->maps || !loop->named ||
      op2i_op_tables(&loop->op, n)) {
    op2i_loop_free(loop);
    return op2i_error_nomem("a loop");
  }
  *out = loop;
  return OP2_SUCCESS;
}

/* Make the maps of arguments that leave rows or columns out, unless they exist. */
static op2_status need_dropped(int nargs, const op2_arg *args) {
  op2_status status = OP2_SUCCESS;
  for (int n = 0; n < nargs && !status; n++)
    if (args[n].tag == OP2_TAG_MAT_ && args[n].value)
      status = op2i_sparsity_need_dropped(((op2_mat)args[n].object)->sparsity, args[n].map,
                                          args[n].map2, (op2_set)args[n].value, args[n].idx2);
  return status;
}

op2_status op2i_loop_make(op2_kernel kernel, op2_set set, int nargs, const op2_arg *args,
                          struct op2i_loop **out) {
  struct op2i_loop *loop = NULL;
  op2_status status = allocate_loop(kernel, set, nargs, &loop);
  if (status) return status;
  for (int n = 0; n < nargs; n++) {
    loop->entry.key[n] = args[n];
    if (args[n].tag != OP2_TAG_MAT_) loop->entry.key[n].value = NULL;
    loop->entry.drops |= loop->entry.key[n].value != NULL;
  }
  loop->traits.one_thread = kernel->one_thread;
  status = need_dropped(nargs, args);
  if (!status) status = op2i_loop_resolve(loop, args);
  if (!status)
    status = op2i_profile_line(&set->obj.ctx->loops->profile, kernel, set, &loop->profile.line);
  if (status) {
    op2i_loop_free(loop);
    return status;
  }
  *out = loop;
  return OP2_SUCCESS;
}

/* ---- code ------------------------------------------------------------------------------------------- */

void op2i_loop_drop_code(struct op2i_loop *loop) {
  release_images(loop);
  for (int v = 0; v < OP2I_VARIANTS; v++) {
    op2i_free(loop->code.source[v]);
    loop->code.source[v] = NULL;
    loop->code.function[v] = NULL;
    loop->code.mergeable[v] = false;
  }
  op2i_free(loop->form.why);
  loop->form = (struct op2i_form){0};
}

/* ---- captured values ------------------------------------------------------------------------- */

/* Write a value into its pieces of 16 bytes. What is left of the last one is zero, since a device
 * compares all pieces of a loop at once with those it got last. */
static void write_pieces(unsigned char *at, const void *value, size_t bytes) {
  if (bytes % 16) memset(at + bytes / 16 * 16, 0, 16);
  memcpy(at, value, bytes);
}

void op2i_loop_capture_values(const struct op2i_loop *loop, const op2_arg *args,
                              unsigned char *payload) {
  if (!loop->op.payload_bytes) return;
  for (int n = 0; n < loop->nargs; n++) {
    const struct op2i_loop_arg *arg = &loop->args[n];
    const uint64_t pointer = (uintptr_t)args[n].value;
    if (op2i_arg_captured(arg))
      write_pieces(payload + arg->offset, arg->kind == OP2I_ARG_VAL ? args[n].value : &pointer,
                   (size_t)arg->dim * op2i_type_size(arg->type));
  }
}

bool op2i_loop_compare_consts(struct op2i_loop *loop) {
  op2_kernel kernel = loop->kernel;
  if (loop->nconsts != kernel->nconsts) return false;
  for (int c = 0; c < loop->nconsts; c++)
    if (loop->consts[c].id != kernel->consts[c]->obj.id) return false;
  loop->entry.const_epoch = kernel->const_epoch;
  return true;
}

static op2_status capture_consts(struct op2i_op *op, unsigned char *payload) {
  struct op2i_loop *loop = op2i_op_loop(op);
  op2_status status = op2i_loop_bind_consts(loop->kernel);
  if (status) return status;
  if (!op2i_loop_same_consts(loop))
    return op2i_error(
        OP2_ERR_STATE,
        "loop '%s': a constant it uses was created or destroyed since the loop object was made",
        loop->kernel->obj.name);
  for (int c = 0; c < loop->nconsts; c++)
    write_pieces(payload + loop->consts[c].offset, loop->kernel->consts[c]->data,
                 loop->kernel->consts[c]->bytes);
  return OP2_SUCCESS;
}

/* ---- the operation in the queue -------------------------------------------------------------- */

static void use(struct op2i_op *op) { op2i_loop_use(op2i_op_loop(op)); }
static void unuse(struct op2i_op *op) { op2i_loop_unuse(op2i_op_loop(op)); }

static void describe(const struct op2i_op *op, struct op2i_text *text) {
  const struct op2i_loop *loop = (const struct op2i_loop *)op;
  op2i_text_add(text, "loop '%s' over '%s'", op2i_loop_name(loop), loop->set->obj.name);
}

const struct op2i_op_kind op2i_loop_kind = {
    .name = "loop", .use = use, .unuse = unuse, .capture = capture_consts, .describe = describe};
