/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads expressions into trees with types (C11 6.5). */
#include <stdio.h>
#include <string.h>

#include "simd_base.h"
#include "simd_complex.h"
#include "simd_emit.h"
#include "simd_expr.h"
#include "simd_math.h"
#include "simd_parse.h"
#include "simd_record.h"
#include "simd_stmt.h"
#include "simd_tree.h"

static void unreadable(struct op2i_simd_parser *p) {
  const struct op2i_piece *t = &p->r.tokens[p->r.at];
  op2i_simd_refuse(p->l, "has '%.*s' in line %d, which cannot be followed",
                   t->length < 40 ? t->length : 40, t->text, t->line);
}

static bool numeric(const struct op2i_simd_node *e) {
  return e->type.nlevels == 0 && e->type.base != OP2I_C_VOID && e->type.base != OP2I_C_RECORD;
}

static void need_number(struct op2i_simd *l, const struct op2i_simd_node *e) {
  if (!numeric(e)) op2i_simd_refuse(l, "needs a number in line %d where there is none", e->line);
}

static void need_numbers(struct op2i_simd *l, const struct op2i_simd_node *a,
                         const struct op2i_simd_node *b) {
  need_number(l, a);
  need_number(l, b);
}

/* ---- types of operations --------------------------------------------------------------------- */

static bool one_of(const char *op, const char *const *list) {
  for (; *list; list++)
    if (strcmp(op, *list) == 0) return true;
  return false;
}

/* An array decays to a pointer to its first element. */
static struct op2i_c_type decayed(struct op2i_c_type type) {
  if (type.nlevels) type.levels[0] = 0;
  return type;
}

static struct op2i_c_type plain(enum op2i_c_base base) {
  return (struct op2i_c_type){.base = base};
}

struct op2i_c_type op2i_simd_led_to(struct op2i_c_type type) {
  type.nlevels--;
  for (int k = 0; k < type.nlevels; k++) type.levels[k] = type.levels[k + 1];
  return type;
}

/* True for pointers to the same, const or not. */
static bool same_pointers(const struct op2i_c_type *a, const struct op2i_c_type *b) {
  bool same = a->nlevels && a->nlevels == b->nlevels && a->base == b->base &&
              a->record == b->record && !a->levels[0];
  for (int k = 1; same && k < a->nlevels; k++) same = a->levels[k] == b->levels[k];
  return same;
}

static bool complex_with(const struct op2i_simd_node *a, const struct op2i_simd_node *b) {
  return op2i_simd_complex(&a->type) || op2i_simd_complex(&b->type);
}

static void fold(struct op2i_simd_node *e) {
  enum { MAX = 1 << 28 };
  static const char *const shifts[] = {"<<", ">>", 0};
  if (!e->a->known || !e->b->known) return;
  int64_t a = e->a->value, b = e->b->value, r = 0;
  bool good = true;
  switch (e->op[1] ? '?' : e->op[0]) {
  case '+': r = a + b; break;
  case '-': r = a - b; break;
  case '*': r = a * b; break;
  case '/': good = b != 0, r = good ? a / b : 0; break;
  case '%': good = b != 0, r = good ? a % b : 0; break;
  case '|': r = a | b; break;
  case '&': r = a & b; break;
  case '^': r = a ^ b; break;
  default:
    good = one_of(e->op, shifts) && a >= 0 && a < MAX && b >= 0 && b < 31;
    r = good ? *e->op == '<' ? a << b : a >> b : 0;
  }
  bool narrow = e->type.base == OP2I_C_I32, wide = e->type.base > OP2I_C_I32;
  bool plus = a >= 0 && b >= 0 && r >= 0; /* the same in unsigned numbers */
  e->known = good && r < MAX && r > -MAX && (narrow || (wide && plus));
  e->value = e->known ? r : 0;
}

static bool is_zero(const struct op2i_simd_node *e) {
  return !e->type.nlevels && e->known && e->value == 0;
}

