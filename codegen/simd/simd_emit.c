/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints statements and functions. Code under a varying condition runs in all lanes, and a mask
 * selects those in which it counts. */
#include <stdio.h>
#include <string.h>

#include "simd_base.h"
#include "simd_emit.h"
#include "simd_expr.h"
#include "simd_helper.h"
#include "simd_idle.h"
#include "simd_print.h"
#include "simd_record.h"
#include "simd_tree.h"
#include "simd_unroll.h"

void op2i_simd_indent(const struct op2i_simd_printer *p) {
  op2i_text_add(p->out, "%*s", 2 * p->depth, "");
}

static void type_name(const struct op2i_simd_printer *p, enum op2i_c_base base) {
  op2i_simd_type_name(p->l, base, p->out);
}

/* ---- declarations ---------------------------------------------------------------------------- */

static void declared_levels(const struct op2i_c_type *type, const char *name,
                            struct op2i_text *out) {
  int npointers = 0;
  while (npointers < type->nlevels && type->levels[npointers] == 0) npointers++;
  int after_arrays =
      npointers; /* a pointer to arrays stands in parentheses, unless arrays come first */
  while (after_arrays < type->nlevels && type->levels[after_arrays] > 0) after_arrays++;
  bool parens = npointers > 0 && after_arrays > npointers;
  for (int k = after_arrays; k < type->nlevels; k++) op2i_text_add(out, "*");
  op2i_text_add(out, parens ? "(" : "");
  for (int k = 0; k < npointers; k++) op2i_text_add(out, "*");
  op2i_text_add(out, parens ? "%s)" : "%s", name);
  for (int k = npointers; k < after_arrays; k++)
    op2i_text_add(out, "[%lld]", (long long)type->levels[k]);
}

void op2i_simd_base_name(struct op2i_simd *l, const struct op2i_c_type *type, bool varying,
                         struct op2i_text *out) {
  if (type->base == OP2I_C_RECORD)
    op2i_simd_record_name(l, type->record, varying, out);
  else if (varying)
    op2i_simd_type_name(l, type->base, out);
  else
    op2i_text_add(out, "%s", op2i_simd_scalar_name(type->base));
}

void op2i_simd_declare(struct op2i_simd *l, const struct op2i_c_type *type, bool varying,
                       const char *name, struct op2i_text *out) {
  if (type->readonly) op2i_text_add(out, "const ");
  op2i_simd_base_name(l, type, varying, out);
  op2i_text_add(out, " ");
  declared_levels(type, name, out);
}

/* For an array of vectors or arrays, {0} needs more braces. */
static void zeros(struct op2i_simd_printer *p, const struct op2i_c_type *type, bool varying) {
  if (type->base == OP2I_C_RECORD) {
    op2i_text_add(p->out, "{}");
    return;
  }
  for (int k = 0; k < type->nlevels + varying; k++) op2i_text_add(p->out, "{");
  op2i_text_add(p->out, "0");
  for (int k = 0; k < type->nlevels + varying; k++) op2i_text_add(p->out, "}");
}

/* The values of an array or of a structure; a union has one. */
static void values(struct op2i_simd_printer *p, const struct op2i_c_type *type, bool varying,
                   const struct op2i_simd_node *list) {
  const struct op2i_c_member *member = type->nlevels ? NULL : type->record->members;
  op2i_text_add(p->out, "{");
  for (const struct op2i_simd_node *a = list->a; a; a = a->next) {
    const struct op2i_c_type inner = member ? member->type : op2i_simd_led_to(*type);
    op2i_simd_print_initial(p, &inner, varying, a);
    if (a->next) op2i_text_add(p->out, ", ");
    if (member) member = member->next;
  }
  op2i_text_add(p->out, "}");
}

void op2i_simd_print_initial(struct op2i_simd_printer *p, const struct op2i_c_type *type,
                             bool varying, const struct op2i_simd_node *e) {
  const bool record = type->base == OP2I_C_RECORD;
  if (e->kind != OP2I_SIMD_LIST)
    op2i_simd_print_value(p, e, type, varying, 1);
  else if (e->value == 1 && e->a->kind != OP2I_SIMD_LIST && e->a->known && e->a->value == 0 &&
           (varying || record || type->nlevels > 1))
    zeros(p, type, varying);
  else
    values(p, type, varying, e);
}

