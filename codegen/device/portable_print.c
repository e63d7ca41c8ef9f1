/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the tokens of a source, and in place of forms that the language lacks words that it has. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "portable_state.h"
#include "portable_table.h"
#include "portable_wrap.h"

enum { CASES = 1000 };

typedef struct op2i_portable_state state;
typedef struct op2i_portable_note note;

static bool is(const state *p, int at, const char *word) { return op2i_portable_is(p, at, word); }

static int one(state *p, int at, int end);

/* ---- tokens and lines ------------------------------------------------------------------------ */

static void new_lines(state *p, int line) {
  for (; p->line < line; p->line++) op2i_text_add(p->out, "\n");
}

/* Preprocessor lines but conditionals, which have been decided. */
static void directive(state *p, int64_t d) {
  const struct op2i_token *t = &p->unit->tokens.list[d];
  const char *text = p->unit->tokens.text + t->begin;
  size_t length = t->end - t->begin, word = 1;
  while (word < length && (text[word] == ' ' || text[word] == '\t')) word++;
  if (t->kind != OP2I_TOK_DIRECTIVE || t->skipped || strncmp(text + word, "if", 2) == 0 ||
      strncmp(text + word, "el", 2) == 0 || strncmp(text + word, "endif", 5) == 0)
    return;
  new_lines(p, t->line);
  if (p->out->length && p->out->chars[p->out->length - 1] != '\n') op2i_text_add(p->out, "\n");
  op2i_text_bytes(p->out, text, length);
  for (size_t i = 0; i < length; i++) p->line += text[i] == '\n';
  op2i_text_add(p->out, "\n");
  p->line++;
}

static void directives(state *p, int64_t before) {
  for (; p->directives < before; p->directives++) directive(p, p->directives);
}

static int one_token(state *p, int at) {
  const struct op2i_piece *t = &p->tokens[at];
  if (!p->still) {
    directives(p, t->at);
    new_lines(p, t->line);
  }
  op2i_text_add(p->out, t->kind == OP2I_TOK_CHAR && p->cxx ? " ((int)%.*s)" : " %.*s", t->length,
                t->text);
  return at + 1;
}

static bool one_of(const state *p, int at, const char *const *words) {
  while (*words && !is(p, at, *words)) words++;
  return *words != NULL;
}

/* The bracket around a position, or -1. */
static int around(const state *p, int at) {
  for (at--; at >= 0; at--) {
    if (p->match[at] > at) return at;
    if (p->match[at] >= 0) at = p->match[at];
  }
  return -1;
}

/* ---- expressions ----------------------------------------------------------------------------- */

static int literal(state *p, const note *n) {
  char path[40];
  const char *between = "";
  snprintf(path, sizeof path, "op2_literal%d", n->number);
  op2i_text_add(p->out, " (*(");
  if (n->list) op2i_portable_assign(p, n->list, path, &between);
  op2i_text_add(p->out, "%s&%s))", between, path);
  return n->end;
}

/* a ?: b */
static int either(state *p, note *n) {
  n->busy = true;
  if (p->cxx) {
    op2i_text_add(p->out, " ([&] { auto op2_first = (");
  } else {
    op2i_text_add(p->out, " ({ __typeof__(");
    op2i_portable_print(p, n->at, n->middle);
    op2i_text_add(p->out, ") op2_first = (");
  }
  op2i_portable_print(p, n->at, n->middle);
  op2i_text_add(p->out, p->cxx ? "); return op2_first ? op2_first : ("
                               : "); op2_first != 0 ? op2_first : (");
  op2i_portable_print(p, n->middle + 2, n->end);
  op2i_text_add(p->out, p->cxx ? "); }())" : "); })");
  n->busy = false;
  return n->end;
}

/* ({ ...; value; }) */
static int statement(state *p, const note *n) {
  int close = n->end - 2, last = close - 2;
  while (last > n->at + 1 && !is(p, last, ";") && !is(p, last, "}")) {
    if (p->match[last] >= 0 && p->match[last] < last) last = p->match[last];
    last--;
  }
  op2i_text_add(p->out, " ([&]");
  op2i_portable_print(p, n->at + 1, last + 1);
  op2i_text_add(p->out, " return");
  op2i_portable_print(p, last + 1, n->end - 1);
  op2i_text_add(p->out, "())");
  return n->end;
}

