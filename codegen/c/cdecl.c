/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations of parameters, read as far as the library must know them: which type, how many
 * levels of pointer, which extent. */
#include "cdecl.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

/* Macros of macros and declarators in parentheses are followed this far: limits against circles,
 * and against a macro of many parentheses. */
enum { CHAIN_MAX = 16, EXPANDED_MAX = 4096, NESTED_MAX = 64 };

static bool in_list(const char *word, size_t length, const char *const *list) {
  for (; *list; list++)
    if (strlen(*list) == length && memcmp(*list, word, length) == 0) return true;
  return false;
}

static const char *const qualifiers[] = {"const",
                                         "__const",
                                         "volatile",
                                         "__volatile__",
                                         "restrict",
                                         "__restrict",
                                         "__restrict__",
                                         "register",
                                         "static",
                                         "extern",
                                         "inline",
                                         "__inline",
                                         "__inline__",
                                         "auto",
                                         "typedef",
                                         "_Atomic",
                                         "_Thread_local",
                                         "__extension__",
                                         0};

/* ---- text ------------------------------------------------------------------------------------ */

static bool wordlike(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || (unsigned char)c >= 0x80;
}

static void add_token(struct op2i_text *out, const char *word, size_t length) {
  char last = out->length ? out->chars[out->length - 1] : '\0';
  bool apart = wordlike(last) && (wordlike(word[0]) || strchr("*([", word[0]));
  if (apart || last == ',') op2i_text_bytes(out, " ", 1);
  op2i_text_bytes(out, word, length);
}

void op2i_cdecl_spell(const struct op2i_unit *unit, int begin, int end, const char *omit,
                      struct op2i_text *out) {
  int left_out = end - 1;
  while (left_out >= begin && !op2i_unit_is(unit, left_out, omit)) left_out--;
  for (int p = begin; p < end;) {
    int behind = op2i_unit_attribute(unit, p);
    const struct op2i_token *t = &unit->tokens.list[unit->code[p]];
    if (behind == p && p != left_out)
      add_token(out, unit->tokens.text + t->begin, t->end - t->begin);
    p = behind > p ? behind : p + 1;
  }
}

void op2i_cdecl_element(const char *type_text, struct op2i_text *out) {
  for (const char *at = type_text; *at && !strchr("*([", *at);) {
    size_t length = 0;
    while (wordlike(at[length])) length++;
    if (length && !in_list(at, length, qualifiers)) add_token(out, at, length);
    at += length ? length : 1;
  }
}

/* ---- macros ---------------------------------------------------------------------------------- */

/* The replacement of the object-like macro `word`: the last definition that is read before token
 * `before`. */
static bool macro_body(const struct op2i_unit *unit, int before, const char *word, size_t length,
                       const char **body, size_t *body_length) {
  const struct op2i_names *macros = &unit->macros;
  int64_t entry = op2i_names_find(macros, word, length);
  while (entry >= 0 && macros->list[entry].value >= before) entry = op2i_names_older(macros, entry);
  if (entry < 0) return false;
  *body = macros->list[entry].word + length;
  *body_length = unit->tokens.text + unit->tokens.list[macros->list[entry].value].end - *body;
  return true;
}

/* One round of replacing macros in `text`. Tells whether anything was replaced. */
static op2_status expand(const struct op2i_unit *unit, int before, struct op2i_text *text,
                         bool *changed) {
  struct op2i_tokens tokens;
  struct op2i_text out = {0};
  op2_status status = op2i_tokenize(text->chars ? text->chars : "", false, &tokens);
  *changed = false;
  for (int64_t i = 0; !status && i < tokens.count; i++) {
    const struct op2i_token *t = &tokens.list[i];
    const char *word = tokens.text + t->begin, *body;
    size_t length = t->end - t->begin, body_length;
    if (t->kind == OP2I_TOK_WORD && macro_body(unit, before, word, length, &body, &body_length)) {
      op2i_text_bytes(&out, " ", 1);
      op2i_text_bytes(&out, body, body_length);
      op2i_text_bytes(&out, " ", 1);
      *changed = true;
    } else {
      add_token(&out, word, length);
    }
  }
  op2i_tokens_free(&tokens);
  if (out.failed) status = OP2_ERR_NOMEM;
  if (status) *changed = false;
  if (*changed) {
    struct op2i_text old = *text;
    *text = out;
    out = old;
  }
  op2i_text_free(&out);
  return status == OP2_ERR_NOMEM ? status : OP2_SUCCESS;
}

/* ---- one declaration ------------------------------------------------------------------------- */

