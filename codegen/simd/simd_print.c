/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints expressions: uniform ones as scalar C, varying ones as vectors. */
#include <string.h>

#include "simd_base.h"
#include "simd_complex.h"
#include "simd_convert.h"
#include "simd_emit.h"
#include "simd_helper.h"
#include "simd_math.h"
#include "simd_parse.h"
#include "simd_print.h"
#include "simd_record.h"
#include "simd_tree.h"

enum { TIGHT_CHOICE = 2, TIGHT_SHIFT = 10, TIGHT_UNARY = 13, TIGHT_POSTFIX = 14 };

static bool is(const struct op2i_simd_node *e, const char *op) { return strcmp(e->op, op) == 0; }

static bool compares(const struct op2i_simd_node *e) {
  return e->kind == OP2I_SIMD_BINARY &&
         (is(e, "==") || is(e, "!=") || is(e, "<") || is(e, ">") || is(e, "<=") || is(e, ">="));
}

static bool joins(const struct op2i_simd_node *e) {
  return e->kind == OP2I_SIMD_BINARY && (is(e, "&&") || is(e, "||"));
}

bool op2i_simd_is_mask(const struct op2i_simd_node *e) {
  if (!e->varying || e->type.nlevels) return false;
  if (e->type.base == OP2I_C_BOOL || compares(e) || joins(e)) return true;
  if (e->kind == OP2I_SIMD_UNARY) return is(e, "!");
  if (e->kind == OP2I_SIMD_BINARY && is(e, ",")) return op2i_simd_is_mask(e->b);
  return e->kind == OP2I_SIMD_CALL && e->math && e->math->how == OP2I_SIMD_TEST;
}

static int binary_tightness(const char *op) {
  static const char *const levels[] = {",", "", "", "||", "&&", "|", "^", "&"};
  for (int i = 0; i < (int)(sizeof levels / sizeof levels[0]); i++)
    if (strcmp(op, levels[i]) == 0) return i;
  if (strcmp(op, "==") == 0 || strcmp(op, "!=") == 0) return 8;
  if (strcmp(op, "<<") == 0 || strcmp(op, ">>") == 0) return TIGHT_SHIFT;
  if (op[0] == '<' || op[0] == '>') return 9;
  return op[0] == '+' || op[0] == '-' ? 11 : 12;
}

int op2i_simd_tightness(const struct op2i_simd_node *e) {
  switch (e->kind) {
  case OP2I_SIMD_BINARY: return binary_tightness(e->op);
  case OP2I_SIMD_ASSIGN: return 1;
  case OP2I_SIMD_CHOICE: return TIGHT_CHOICE;
  case OP2I_SIMD_UNARY:
  case OP2I_SIMD_CAST: return TIGHT_UNARY;
  case OP2I_SIMD_LITERAL: return e->text[0] == '(' ? TIGHT_UNARY : TIGHT_POSTFIX;
  default: return TIGHT_POSTFIX;
  }
}

/* The tightness that an operand needs so that no compiler warns of missing parentheses. */
static int operand_tightness(int own, bool right) {
  if (own == 3 || (own >= 5 && own <= 7) || own == TIGHT_SHIFT) return TIGHT_UNARY;
  if (own == 8 || own == 9) return TIGHT_SHIFT;
  return own + right;
}

static void open(struct op2i_simd_printer *p, bool wanted) {
  if (wanted) op2i_text_add(p->out, "(");
}
static void close(struct op2i_simd_printer *p, bool wanted) {
  if (wanted) op2i_text_add(p->out, ")");
}

static void type_name(struct op2i_simd_printer *p, enum op2i_c_base base) {
  op2i_simd_type_name(p->l, base, p->out);
}

void op2i_simd_print_on(struct op2i_simd_printer *p, int mask) {
  if (mask > 0) {
    op2i_text_add(p->out, "op2_mask%d", mask);
  } else if (mask < 0) {
    op2i_text_add(p->out, "op2_wanted");
  } else {
    op2i_text_add(p->out, "~(");
    type_name(p, OP2I_C_BOOL);
    op2i_text_add(p->out, "){0}");
  }
}

static void raw(struct op2i_simd_printer *p, const struct op2i_simd_node *e, int tight);

/* ---- uniform --------------------------------------------------------------------------------- */

static void print_any(struct op2i_simd_printer *p, const struct op2i_simd_node *e, int tight) {
  if (op2i_simd_is_mask(e))
    op2i_simd_print_mask(p, e, tight);
  else if (e->varying && !e->type.nlevels)
    raw(p, e, tight);
  else
    op2i_simd_print(p, e, tight);
}

