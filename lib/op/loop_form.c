/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides which code a loop is run by, and keeps its text. */
#include <string.h>

#include "codegen.h"
#include "comm.h"
#include "context.h"
#include "device.h"
#include "error.h"
#include "loop_device.h"
#include "mem.h"

/* Filling vectors pays from FEW elements on. A loop is narrow if the values of a batch fill at most
 * NARROW registers. */
enum { FEW = 16, NARROW = 32 };

/* All ranks return the same. */
static bool is_too_small(op2_set set) {
  const struct op2i_halo *halo = set->base->halo;
  return (halo ? halo->global_size : set->ends[OP2I_EXEC]) < FEW;
}

/* True if a dat that the loop overwrites is so large that the caches have lost its first rows when the
 * last are written. Stores past the caches then save reading each line before it is overwritten. All
 * ranks return the same. */
static bool exceeds_caches(const struct op2i_loop *loop) {
  const struct op2i_halo *halo = loop->set->base->halo;
  const struct op2i_comm *comm = loop->op.ctx->comm;
  const int64_t limit = (int64_t)loop->op.ctx->config.stream_mb << 20;
  int64_t rows = loop->set->ends[OP2I_OWNED], bytes = 0;
  if (halo && comm) rows = halo->global_size / comm->size;
  for (int a = 0; a < loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &loop->args[a];
    const int64_t row = arg->dim * (int64_t)op2i_type_size(arg->type);
    if (arg->dat >= 0 && arg->map < 0 && op2i_overwrites(arg->access) && row > bytes) bytes = row;
  }
  return limit > 0 && bytes > 0 && rows >= (limit + bytes - 1) / bytes;
}

/* The width of a loop's vectors, by what the loop is and what the processor is, never by timings.
 *
 * Where vector units have half the width of vectors, long vectors save instructions and no work.
 * That pays where instructions wait: for divisions and roots, of which the processor can keep only
 * so many in flight. It costs where a loop does little but move rows between memory and registers:
 * long vectors are assembled from more pieces, and nearly all of those that are loaded as a whole
 * cross a cache line. */
static const char *reason(const struct op2i_judgement *j) {
  if (j->divides) return "it divides or takes roots";
  return j->registers > NARROW ? "it has many values" : NULL;
}

static op2_status choose_width(struct op2i_loop *loop, const struct op2i_judgement *whole) {
  struct op2i_form *form = &loop->form;
  struct op2i_judgement half;
  struct op2i_text why = {0};
  if (!loop->op.ctx->config.simd_halved) return OP2_SUCCESS;
  form->width = reason(whole);
  if (form->width) return OP2_SUCCESS;
  op2_status status = op2i_codegen.judge(loop, form->simd_bytes / 2, &half, &why);
  form->width = why.length ? "it needs them" : "it mostly moves values, the units are no wider";
  if (!status && !why.length) {
    form->simd_bytes /= 2;
    form->prefetches = half.prefetches;
  }
  if (!status && why.failed) status = op2i_error_nomem("generated code");
  op2i_text_free(&why);
  return status;
}

static op2_status judge_form(struct op2i_loop *loop, struct op2i_text *why) {
  struct op2i_judgement judgement;
  loop->form.simd_bytes = loop->op.ctx->config.simd_bytes;
  op2_status status = op2i_codegen.judge(loop, loop->form.simd_bytes, &judgement, why);
  if (status) return status;
  loop->form.mergeable = judgement.mergeable;
  loop->form.past_caches = exceeds_caches(loop);
  loop->form.prefetches = judgement.prefetches;
  if (!why->length) status = choose_width(loop, &judgement);
  if (!status && !why->length && is_too_small(loop->set)) {
    loop->form.too_small = true;
    op2i_text_add(why, "the set has fewer than %d elements", FEW);
  }
  if (!status && why->failed) status = op2i_error_nomem("generated code");
  return status;
}

/* ---- loops that differ in nothing but their data --------------------------------------------- */

static bool same_consts(const struct op2i_loop *a, const struct op2i_loop *b) {
  bool same = a->nconsts == b->nconsts;
  for (int c = 0; c < a->nconsts && same; c++)
    same = a->consts[c].id == b->consts[c].id && a->consts[c].offset == b->consts[c].offset;
  return same;
}

static bool same_maps(const struct op2i_loop *a, const struct op2i_loop *b) {
  bool same = a->nmaps == b->nmaps;
  for (int m = 0; m < a->nmaps && same; m++)
    same = a->maps[m]->arity == b->maps[m]->arity &&
           a->maps[m]->rows_per_slice == b->maps[m]->rows_per_slice;
  return same;
}

/* A loop that has the same text as this one: the kernel's last one, if it is alike in all that the
 * text shows and has vector code (reasons against that name dats). So kernels that are applied to
 * many dats in turn are translated once. */
