/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads expressions (C11 6.5) with the types of their values, and bounds of integers. */
#include "portable_value.h"

#include <string.h>

#include "portable_bounds.h"
#include "portable_wrap.h"

enum { DEPTH_MAX = 200 };

typedef struct op2i_portable_value value;

struct reader {
  struct op2i_portable_state *p;
  int at, end, depth;
  bool failed;
  value none; /* stands for a node that no memory is left for */
};

static bool is(const struct reader *r, const char *word) {
  return r->at < r->end && op2i_portable_is(r->p, r->at, word);
}

static bool accept(struct reader *r, const char *word) {
  bool found = is(r, word);
  r->at += found;
  return found;
}

static void expect(struct reader *r, const char *word) {
  if (!accept(r, word)) r->failed = true;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* ---- types ----------------------------------------------------------------------------------- */

static enum op2i_c_base promoted(const struct op2i_c_type *type) {
  if (type->nlevels || type->base < OP2I_C_BOOL || type->base > OP2I_C_F64) return OP2I_C_UNCLEAR;
  return type->base < OP2I_C_I32 ? OP2I_C_I32 : type->base;
}

/* The usual arithmetic conversions (6.3.1.8): the types are in the order of their ranks. */
static enum op2i_c_base common(const value *a, const value *b) {
  const enum op2i_c_base one = promoted(&a->type), other = promoted(&b->type);
  return one > other ? one : other;
}

static struct op2i_c_type element_of(const struct op2i_c_type *type) {
  struct op2i_c_type element = *type;
  if (!type->nlevels) return (struct op2i_c_type){.base = OP2I_C_UNCLEAR};
  element.nlevels--;
  for (int k = 0; k < element.nlevels; k++) element.levels[k] = type->levels[k + 1];
  return element;
}

static struct op2i_c_type pointer_to(const struct op2i_c_type *type) {
  struct op2i_c_type pointer = *type;
  if (type->nlevels == OP2I_C_LEVELS) return (struct op2i_c_type){.base = OP2I_C_UNCLEAR};
  for (int k = type->nlevels; k > 0; k--) pointer.levels[k] = pointer.levels[k - 1];
  pointer.levels[0] = 0;
  pointer.nlevels++;
  return pointer;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static value *node(struct reader *r, enum op2i_portable_form form, int begin) {
  value *v = op2i_arena_take(&r->p->macros.arena, sizeof *v);
  if (!v) {
    r->failed = true;
    r->none = (value){.form = OP2I_PORTABLE_PLAIN};
    v = &r->none;
  }
  v->form = form;
  v->begin = begin;
  op2i_portable_typed(v, (struct op2i_c_type){.base = OP2I_C_UNCLEAR});
  return v;
}

static value *comma(struct reader *r);
static value *assignment(struct reader *r);
static value *unary(struct reader *r);

static bool deeper(struct reader *r) {
  if (++r->depth > DEPTH_MAX) r->failed = true;
  return !r->failed;
}

/* ---- operands -------------------------------------------------------------------------------- */

/* Functions of C's headers that return integers. */
static enum op2i_c_base standard_result(const struct op2i_piece *t) {
  static const char *const ints[] = {"abs",      "ilogb",    "ilogbf",    "isnan",      "isinf",
                                     "isfinite", "isnormal", "signbit",   "fpclassify", "isless",
                                     "memcmp",   "strcmp",   "isgreater", NULL};
  static const char *const longs[] = {"labs",   "llabs",    "lround", "lroundf", "llround", "lrint",
                                      "lrintf", "llroundf", "llrint", "llrintf", NULL};
  for (int k = 0; ints[k]; k++)
    if (op2i_piece_is(t, ints[k])) return OP2I_C_I32;
  for (int k = 0; longs[k]; k++)
    if (op2i_piece_is(t, longs[k])) return OP2I_C_I64;
  return OP2I_C_UNCLEAR;
}

/* A constant of the program (op2_const). */
static bool constant(const struct reader *r, const struct op2i_piece *t, value *v) {
  const struct op2i_rewrite *rewrite = r->p->rewrite;
  for (int k = 0; k < rewrite->member.nconsts; k++) {
    const struct op2i_loop_const *c = &rewrite->consts[k];
    if (!op2i_piece_is(t, c->name)) continue;
    struct op2i_c_type type = {.base = op2i_c_base_of(c->type)};
    op2i_portable_typed(v, c->dim > 1 ? pointer_to(&type) : type);
    return true;
  }
  return false;
}

static value *name(struct reader *r) {
  const struct op2i_piece *t = &r->p->tokens[r->at];
  const struct op2i_portable_name *known = op2i_portable_named(r->p, t);
  value *v = node(r, OP2I_PORTABLE_PLAIN, r->at++);
  if (known && known->meaning == OP2I_PORTABLE_NUMBER) {
    v->lo = v->hi = known->value;
    op2i_portable_become(v, known->value > INT32_MAX ? OP2I_C_U32 : OP2I_C_I32);
  } else if (known && known->meaning == OP2I_PORTABLE_VALUE) {
    op2i_portable_typed(v, known->type);
    if (known->bounded) {
      v->lo = known->lo;
      v->hi = known->hi;
    }
    (void)op2i_portable_counter(r->p, v->begin, &v->lo, &v->hi);
  } else if (known || !constant(r, t, v)) {
    op2i_portable_typed(v,
                        (struct op2i_c_type){.base = known ? OP2I_C_UNCLEAR : standard_result(t)});
  }
  return v;
}

/* The values between braces, which is a list of parts. */
static value *braces(struct reader *r) {
  value *v = node(r, OP2I_PORTABLE_PLAIN, r->at), **tail = &v->a;
  expect(r, "{");
  while (!is(r, "}") && !r->failed && deeper(r)) {
    while (is(r, "[") || is(r, ".")) r->at = is(r, "[") ? r->p->match[r->at] + 1 : r->at + 2;
    (void)accept(r, "=");
    *tail = is(r, "{") ? braces(r) : assignment(r);
    tail = &(*tail)->next;
    r->depth--;
    if (!accept(r, ",")) break;
  }
  expect(r, "}");
  v->changes = true;
  return v;
}

/* ( type ) { ... } or ( type ) a */
static value *behind_type(struct reader *r, const struct op2i_portable_note *type) {
  value *v = node(r, OP2I_PORTABLE_PLAIN, r->at);
  r->at = r->p->match[r->at] + 1;
  v->changes = true;
  if (is(r, "{")) {
    v->a = braces(r);
    op2i_portable_typed(v, type->type);
    return v;
  }
  v->a = unary(r);
  v->changes = v->a->changes;
  if (type->type.nlevels || !op2i_portable_whole(type->type.base)) {
    op2i_portable_typed(v, type->type);
    return v;
  }
  v->lo = v->a->lo;
  v->hi = v->a->hi;
  if (!op2i_portable_whole(v->a->type.base) || v->a->type.nlevels) op2i_portable_unbounded(v);
  op2i_portable_become(v, type->type.base);
  return v;
}

static value *skipped(struct reader *r, int end) {
  value *v = node(r, OP2I_PORTABLE_PLAIN, r->at);
  r->at = end;
  v->changes = true;
  return v;
}

static value *in_parentheses(struct reader *r) {
  const struct op2i_portable_note *n = op2i_portable_find(r->p, r->at, OP2I_PORTABLE_TYPE);
  if (n) return behind_type(r, n);
  n = op2i_portable_find(r->p, r->at, OP2I_PORTABLE_STATEMENT);
  if (n) return skipped(r, n->end);
  value *v = node(r, OP2I_PORTABLE_GROUP, r->at++);
  v->a = comma(r);
  expect(r, ")");
  v->type = v->a->type;
  v->lo = v->a->lo;
  v->hi = v->a->hi;
  v->changes = v->a->changes;
  return v;
}

static value *generic(struct reader *r) {
  const struct op2i_portable_note *n = op2i_portable_find(r->p, r->at, OP2I_PORTABLE_GENERIC);
  value *v = skipped(r, n ? n->end : r->end), **tail = &v->a;
  for (const struct op2i_portable_choice *c = n ? n->choices : NULL; c; c = c->next) {
    *tail = op2i_portable_value(r->p, c->begin, c->end);
    if (!*tail) break;
    tail = &(*tail)->next;
  }
  r->failed |= !n;
  return v;
}

static value *primary(struct reader *r) {
  const struct op2i_piece *t = &r->p->tokens[r->at];
  value *v;
  if (r->at >= r->end) r->failed = true;
  if (r->failed) return node(r, OP2I_PORTABLE_PLAIN, r->at);
  if (is(r, "(")) return in_parentheses(r);
  if (is(r, "_Generic")) return generic(r);
  if (op2i_c_word(t)) return name(r);
  v = node(r, OP2I_PORTABLE_PLAIN, r->at++);
  if (t->kind == OP2I_TOK_NUMBER) {
    op2i_portable_number(v, t);
  } else if (t->kind == OP2I_TOK_CHAR) {
    v->lo = -128;
    v->hi = 255;
    op2i_portable_become(v, OP2I_C_I32);
  } else if (t->kind == OP2I_TOK_STRING) {
    while (r->at < r->end && r->p->tokens[r->at].kind == OP2I_TOK_STRING) r->at++;
    op2i_portable_typed(v, (struct op2i_c_type){.base = OP2I_C_I8, .nlevels = 1});
  } else {
    r->failed = true;
  }
  return v;
}

/* ---- behind and before operands -------------------------------------------------------------- */

static value *index_of(struct reader *r, value *a) {
  value *v = node(r, OP2I_PORTABLE_INDEX, a->begin);
  r->at++;
  v->a = a;
  v->b = comma(r);
  expect(r, "]");
  op2i_portable_typed(v, element_of(&a->type));
  v->changes = a->changes || v->b->changes;
  return v;
}

static value *call(struct reader *r, value *a) {
  value *v = node(r, OP2I_PORTABLE_PLAIN, a->begin), **tail = &v->b;
  v->a = a;
  r->at++;
  while (!is(r, ")") && !r->failed) {
    *tail = assignment(r);
    tail = &(*tail)->next;
    if (!accept(r, ",")) break;
  }
  expect(r, ")");
  if (a->end == a->begin + 1) op2i_portable_typed(v, a->type);
  v->changes = true;
  return v;
}

static value *member(struct reader *r, value *a) {
  value *v = node(r, OP2I_PORTABLE_PLAIN, a->begin);
  const struct op2i_c_type from = is(r, ".") ? a->type : element_of(&a->type);
  const struct op2i_piece *t = &r->p->tokens[r->at + 1];
  const struct op2i_c_record *record =
      from.base == OP2I_C_RECORD && !from.nlevels ? from.record : NULL;
  r->at += 2;
  v->a = a;
  v->changes = a->changes;
  for (const struct op2i_c_member *m = record ? record->members : NULL; m; m = m->next)
    if (m->name && op2i_piece_is(t, m->name)) {
      op2i_portable_typed(v, m->type);
      if (m->bits) op2i_portable_bits(v, m->bits, r->at - 2);
    }
  return v;
}

static value *step(struct reader *r, value *a, int begin, int op) {
  value *v = node(r, OP2I_PORTABLE_STEP, begin);
  const bool up = op2i_portable_is(r->p, op, "++");
  v->a = a;
  v->op = op;
  v->computed = promoted(&a->type);
  if (a->type.nlevels == 0 && op2i_portable_signed(a->type.base))
    v->overflows = up ? a->hi == INT64_MAX || !op2i_portable_within(a->lo, a->hi + 1, a->type.base)
                      : a->lo == INT64_MIN || !op2i_portable_within(a->lo - 1, a->hi, a->type.base);
  op2i_portable_typed(v, a->type);
  v->changes = true;
  return v;
}

static value *postfix(struct reader *r) {
  value *v = primary(r);
  v->end = r->at;
  for (bool found = true; found && !r->failed;) {
    if (is(r, "["))
      v = index_of(r, v);
    else if (is(r, "("))
      v = call(r, v);
    else if (is(r, ".") || is(r, "->"))
      v = member(r, v);
    else if (is(r, "++") || is(r, "--"))
      v = step(r, v, v->begin, r->at++);
    else
      found = false;
    v->end = r->at;
  }
  return v;
}

static value *negative(struct reader *r, int begin) {
  value *v = node(r, OP2I_PORTABLE_SUM, begin), zero = {.lo = 0};
  v->op = begin;
  v->a = unary(r);
  v->computed = promoted(&v->a->type);
  v->changes = v->a->changes;
  const bool known = op2i_portable_whole(v->computed) &&
                     op2i_portable_sum_bounds('-', &zero, v->a, &v->lo, &v->hi) &&
                     op2i_portable_within(v->lo, v->hi, v->computed);
  if (!known) op2i_portable_unbounded(v);
  v->overflows = !known && op2i_portable_signed(v->computed);
  op2i_portable_become(v, v->computed);
  return v;
}

static value *size_of(struct reader *r) {
  value *v = node(r, OP2I_PORTABLE_PLAIN, r->at++);
  if (is(r, "(") && op2i_portable_find(r->p, r->at, OP2I_PORTABLE_TYPE))
    r->at = r->p->match[r->at] + 1;
  else
    (void)unary(r); /* It is not evaluated. */
  op2i_portable_typed(v, (struct op2i_c_type){.base = OP2I_C_U64});
  return v;
}

static value *unary(struct reader *r) {
  const int begin = r->at;
  value *v;
  if (!deeper(r)) return node(r, OP2I_PORTABLE_PLAIN, begin);
  if (is(r, "sizeof") || is(r, "_Alignof")) {
    v = size_of(r);
  } else if (accept(r, "++") || accept(r, "--")) {
    v = step(r, unary(r), begin, begin);
  } else if (accept(r, "-")) {
    v = negative(r, begin);
  } else if (is(r, "+") || is(r, "~") || is(r, "!") || is(r, "*") || is(r, "&")) {
    const char op = *r->p->tokens[r->at++].text;
    v = node(r, OP2I_PORTABLE_PLAIN, begin);
    v->a = unary(r);
    v->changes = v->a->changes;
    if (op == '*') op2i_portable_typed(v, element_of(&v->a->type));
    if (op == '&') op2i_portable_typed(v, pointer_to(&v->a->type));
    if (op == '!')
      op2i_portable_typed(v, (struct op2i_c_type){.base = OP2I_C_BOOL}),
          op2i_portable_become(v, OP2I_C_I32);
    if (op == '+' || op == '~') {
      op2i_portable_typed(v, (struct op2i_c_type){.base = promoted(&v->a->type)});
      if (op == '+') v->lo = v->a->lo, v->hi = v->a->hi;
    }
  } else {
    v = postfix(r);
  }
  v->end = r->at;
  r->depth--;
  return v;
}

/* ---- operators with two operands -------------------------------------------------------------- */

static int level_here(const struct reader *r) {
  static const char *const levels[][5] = {
      {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="},
      {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
  enum { LEVELS = sizeof levels / sizeof *levels };
  for (int level = 0; level < LEVELS; level++)
    for (int k = 0; k < 5 && levels[level][k]; k++)
      if (is(r, levels[level][k])) return level + 1;
  return 0;
}

static void join(struct op2i_portable_state *p, value *v, int level) {
  const bool truth = level <= 2 || level == 6 || level == 7;
  const bool pointers = v->a->type.nlevels || v->b->type.nlevels;
  v->changes = v->a->changes || v->b->changes;
  v->computed = op2i_portable_shifts(p, v->op) ? promoted(&v->a->type) : common(v->a, v->b);
  if (truth) {
    op2i_portable_typed(v, (struct op2i_c_type){.base = OP2I_C_BOOL});
    op2i_portable_become(v, OP2I_C_I32);
  } else if (pointers) {
    const bool both = v->a->type.nlevels && v->b->type.nlevels;
    op2i_portable_typed(v, both                 ? (struct op2i_c_type){.base = OP2I_C_I64}
                           : v->a->type.nlevels ? v->a->type
                                                : v->b->type);
    if (v->type.nlevels) v->type.levels[0] = 0;
  } else if (op2i_portable_whole(v->computed) &&
             !(op2i_portable_shifts(p, v->op) && !op2i_portable_whole(v->b->type.base))) {
    op2i_portable_compute(p, v, v->op);
  } else {
    op2i_portable_typed(v, (struct op2i_c_type){.base = v->computed});
  }
}

static value *binary(struct reader *r, int least_level) {
  value *v = unary(r);
  for (int level = level_here(r); level >= least_level && level && !r->failed;
       level = level_here(r)) {
    const bool sums = is(r, "+") || is(r, "-") || is(r, "*") || is(r, "<<");
    value *made = node(r, sums ? OP2I_PORTABLE_SUM : OP2I_PORTABLE_PLAIN, v->begin);
    made->op = r->at++;
    made->a = v;
    made->b = binary(r, level + 1);
    made->end = r->at;
    join(r->p, made, level);
    v = made;
  }
  return v;
}

static value *choice(struct reader *r) {
  value *test = binary(r, 1);
  if (!is(r, "?")) return test;
  value *v = node(r, OP2I_PORTABLE_PLAIN, test->begin), *first = test;
  r->at++;
  v->a = test;
  if (!is(r, ":")) v->b = first = comma(r);
  expect(r, ":");
  value *second = choice(r);
  if (v->b)
    v->b->next = second;
  else
    v->b = second;
  v->end = r->at;
  v->changes = test->changes || first->changes || second->changes;
  const enum op2i_c_base base = common(first, second);
  if (op2i_portable_whole(base)) {
    v->lo = least(first->lo, second->lo);
    v->hi = most(first->hi, second->hi);
    op2i_portable_become(v, base);
  } else {
    op2i_portable_typed(v, first->type.nlevels    ? first->type
                           : second->type.nlevels ? second->type
                                                  : (struct op2i_c_type){.base = base});
  }
  return v;
}

static bool assigns(const struct reader *r) {
  static const char *const words[] = {
      "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", NULL};
  int k = 0;
  while (words[k] && !is(r, words[k])) k++;
  return words[k] != NULL;
}

static value *assignment(struct reader *r) {
  value *v = choice(r);
  if (!assigns(r) || r->failed || !deeper(r)) return v;
  const bool sums = is(r, "+=") || is(r, "-=") || is(r, "*=") || is(r, "<<=");
  value *made = node(r, sums ? OP2I_PORTABLE_SET : OP2I_PORTABLE_PLAIN, v->begin);
  made->op = r->at++;
  made->a = v;
  made->b = assignment(r);
  made->end = r->at;
  made->computed = op2i_portable_shifts(r->p, made->op) ? promoted(&v->type) : common(v, made->b);
  if (sums && op2i_portable_whole(made->computed) && op2i_portable_whole(made->b->type.base))
    op2i_portable_compute(r->p, made, made->op);
  op2i_portable_typed(made, v->type);
  made->changes = true;
  r->depth--;
  return made;
}

static value *comma(struct reader *r) {
  value *v = assignment(r);
  while (is(r, ",") && !r->failed) {
    value *made = node(r, OP2I_PORTABLE_COMMA, v->begin);
    made->op = r->at++;
    made->a = v;
    made->b = assignment(r);
    made->end = r->at;
    made->changes = v->changes || made->b->changes;
    made->type = made->b->type;
    made->lo = made->b->lo;
    made->hi = made->b->hi;
    v = made;
  }
  return v;
}

value *op2i_portable_value(struct op2i_portable_state *p, int begin, int end) {
  struct reader r = {.p = p, .at = begin, .end = end};
  value *v = is(&r, "{") ? braces(&r) : comma(&r);
  v->end = r.at;
  return r.failed || r.at != end ? NULL : v;
}
