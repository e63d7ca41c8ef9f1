/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_REACH_H
#define OP2I_REACH_H

#include "macro.h"

/* These functions tell what a text's macros mention, directly or through other macros. Any definition
 * of a name counts, wherever it stands and even in a branch that is not read: the answer errs
 * towards yes. */

/* True if a word of a macro's body is looked for. If `last` is another word, the body joins `first`
 * to it by ##, and the result is a word that begins and ends so; a parameter stands for any text. */
typedef bool op2i_wanted(const void *client, const struct op2i_piece *first,
                         const struct op2i_piece *last);

/* Take note of all macros of a text. Failure for lack of memory sets macros->arena.failed. */
void op2i_reach_read(const struct op2i_tokens *tokens, struct op2i_macros *macros);
/* Set marks[m] to true for each macro m whose body mentions a word that is wanted, or a marked
 * macro. Returns true if that marked one. */
bool op2i_reach_mark(const struct op2i_macros *macros, op2i_wanted *wanted, const void *client,
                     bool *marks);
/* True if token t is the name of a macro that is marked; of any macro, if marks is null. */
bool op2i_reach_token(const struct op2i_macros *macros, const bool *marks,
                      const struct op2i_tokens *tokens, int64_t t);

/* An op2i_wanted whose client is a name. */
bool op2i_reach_name(const void *name, const struct op2i_piece *first,
                     const struct op2i_piece *last);

#endif
