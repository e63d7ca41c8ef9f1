/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads memcpy() and memset() of numbers as one assignment for each value, and sizeof. */
#include <stdio.h>
#include <string.h>

#include "simd_base.h"
#include "simd_expr.h"
#include "simd_parse.h"
#include "simd_tree.h"

/* A copy of more values than this is refused: it becomes so many assignments in the text. */
enum { VALUES_MAX = 256 };

static struct op2i_simd_node *number(struct op2i_simd *l, int64_t value, enum op2i_c_base base,
                                     const char *format, int line) {
  struct op2i_simd_node *e = op2i_simd_node(l, OP2I_SIMD_LITERAL, line);
  char text[48];
  snprintf(text, sizeof text, format, (long long)value);
  e->text = op2i_simd_string(l, text, strlen(text));
  e->type.base = base;
  e->known = true;
  e->value = value;
  return e;
}

/* ---- sizeof ---------------------------------------------------------------------------------- */

/* The number of values in an array of this type from a level on, or 0 where a pointer is among
 * them. */
static int64_t values_of(const struct op2i_c_type *type, int level) {
  int64_t n = 1;
  for (int k = level; k < type->nlevels && n < INT32_MAX; k++)
    n *= type->levels[k] > 0 ? type->levels[k] : 0;
  return n;
}

static int64_t bytes_of(const struct op2i_c_type *type) {
  int64_t values = 1;
  for (int k = 0; k < type->nlevels; k++) {
    if (type->levels[k] == 0) return values * (int64_t)sizeof(void *);
    values *= type->levels[k] > 0 ? type->levels[k] : 0;
  }
  if (type->base == OP2I_C_RECORD) return 0;
  return values * (type->base == OP2I_C_BOOL ? 1 : op2i_simd_size(type->base));
}

struct op2i_simd_node *op2i_simd_size_of(struct op2i_simd_parser *p) {
  struct op2i_c_type type = {0};
  int line = op2i_simd_line(p);
  p->r.at++;
  bool bracket = op2i_simd_accept(p, "(");
  if (bracket && op2i_c_at_type(&p->r)) {
    op2i_simd_unnamed(p, 0, &type);
    op2i_simd_expect(p, ")");
  } else {
    p->r.at -= bracket;
    type = op2i_simd_unary(p)->type;
  }
  int64_t bytes = bytes_of(&type);
  if (bytes <= 0 || bytes >= INT32_MAX || (type.base == OP2I_C_VOID && !type.nlevels))
    op2i_simd_refuse(p->l, "asks in line %d for a size that is not known", line);
  return number(p->l, bytes, OP2I_C_U64, "(size_t)%lld", line);
}

/* ---- memcpy and memset ----------------------------------------------------------------------- */

bool op2i_simd_repeatable(const struct op2i_simd_node *e) {
  for (; e; e = e->next) {
    bool acts = e->kind == OP2I_SIMD_ASSIGN || e->kind == OP2I_SIMD_POSTFIX ||
                e->kind == OP2I_SIMD_CALL || !strcmp(e->op, "++") || !strcmp(e->op, "--");
    if (acts || !op2i_simd_repeatable(e->a) || !op2i_simd_repeatable(e->b) ||
        !op2i_simd_repeatable(e->c))
      return false;
  }
  return true;
}

/* Value n of what a pointer or array leads to. */
static struct op2i_simd_node *value_at(struct op2i_simd *l, struct op2i_simd_node *e, int64_t n) {
  while (e->type.nlevels && !op2i_simd_stopped(l)) {
    struct op2i_simd_node *index = op2i_simd_node(l, OP2I_SIMD_INDEX, e->line);
    int64_t inner = values_of(&e->type, 1);
    index->a = e;
    index->b = number(l, n / inner, OP2I_C_I32, "%lld", e->line);
    index->type = op2i_simd_led_to(e->type);
    n %= inner;
    e = index;
  }
  return e;
}

/* The number of values that a call changes; refuses what is no whole number of them. */
static int64_t count_of(struct op2i_simd *l, const char *name, const struct op2i_simd_node *to,
                        const struct op2i_simd_node *from, const struct op2i_simd_node *bytes) {
  const struct op2i_c_type *a = &to->type, *b = &from->type;
  bool whole = a->nlevels && values_of(a, 1) > 0 && a->base > OP2I_C_BOOL &&
               a->base <= OP2I_C_F64 && bytes->known;
  if (from != bytes) whole = whole && b->nlevels && values_of(b, 1) > 0 && a->base == b->base;
  int64_t size = op2i_simd_size(a->base), n = whole ? bytes->value / size : 0;
  if (!whole || n * size != bytes->value)
    op2i_simd_refuse(l, "calls %s in line %d for what is no known number of numbers of one type",
                     name, to->line);
  for (int i = 0; i < 2; i++) {
    const struct op2i_c_type *type = i ? b : a;
    if (type->nlevels && type->levels[0] > 0 && n > values_of(type, 0))
      op2i_simd_refuse(l, "calls %s in line %d for more than an array has", name, to->line);
  }
  if (n > VALUES_MAX)
    op2i_simd_refuse(l, "calls %s in line %d for more than %d values", name, to->line,
                     (int)VALUES_MAX);
  if (!op2i_simd_repeatable(to) || !op2i_simd_repeatable(from))
    op2i_simd_refuse(l, "calls %s in line %d with an argument that does more than lead there", name,
                     to->line);
  return n;
}

bool op2i_simd_memory_name(const struct op2i_piece *name) {
  return op2i_piece_is(name, "memcpy") || op2i_piece_is(name, "memset");
}

struct op2i_simd_node *op2i_simd_memory(struct op2i_simd_parser *p,
                                        const struct op2i_simd_node *call) {
  struct op2i_simd *l = p->l;
  struct op2i_simd_node *to = call->a, *from = to ? to->next : NULL;
  struct op2i_simd_node *bytes = from ? from->next : NULL;
  struct op2i_simd_node *all = op2i_simd_node(l, OP2I_SIMD_CAST, call->line);
  bool copies = strcmp(call->text, "memcpy") == 0;
  if (!bytes || bytes->next || (!copies && !(from->known && from->value == 0))) {
    op2i_simd_refuse(l, "calls %s in line %d with other arguments than it is known with",
                     call->text, call->line);
    return all;
  }
  to->next = from->next = NULL;
  int64_t n = count_of(l, call->text, to, copies ? from : bytes, bytes);
  for (int64_t i = 0; i < n && !op2i_simd_stopped(l); i++) {
    struct op2i_simd_node *one = op2i_simd_node(l, OP2I_SIMD_ASSIGN, call->line);
    one->op = "=";
    one->a = value_at(l, to, i);
    one->b = copies ? value_at(l, from, i) : number(l, 0, OP2I_C_I32, "%lld", call->line);
    one->type = one->a->type;
    all->a = all->a ? op2i_simd_operation(l, ",", all->a, one) : one;
  }
  if (!all->a) all->a = number(l, 0, OP2I_C_I32, "%lld", call->line);
  return all; /* a cast to void */
}
