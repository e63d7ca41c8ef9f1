/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads declarations, statements and functions into trees: the callbacks of the reader of
 * statements (cstmt.h). */
#include <stdio.h>
#include <string.h>

#include "simd_base.h"
#include "simd_complex.h"
#include "simd_expr.h"
#include "simd_parse.h"
#include "simd_record.h"
#include "simd_stmt.h"
#include "simd_tree.h"
#include "simd_unroll.h"
#include "simd_vary.h"

/* ---- declarations ---------------------------------------------------------------------------- */

static void missing(struct op2i_c_reader *r, const char *spelling) {
  op2i_simd_expect(r->client, spelling);
}

void op2i_simd_let_see(struct op2i_simd_parser *p, struct op2i_simd_var *var) {
  if (!p->form && ++p->l->nglobals > OP2I_SIMD_GLOBALS)
    op2i_simd_refuse(p->l, "declares more than %d names at file scope", (int)OP2I_SIMD_GLOBALS);
  var->outer = p->scope;
  p->scope = var;
  p->visible++;
}

static int64_t visible(const struct op2i_c_reader *r) {
  const struct op2i_simd_parser *p = r->client;
  return p->visible;
}

static void forget_names(struct op2i_c_reader *r, int64_t count) {
  struct op2i_simd_parser *p = r->client;
  for (; p->visible > count; p->visible--) p->scope = p->scope->outer;
}

static const char *string_of(struct op2i_simd_parser *p, const struct op2i_piece *name) {
  return op2i_simd_string(p->l, name->text, (size_t)name->length);
}

/* True for enum { A, B = 3 }; in places where declarations can stand. */
static bool enumeration(const struct op2i_simd_parser *p, const struct op2i_c_decl *decl) {
  return p->enumerates == 1 && (p->r.inside || !p->form) && decl->said == OP2I_C_SPECIAL &&
         op2i_piece_is(decl->special, "enum");
}

/* True for a structure that is declared with its members alone. */
static bool bare(const struct op2i_c_decl *decl) {
  return !decl->name && !decl->special && op2i_simd_record(&decl->type);
}

/* A static constant need not be kept between calls. */
static void specified(struct op2i_c_reader *r, struct op2i_c_decl *all) {
  struct op2i_simd_parser *p = r->client;
  if (enumeration(p, all)) {
    if (!op2i_simd_at(p, ";")) missing(r, ";");
    return;
  }
  op2i_simd_check(p, all);
  if ((all->said & OP2I_C_STATIC) && !all->type.readonly)
    op2i_simd_refuse(p->l, "has a static variable in line %d", op2i_simd_line(p));
}

static void *declared(struct op2i_c_reader *r, struct op2i_c_decl *decl) {
  struct op2i_simd_parser *p = r->client;
  bool type = decl->said & OP2I_C_TYPEDEF, nothing = enumeration(p, decl) || bare(decl);
  p->enumerates = 0;
  if (nothing) return NULL;
  op2i_simd_check(p, decl);
  if (type && !decl->name)
    op2i_simd_refuse(p->l, "has a typedef without a name in line %d", op2i_simd_line(p));
  if (!type) op2i_simd_check_record(p->l, &decl->type, decl->line);
  if (op2i_simd_stopped(p->l)) return NULL;
  struct op2i_simd_node *node = op2i_simd_node(p->l, OP2I_SIMD_DECL, decl->line);
  node->var = op2i_simd_var(p->l, decl->name ? string_of(p, decl->name) : "");
  node->var->type = decl->type;
  node->var->is_type = type;
  op2i_simd_let_see(p, node->var);
  return type ? NULL : node;
}

static void initialized(struct op2i_c_reader *r, const struct op2i_c_decl *decl, void *declared) {
  struct op2i_simd_parser *p = r->client;
  struct op2i_simd_node *node = declared;
  if (!node || op2i_simd_stopped(p->l)) return;
  if (op2i_simd_accept(p, "=")) node->a = op2i_simd_initializer(p, &node->var->type);
  if (op2i_simd_stopped(p->l)) return;
  struct op2i_c_type *type = &node->var->type;
  if (type->nlevels && type->levels[0] == -1 && node->a && node->a->kind == OP2I_SIMD_LIST)
    type->levels[0] = node->a->value;
  for (int k = 0; k < type->nlevels; k++)
    if (type->levels[k] < 0)
      op2i_simd_refuse(p->l, "has an array in line %d whose extent is not known", node->line);
  if (!decl->name || type->base == OP2I_C_VOID)
    op2i_simd_refuse(p->l, "has a declaration in line %d that cannot be followed", node->line);
  if (node->a) op2i_simd_check_initializer(p->l, type, node->a);
}