static void print_binary(struct op2i_simd_printer *p, const struct op2i_simd_node *e) {
  int own = binary_tightness(e->op);
  if (is(e, ","))
    print_any(p, e->a, 0);
  else
    op2i_simd_print(p, e->a, operand_tightness(own, false));
  op2i_text_add(p->out, is(e, ",") ? "%s " : " %s ", e->op);
  op2i_simd_print(p, e->b, operand_tightness(own, true));
}

static void print_unary(struct op2i_simd_printer *p, const struct op2i_simd_node *e) {
  op2i_text_add(p->out, "%s", e->op);
  op2i_simd_print(p, e->a, e->a->kind == OP2I_SIMD_UNARY ? TIGHT_POSTFIX : TIGHT_UNARY);
}

static void print_cast(struct op2i_simd_printer *p, const struct op2i_simd_node *e) {
  op2i_text_add(p->out, "(%s)", op2i_simd_scalar_name(e->type.base));
  if (e->type.base == OP2I_C_VOID)
    print_any(p, e->a, TIGHT_UNARY);
  else
    op2i_simd_print(p, e->a, TIGHT_UNARY);
}

static void print_member(struct op2i_simd_printer *p, const struct op2i_simd_node *e) {
  const bool pointer = e->a->kind == OP2I_SIMD_UNARY && is(e->a, "*");
  if (pointer)
    op2i_simd_print(p, e->a->a, TIGHT_POSTFIX);
  else
    print_any(p, e->a, TIGHT_POSTFIX);
  op2i_text_add(p->out, pointer ? "->%s" : ".%s", e->member->name);
}

static void print_compound(struct op2i_simd_printer *p, const struct op2i_simd_node *e) {
  op2i_text_add(p->out, "(");
  op2i_simd_base_name(p->l, &e->type, e->varying, p->out);
  op2i_text_add(p->out, ")");
  op2i_simd_print_initial(p, &e->type, e->varying, e->a);
}

static void print_parts(struct op2i_simd_printer *p, const struct op2i_simd_node *e) {
  switch (e->kind) {
  case OP2I_SIMD_NAME:
    if (e->var->table) op2i_simd_emit_table(p->l, e->var);
    op2i_text_add(p->out, "%s", e->var->text);
    break;
  case OP2I_SIMD_LITERAL: op2i_text_add(p->out, "%s", e->text); break;
  case OP2I_SIMD_UNARY: print_unary(p, e); break;
  case OP2I_SIMD_POSTFIX:
    op2i_simd_print(p, e->a, TIGHT_POSTFIX);
    op2i_text_add(p->out, "%s", e->op);
    break;
  case OP2I_SIMD_BINARY: print_binary(p, e); break;
  case OP2I_SIMD_ASSIGN:
    op2i_simd_print(p, e->a, TIGHT_UNARY);
    op2i_text_add(p->out, " %s ", e->op);
    op2i_simd_print(p, e->b, 1);
    break;
  case OP2I_SIMD_CHOICE:
    op2i_simd_print(p, e->a, 3);
    op2i_text_add(p->out, " ? ");
    op2i_simd_print(p, e->b, TIGHT_CHOICE);
    op2i_text_add(p->out, " : ");
    op2i_simd_print(p, e->c, TIGHT_CHOICE);
    break;
  case OP2I_SIMD_INDEX:
    op2i_simd_print(p, e->a, TIGHT_POSTFIX);
    op2i_text_add(p->out, "[");
    op2i_simd_print(p, e->b, 0);
    op2i_text_add(p->out, "]");
    break;
  case OP2I_SIMD_CAST: print_cast(p, e); break;
  case OP2I_SIMD_MEMBER: print_member(p, e); break;
  case OP2I_SIMD_COMPOUND: print_compound(p, e); break;
  case OP2I_SIMD_COMPLEX: op2i_simd_print_complex(p, e); break;
  default: op2i_simd_print_call(p, e);
  }
}

void op2i_simd_print(struct op2i_simd_printer *p, const struct op2i_simd_node *e, int tight) {
  bool parens = op2i_simd_tightness(e) < tight;
  open(p, parens);
  print_parts(p, e);
  close(p, parens);
}

/* ---- varying --------------------------------------------------------------------------------- */

/* True for a division that must not trap in inactive lanes. */
static bool guards_divisor(const struct op2i_simd_printer *p, const struct op2i_simd_node *e) {
  return p->mask && e->hazard && !op2i_simd_float(e->type.base) && (is(e, "/") || is(e, "%")) &&
         !(e->b->known && e->b->value > 0);
}

