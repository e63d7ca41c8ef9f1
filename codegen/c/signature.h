/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SIGNATURE_H
#define OP2I_SIGNATURE_H

#include "kernel.h"

/* What a kernel's source says of it. */

/* `given` is the kernel's. Errors: OP2_ERR_SYNTAX with kernel name, line and what is wrong;
 * OP2_ERR_NOMEM. On error *out is untouched. */
op2_status op2i_signature_parse(const char *source, const char *name, bool given,
                                struct op2i_signature *out);
struct op2i_unit;
struct op2i_item;
/* notice.c: fill in what a function of the unit does that is worth a warning. */
void op2i_unit_notice(const struct op2i_unit *unit, const struct op2i_item *item,
                      struct op2i_signature *out);
void op2i_signature_free(struct op2i_signature *signature);
/* Whether `source` refers to the file-scope identifier `word`: as a token that is not in a comment,
 * string or preprocessor line, not a member name, and not hidden by a parameter or local of that
 * name where it stands. */
bool op2i_source_uses(const char *source, const char *word);
/* The line on which a function of `source` gives that identifier, or an element of it, a value; 0
 * when none does that can be seen from the tokens. */
int op2i_source_assigns(const char *source, const char *word);
/* length.c: operations of a call, estimated; an addition is one. */
double op2i_source_operations(const char *source);
/* precision.c: whether it names `double`, or has a constant of double precision. */
bool op2i_source_doubles(const char *source);
/* recursion.c: whether a function of it calls itself, by way of others or not. */
bool op2i_source_recurs(const char *source);

#endif
