/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CONDITIONAL_H
#define OP2I_CONDITIONAL_H

#include "macro.h"
#include "token.h"

/* Which branches of a source's conditionals are read: mark tokens of the others. Conditions are
 * decided by what the source itself defines and by literals. A name that it does not define is not
 * defined, unless somebody else may have: a standard header, the compiler, and where `given` says so
 * flags or headers of the user's. Of a conditional that cannot be decided the first branch is read,
 * and tokens->unclear is its line.
 *
 * Fails with OP2_ERR_NOMEM, or with OP2_ERR_SYNTAX and tokens->wrong filled in. */
op2_status op2i_conditionals(struct op2i_tokens *tokens, bool given);

/* The value of the integer expression from a token on, if numbers alone tell it and `end` is behind. */
bool op2i_constant(const struct op2i_piece *at, const char *end, int64_t *value);

/* The first word of a directive; *length 0 when there is none. */
const char *op2i_directive_word(const struct op2i_tokens *tokens, int64_t t, size_t *length);
bool op2i_directive_is(const struct op2i_tokens *tokens, int64_t t, const char *word);

/* Whether compilers or standard headers may define a name as a macro. */
bool op2i_name_foreign(const char *name);

/* Whether a header is a standard one that defines no macro a kernel could trip over unknowingly.
 * `at` is behind the word `include`; *length gets the length of what is included. */
bool op2i_header_known(const char *at, size_t room, const char **name, size_t *length);

/* Whether the words of a compiler, its flags or a kernel's headers may
 * define macros that its source does not show. */
bool op2i_kernel_given(const char *compiler, const char *flags, const char *headers);

#endif
