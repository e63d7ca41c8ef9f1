/* SPDX-License-Identifier: BSD-3-Clause */
/* Signed integers wrap in C as op2/loop.h has it, and compilers of devices assume that they never
 * overflow: operations that may overflow are computed without a sign. Subscripts are left as they
 * are, since one that overflowed would leave its array, and so are counters of loops and what else
 * has bounds, so that addresses and numbers of turns stay known. */
#include "portable_wrap.h"

#include <stdio.h>
#include <string.h>

#include "portable_bounds.h"

typedef struct op2i_portable_state state;
typedef struct op2i_portable_value value;
typedef struct op2i_portable_note note;

/* A loop's counter: only the loop's step changes it. */
struct op2i_portable_counter {
  struct op2i_portable_counter *next;
  const struct op2i_piece *name;
  int begin, end;    /* where its bounds are known */
  int stepped, body; /* between these in the step it may be beyond its bounds */
  int64_t lo, hi;
};

static bool is(const state *p, int at, const char *word) { return op2i_portable_is(p, at, word); }

/* ---- what may overflow ------------------------------------------------------------------------ */

static void mark(state *p, value *v, bool address, bool used);

static void mark_all(state *p, value *list) {
  for (; list && !p->failed; list = list->next) mark(p, list, false, true);
}

static void keep(state *p, const value *v, bool used) {
  note *n = op2i_portable_note(p, v->begin, OP2I_PORTABLE_WRAP);
  n->value = v;
  n->middle = v->op;
  n->end = v->end;
  n->full = used;
  p->wanted = true;
}

/* An operand of a sum is a part of an address if the sum is, and if it has the sum's type. */
static void mark_sum(state *p, const value *v, bool address) {
  const bool pointer = v->type.nlevels > 0;
  value *const operands[] = {v->a, v->b};
  for (int k = 0; k < 2; k++) {
    const value *o = operands[k];
    const bool counts = k == 0 || !is(p, v->op, "<<");
    if (o)
      mark(p, operands[k], pointer || (address && counts && o->type.base == v->type.base), true);
  }
  if (v->overflows && !address) keep(p, v, true);
}

/* Notes of inner operations are made first, so that the outermost one at a position comes first. */
static void mark(state *p, value *v, bool address, bool used) {
  switch (v->form) {
  case OP2I_PORTABLE_GROUP: mark(p, v->a, address, used); return;
  case OP2I_PORTABLE_SUM: mark_sum(p, v, address); return;
  case OP2I_PORTABLE_INDEX:
    mark(p, v->a, false, true);
    mark(p, v->b, true, true);
    return;
  case OP2I_PORTABLE_COMMA:
    mark(p, v->a, false, false);
    mark(p, v->b, false, used);
    return;
  case OP2I_PORTABLE_SET:
    mark(p, v->a, false, true);
    mark(p, v->b, v->a->type.nlevels > 0, true);
    if (v->overflows) keep(p, v, used);
    return;
  case OP2I_PORTABLE_STEP:
    mark(p, v->a, false, true);
    if (v->overflows) keep(p, v, used);
    return;
  default: break;
  }
  mark_all(p, v->a);
  mark_all(p, v->b);
}

value *op2i_portable_wrap(state *p, int begin, int end) {
  const struct op2i_c_statement *s = p->r.inside;
  if (!p->wraps || !s || begin >= end) return NULL;
  value *v = op2i_portable_value(p, begin, end);
  const bool step = s->kind == OP2I_C_FOR && is(p, end, ")");
  const bool alone = s->kind == OP2I_C_EXPRESSION && is(p, end, ";");
  if (v && !p->failed) mark(p, v, false, !step && !alone);
  return v;
}

/* ---- counters of loops ------------------------------------------------------------------------ */

bool op2i_portable_counter(const state *p, int at, int64_t *lo, int64_t *hi) {
  const struct op2i_piece *t = &p->tokens[at];
  for (const struct op2i_portable_counter *c = p->counters; c; c = c->next)
    if (c->begin <= at && at < c->end && (at < c->stepped || at >= c->body) &&
        c->name->length == t->length && memcmp(c->name->text, t->text, (size_t)t->length) == 0) {
      *lo = c->lo;
      *hi = c->hi;
      return true;
    }
  return false;
}