static void compare_with_null(struct op2i_simd_node *e) {
  struct op2i_simd_node *pointer = is_zero(e->a) ? e->b : e->a;
  e->type = plain(OP2I_C_I32);
  while (pointer->kind != OP2I_SIMD_NAME && pointer->a) pointer = pointer->a;
  if (pointer->kind == OP2I_SIMD_NAME) pointer->var->nullable = true;
}

static void pointer_operation(struct op2i_simd *l, struct op2i_simd_node *e) {
  static const char *const equal[] = {"==", "!=", 0};
  static const char *const order[] = {"==", "!=", "<", ">", "<=", ">=", 0};
  const struct op2i_c_type *a = &e->a->type, *b = &e->b->type;
  const struct op2i_c_type pointer = decayed(*a);
  if (one_of(e->op, equal) && (is_zero(e->a) || is_zero(e->b)))
    compare_with_null(e);
  else if (strcmp(e->op, "+") == 0 && a->nlevels && !b->nlevels)
    e->type = decayed(*a);
  else if (strcmp(e->op, "+") == 0 && b->nlevels && !a->nlevels)
    e->type = decayed(*b);
  else if (strcmp(e->op, "-") == 0 && a->nlevels && !b->nlevels)
    e->type = decayed(*a);
  else if (one_of(e->op, order) && same_pointers(&pointer, b))
    e->type = plain(OP2I_C_I32);
  else
    op2i_simd_refuse(l, "applies '%s' to a pointer in line %d", e->op, e->line);
}

struct op2i_simd_node *op2i_simd_truth(struct op2i_simd *l, struct op2i_simd_node *e) {
  if (e && op2i_simd_record(&e->type)) need_number(l, e);
  if (!e || !e->type.nlevels || op2i_simd_stopped(l)) return e;
  struct op2i_simd_node *zero = op2i_simd_node(l, OP2I_SIMD_LITERAL, e->line);
  zero->text = "0";
  zero->known = true;
  zero->type = plain(OP2I_C_I32);
  return op2i_simd_operation(l, "!=", e, zero);
}

struct op2i_simd_node *op2i_simd_operation(struct op2i_simd *l, const char *op,
                                           struct op2i_simd_node *a, struct op2i_simd_node *b) {
  static const char *const truth[] = {"<", ">", "<=", ">=", "==", "!=", "&&", "||", 0};
  static const char *const joined[] = {"&&", "||", 0};
  static const char *const whole[] = {"%", "&", "|", "^", "<<", ">>", 0};
  struct op2i_simd_node *e = op2i_simd_node(l, OP2I_SIMD_BINARY, a->line);
  if (one_of(op, joined)) a = op2i_simd_truth(l, a), b = op2i_simd_truth(l, b);
  e->op = op;
  e->a = a;
  e->b = b;
  if (strcmp(op, ",") == 0) {
    e->type = decayed(b->type);
    return e;
  }
  if (a->type.nlevels || b->type.nlevels) {
    pointer_operation(l, e);
    return e;
  }
  if (complex_with(a, b) && !op2i_simd_stopped(l)) return op2i_simd_complex_binary(l, op, a, b);
  need_numbers(l, a, b);
  if (one_of(op, whole) && (op2i_simd_float(a->type.base) || op2i_simd_float(b->type.base)))
    op2i_simd_refuse(l, "applies '%s' to a floating-point number in line %d", op, a->line);
  if (one_of(op, truth))
    e->type = plain(OP2I_C_I32);
  else if (strcmp(op, "<<") == 0 || strcmp(op, ">>") == 0)
    e->type = plain(op2i_simd_promoted(a->type.base));
  else
    e->type = plain(op2i_simd_common(a->type.base, b->type.base));
  fold(e);
  return e;
}

/* ---- primary expressions --------------------------------------------------------------------- */

