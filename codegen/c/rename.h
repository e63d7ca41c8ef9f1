/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_RENAME_H
#define OP2I_RENAME_H

#include "rewrite.h"

/* Names that a source gets in text for other languages than C. */

#define OP2I_FUNCTION_PREFIX "op2_user_" /* functions of the source, as OP2_NAME() has them there */
#define OP2I_WORD_PREFIX     "op2_word_" /* words that are names in C and not in the language */
#define OP2I_CALL_PREFIX     "op2_call_" /* macros that call functions of the source */

/* True if the word is an operator in the text's language (and, xor, ...). No macro can have such a
 * name, so it is replaced wherever it occurs. */
bool op2i_rename_operator(const struct op2i_rewrite *rewrite, const char *word, size_t length);

/* Append the text of a type with the names that its words have behind op2i_rewrite_undefine(). */
void op2i_rename_type(const struct op2i_rewrite *rewrite, const char *text, struct op2i_text *out);

/* Append a preprocessor line. A name that it defines, undefines or asks for follows the functions
 * of this name, and operators are replaced. `behind` is as in longs.h. */
void op2i_rename_directive(const struct op2i_rewrite *rewrite, const char *line, size_t length,
                           bool *behind, struct op2i_text *out);

#endif