/* Text is appended, so tables that a table depends on come before it. */
void op2i_simd_emit_table(struct op2i_simd *l, struct op2i_simd_var *var) {
  struct op2i_text text = {0};
  struct op2i_simd_printer p = {.l = l, .out = &text};
  if (var->printed) return;
  var->printed = true;
  op2i_text_add(&text, "static ");
  op2i_simd_declare(l, &var->type, false, var->text, &text);
  op2i_text_add(&text, " = ");
  op2i_simd_print_initial(&p, &var->type, false, var->table);
  op2i_text_add(&text, ";\n");
  if (text.failed) l->failed = true;
  if (!text.failed) op2i_text_bytes(&l->tables, text.chars, text.length);
  op2i_text_free(&text);
}

static bool has_pointer(const struct op2i_c_type *type) {
  bool pointer = false;
  for (int k = 0; k < type->nlevels; k++) pointer = pointer || type->levels[k] == 0;
  return pointer;
}

/* A variable that is read before every lane has assigned to it needs an initial value. */
static void declaration(struct op2i_simd_printer *p, const struct op2i_simd_node *s) {
  const struct op2i_simd_var *var = s->var;
  op2i_simd_declare(p->l, &var->type, var->varying, var->text, p->out);
  if (s->a) {
    op2i_text_add(p->out, " = ");
    op2i_simd_print_initial(p, &var->type, var->varying, s->a);
  } else if (var->varying && !has_pointer(&var->type) && (var->masked || !var->type.nlevels)) {
    op2i_text_add(p->out, " = ");
    zeros(p, &var->type, true);
  }
  op2i_text_add(p->out, ";");
}

/* ---- masks ----------------------------------------------------------------------------------- */

/* Emit: const op2_m64x8 op2_mask2 = ; the caller adds the value. */
static int begin_mask(struct op2i_simd_printer *p) {
  int number = ++p->numbered;
  op2i_simd_indent(p);
  op2i_text_add(p->out, "const ");
  type_name(p, OP2I_C_BOOL);
  op2i_text_add(p->out, " op2_mask%d = ", number);
  return number;
}

/* Remove a mask's declaration, which stands at [start, after_arrays), if the mask is not used. */
static void close_mask(struct op2i_simd_printer *p, size_t start, size_t after_arrays, int number) {
  struct op2i_text *out = p->out;
  char name[32];
  int length = snprintf(name, sizeof name, "op2_mask%d", number);
  if (out->failed || !out->chars) return;
  const char *at = out->chars + after_arrays;
  while ((at = strstr(at, name)) && at[length] >= '0' && at[length] <= '9') at++;
  if (at) return;
  memmove(out->chars + start, out->chars + after_arrays, out->length - after_arrays + 1);
  out->length -= after_arrays - start;
}

/* Lanes that have left in the meantime are off from here on: with `live` those that have returned,
 * and with `on` those that a jump took from the loop or switch around. */
static void refresh(struct op2i_simd_printer *p, bool live, int on) {
  int number = begin_mask(p);
  if (p->mask) op2i_simd_print_on(p, p->mask);
  if (live) op2i_text_add(p->out, "%sop2_live", p->mask ? " & " : "");
  if (on) op2i_text_add(p->out, "%sop2_mask%d", p->mask || live ? " & " : "", on);
  op2i_text_add(p->out, ";\n");
  p->mask = number;
}

static bool any_hazard(const struct op2i_simd_node *s) {
  while (s && !s->hazard) s = s->next;
  return s != NULL;
}

/* Print the rest behind a jump, which runs only if a lane is left there. */
static void guarded_rest(struct op2i_simd_printer *p, const struct op2i_simd_node *s) {
  const bool guard = s->exits && any_hazard(s->next);
  const int tested = p->tested;
  if (guard) {
    p->tested = p->mask;
    op2i_simd_indent(p);
    op2i_text_add(p->out, "if (");
    op2i_simd_help(p->l, OP2I_SIMD_ANY, OP2I_C_BOOL, p->out);
    op2i_text_add(p->out, "(op2_mask%d)) {\n", p->mask);
    p->depth++;
  }
  op2i_simd_statements(p, s->next);
  p->tested = tested;
  if (!guard) return;
  p->depth--;
  op2i_simd_indent(p);
  op2i_text_add(p->out, "}\n");
}