/* In OpenCL C no name of a function may stand without a call: the arguments of one go in. */
static int selection_of_calls(state *p, const note *n) {
  int open = n->end, close = p->match[n->end];
  op2i_text_add(p->out, " _Generic(");
  op2i_portable_print(p, n->at + 2, n->middle);
  for (const struct op2i_portable_choice *c = n->choices; c; c = c->next) {
    op2i_text_add(p->out, c->type_end == c->type ? ", default" : ",");
    op2i_portable_print(p, c->type, c->type_end);
    op2i_text_add(p->out, ": ");
    op2i_portable_print(p, c->begin, c->end);
    op2i_portable_print(p, open, close + 1);
  }
  op2i_text_add(p->out, ")");
  return close + 1;
}

static int selection(state *p, const note *n) {
  if (!p->cxx && is(p, n->end, "(")) return selection_of_calls(p, n);
  if (!p->cxx) return one_token(p, n->at);
  op2i_text_add(p->out, " op2_pick<op2_chosen<OP2_TYPE_OF(op2_value_of(");
  op2i_portable_print(p, n->at + 2, n->middle);
  op2i_text_add(p->out, "))");
  for (const struct op2i_portable_choice *c = n->choices; c; c = c->next) {
    op2i_text_add(p->out, c->type_end == c->type ? ", op2_other" : ",");
    op2i_portable_print(p, c->type, c->type_end);
  }
  op2i_text_add(p->out, ">()>(");
  for (const struct op2i_portable_choice *c = n->choices; c; c = c->next) {
    op2i_text_add(p->out, c == n->choices ? "[&] { return" : ", [&] { return");
    op2i_portable_print(p, c->begin, c->end);
    op2i_text_add(p->out, "; }");
  }
  op2i_text_add(p->out, ")()");
  return n->end;
}

/* ---- types ----------------------------------------------------------------------------------- */

/* True if the expression [begin, end) may be a comparison, which is an int in C, and a bool in C++.
 * Arguments of calls, indices and operands of casts make no difference. */
static bool compares(const state *p, int begin, int end) {
  static const char *const words[] = {"!", "<", ">", "<=", ">=", "==", "!=", "&&", "||", NULL};
  bool found = false;
  for (int i = begin; i < end && !found; i++) {
    found = one_of(p, i, words);
    bool operand =
        i > begin && (is(p, i - 1, ")") || is(p, i - 1, "]") || op2i_c_word(&p->tokens[i - 1]));
    if (is(p, i, "[") || (is(p, i, "(") && operand)) i = p->match[i];
  }
  return found;
}

static int type_of(state *p, int at) {
  int open = at + 1, close = p->match[open];
  bool type = op2i_portable_find(p, open, OP2I_PORTABLE_TYPE) != NULL;
  bool value = !type && compares(p, open + 1, close);
  op2i_text_add(p->out, type    ? " op2_plain<"
                        : value ? " op2_plain<OP2_TYPE_OF(op2_value_of("
                                : " op2_plain<OP2_TYPE_OF(");
  op2i_portable_print(p, open + 1, close);
  op2i_text_add(p->out, type ? ">::is" : value ? "))>::is" : ")>::is");
  return close + 1;
}

/* Returns `at` if the operand's type is the same in both languages. */
static int size_of(state *p, int at) {
  int open = at + 1, close = p->match[open];
  if (is(p, open, "!")) {
    (void)one_token(p, at);
    op2i_text_add(p->out, " +");
    return at + 1;
  }
  if (!is(p, open, "(") || op2i_portable_find(p, open, OP2I_PORTABLE_TYPE)) return at;
  if (!compares(p, open + 1, close)) return at;
  op2i_text_add(p->out, " sizeof(op2_value_of(");
  op2i_portable_print(p, open + 1, close);
  op2i_text_add(p->out, "))");
  return close + 1;
}

/* The enumeration of the tag behind `at` that was defined last, or null. */
static const note *enum_of(const state *p, int at) {
  const struct op2i_piece *tag = &p->tokens[at + 1];
  for (int i = at; i >= 0; i--) {
    const note *n = op2i_portable_find(p, i, OP2I_PORTABLE_ENUM);
    const struct op2i_piece *other = n ? &p->tokens[n->middle - 1] : NULL;
    if (n && op2i_c_word(other) && other->length == tag->length &&
        memcmp(other->text, tag->text, (size_t)tag->length) == 0)
      return n;
  }
  return NULL;
}

/* The compiler of the host gives enumerations without negative values an unsigned type. */
static int enumeration(state *p, int at) {
  const note *n = op2i_portable_find(p, at, OP2I_PORTABLE_ENUM);
  int end = n ? n->end : at + 2;
  if (n && is(p, end, ";")) return end;
  if (!n) n = enum_of(p, at);
  if (!n) return one_token(p, at);
  op2i_text_add(p->out, n->negative ? " int" : " unsigned int");
  return end;
}

