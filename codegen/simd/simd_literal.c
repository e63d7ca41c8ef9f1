/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads numbers, and names of the standard headers that stand for numbers. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "simd_base.h"
#include "simd_expr.h"
#include "simd_parse.h"
#include "simd_tree.h"

static bool is_float(const char *text, int length) {
  bool hex = length > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  for (int i = 0; i < length; i++)
    if (text[i] == '.' || strchr(hex ? "pP" : "eE", text[i])) return true;
  return false;
}

static void float_literal(struct op2i_simd_parser *p, struct op2i_simd_node *e, const char *text,
                          int length) {
  char last = text[length - 1];
  bool hex = length > 1 && (text[1] == 'x' || text[1] == 'X');
  e->type.base =
      (last == 'f' || last == 'F') && (!hex || strpbrk(text, "pP")) ? OP2I_C_F32 : OP2I_C_F64;
  if (strchr("lLiIjJqQwW", last))
    op2i_simd_refuse(p->l, "has the number %s in line %d, which is no double or float", text,
                     e->line);
}

/* Types of integer constants follow C11 6.4.4.1. */
static void integer_literal(struct op2i_simd_parser *p, struct op2i_simd_node *e,
                            const char *text) {
  char *end;
  unsigned long long value = strtoull(text, &end, 0);
  bool decimal = text[0] != '0', is_unsigned = false;
  int longs = 0;
  for (; *end; end++) {
    is_unsigned = is_unsigned || *end == 'u' || *end == 'U';
    longs += *end == 'l' || *end == 'L';
    if (!strchr("uUlL", *end))
      op2i_simd_refuse(p->l, "has the number %s in line %d, which cannot be read", text, e->line);
  }
  bool wide = (longs && sizeof(long) == 8) || longs > 1;
  if (value <= INT_MAX && !wide)
    e->type.base = is_unsigned ? OP2I_C_U32 : OP2I_C_I32;
  else if (value <= UINT_MAX && !wide && (is_unsigned || !decimal))
    e->type.base = OP2I_C_U32;
  else
    e->type.base = is_unsigned || value > LLONG_MAX ? OP2I_C_U64 : OP2I_C_I64;
  e->known = value <= INT_MAX;
  e->value = e->known ? (int64_t)value : 0;
}

struct op2i_simd_node *op2i_simd_literal(struct op2i_simd_parser *p) {
  const struct op2i_piece *t = &p->r.tokens[p->r.at++];
  struct op2i_simd_node *e = op2i_simd_node(p->l, OP2I_SIMD_LITERAL, t->line);
  e->text = op2i_simd_string(p->l, t->text, (size_t)t->length);
  if (t->kind == OP2I_TOK_CHAR)
    e->type.base = OP2I_C_I32;
  else if (is_float(e->text, t->length))
    float_literal(p, e, e->text, t->length);
  else
    integer_literal(p, e, e->text);
  if (t->kind == OP2I_TOK_CHAR && t->text[0] != '\'')
    op2i_simd_refuse(p->l, "has a wide character in line %d", t->line);
  return e;
}

static struct op2i_simd_node *standard(struct op2i_simd_parser *p, const char *text,
                                       enum op2i_c_base base) {
  struct op2i_simd_node *e = op2i_simd_node(p->l, OP2I_SIMD_LITERAL, op2i_simd_line(p));
  e->text = text;
  e->type.base = base;
  p->r.at++;
  return e;
}

struct op2i_simd_node *op2i_simd_standard(struct op2i_simd_parser *p) {
  static const struct {
    const char *name;
    enum op2i_c_base base;
  } names[] = {{"INFINITY", OP2I_C_F32},    {"NAN", OP2I_C_F32},         {"HUGE_VALF", OP2I_C_F32},
               {"FLT_EPSILON", OP2I_C_F32}, {"FLT_MAX", OP2I_C_F32},     {"FLT_MIN", OP2I_C_F32},
               {"HUGE_VAL", OP2I_C_F64},    {"DBL_EPSILON", OP2I_C_F64}, {"DBL_MAX", OP2I_C_F64},
               {"DBL_MIN", OP2I_C_F64},     {"M_E", OP2I_C_F64},         {"M_LOG2E", OP2I_C_F64},
               {"M_LOG10E", OP2I_C_F64},    {"M_LN2", OP2I_C_F64},       {"M_LN10", OP2I_C_F64},
               {"M_PI", OP2I_C_F64},        {"M_PI_2", OP2I_C_F64},      {"M_PI_4", OP2I_C_F64},
               {"M_1_PI", OP2I_C_F64},      {"M_2_PI", OP2I_C_F64},      {"M_2_SQRTPI", OP2I_C_F64},
               {"M_SQRT2", OP2I_C_F64},     {"M_SQRT1_2", OP2I_C_F64},   {"INT32_MAX", OP2I_C_I32},
               {"INT32_MIN", OP2I_C_I32},   {"INT64_MAX", OP2I_C_I64},   {"INT64_MIN", OP2I_C_I64},
               {"UINT32_MAX", OP2I_C_U32}};
  /* Values for names of headers that the text does not include. */
  static const struct {
    const char *name, *text;
    unsigned header;
  } values[] = {{"INT_MAX", "INT32_MAX", OP2I_SIMD_LIMITS},
                {"INT_MIN", "INT32_MIN", OP2I_SIMD_LIMITS},
                {"true", "1", OP2I_SIMD_STDBOOL},
                {"false", "0", OP2I_SIMD_STDBOOL},
                {"NULL", "0", 0}};
  const struct op2i_piece *t = &p->r.tokens[p->r.at];
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (op2i_piece_is(t, names[i].name)) return standard(p, names[i].name, names[i].base);
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    if (!op2i_piece_is(t, values[i].name)) continue;
    if (values[i].header && !(p->l->headers & values[i].header))
      op2i_simd_refuse(p->l, "uses %s in line %d, and includes no header that knows it",
                       values[i].name, t->line);
    struct op2i_simd_node *e = standard(p, values[i].text, OP2I_C_I32);
    e->known = values[i].header == 0; /* a null pointer */
    return e;
  }
  return NULL;
}
