/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits a source into its file-scope items: functions, prototypes, and other declarations. */
#include "unit.h"

#include <limits.h>
#include <string.h>

#include "mem.h"

bool op2i_unit_is(const struct op2i_unit *unit, int at, const char *spelling) {
  return op2i_token_is(&unit->tokens, unit->code[at], spelling);
}

bool op2i_unit_word(const struct op2i_unit *unit, int at) {
  const struct op2i_token *t = &unit->tokens.list[unit->code[at]];
  return t->kind == OP2I_TOK_WORD &&
         !op2i_word_reserved(unit->tokens.text + t->begin, t->end - t->begin);
}

int op2i_unit_line(const struct op2i_unit *unit, int at) {
  return unit->tokens.list[unit->code[at]].line;
}

int op2i_unit_attribute(const struct op2i_unit *unit, int at) {
  static const char *const words[] = {"__attribute__", "__attribute", "_Alignas",
                                      "__asm__",       "asm",         "__declspec"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (op2i_unit_is(unit, at, words[i]) && op2i_unit_is(unit, at + 1, "("))
      return unit->match[at + 1] + 1;
  return at;
}

int op2i_unit_function(const struct op2i_unit *unit, int64_t t) {
  const struct op2i_token *token = &unit->tokens.list[t];
  int64_t entry = op2i_names_find(&unit->functions, unit->tokens.text + token->begin,
                                  token->end - token->begin);
  return entry < 0 ? -1 : (int)unit->functions.list[entry].value;
}

static op2_status wrong(struct op2i_unit *unit, int at, const char *what) {
  unit->wrong = what;
  unit->wrong_line = op2i_unit_line(unit, at);
  return OP2_ERR_SYNTAX;
}

/* ---- brackets -------------------------------------------------------------------------------- */

static char bracket(const struct op2i_unit *unit, int at) {
  const struct op2i_token *t = &unit->tokens.list[unit->code[at]];
  char c = unit->tokens.text[t->begin];
  return t->kind == OP2I_TOK_PUNCT && t->end == t->begin + 1 && strchr("(){}[]", c) ? c : '\0';
}

static op2_status mispaired(struct op2i_unit *unit, int open, int close) {
  switch (open < 0 ? bracket(unit, close) : bracket(unit, open)) {
  case ')': return wrong(unit, close, "unbalanced: this ')' closes nothing");
  case '}': return wrong(unit, close, "unbalanced: this '}' closes nothing");
  case ']': return wrong(unit, close, "unbalanced: this ']' closes nothing");
  case '(': return wrong(unit, open, "unbalanced: this '(' has no ')'");
  case '{': return wrong(unit, open, "unbalanced: this '{' has no '}'");
  default: return wrong(unit, open, "unbalanced: this '[' has no ']'");
  }
}

/* While a bracket is open, its `match` holds the index of the one around it. */
static op2_status match_brackets(struct op2i_unit *unit) {
  enum { DEPTH_MAX = 1000 }; /* limits the recursion in scope.c */
  int open = -1, depth = 0;
  for (int p = 0; p < unit->ncode; p++) {
    char c = bracket(unit, p);
    unit->match[p] = -1;
    if (c == '(' || c == '{' || c == '[') {
      if (++depth > DEPTH_MAX) return wrong(unit, p, "brackets are nested more than 1000 deep");
      unit->match[p] = open;
      open = p;
    } else if (c) {
      char want = open < 0 ? '\0' : bracket(unit, open);
      if (!(want == '(' && c == ')') && !(want == '{' && c == '}') && !(want == '[' && c == ']'))
        return mispaired(unit, open, p);
      int outer = unit->match[open];
      unit->match[open] = p;
      unit->match[p] = open;
      open = outer;
      depth--;
    }
  }
  unit->match[unit->ncode] = -1;
  return open < 0 ? OP2_SUCCESS : mispaired(unit, open, open);
}

/* ---- file-scope declarations ----------------------------------------------------------------- */

static int aggregate(const struct op2i_unit *unit, int at) {
  return op2i_unit_is(unit, at, "struct") || op2i_unit_is(unit, at, "union") ||
         op2i_unit_is(unit, at, "enum");
}

/* True if the word `at` before a parenthesis is the name in a function declaration: the token
 * before it can be the end of a type. Macros with arguments may precede the type and follow the
 * parameters. */
static bool declares(const struct op2i_unit *unit, const struct op2i_item *item, int at) {
  if (at <= item->begin || !op2i_unit_word(unit, at)) return false;
  const struct op2i_token *before = &unit->tokens.list[unit->code[at - 1]];
  if (before->kind == OP2I_TOK_WORD || op2i_unit_is(unit, at - 1, "*")) return true;
  return item->name < 0 && (op2i_unit_is(unit, at - 1, ")") || op2i_unit_is(unit, at - 1, "}"));
}

/* Read one declaration, from item->begin on. */
static void scan_item(const struct op2i_unit *unit, struct op2i_item *item) {
  bool plain = !op2i_unit_is(unit, item->begin, "typedef"), tagged = false;
  item->kind = OP2I_ITEM_OTHER;
  item->name = item->open = item->close = item->body = -1;
  int p = item->begin;
  while (p < unit->ncode && !op2i_unit_is(unit, p, ";")) {
    int behind = op2i_unit_attribute(unit, p);
    if (behind > p) {
      p = behind;
      continue;
    }
    if (aggregate(unit, p)) tagged = true;
    if (op2i_unit_is(unit, p, "=") || op2i_unit_is(unit, p, ",")) plain = false;
    if (op2i_unit_is(unit, p, "(") && declares(unit, item, p - 1)) {
      item->name = p - 1;
      item->open = p;
      item->close = unit->match[p];
    }
    if (op2i_unit_is(unit, p, "{") && plain && !(tagged && item->name < 0)) {
      item->kind = item->name >= 0 ? OP2I_ITEM_FUNCTION : OP2I_ITEM_OTHER;
      item->body = p;
      item->end = unit->match[p] + 1;
      return;
    }
    p = unit->match[p] > p ? unit->match[p] + 1 : p + 1;
  }
  if (plain && item->name >= 0) item->kind = OP2I_ITEM_PROTOTYPE;
  item->end = p < unit->ncode ? p + 1 : p;
}

static op2_status find_items(struct op2i_unit *unit) {
  int64_t capacity = 0;
  for (int p = 0; p < unit->ncode;) {
    if (op2i_grow(&unit->items, sizeof *unit->items, unit->nitems, &capacity)) return OP2_ERR_NOMEM;
    struct op2i_item *item = &unit->items[unit->nitems++];
    item->begin = p;
    scan_item(unit, item);
    p = item->end;
  }
  return OP2_SUCCESS;
}

/* ---- names ----------------------------------------------------------------------------------- */

static op2_status list_functions(struct op2i_unit *unit) {
  for (int i = unit->nitems - 1; i >= 0; i--) {
    const struct op2i_item *item = &unit->items[i];
    if (item->kind != OP2I_ITEM_FUNCTION) continue;
    const struct op2i_token *t = &unit->tokens.list[unit->code[item->name]];
    if (!op2i_names_add(&unit->functions, unit->tokens.text + t->begin, t->end - t->begin, i))
      return OP2_ERR_NOMEM;
  }
  return OP2_SUCCESS;
}

static op2_status list_macros(struct op2i_unit *unit) {
  for (int64_t t = 0; t < unit->tokens.count; t++) {
    const struct op2i_token *line = &unit->tokens.list[t];
    if (line->kind != OP2I_TOK_DIRECTIVE || line->skipped) continue;
    size_t length;
    const char *name = op2i_token_macro(&unit->tokens, t, &length);
    if (name && !op2i_names_add(&unit->macros, name, length, t)) return OP2_ERR_NOMEM;
  }
  return OP2_SUCCESS;
}

/* ---- the whole source ------------------------------------------------------------------------ */

static op2_status list_code(struct op2i_unit *unit) {
  size_t n = (size_t)unit->tokens.count + 1;
  unit->code = op2i_malloc(n * sizeof *unit->code);
  unit->match = op2i_malloc(n * sizeof *unit->match);
  unit->roles = op2i_calloc(n, 1);
  if (!unit->code || !unit->match || !unit->roles) return OP2_ERR_NOMEM;
  for (int t = 0; t < (int)unit->tokens.count; t++)
    if (!unit->tokens.list[t].skipped && unit->tokens.list[t].kind != OP2I_TOK_DIRECTIVE)
      unit->code[unit->ncode++] = t;
  unit->code[unit->ncode] = (int)unit->tokens.count;
  return OP2_SUCCESS;
}

op2_status op2i_unit_read(const char *source, bool given, struct op2i_unit *unit) {
  *unit = (struct op2i_unit){0};
  op2_status status = op2i_tokenize(source, given, &unit->tokens);
  unit->wrong = unit->tokens.wrong;
  unit->wrong_line = unit->tokens.wrong_line;
  if (!status && unit->tokens.count >= INT_MAX) status = OP2_ERR_NOMEM;
  if (!status) status = list_code(unit);
  if (!status) status = match_brackets(unit);
  if (!status) status = find_items(unit);
  if (!status) status = list_functions(unit);
  if (!status) status = list_macros(unit);
  if (!status) status = op2i_unit_resolve(unit);
  return status;
}

void op2i_unit_free(struct op2i_unit *unit) {
  op2i_tokens_free(&unit->tokens);
  op2i_free(unit->code);
  op2i_free(unit->match);
  op2i_free(unit->roles);
  op2i_free(unit->items);
  op2i_names_free(&unit->functions);
  op2i_names_free(&unit->macros);
  op2i_names_free(&unit->declared);
  *unit = (struct op2i_unit){0};
}
