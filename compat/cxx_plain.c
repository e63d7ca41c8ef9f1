/* SPDX-License-Identifier: BSD-3-Clause */
/* Literals that C++ has and C has not, without which a unit could not be cut into C's tokens. */
#include <string.h>

#include "cxx.h"

struct plain {
  char *text;
  size_t from, to; /* what has been read, and what has been written */
};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c);
}

static void keep(struct plain *p) { p->text[p->to++] = p->text[p->from++]; }

/* A number, without the quotes that separate its digits. */
static void number(struct plain *p) {
  while (is_letter(p->text[p->from]) || p->text[p->from] == '.' || p->text[p->from] == '\'') {
    bool sign = strchr("eEpP", p->text[p->from]) && strchr("+-", p->text[p->from + 1]) &&
                p->text[p->from + 1];
    if (p->text[p->from] != '\'')
      keep(p);
    else if (is_letter(p->text[p->from + 1]))
      p->from++;
    else
      return;
    if (sign) keep(p);
  }
}

/* A string or a character. */
static void quoted(struct plain *p) {
  char quote = p->text[p->from];
  keep(p);
  while (p->text[p->from] && p->text[p->from] != quote && p->text[p->from] != '\n') {
    if (p->text[p->from] == '\\' && p->text[p->from + 1]) keep(p);
    keep(p);
  }
  if (p->text[p->from] == quote) keep(p);
}

/* R"x(...)x" at its quotation mark; becomes an empty string. */
static void raw(struct plain *p) {
  const char *begin = p->text + p->from, *open = strchr(begin, '(');
  char end[20];
  size_t length = open ? (size_t)(open - begin - 1) : sizeof end;
  if (length > sizeof end - 3) {
    quoted(p);
    return;
  }
  end[0] = ')';
  memcpy(end + 1, begin + 1, length);
  memcpy(end + 1 + length, "\"", 2);
  const char *close = strstr(open, end);
  p->from = close ? (size_t)(close - p->text) + length + 2 : strlen(p->text);
  p->to--; /* the R */
  memcpy(p->text + p->to, "\"\"", 2);
  p->to += 2;
}

/* A word, and what follows where the word is the prefix of a raw string. */
static void word(struct plain *p) {
  size_t begin = p->from;
  while (is_letter(p->text[p->from])) keep(p);
  bool is_raw = p->text[p->from - 1] == 'R' && p->from - begin <= 3;
  if (p->text[p->from] == '"' && is_raw) raw(p);
}

void op2i_cxx_plain(char *text) {
  struct plain p = {text, 0, 0};
  while (text[p.from]) {
    char c = text[p.from];
    if (is_digit(c))
      number(&p);
    else if (is_letter(c))
      word(&p);
    else if (c == '"' || c == '\'')
      quoted(&p);
    else
      keep(&p);
  }
  text[p.to] = '\0';
}