/* The first position in [at, end) of the word outside of brackets, or `end`. */
static int find(const state *p, int at, int end, const char *word) {
  while (at < end && !is(p, at, word)) at = p->match[at] > at ? p->match[at] + 1 : at + 1;
  return at < end ? at : end;
}

static int behind_statement(const state *p, int at) {
  if (is(p, at, "{")) return p->match[at] + 1;
  if (is(p, at, "for") || is(p, at, "while") || is(p, at, "switch"))
    return is(p, at + 1, "(") ? behind_statement(p, p->match[at + 1] + 1) : p->count;
  if (is(p, at, "do")) return find(p, behind_statement(p, at + 1), p->count, ";") + 1;
  if (!is(p, at, "if") || !is(p, at + 1, "(")) return find(p, at, p->count, ";") + 1;
  int end = behind_statement(p, p->match[at + 1] + 1);
  return is(p, end, "else") ? behind_statement(p, end + 1) : end;
}

static bool same(const struct op2i_piece *a, const struct op2i_piece *b) {
  return a->length == b->length && memcmp(a->text, b->text, (size_t)a->length) == 0;
}

/* True if a token beside a name changes what it names, or may lead to that. */
static bool touches(const state *p, int at) {
  static const char *const behind[] = {
      "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--", "<<=", ">>=", NULL};
  int first = at - 1, last = at + 1;
  for (; is(p, first, "(") && is(p, last, ")"); last++) first--;
  bool found = is(p, first, "++") || is(p, first, "--") || is(p, first, "&") ||
               op2i_c_word(&p->tokens[at - 1]);
  for (int k = 0; behind[k] && !found; k++) found = is(p, last, behind[k]);
  return found;
}

static bool changed(const state *p, const struct op2i_piece *name, int begin, int end) {
  bool found = false;
  for (int at = begin; at < end && !found; at++)
    found =
        same(&p->tokens[at], name) && !is(p, at - 1, ".") && !is(p, at - 1, "->") && touches(p, at);
  return found;
}

/* True if the address of a variable of this name may be taken before `end`. */
static bool addressed(const state *p, const struct op2i_piece *name, int end) {
  bool found = false;
  for (int at = 1; at < end && !found; at++) {
    int first = at - 1;
    while (is(p, first, "(")) first--;
    found = same(&p->tokens[at], name) && is(p, first, "&");
  }
  return found;
}

/* The constant by which a step [begin, end) increments the counter, or 0. */
static int64_t increment(state *p, const struct op2i_piece *name, int begin, int end) {
  int64_t by = 0;
  const int other = begin + !same(&p->tokens[begin], name);
  if (other >= end || !same(&p->tokens[other], name)) return 0;
  if (end == begin + 2) {
    const int op = other == begin ? begin + 1 : begin;
    return is(p, op, "++") - is(p, op, "--");
  }
  if (other > begin || !op2i_portable_constant(p, begin + 2, end, &by)) return 0;
  if (by <= 0 || by > INT32_MAX) return 0;
  return is(p, begin + 1, "+=") ? by : is(p, begin + 1, "-=") ? -by : 0;
}

/* The sum of the increments in a step with comma operators; 0 if it is not constant. The
 * counter has its new value from `stepped` on. */
static int64_t increment_of_all(state *p, const struct op2i_piece *name, int begin, int end,
                                int *stepped) {
  int64_t by = 0;
  for (int at = begin, next; at < end; at = next + 1) {
    next = find(p, at, end, ",");
    const int64_t one = increment(p, name, at, next);
    if ((one && by) || (!one && changed(p, name, at, next))) return 0;
    by += one;
    if (one) *stepped = next;
  }
  return by;
}

/* True if [at, end) has an operator that takes the value of a comparison before it. */
static bool compares_more(const state *p, int at, int end) {
  static const char *const looser[] = {
      "<", ">", "<=", ">=", "==", "!=", "&", "^", "|", ",", "=", NULL};
  bool found = false;
  for (int k = 0; looser[k] && !found; k++) found = find(p, at, end, looser[k]) < end;
  return found;
}

