/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TEXT_H
#define OP2I_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A growing string. Lack of memory is recorded in `failed` and later appends do nothing, so that a
 * caller checks once at the end. Zero-initialise it; `chars` is null until something is
 * appended. */
struct op2i_text {
  char *chars;
  size_t length, capacity;
  bool failed;
};

void op2i_text_add(struct op2i_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void op2i_text_bytes(struct op2i_text *text, const char *bytes, size_t length);
/* Append a text as a string of JSON. Bytes that are no UTF-8 become U+FFFD, as JSON has UTF-8 only. */
void op2i_text_quote(struct op2i_text *text, const char *string);
void op2i_text_cut(struct op2i_text *text, size_t length); /* truncate to this length */
void op2i_text_free(struct op2i_text *text);

/* A number with what it counts, as "1 loop" or "2 launches". OP2I_N holds the text until the end of
 * the expression that it stands in; longer words are cut. */
struct op2i_counted {
  char chars[48];
};
struct op2i_counted op2i_counted(int64_t n, const char *thing);
#define OP2I_N(n, thing) op2i_counted((int64_t)(n), thing).chars

#endif
