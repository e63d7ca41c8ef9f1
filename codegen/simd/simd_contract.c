/* SPDX-License-Identifier: BSD-3-Clause */
/* Rewrites a kernel's source so that products which are added are rounded once. */
#include "simd_contract.h"

#include <string.h>

#include "error.h"
#include "mem.h"
#include "simd_base.h"
#include "simd_expr.h"
#include "simd_parse.h"
#include "simd_stmt.h"
#include "simd_tree.h"

/* A range of the source's tokens, the last one included. */
struct range {
  int64_t first, last;
};

/* A sum in the source: `whole` becomes a call with these arguments. */
struct sum {
  struct range whole, a, b, c;
  bool minus;   /* c - a * b, not a * b + c */
  bool negated; /* a * b - c */
  bool assigns; /* c += a * b or c -= a * b */
};

struct contraction {
  const struct op2i_rewrite *rewrite;
  struct sum *sums; /* [capacity] */
  int64_t n, capacity;
  bool failed; /* out of memory */
};

/* ---- where nodes are in the source ----------------------------------------------------------- */

/* True if a piece is a token of the source, and not of a macro; or all that a macro's name stands
 * for. */
static bool is_token(const struct contraction *c, const struct op2i_piece *piece) {
  const struct op2i_tokens *tokens = &c->rewrite->unit.tokens;
  const struct op2i_token *token = &tokens->list[piece->at];
  if (piece->text == tokens->text + token->begin) return true;
  const bool name = token->kind == OP2I_TOK_WORD && piece[1].at == piece->at + 1;
  return name && piece[-1].at < piece->at && piece[1].text == tokens->text + token[1].begin;
}

/* The tokens of the pieces from `first` to before `end`. False if there are others between. */
static bool find_range(const struct contraction *c, const struct op2i_piece *first,
                       const struct op2i_piece *end, struct range *range) {
  const struct op2i_tokens *tokens = &c->rewrite->unit.tokens;
  if (first >= end || !is_token(c, first) || !is_token(c, end - 1)) return false;
  *range = (struct range){first->at, end[-1].at};
  for (int64_t t = range->first; t <= range->last; t++)
    if (tokens->list[t].kind == OP2I_TOK_DIRECTIVE || tokens->list[t].skipped) return false;
  return range->first <= range->last;
}

/* Find the three operands of a sum: those of the product, and what is left and right of the
 * operator. */
static bool find_operands(const struct contraction *c, const struct op2i_simd_node *e,
                          const struct op2i_simd_node *product, struct sum *sum) {
  const bool left = product == e->a;
  return is_token(c, e->middle) && is_token(c, product->middle) &&
         find_range(c, e->first, e->end, &sum->whole) &&
         find_range(c, product->first, product->middle, &sum->a) &&
         find_range(c, product->middle + 1, product->end, &sum->b) &&
         find_range(c, left ? e->middle + 1 : e->first, left ? e->end : e->middle, &sum->c) &&
         sum->a.last < sum->b.first &&
         (left ? sum->b.last < sum->c.first : sum->c.last < sum->a.first);
}

/* ---- sums ------------------------------------------------------------------------------------ */

static bool is_double(const struct op2i_simd_node *e) {
  return e->type.base == OP2I_C_F64 && !e->type.nlevels;
}

/* True for a product of doubles that fills these pieces, so that it has no parentheses. */
static bool is_product(const struct op2i_simd_node *e, const struct op2i_piece *first,
                       const struct op2i_piece *end) {
  return e->kind == OP2I_SIMD_BINARY && !strcmp(e->op, "*") && is_double(e) && e->first == first &&
         e->end == end;
}

static void keep(struct contraction *c, struct sum sum) {
  if (op2i_grow(&c->sums, sizeof sum, c->n, &c->capacity))
    c->failed = true;
  else
    c->sums[c->n++] = sum;
}

static void look_at(struct contraction *c, const struct op2i_simd_node *e) {
  const bool assigns = e->kind == OP2I_SIMD_ASSIGN;
  if ((!assigns && e->kind != OP2I_SIMD_BINARY) || !e->first || !is_double(e)) return;
  const bool minus = !strcmp(e->op, assigns ? "-=" : "-");
  if (!minus && strcmp(e->op, assigns ? "+=" : "+")) return;
  if (assigns && !op2i_simd_repeatable(e->a)) return;
  const bool left = !assigns && is_product(e->a, e->first, e->middle);
  if (!left && !is_product(e->b, e->middle + 1, e->end)) return;
  struct sum sum = {.minus = minus && !left, .negated = minus && left, .assigns = assigns};
  if (find_operands(c, e, left ? e->a : e->b, &sum)) keep(c, sum);
}