/* Take the bounds that `NAME < limit` or the like at `at` gives the counter. */
static bool limited(state *p, struct op2i_portable_counter *c, int at, int end, bool up) {
  const bool strict = is(p, at + 1, up ? "<" : ">");
  if (!same(&p->tokens[at], c->name) || (!strict && !is(p, at + 1, up ? "<=" : ">="))) return false;
  if (compares_more(p, at + 2, end)) return false;
  const value *limit = op2i_portable_value(p, at + 2, end);
  if (!limit || limit->type.nlevels || limit->type.base < OP2I_C_BOOL ||
      limit->type.base > OP2I_C_I64 || (limit->type.base == OP2I_C_U32 && limit->hi > INT32_MAX))
    return false;
  if (up && limit->hi > INT64_MIN && limit->hi - strict < c->hi) c->hi = limit->hi - strict;
  if (!up && limit->lo < INT64_MAX && limit->lo + strict > c->lo) c->lo = limit->lo + strict;
  return true;
}

/* Bounds from a condition [begin, end), which may have parts between &&. */
static bool bounded(state *p, struct op2i_portable_counter *c, int begin, int end, bool up) {
  bool found = false;
  if (find(p, begin, end, "||") < end || find(p, begin, end, "?") < end ||
      find(p, begin, end, ",") < end)
    return false;
  c->lo = up ? c->lo : INT64_MIN;
  c->hi = up ? INT64_MAX : c->hi;
  for (int at = begin, next; at < end; at = next + 1) {
    next = find(p, at, end, "&&");
    found |= limited(p, c, at, next, up);
  }
  return found && c->lo <= c->hi;
}

/* The name that a loop's first part sets, and the position of its initial value; or null. */
static const struct op2i_piece *counted(state *p, int begin, int end, int *from,
                                        enum op2i_c_base *base) {
  const int equals = find(p, begin, end, "=");
  const struct op2i_piece *name = equals < end ? &p->tokens[equals - 1] : NULL;
  if (!name || equals == begin || !op2i_c_word(name) || find(p, begin, end, ",") < end) return NULL;
  *from = equals + 1;
  const struct op2i_portable_name *known = op2i_portable_named(p, name);
  if (equals == begin + 1) {
    *base = known && !known->type.nlevels ? known->type.base : OP2I_C_UNCLEAR;
    return name;
  }
  struct op2i_c_decl decl;
  const int before = p->r.at;
  p->r.at = begin;
  op2i_c_specifiers(&p->r, &decl);
  const bool plain = p->r.at == equals - 1;
  p->r.at = before;
  *base = plain ? decl.type.base : OP2I_C_UNCLEAR;
  return name;
}

void op2i_portable_count(state *p, int loop) {
  const int open = loop + 1, close = p->match[open];
  if (!p->wraps || !is(p, open, "(") || close < open) return;
  const int test = find(p, open + 1, close, ";"), step = find(p, test + 1, close, ";");
  enum op2i_c_base base = OP2I_C_UNCLEAR;
  int from = 0;
  const struct op2i_piece *name = counted(p, open + 1, test, &from, &base);
  if (!name || !op2i_portable_signed(base) || step + 2 >= close) return;
  struct op2i_portable_counter *c = op2i_arena_take(&p->macros.arena, sizeof *c);
  int stepped = close;
  const int64_t by = increment_of_all(p, name, step + 1, close, &stepped);
  const value *first = op2i_portable_value(p, from, test);
  if (!c || !first || !by || first->type.base > OP2I_C_I64) return;
  *c = (struct op2i_portable_counter){.next = p->counters,
                                      .name = name,
                                      .begin = step + 1,
                                      .stepped = stepped,
                                      .body = close + 1,
                                      .end = behind_statement(p, close + 1),
                                      .lo = first->lo,
                                      .hi = first->hi};
  if (!op2i_portable_within(first->lo, first->hi, base)) return;
  if (is(p, open + 2, "=") && addressed(p, name, loop)) return;
  if (changed(p, name, test + 1, step) || changed(p, name, close + 1, c->end)) return;
  if (!bounded(p, c, test + 1, step, by > 0)) return;
  p->counters = c;
}

/* ---- writing ---------------------------------------------------------------------------------- */

static const char *signed_type(enum op2i_c_base base) {
  return base == OP2I_C_I32 ? "int" : "long long";
}

