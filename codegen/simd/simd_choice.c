/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints operators that skip operands, and calls. Operands that can do no harm are computed in all
 * lanes; the others only if some lane needs them, under a mask of those lanes. */
#include <string.h>

#include "simd_base.h"
#include "simd_emit.h"
#include "simd_helper.h"
#include "simd_math.h"
#include "simd_print.h"
#include "simd_record.h"
#include "simd_tree.h"
#include "simd_vary.h"

enum { TIGHT_CHOICE = 2, TIGHT_OR = 5, TIGHT_AND = 7, TIGHT_UNARY = 13 };

static void type_name(struct op2i_simd_printer *p, enum op2i_c_base base) {
  op2i_simd_type_name(p->l, base, p->out);
}

static void zero(struct op2i_simd_printer *p, enum op2i_c_base base) {
  op2i_text_add(p->out, "(");
  type_name(p, base);
  op2i_text_add(p->out, "){0}");
}

/* Emit: const op2_m64x8 op2_mask3 = [outer mask &] [~]mask; and return the number. */
static int begin_mask(struct op2i_simd_printer *p, const struct op2i_simd_node *e, bool negated) {
  int number = ++p->numbered;
  op2i_text_add(p->out, "const ");
  type_name(p, OP2I_C_BOOL);
  op2i_text_add(p->out, " op2_mask%d = ", number);
  if (p->mask) {
    op2i_simd_print_on(p, p->mask);
    op2i_text_add(p->out, " & ");
  }
  op2i_text_add(p->out, negated ? "~" : "");
  op2i_simd_print_mask(p, e, p->mask || negated ? TIGHT_UNARY : 1);
  op2i_text_add(p->out, "; ");
  return number;
}

static void guard(struct op2i_simd_printer *p, int mask) {
  op2i_text_add(p->out, "if (");
  op2i_simd_help(p->l, OP2I_SIMD_ANY, OP2I_C_BOOL, p->out);
  op2i_text_add(p->out, "(op2_mask%d)) ", mask);
}

/* ---- ?: -------------------------------------------------------------------------------------- */

static void guarded_choice(struct op2i_simd_printer *p, const struct op2i_simd_node *e) {
  int outer = p->mask, result = ++p->numbered;
  op2i_text_add(p->out, "({ ");
  int yes = begin_mask(p, e->a, false), no = ++p->numbered;
  op2i_text_add(p->out, "const ");
  type_name(p, OP2I_C_BOOL);
  op2i_text_add(p->out, " op2_mask%d = ", no);
  if (outer) {
    op2i_simd_print_on(p, outer);
    op2i_text_add(p->out, " & ");
  }
  op2i_text_add(p->out, "~op2_mask%d; ", yes);
  op2i_simd_base_name(p->l, &e->type, true, p->out);
  op2i_text_add(p->out, op2i_simd_record(&e->type) ? " op2_value%d = {}; " : " op2_value%d = {0}; ",
                result);
  guard(p, yes);
  p->mask = yes;
  op2i_text_add(p->out, "op2_value%d = ", result);
  op2i_simd_print_value(p, e->b, &e->type, true, 1);
  op2i_text_add(p->out, "; ");
  guard(p, no);
  p->mask = no;
  op2i_text_add(p->out, "op2_value%d = ", result);
  op2i_simd_print_select(p, &e->type);
  op2i_text_add(p->out, "(op2_mask%d, ", no);
  op2i_simd_print_value(p, e->c, &e->type, true, 1);
  op2i_text_add(p->out, ", op2_value%d); op2_value%d; })", result, result);
  p->mask = outer;
}

void op2i_simd_print_choice(struct op2i_simd_printer *p, const struct op2i_simd_node *e) {
  if (!e->a->varying) {
    op2i_text_add(p->out, "(");
    op2i_simd_print(p, e->a, TIGHT_CHOICE + 1);
    op2i_text_add(p->out, " ? ");
    op2i_simd_print_value(p, e->b, &e->type, true, TIGHT_CHOICE);
    op2i_text_add(p->out, " : ");
    op2i_simd_print_value(p, e->c, &e->type, true, TIGHT_CHOICE);
    op2i_text_add(p->out, ")");
    return;
  }
  if (e->b->hazard || e->c->hazard) {
    guarded_choice(p, e);
    return;
  }
  op2i_simd_print_select(p, &e->type);
  op2i_text_add(p->out, "(");
  op2i_simd_print_mask(p, e->a, 1);
  op2i_text_add(p->out, ", ");
  op2i_simd_print_value(p, e->b, &e->type, true, 1);
  op2i_text_add(p->out, ", ");
  op2i_simd_print_value(p, e->c, &e->type, true, 1);
  op2i_text_add(p->out, ")");
}