struct base {
  int chars, shorts, ints, longs, signeds, unsigneds, floats, doubles, others;
  int aggregates; /* struct and union */
  int unclear;    /* enum, which may be any integer, and typeof */
  bool seen, constant;
  int64_t named; /* token of a type's name, or -1 */
};

static bool count_word(const struct op2i_tokens *tokens, int64_t i, struct base *base) {
  const struct {
    const char *word;
    int *count;
  } words[] = {
      {"char", &base->chars},      {"short", &base->shorts},       {"int", &base->ints},
      {"long", &base->longs},      {"signed", &base->signeds},     {"__signed__", &base->signeds},
      {"float", &base->floats},    {"unsigned", &base->unsigneds}, {"double", &base->doubles},
      {"void", &base->others},     {"_Bool", &base->others},       {"_Complex", &base->others},
      {"__int128", &base->others}, {"__complex__", &base->others}, {"_Imaginary", &base->others}};
  for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
    if (op2i_token_is(tokens, i, words[k].word)) {
      ++*words[k].count;
      return true;
    }
  return false;
}

static op2_type integer(size_t bytes, bool negative) {
  switch (bytes) {
  case 1: return negative ? OP2_I8 : OP2_U8;
  case 2: return negative ? OP2_I16 : OP2_U16;
  case 4: return negative ? OP2_I32 : OP2_U32;
  default: return negative ? OP2_I64 : OP2_U64;
  }
}

static op2_type keyword_type(const struct base *b) {
  if (b->others || b->aggregates || b->unclear || (b->longs && b->doubles)) return (op2_type)0;
  if (b->doubles) return OP2_F64;
  if (b->floats) return OP2_F32;
  if (b->chars) return integer(1, b->signeds || (!b->unsigneds && CHAR_MIN < 0));
  size_t bytes = b->shorts      ? sizeof(short)
                 : b->longs > 1 ? sizeof(long long)
                 : b->longs     ? sizeof(long)
                                : sizeof(int);
  return integer(bytes, !b->unsigneds);
}

op2_type op2i_cdecl_standard(const char *word, size_t length) {
  static const struct {
    const char *name;
    size_t bytes;
    bool negative;
  } names[] = {{"int8_t", 1, true},
               {"int16_t", 2, true},
               {"int32_t", 4, true},
               {"int64_t", 8, true},
               {"uint8_t", 1, false},
               {"uint16_t", 2, false},
               {"uint32_t", 4, false},
               {"uint64_t", 8, false},
               {"size_t", sizeof(size_t), false},
               {"ptrdiff_t", sizeof(ptrdiff_t), true},
               {"intptr_t", sizeof(intptr_t), true},
               {"uintptr_t", sizeof(uintptr_t), false}};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
    if (strlen(names[k].name) == length && memcmp(names[k].name, word, length) == 0)
      return integer(names[k].bytes, names[k].negative);
  return (op2_type)0;
}

static bool is(const struct op2i_tokens *tokens, int64_t i, const char *spelling) {
  return i < tokens->count && op2i_token_is(tokens, i, spelling);
}

static bool free_word(const struct op2i_tokens *tokens, int64_t i) {
  const struct op2i_token *t = &tokens->list[i];
  return t->kind == OP2I_TOK_WORD &&
         !op2i_word_reserved(tokens->text + t->begin, t->end - t->begin);
}

static op2_type standard_type(const struct op2i_tokens *tokens, int64_t i) {
  const struct op2i_token *t = &tokens->list[i];
  return op2i_cdecl_standard(tokens->text + t->begin, t->end - t->begin);
}

/* Past the bracket that closes the one at i. */
static int64_t past_bracket(const struct op2i_tokens *tokens, int64_t i) {
  int level = 0;
  do {
    if (is(tokens, i, "(") || is(tokens, i, "[") || is(tokens, i, "{")) level++;
    if (is(tokens, i, ")") || is(tokens, i, "]") || is(tokens, i, "}")) level--;
    i++;
  } while (level > 0 && i < tokens->count);
  return i;
}

/* struct, union or enum and what belongs to it; typeof. */
static int64_t opaque_type(const struct op2i_tokens *tokens, int64_t i) {
  if (free_word(tokens, i + 1)) i++;
  i++;
  return is(tokens, i, "{") || is(tokens, i, "(") ? past_bracket(tokens, i) : i;
}