static struct op2i_simd_node *name(struct op2i_simd_parser *p) {
  const struct op2i_piece *t = &p->r.tokens[p->r.at];
  struct op2i_simd_node *e = op2i_simd_node(p->l, OP2I_SIMD_NAME, t->line);
  struct op2i_simd_var *var = p->scope;
  while (var && !op2i_piece_is(t, var->name)) var = var->outer;
  if (var && (var->is_type || var->hidden || var->line > t->line))
    op2i_simd_refuse(p->l, "uses %.*s in line %d, which is not known", t->length, t->text, t->line);
  if (!var) {
    struct op2i_simd_node *standard = op2i_simd_standard(p);
    if (standard) return standard;
    if (op2i_piece_is(t, "_Complex_I") && p->l->headers & OP2I_SIMD_HAS_COMPLEX) {
      p->r.at++;
      return op2i_simd_imaginary(p->l, t->line);
    }
    op2i_simd_refuse(p->l, "uses %.*s in line %d, which is not known", t->length, t->text, t->line);
    return e;
  }
  p->r.at++;
  e->var = var;
  e->type = var->type;
  e->known = var->known;
  e->value = var->known ? var->lo : 0;
  return e;
}

static void arguments(struct op2i_simd_parser *p, struct op2i_simd_node *call) {
  struct op2i_simd_node **tail = &call->a;
  op2i_simd_expect(p, "(");
  while (!op2i_simd_at(p, ")") && !op2i_simd_stopped(p->l)) {
    *tail = op2i_simd_assignment(p);
    tail = &(*tail)->next;
    if (!op2i_simd_accept(p, ",")) break;
  }
  op2i_simd_expect(p, ")");
}

static void library_call(struct op2i_simd_parser *p, struct op2i_simd_node *e, bool single) {
  int n = 0;
  for (struct op2i_simd_node *a = e->a; a && !op2i_simd_stopped(p->l); a = a->next) {
    need_number(p->l, a);
    n++;
  }
  if (n != op2i_simd_math_arity(e->math) && !op2i_simd_stopped(p->l))
    op2i_simd_refuse(p->l, "calls %s with %d arguments in line %d", e->text, n, e->line);
  e->value = single;
  e->type = plain(op2i_simd_math_type(e->math, single, 0));
}

static struct op2i_simd_node *call(struct op2i_simd_parser *p) {
  const struct op2i_piece *t = &p->r.tokens[p->r.at];
  struct op2i_simd_node *e = op2i_simd_node(p->l, OP2I_SIMD_CALL, t->line);
  bool single = false;
  for (const struct op2i_simd_var *v = p->scope; v; v = v->outer)
    if (op2i_piece_is(t, v->name))
      op2i_simd_refuse(p->l, "calls %s in line %d, which is no function", v->name, t->line);
  e->text = op2i_simd_string(p->l, t->text, (size_t)t->length);
  e->item = op2i_simd_function(p->l, t->text, (size_t)t->length);
  if (e->item < 0) e->math = op2i_simd_math_find(t, &single);
  bool memory = e->item < 0 && op2i_simd_memory_name(t);
  bool complex =
      e->item < 0 && !e->math && p->l->headers & OP2I_SIMD_HAS_COMPLEX && op2i_simd_complex_name(t);
  if (memory && !(p->l->headers & OP2I_SIMD_STRING))
    op2i_simd_refuse(p->l, "calls %s in line %d, and includes no header that knows it", e->text,
                     t->line);
  if (e->item < 0 && !e->math && !memory && !complex)
    op2i_simd_refuse(p->l, "calls %s in line %d, which is not known", e->text, t->line);
  if (e->item < 0 && e->math && e->math->types[1] != 'd' && !(p->l->headers & OP2I_SIMD_STDLIB))
    op2i_simd_refuse(p->l, "calls %s in line %d, and includes no header that knows it", e->text,
                     t->line);
  p->r.at++;
  arguments(p, e);
  if (op2i_simd_stopped(p->l)) return e;
  if (memory) return op2i_simd_memory(p, e);
  if (complex) return op2i_simd_complex_call(p->l, e);
  if (e->math)
    library_call(p, e, single);
  else
    e->type = op2i_simd_result(p->l, e->item);
  return e;
}

