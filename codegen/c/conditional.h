/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CONDITIONAL_H
#define OP2I_CONDITIONAL_H

#include "macro.h"
#include "token.h"

/* Mark the tokens in those branches of a source's conditionals that are not read. Conditions are
 * decided by what the source itself defines and by literals. A name that it does not define counts
 * as undefined, unless something else may define it: a standard header, the compiler, or, if
 * `given` is set, flags or the user's headers. If a conditional cannot be decided, its first branch
 * is read and tokens->unclear is set to its line.
 *
 * Fails with OP2_ERR_NOMEM, or with OP2_ERR_SYNTAX and tokens->wrong filled in. */
op2_status op2i_conditionals(struct op2i_tokens *tokens, bool given);

/* The value of the integer expression that begins at a token. Returns false unless it follows from
 * numbers alone and the token `end` comes after it. */
bool op2i_constant(const struct op2i_piece *at, const char *end, int64_t *value);

/* The first word of a directive; *length is 0 when there is none. */
const char *op2i_directive_word(const struct op2i_tokens *tokens, int64_t t, size_t *length);
bool op2i_directive_is(const struct op2i_tokens *tokens, int64_t t, const char *word);

/* True if compilers or standard headers may define the name as a macro. */
bool op2i_name_foreign(const char *name);

/* True if the header is a standard one and defines no macro that could surprise a kernel. `at` is
 * the text after the word `include`; *length gets the length of the header's name. */
bool op2i_header_known(const char *at, size_t room, const char **name, size_t *length);

/* True if the compiler command, its flags or a kernel's headers may define macros that its source
 * does not show. */
bool op2i_kernel_given(const char *compiler, const char *flags, const char *headers);

#endif
