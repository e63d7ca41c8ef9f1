/* SPDX-License-Identifier: BSD-3-Clause */
/* Types: how declarations spell them, and what C makes of two of them. */
#include <limits.h>
#include <string.h>

#include "cdecl.h"
#include "lane.h"

/* ---- a parser's place ------------------------------------------------------------------------ */

bool op2i_lane_at(const struct op2i_lane_parser *p, const char *spelling) {
  return op2i_lane_spells(&p->tokens[p->at], spelling);
}

bool op2i_lane_accept(struct op2i_lane_parser *p, const char *spelling) {
  if (p->at >= p->count || !op2i_lane_at(p, spelling)) return false;
  p->at++;
  return true;
}

void op2i_lane_expect(struct op2i_lane_parser *p, const char *spelling) {
  const struct op2i_lane_token *t = &p->tokens[p->at];
  if (!op2i_lane_accept(p, spelling))
    op2i_lane_refuse(p->l, "has '%.*s' in line %d where '%s' was expected",
                     t->length < 40 ? t->length : 40, t->text, t->line, spelling);
}

int op2i_lane_line(const struct op2i_lane_parser *p) { return p->tokens[p->at].line; }

bool op2i_lane_word(const struct op2i_lane_token *t) {
  return t->kind == OP2I_TOK_WORD && !op2i_word_reserved(t->text, (size_t)t->length);
}

/* ---- kinds of numbers ------------------------------------------------------------------------ */

static enum op2i_lane_base integer(size_t bytes, bool negative) {
  switch (bytes) {
  case 1: return negative ? OP2I_LANE_I8 : OP2I_LANE_U8;
  case 2: return negative ? OP2I_LANE_I16 : OP2I_LANE_U16;
  case 4: return negative ? OP2I_LANE_I32 : OP2I_LANE_U32;
  default: return negative ? OP2I_LANE_I64 : OP2I_LANE_U64;
  }
}

enum op2i_lane_base op2i_lane_base_of(op2_type type) {
  switch (type) {
  case OP2_F64: return OP2I_LANE_F64;
  case OP2_F32: return OP2I_LANE_F32;
  case OP2_I8: return OP2I_LANE_I8;
  case OP2_U8: return OP2I_LANE_U8;
  case OP2_I16: return OP2I_LANE_I16;
  case OP2_U16: return OP2I_LANE_U16;
  case OP2_I32: return OP2I_LANE_I32;
  case OP2_U32: return OP2I_LANE_U32;
  case OP2_I64: return OP2I_LANE_I64;
  case OP2_U64: return OP2I_LANE_U64;
  default: return OP2I_LANE_VOID;
  }
}

int op2i_lane_size(enum op2i_lane_base base) {
  switch (base) {
  case OP2I_LANE_I8:
  case OP2I_LANE_U8: return 1;
  case OP2I_LANE_I16:
  case OP2I_LANE_U16: return 2;
  case OP2I_LANE_I32:
  case OP2I_LANE_U32:
  case OP2I_LANE_F32: return 4;
  default: return 8;
  }
}

enum op2i_lane_base op2i_lane_promoted(enum op2i_lane_base base) {
  return base < OP2I_LANE_I32 ? OP2I_LANE_I32 : base;
}

/* C11 6.3.1.8; the order of the enumeration is that of the ranks. */
enum op2i_lane_base op2i_lane_common(enum op2i_lane_base a, enum op2i_lane_base b) {
  a = op2i_lane_promoted(a);
  b = op2i_lane_promoted(b);
  return a > b ? a : b;
}

/* ---- specifiers ------------------------------------------------------------------------------ */

static bool standard_type(const struct op2i_lane_token *t, enum op2i_lane_base *base) {
  *base = op2i_lane_base_of(op2i_cdecl_standard(t->text, (size_t)t->length));
  if (*base != OP2I_LANE_VOID) return true;
  *base = OP2I_LANE_BOOL;
  return op2i_lane_spells(t, "bool");
}

