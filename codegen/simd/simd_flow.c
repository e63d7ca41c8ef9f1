/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the statements and functions that differ between lanes. */
#include <stdio.h>
#include <string.h>

#include "simd_base.h"
#include "simd_emit.h"
#include "simd_stmt.h"
#include "simd_tree.h"
#include "simd_vary.h"

enum { FORMS_MAX = 100 };

static void flow(struct op2i_simd_vary *v, struct op2i_simd_node *s);

static void use(struct op2i_simd_vary *v, struct op2i_simd_node *s, struct op2i_simd_node *e) {
  if (!e || op2i_simd_stopped(v->l)) return;
  op2i_simd_vary_expr(v, e);
  s->hazard = s->hazard || e->hazard;
}

static void flow_part(struct op2i_simd_vary *v, struct op2i_simd_node *s,
                      struct op2i_simd_node *part) {
  if (!part || op2i_simd_stopped(v->l)) return;
  flow(v, part);
  s->hazard = s->hazard || part->hazard;
  s->leaves = s->leaves || part->leaves;
  s->exits |= part->exits;
}

static void flow_decl(struct op2i_simd_vary *v, struct op2i_simd_node *s) {
  struct op2i_simd_node *init = s->a;
  s->var->region = v->region;
  if (!init) return;
  if (init->kind == OP2I_SIMD_CHOICE && init->type.nlevels) {
    op2i_simd_vary_expr(v, init->a);
    if (op2i_simd_stopped(v->l)) return;
    if (init->a->varying && op2i_simd_divide_pointer(v->l, v->form->body, s)) v->changed = true;
    s->var->region = v->region;
  }
  if (init->kind == OP2I_SIMD_BINARY && init->type.nlevels && !strcmp(init->op, "+")) {
    op2i_simd_vary_expr(v, init->b);
    if (op2i_simd_stopped(v->l)) return;
    if (init->b->varying && op2i_simd_number_pointer(v->l, v->form->body, s)) v->changed = true;
    s->var->region = v->region;
  }
  op2i_simd_vary_init(v, s->var, s->a);
  s->hazard = s->a->hazard;
}

static void flow_if(struct op2i_simd_vary *v, struct op2i_simd_node *s) {
  use(v, s, s->a);
  if (op2i_simd_stopped(v->l)) return;
  v->changed = v->changed || s->varying != s->a->varying;
  s->varying = s->a->varying;
  s->region = v->region;
  if (s->varying) v->region = s;
  flow_part(v, s, s->b);
  flow_part(v, s, s->c);
  v->region = s->region;
}

/* ---- loops and switches ---------------------------------------------------------------------- */

static void turn_on(struct op2i_simd_vary *v, bool *mark) {
  v->changed = v->changed || !*mark;
  *mark = true;
}

static bool divided(const struct op2i_simd_node *s) { return s->parts || s->skips; }

static int assigned_in(const struct op2i_simd_node *e, const struct op2i_simd_var *var) {
  int n = 0;
  for (; e; e = e->next) {
    bool steps =
        e->kind == OP2I_SIMD_ASSIGN || e->kind == OP2I_SIMD_POSTFIX || e->kind == OP2I_SIMD_UNARY;
    n += steps && e->a->kind == OP2I_SIMD_NAME && e->a->var == var;
    n += assigned_in(e->a, var) + assigned_in(e->b, var) + assigned_in(e->c, var);
  }
  return n;
}

/* The lanes of a loop count together, those that have left it as well, if nothing but the loop's
 * own step changes the counter. */
static void flow_counter(struct op2i_simd_vary *v, struct op2i_simd_node *s,
                         struct op2i_simd_node *decl, const struct op2i_simd_node *outer) {
  const struct op2i_simd_node *region = v->region;
  if (assigned_in(s->c, decl->var) != decl->var->assigned) v->region = outer;
  flow_part(v, s, decl);
  v->region = region;
}

static void flow_head(struct op2i_simd_vary *v, struct op2i_simd_node *s,
                      const struct op2i_simd_node *outer) {
  if (s->a && s->a->kind == OP2I_SIMD_DECL) {
    for (struct op2i_simd_node *d = s->a; d; d = d->next) flow_counter(v, s, d, outer);
    return;
  }
  const struct op2i_simd_node *region = v->region;
  v->region = outer;
  use(v, s, s->a);
  v->region = region;
}