static int64_t read_base(const struct op2i_tokens *tokens, struct base *base) {
  static const char *const opaque[] = {"struct",   "union",      "enum", "typeof",
                                       "__typeof", "__typeof__", 0};
  *base = (struct base){.named = -1};
  int64_t i = 0;
  while (i < tokens->count) {
    const char *word = tokens->text + tokens->list[i].begin;
    size_t length = tokens->list[i].end - tokens->list[i].begin;
    if (in_list(word, length, qualifiers)) {
      base->constant = base->constant || is(tokens, i, "const") || is(tokens, i, "__const");
      i++;
    } else if (count_word(tokens, i, base)) {
      base->seen = true;
      base->named = -1;
      i++;
    } else if (in_list(word, length, opaque)) {
      base->seen = true;
      if (is(tokens, i, "struct") || is(tokens, i, "union"))
        base->aggregates++;
      else
        base->unclear++;
      i = opaque_type(tokens, i);
    } else if (free_word(tokens, i) && (!base->seen || free_word(tokens, i + 1))) {
      base->seen = true;
      base->named = i++;
    } else {
      break;
    }
  }
  return i;
}

/* ---- the lengths of arrays ------------------------------------------------------------------- */

/* Longer than any argument can be; what is longer counts as this. */
enum { EXTENT_MAX = 1 << 30 };

static int64_t read_sum(const struct op2i_tokens *tokens, int64_t *i, int nested);

/* A number without sign, or what stands in parentheses; -1 for everything else. */
static int64_t read_factor(const struct op2i_tokens *tokens, int64_t *i, int nested) {
  if (is(tokens, *i, "(") && nested < NESTED_MAX) {
    ++*i;
    int64_t value = read_sum(tokens, i, nested + 1);
    return is(tokens, (*i)++, ")") ? value : -1;
  }
  if (*i >= tokens->count || tokens->list[*i].kind != OP2I_TOK_NUMBER) return -1;
  const struct op2i_token *t = &tokens->list[(*i)++];
  char *end, digits[32] = "";
  if (t->end - t->begin >= sizeof digits) return -1;
  memcpy(digits, tokens->text + t->begin, t->end - t->begin);
  unsigned long value = strtoul(digits, &end, 0);
  if (end[strspn(end, "uUlL")]) return -1;
  return value < EXTENT_MAX ? (int64_t)value : EXTENT_MAX;
}

static int64_t read_product(const struct op2i_tokens *tokens, int64_t *i, int nested) {
  int64_t value = read_factor(tokens, i, nested);
  while (value >= 0 && (is(tokens, *i, "*") || is(tokens, *i, "/"))) {
    bool times = is(tokens, (*i)++, "*");
    int64_t other = read_factor(tokens, i, nested);
    if (other < 0 || (!times && other == 0)) return -1;
    value = times ? value * other : value / other;
    if (value > EXTENT_MAX) value = EXTENT_MAX;
  }
  return value;
}

static int64_t read_sum(const struct op2i_tokens *tokens, int64_t *i, int nested) {
  int64_t value = read_product(tokens, i, nested);
  while (value >= 0 && (is(tokens, *i, "+") || is(tokens, *i, "-"))) {
    bool plus = is(tokens, (*i)++, "+");
    int64_t other = read_product(tokens, i, nested);
    if (other < 0) return -1;
    value = plus ? value + other : value - other;
    if (value > EXTENT_MAX) value = EXTENT_MAX;
  }
  return value;
}

/* The number in the brackets that open at i; 0 when there is none that can be told from the
 * tokens alone. */
static int64_t read_extent(const struct op2i_tokens *tokens, int64_t i) {
  i++;
  while (i < tokens->count && in_list(tokens->text + tokens->list[i].begin,
                                      tokens->list[i].end - tokens->list[i].begin, qualifiers))
    i++;
  int64_t value = read_sum(tokens, &i, 0);
  return is(tokens, i, "]") && value > 0 ? value : 0;
}

static int64_t extent_product(int64_t one, int64_t other) {
  return one * other < EXTENT_MAX ? one * other : EXTENT_MAX;
}

/* ---- declarators ----------------------------------------------------------------------------- */

/* Whether a parameter is a function or points to one. A name before brackets may be a macro's, and
 * what is nested too deep is not looked at. */
enum function { NO_FUNCTION, PERHAPS, A_FUNCTION };

