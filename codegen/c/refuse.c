/* SPDX-License-Identifier: BSD-3-Clause */
/* Refuses, when a kernel is made, texts that are not C or that C would understand in another way
 * than was meant. */
#include <string.h>

#include "cdecl.h"
#include "conditional.h"
#include "error.h"
#include "unit.h"

static bool is_any(const struct op2i_unit *unit, int at, const char *const *words) {
  for (; *words; words++)
    if (op2i_unit_is(unit, at, *words)) return true;
  return false;
}

/* ---- declarations without a type ------------------------------------------------------------- */

/* These words begin a declaration and are no types: C takes what they declare for an int. C++'s
 * `auto` is one of them. */
static const char *const typeless[] = {"auto", "const", "static", "register", "volatile", NULL};

/* True if a declaration can begin at `at`. */
static bool begins(const struct op2i_unit *unit, int at) {
  static const char *const before[] = {";", "{", "}", ":", NULL};
  if (at == 0 || is_any(unit, at - 1, before)) return true;
  return at > 1 && op2i_unit_is(unit, at - 1, "(") && op2i_unit_is(unit, at - 2, "for");
}

/* The position of the name that a declaration at `at` declares without a type, or -1. A name that
 * is followed by another name is a type. */
static int without_type(const struct op2i_unit *unit, int at) {
  static const char *const behind[] = {"=", ";", ",", "[", NULL};
  int p = at;
  while (is_any(unit, p, typeless)) p++;
  while (op2i_unit_is(unit, p, "*") || op2i_unit_is(unit, p, "&")) p++;
  return op2i_unit_word(unit, p) && is_any(unit, p + 1, behind) ? p : -1;
}

static op2_status refuse_typeless(const struct op2i_unit *unit, const char *name) {
  for (int p = 0; p < unit->ncode; p++) {
    if (!is_any(unit, p, typeless) || !begins(unit, p)) continue;
    int declared = without_type(unit, p);
    if (declared < 0) continue;
    bool automatic = false;
    for (int q = p; q < declared; q++) automatic = automatic || op2i_unit_is(unit, q, "auto");
    struct op2i_text word = {0};
    op2i_c_print_tokens(unit, declared, declared + 1, "", &word);
    op2_status status =
        op2i_error(OP2_ERR_SYNTAX,
                   "kernel '%s', line %d: '%s' is declared without a type, so C makes it an int%s: "
                   "write its type before it",
                   name, op2i_unit_line(unit, p), word.chars ? word.chars : "?",
                   automatic ? " (a kernel is C, where auto finds no types)" : "");
    op2i_text_free(&word);
    return status;
  }
  return OP2_SUCCESS;
}

/* ---- C++ ------------------------------------------------------------------------------------- */

static op2_status refuse_linkage(const struct op2i_unit *unit, const char *name) {
  for (int p = 0; p + 1 < unit->ncode; p++)
    if (op2i_unit_is(unit, p, "extern") &&
        unit->tokens.list[unit->code[p + 1]].kind == OP2I_TOK_STRING)
      return op2i_error(OP2_ERR_SYNTAX,
                        "kernel '%s', line %d: extern \"C\" is C++, and a kernel is C: leave it "
                        "out, or put it between #ifdef __cplusplus and #endif",
                        name, op2i_unit_line(unit, p));
  return OP2_SUCCESS;
}

op2_status op2i_unit_refuse(const struct op2i_unit *unit, const char *name) {
  op2_status status = refuse_linkage(unit, name);
  return status ? status : refuse_typeless(unit, name);
}

/* ---- functions that are not found ------------------------------------------------------------ */

static bool at_file_scope(const struct op2i_unit *unit, int at) {
  for (int p = 0; p < at; p++)
    if (unit->match[p] > at && op2i_unit_is(unit, p, "{")) return false;
  return true;
}

static bool is_macro(const struct op2i_unit *unit, int at) {
  const struct op2i_token *word = &unit->tokens.list[unit->code[at]];
  const char *text = unit->tokens.text + word->begin;
  return op2i_unit_word(unit, at) &&
         op2i_names_find(&unit->macros, text, word->end - word->begin) >= 0;
}

static bool word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The line of a macro whose body contains the word, or 0. */
static int in_macro(const struct op2i_unit *unit, const char *name) {
  size_t length = strlen(name);
  for (int64_t t = 0; t < unit->tokens.count; t++) {
    const struct op2i_token *line = &unit->tokens.list[t];
    if (line->kind != OP2I_TOK_DIRECTIVE || line->skipped ||
        !op2i_directive_is(&unit->tokens, t, "define"))
      continue;
    for (size_t at = line->begin; at + length <= line->end; at++) {
      const char *word = unit->tokens.text + at;
      if (!memcmp(word, name, length) && !word_char(word[-1]) && !word_char(word[length]))
        return line->line;
    }
  }
  return 0;
}

op2_status op2i_unit_refuse_missing(const struct op2i_unit *unit, const char *name) {
  for (int p = 0; p < unit->ncode; p++) {
    if (!op2i_unit_is(unit, p, name) || !at_file_scope(unit, p)) continue;
    int line = op2i_unit_line(unit, p);
    bool bracketed = p > 0 && op2i_unit_is(unit, p - 1, "(") && op2i_unit_is(unit, p + 1, ")");
    if (bracketed && op2i_unit_is(unit, p + 2, "("))
      return op2i_error(OP2_ERR_SYNTAX,
                        "kernel '%s', line %d: its name stands in parentheses: write 'void %s('",
                        name, line, name);
    if (is_macro(unit, p + 1) || (bracketed && p > 1 && op2i_unit_word(unit, p - 2)))
      return op2i_error(OP2_ERR_SYNTAX,
                        "kernel '%s', line %d: its parameters come out of a macro: write them out, "
                        "as op2 reads them before the preprocessor does",
                        name, line);
  }
  int line = in_macro(unit, name);
  if (!line) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_SYNTAX,
                    "kernel '%s', line %d: its name comes out of a macro: write 'void %s(...)', as "
                    "op2 reads it before the preprocessor does",
                    name, line, name);
}
