/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints assignments to varying variables, and varying subscripts. */
#include <string.h>

#include "simd_base.h"
#include "simd_expr.h"
#include "simd_helper.h"
#include "simd_parse.h"
#include "simd_print.h"
#include "simd_tree.h"

enum { TIGHT_UNARY = 13, TIGHT_POSTFIX = 14 };

static void type_name(struct op2i_simd_printer *p, enum op2i_c_base base) {
  op2i_simd_type_name(p->l, base, p->out);
}

static void one_lvalue(struct op2i_simd_printer *p, const struct op2i_simd_node *lvalue) {
  if (lvalue->impure)
    op2i_simd_refuse(p->l, "assigns within the place assigned to in line %d", lvalue->line);
}

/* ---- subscripts ------------------------------------------------------------------------------ */

bool op2i_simd_scattered(const struct op2i_simd_node *lvalue) {
  return lvalue->kind == OP2I_SIMD_INDEX && (lvalue->b->varying || lvalue->a->strays);
}

static bool subscripted(const struct op2i_simd_node *e) { return e->kind == OP2I_SIMD_INDEX; }

/* The numbers of the variables that hold subscripts of all lanes, from the last subscript on. */
struct subscripts {
  int number[OP2I_C_LEVELS];
};

/* Emit: const op2_i32x8 op2_index2 = subscript; for each subscript that differs between lanes. */
static void begin_subscripts(struct op2i_simd_printer *p, const struct op2i_simd_node *place,
                             struct subscripts *s) {
  int n = 0;
  one_lvalue(p, place);
  for (const struct op2i_simd_node *e = place; subscripted(e); e = e->a, n++) {
    if (!e->b->varying) continue;
    enum op2i_c_base base = op2i_simd_promoted(e->b->type.base);
    s->number[n] = ++p->numbered;
    op2i_text_add(p->out, "const ");
    type_name(p, base);
    op2i_text_add(p->out, " op2_index%d = ", s->number[n]);
    op2i_simd_print_as(p, e->b, base, 1);
    op2i_text_add(p->out, "; ");
  }
}

static void begin_lanes(struct op2i_simd_printer *p) {
  op2i_text_add(p->out, "for (int op2_lane = 0; op2_lane < %d; op2_lane++) ", p->l->lanes);
  if (!p->mask) return;
  op2i_text_add(p->out, "if (");
  op2i_simd_print_on(p, p->mask);
  op2i_text_add(p->out, "[op2_lane]) ");
}

/* Emit the place in one lane, as far as its subscripts go. Returns true if it holds vectors. */
static bool lane_place(struct op2i_simd_printer *p, const struct op2i_simd_node *e,
                       const int *number) {
  if (!subscripted(e)) {
    op2i_simd_print(p, e, TIGHT_POSTFIX);
    return e->varying;
  }
  bool vectors = lane_place(p, e->a, number + 1);
  if (e->b->varying) {
    op2i_text_add(p->out, "[op2_index%d[op2_lane]]", *number);
  } else {
    op2i_text_add(p->out, "[");
    op2i_simd_print(p, e->b, 0);
    op2i_text_add(p->out, "]");
  }
  return vectors;
}

static void lane_of(struct op2i_simd_printer *p, const struct op2i_simd_node *place,
                    const struct subscripts *s) {
  if (lane_place(p, place, s->number)) op2i_text_add(p->out, "[op2_lane]");
}

static bool of_vectors(const struct op2i_simd_node *place) {
  while (subscripted(place)) place = place->a;
  return place->varying;
}

/* True if one instruction of the processor may read the lanes' values: double precision, by the
 * last subscript alone, in vectors of 32 or 64 bytes, and all lanes read. */
static bool at_once(const struct op2i_simd_printer *p, const struct op2i_simd_node *lvalue) {
  return !p->mask && lvalue->type.base == OP2I_C_F64 && !lvalue->a->strays && !of_vectors(lvalue) &&
         (p->l->lanes == 4 || p->l->lanes == 8);
}