/* The position behind `void *`, with qualifiers, that begins here; else `at`. */
static int pointer_to_void(state *p, int at) {
  static const char *const qualifiers[] = {"const",      "volatile",     "restrict",
                                           "__restrict", "__restrict__", NULL};
  bool constant = false;
  int i = at;
  for (; one_of(p, i, qualifiers); i++) constant |= is(p, i, "const");
  if (!is(p, i, "void")) return at;
  for (i++; one_of(p, i, qualifiers); i++) constant |= is(p, i, "const");
  if (!is(p, i, "*")) return at;
  op2i_text_add(p->out, constant ? " op2_const_void" : " op2_void");
  int outer = around(p, at);
  p->behind = i;
  if (outer < 0 || !is(p, outer, "("))
    while (p->behind < p->count && !is(p, p->behind, ";") && !is(p, p->behind, ")"))
      p->behind = p->match[p->behind] > p->behind ? p->match[p->behind] + 1 : p->behind + 1;
  return i + 1;
}

/* ---- declarations ---------------------------------------------------------------------------- */

/* Write in front of the declaration that begins here the types that are defined within it. */
static void ahead(state *p, int at) {
  int end = at;
  while (end < p->count && !op2i_portable_find(p, end, OP2I_PORTABLE_BLOCK) &&
         !(is(p, end, ";") && around(p, end) == around(p, at)))
    end++;
  p->still++;
  for (int i = at; i < end; i++) {
    note *n = op2i_portable_find(p, i, OP2I_PORTABLE_ENUM);
    if (!n || n->ahead) continue;
    n->ahead = true;
    op2i_text_add(p->out, " enum");
    op2i_portable_print(p, n->middle, n->end);
    op2i_text_add(p->out, ";");
  }
  for (int i = end - 1; i >= at; i--) {
    note *n = op2i_portable_find(p, i, OP2I_PORTABLE_RECORD);
    if (!n || n->ahead) continue;
    n->busy = true;
    op2i_portable_print(p, n->at, n->end);
    op2i_text_add(p->out, ";");
    n->busy = false;
    n->ahead = true;
  }
  p->still--;
}

/* True where a declaration may begin: not within the braces of values, nor behind them. */
static bool begins(const state *p, int at) {
  if (is(p, at, "}")) return false;
  if (at == 0 || is(p, at - 1, ";")) return true;
  const int brace = is(p, at - 1, "}") ? p->match[at - 1] : is(p, at - 1, "{") ? at - 1 : -1;
  return brace >= 0 && op2i_portable_find(p, brace, OP2I_PORTABLE_BLOCK);
}

/* A union of the list has another member than its first one. */
static bool jumps(const struct op2i_portable_initial *all) {
  bool found = all->member > 0;
  for (int k = 0; k < all->nparts && !found; k++) found = all->parts[k] && jumps(all->parts[k]);
  return found;
}

static int initializer(state *p, const note *n) {
  const char *between = "";
  op2i_text_add(p->out, " = ");
  if (!jumps(n->list)) {
    op2i_portable_in_order(p, n->list);
    return n->end;
  }
  if (n->lasting || n->type.nlevels || n->number < 0) p->failed = true;
  op2i_text_add(p->out, "[&] { op2_bare<OP2_TYPE_OF(%.*s)>::is op2_made = {}; ",
                p->tokens[n->number].length, p->tokens[n->number].text);
  op2i_portable_assign(p, n->list, "op2_made", &between);
  op2i_text_add(p->out, "; return op2_made; }()");
  return n->end;
}

static int full_text(state *p, const note *n) {
  const struct op2i_piece *text = &p->tokens[n->middle];
  op2i_text_add(p->out, " = {");
  for (int k = 0; k + 2 < text->length; k++)
    op2i_text_add(p->out, "%s%.*s[%d]", k ? ", " : "", text->length, text->text, k);
  op2i_text_add(p->out, "}");
  return n->end;
}

/* The object of a compound literal. */
static void object(state *p, const note *n) {
  int close = n->middle - 1, at = n->at + 1, extent = -1;
  p->still++;
  while (at < close && !is(p, at, "[") && !p->failed) {
    if (is(p, at, "(")) p->failed = true;
    at = is(p, at, "const") ? at + 1 : one(p, at, close);
  }
  op2i_text_add(p->out, " op2_literal%d", n->number);
  if (n->list && n->list->nparts) extent = n->list->nparts;
  if (n->list && n->list->end > n->list->begin) extent = p->tokens[n->list->begin].length - 1;
  if (is(p, at, "[") && is(p, at + 1, "]") && extent >= 0) {
    op2i_text_add(p->out, "[%d]", extent);
    at += 2;
  }
  op2i_portable_print(p, at, close);
  op2i_text_add(p->out, ";");
  p->still--;
}

