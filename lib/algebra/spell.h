/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SPELL_H
#define OP2I_SPELL_H

/* Kernels whose text is one for all types and dims. */

#include "op2/loop.h"
#include "text.h"

/* A letter of such a text, where it stands by itself, and what takes its place. */
struct op2i_letter {
  char letter;
  const char *means;
};
void op2i_spell(const char *text, int n, const struct op2i_letter *letters, struct op2i_text *out);

/* Make a kernel of a text of which nothing is left to replace, and free that. `what` is for whom,
 * should there be no memory. */
op2_status op2i_spell_kernel(op2_context ctx, const char *name, struct op2i_text *text,
                             const char *what, op2_kernel *kernel);

#endif
