/* SPDX-License-Identifier: BSD-3-Clause */
#include "text.h"

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

void op2i_text_add(struct op2i_text *text, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (length < 0 || !reserve(text, (size_t)length)) return;
  va_start(args, format);
  vsnprintf(text->chars + text->length, (size_t)length + 1, format, args);
  va_end(args);
  text->length += (size_t)length;
}

void op2i_text_bytes(struct op2i_text *text, const char *bytes, size_t length) {
  if (!reserve(text, length)) return;
  memcpy(text->chars + text->length, bytes, length);
  text->length += length;
  text->chars[text->length] = '\0';
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