/* Returns the token behind the declarator; depth, *name and *function as found. */
static int64_t read_declarator(const struct op2i_tokens *tokens, int64_t i, int nested,
                               struct op2i_cdecl *out, int64_t *name, enum function *function) {
  int stars = 0;
  bool bracketed = false;
  for (;; i++) {
    const char *word = tokens->text + tokens->list[i].begin;
    if (is(tokens, i, "*"))
      stars++;
    else if (i >= tokens->count ||
             !in_list(word, tokens->list[i].end - tokens->list[i].begin, qualifiers))
      break;
  }
  if (free_word(tokens, i)) {
    *name = i++;
  } else if (is(tokens, i, "(") &&
             (is(tokens, i + 1, "*") || is(tokens, i + 1, "(") || free_word(tokens, i + 1))) {
    int64_t close = past_bracket(tokens, i);
    bracketed = true;
    if (nested == NESTED_MAX)
      *function = PERHAPS;
    else
      (void)read_declarator(tokens, i + 1, nested + 1, out, name, function);
    i = close;
  }
  bool rows = false;
  for (; is(tokens, i, "[") || is(tokens, i, "("); i = past_bracket(tokens, i)) {
    if (is(tokens, i, "(")) {
      if (*function != A_FUNCTION) *function = bracketed ? A_FUNCTION : PERHAPS;
    } else if (out->depth == 0) {
      out->depth = out->array = rows = 1;
      out->extent = read_extent(tokens, i);
    } else if (rows) {
      out->extent = extent_product(out->extent, read_extent(tokens, i));
    }
  }
  out->depth += stars;
  return i;
}

/* The typedef of the word that is the latest before token `before`, or null. Those of the source
 * are read in their order, so none is found that comes later or stands for itself. */
static const struct op2i_cdecl *find_typedef(const struct op2i_typedefs *typedefs, int before,
                                             const struct op2i_tokens *tokens, int64_t word) {
  const struct op2i_token *t = &tokens->list[word];
  const struct op2i_names *names = &typedefs->names;
  int64_t entry = op2i_names_find(names, tokens->text + t->begin, t->end - t->begin);
  while (entry >= 0 && names->list[entry].value >= before) entry = op2i_names_older(names, entry);
  return entry < 0 ? NULL : &typedefs->list[entry];
}

/* Let a declaration of a typedef's name stand for what the typedef says. */
static void compose(struct op2i_cdecl *out, const struct op2i_cdecl *alias, bool constant) {
  out->type = alias->type;
  out->foreign = alias->foreign;
  out->readonly = alias->readonly || (constant && alias->depth <= (alias->array ? 1 : 0));
  if (out->depth == 0)
    out->extent = alias->extent;
  else if (alias->depth)
    out->extent = out->array && alias->array && out->depth == 1
                      ? extent_product(out->extent, alias->extent)
                  : out->array && !alias->array ? out->extent
                                                : 0;
  out->rows = alias->rows || (alias->array && out->depth > 0);
  out->array = out->array || (alias->array && out->depth == 0);
  if (alias->array)
    out->depth += alias->depth - (out->depth > 0);
  else
    out->depth += alias->depth;
}

static op2_status read_tokens(const struct op2i_typedefs *typedefs, int before,
                              const struct op2i_tokens *tokens, struct op2i_cdecl *out) {
  struct base base;
  int64_t name = -1, i = read_base(tokens, &base);
  enum function function = NO_FUNCTION;
  (void)read_declarator(tokens, i, 0, out, &name, &function);
  if (name >= 0) {
    const struct op2i_token *t = &tokens->list[name];
    op2i_text_bytes(&out->name, tokens->text + t->begin, t->end - t->begin);
    if (out->name.failed) return OP2_ERR_NOMEM;
  }
  out->readonly = base.constant;
  /* Where no pointer is in between, C converts numbers of nearly all kinds. */
  out->foreign = function == A_FUNCTION || base.aggregates ||
                 (out->depth > 0 && (base.others || (base.longs && base.doubles)));
  if (function || (base.named < 0 && !base.seen)) return OP2_SUCCESS;
  if (base.named < 0) {
    out->type = keyword_type(&base);
    return OP2_SUCCESS;
  }
  const struct op2i_cdecl *alias = find_typedef(typedefs, before, tokens, base.named);
  if (alias)
    compose(out, alias, base.constant);
  else
    out->type = standard_type(tokens, base.named);
  return OP2_SUCCESS;
}

static op2_status read_text(const struct op2i_typedefs *typedefs, int before, const char *text,
                            struct op2i_cdecl *out) {
  struct op2i_text expanded = {0};
  struct op2i_tokens tokens = {0};
  op2i_text_bytes(&expanded, text, strlen(text));
  op2_status status = expanded.failed ? OP2_ERR_NOMEM : OP2_SUCCESS;
  bool changed = true;
  for (int round = 0; !status && changed && round < CHAIN_MAX && expanded.length < EXPANDED_MAX;
       round++)
    status = expand(typedefs->unit, before, &expanded, &changed);
  if (!status) status = op2i_tokenize(expanded.chars, false, &tokens);
  if (!status) status = read_tokens(typedefs, before, &tokens, out);
  op2i_tokens_free(&tokens);
  op2i_text_free(&expanded);
  return status == OP2_ERR_NOMEM ? status : OP2_SUCCESS;
}

