/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_KERNEL_TEMPLATE_H
#define OP2I_KERNEL_TEMPLATE_H

/* Kernel templates, which serve all types and dims. */

#include "op2/loop.h"
#include "text.h"

/* A placeholder of one letter, and the text that replaces it where it is a word of its own. */
struct op2i_substitution {
  char placeholder;
  const char *text;
};
/* Append the text with its placeholders replaced. */
void op2i_template_expand(const char *text, int n, const struct op2i_substitution *substitutions,
                          struct op2i_text *out);

/* Make a kernel of an expanded template, and free the text. `what` names its purpose in a message
 * on lack of memory. */
op2_status op2i_template_kernel(op2_context ctx, const char *name, struct op2i_text *text,
                                const char *what, op2_kernel *kernel);

#endif
