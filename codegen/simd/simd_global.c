/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads declarations at file scope that functions can use: the loop's constants, types,
 * enumerators, and tables of constants. A name whose declaration cannot be read is unknown, and
 * refused where it is used. */
#include <string.h>

#include "simd_base.h"
#include "simd_parse.h"
#include "simd_stmt.h"
#include "simd_tree.h"

static void add(struct op2i_simd *l, struct op2i_simd_var *var) {
  var->fixed = true;
  var->outer = l->globals;
  l->globals = var;
}

static void loop_constants(struct op2i_simd *l) {
  const struct op2i_rewrite *r = l->request->rewrite;
  for (int c = 0; c < r->member.nconsts; c++) {
    const struct op2i_loop_const *cst = &r->consts[c];
    struct op2i_text text = {0};
    struct op2i_simd_var *var = op2i_simd_var(l, op2i_simd_string(l, cst->name, strlen(cst->name)));
    op2i_text_add(&text, cst->in_place ? "(*op2_consts->%s)" : "op2_consts->%s", cst->name);
    if (text.failed) l->failed = true;
    var->text = op2i_simd_string(l, text.chars ? text.chars : "", text.length);
    op2i_text_free(&text);
    var->type = (struct op2i_c_type){.base = op2i_c_base_of(cst->type), .readonly = true};
    if (cst->dim > 1) {
      var->type.nlevels = 1;
      var->type.levels[0] = cst->dim;
    }
    add(l, var);
  }
}

/* True if a constant's initializer runs no code. */
static bool settled(const struct op2i_simd_node *e) {
  for (; e; e = e->next) {
    bool runs = (e->kind == OP2I_SIMD_CALL && e->item >= 0) || e->kind == OP2I_SIMD_ASSIGN ||
                e->kind == OP2I_SIMD_POSTFIX || !strcmp(e->op, "++") || !strcmp(e->op, "--");
    runs = runs || e->kind == OP2I_SIMD_COMPLEX || e->kind == OP2I_SIMD_COMPOUND;
    bool variable = e->kind == OP2I_SIMD_NAME && !e->var->table && !e->var->known;
    if (runs || variable || !settled(e->a) || !settled(e->b) || !settled(e->c)) return false;
  }
  return true;
}

/* Read tables: static const double table[] = {...}; other variables cannot be used. */
static void read_constants(struct op2i_simd_parser *p) {
  struct op2i_simd_node *list = op2i_c_declaration(&p->r);
  for (struct op2i_simd_node *d = list; d && !op2i_simd_stopped(p->l); d = d->next) {
    bool constant = d->var->type.readonly && d->a && settled(d->a);
    for (int k = 0; k < d->var->type.nlevels; k++)
      constant = constant && d->var->type.levels[k] > 0;
    d->var->hidden = !constant;
    if (!constant) continue;
    struct op2i_text text = {0};
    op2i_text_add(&text, "OP2_NAME(%sop2_table_%s)", p->l->request->rewrite->prefix, d->var->name);
    if (text.failed) p->l->failed = true;
    d->var->text = op2i_simd_string(p->l, text.chars ? text.chars : "", text.length);
    op2i_text_free(&text);
    d->var->fixed = true;
    d->var->table = d->a;
  }
}

/* The position behind the tag and the members of a structure, which hide no other names; `at` itself
 * where there is none. */
static int past_structure(const struct op2i_unit *unit, int at) {
  if (!op2i_unit_is(unit, at, "struct") && !op2i_unit_is(unit, at, "union")) return at;
  at += op2i_unit_word(unit, at + 1) ? 2 : 1;
  return op2i_unit_is(unit, at, "{") ? unit->match[at] + 1 : at;
}

/* A name that turns out to be unknown must not be taken for a constant of the loop. */
static void hide(struct op2i_simd *l, int begin, int end) {
  for (int at = begin; at < end; at++) {
    at = past_structure(l->unit, at);
    if (at >= end) break;
    if (!op2i_unit_word(l->unit, at) || l->unit->roles[l->unit->code[at]] != OP2I_ROLE_NONE)
      continue;
    const struct op2i_token *t = &l->unit->tokens.list[l->unit->code[at]];
    struct op2i_piece word = {.text = l->unit->tokens.text + t->begin,
                              .length = (int)(t->end - t->begin)};
    for (struct op2i_simd_var **v = &l->globals; *v; v = &(*v)->outer)
      if (op2i_piece_is(&word, (*v)->name)) {
        *v = (*v)->outer;
        break;
      }
  }
}

void op2i_simd_globals(struct op2i_simd *l) {
  const struct op2i_unit *unit = l->unit;
  loop_constants(l);
  for (int i = 0; i < unit->nitems && !op2i_simd_stopped(l); i++) {
    const struct op2i_item *item = &unit->items[i];
    if (item->kind != OP2I_ITEM_OTHER || op2i_unit_is(unit, item->begin, "extern") ||
        op2i_unit_is(unit, item->begin, ";"))
      continue;
    struct op2i_simd_parser p = {.l = l, .scope = l->globals};
    size_t length = l->why->length;
    op2i_simd_parse(&p, item->begin, item->end);
    p.r.expected = OP2I_C_TYPEDEF | OP2I_C_STATIC;
    if (op2i_simd_stopped(l)) break;
    hide(l, item->begin, item->end);
    p.scope = l->globals;
    read_constants(&p);
    for (struct op2i_simd_var *v = p.scope; v != l->globals; v = v->outer)
      v->line = op2i_unit_line(unit, item->begin);
    if (!op2i_simd_stopped(l)) l->globals = p.scope;
    if (l->nglobals > OP2I_SIMD_GLOBALS) break;
    l->refused = false;
    l->why->length = length;
    if (l->why->chars) l->why->chars[length] = '\0';
  }
}