/* What the source itself has declared under this name, or null. */
static const struct op2i_lane_var *find_name(const struct op2i_lane_parser *p,
                                             const struct op2i_lane_token *t) {
  const struct op2i_lane_var *var = p->scope;
  while (var && !op2i_lane_spells(t, var->name)) var = var->outer;
  return var;
}

static const char *const passed_over[] = {"const",    "__const",    "restrict",     "__restrict",
                                          "register", "auto",       "__restrict__", "inline",
                                          "__inline", "__inline__", "__extension__"};
static const char *const refused[] = {
    "volatile", "__volatile__", "_Atomic", "_Thread_local", "__thread",    "extern",
    "struct",   "union",        "typedef", "_Complex",      "__complex__", "__int128",
    "typeof",   "__typeof",     "enum",    "__typeof__",    "_Alignas",    "__attribute__",
    "asm",      "__asm__",      "static",  "_Imaginary",    "__attribute"};
enum { CHARS, SHORTS, INTS, LONGS, SIGNEDS, UNSIGNEDS, FLOATS, DOUBLES, VOIDS, BOOLS, COUNTS };
static const char *const counted[] = {"char",     "short", "int",    "long", "signed",
                                      "unsigned", "float", "double", "void", "_Bool"};

static int in_list(const struct op2i_lane_token *t, const char *const *list, int n) {
  for (int i = 0; i < n; i++)
    if (op2i_lane_spells(t, list[i])) return i;
  return -1;
}
#define IN(t, list) in_list((t), (list), (int)(sizeof(list) / sizeof(list)[0]))

bool op2i_lane_at_type(const struct op2i_lane_parser *p) {
  const struct op2i_lane_token *t = &p->tokens[p->at];
  enum op2i_lane_base base;
  if (t->kind != OP2I_TOK_WORD) return false;
  if (IN(t, passed_over) >= 0 || IN(t, refused) >= 0 || IN(t, counted) >= 0) return true;
  const struct op2i_lane_var *named = find_name(p, t);
  return named ? named->is_type : standard_type(t, &base);
}

static enum op2i_lane_base keyword_type(struct op2i_lane_parser *p, const int *n) {
  if (n[VOIDS]) return OP2I_LANE_VOID;
  if (n[BOOLS]) return OP2I_LANE_BOOL;
  if (n[DOUBLES] && n[LONGS])
    op2i_lane_refuse(p->l, "uses long double in line %d", op2i_lane_line(p));
  if (n[DOUBLES]) return OP2I_LANE_F64;
  if (n[FLOATS]) return OP2I_LANE_F32;
  if (n[CHARS]) return integer(1, n[SIGNEDS] || (!n[UNSIGNEDS] && CHAR_MIN < 0));
  size_t bytes = n[SHORTS]      ? sizeof(short)
                 : n[LONGS] > 1 ? sizeof(long long)
                 : n[LONGS]     ? sizeof(long)
                                : sizeof(int);
  return integer(bytes, !n[UNSIGNEDS]);
}

/* One word that is or names a type. Returns false when there is none. */
static bool type_word(struct op2i_lane_parser *p, struct op2i_lane_type *type, int *n, bool *seen) {
  const struct op2i_lane_token *t = &p->tokens[p->at];
  int word = IN(t, counted);
  if (word >= 0) {
    n[word]++;
    *seen = true;
    return true;
  }
  if (*seen) return false;
  const struct op2i_lane_var *named = find_name(p, t);
  if (named && named->is_type)
    *type = named->type;
  else if (named || !standard_type(t, &type->base))
    return false;
  if (!named && type->base == OP2I_LANE_BOOL && !(p->l->headers & OP2I_LANE_STDBOOL))
    op2i_lane_refuse(p->l, "uses bool, and includes no header that knows it");
  return *seen = true;
}

/* To be const is for an array to have constant elements; of a pointer it says nothing of what it
 * leads to. */