static const struct op2i_loop *model_of(const struct op2i_loop *loop) {
  const struct op2i_loop *model = loop->fused.members ? NULL : loop->kernel->model;
  if (!model || !model->form.known || model->form.why) return NULL;
  bool same = (loop->set->base == loop->set) == (model->set->base == model->set) &&
              is_too_small(loop->set) == is_too_small(model->set) && loop->nargs == model->nargs &&
              exceeds_caches(loop) == model->form.past_caches &&
              loop->op.ndats == model->op.ndats && loop->op.ngbls == model->op.ngbls &&
              same_maps(loop, model) && same_consts(loop, model) &&
              !memcmp(loop->args, model->args, (size_t)loop->nargs * sizeof *loop->args);
  return same ? model : NULL;
}

/* Debug builds check that the text is the same. */
static op2_status verify_copy(struct op2i_loop *loop, enum op2i_variant variant, const char *text) {
  struct op2i_text own = {0};
  bool mergeable;
  if (!loop->op.ctx->config.verify) return OP2_SUCCESS;
  op2_status status = op2i_codegen.generate(loop, variant, &own, &mergeable);
  if (!status && !own.failed && strcmp(own.chars, text) != 0)
    status =
        op2i_error(OP2_ERR_FATAL, "loop '%s' was given the text of another", op2i_loop_name(loop));
  op2i_text_free(&own);
  return status;
}

static op2_status copy_source(struct op2i_loop *loop, const struct op2i_loop *model,
                              enum op2i_variant variant) {
  char *copy = op2i_strdup(model->code.source[variant]);
  if (!copy) return op2i_error_nomem("generated code");
  op2_status status = verify_copy(loop, variant, copy);
  if (status) {
    op2i_free(copy);
    return status;
  }
  loop->code.mergeable[variant] = model->code.mergeable[variant];
  loop->code.source[variant] = copy;
  return OP2_SUCCESS;
}

/* ---- the form of a loop ---------------------------------------------------------------------- */

/* Decide whether the device runs the loop, if the backend has one. */
static void judge_device(struct op2i_loop *loop) {
  const struct op2i_device *device = loop->op.ctx->device;
  struct op2i_device_form form;
  loop->form.local_decision = loop->form.device_compile_deferred = false;
  if (!device) return;
  op2i_loop_device_form(loop, device->kind->generic, &form);
  loop->form.not_on_device = form.why;
}

op2_status op2i_loop_form(struct op2i_loop *loop, const struct op2i_form **form) {
  struct op2i_text why = {0};
  *form = &loop->form;
  if (loop->form.known) return OP2_SUCCESS;
  const struct op2i_loop *model = model_of(loop);
  if (model) {
    loop->form = model->form;
    /* Its set may have another size. */
    loop->form.scalar_faster = loop->form.prefetch_slower = false;
    judge_device(loop);
    return OP2_SUCCESS;
  }
  op2_status status = judge_form(loop, &why);
  if (status) {
    op2i_text_free(&why);
    return status;
  }
  loop->form.why = why.length ? why.chars : NULL;
  if (!why.length) op2i_text_free(&why);
  judge_device(loop);
  loop->form.known = true;
  if (!loop->fused.members) loop->kernel->model = loop;
  return OP2_SUCCESS;
}

enum op2i_variant op2i_loop_variant(const struct op2i_loop *loop, enum op2i_variant wish) {
  if (op2i_on_device(wish) && !loop->form.not_on_device) return wish;
  if (op2i_on_device(wish)) wish = OP2I_VECTOR;
  if (wish == OP2I_CHECKED && loop->traits.per_nonzero) return OP2I_PLAIN;
  if (wish == OP2I_VECTOR && (loop->form.why || loop->form.scalar_faster)) return OP2I_PLAIN;
  return wish;
}

op2_status op2i_loop_source(struct op2i_loop *loop, enum op2i_variant variant,
                            const char **source) {
  /* The text for devices also shows which maps lead to one set, so no model is used for it. */
  bool own = loop->code.source[variant] || op2i_on_device(variant);
  const struct op2i_loop *model = own ? NULL : model_of(loop);
  if (model && model != loop && model->code.source[variant]) {
    op2_status status = copy_source(loop, model, variant);
    if (status) return status;
  }
  if (!loop->code.source[variant]) {
    struct op2i_text text = {0};
    op2_status status = op2i_codegen.generate(loop, variant, &text, &loop->code.mergeable[variant]);
    if (!status && text.failed) status = op2i_error_nomem("generated code");
    if (status) {
      op2i_text_free(&text);
      return status;
    }
    loop->code.source[variant] = text.chars;
  }
  *source = loop->code.source[variant];
  return OP2_SUCCESS;
}
