/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints loops and switches that some lanes leave before others. A mask holds the lanes that are in
 * the loop; the loop ends when none is left. A jump clears bits of masks, and what follows it counts
 * in the lanes that are still on. */
#include <string.h>

#include "simd_emit.h"
#include "simd_expr.h"
#include "simd_helper.h"
#include "simd_lasting.h"
#include "simd_parse.h"
#include "simd_print.h"
#include "simd_tree.h"

enum { TIGHT_AND = 7, TIGHT_UNARY = 13 };

static void mask_type(struct op2i_simd_printer *p) {
  op2i_simd_type_name(p->l, OP2I_C_BOOL, p->out);
}

/* Emit: op2_m64x4 op2_mask3 = the lanes that are on; and return the number. */
static int begin_lanes(struct op2i_simd_printer *p, bool live) {
  int number = ++p->numbered;
  op2i_simd_indent(p);
  mask_type(p);
  op2i_text_add(p->out, " op2_mask%d = ", number);
  op2i_simd_print_on(p, p->mask);
  op2i_text_add(p->out, live ? " & op2_live;\n" : ";\n");
  return number;
}

static void any(struct op2i_simd_printer *p, int mask) {
  op2i_simd_help(p->l, OP2I_SIMD_ANY, OP2I_C_BOOL, p->out);
  op2i_text_add(p->out, "(op2_mask%d)", mask);
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* Print the operands of a condition that are the same in all lanes (each followed by &&), or those
 * that are not (joined by &). `n` are printed already; returns how many are now. */
static int print_operands(struct op2i_simd_printer *p, const struct op2i_simd_node *e, bool varying,
                          int n) {
  if (op2i_simd_divisible(e)) {
    n = print_operands(p, e->a, varying, n);
    return print_operands(p, e->b, varying, n);
  }
  if (e->varying != varying) return n;
  if (varying) {
    op2i_text_add(p->out, n ? " & " : "");
    op2i_simd_print_mask(p, e, TIGHT_UNARY);
  } else {
    op2i_simd_print(p, e, TIGHT_AND);
    op2i_text_add(p->out, " && ");
  }
  return n + 1;
}

/* Take the lanes out of the loop's mask in which the condition does not hold. `outer` is the mask of
 * the lanes that came to the loop. */
static void narrow(struct op2i_simd_printer *p, const struct op2i_simd_node *s, int mask,
                   int outer) {
  const bool divisible = op2i_simd_divisible(s->b), lasting = op2i_simd_lasting(s);
  op2i_text_add(p->out, "op2_mask%d %s= ", mask, lasting ? "" : "&");
  if (lasting && outer) {
    op2i_simd_print_on(p, outer);
    op2i_text_add(p->out, " & ");
  }
  if (divisible)
    print_operands(p, s->b, true, 0);
  else
    op2i_simd_print_mask(p, s->b, lasting && outer ? TIGHT_UNARY : TIGHT_AND);
  op2i_text_add(p->out, "; ");
}

/* Emit the condition of a loop: what is the same in all lanes, and a statement expression that takes
 * lanes out of its mask. */
static void narrowing(struct op2i_simd_printer *p, const struct op2i_simd_node *s, int mask,
                      int outer) {
  const struct op2i_simd_node *test = s->b && s->b->varying ? s->b : NULL;
  if (test && op2i_simd_divisible(test)) print_operands(p, test, false, 0);
  op2i_text_add(p->out, "({ ");
  if (s->leaves) op2i_text_add(p->out, "op2_mask%d &= op2_live; ", mask);
  if (test && test->hazard) {
    op2i_text_add(p->out, "if (");
    any(p, mask);
    op2i_text_add(p->out, ") ");
  }
  if (test) narrow(p, s, mask, outer);
  any(p, mask);
  op2i_text_add(p->out, "; })");
}

static void test_lanes(struct op2i_simd_printer *p, const struct op2i_simd_node *s, int mask,
                       int outer) {
  bool uniform = s->b && !s->b->varying;
  if (mask && (s->leaves || (s->b && !uniform)))
    narrowing(p, s, mask, outer);
  else if (mask)
    any(p, mask);
  if (mask && uniform) op2i_text_add(p->out, " && ");
  if (uniform) op2i_simd_print(p, s->b, mask ? TIGHT_AND : 2);
}

static void body_of(struct op2i_simd_printer *p, const struct op2i_simd_node *s, int loop) {
  struct op2i_simd_apart apart = {.s = s, .loop = loop, .on = loop, .outer = p->apart};
  const int outer = p->mask, tested = p->tested;
  op2i_text_add(p->out, "{\n");
  p->depth++;
  if (loop) p->mask = p->tested = loop;
  if (s->skips) apart.on = begin_lanes(p, s->leaves && !loop);
  p->apart = &apart;
  p->mask = apart.on;
  if (s->d->kind == OP2I_SIMD_BLOCK)
    op2i_simd_statements(p, s->d->a);
  else
    op2i_simd_statement(p, s->d);
  p->apart = apart.outer;
  p->mask = outer;
  p->tested = tested;
  p->depth--;
  op2i_simd_indent(p);
  op2i_text_add(p->out, "}");
}

static void head_of(struct op2i_simd_printer *p, const struct op2i_simd_node *s) {
  if (s->a && s->a->kind == OP2I_SIMD_DECL) {
    for (const struct op2i_simd_node *d = s->a; d; d = d->next) op2i_simd_statement(p, d);
  } else if (s->a) {
    op2i_simd_indent(p);
    op2i_simd_print_statement(p, s->a);
    op2i_text_add(p->out, ";\n");
  }
}

void op2i_simd_emit_loop(struct op2i_simd_printer *p, const struct op2i_simd_node *s) {
  const bool last = s->kind == OP2I_SIMD_DO;
  const int outer = p->mask, tested = p->tested;
  op2i_simd_indent(p);
  op2i_text_add(p->out, "{\n");
  p->depth++;
  head_of(p, s);
  int loop = s->parts ? begin_lanes(p, false) : 0;
  if (loop) p->mask = p->tested = loop;
  op2i_simd_indent(p);
  op2i_text_add(p->out, last ? "do " : "for (; ");
  if (!last) {
    test_lanes(p, s, loop, outer);
    op2i_text_add(p->out, s->c ? "; " : ";");
    if (s->c) op2i_simd_print_statement(p, s->c);
    op2i_text_add(p->out, ") ");
  }
  p->mask = outer;
  body_of(p, s, loop);
  if (last) {
    if (loop) p->mask = loop;
    op2i_text_add(p->out, " while (");
    test_lanes(p, s, loop, outer);
    op2i_text_add(p->out, ");");
  }
  p->mask = outer;
  p->tested = tested;
  op2i_text_add(p->out, "\n");
  p->depth--;
  op2i_simd_indent(p);
  op2i_text_add(p->out, "}\n");
}

/* ---- switches -------------------------------------------------------------------------------- */

static struct op2i_simd_node *kept_value(struct op2i_simd_printer *p,
                                         const struct op2i_simd_node *e) {
  struct op2i_simd_node *name = op2i_simd_node(p->l, OP2I_SIMD_NAME, e->line);
  struct op2i_text text = {0};
  op2i_text_add(&text, "op2_value%d", ++p->numbered);
  if (text.failed) p->l->failed = true;
  name->var =
      op2i_simd_var(p->l, op2i_simd_string(p->l, text.chars ? text.chars : "", text.length));
  op2i_text_free(&text);
  name->type.base = op2i_simd_promoted(e->type.base);
  name->varying = true;
  op2i_simd_indent(p);
  op2i_text_add(p->out, "const ");
  op2i_simd_type_name(p->l, name->type.base, p->out);
  op2i_text_add(p->out, " %s = ", name->var->text);
  op2i_simd_print_as(p, e, name->type.base, 1);
  op2i_text_add(p->out, ";\n");
  return name;
}

static void equals(struct op2i_simd_printer *p, struct op2i_simd_node *value,
                   struct op2i_simd_node *label) {
  struct op2i_simd_node *equal = op2i_simd_operation(p->l, "==", value, label);
  equal->varying = true;
  op2i_simd_print_mask(p, equal, TIGHT_UNARY);
}

/* Lanes come in at their label, or at `default` where there is none of theirs. */
static void come_in(struct op2i_simd_printer *p, const struct op2i_simd_node *s,
                    const struct op2i_simd_node *at, struct op2i_simd_node *value, int on) {
  const char *between = "~(";
  op2i_simd_indent(p);
  op2i_text_add(p->out, "op2_mask%d |= ", on);
  if (p->mask) {
    op2i_simd_print_on(p, p->mask);
    op2i_text_add(p->out, " & ");
  }
  if (at->a) {
    equals(p, value, at->a);
  } else {
    for (const struct op2i_simd_node *c = s->b->a; c; c = c->next) {
      if (c->kind != OP2I_SIMD_CASE || !c->a) continue;
      op2i_text_add(p->out, "%s", between);
      equals(p, value, c->a);
      between = " | ";
    }
    if (*between == '~')
      op2i_simd_print_on(p, 0);
    else
      op2i_text_add(p->out, ")");
  }
  op2i_text_add(p->out, ";\n");
}

static void switch_part(struct op2i_simd_printer *p, const struct op2i_simd_node *s) {
  bool guard = s->hazard && s->kind != OP2I_SIMD_DECL;
  if (guard) {
    op2i_simd_indent(p);
    op2i_text_add(p->out, "if (");
    any(p, p->mask);
    op2i_text_add(p->out, ") {\n");
  }
  p->depth += guard;
  op2i_simd_statement(p, s);
  p->depth -= guard;
  if (guard) {
    op2i_simd_indent(p);
    op2i_text_add(p->out, "}\n");
  }
  if (!s->leaves) return;
  op2i_simd_indent(p);
  op2i_text_add(p->out, "op2_mask%d &= op2_live;\n", p->mask);
}

void op2i_simd_emit_switch(struct op2i_simd_printer *p, const struct op2i_simd_node *s) {
  struct op2i_simd_apart apart = {.s = s, .outer = p->apart};
  int outer = p->mask;
  op2i_simd_indent(p);
  op2i_text_add(p->out, "{\n");
  p->depth++;
  struct op2i_simd_node *value = kept_value(p, s->a);
  apart.on = ++p->numbered;
  op2i_simd_indent(p);
  mask_type(p);
  op2i_text_add(p->out, " op2_mask%d = {0};\n", apart.on);
  p->apart = &apart;
  for (const struct op2i_simd_node *a = s->b->a; a && !op2i_simd_stopped(p->l); a = a->next) {
    p->mask = a->kind == OP2I_SIMD_CASE ? outer : apart.on;
    if (a->kind == OP2I_SIMD_CASE)
      come_in(p, s, a, value, apart.on);
    else
      switch_part(p, a);
  }
  p->apart = apart.outer;
  p->mask = outer;
  p->depth--;
  op2i_simd_indent(p);
  op2i_text_add(p->out, "}\n");
}

/* ---- jumps ----------------------------------------------------------------------------------- */

static void clear(struct op2i_simd_printer *p, int mask) {
  op2i_simd_indent(p);
  op2i_text_add(p->out, "op2_mask%d &= ~", mask);
  op2i_simd_print_on(p, p->mask);
  op2i_text_add(p->out, ";\n");
}

/* Clear the bits of the lanes that are on here, from the loop inwards: the mask of these lanes may
 * be the innermost one itself. */
static void clear_to_loop(struct op2i_simd_printer *p, const struct op2i_simd_apart *apart) {
  if (apart->s->kind == OP2I_SIMD_SWITCH) clear_to_loop(p, apart->outer);
  clear(p, apart->on);
}

void op2i_simd_emit_jump(struct op2i_simd_printer *p, const struct op2i_simd_node *s) {
  const struct op2i_simd_apart *apart = p->apart;
  bool breaks = s->kind == OP2I_SIMD_BREAK;
  if (!s->varying) {
    op2i_simd_indent(p);
    op2i_text_add(p->out, breaks ? "break;\n" : "continue;\n");
  } else if (breaks) {
    if (apart->loop && apart->loop != apart->on) clear(p, apart->loop);
    clear(p, apart->on);
  } else {
    clear_to_loop(p, apart);
  }
}
