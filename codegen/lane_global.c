/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands at file scope and can be used in functions: the loop's constants, types, enumerators,
 * and tables of constants. What cannot be read is not known, and refused where it is used. */
#include <string.h>

#include "lane.h"

static void add(struct op2i_lane *l, struct op2i_lane_var *var) {
  var->fixed = true;
  var->outer = l->globals;
  l->globals = var;
}

static void loop_constants(struct op2i_lane *l) {
  const struct op2i_rewrite *r = l->request->rewrite;
  for (int c = 0; c < r->member.nconsts; c++) {
    const struct op2i_loop_const *cst = &r->consts[c];
    struct op2i_text text = {0};
    struct op2i_lane_var *var = op2i_lane_var(l, op2i_lane_string(l, cst->name, strlen(cst->name)));
    op2i_text_add(&text, cst->in_place ? "(*op2_k->%s)" : "op2_k->%s", cst->name);
    if (text.failed) l->failed = true;
    var->text = op2i_lane_string(l, text.chars ? text.chars : "", text.length);
    op2i_text_free(&text);
    var->type = (struct op2i_lane_type){.base = op2i_lane_base_of(cst->type), .readonly = true};
    if (cst->dim > 1) {
      var->type.nlevels = 1;
      var->type.levels[0] = cst->dim;
    }
    add(l, var);
  }
}

/* typedef double real; */
static void read_typedef(struct op2i_lane_parser *p) {
  struct op2i_lane_name *named = op2i_lane_take(p->l, sizeof *named);
  p->at++;
  if (!named) return;
  op2i_lane_specifiers(p, &named->type);
  op2i_lane_declarator(p, &named->type, &named->name);
  if (!named->name) op2i_lane_refuse(p->l, "a typedef without a name");
  op2i_lane_expect(p, ";");
  if (op2i_lane_stopped(p->l)) return;
  named->type.spelling = named->name;
  named->next = p->l->types;
  p->l->types = named;
}

/* enum { A, B = 3 }; */
static void read_enumerators(struct op2i_lane_parser *p) {
  int64_t value = 0;
  p->at++;
  if (op2i_lane_word(&p->tokens[p->at])) p->at++;
  op2i_lane_expect(p, "{");
  while (op2i_lane_word(&p->tokens[p->at])) {
    const struct op2i_lane_token *t = &p->tokens[p->at++];
    struct op2i_lane_var *var =
        op2i_lane_var(p->l, op2i_lane_string(p->l, t->text, (size_t)t->length));
    if (op2i_lane_accept(p, "=")) {
      struct op2i_lane_node *e = op2i_lane_assignment(p);
      if (!op2i_lane_stopped(p->l) && !e->known) op2i_lane_refuse(p->l, "an unknown enumerator");
      value = e->value;
    }
    if (op2i_lane_stopped(p->l)) return;
    var->type.base = OP2I_LANE_I32;
    var->known = true;
    var->lo = value++;
    add(p->l, var);
    p->scope = p->l->globals;
    if (!op2i_lane_accept(p, ",")) break;
  }
  op2i_lane_expect(p, "}");
  op2i_lane_expect(p, ";");
}

/* static const double table[] = {...}; */
static void read_constants(struct op2i_lane_parser *p) {
  struct op2i_lane_node *list = NULL, **tail = &list;
  op2i_lane_declaration(p, &tail);
  for (struct op2i_lane_node *d = list; d && !op2i_lane_stopped(p->l); d = d->next) {
    bool constant = d->var->type.readonly && d->a;
    for (int k = 0; k < d->var->type.nlevels; k++)
      constant = constant && d->var->type.levels[k] > 0;
    if (constant) add(p->l, d->var);
  }
}

/* A name that is not known after all must not be taken for a constant of the loop. */
static void hide(struct op2i_lane *l, int begin, int end) {
  for (int at = begin; at < end; at++) {
    if (!op2i_unit_word(l->unit, at) || l->unit->roles[l->unit->code[at]] != OP2I_ROLE_NONE)
      continue;
    const struct op2i_token *t = &l->unit->tokens.list[l->unit->code[at]];
    struct op2i_lane_token word = {l->unit->tokens.text + t->begin, (int)(t->end - t->begin), 0,
                                   t->kind};
    for (struct op2i_lane_var **v = &l->globals; *v; v = &(*v)->outer)
      if (op2i_lane_spells(&word, (*v)->name)) {
        *v = (*v)->outer;
        break;
      }
  }
}

void op2i_lane_globals(struct op2i_lane *l) {
  const struct op2i_unit *unit = l->unit;
  loop_constants(l);
  for (int i = 0; i < unit->nitems && !op2i_lane_stopped(l); i++) {
    const struct op2i_item *item = &unit->items[i];
    if (item->kind != OP2I_ITEM_OTHER || op2i_unit_is(unit, item->begin, "extern") ||
        op2i_unit_is(unit, item->begin, ";"))
      continue;
    struct op2i_lane_parser p = {.l = l, .scope = l->globals};
    size_t length = l->why->length;
    p.tokens = op2i_lane_expand(l, item->begin, item->end, &p.count);
    if (op2i_lane_stopped(l)) break;
    hide(l, item->begin, item->end);
    p.scope = l->globals;
    if (op2i_lane_at(&p, "typedef"))
      read_typedef(&p);
    else if (op2i_lane_at(&p, "enum"))
      read_enumerators(&p);
    else
      read_constants(&p);
    l->refused = false;
    l->why->length = length;
    if (l->why->chars) l->why->chars[length] = '\0';
  }
}