static void enumerator(struct op2i_c_reader *r, const struct op2i_piece *name, bool given,
                       void *value) {
  struct op2i_simd_parser *p = r->client;
  const struct op2i_simd_node *e = value;
  struct op2i_simd_var *var = op2i_simd_var(p->l, string_of(p, name));
  char text[32];
  if (given && !e->known)
    op2i_simd_refuse(p->l, "has an enumerator in line %d whose value is not known", name->line);
  if (given) p->next = e->value;
  if (p->next > INT32_MAX || p->next < INT32_MIN)
    op2i_simd_refuse(p->l, "has an enumerator in line %d that is no int", name->line);
  snprintf(text, sizeof text, p->next < 0 ? "(%lld)" : "%lld", (long long)p->next);
  var->text = op2i_simd_string(p->l, text, strlen(text));
  var->type.base = OP2I_C_I32;
  var->fixed = var->known = true;
  var->lo = p->next++;
  op2i_simd_let_see(p, var);
}

static void parameter(struct op2i_c_reader *r, struct op2i_c_decl *decl) {
  struct op2i_simd_parser *p = r->client;
  struct op2i_simd_form *form = p->form;
  char unnamed[32];
  op2i_simd_check(p, decl);
  op2i_simd_check_record(p->l, &decl->type, op2i_simd_line(p));
  if (form->nparams == OP2I_SIMD_PARAMS) op2i_simd_refuse(p->l, "has too many parameters");
  if (decl->type.base == OP2I_C_VOID)
    op2i_simd_refuse(p->l, "has a parameter in line %d that leads to nothing", op2i_simd_line(p));
  if (decl->type.nlevels) decl->type.levels[0] = 0;
  if (op2i_simd_stopped(p->l)) return;
  snprintf(unnamed, sizeof unnamed, "op2_unused%d", form->nparams);
  struct op2i_simd_var *var =
      op2i_simd_var(p->l, decl->name ? string_of(p, decl->name)
                                     : op2i_simd_string(p->l, unnamed, strlen(unnamed)));
  var->type = decl->type;
  var->param = form->nparams;
  op2i_simd_let_see(p, var);
  form->params[form->nparams++] = var;
}

/* ---- loops ----------------------------------------------------------------------------------- */

void op2i_simd_note_counter(struct op2i_simd_node *loop) {
  struct op2i_simd_counted counted;
  if (!op2i_simd_counted(loop, NULL, &counted)) return;
  struct op2i_simd_var *var = loop->a->var;
  if (!loop->a->a->known || !loop->b->b->known) return;
  var->counts = true;
  var->lo = counted.lo;
  var->hi = counted.hi;
}

/* ---- statements ------------------------------------------------------------------------------ */

/* True if a break or continue has something to leave. */
static bool leaves(const struct op2i_c_statement *s) {
  for (const struct op2i_c_statement *o = s->outer; o; o = o->outer)
    if (o->kind == OP2I_C_FOR || o->kind == OP2I_C_WHILE || o->kind == OP2I_C_DO ||
        (o->kind == OP2I_C_SWITCH && s->kind == OP2I_C_BREAK))
      return true;
  return false;
}

static bool in_block(const struct op2i_c_statement *s) {
  return s->outer && s->outer->kind == OP2I_C_BLOCK;
}

/* True directly in the block of a switch. A statement that is entered in its middle would have no
 * mask. */
static bool in_switch(const struct op2i_c_statement *s) {
  return in_block(s) && s->outer->outer && s->outer->outer->kind == OP2I_C_SWITCH;
}

static bool begin_statement(struct op2i_c_reader *r, const struct op2i_c_statement *s) {
  struct op2i_simd_parser *p = r->client;
  const struct op2i_piece *t = &r->tokens[r->at];
  bool jump = s->kind == OP2I_C_BREAK || s->kind == OP2I_C_CONTINUE;
  if (s->nested > OP2I_SIMD_NESTED)
    op2i_simd_refuse(p->l, "has statements nested too deep in line %d", s->line);
  if (s->kind == OP2I_C_GOTO || s->kind == OP2I_C_LABEL)
    op2i_simd_refuse(p->l, "has a goto or a label in line %d", s->line);
  if (jump && !leaves(s)) op2i_simd_refuse(p->l, "leaves no loop in line %d", s->line);
  if (s->kind == OP2I_C_CASE && !in_switch(s))
    op2i_simd_refuse(p->l, "has a case in line %d that leads into another statement", s->line);
  if (s->kind == OP2I_C_DECLARATION && !in_block(s))
    op2i_simd_refuse(p->l, "has '%.*s' in line %d, which cannot be followed", t->length, t->text,
                     s->line);
  return !op2i_simd_stopped(p->l);
}

