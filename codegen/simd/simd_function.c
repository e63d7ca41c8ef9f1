/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints whole functions; those that are called come before their callers. */
#include <string.h>

#include "simd_base.h"
#include "simd_emit.h"
#include "simd_helper.h"
#include "simd_print.h"
#include "simd_record.h"
#include "simd_tree.h"
#include "simd_vary.h"

int op2i_simd_function(struct op2i_simd *l, const char *name, size_t length) {
  const struct op2i_unit *unit = l->unit;
  int found = -1;
  for (int i = 0; i < unit->nitems; i++) {
    if (unit->items[i].kind != OP2I_ITEM_FUNCTION) continue;
    const struct op2i_token *t = &unit->tokens.list[unit->code[unit->items[i].name]];
    if (t->end - t->begin != length || memcmp(unit->tokens.text + t->begin, name, length) != 0)
      continue;
    if (found >= 0)
      op2i_simd_refuse(l, "defines %.*s twice, again in line %d", (int)length, name,
                       op2i_unit_line(unit, unit->items[i].name));
    found = i;
  }
  return found;
}

const char *op2i_simd_within(struct op2i_simd *l, int item) {
  const struct op2i_unit *unit = l->unit;
  const struct op2i_token *t = &unit->tokens.list[unit->code[unit->items[item].name]];
  const char *name = unit->tokens.text + t->begin, *before = l->shared;
  const size_t length = t->end - t->begin;
  const bool shared = op2i_kernel_shares(l->request->rewrite->member.kernel, name, length);
  l->shared = shared ? op2i_simd_string(l, name, length) : NULL;
  return before;
}

/* ---- functions that are called --------------------------------------------------------------- */

static void emit_callees(struct op2i_simd *l, const struct op2i_simd_node *e) {
  for (; e; e = e->next) {
    if (op2i_simd_enter(l, e->line)) {
      if (e->kind == OP2I_SIMD_CALL && e->callee) op2i_simd_emit(l, e->callee);
      emit_callees(l, e->a);
      emit_callees(l, e->b);
      emit_callees(l, e->c);
      emit_callees(l, e->d);
    }
    op2i_simd_leave(l);
  }
}

/* ---- one function ---------------------------------------------------------------------------- */

/* The kernel's own parameters are passed as the caller has them: a uniform one that must vary is
 * passed under another name. */
static bool widened(const struct op2i_simd_form *form, int n) {
  return form->params[n]->varying && !form->asked[n];
}

static void parameters(struct op2i_simd *l, const struct op2i_simd_form *form,
                       struct op2i_text *out) {
  const char *between = "";
  if (l->request->rewrite->needs[form->item]) {
    op2i_text_add(out, "const struct OP2_NAME(%sop2_consts) *op2_consts",
                  l->request->rewrite->prefix);
    between = ", ";
  }
  if (form->masked) {
    op2i_text_add(out, "%sconst ", between);
    op2i_simd_type_name(l, OP2I_C_BOOL, out);
    op2i_text_add(out, " op2_wanted");
    between = ", ";
  }
  for (int n = 0; n < form->nparams; n++) {
    const struct op2i_simd_var *var = form->params[n];
    struct op2i_text name = {0};
    op2i_text_add(&name, widened(form, n) ? "op2_uniform_%s" : "%s", var->text);
    if (name.failed) l->failed = true;
    op2i_text_add(out, "%s", between);
    op2i_simd_declare(l, &var->type, form->asked[n], name.chars ? name.chars : "", out);
    op2i_text_free(&name);
    between = ", ";
  }
  if (!*between) op2i_text_add(out, "void");
}

static void head(struct op2i_simd *l, const struct op2i_simd_form *form, struct op2i_text *out) {
  op2i_text_add(out, "OP2_LANES_INLINE ");
  op2i_simd_base_name(l, &form->type, form->returns_varying, out);
  op2i_text_add(out, " OP2_NAME(%s%s)(", l->request->rewrite->prefix, form->name);
  parameters(l, form, out);
  op2i_text_add(out, ") {\n");
}

static void widen_parameters(struct op2i_simd *l, struct op2i_simd_form *form,
                             struct op2i_text *out) {
  for (int n = 0; n < form->nparams; n++) {
    const struct op2i_simd_var *var = form->params[n];
    if (!widened(form, n)) continue;
    if (var->type.nlevels) {
      op2i_simd_refuse(
          l, "needs what %s points to to differ between elements in line %d, and it is the same",
          var->name, var->raised);
      return;
    }
    op2i_text_add(out, "  ");
    op2i_simd_declare(l, &var->type, true, var->text, out);
    op2i_text_add(out, " = ");
    if (op2i_simd_record(&var->type))
      op2i_simd_record_help(l, var->type.record, true, out);
    else
      op2i_simd_help(l, OP2I_SIMD_SPLAT, var->type.base, out);
    op2i_text_add(out, "(op2_uniform_%s);\n", var->text);
  }
}

static void begin_early(struct op2i_simd *l, const struct op2i_simd_form *form,
                        struct op2i_text *out) {
  op2i_text_add(out, "  ");
  op2i_simd_type_name(l, OP2I_C_BOOL, out);
  if (form->masked) {
    op2i_text_add(out, " op2_live = op2_wanted;\n");
  } else {
    op2i_text_add(out, " op2_live = ~(");
    op2i_simd_type_name(l, OP2I_C_BOOL, out);
    op2i_text_add(out, "){0};\n");
  }
  if (form->type.base == OP2I_C_VOID) return;
  op2i_text_add(out, "  ");
  op2i_simd_base_name(l, &form->type, true, out);
  op2i_text_add(out, " op2_result = %s;\n", op2i_simd_record(&form->type) ? "{}" : "{0}");
}

/* True if control can reach the end of the function. */
static bool runs_out(const struct op2i_simd_form *form) {
  const struct op2i_simd_node *last = form->body->a;
  while (last && last->next) last = last->next;
  return !last || last->kind != OP2I_SIMD_RETURN || last->varying;
}

void op2i_simd_emit(struct op2i_simd *l, struct op2i_simd_form *form) {
  if (form->emitted || op2i_simd_stopped(l)) return;
  form->emitted = true;
  emit_callees(l, form->body);
  if (op2i_simd_stopped(l)) return;
  const char *outer = op2i_simd_within(l, form->item);
  struct op2i_simd_printer p = {
      .l = l, .form = form, .out = &l->functions, .depth = 1, .mask = form->masked ? -1 : 0};
  head(l, form, p.out);
  widen_parameters(l, form, p.out);
  if (form->early) begin_early(l, form, p.out);
  op2i_simd_emit_statements(&p, form->body);
  if (form->early && form->type.base != OP2I_C_VOID && runs_out(form))
    op2i_text_add(p.out, "  return op2_result;\n");
  op2i_text_add(p.out, "}\n");
  l->shared = outer;
}