/* A loop that lanes leave before others need not run over all that its counter could; one that lanes
 * only continue does. */
static void flow_range(struct op2i_simd_vary *v, struct op2i_simd_node *s) {
  struct op2i_simd_var *counter = s->a && s->a->kind == OP2I_SIMD_DECL ? s->a->var : NULL;
  if (!counter || !counter->counts || !s->parts) return;
  counter->counts = false;
  v->changed = true;
}

static void flow_loop(struct op2i_simd_vary *v, struct op2i_simd_node *s) {
  const struct op2i_simd_node *outer = v->region;
  const struct op2i_simd_around around = {s, divided(s) ? s : outer, v->around};
  const bool counted =
      s->kind == OP2I_SIMD_FOR && s->a && s->a->kind == OP2I_SIMD_DECL && s->a->var->counts;
  s->hazard = !counted;
  flow_range(v, s);
  v->region = around.region;
  flow_head(v, s, outer);
  use(v, s, s->b);
  if (s->b && s->b->varying) turn_on(v, &s->parts);
  v->around = &around;
  flow_part(v, s, s->d);
  v->around = around.outer;
  use(v, s, s->c);
  v->region = outer;
  s->exits = 0;
  if (s->hazard) v->form->hazard = true;
}

static void flow_switch(struct op2i_simd_vary *v, struct op2i_simd_node *s) {
  const struct op2i_simd_node *outer = v->region;
  const struct op2i_simd_around around = {s, divided(s) ? s : outer, v->around};
  use(v, s, s->a);
  if (op2i_simd_stopped(v->l)) return;
  if (s->a->varying) turn_on(v, &s->parts);
  v->region = around.region;
  v->around = &around;
  flow_part(v, s, s->b);
  v->around = around.outer;
  v->region = outer;
  s->exits &= ~OP2I_SIMD_BREAKS;
  if (s->leaves) turn_on(v, &s->parts);
  if (s->parts && s->b->kind != OP2I_SIMD_BLOCK)
    op2i_simd_refuse(v->l, "has a switch in line %d without a block", s->line);
  if (op2i_simd_stopped(v->l)) return;
  for (const struct op2i_simd_node *a = s->parts ? s->b->a : NULL; a; a = a->next)
    if (a->kind == OP2I_SIMD_DECL && a->hazard)
      op2i_simd_refuse(v->l, "declares in line %d what only some elements come to in a switch",
                       a->line);
}

/* A jump concerns some lanes only if it stands in a region of its own within what it leaves, or if
 * other lanes may be off there. */
static void flow_jump(struct op2i_simd_vary *v, struct op2i_simd_node *s) {
  const struct op2i_simd_around *to = v->around;
  bool breaks = s->kind == OP2I_SIMD_BREAK, through = false;
  while (!breaks && to && to->s->kind == OP2I_SIMD_SWITCH) {
    through = through || to->s->parts;
    to = to->outer;
  }
  if (!to) return;
  s->varying = v->region != to->region || through || (breaks && to->s->skips) ||
               (to->s->kind == OP2I_SIMD_SWITCH && to->s->parts);
  if (!s->varying) return;
  s->exits = breaks ? OP2I_SIMD_BREAKS : OP2I_SIMD_CONTINUES;
  turn_on(v, breaks ? &to->s->parts : &to->s->skips);
  for (const struct op2i_simd_around *a = v->around; a != to; a = a->outer)
    turn_on(v, &a->s->parts);
}

/* True for a loop that nothing but jumps and returns end. */
static bool endless(const struct op2i_simd_node *s) {
  return s->kind != OP2I_SIMD_SWITCH && (!s->b || s->b->known);
}

static void flow_return(struct op2i_simd_vary *v, struct op2i_simd_node *s) {
  use(v, s, s->a);
  s->leaves = s->varying = v->region != NULL;
  if (s->leaves && !v->form->early) v->form->early = v->changed = true;
  for (const struct op2i_simd_around *a = s->leaves ? v->around : NULL; a; a = a->outer)
    if (endless(a->s)) turn_on(v, &a->s->parts);
  bool varying = s->a && (s->a->varying || v->form->early);
  if (varying && !v->form->returns_varying) v->form->returns_varying = v->changed = true;
}