/* Print the statements of a list from `s` on. */
void op2i_simd_statements(struct op2i_simd_printer *p, const struct op2i_simd_node *s) {
  int outer = p->mask;
  for (; s; s = s->next) {
    op2i_simd_statement(p, s);
    const int on = s->exits ? p->apart->on : 0;
    if (op2i_simd_stopped(p->l) || (!s->leaves && !on) || !s->next) continue;
    size_t start = p->out->length;
    refresh(p, s->leaves, on == p->mask ? 0 : on);
    size_t after_arrays = p->out->length;
    if (++p->left > OP2I_SIMD_NESTED)
      op2i_simd_refuse(p->l, "has too many statements that return for some elements only");
    else
      guarded_rest(p, s);
    p->left--;
    close_mask(p, start, after_arrays, p->mask);
    break;
  }
  p->mask = outer;
}

static void braced(struct op2i_simd_printer *p, const struct op2i_simd_node *s,
                   const struct op2i_simd_node *loop) {
  int outer = p->mask;
  size_t start = p->out->length + 2, after_arrays = start;
  op2i_text_add(p->out, "{\n");
  p->depth++;
  if (loop && loop->leaves) {
    refresh(p, true, 0);
    after_arrays = p->out->length;
  }
  if (s->kind == OP2I_SIMD_BLOCK)
    op2i_simd_statements(p, s->a);
  else
    op2i_simd_statement(p, s);
  if (loop && loop->leaves) close_mask(p, start, after_arrays, p->mask);
  p->depth--;
  p->mask = outer;
  op2i_simd_indent(p);
  op2i_text_add(p->out, "}");
}

/* ---- branches -------------------------------------------------------------------------------- */

static void uniform_if(struct op2i_simd_printer *p, const struct op2i_simd_node *s) {
  op2i_simd_indent(p);
  op2i_text_add(p->out, "if (");
  op2i_simd_print(p, s->a, 2);
  op2i_text_add(p->out, ") ");
  braced(p, s->b, NULL);
  if (s->c) {
    op2i_text_add(p->out, " else ");
    braced(p, s->c, NULL);
  }
  op2i_text_add(p->out, "\n");
}

static bool empty(const struct op2i_simd_node *s) {
  return (s->kind == OP2I_SIMD_BLOCK || s->kind == OP2I_SIMD_EXPR) && !s->a;
}

static void branch(struct op2i_simd_printer *p, const struct op2i_simd_node *s,
                   const struct op2i_simd_taken *taken) {
  const int outer = p->mask, tested = p->tested;
  p->mask = taken->mask;
  p->taken = taken;
  op2i_simd_indent(p);
  if (s->hazard || (p->looped && op2i_simd_costly(s))) {
    p->tested = taken->mask;
    op2i_text_add(p->out, "if (");
    op2i_simd_help(p->l, OP2I_SIMD_ANY, OP2I_C_BOOL, p->out);
    op2i_text_add(p->out, "(op2_mask%d)) ", taken->mask);
  }
  braced(p, s, NULL);
  op2i_text_add(p->out, "\n");
  p->mask = outer;
  p->taken = taken->outer;
  p->tested = tested;
}

/* End the loop around where no lane needs the branch, which is all that the loop does. */
static void end_if_none(struct op2i_simd_printer *p, int mask) {
  op2i_simd_indent(p);
  op2i_text_add(p->out, "if (!");
  op2i_simd_help(p->l, OP2I_SIMD_ANY, OP2I_C_BOOL, p->out);
  op2i_text_add(p->out, "(op2_mask%d)) break;\n", mask);
  p->tested = mask;
}

/* The masks of a branch, and where the text has them. */
struct branch_masks {
  struct op2i_simd_taken taken;
  size_t condition_at, mask_at, behind;
};

/* Emit a mask of the lanes that meet a condition, and one of those among them that are on. If
 * `opposite` is not null, they are those that do not meet the condition of that branch. */
static struct branch_masks begin_masks(struct op2i_simd_printer *p, const struct op2i_simd_node *s,
                                       const struct branch_masks *opposite) {
  struct branch_masks m = {.taken = {.s = s, .outer_mask = p->mask, .outer = p->taken}};
  m.condition_at = p->out->length;
  m.taken.condition = m.taken.mask = begin_mask(p);
  if (opposite)
    op2i_text_add(p->out, "~op2_mask%d", opposite->taken.condition);
  else
    op2i_simd_print_mask(p, s->a, 1);
  op2i_text_add(p->out, ";\n");
  m.mask_at = m.behind = p->out->length;
  if (!p->mask) return m;
  m.taken.mask = begin_mask(p);
  op2i_simd_print_on(p, p->mask);
  op2i_text_add(p->out, " & op2_mask%d;\n", m.taken.condition);
  m.behind = p->out->length;
  return m;
}