static void *made(struct op2i_c_reader *r, const struct op2i_c_statement *s) {
  static const enum op2i_simd_kind kinds[] = {
      [OP2I_C_EXPRESSION] = OP2I_SIMD_EXPR, [OP2I_C_BLOCK] = OP2I_SIMD_BLOCK,
      [OP2I_C_IF] = OP2I_SIMD_IF,           [OP2I_C_ELSE_IF] = OP2I_SIMD_IF,
      [OP2I_C_FOR] = OP2I_SIMD_FOR,         [OP2I_C_WHILE] = OP2I_SIMD_WHILE,
      [OP2I_C_DO] = OP2I_SIMD_DO,           [OP2I_C_SWITCH] = OP2I_SIMD_SWITCH,
      [OP2I_C_CASE] = OP2I_SIMD_CASE,       [OP2I_C_RETURN] = OP2I_SIMD_RETURN,
      [OP2I_C_BREAK] = OP2I_SIMD_BREAK,     [OP2I_C_CONTINUE] = OP2I_SIMD_CONTINUE};
  struct op2i_simd_parser *p = r->client;
  struct op2i_simd_node *e = op2i_simd_node(p->l, kinds[s->kind], s->line);
  switch (e->kind) {
  case OP2I_SIMD_BLOCK: e->a = s->body; break;
  case OP2I_SIMD_FOR:
  case OP2I_SIMD_WHILE:
  case OP2I_SIMD_DO:
    e->a = s->init;
    e->b = op2i_simd_truth(p->l, s->test);
    e->c = s->step;
    e->d = s->body;
    op2i_simd_note_counter(e);
    break;
  case OP2I_SIMD_IF:
    e->a = op2i_simd_truth(p->l, s->test);
    e->b = s->body;
    break;
  default: e->a = s->test; e->b = s->body;
  }
  if (e->kind == OP2I_SIMD_RETURN && (e->a != NULL) != (p->form->type.base != OP2I_C_VOID))
    op2i_simd_refuse(p->l, "returns what it does not promise in line %d", e->line);
  if (e->kind == OP2I_SIMD_RETURN && e->a && !op2i_simd_stopped(p->l)) {
    e->a = op2i_simd_converted(p->l, e->a, &p->form->type);
    op2i_simd_check_initializer(p->l, &p->form->type, e->a);
  }
  if (e->kind == OP2I_SIMD_SWITCH && e->a && op2i_simd_record(&e->a->type))
    op2i_simd_refuse(p->l, "needs a number in line %d where there is none", e->line);
  return e;
}

static void otherwise(struct op2i_c_reader *r, void *branch, void *other) {
  (void)r;
  ((struct op2i_simd_node *)branch)->c = other;
}

static void append(struct op2i_c_reader *r, struct op2i_c_list *list, void *made) {
  struct op2i_simd_node *last = made;
  (void)r;
  if (list->last)
    ((struct op2i_simd_node *)list->last)->next = made;
  else
    list->first = made;
  while (last->next) last = last->next;
  list->last = last;
}

static bool stopped(const struct op2i_c_reader *r) {
  const struct op2i_simd_parser *p = r->client;
  return op2i_simd_stopped(p->l);
}

static void *expression(struct op2i_c_reader *r, const char *end) {
  return strchr(",:", *end) ? op2i_simd_assignment(r->client) : op2i_simd_expression(r->client);
}

const struct op2i_c_asker op2i_simd_asker = {.stopped = stopped,
                                             .visible = visible,
                                             .forget = forget_names,
                                             .specified = specified,
                                             .declared = declared,
                                             .initialized = initialized,
                                             .parameter = parameter,
                                             .enumerator = enumerator,
                                             .expression = expression,
                                             .missing = missing,
                                             .begin = begin_statement,
                                             .made = made,
                                             .otherwise = otherwise,
                                             .append = append};

/* ---- functions ------------------------------------------------------------------------------- */

/* The type of a function's result. Macros may have put more than the type there, which is
 * refused. */
struct op2i_c_type op2i_simd_result(struct op2i_simd *l, int item) {
  const struct op2i_unit *unit = l->unit;
  struct op2i_simd_parser p = {.l = l, .scope = l->globals};
  struct op2i_c_type type = {0};
  op2i_simd_parse(&p, unit->items[item].begin, unit->items[item].name);
  if (op2i_simd_stopped(l)) return type;
  op2i_simd_unnamed(&p, OP2I_C_STATIC | OP2I_C_EXTERN | OP2I_C_NORETURN | OP2I_C_ATTRIBUTE, &type);
  if (type.nlevels || p.r.at < p.r.count)
    op2i_simd_refuse(l, "calls a function defined in line %d that returns no number",
                     op2i_unit_line(unit, unit->items[item].name));
  type.readonly = false;
  return type;
}

void op2i_simd_read(struct op2i_simd *l, struct op2i_simd_form *form) {
  const struct op2i_item *item = &l->unit->items[form->item];
  struct op2i_simd_parser p = {.l = l, .scope = l->globals, .form = form};
  form->type = op2i_simd_result(l, form->item);
  op2i_simd_parse(&p, item->open + 1, item->close);
  if (op2i_simd_stopped(l)) return;
  if (p.r.count != 1 || !op2i_simd_at(&p, "void")) {
    op2i_c_parameters(&p.r);
    if (p.r.at < p.r.count) op2i_simd_expect(&p, ")");
  }
  if (op2i_simd_stopped(l)) return;
  op2i_simd_parse(&p, item->body, item->end);
  p.r.expected = OP2I_C_TYPEDEF | OP2I_C_STATIC;
  if (!op2i_simd_stopped(l)) form->body = op2i_c_statement(&p.r);
  if (!op2i_simd_stopped(l)) op2i_simd_counters(l, form->body);
}
