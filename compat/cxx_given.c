/* SPDX-License-Identifier: BSD-3-Clause */
/* Lambdas and functions that a C++ program gives op2::kernel behind a name, as in
 * op2::kernel k(ctx, "add", [](const double *a, double *b) { *b += *a; }). */
#include <string.h>

#include "cxx.h"

bool op2i_cxx_is_lambda(const struct op2i_cxx_unit *unit, const struct op2i_cxx_item *item) {
  return op2i_cxx_is(unit, item->begin, "[");
}

/* The lambda without captures that begins at a word. */
static bool lambda_at(const struct op2i_cxx_unit *unit, int at, struct op2i_cxx_item *out) {
  static const char *const between[] = {"noexcept", "mutable", "constexpr", "->", "void", NULL};
  if (!op2i_cxx_is(unit, at, "[") || !op2i_cxx_is(unit, at + 1, "]") ||
      !op2i_cxx_is(unit, at + 2, "("))
    return false;
  int close = unit->words[at + 2].match, body = close + 1;
  while (op2i_cxx_in(unit, body, between)) body++;
  if (!op2i_cxx_is(unit, body, "{")) return false;
  *out = (struct op2i_cxx_item){.kind = OP2I_CXX_FUNCTION,
                                .begin = at,
                                .end = unit->words[body].match + 1,
                                .name = at,
                                .open = at + 2,
                                .close = close,
                                .body = body,
                                .space = -1};
  return true;
}

/* The lambda that the variable of word `at` holds: the one that was last given to the name before. */
static bool variable_at(const struct op2i_cxx_unit *unit, int at, struct op2i_cxx_item *out) {
  for (int k = at - 1; k > 0; k--)
    if (op2i_cxx_same(unit, k, at) && op2i_cxx_is(unit, k + 1, "=") && lambda_at(unit, k + 2, out))
      return true;
  return false;
}

bool op2i_cxx_given_at(const struct op2i_cxx_unit *unit, int at, struct op2i_cxx_item *out) {
  if (unit->words[at].kind != OP2I_TOK_STRING || !op2i_cxx_is(unit, at + 1, ",")) return false;
  int value = at + 2 + op2i_cxx_is(unit, at + 2, "+");
  if (lambda_at(unit, value, out)) return true;
  static const char *const behind[] = {",", ")", "}", NULL};
  if (unit->words[value].kind != OP2I_TOK_WORD || !op2i_cxx_in(unit, value + 1, behind))
    return false;
  if (variable_at(unit, value, out)) return true;
  const struct op2i_cxx_item *function = op2i_cxx_only(unit, value);
  if (function) *out = *function;
  return function != NULL;
}

/* True if word `at` is the string of a name. */
static bool says(const struct op2i_cxx_unit *unit, int at, const char *name) {
  const struct op2i_cxx_word *w = &unit->words[at];
  size_t length = strlen(name);
  return w->kind == OP2I_TOK_STRING && (size_t)w->length == length + 2 &&
         !memcmp(w->text + 1, name, length);
}

const char *op2i_cxx_given(const struct op2i_cxx_unit *unit, const char *name,
                           struct op2i_cxx_item *out) {
  bool found = false;
  for (int at = 0; at < unit->nwords; at++) {
    struct op2i_cxx_item item;
    if (!says(unit, at, name) || !op2i_cxx_given_at(unit, at, &item)) continue;
    if (found && item.begin != out->begin) return "several functions are given behind its name";
    *out = item;
    found = true;
  }
  return found ? NULL : "no lambda or function is given behind its name where it was compiled";
}
