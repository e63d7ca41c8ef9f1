/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MESSAGES_H
#define OP2I_MESSAGES_H

#include <stdbool.h>

#include "text.h"

/* A kernel that a macro took is one long line in generated text, so the columns that a compiler
 * reports are none of the program's file. */

/* Append what the compiler printed about a generated file, with the places that the program's files
 * have and without the keys of names. `unit` is the text of the generated file. Returns true if a
 * message is about the text of a kernel. */
bool op2i_messages_place(const char *printed, const char *unit, struct op2i_text *out);

#endif