static struct op2i_simd_node *primary(struct op2i_simd_parser *p) {
  const struct op2i_piece *t = &p->r.tokens[p->r.at];
  if (t->kind == OP2I_TOK_NUMBER || t->kind == OP2I_TOK_CHAR) return op2i_simd_literal(p);
  if (op2i_c_word(t) && op2i_piece_is(&t[1], "(")) return call(p);
  if (op2i_c_word(t)) return name(p);
  if (op2i_simd_at(p, "(") && !op2i_piece_is(&t[1], "{")) {
    p->r.at++;
    struct op2i_simd_node *e = op2i_simd_expression(p);
    op2i_simd_expect(p, ")");
    return e;
  }
  unreadable(p);
  return op2i_simd_node(p->l, OP2I_SIMD_LITERAL, t->line);
}

/* ---- postfix and unary operators ------------------------------------------------------------- */

/* A member of what a function returns is no place, nor is an element of such a member. */
static bool is_lvalue(const struct op2i_simd_node *e) {
  while (e->kind == OP2I_SIMD_MEMBER ||
         (e->kind == OP2I_SIMD_INDEX && e->a->kind == OP2I_SIMD_MEMBER))
    e = e->a;
  return e->kind == OP2I_SIMD_NAME || e->kind == OP2I_SIMD_INDEX ||
         (e->kind == OP2I_SIMD_UNARY && strcmp(e->op, "*") == 0);
}

static void need_lvalue(struct op2i_simd *l, const struct op2i_simd_node *e) {
  if (op2i_simd_stopped(l)) return;
  const struct op2i_simd_node *at = e;
  while (at->kind == OP2I_SIMD_INDEX || at->kind == OP2I_SIMD_MEMBER) at = at->a;
  if (!is_lvalue(e)) op2i_simd_refuse(l, "assigns to no variable in line %d", e->line);
  if (at->kind == OP2I_SIMD_NAME && at->var->fixed)
    op2i_simd_refuse(l, "assigns to %s in line %d, which is a constant", at->var->name, e->line);
}

static const char *spelled(struct op2i_simd_parser *p) {
  const struct op2i_piece *t = &p->r.tokens[p->r.at++];
  return op2i_simd_string(p->l, t->text, (size_t)t->length);
}

static void note_assigned(struct op2i_simd_node *lvalue) {
  if (lvalue->kind == OP2I_SIMD_NAME) lvalue->var->assigned++;
}

static struct op2i_simd_node *subscript(struct op2i_simd_parser *p, struct op2i_simd_node *a) {
  struct op2i_simd_node *e = op2i_simd_node(p->l, OP2I_SIMD_INDEX, op2i_simd_line(p));
  op2i_simd_expect(p, "[");
  e->a = a;
  e->b = op2i_simd_expression(p);
  op2i_simd_expect(p, "]");
  if (op2i_simd_stopped(p->l)) return e;
  need_number(p->l, e->b);
  if (a->type.nlevels)
    e->type = op2i_simd_led_to(a->type);
  else
    op2i_simd_refuse(p->l, "subscripts what is no array in line %d", e->line);
  return e;
}

static struct op2i_simd_node *postfix(struct op2i_simd_parser *p, struct op2i_simd_node *e) {
  while (!op2i_simd_stopped(p->l)) {
    if (op2i_simd_at(p, "[")) {
      e = subscript(p, e);
    } else if (op2i_simd_at(p, "++") || op2i_simd_at(p, "--")) {
      struct op2i_simd_node *step = op2i_simd_node(p->l, OP2I_SIMD_POSTFIX, e->line);
      need_lvalue(p->l, e);
      if (op2i_simd_record(&e->type)) need_number(p->l, e);
      note_assigned(e);
      step->a = e;
      step->type = e->type;
      step->op = spelled(p);
      e = step;
    } else if (op2i_simd_at(p, ".") || op2i_simd_at(p, "->")) {
      e = op2i_simd_select_member(p, e);
    } else {
      break;
    }
  }
  return e;
}