static void raw_binary(struct op2i_simd_printer *p, const struct op2i_simd_node *e) {
  int own = binary_tightness(e->op);
  if (is(e, ",")) {
    print_any(p, e->a, 0);
    op2i_text_add(p->out, ", ");
    print_any(p, e->b, 1);
    return;
  }
  p->l->divides = p->l->divides || is(e, "/");
  op2i_simd_print_as(p, e->a, e->type.base, operand_tightness(own, false));
  op2i_text_add(p->out, " %s ", e->op);
  if (!guards_divisor(p, e)) {
    op2i_simd_print_as(p, e->b, e->type.base, operand_tightness(own, true));
    return;
  }
  op2i_simd_help(p->l, OP2I_SIMD_DIVISOR, e->type.base, p->out);
  op2i_text_add(p->out, "(");
  op2i_simd_print_on(p, p->mask);
  op2i_text_add(p->out, ", ");
  op2i_simd_print_as(p, e->b, e->type.base, 1);
  op2i_text_add(p->out, ")");
}

static void raw_unary(struct op2i_simd_printer *p, const struct op2i_simd_node *e, int tight) {
  if (is(e, "*")) {
    op2i_simd_print(p, e, tight);
  } else if (is(e, "++") || is(e, "--")) {
    op2i_simd_print_step(p, e, tight);
  } else if (is(e, "+")) {
    op2i_simd_print_as(p, e->a, e->type.base, tight);
  } else {
    open(p, TIGHT_UNARY < tight);
    op2i_text_add(p->out, "%s", e->op);
    op2i_simd_print_as(p, e->a, e->type.base, TIGHT_POSTFIX);
    close(p, TIGHT_UNARY < tight);
  }
}

/* Print a varying number that is no mask, as a vector of its own type. */
static void raw(struct op2i_simd_printer *p, const struct op2i_simd_node *e, int tight) {
  bool parens = op2i_simd_tightness(e) < tight;
  switch (e->kind) {
  case OP2I_SIMD_INDEX:
    if (op2i_simd_scattered(e)) {
      op2i_simd_print_gather(p, e);
      break;
    }
    op2i_simd_print(p, e, tight);
    break;
  case OP2I_SIMD_UNARY: raw_unary(p, e, tight); break;
  case OP2I_SIMD_POSTFIX: op2i_simd_print_step(p, e, tight); break;
  case OP2I_SIMD_BINARY:
    open(p, parens);
    raw_binary(p, e);
    close(p, parens);
    break;
  case OP2I_SIMD_ASSIGN: op2i_simd_print_assign(p, e, tight); break;
  case OP2I_SIMD_CHOICE: op2i_simd_print_choice(p, e); break;
  case OP2I_SIMD_CAST:
    if (e->type.base == OP2I_C_VOID)
      print_cast(p, e);
    else
      op2i_simd_print_as(p, e->a, e->type.base, tight);
    break;
  default: op2i_simd_print(p, e, tight);
  }
}

void op2i_simd_print_as(struct op2i_simd_printer *p, const struct op2i_simd_node *e,
                        enum op2i_c_base base, int tight) {
  if (!e->varying) {
    op2i_simd_help(p->l, OP2I_SIMD_SPLAT, base, p->out);
    op2i_text_add(p->out, "(");
    op2i_simd_print(p, e, 1);
    op2i_text_add(p->out, ")");
  } else if (op2i_simd_is_mask(e)) {
    if (e->kind == OP2I_SIMD_CALL && e->math && strcmp(e->math->name, "isinf") == 0)
      op2i_simd_refuse(p->l, "counts with what isinf returns in line %d", e->line);
    op2i_simd_help(p->l, OP2I_SIMD_WEIGH, base, p->out);
    op2i_text_add(p->out, "(");
    op2i_simd_print_mask(p, e, 1);
    op2i_text_add(p->out, ")");
  } else if (e->type.base == base) {
    raw(p, e, tight);
  } else {
    op2i_simd_convert_begin(p->l, e->type.base, base, p->out);
    raw(p, e, 1);
    op2i_simd_convert_end(p->l, e->type.base, base, p->out);
  }
}

/* ---- masks ----------------------------------------------------------------------------------- */

/* The numbers that a comparison of numbers of this type gives. */
static enum op2i_c_base compared(enum op2i_c_base base) {
  const int bytes = op2i_simd_size(base);
  return bytes == 8 ? OP2I_C_I64 : bytes == 4 ? OP2I_C_I32 : bytes == 2 ? OP2I_C_I16 : OP2I_C_I8;
}

