/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SIGNATURE_H
#define OP2I_SIGNATURE_H

#include "kernel.h"

/* Facts about a kernel that its source reveals. */

/* `given` is the kernel's. Fails with OP2_ERR_SYNTAX, with the kernel's name, the line and the
 * fault in the message, or with OP2_ERR_NOMEM. On error *out is untouched. */
op2_status op2i_signature_parse(const char *source, const char *name, bool given,
                                struct op2i_signature *out);
struct op2i_text;
/* The same for a kernel by address, whose source declares the function. Appends to *out the source
 * with a definition in place of the declaration, which calls the function through the constant
 * OP2I_FUNCTION_NAME. */
op2_status op2i_signature_parse_address(const char *source, const char *name, bool given,
                                        struct op2i_signature *signature, struct op2i_text *out);
struct op2i_unit;
struct op2i_item;
/* notice.c: record what a function of the unit does that deserves a warning. */
void op2i_unit_notice(const struct op2i_unit *unit, const struct op2i_item *item,
                      struct op2i_signature *out);
void op2i_signature_free(struct op2i_signature *signature);
/* True if `source` refers to the file-scope identifier `word`: as a token that is not in a comment,
 * string or preprocessor line, not a member name, and not hidden by a parameter or local variable
 * of that name; or by a macro that it uses, of its own or of its headers. `whole` is the source with
 * its headers in it, or null. */
bool op2i_source_uses(const char *source, const char *whole, const char *word);
/* The line on which a function of `source` assigns to that identifier or to an element of it; 0 if
 * the tokens show no such line. */
int op2i_source_assigns(const char *source, const char *word);

#endif
