/* SPDX-License-Identifier: BSD-3-Clause */
/* Which code a loop is run by, and its text. */
#include "codegen.h"
#include "context.h"
#include "error.h"
#include "loop.h"
#include "mem.h"

/* Filling vectors pays from so many elements on. */
enum { FEW = 16 };

static op2_status judge(struct op2i_loop *loop, struct op2i_text *why) {
  op2_status status = op2i_codegen.judge(loop, &loop->form.mergeable, why);
  if (!status && !why->length && loop->set->ends[OP2I_EXEC] < FEW) {
    loop->form.few = true;
    op2i_text_add(why, "the set has fewer than %d elements", FEW);
  }
  if (!status && why->failed) status = op2i_error_nomem("generated code");
  return status;
}

op2_status op2i_loop_form(struct op2i_loop *loop, const struct op2i_form **form) {
  struct op2i_text why = {0};
  *form = &loop->form;
  if (loop->form.known) return OP2_SUCCESS;
  op2_status status = judge(loop, &why);
  if (status) {
    op2i_text_free(&why);
    return status;
  }
  loop->form.why = why.length ? why.chars : NULL;
  if (!why.length) op2i_text_free(&why);
  loop->form.known = true;
  return OP2_SUCCESS;
}

enum op2i_variant op2i_loop_variant(const struct op2i_loop *loop, enum op2i_variant wish) {
  if (wish == OP2I_LANES && loop->form.why) return OP2I_PLAIN;
  if (wish == OP2I_LANES_LIST && loop->form.why) return OP2I_PLAIN_LIST;
  return wish;
}

op2_status op2i_loop_source(struct op2i_loop *loop, enum op2i_variant variant,
                            const char **source) {
  if (!loop->source[variant]) {
    struct op2i_text text = {0};
    op2_status status = op2i_codegen.generate(loop, variant, &text, &loop->mergeable[variant]);
    if (!status && text.failed) status = op2i_error_nomem("generated code");
    if (status) {
      op2i_text_free(&text);
      return status;
    }
    loop->source[variant] = text.chars;
  }
  *source = loop->source[variant];
  return OP2_SUCCESS;
}
