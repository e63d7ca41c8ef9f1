/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a unit of a C++ program after the preprocessor: its words, and its functions, records and
 * other declarations at file scope. */
#include <string.h>

#include "cxx.h"
#include "mem.h"

bool op2i_cxx_is(const struct op2i_cxx_unit *unit, int at, const char *spelling) {
  const struct op2i_cxx_word *w = &unit->words[at];
  return (size_t)w->length == strlen(spelling) && !memcmp(w->text, spelling, (size_t)w->length);
}

bool op2i_cxx_same(const struct op2i_cxx_unit *unit, int a, int b) {
  const struct op2i_cxx_word *v = &unit->words[a], *w = &unit->words[b];
  return v->length == w->length && !memcmp(v->text, w->text, (size_t)v->length);
}

bool op2i_cxx_in(const struct op2i_cxx_unit *unit, int at, const char *const *list) {
  for (; *list; list++)
    if (op2i_cxx_is(unit, at, *list)) return true;
  return false;
}

bool op2i_cxx_member(const struct op2i_cxx_unit *unit, int at) {
  return at > 0 && (op2i_cxx_is(unit, at - 1, ".") || op2i_cxx_is(unit, at - 1, "->"));
}

int op2i_cxx_comma(const struct op2i_cxx_unit *unit, int at, int end) {
  for (; at < end && !op2i_cxx_is(unit, at, ","); at++)
    if (unit->words[at].match > at) at = unit->words[at].match;
  return at < end ? at : end;
}

struct op2i_cxx_item *op2i_cxx_find(const struct op2i_cxx_unit *unit, enum op2i_cxx_kind kind,
                                    int at) {
  for (int64_t i = 0; i < unit->nitems; i++) {
    struct op2i_cxx_item *item = &unit->items[i];
    if (item->kind == kind && item->name >= 0 && op2i_cxx_same(unit, item->name, at)) return item;
  }
  return NULL;
}

struct op2i_cxx_item *op2i_cxx_only(const struct op2i_cxx_unit *unit, int at) {
  struct op2i_cxx_item *found = NULL;
  for (int64_t i = 0; i < unit->nitems; i++) {
    struct op2i_cxx_item *item = &unit->items[i];
    if (item->kind != OP2I_CXX_FUNCTION || item->name < 0 || !op2i_cxx_same(unit, item->name, at))
      continue;
    if (found) return NULL;
    found = item;
  }
  return found;
}

static int first(const struct op2i_cxx_unit *unit, int begin, int end, const char *spelling) {
  while (begin < end && !op2i_cxx_is(unit, begin, spelling)) begin++;
  return begin;
}

bool op2i_cxx_has(const struct op2i_cxx_unit *unit, int begin, int end, const char *spelling) {
  return first(unit, begin, end, spelling) < end;
}

int op2i_cxx_numbers(const struct op2i_cxx_unit *unit, const struct op2i_cxx_item *record,
                     int member, int *type, int *index) {
  static const char *const numbers[] = {"double", "float", "int", NULL};
  int count = 0, at = record->body + 1, close = unit->words[record->body].match;
  *index = -1;
  *type = at;
  while (at < close) {
    if (!op2i_cxx_in(unit, at, numbers) || !op2i_cxx_same(unit, at, *type)) return 0;
    do {
      at++;
      if (unit->words[at].kind != OP2I_TOK_WORD) return 0;
      if (member >= 0 && op2i_cxx_same(unit, at, member)) *index = count;
      count++;
      at++;
    } while (op2i_cxx_is(unit, at, ","));
    if (!op2i_cxx_is(unit, at++, ";")) return 0;
  }
  return count;
}

/* ---- reading --------------------------------------------------------------------------------- */

static const char *match_brackets(struct op2i_cxx_unit *unit) {
  static const char opens[] = "([{", closes[] = ")]}";
  int *stack = op2i_malloc(sizeof *stack * (size_t)(unit->nwords + 1));
  int depth = 0;
  bool good = stack != NULL;
  for (int i = 0; good && i < unit->nwords; i++) {
    const struct op2i_cxx_word *w = &unit->words[i];
    if (w->kind != OP2I_TOK_PUNCT || w->length != 1) continue;
    if (strchr(opens, *w->text)) stack[depth++] = i;
    const char *close = strchr(closes, *w->text);
    if (!close) continue;
    good = depth > 0 && *unit->words[stack[depth - 1]].text == opens[close - closes];
    if (good) {
      unit->words[i].match = stack[--depth];
      unit->words[stack[depth]].match = i;
    }
  }
  op2i_free(stack);
  return !stack ? "memory is lacking" : good && !depth ? NULL : "its brackets do not match";
}

static const char *take_words(struct op2i_cxx_unit *unit) {
  op2_status status = op2i_tokenize(unit->text, false, &unit->tokens);
  if (status) return status == OP2_ERR_NOMEM ? "memory is lacking" : unit->tokens.wrong;
  unit->words = op2i_calloc((size_t)unit->tokens.count + 1, sizeof *unit->words);
  if (!unit->words) return "memory is lacking";
  for (int64_t i = 0; i < unit->tokens.count; i++) {
    const struct op2i_token *t = &unit->tokens.list[i];
    if (t->kind == OP2I_TOK_DIRECTIVE) continue;
    unit->words[unit->nwords++] =
        (struct op2i_cxx_word){unit->text + t->begin, (int)(t->end - t->begin), t->kind, -1};
  }
  unit->words[unit->nwords] = (struct op2i_cxx_word){"", 0, OP2I_TOK_END, -1};
  return match_brackets(unit);
}