/* ---- && and || ------------------------------------------------------------------------------- */

static void uniform_left(struct op2i_simd_printer *p, const struct op2i_simd_node *e, bool both) {
  op2i_text_add(p->out, "(");
  op2i_simd_print(p, e->a, TIGHT_CHOICE + 1);
  op2i_text_add(p->out, " ? ");
  if (both) {
    op2i_simd_print_mask(p, e->b, TIGHT_CHOICE);
    op2i_text_add(p->out, " : ");
    zero(p, OP2I_C_BOOL);
  } else {
    op2i_simd_print_on(p, 0);
    op2i_text_add(p->out, " : ");
    op2i_simd_print_mask(p, e->b, TIGHT_CHOICE);
  }
  op2i_text_add(p->out, ")");
}

/* Emit a mask of the lanes that need the right operand, then the operand's contribution. */
static void guarded_logical(struct op2i_simd_printer *p, const struct op2i_simd_node *e,
                            bool both) {
  int outer = p->mask, result = ++p->numbered;
  op2i_text_add(p->out, "({ ");
  int wants = begin_mask(p, e->a, !both);
  type_name(p, OP2I_C_BOOL);
  if (both)
    op2i_text_add(p->out, " op2_value%d = {0}; ", result);
  else
    op2i_text_add(p->out, " op2_value%d = ~op2_mask%d; ", result, wants);
  guard(p, wants);
  p->mask = wants;
  op2i_text_add(p->out, "op2_value%d |= op2_mask%d & ", result, wants);
  op2i_simd_print_mask(p, e->b, TIGHT_UNARY);
  op2i_text_add(p->out, "; op2_value%d; })", result);
  p->mask = outer;
}

void op2i_simd_print_logical(struct op2i_simd_printer *p, const struct op2i_simd_node *e,
                             int tight) {
  bool both = e->op[0] == '&';
  if (!e->a->varying) {
    uniform_left(p, e, both);
  } else if (e->b->hazard) {
    guarded_logical(p, e, both);
  } else {
    bool parens = tight > (both ? TIGHT_AND : TIGHT_OR);
    op2i_text_add(p->out, parens ? "(" : "");
    op2i_simd_print_mask(p, e->a, TIGHT_UNARY);
    op2i_text_add(p->out, both ? " & " : " | ");
    op2i_simd_print_mask(p, e->b, TIGHT_UNARY);
    op2i_text_add(p->out, parens ? ")" : "");
  }
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void math_call(struct op2i_simd_printer *p, const struct op2i_simd_node *e) {
  bool single = e->value != 0;
  int n = 0;
  const bool own = op2i_simd_own_math(p->l, e->math);
  p->l->divides = p->l->divides || (e->varying && (own || strcmp(e->math->name, "sqrt") == 0));
  if (e->varying)
    op2i_simd_help_math(p->l, e->math, single, p->out);
  else if (own)
    op2i_simd_help_scalar_math(p->l, e->math, single, p->out);
  else
    op2i_text_add(p->out, "%s%s", e->math->types[1] == 'd' ? "" : "__builtin_", e->text);
  op2i_text_add(p->out, "(");
  for (const struct op2i_simd_node *a = e->a; a; a = a->next) {
    op2i_text_add(p->out, n++ ? ", " : "");
    if (e->varying)
      op2i_simd_print_as(p, a, op2i_simd_math_type(e->math, single, n), 1);
    else
      op2i_simd_print(p, a, 1);
  }
  op2i_text_add(p->out, ")");
}

void op2i_simd_print_call(struct op2i_simd_printer *p, const struct op2i_simd_node *e) {
  const struct op2i_simd_form *callee = e->callee;
  if (e->math) {
    math_call(p, e);
    return;
  }
  const char *between = "";
  op2i_text_add(p->out, "OP2_NAME(%s%s)(", p->l->request->rewrite->prefix, callee->name);
  if (p->l->request->rewrite->needs[callee->item]) {
    op2i_text_add(p->out, "op2_consts");
    between = ", ";
  }
  if (callee->masked) {
    op2i_text_add(p->out, "%s", between);
    op2i_simd_print_on(p, p->mask);
    between = ", ";
  }
  int n = 0;
  for (const struct op2i_simd_node *a = e->a; a; a = a->next) {
    const struct op2i_simd_var *param = callee->params[n++];
    op2i_text_add(p->out, "%s", between);
    op2i_simd_print_value(p, a, &param->type, param->varying, 1);
    between = ", ";
  }
  op2i_text_add(p->out, ")");
}
