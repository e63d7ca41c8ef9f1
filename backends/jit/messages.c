/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds where what a compiler reports about generated text stands in the program's file. A kernel
 * that a macro took has lost its line breaks and comments, so both texts are read side by side
 * without blanks until the reported column is reached. */
#include "messages.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "mem.h"

enum { KEY_CHARS = 32 }; /* a key follows "_k" in names of generated text */

/* A message's place, and where its words begin. */
struct place {
  char file[PATH_MAX];
  int line, column;
  const char *rest;
};

/* ---- text ------------------------------------------------------------------------------------ */

static size_t line_length(const char *at) { return strcspn(at, "\n"); }

/* The length without the end of a line of Windows. */
static size_t shown_length(const char *at) {
  const size_t length = line_length(at);
  return length && at[length - 1] == '\r' ? length - 1 : length;
}

/* True for a byte of UTF-8 that is not the first of its character. */
static bool continues(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

static const char *next_line(const char *at) {
  at += line_length(at);
  return *at ? at + 1 : at;
}

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* The length of a key with its "_k", or 0. */
static size_t key_length(const char *at) {
  if (at[0] != '_' || at[1] != 'k') return 0;
  return strspn(at + 2, "0123456789abcdef") == KEY_CHARS ? KEY_CHARS + 2 : 0;
}

static void add_without_keys(struct op2i_text *out, const char *at, size_t length) {
  for (const char *end = at + length; at < end;) {
    const size_t key = key_length(at);
    if (!key) op2i_text_bytes(out, at, 1);
    at += key ? key : 1;
  }
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Read "FILE:LINE:COLUMN:" at the beginning of a line. */
static bool read_place(const char *at, struct place *place) {
  const size_t length = line_length(at);
  for (const char *colon = at; (colon = memchr(colon, ':', length - (size_t)(colon - at)));
       colon++) {
    int read = 0;
    if (sscanf(colon, ":%d:%d:%n", &place->line, &place->column, &read) != 2 || !read) continue;
    if ((size_t)(colon - at) >= sizeof place->file || place->line < 1 || place->column < 1)
      return false;
    memcpy(place->file, at, (size_t)(colon - at));
    place->file[colon - at] = '\0';
    place->rest = colon + read;
    return true;
  }
  return false;
}

/* GCC opens the file that a #line directive names, and counts the columns that its line takes on a
 * terminal, with tabs and characters of several bytes, up to the byte of the generated line where
 * the error is. Return the column of that byte, from 1. */
static int byte_column(const char *given, int column) {
  enum { TAB = 8 };
  const int length = (int)line_length(given);
  int byte = 0, shown = 0;
  while (byte < length && shown < column - 1) {
    shown += given[byte] == '\t' ? TAB - shown % TAB : 1;
    for (byte++; byte < length && continues(given[byte]);) byte++;
  }
  return byte + (shown < column - 1 ? column - 1 - shown : 0) + 1;
}

/* Find the line of the generated file that has this file and number by its #line directives. */
static const char *generated_line(const char *unit, const struct place *place) {
  char file[PATH_MAX] = "";
  int number = 0;
  for (const char *at = unit; *at; at = next_line(at)) {
    const size_t length = line_length(at);
    const char *name = memchr(at, '"', length);
    if (!strncmp(at, "#line ", 6) && name) {
      const size_t n = length - (size_t)(name - at) - 2;
      number = atoi(at + 6);
      if (n >= sizeof file) return NULL;
      memcpy(file, name + 1, n);
      file[n] = '\0';
      continue;
    }
    if (number == place->line && !strcmp(file, place->file) && (size_t)place->column <= length + 1)
      return at;
    number++;
  }
  return NULL;
}

/* ---- the program's file ---------------------------------------------------------------------- */

/* Skip blanks, comments and continued lines. */
static const char *skip_blanks(const char *at) {
  for (;;) {
    if (blank(*at)) {
      at++;
    } else if (at[0] == '\\' && (at[1] == '\n' || (at[1] == '\r' && at[2] == '\n'))) {
      at += at[1] == '\n' ? 2 : 3;
    } else if (at[0] == '/' && at[1] == '/') {
      at += line_length(at);
    } else if (at[0] == '/' && at[1] == '*') {
      const char *end = strstr(at + 2, "*/");
      if (!end) return at + strlen(at);
      at = end + 2;
    } else {
      return at;
    }
  }
}

/* Read both texts side by side, from a parenthesis in each, until `target` in the generated one:
 * return that position of the program's text, or null where the texts differ before. */
static const char *side_by_side(const char *generated, const char *target, const char *given) {
  char quote = 0;
  while (generated < target) {
    const size_t key = key_length(generated);
    if (key) {
      generated += key;
      continue;
    }
    if (!quote && blank(*generated)) {
      generated++;
      continue;
    }
    if (!quote) given = skip_blanks(given);
    if (*generated == '{' && *given == ',') given = skip_blanks(given + 1); /* the macro's comma */
    if (!*given || *generated != *given) return NULL;
    if (quote && *given == '\\' && given[1] && generated[1] == given[1]) {
      generated++;
      given++;
    } else if (quote ? *given == quote : (*given == '"' || *given == '\'')) {
      quote = quote ? 0 : *given;
    }
    generated++;
    given++;
  }
  if (generated > target) return NULL;
  return blank(*target) || quote ? given : skip_blanks(given);
}

/* True if the parameters of a function begin at a parenthesis: it stands behind a name in OP2_NAME(),
 * or a body follows it. Calls look alike elsewhere in the program's text. */
static bool opens_parameters(const char *generated, const char *at, const char *target) {
  int depth = 0;
  if (at > generated && at[-1] == ')') return true;
  for (const char *end = at; end < target; end++) {
    depth += (*end == '(') - (*end == ')');
    if (!depth) return end[1 + strspn(end + 1, " \t")] == '{';
  }
  return false;
}

/* Find the reported column of a generated line in the program's text, which begins with the line
 * that the compiler names. */
static const char *find_given(const char *generated, int column, const char *given) {
  enum { NEAR = 512 }; /* the parameters of a kernel begin this close to its macro */
  const size_t length = line_length(generated), here = line_length(given);
  const char *first = generated + strspn(generated, " \t"), *target = generated + column - 1;
  const size_t words = length - (size_t)(first - generated);
  for (size_t i = 0; words && target >= first && i + words <= here; i++)
    if (!memcmp(given + i, first, words)) return given + i + (target - first);
  for (const char *g = generated; g < target; g++) {
    if (*g != '(' || !opens_parameters(generated, g, target)) continue;
    for (const char *u = given; *u && u < given + NEAR; u++) {
      const char *found = *u == '(' ? side_by_side(g, target, u) : NULL;
      if (found) return found;
    }
  }
  return NULL;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* Show a line with a mark below the column that counts from 0. */
static void add_excerpt(struct op2i_text *out, int number, const char *line, size_t length,
                        size_t column) {
  enum { AROUND = 70 };
  size_t from = column > AROUND ? column - AROUND : 0;
  size_t to = length > column + AROUND ? column + AROUND : length;
  while (from < column && continues(line[from])) from++;
  while (to < length && continues(line[to])) to++;
  if (number)
    op2i_text_add(out, "\n%5d | ", number);
  else
    op2i_text_add(out, "\n      | ");
  if (to > from) add_without_keys(out, line + from, to - from);
  op2i_text_add(out, "\n      | ");
  for (size_t i = from; i < column; i++) {
    const size_t key = key_length(line + i);
    if (key)
      i += key - 1;
    else if (!continues(line[i]))
      op2i_text_add(out, line[i] == '\t' ? "\t" : " ");
  }
  op2i_text_add(out, "^");
}

static void add_found(struct op2i_text *out, const struct place *place, const char *given,
                      const char *found) {
  const char *line = given;
  int number = place->line;
  for (const char *next = next_line(line); *line && next <= found && next > line;
       next = next_line(line)) {
    line = next;
    number++;
  }
  op2i_text_add(out, "%s:%d:%d:", place->file, number, (int)(found - line) + 1);
  add_without_keys(out, place->rest, line_length(place->rest));
  add_excerpt(out, number, line, shown_length(line), (size_t)(found - line));
}

/* Find the line that a message names in the text of the program's file. */
static const char *named_line(const struct op2i_bytes *file, int line) {
  const char *given = (const char *)file->data;
  for (int n = 1; given && n < line; n++) given = *given ? next_line(given) : NULL;
  return given;
}

/* Add a message with the place that the program's file has, or else with what was generated. */
static void add_placed(struct op2i_text *out, const struct place *place, const char *generated,
                       const char *given) {
  const char *found = given ? find_given(generated, place->column, given) : NULL;
  if (found) {
    add_found(out, place, given, found);
  } else {
    op2i_text_add(out, "%s:%d:", place->file, place->line);
    add_without_keys(out, place->rest, line_length(place->rest));
    add_excerpt(out, 0, generated, shown_length(generated), (size_t)place->column - 1);
  }
}

/* Add a message whose place has been read, unless it is not about a kernel's text. */
static bool add_message(struct op2i_text *out, struct place *place, const char *unit, bool bytes) {
  struct op2i_bytes file = {0};
  const char *fault = NULL, *given = NULL;
  out->failed |= op2i_file_load(place->file, &file, &fault) != OP2_SUCCESS;
  if (!fault) given = named_line(&file, place->line);
  if (given && !bytes) place->column = byte_column(given, place->column);
  const char *generated = generated_line(unit, place);
  if (generated) add_placed(out, place, generated, given);
  op2i_free(file.data);
  return generated;
}

/* Skip the source line that a compiler shows below a message, and the marks below that. */
static const char *skip_excerpt(const char *at) {
  for (;;) {
    const char *bar = at + strspn(at, " 0123456789"), *below = next_line(at);
    if (bar > at && bar[0] == '|' && bar[-1] == ' ') {
      at = below;
    } else if (strspn(below, " ^~\t") == line_length(below) &&
               memchr(below, '^', line_length(below))) {
      at = next_line(below);
    } else {
      return at;
    }
  }
}

/* True for text of the library's own, in which no kernel is at fault. */
static bool is_own(const char *file) {
  return !strncmp(file, "op2:", 4) || !strncmp(file, "generated code of ", 18);
}

/* True for clang, whose columns count bytes. */
static bool counts_bytes(const char *printed) {
  return strstr(printed, " error generated.") || strstr(printed, " errors generated.");
}

bool op2i_messages_place(const char *printed, const char *unit, struct op2i_text *out) {
  const bool bytes = counts_bytes(printed);
  bool placed = false;
  struct place place;
  for (const char *at = printed; *at;) {
    if (at > printed) op2i_text_add(out, "\n");
    if (read_place(at, &place) && !is_own(place.file) && add_message(out, &place, unit, bytes)) {
      placed = true;
      at = skip_excerpt(next_line(at));
    } else {
      add_without_keys(out, at, line_length(at));
      at = next_line(at);
    }
  }
  return placed;
}