/* Read the list of (T){...}. */
static struct op2i_simd_node *compound(struct op2i_simd_parser *p, struct op2i_simd_node *e) {
  e->kind = OP2I_SIMD_COMPOUND;
  e->type.readonly = false;
  e->a = op2i_simd_initializer(p, &e->type);
  if (!op2i_simd_stopped(p->l)) op2i_simd_check_initializer(p->l, &e->type, e->a);
  return postfix(p, e);
}

/* Read (T)x, from after the opening parenthesis on. */
static struct op2i_simd_node *cast(struct op2i_simd_parser *p) {
  struct op2i_simd_node *e = op2i_simd_node(p->l, OP2I_SIMD_CAST, op2i_simd_line(p));
  op2i_simd_unnamed(p, 0, &e->type);
  op2i_simd_expect(p, ")");
  if (op2i_simd_at(p, "{") && op2i_simd_record(&e->type)) return compound(p, e);
  if (op2i_simd_at(p, "{")) unreadable(p);
  e->a = op2i_simd_unary(p);
  if (op2i_simd_stopped(p->l)) return e;
  if (e->type.base == OP2I_C_VOID && !e->type.nlevels) return e;
  e->a = op2i_simd_converted(p->l, e->a, &e->type);
  if (op2i_simd_complex(&e->type) && e->a->type.record == e->type.record) return e->a;
  if (same_pointers(&e->type, &e->a->type)) return e->a;
  if (e->type.nlevels || !numeric(e->a) || e->type.base == OP2I_C_RECORD)
    op2i_simd_refuse(p->l, "converts a pointer in line %d", e->line);
  e->type.readonly = false;
  e->known =
      e->a->known && !op2i_simd_float(e->type.base) && e->a->value >= 0 && e->a->value <= INT8_MAX;
  e->value = e->known ? e->a->value : 0;
  return e;
}

static void unary_type(struct op2i_simd *l, struct op2i_simd_node *e) {
  const struct op2i_c_type *a = &e->a->type;
  switch (e->op[1] ? '?' : e->op[0]) {
  case '*':
    if (a->nlevels)
      e->type = op2i_simd_led_to(*a);
    else
      op2i_simd_refuse(l, "follows what is no pointer in line %d", e->line);
    break;
  case '&':
    e->type = *a;
    if (!is_lvalue(e->a) || a->nlevels == OP2I_C_LEVELS) {
      op2i_simd_refuse(l, "takes an address in line %d", e->line);
      break;
    }
    note_assigned(e->a);
    for (int k = e->type.nlevels++; k > 0; k--) e->type.levels[k] = e->type.levels[k - 1];
    e->type.levels[0] = 0;
    break;
  case '!':
    e->a = op2i_simd_truth(l, e->a);
    need_number(l, e->a);
    e->type = plain(OP2I_C_I32);
    break;
  case '?': /* ++ and -- */
    need_lvalue(l, e->a);
    if (op2i_simd_record(a)) need_number(l, e->a);
    note_assigned(e->a);
    e->type = *a;
    break;
  default:
    need_number(l, e->a);
    e->type = plain(op2i_simd_promoted(a->base));
    if (e->op[0] == '~' && op2i_simd_float(a->base)) need_number(l, e);
  }
}

