/* SPDX-License-Identifier: BSD-3-Clause */
/* Text that grows. */
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "mem.h"

static bool reserve(struct op2i_text *text, size_t more) {
  if (text->failed) return false;
  size_t needed = text->length + more + 1;
  if (needed <= text->capacity) return true;
  size_t capacity = text->capacity ? text->capacity : 256;
  while (capacity < needed) capacity *= 2;
  char *grown = op2i_realloc(text->chars, capacity);
  if (!grown) {
    text->failed = true;
    return false;
  }
  text->chars = grown;
  text->capacity = capacity;
  return true;
}

/* A second attempt is made only if the first one shows that the buffer is too small. */
void op2i_text_add(struct op2i_text *text, const char *format, ...) {
  enum { USUAL = 64 };
  va_list args;
  int length = USUAL;
  size_t room = 0;
  do {
    if (!reserve(text, (size_t)length)) return;
    room = text->capacity - text->length;
    va_start(args, format);
    length = vsnprintf(text->chars + text->length, room, format, args);
    va_end(args);
  } while (length >= 0 && (size_t)length >= room);
  if (length > 0) text->length += (size_t)length;
  text->chars[text->length] = '\0';
}

void op2i_text_bytes(struct op2i_text *text, const char *bytes, size_t length) {
  if (!reserve(text, length)) return;
  if (length > 0) memcpy(text->chars + text->length, bytes, length); /* bytes may be null */
  text->length += length;
  text->chars[text->length] = '\0';
}

/* The bytes of the character of UTF-8 at the beginning of a string; 0 if there is none. */
static size_t character_length(const unsigned char *at) {
  const size_t length = at[0] < 0x80   ? 1
                        : at[0] < 0xc2 ? 0
                        : at[0] < 0xe0 ? 2
                        : at[0] < 0xf0 ? 3
                                       : 4;
  if (at[0] > 0xf4) return 0;
  /* Characters have their shortest form, and none is half of a pair of UTF-16. */
  if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f)) return 0;
  if ((at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f)) return 0;
  for (size_t i = 1; i < length; i++)
    if ((at[i] & 0xc0) != 0x80) return 0;
  return length;
}

void op2i_text_quote(struct op2i_text *text, const char *string) {
  op2i_text_add(text, "\"");
  while (*string) {
    const size_t length = character_length((const unsigned char *)string);
    if (*string == '"' || *string == '\\')
      op2i_text_add(text, "\\%c", *string);
    else if (length == 1 && *string < ' ')
      op2i_text_add(text, "\\u%04x", (unsigned)*string);
    else if (length)
      op2i_text_bytes(text, string, length);
    else
      op2i_text_add(text, "\\ufffd");
    string += length ? length : 1;
  }
  op2i_text_add(text, "\"");
}

void op2i_text_cut(struct op2i_text *text, size_t length) {
  if (length >= text->length) return;
  text->length = length;
  text->chars[length] = '\0';
}

void op2i_text_free(struct op2i_text *text) {
  op2i_free(text->chars);
  *text = (struct op2i_text){0};
}

struct op2i_counted op2i_counted(int64_t n, const char *thing) {
  const size_t length = strlen(thing);
  const bool hissing = length > 1 && (thing[length - 1] == 's' || thing[length - 1] == 'x' ||
                                      !strcmp(thing + length - 2, "ch"));
  struct op2i_counted text;
  snprintf(text.chars, sizeof text.chars, "%" PRId64 " %s%s", n, thing,
           n == 1    ? ""
           : hissing ? "es"
                     : "s");
  return text;
}
