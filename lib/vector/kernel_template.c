/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernel templates: texts with placeholders of one letter for a type, a dim, or a vector. */
#include "kernel_template.h"

#include "context.h"
#include "error.h"
#include "kernel.h"

static bool word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

void op2i_template_expand(const char *text, int n, const struct op2i_substitution *substitutions,
                          struct op2i_text *out) {
  for (const char *at = text; *at; at++) {
    bool alone = (at == text || !word(at[-1])) && !word(at[1]);
    int l = 0;
    while (l < n && !(alone && substitutions[l].placeholder == *at)) l++;
    if (l < n)
      op2i_text_add(out, "%s", substitutions[l].text);
    else
      op2i_text_bytes(out, at, 1);
  }
}

op2_status op2i_template_kernel(op2_context ctx, const char *name, struct op2i_text *text,
                                const char *what, op2_kernel *kernel) {
  /* Abort the communicator, since other ranks compile this kernel and would wait for this one. */
  op2_status status =
      text->failed ? op2i_context_abort_ranks(ctx, op2i_error_nomem(what)) : OP2_SUCCESS;
  if (!status) status = op2i_kernel_create_own(ctx, name, text->chars, kernel);
  op2i_text_free(text);
  return status;
}