static struct op2i_simd_node *operand(struct op2i_simd_parser *p) {
  static const char *const ops[] = {"-", "+", "!", "~", "*", "&", "++", "--"};
  const struct op2i_piece *t = &p->r.tokens[p->r.at];
  if (op2i_simd_at(p, "sizeof")) return op2i_simd_size_of(p);
  if (op2i_simd_at(p, "(")) {
    p->r.at++;
    if (op2i_c_at_type(&p->r)) return cast(p);
    p->r.at--;
  }
  bool found = false;
  for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) found = found || op2i_simd_at(p, ops[i]);
  if (!found) return postfix(p, primary(p));
  struct op2i_simd_node *e = op2i_simd_node(p->l, OP2I_SIMD_UNARY, t->line);
  e->op = spelled(p);
  e->a = op2i_simd_unary(p);
  if (op2i_simd_stopped(p->l)) return e;
  if (op2i_simd_complex(&e->a->type) && strchr("+-~", e->op[0]) && !e->op[1])
    return op2i_simd_complex_unary(p->l, e->op, e->a);
  unary_type(p->l, e);
  if (strcmp(e->op, "-") == 0 && e->a->known && e->type.base == OP2I_C_I32) {
    e->known = true;
    e->value = -e->a->value;
  }
  return e;
}

/* Parentheses and casts recurse through this function, which limits the depth. */
struct op2i_simd_node *op2i_simd_unary(struct op2i_simd_parser *p) {
  int line = op2i_simd_line(p);
  struct op2i_simd_node *e =
      op2i_simd_enter(p->l, line) ? operand(p) : op2i_simd_node(p->l, OP2I_SIMD_LITERAL, line);
  op2i_simd_leave(p->l);
  return e;
}

/* ---- binary and conditional operators -------------------------------------------------------- */