/* Emit: op2_gather_f64x8(table, subscripts) */
static void gather_at_once(struct op2i_simd_printer *p, const struct op2i_simd_node *lvalue) {
  one_lvalue(p, lvalue);
  op2i_simd_help(p->l, OP2I_SIMD_GATHER, OP2I_C_F64, p->out);
  op2i_text_add(p->out, "(");
  op2i_simd_print(p, lvalue->a, 1);
  op2i_text_add(p->out, ", ");
  op2i_simd_print_as(p, lvalue->b, OP2I_C_I64, 1);
  op2i_text_add(p->out, ")");
}

void op2i_simd_print_gather(struct op2i_simd_printer *p, const struct op2i_simd_node *lvalue) {
  struct subscripts subscripts;
  if (at_once(p, lvalue)) {
    gather_at_once(p, lvalue);
    return;
  }
  if (lvalue->type.base == OP2I_C_BOOL && !of_vectors(lvalue))
    op2i_simd_refuse(p->l, "subscripts truth values in line %d", lvalue->line);
  op2i_text_add(p->out, "({ ");
  begin_subscripts(p, lvalue, &subscripts);
  int result = ++p->numbered;
  type_name(p, lvalue->type.base);
  op2i_text_add(p->out, " op2_value%d = {0}; ", result);
  begin_lanes(p);
  op2i_text_add(p->out, "op2_value%d[op2_lane] = ", result);
  lane_of(p, lvalue, &subscripts);
  op2i_text_add(p->out, "; op2_value%d; })", result);
}

static void scatter(struct op2i_simd_printer *p, const struct op2i_simd_node *lvalue,
                    const struct op2i_simd_node *value, bool used) {
  struct subscripts subscripts;
  op2i_text_add(p->out, "({ ");
  begin_subscripts(p, lvalue, &subscripts);
  int number = ++p->numbered;
  op2i_text_add(p->out, "const ");
  type_name(p, lvalue->type.base);
  op2i_text_add(p->out, " op2_value%d = ", number);
  op2i_simd_print_value(p, value, &lvalue->type, true, 1);
  op2i_text_add(p->out, "; ");
  begin_lanes(p);
  lane_of(p, lvalue, &subscripts);
  op2i_text_add(p->out, " = op2_value%d[op2_lane]; ", number);
  if (used) op2i_text_add(p->out, "op2_value%d; ", number);
  op2i_text_add(p->out, "})");
}

/* ---- assignments ----------------------------------------------------------------------------- */

/* The value that is assigned: x + y for x += y. */
static const struct op2i_simd_node *assigned(struct op2i_simd_printer *p,
                                             const struct op2i_simd_node *e) {
  if (strcmp(e->op, "=") == 0) return e->b;
  const char *op = op2i_simd_string(p->l, e->op, strlen(e->op) - 1);
  struct op2i_simd_node *sum = op2i_simd_operation(p->l, op, e->a, e->b);
  sum->varying = true;
  sum->hazard = e->hazard;
  return sum;
}

/* True if x op= y can be printed as it is. */
static bool simple(const struct op2i_simd_printer *p, const struct op2i_simd_node *e,
                   const struct op2i_simd_node *value) {
  enum op2i_c_base base = e->type.base;
  return strcmp(e->op, "=") != 0 && base >= OP2I_C_I32 && base <= OP2I_C_F64 &&
         value->type.base == base && !(p->mask && (e->masked || value->hazard));
}

/* Count the branches that are around an assignment and within the branch that declares its
 * variable. Their conditions suffice as its mask, since the variable's values are not used in lanes
 * that do not come to its declaration. Returns 0 where the mask of active lanes is needed. */