op2_status op2i_cdecl_read(const struct op2i_typedefs *typedefs, int begin, int end,
                           struct op2i_cdecl *out) {
  const struct op2i_unit *unit = typedefs->unit;
  struct op2i_text text = {0};
  *out = (struct op2i_cdecl){0};
  op2i_cdecl_spell(unit, begin, end, "", &text);
  op2i_text_bytes(&text, "", 0);
  op2_status status = text.failed ? OP2_ERR_NOMEM : OP2_SUCCESS;
  if (!status) status = read_text(typedefs, unit->code[begin], text.chars, out);
  op2i_text_free(&text);
  return status;
}

/* Where the first declarator of places [begin, end) starts: at a *, a parenthesis, or the word that no
 * other follows. */
static int declarator_start(const struct op2i_unit *unit, int begin, int end) {
  for (int p = begin; p < end;) {
    int behind = op2i_unit_attribute(unit, p);
    if (behind > p) {
      p = behind;
      continue;
    }
    bool followed = p + 1 < end && (op2i_unit_word(unit, p + 1) || op2i_unit_is(unit, p + 1, "*") ||
                                    op2i_unit_is(unit, p + 1, "(") || op2i_unit_is(unit, p + 1, "{"));
    if (op2i_unit_is(unit, p, "*") || op2i_unit_is(unit, p, "(")) return p;
    if (op2i_unit_word(unit, p) && !followed) return p;
    p = unit->match[p] > p ? unit->match[p] + 1 : p + 1;
  }
  return end;
}

/* The declarator [from, to) behind the specifiers [begin, base). */
static op2_status add_typedef(struct op2i_typedefs *typedefs, int begin, int base, int from,
                              int to) {
  const struct op2i_unit *unit = typedefs->unit;
  struct op2i_names *names = &typedefs->names;
  struct op2i_text text = {0};
  if (op2i_grow(&typedefs->list, sizeof *typedefs->list, names->count, &typedefs->capacity))
    return OP2_ERR_NOMEM;
  struct op2i_cdecl *out = &typedefs->list[names->count];
  *out = (struct op2i_cdecl){0};
  op2i_cdecl_spell(unit, begin, base, "", &text);
  op2i_cdecl_spell(unit, from, to, "", &text);
  op2i_text_bytes(&text, "", 0);
  op2_status status = text.failed ? OP2_ERR_NOMEM : OP2_SUCCESS;
  if (!status) status = read_text(typedefs, unit->code[begin], text.chars, out);
  op2i_text_free(&text);
  if (!status && out->name.length &&
      op2i_names_add(names, out->name.chars, out->name.length, unit->code[begin]))
    return OP2_SUCCESS;
  if (!status && out->name.length) status = OP2_ERR_NOMEM;
  op2i_text_free(&out->name);
  return status;
}

/* typedef double real, vec3[3]; */
static op2_status add_typedefs(struct op2i_typedefs *typedefs, const struct op2i_item *item) {
  const struct op2i_unit *unit = typedefs->unit;
  int base = declarator_start(unit, item->begin, item->end - 1);
  op2_status status = OP2_SUCCESS;
  for (int from = base, to; from < item->end - 1 && !status; from = to + 1) {
    to = from;
    while (to < item->end - 1 && !op2i_unit_is(unit, to, ","))
      to = unit->match[to] > to ? unit->match[to] + 1 : to + 1;
    status = add_typedef(typedefs, item->begin, base, from, to);
  }
  return status;
}

op2_status op2i_typedefs_read(const struct op2i_unit *unit, struct op2i_typedefs *typedefs) {
  *typedefs = (struct op2i_typedefs){.unit = unit};
  op2_status status = OP2_SUCCESS;
  for (int k = 0; k < unit->nitems && !status; k++)
    if (op2i_unit_is(unit, unit->items[k].begin, "typedef"))
      status = add_typedefs(typedefs, &unit->items[k]);
  return status;
}

void op2i_typedefs_free(struct op2i_typedefs *typedefs) {
  for (int64_t k = 0; k < typedefs->names.count; k++) op2i_text_free(&typedefs->list[k].name);
  op2i_free(typedefs->list);
  op2i_names_free(&typedefs->names);
  *typedefs = (struct op2i_typedefs){0};
}