static int binary_tightness(const struct op2i_piece *t) {
  static const char *const levels[][5] = {
      {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="},
      {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
  for (int level = 0; level < 10; level++)
    for (int i = 0; levels[level][i]; i++)
      if (op2i_piece_is(t, levels[level][i])) return level + 1;
  return 0;
}

/* Note which pieces an operation was read from, up to where the parser is. */
static void note_pieces(const struct op2i_simd_parser *p, struct op2i_simd_node *e, int first,
                        int middle) {
  e->first = &p->r.tokens[first];
  e->middle = &p->r.tokens[middle];
  e->end = &p->r.tokens[p->r.at];
}

static struct op2i_simd_node *binary(struct op2i_simd_parser *p, int least) {
  const int first = p->r.at;
  struct op2i_simd_node *e = op2i_simd_unary(p);
  while (!op2i_simd_stopped(p->l)) {
    int tightness = binary_tightness(&p->r.tokens[p->r.at]);
    if (!tightness || tightness < least) break;
    const int middle = p->r.at;
    const char *op = spelled(p);
    struct op2i_simd_node *right = binary(p, tightness + 1);
    if (op2i_simd_stopped(p->l)) break;
    e = op2i_simd_operation(p->l, op, e, right);
    if (e->kind == OP2I_SIMD_BINARY) note_pieces(p, e, first, middle);
  }
  return e;
}

static struct op2i_simd_node *choice(struct op2i_simd_parser *p) {
  struct op2i_simd_node *a = binary(p, 1);
  if (op2i_simd_stopped(p->l) || !op2i_simd_accept(p, "?")) return a;
  struct op2i_simd_node *e = op2i_simd_node(p->l, OP2I_SIMD_CHOICE, a->line);
  e->a = a = op2i_simd_truth(p->l, a);
  if (op2i_simd_enter(p->l, e->line)) e->b = op2i_simd_expression(p);
  op2i_simd_leave(p->l);
  if (op2i_simd_stopped(p->l)) return e;
  op2i_simd_expect(p, ":");
  if (op2i_simd_enter(p->l, e->line)) e->c = choice(p);
  op2i_simd_leave(p->l);
  if (op2i_simd_stopped(p->l)) return e;
  need_number(p->l, a);
  if (numeric(e->b) && numeric(e->c)) {
    bool same = e->b->type.base == OP2I_C_BOOL && e->c->type.base == OP2I_C_BOOL;
    e->type = plain(same ? OP2I_C_I32 : op2i_simd_common(e->b->type.base, e->c->type.base));
  } else if (op2i_simd_record(&e->b->type) && op2i_simd_record(&e->c->type) &&
             e->b->type.record == e->c->type.record) {
    e->type = e->b->type;
    e->type.readonly = false;
  } else if (complex_with(e->b, e->c) && !e->b->type.nlevels && !e->c->type.nlevels) {
    op2i_simd_complex_choice(p->l, e);
  } else if (e->b->type.nlevels && e->b->type.nlevels == e->c->type.nlevels) {
    e->type = decayed(e->b->type);
    e->type.readonly = e->type.readonly || e->c->type.readonly;
  } else {
    op2i_simd_refuse(p->l, "chooses between different things in line %d", e->line);
  }
  return e;
}

/* Make z += x of complex numbers z = z + x. */
static void complex_step(struct op2i_simd *l, struct op2i_simd_node *e) {
  const char *op = op2i_simd_string(l, e->op, strlen(e->op) - 1);
  if (!op2i_simd_repeatable(e->a))
    op2i_simd_refuse(l, "assigns within the place assigned to in line %d", e->line);
  e->b = op2i_simd_converted(l, op2i_simd_operation(l, op, e->a, e->b), &e->a->type);
  e->op = "=";
}

struct op2i_simd_node *op2i_simd_assignment(struct op2i_simd_parser *p) {
  static const char *const ops[] = {
      "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
  const int first = p->r.at;
  struct op2i_simd_node *left = choice(p);
  const int middle = p->r.at;
  for (size_t i = 0; i < sizeof ops / sizeof ops[0] && !op2i_simd_stopped(p->l); i++) {
    if (!op2i_simd_at(p, ops[i])) continue;
    struct op2i_simd_node *e = op2i_simd_node(p->l, OP2I_SIMD_ASSIGN, left->line);
    e->op = ops[i];
    p->r.at++;
    e->a = left;
    if (op2i_simd_enter(p->l, e->line)) e->b = op2i_simd_assignment(p);
    op2i_simd_leave(p->l);
    if (op2i_simd_stopped(p->l)) return e;
    note_pieces(p, e, first, middle);
    need_lvalue(p->l, left);
    note_assigned(left);
    e->type = left->type;
    if (i == 0) e->b = op2i_simd_converted(p->l, e->b, &left->type);
    if (left->type.nlevels && left->type.levels[0])
      op2i_simd_refuse(p->l, "assigns to an array in line %d", e->line);
    if ((left->type.nlevels != 0) != (e->b->type.nlevels != 0) && i == 0)
      op2i_simd_refuse(p->l, "mixes pointers and numbers in line %d", e->line);
    if (op2i_simd_record(&left->type) && i == 0)
      op2i_simd_check_initializer(p->l, &left->type, e->b);
    else if (op2i_simd_complex(&left->type) && (numeric(e->b) || op2i_simd_complex(&e->b->type)))
      complex_step(p->l, e);
    else if (!left->type.nlevels && !op2i_simd_stopped(p->l))
      need_numbers(p->l, left, e->b);
    return e;
  }
  return left;
}

struct op2i_simd_node *op2i_simd_expression(struct op2i_simd_parser *p) {
  struct op2i_simd_node *e = op2i_simd_assignment(p);
  while (!op2i_simd_stopped(p->l) && op2i_simd_accept(p, ",")) {
    struct op2i_simd_node *right = op2i_simd_assignment(p);
    if (!op2i_simd_stopped(p->l)) e = op2i_simd_operation(p->l, ",", e, right);
  }
  return e;
}

int64_t op2i_simd_extent(struct op2i_simd_parser *p) {
  struct op2i_simd_node *e = choice(p);
  if (!op2i_simd_stopped(p->l) && (!e->known || e->value <= 0))
    op2i_simd_refuse(p->l, "has an array in line %d whose extent is not known", e->line);
  return e->known && e->value > 0 ? e->value : 1;
}
