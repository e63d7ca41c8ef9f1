/* SPDX-License-Identifier: BSD-3-Clause */
/* Translates C's 64-bit integer types to the names that OpenCL C has for them. */
#include "longs.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* True for the specifiers that can stand beside `long` in one type, in any order. */
static bool goes_with_long(const char *word, size_t n) {
  static const char *const words[] = {"unsigned", "signed", "int", "const", "volatile"};
  bool any = false;
  for (size_t w = 0; w < sizeof words / sizeof *words; w++)
    any |= strlen(words[w]) == n && !memcmp(words[w], word, n);
  return any;
}

static void add_word(struct op2i_text *out, const char *word, size_t n, bool *behind) {
  bool is_long = n == 4 && !memcmp(word, "long", n);
  if (!is_long || !*behind) op2i_text_bytes(out, word, n);
  *behind = is_long || (*behind && goes_with_long(word, n));
}

/* Drop one of two equal letters l or L, as the standard suffixes LL and ll have; a number begins
 * with a digit, so names of that spelling are not touched. */
static void add_number(struct op2i_text *out, const char *number, size_t n) {
  size_t at = 1;
  while (at < n && !(tolower((unsigned char)number[at]) == 'l' && number[at - 1] == number[at]))
    at++;
  op2i_text_bytes(out, number, at);
  if (at + 1 < n) op2i_text_bytes(out, number + at + 1, n - at - 1);
}

void op2i_longs_add(struct op2i_text *out, const char *text, size_t n, bool *behind) {
  for (size_t i = 0, end; i < n; i = end) {
    for (end = i; end < n && is_word(text[end]);) end++;
    if (end == i) {
      *behind = *behind && isspace((unsigned char)text[i]);
      op2i_text_bytes(out, text + i, 1);
      end++;
    } else if (isdigit((unsigned char)text[i])) {
      add_number(out, text + i, end - i);
      *behind = false;
    } else {
      add_word(out, text + i, end - i, behind);
    }
  }
}