static void copy(state *p, const struct op2i_portable_item *tables) {
  p->still++;
  for (int at = tables->begin; at < tables->end && !p->failed;)
    at = is(p, at, "static") || is(p, at, "extern") ? at + 1 : one(p, at, tables->end);
  p->still--;
}

static int block(state *p, const note *n) {
  int next = one_token(p, n->at);
  for (const struct op2i_portable_copy *c = n->copies; c; c = c->next) copy(p, c->item);
  for (const note *l = n->below; l; l = l->below)
    if (l->kind == OP2I_PORTABLE_LITERAL) {
      object(p, l);
    } else {
      op2i_text_add(p->out, " char op2_text%d[] =", l->number);
      for (int at = l->at; at < l->end; at++)
        op2i_text_add(p->out, " %.*s", p->tokens[at].length, p->tokens[at].text);
      op2i_text_add(p->out, ";");
    }
  return next;
}

/* The position behind an item that has no place at file scope. */
static int left_out(const state *p, int at) {
  while (!is(p, at, ";")) at = p->match[at] > at ? p->match[at] + 1 : at + 1;
  return at + 1;
}

/* case first ... last: */
static int cases(state *p, int at) {
  int colon = at, dots = 0;
  int64_t first = 0, last = 0;
  for (; colon < p->count && !is(p, colon, ":"); colon++)
    if (is(p, colon, "...")) dots = colon;
  if (!dots) return one_token(p, at);
  if (!op2i_portable_constant(p, at + 1, dots, &first) ||
      !op2i_portable_constant(p, dots + 1, colon, &last) || last - first > CASES)
    p->failed = true;
  for (int64_t k = first; k <= last && !p->failed; k++)
    op2i_text_add(p->out, " case %lld:", (long long)k);
  return colon + 1;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int for_cxx(state *p, int at) {
  static const char *const types[] = {"typeof", "__typeof__", "__typeof", NULL};
  static const char *const in_brackets[] = {"static",     "const",        "volatile", "restrict",
                                            "__restrict", "__restrict__", NULL};
  const note *n = op2i_portable_find(p, at, OP2I_PORTABLE_RECORD);
  if (n && n->ahead && !n->busy) {
    (void)one_token(p, at);
    (void)one_token(p, at + 1);
    return n->end;
  }
  if ((n = op2i_portable_find(p, at, OP2I_PORTABLE_STATEMENT))) return statement(p, n);
  n = op2i_portable_find(p, at, OP2I_PORTABLE_INITIAL);
  if (n && n->list) return initializer(p, n);
  if (n && n->full) return full_text(p, n);
  if (is(p, at, "enum")) return enumeration(p, at);
  if (one_of(p, at, types) && is(p, at + 1, "(")) return type_of(p, at);
  if (is(p, at, "case")) return cases(p, at);
  if (is(p, at, "sizeof")) return size_of(p, at);
  if (is(p, at, "[")) {
    int next = one_token(p, at);
    while (one_of(p, next, in_brackets)) next++;
    return next;
  }
  if (is(p, at, ",") && at < p->behind && is(p, at + 1, "*")) {
    (void)one_token(p, at);
    return at + 2;
  }
  return pointer_to_void(p, at);
}

static int one(state *p, int at, int end) {
  note *n = op2i_portable_find(p, at, OP2I_PORTABLE_OR);
  if (n && !n->busy && n->end <= end) return either(p, n);
  const int behind = op2i_portable_wrapped(p, at, end);
  if (behind > at) return behind;
  if ((n = op2i_portable_find(p, at, OP2I_PORTABLE_LITERAL))) return literal(p, n);
  if ((n = op2i_portable_find(p, at, OP2I_PORTABLE_GENERIC))) return selection(p, n);
  if ((n = op2i_portable_find(p, at, OP2I_PORTABLE_BLOCK))) return block(p, n);
  if ((n = op2i_portable_find(p, at, OP2I_PORTABLE_TEXT))) {
    op2i_text_add(p->out, " op2_text%d", n->number);
    return n->end;
  }
  if (is(p, at, "auto")) return at + 1;
  if (!p->cxx && !p->still && op2i_portable_moved(p, at)) return left_out(p, at);
  if (p->cxx && begins(p, at) && !p->still) ahead(p, at);
  int next = p->cxx ? for_cxx(p, at) : at;
  return next > at ? next : one_token(p, at);
}

void op2i_portable_print(state *p, int begin, int end) {
  for (int at = begin; at < end && !p->failed;) at = one(p, at, end);
  if (begin == 0 && end == p->count) directives(p, p->unit->tokens.count);
}