static void flow_any(struct op2i_simd_vary *v, struct op2i_simd_node *s) {
  s->hazard = s->leaves = false;
  s->exits = 0;
  switch (s->kind) {
  case OP2I_SIMD_BLOCK:
    for (struct op2i_simd_node *a = s->a; a; a = a->next) flow_part(v, s, a);
    break;
  case OP2I_SIMD_DECL: flow_decl(v, s); break;
  case OP2I_SIMD_IF: flow_if(v, s); break;
  case OP2I_SIMD_FOR:
  case OP2I_SIMD_WHILE:
  case OP2I_SIMD_DO: flow_loop(v, s); break;
  case OP2I_SIMD_SWITCH: flow_switch(v, s); break;
  case OP2I_SIMD_RETURN: flow_return(v, s); break;
  case OP2I_SIMD_BREAK:
  case OP2I_SIMD_CONTINUE: flow_jump(v, s); break;
  default: use(v, s, s->a);
  }
}

static void flow(struct op2i_simd_vary *v, struct op2i_simd_node *s) {
  if (op2i_simd_enter(v->l, s->line)) flow_any(v, s);
  op2i_simd_leave(v->l);
}

/* ---- functions ------------------------------------------------------------------------------- */

static const char *form_name(struct op2i_simd *l, const struct op2i_simd_form *form) {
  const struct op2i_item *item = &l->unit->items[form->item];
  const struct op2i_token *name = &l->unit->tokens.list[l->unit->code[item->name]];
  struct op2i_text text = {0};
  op2i_text_add(&text, "op2_vec_");
  op2i_text_bytes(&text, l->unit->tokens.text + name->begin, name->end - name->begin);
  if (l->forms) {
    op2i_text_add(&text, "_%s", form->masked ? "m" : "");
    for (int n = 0; n < form->nparams; n++) op2i_text_add(&text, form->asked[n] ? "v" : "u");
  }
  if (text.failed) l->failed = true;
  const char *copy = op2i_simd_string(l, text.chars ? text.chars : "", text.length);
  op2i_text_free(&text);
  return copy;
}

static void analyse_form(struct op2i_simd *l, struct op2i_simd_form *form) {
  struct op2i_simd_vary v = {.l = l, .form = form};
  if (op2i_simd_stopped(l)) return;
  form->name = form_name(l, form);
  for (int n = 0; n < form->nparams; n++) form->params[n]->varying = form->asked[n];
  form->next = l->forms;
  l->forms = form;
  do {
    v.changed = false;
    flow(&v, form->body);
  } while (v.changed && !op2i_simd_stopped(l));
}

static struct op2i_simd_form *new_form(struct op2i_simd *l, int item, const bool *asked,
                                       int nparams, bool masked) {
  struct op2i_simd_form *form = op2i_simd_take(l, sizeof *form);
  if (++l->nforms > FORMS_MAX) op2i_simd_refuse(l, "has calls in too many forms");
  if (!form) {
    form = &l->no_form;
    *form = (struct op2i_simd_form){0};
  }
  form->item = item;
  form->masked = masked;
  memcpy(form->asked, asked, (size_t)nparams * sizeof *asked);
  return form;
}

struct op2i_simd_form *op2i_simd_form(struct op2i_simd *l, int item, const bool *asked, int nparams,
                                      bool masked) {
  for (struct op2i_simd_form *f = l->forms; f; f = f->next) {
    if (f->item != item) continue;
    if (f->state == OP2I_SIMD_BUSY) {
      op2i_simd_refuse(l, "has a function in line %d that calls itself",
                       op2i_unit_line(l->unit, l->unit->items[item].name));
      return f;
    }
    if (f->masked == masked && memcmp(f->asked, asked, (size_t)nparams * sizeof *asked) == 0)
      return f;
  }
  struct op2i_simd_form *form = new_form(l, item, asked, nparams, masked);
  const char *outer = op2i_simd_within(l, item);
  form->state = OP2I_SIMD_BUSY;
  op2i_simd_read(l, form);
  analyse_form(l, form);
  form->state = OP2I_SIMD_READY;
  l->shared = outer;
  return form;
}