/* Begin a comparison of numbers of this type, whose result becomes a mask; mask_end() ends it. */
static void mask_begin(struct op2i_simd_printer *p, enum op2i_c_base base) {
  if (8 * op2i_simd_size(base) != p->l->bits) {
    op2i_simd_convert_begin(p->l, compared(base), OP2I_C_BOOL, p->out);
    return;
  }
  op2i_text_add(p->out, "(");
  type_name(p, OP2I_C_BOOL);
  op2i_text_add(p->out, ")(");
}

static void mask_end(struct op2i_simd_printer *p, enum op2i_c_base base) {
  if (8 * op2i_simd_size(base) != p->l->bits)
    op2i_simd_convert_end(p->l, compared(base), OP2I_C_BOOL, p->out);
  else
    op2i_text_add(p->out, ")");
}

static void comparison(struct op2i_simd_printer *p, const struct op2i_simd_node *e) {
  enum op2i_c_base base = op2i_simd_common(e->a->type.base, e->b->type.base);
  mask_begin(p, base);
  op2i_simd_print_as(p, e->a, base, TIGHT_SHIFT);
  op2i_text_add(p->out, " %s ", e->op);
  op2i_simd_print_as(p, e->b, base, TIGHT_SHIFT);
  mask_end(p, base);
}

static void different_from_zero(struct op2i_simd_printer *p, const struct op2i_simd_node *e) {
  mask_begin(p, e->type.base);
  raw(p, e, TIGHT_SHIFT);
  op2i_text_add(p->out, " != (");
  type_name(p, e->type.base);
  op2i_text_add(p->out, "){0}");
  mask_end(p, e->type.base);
}

static void raw_mask(struct op2i_simd_printer *p, const struct op2i_simd_node *e, int tight) {
  if (compares(e)) {
    comparison(p, e);
  } else if (joins(e)) {
    op2i_simd_print_logical(p, e, tight);
  } else if (e->kind == OP2I_SIMD_UNARY && is(e, "!")) {
    open(p, TIGHT_UNARY < tight);
    op2i_text_add(p->out, "~");
    op2i_simd_print_mask(p, e->a, TIGHT_UNARY);
    close(p, TIGHT_UNARY < tight);
  } else if (e->kind == OP2I_SIMD_CAST) {
    op2i_simd_print_mask(p, e->a, tight);
  } else {
    raw(p, e, tight);
  }
}

void op2i_simd_print_mask(struct op2i_simd_printer *p, const struct op2i_simd_node *e, int tight) {
  if (!e->varying) {
    op2i_simd_help(p->l, OP2I_SIMD_SPLAT, OP2I_C_BOOL, p->out);
    op2i_text_add(p->out, "(");
    op2i_simd_print(p, e, 1);
    op2i_text_add(p->out, ")");
  } else if (op2i_simd_is_mask(e)) {
    raw_mask(p, e, tight);
  } else {
    different_from_zero(p, e);
  }
}

static void print_record(struct op2i_simd_printer *p, const struct op2i_simd_node *e, bool varying,
                         int tight) {
  const bool splat = varying && !e->varying;
  if (splat) op2i_simd_record_help(p->l, e->type.record, true, p->out);
  open(p, splat);
  print_any(p, e, splat ? 1 : tight);
  close(p, splat);
}

void op2i_simd_print_select(struct op2i_simd_printer *p, const struct op2i_c_type *type) {
  if (op2i_simd_record(type))
    op2i_simd_record_help(p->l, type->record, false, p->out);
  else
    op2i_simd_help(p->l, OP2I_SIMD_SELECT, type->base, p->out);
}

void op2i_simd_print_select_active(struct op2i_simd_printer *p, const struct op2i_c_type *type) {
  if (p->mask > 0 && p->mask == p->tested && !op2i_simd_record(type))
    op2i_simd_help(p->l, OP2I_SIMD_BLEND, type->base, p->out);
  else
    op2i_simd_print_select(p, type);
}

void op2i_simd_print_value(struct op2i_simd_printer *p, const struct op2i_simd_node *e,
                           const struct op2i_c_type *type, bool varying, int tight) {
  if (op2i_simd_record(type))
    print_record(p, e, varying, tight);
  else if (type->nlevels || !varying)
    op2i_simd_print(p, e, tight);
  else if (type->base == OP2I_C_BOOL)
    op2i_simd_print_mask(p, e, tight);
  else
    op2i_simd_print_as(p, e, type->base, tight);
}

void op2i_simd_print_statement(struct op2i_simd_printer *p, const struct op2i_simd_node *e) {
  print_any(p, e, 0);
}