static void look_into(struct contraction *c, struct op2i_simd *l, const struct op2i_simd_node *e) {
  for (; e; e = e->next) {
    if (op2i_simd_enter(l, e->line)) {
      look_at(c, e);
      look_into(c, l, e->a);
      look_into(c, l, e->b);
      look_into(c, l, e->c);
      look_into(c, l, e->d);
    }
    op2i_simd_leave(l);
  }
}

/* Read one function by itself: another one may be such that it cannot be read. */
static void read_function(struct contraction *c, int item) {
  enum { ANY_LANES = 8 };
  struct op2i_text why = {0};
  const struct op2i_simd_request request = {.rewrite = c->rewrite, .lanes = ANY_LANES};
  struct op2i_simd l = {
      .request = &request, .unit = &c->rewrite->unit, .lanes = ANY_LANES, .bits = 64, .why = &why};
  struct op2i_simd_form form = {.item = item};
  op2i_simd_directives(&l);
  if (!op2i_simd_stopped(&l)) op2i_simd_globals(&l);
  if (!op2i_simd_stopped(&l)) op2i_simd_read(&l, &form);
  if (!op2i_simd_stopped(&l)) look_into(c, &l, form.body);
  c->failed = c->failed || l.failed || why.failed;
  op2i_simd_release(&l);
  op2i_text_free(&why);
}

/* ---- text ------------------------------------------------------------------------------------ */

struct writer {
  const struct contraction *c;
  const struct op2i_tokens *tokens;
  struct op2i_text *out;
};

static void write_range(const struct writer *w, struct range range);

/* The largest sum that begins at the first token of a range and ends in it, or null. */
static const struct sum *sum_at(const struct writer *w, struct range range) {
  const struct sum *found = NULL;
  for (const struct sum *s = w->c->sums; s < w->c->sums + w->c->n; s++)
    if (s->whole.first == range.first && s->whole.last <= range.last &&
        (!found || s->whole.last > found->whole.last))
      found = s;
  return found;
}

static int lines_in(const char *text, size_t length) {
  int lines = 0;
  for (size_t i = 0; i < length; i++) lines += text[i] == '\n';
  return lines;
}

static void write_sum(const struct writer *w, const struct sum *s) {
  const struct op2i_tokens *tokens = w->tokens;
  const size_t from = tokens->list[s->whole.first].begin, to = tokens->list[s->whole.last].end;
  const size_t begin = w->out->length;
  if (s->assigns) write_range(w, s->c);
  op2i_text_add(w->out, "%sop2_fused%s_f64(", s->assigns ? " = " : "", s->minus ? "_minus" : "");
  write_range(w, s->a);
  op2i_text_add(w->out, ", ");
  write_range(w, s->b);
  op2i_text_add(w->out, s->negated ? ", -(" : ", ");
  write_range(w, s->c);
  op2i_text_add(w->out, s->negated ? "))" : ")");
  if (w->out->failed) return;
  int lines = lines_in(tokens->text + from, to - from);
  lines -= lines_in(w->out->chars + begin, w->out->length - begin);
  for (; lines > 0; lines--) op2i_text_add(w->out, "\n");
}

/* Copy tokens with what is between them, and the sums among them as calls. */
static void write_range(const struct writer *w, struct range range) {
  const struct op2i_tokens *tokens = w->tokens;
  for (int64_t t = range.first; t <= range.last;) {
    const struct sum *sum = sum_at(w, (struct range){t, range.last});
    const int64_t last = sum ? sum->whole.last : t;
    if (sum)
      write_sum(w, sum);
    else
      op2i_text_bytes(w->out, tokens->text + tokens->list[t].begin,
                      tokens->list[t].end - tokens->list[t].begin);
    t = last + 1;
    if (t <= range.last)
      op2i_text_bytes(w->out, tokens->text + tokens->list[last].end,
                      tokens->list[t].begin - tokens->list[last].end);
  }
}

op2_status op2i_simd_contract(const struct op2i_rewrite *rewrite, struct op2i_text *out) {
  const struct op2i_unit *unit = &rewrite->unit;
  struct contraction c = {.rewrite = rewrite};
  for (int i = 0; i < unit->nitems && !rewrite->member.kernel->whole.text.length; i++)
    if (unit->items[i].kind == OP2I_ITEM_FUNCTION) read_function(&c, i);
  if (c.n && !c.failed && unit->tokens.count) {
    const struct op2i_tokens *tokens = &unit->tokens;
    const struct writer w = {&c, tokens, out};
    op2i_text_bytes(out, tokens->text, tokens->list[0].begin);
    write_range(&w, (struct range){0, tokens->count - 1});
    op2i_text_add(out, "%s", tokens->text + tokens->list[tokens->count - 1].end);
  }
  op2i_free(c.sums);
  return c.failed || out->failed ? op2i_error_nomem("generated code") : OP2_SUCCESS;
}
