/* SPDX-License-Identifier: BSD-3-Clause */
/* Types: how declarations spell them, and the common type of two operands. */
#include <string.h>

#include "simd_base.h"
#include "simd_complex.h"
#include "simd_expr.h"
#include "simd_parse.h"
#include "simd_record.h"
#include "simd_stmt.h"
#include "simd_tree.h"

/* ---- a parser's position --------------------------------------------------------------------- */

bool op2i_simd_at(const struct op2i_simd_parser *p, const char *spelling) {
  return op2i_piece_is(&p->r.tokens[p->r.at], spelling);
}

bool op2i_simd_accept(struct op2i_simd_parser *p, const char *spelling) {
  if (p->r.at >= p->r.count || !op2i_simd_at(p, spelling)) return false;
  p->r.at++;
  return true;
}

void op2i_simd_expect(struct op2i_simd_parser *p, const char *spelling) {
  const struct op2i_piece *t = &p->r.tokens[p->r.at];
  if (!op2i_simd_accept(p, spelling))
    op2i_simd_refuse(p->l, "has '%.*s' in line %d where '%s' was expected",
                     t->length < 40 ? t->length : 40, t->text, t->line, spelling);
}

int op2i_simd_line(const struct op2i_simd_parser *p) { return p->r.tokens[p->r.at].line; }

/* ---- kinds of numbers ------------------------------------------------------------------------ */

int op2i_simd_size(enum op2i_c_base base) {
  switch (base) {
  case OP2I_C_I8:
  case OP2I_C_U8: return 1;
  case OP2I_C_I16:
  case OP2I_C_U16: return 2;
  case OP2I_C_I32:
  case OP2I_C_U32:
  case OP2I_C_F32: return 4;
  default: return 8;
  }
}

enum op2i_c_base op2i_simd_promoted(enum op2i_c_base base) {
  return base < OP2I_C_I32 ? OP2I_C_I32 : base;
}

/* The usual arithmetic conversions (C11 6.3.1.8); the enumeration is in the order of conversion
 * ranks. */
enum op2i_c_base op2i_simd_common(enum op2i_c_base a, enum op2i_c_base b) {
  a = op2i_simd_promoted(a);
  b = op2i_simd_promoted(b);
  return a > b ? a : b;
}

/* ---- declarations ---------------------------------------------------------------------------- */

static const struct op2i_simd_var *find_name(const struct op2i_c_reader *r) {
  const struct op2i_simd_parser *p = r->client;
  const struct op2i_simd_var *var = p->scope;
  while (var && !op2i_piece_is(&r->tokens[r->at], var->name)) var = var->outer;
  return var;
}

static bool is_bool(const struct op2i_c_reader *r) {
  return op2i_piece_is(&r->tokens[r->at], "bool") && !find_name(r);
}

static int named(struct op2i_c_reader *r, struct op2i_c_type *type) {
  const struct op2i_simd_var *var = find_name(r);
  *type = var ? var->type : (struct op2i_c_type){.base = OP2I_C_BOOL};
  return var ? (var->is_type ? 1 : -1) : is_bool(r);
}

static void word(struct op2i_c_reader *r) {
  struct op2i_simd_parser *p = r->client;
  if (is_bool(r) && !(p->l->headers & OP2I_SIMD_STDBOOL))
    op2i_simd_refuse(p->l, "uses bool in line %d, and includes no header that knows it",
                     op2i_simd_line(p));
}

static int64_t bracket(struct op2i_c_reader *r, enum op2i_c_bracket kind) {
  struct op2i_simd_parser *p = r->client;
  if (kind == OP2I_C_ENUMERATORS) {
    p->enumerates++;
    p->next = 0;
    op2i_c_enumerators(r);
  }
  if (kind != OP2I_C_EXTENT) return -1;
  p->r.at++;
  while (op2i_c_declares(&p->r.tokens[p->r.at])) p->r.at++;
  int64_t extent = op2i_simd_at(p, "]") ? -1 : op2i_simd_extent(p);
  op2i_simd_expect(p, "]");
  return extent;
}

void op2i_simd_check(struct op2i_simd_parser *p, struct op2i_c_decl *decl) {
  const struct op2i_piece *t = decl->special;
  if (decl->said & OP2I_C_NESTED)
    op2i_simd_refuse(p->l, "is nested too deep in line %d", op2i_simd_line(p));
  if (decl->what != OP2I_C_VALUE)
    op2i_simd_refuse(p->l, "declares a function in line %d", op2i_simd_line(p));
  if (t && op2i_c_word(t))
    op2i_simd_refuse(p->l, "uses %.*s in line %d, which is not known", t->length, t->text, t->line);
  else if (t)
    op2i_simd_refuse(p->l, "uses '%.*s' in line %d", t->length, t->text, t->line);
  if (decl->type.base == OP2I_C_LONG_DOUBLE)
    op2i_simd_refuse(p->l, "uses long double in line %d", op2i_simd_line(p));
  if (!decl->seen)
    op2i_simd_refuse(p->l, "has a declaration in line %d that cannot be read", op2i_simd_line(p));
  if (decl->said & OP2I_C_DEEP)
    op2i_simd_refuse(p->l, "has more than %d levels of pointers and arrays in line %d",
                     (int)OP2I_C_LEVELS, op2i_simd_line(p));
  if (decl->type.base > OP2I_C_F64 && !decl->type.record) decl->type.base = OP2I_C_VOID;
}

void op2i_simd_unnamed(struct op2i_simd_parser *p, unsigned expected, struct op2i_c_type *type) {
  struct op2i_c_decl decl;
  unsigned outer = p->r.expected;
  p->r.expected = expected;
  op2i_c_specifiers(&p->r, &decl);
  op2i_simd_check(p, &decl);
  op2i_c_declarator(&p->r, &decl);
  op2i_simd_check(p, &decl);
  p->r.expected = outer;
  *type = decl.type;
  op2i_simd_check_record(p->l, type, decl.line);
  if (decl.name)
    op2i_simd_refuse(p->l, "has '%.*s' in line %d, which cannot be followed", decl.name->length,
                     decl.name->text, decl.name->line);
}

void op2i_simd_parse(struct op2i_simd_parser *p, int begin, int end) {
  int count;
  const struct op2i_piece *tokens = op2i_simd_expand(p->l, begin, end, &count);
  p->r = (struct op2i_c_reader){.tokens = tokens,
                                .count = count,
                                .client = p,
                                .asker = &op2i_simd_asker,
                                .named = named,
                                .word = word,
                                .record = op2i_simd_tagged,
                                .complex = op2i_simd_complex_record,
                                .bracket = bracket};
}