static bool add(struct op2i_cxx_unit *unit, struct op2i_cxx_item item) {
  if (op2i_grow(&unit->items, sizeof *unit->items, unit->nitems, &unit->capacity)) return false;
  unit->items[unit->nitems++] = item;
  return true;
}

/* The name of a declaration without a body: the last one of a typedef, else the word before the
 * value, or before the extent. */
static int declared(const struct op2i_cxx_unit *unit, int begin, int end) {
  int at = first(unit, begin, end, "=");
  if (op2i_cxx_is(unit, begin, "typedef")) at = end;
  int extent = first(unit, begin, at, "[");
  at = (extent < at ? extent : at) - 1;
  return at > begin && unit->words[at].kind == OP2I_TOK_WORD ? at : -1;
}

/* Where a declaration begins behind its attributes and what stands before them, such as static. */
static int behind_attributes(const struct op2i_cxx_unit *unit, int begin, int brace) {
  for (int at = begin; at < brace; at++) {
    bool gnu = op2i_cxx_is(unit, at, "__attribute__") && op2i_cxx_is(unit, at + 1, "(");
    bool standard = op2i_cxx_is(unit, at, "[") && op2i_cxx_is(unit, at + 1, "[");
    if (gnu || standard) {
      at = unit->words[gnu ? at + 1 : at].match;
      begin = at + 1;
    } else if (op2i_cxx_is(unit, at, "(")) {
      break;
    }
  }
  return begin;
}

/* Read the item with a body in braces at `brace`; returns where the next one begins, or -1 where
 * the brace belongs to a value. */
static int read_braced(struct op2i_cxx_unit *unit, int begin, int brace, int space, bool *good) {
  int close = unit->words[brace].match;
  begin = behind_attributes(unit, begin, brace);
  int open = first(unit, begin, brace, "(");
  bool named = open < brace && open > begin && unit->words[open - 1].kind == OP2I_TOK_WORD;
  if (open < brace && !op2i_cxx_has(unit, begin, open, "=")) {
    struct op2i_cxx_item item = {.kind = OP2I_CXX_FUNCTION,
                                 .begin = begin,
                                 .end = close + 1,
                                 .name = named ? open - 1 : -1,
                                 .open = open,
                                 .close = unit->words[open].match,
                                 .body = brace,
                                 .space = space};
    *good = add(unit, item);
    return close + 1;
  }
  int tag = first(unit, begin, brace, "struct");
  if (tag == brace) tag = first(unit, begin, brace, "class");
  if (tag == brace || op2i_cxx_has(unit, begin, brace, "=")) return -1;
  int end = first(unit, close, unit->nwords, ";") + 1;
  bool alias = op2i_cxx_is(unit, begin, "typedef");
  int name = alias ? end - 2 : tag + 1;
  struct op2i_cxx_item item = {.kind = OP2I_CXX_RECORD,
                               .begin = begin,
                               .end = end,
                               .name = name == brace ? -1 : name,
                               .body = brace,
                               .space = space};
  *good = add(unit, item);
  return end;
}

static bool read_items(struct op2i_cxx_unit *unit, int begin, int end, int space);

/* Read a namespace, or what `extern "C" {` begins, up to its closing brace. */
static bool read_space(struct op2i_cxx_unit *unit, int begin, int brace, int space) {
  int close = unit->words[brace].match;
  if (op2i_cxx_has(unit, begin, brace, "namespace")) {
    struct op2i_cxx_item item = {.kind = OP2I_CXX_NAMESPACE,
                                 .begin = begin,
                                 .end = close + 1,
                                 .name = op2i_cxx_is(unit, brace - 1, "namespace") ? -1 : brace - 1,
                                 .body = brace,
                                 .space = space};
    if (!add(unit, item)) return false;
    space = (int)unit->nitems - 1;
  }
  return read_items(unit, brace + 1, close, space);
}

static bool read_items(struct op2i_cxx_unit *unit, int begin, int end, int space) {
  bool good = true;
  for (int at = begin; good && at < end; at++) {
    if (op2i_cxx_is(unit, at, ";")) {
      struct op2i_cxx_item item = {.kind = OP2I_CXX_OTHER,
                                   .begin = begin,
                                   .end = at + 1,
                                   .name = declared(unit, begin, at),
                                   .space = space};
      good = add(unit, item);
      begin = at + 1;
    } else if (!op2i_cxx_is(unit, at, "{")) {
      if (unit->words[at].match > at) at = unit->words[at].match;
    } else if (op2i_cxx_has(unit, begin, at, "namespace") ||
               (op2i_cxx_is(unit, begin, "extern") && at == begin + 2)) {
      good = read_space(unit, begin, at, space);
      at = unit->words[at].match;
      begin = at + 1;
    } else {
      int next = read_braced(unit, begin, at, space, &good);
      if (next >= 0) begin = next;
      at = next >= 0 ? next - 1 : unit->words[at].match;
    }
  }
  return good;
}

const char *op2i_cxx_read(char *text, struct op2i_cxx_unit *unit) {
  *unit = (struct op2i_cxx_unit){.text = text};
  if (text) op2i_cxx_plain(text);
  const char *why = take_words(unit);
  if (!why && !read_items(unit, 0, unit->nwords, -1)) why = "memory is lacking";
  return why;
}

void op2i_cxx_free(struct op2i_cxx_unit *unit) {
  op2i_free(unit->items);
  op2i_free(unit->words);
  op2i_tokens_free(&unit->tokens);
  op2i_free(unit->text);
  *unit = (struct op2i_cxx_unit){0};
}