static void sum(state *p, const value *v) {
  const char *type = signed_type(v->computed);
  if (!v->b) {
    op2i_text_add(p->out, " ((%s)(0u - (unsigned %s)(", type, type);
  } else {
    op2i_text_add(p->out, " ((%s)((unsigned %s)(", type, type);
    op2i_portable_print(p, v->a->begin, v->a->end);
    op2i_text_add(p->out, ") %.*s (", p->tokens[v->op].length, p->tokens[v->op].text);
  }
  const value *last = v->b ? v->b : v->a;
  op2i_portable_print(p, last->begin, last->end);
  op2i_text_add(p->out, ")))");
}

static void old(state *p, const value *v, const char *at) {
  if (at)
    op2i_text_add(p->out, "%s", at);
  else
    op2i_portable_print(p, v->a->begin, v->a->end);
}

/* The new value of what `at` names, or of v->a if it is null. Compilers of C read the old value last
 * if the operand changes something. */
static void result(state *p, const value *v, const char *at) {
  const char *type = signed_type(v->computed);
  const bool step = v->form == OP2I_PORTABLE_STEP;
  const char *op = p->tokens[v->op].text;
  const bool last = !step && v->b->changes && (*op == '+' || *op == '*');
  op2i_text_add(p->out, " = (%s)((unsigned %s)(", type, type);
  if (last)
    op2i_portable_print(p, v->b->begin, v->b->end);
  else
    old(p, v, at);
  op2i_text_add(p->out, ") %.*s (", p->tokens[v->op].length - 1, op);
  if (step)
    op2i_text_add(p->out, "1");
  else if (last)
    old(p, v, at);
  else
    op2i_portable_print(p, v->b->begin, v->b->end);
  op2i_text_add(p->out, "))");
}

/* A left side with side effects is evaluated once, through a reference or a pointer. A bit-field has
 * neither, so they lead to what it is a member of. */
static void set_once(state *p, const value *v) {
  const value *o = v->a;
  while (o->form == OP2I_PORTABLE_GROUP) o = o->a;
  const bool arrow = o->bits && is(p, o->op, "->");
  const value *to = o->bits ? o->a : o;
  const struct op2i_piece none = {.text = ""}, *name = o->bits ? &p->tokens[o->op + 1] : &none;
  char *at = op2i_arena_take(&p->macros.arena, (size_t)name->length + sizeof "(*op2_at).");
  if (!at) {
    p->failed = true;
    return;
  }
  const char *object = p->cxx || arrow ? "op2_at" : "(*op2_at)";
  const char *link = !o->bits ? "" : arrow ? "->" : ".";
  sprintf(at, "%s%s%.*s", object, link, name->length, name->text);
  op2i_text_add(p->out, p->cxx ? " [&] { auto &&op2_at = " : " ({ __auto_type op2_at = ");
  op2i_text_add(p->out, p->cxx || arrow ? "(" : "&(");
  op2i_portable_print(p, to->begin, to->end);
  op2i_text_add(p->out, p->cxx ? "); return %s" : "); %s", at);
  result(p, v, at);
  op2i_text_add(p->out, p->cxx ? "; }()" : "; })");
}

static void set(state *p, const value *v) {
  if (v->a->changes) {
    set_once(p, v);
    return;
  }
  op2i_text_add(p->out, " (");
  op2i_portable_print(p, v->a->begin, v->a->end);
  result(p, v, NULL);
  op2i_text_add(p->out, ")");
}

/* A postfix step yields the operand's old value. */
static void wrapped(state *p, const value *v, bool used) {
  const bool behind = v->form == OP2I_PORTABLE_STEP && v->op > v->begin && used;
  const char *type = signed_type(v->computed);
  if (v->form == OP2I_PORTABLE_SUM) {
    sum(p, v);
    return;
  }
  if (behind) op2i_text_add(p->out, " ((%s)((unsigned %s)(", type, type);
  set(p, v);
  if (behind) op2i_text_add(p->out, ") %s 1))", is(p, v->op, "++") ? "-" : "+");
}

int op2i_portable_wrapped(state *p, int at, int end) {
  note *n = op2i_portable_find(p, at, OP2I_PORTABLE_WRAP);
  while (n && (n->kind != OP2I_PORTABLE_WRAP || n->busy || n->end > end)) n = n->next;
  if (!n) return at;
  n->busy = true;
  wrapped(p, n->value, n->full);
  n->busy = false;
  return n->end;
}
