/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SPELL_H
#define OP2I_SPELL_H

/* Kernel templates, which serve all types and dims. */

#include "op2/loop.h"
#include "text.h"

/* A placeholder, replaced where it is a word of its own, and its text. */
struct op2i_letter {
  char letter;
  const char *means;
};
void op2i_spell(const char *text, int n, const struct op2i_letter *letters, struct op2i_text *out);

/* Make a kernel of an expanded template, and free the text. `what` names its purpose in a message
 * on lack of memory. */
op2_status op2i_spell_kernel(op2_context ctx, const char *name, struct op2i_text *text,
                             const char *what, op2_kernel *kernel);

#endif