static int branches_within(const struct op2i_simd_printer *p, const struct op2i_simd_node *lvalue) {
  const struct op2i_simd_node *region = lvalue->kind == OP2I_SIMD_NAME ? lvalue->var->region : NULL;
  const struct op2i_simd_taken *taken = p->taken;
  int mask = p->mask, n = 0;
  while (region && taken && taken->mask == mask && taken->s != region) {
    mask = taken->outer_mask;
    taken = taken->outer;
    n++;
  }
  return region && taken && taken->mask == mask && taken->s == region ? n : 0;
}

static void masked_value(struct op2i_simd_printer *p, const struct op2i_simd_node *e,
                         const struct op2i_simd_node *value) {
  const int within = branches_within(p, e->a);
  const struct op2i_simd_taken *taken = p->taken;
  if (within)
    op2i_simd_print_select(p, &e->type);
  else
    op2i_simd_print_select_active(p, &e->type);
  op2i_text_add(p->out, "(");
  for (int n = 0; n < within; n++, taken = taken->outer)
    op2i_text_add(p->out, "%sop2_mask%d", n ? " & " : "", taken->condition);
  if (!within) op2i_simd_print_on(p, p->mask);
  op2i_text_add(p->out, ", ");
  op2i_simd_print_value(p, value, &e->type, true, 1);
  op2i_text_add(p->out, ", ");
  op2i_simd_print(p, e->a, 1);
  op2i_text_add(p->out, ")");
}

void op2i_simd_print_assign(struct op2i_simd_printer *p, const struct op2i_simd_node *e,
                            int tight) {
  if (e->type.nlevels) {
    op2i_simd_print(p, e, tight);
    return;
  }
  const struct op2i_simd_node *value = assigned(p, e);
  if (op2i_simd_stopped(p->l)) return;
  if (op2i_simd_scattered(e->a)) {
    scatter(p, e->a, value, tight > 0);
    return;
  }
  op2i_text_add(p->out, tight > 1 ? "(" : "");
  op2i_simd_print(p, e->a, TIGHT_UNARY);
  if (simple(p, e, value)) {
    p->l->divides = p->l->divides || strcmp(e->op, "/=") == 0;
    op2i_text_add(p->out, " %s ", e->op);
    op2i_simd_print_as(p, e->b, e->type.base, 1);
  } else {
    op2i_text_add(p->out, " = ");
    if (value != e->b || (e->masked && p->mask)) one_lvalue(p, e->a);
    if (e->masked && p->mask)
      masked_value(p, e, value);
    else
      op2i_simd_print_value(p, value, &e->type, true, 1);
  }
  op2i_text_add(p->out, tight > 1 ? ")" : "");
}

/* Print x++ and the like as x += 1; the value before is kept if it is used. */
void op2i_simd_print_step(struct op2i_simd_printer *p, const struct op2i_simd_node *e, int tight) {
  struct op2i_simd_node *one = op2i_simd_node(p->l, OP2I_SIMD_LITERAL, e->line);
  struct op2i_simd_node *sum = op2i_simd_node(p->l, OP2I_SIMD_ASSIGN, e->line);
  one->text = "1";
  one->known = true;
  one->value = 1;
  one->type.base = OP2I_C_I32;
  sum->op = e->op[0] == '+' ? "+=" : "-=";
  sum->a = e->a;
  sum->b = one;
  sum->type = e->type;
  sum->varying = true;
  sum->masked = e->masked;
  if (e->kind == OP2I_SIMD_UNARY || tight == 0) {
    op2i_simd_print_assign(p, sum, tight);
    return;
  }
  int number = ++p->numbered;
  one_lvalue(p, e->a);
  op2i_text_add(p->out, "({ const ");
  type_name(p, e->type.base);
  op2i_text_add(p->out, " op2_value%d = ", number);
  op2i_simd_print_value(p, e->a, &e->type, true, 1);
  op2i_text_add(p->out, "; ");
  op2i_simd_print_assign(p, sum, 0);
  op2i_text_add(p->out, "; op2_value%d; })", number);
}