static bool only_arrays(const struct op2i_lane_type *type) {
  bool arrays = true;
  for (int k = 0; k < type->nlevels; k++) arrays = arrays && type->levels[k] != 0;
  return arrays;
}

void op2i_lane_specifiers(struct op2i_lane_parser *p, struct op2i_lane_type *type) {
  int n[COUNTS] = {0};
  bool seen = false, constant = false;
  *type = (struct op2i_lane_type){0};
  for (; p->at < p->count; p->at++) {
    const struct op2i_lane_token *t = &p->tokens[p->at];
    if (IN(t, refused) >= 0) {
      op2i_lane_refuse(p->l, "uses '%.*s' in line %d", t->length, t->text, t->line);
      break;
    }
    if (op2i_lane_at(p, "const") || op2i_lane_at(p, "__const")) constant = true;
    if (IN(t, passed_over) >= 0) continue;
    if (t->kind != OP2I_TOK_WORD || !type_word(p, type, n, &seen)) break;
  }
  if (!seen)
    op2i_lane_refuse(p->l, "has a declaration in line %d that cannot be read", op2i_lane_line(p));
  for (int k = 0; k < COUNTS; k++)
    if (n[k]) {
      type->base = keyword_type(p, n);
      break;
    }
  if (constant && only_arrays(type)) type->readonly = true;
}

/* ---- declarators ----------------------------------------------------------------------------- */

static void add_level(struct op2i_lane_parser *p, struct op2i_lane_type *type, int at,
                      int64_t level) {
  if (type->nlevels == OP2I_LANE_LEVELS) {
    op2i_lane_refuse(p->l, "has more than %d levels of pointers and arrays in line %d",
                     (int)OP2I_LANE_LEVELS, op2i_lane_line(p));
    return;
  }
  for (int k = type->nlevels++; k > at; k--) type->levels[k] = type->levels[k - 1];
  type->levels[at] = level;
}

static void stars(struct op2i_lane_parser *p, struct op2i_lane_type *type) {
  for (;; p->at++) {
    if (op2i_lane_at(p, "*"))
      add_level(p, type, 0, 0);
    else if (p->at >= p->count || IN(&p->tokens[p->at], passed_over) < 0)
      break;
  }
}

/* [n][m]: outermost first, before what the type has already; -1 for []. */
static void extents(struct op2i_lane_parser *p, struct op2i_lane_type *type) {
  for (int k = 0; op2i_lane_accept(p, "["); k++) {
    while (op2i_lane_accept(p, "static") || op2i_lane_accept(p, "restrict") ||
           op2i_lane_accept(p, "const"))
      continue;
    add_level(p, type, k, op2i_lane_at(p, "]") ? -1 : op2i_lane_extent(p));
    op2i_lane_expect(p, "]");
  }
}

void op2i_lane_declarator(struct op2i_lane_parser *p, struct op2i_lane_type *type,
                          const char **name) {
  int inside = -1;
  *name = NULL;
  stars(p, type);
  if (op2i_lane_word(&p->tokens[p->at])) {
    const struct op2i_lane_token *t = &p->tokens[p->at++];
    *name = op2i_lane_string(p->l, t->text, (size_t)t->length);
  } else if (op2i_lane_accept(p, "(")) {
    int depth = 1;
    inside = p->at;
    for (; depth && p->at < p->count; p->at++)
      depth += op2i_lane_at(p, "(") ? 1 : op2i_lane_at(p, ")") ? -1 : 0;
  }
  if (op2i_lane_at(p, "("))
    op2i_lane_refuse(p->l, "declares a function in line %d", op2i_lane_line(p));
  extents(p, type);
  if (inside < 0) return;
  int behind = p->at;
  p->at = inside;
  if (op2i_lane_enter(p->l, op2i_lane_line(p))) op2i_lane_declarator(p, type, name);
  op2i_lane_leave(p->l);
  op2i_lane_expect(p, ")");
  p->at = behind;
}