/* Remove masks that are not used. */
static void end_masks(struct op2i_simd_printer *p, const struct branch_masks *m, bool impure) {
  if (m->behind > m->mask_at) close_mask(p, m->mask_at, m->behind, m->taken.mask);
  if (!impure) close_mask(p, m->condition_at, m->mask_at, m->taken.condition);
}

static void varying_if(struct op2i_simd_printer *p, const struct op2i_simd_node *s) {
  op2i_simd_indent(p);
  op2i_text_add(p->out, "{\n");
  p->depth++;
  const struct branch_masks yes = begin_masks(p, s, NULL);
  if (s == p->ending) end_if_none(p, yes.taken.mask);
  if (!empty(s->b)) branch(p, s->b, &yes.taken);
  if (s->c && !empty(s->c)) {
    const struct branch_masks no = begin_masks(p, s, &yes);
    branch(p, s->c, &no.taken);
    end_masks(p, &no, false);
  }
  end_masks(p, &yes, s->a->impure);
  p->depth--;
  op2i_simd_indent(p);
  op2i_text_add(p->out, "}\n");
}

/* ---- loops ----------------------------------------------------------------------------------- */

static void condition(struct op2i_simd_printer *p, const struct op2i_simd_node *e) {
  if (e) op2i_simd_print(p, e, 2);
}

/* True if declarations do not fit into the head of the loop, so that they stand before it. */
static bool ahead(const struct op2i_simd_node *s) {
  return s->a && s->a->kind == OP2I_SIMD_DECL && (s->a->next || s->a->var->varying);
}

/* `unrolled`: the number of trips to unroll, or 0. */
static void print_for(struct op2i_simd_printer *p, const struct op2i_simd_node *s, int unrolled) {
  const struct op2i_simd_node *around = p->ending;
  bool outside = ahead(s);
  p->ending = op2i_simd_ending(s);
  op2i_simd_indent(p);
  if (outside) {
    op2i_text_add(p->out, "{\n");
    p->depth++;
    for (const struct op2i_simd_node *d = s->a; d; d = d->next) op2i_simd_statement(p, d);
    op2i_simd_indent(p);
  }
  if (unrolled) {
    op2i_text_add(p->out, "OP2_UNROLL(%d)\n", unrolled);
    op2i_simd_indent(p);
  }
  op2i_text_add(p->out, "for (");
  if (s->a && !outside && s->a->kind == OP2I_SIMD_DECL)
    declaration(p, s->a);
  else if (s->a && !outside)
    op2i_simd_print_statement(p, s->a);
  if (!s->a || outside || s->a->kind != OP2I_SIMD_DECL) op2i_text_add(p->out, ";");
  op2i_text_add(p->out, s->b ? " " : "");
  condition(p, s->b);
  op2i_text_add(p->out, s->c ? "; " : ";");
  if (s->c) op2i_simd_print_statement(p, s->c);
  op2i_text_add(p->out, ") ");
  braced(p, s->d, s);
  p->ending = around;
  op2i_text_add(p->out, "\n");
  if (!outside) return;
  p->depth--;
  op2i_simd_indent(p);
  op2i_text_add(p->out, "}\n");
}

static void for_loop(struct op2i_simd_printer *p, const struct op2i_simd_node *s) {
  const struct op2i_simd_counted *outer = p->counted;
  const bool outer_unrolled = p->unrolled;
  struct op2i_simd_counted counted;
  const bool known = op2i_simd_counted(s, outer, &counted);
  if (known) p->counted = &counted;
  p->unrolled = known && (outer_unrolled || op2i_simd_unrolls(s, &counted));
  print_for(p, s, p->unrolled && counted.trips > 1 ? (int)counted.trips : 0);
  p->counted = outer;
  p->unrolled = outer_unrolled;
}

static void other_loop(struct op2i_simd_printer *p, const struct op2i_simd_node *s) {
  bool first = s->kind == OP2I_SIMD_WHILE;
  op2i_simd_indent(p);
  op2i_text_add(p->out, first ? "while (" : "do ");
  if (first) {
    condition(p, s->b);
    op2i_text_add(p->out, ") ");
  }
  braced(p, s->d, s);
  if (!first) {
    op2i_text_add(p->out, " while (");
    condition(p, s->b);
    op2i_text_add(p->out, ");");
  }
  op2i_text_add(p->out, "\n");
}

static void loop(struct op2i_simd_printer *p, const struct op2i_simd_node *s) {
  p->looped++;
  if (s->parts || s->skips)
    op2i_simd_emit_loop(p, s);
  else if (s->kind == OP2I_SIMD_FOR)
    for_loop(p, s);
  else
    other_loop(p, s);
  p->looped--;
}

/* ---- returning ------------------------------------------------------------------------------- */

static void merged_value(struct op2i_simd_printer *p, const struct op2i_simd_node *s, int mask) {
  const struct op2i_c_type *type = &p->form->type;
  op2i_simd_print_select(p, type);
  op2i_text_add(p->out, "(");
  if (mask)
    op2i_simd_print_on(p, mask);
  else
    op2i_text_add(p->out, "op2_live");
  op2i_text_add(p->out, ", ");
  op2i_simd_print_value(p, s->a, type, true, 1);
  op2i_text_add(p->out, ", op2_result)");
}

static void returning(struct op2i_simd_printer *p, const struct op2i_simd_node *s) {
  op2i_simd_indent(p);
  if (s->varying) {
    if (s->a) {
      op2i_text_add(p->out, "op2_result = ");
      merged_value(p, s, p->mask);
      op2i_text_add(p->out, ";\n");
      op2i_simd_indent(p);
    }
    op2i_text_add(p->out, "op2_live &= ~");
    op2i_simd_print_on(p, p->mask);
  } else {
    op2i_text_add(p->out, s->a ? "return " : "return");
    if (s->a && p->form->early)
      merged_value(p, s, 0);
    else if (s->a)
      op2i_simd_print_value(p, s->a, &p->form->type, p->form->returns_varying, 1);
  }
  op2i_text_add(p->out, ";\n");
}

/* ---- all statements -------------------------------------------------------------------------- */

static void expression(struct op2i_simd_printer *p, const struct op2i_simd_node *s) {
  op2i_simd_indent(p);
  if (s->a) op2i_simd_print_statement(p, s->a);
  op2i_text_add(p->out, ";\n");
}

static void switch_statement(struct op2i_simd_printer *p, const struct op2i_simd_node *s) {
  op2i_simd_indent(p);
  op2i_text_add(p->out, "switch (");
  op2i_simd_print(p, s->a, 2);
  op2i_text_add(p->out, ") ");
  braced(p, s->b, NULL);
  op2i_text_add(p->out, "\n");
}

static void case_label(struct op2i_simd_printer *p, const struct op2i_simd_node *s) {
  op2i_simd_indent(p);
  op2i_text_add(p->out, s->a ? "case " : "default");
  if (s->a) op2i_simd_print(p, s->a, 2);
  op2i_text_add(p->out, ":;\n");
}

void op2i_simd_statement(struct op2i_simd_printer *p, const struct op2i_simd_node *s) {
  if (op2i_simd_stopped(p->l)) return;
  switch (s->kind) {
  case OP2I_SIMD_BLOCK:
    op2i_simd_indent(p);
    braced(p, s, NULL);
    op2i_text_add(p->out, "\n");
    break;
  case OP2I_SIMD_DECL:
    if (s->var->split) break;
    op2i_simd_indent(p);
    declaration(p, s);
    op2i_text_add(p->out, "\n");
    break;
  case OP2I_SIMD_IF:
    if (s->varying)
      varying_if(p, s);
    else
      uniform_if(p, s);
    break;
  case OP2I_SIMD_FOR:
  case OP2I_SIMD_WHILE:
  case OP2I_SIMD_DO: loop(p, s); break;
  case OP2I_SIMD_SWITCH:
    if (s->parts)
      op2i_simd_emit_switch(p, s);
    else
      switch_statement(p, s);
    break;
  case OP2I_SIMD_CASE: case_label(p, s); break;
  case OP2I_SIMD_RETURN: returning(p, s); break;
  case OP2I_SIMD_BREAK:
  case OP2I_SIMD_CONTINUE: op2i_simd_emit_jump(p, s); break;
  default: expression(p, s);
  }
}

void op2i_simd_emit_statements(struct op2i_simd_printer *p, const struct op2i_simd_node *body) {
  op2i_simd_statements(p, body->a);
}
