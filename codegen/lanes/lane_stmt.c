/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations, statements and functions, read into trees. */
#include <stdio.h>
#include <string.h>

#include "lane.h"

/* ---- declarations ---------------------------------------------------------------------------- */

static struct op2i_lane_node *initializer(struct op2i_lane_parser *p) {
  if (!op2i_lane_at(p, "{")) return op2i_lane_assignment(p);
  struct op2i_lane_node *list = op2i_lane_node(p->l, OP2I_LANE_LIST, op2i_lane_line(p));
  struct op2i_lane_node **tail = &list->a;
  p->at++;
  bool more = op2i_lane_enter(p->l, list->line);
  while (more && !op2i_lane_at(p, "}") && !op2i_lane_stopped(p->l)) {
    *tail = initializer(p);
    tail = &(*tail)->next;
    list->value++;
    more = op2i_lane_accept(p, ",");
  }
  op2i_lane_leave(p->l);
  op2i_lane_expect(p, "}");
  return list;
}

static bool zero(const struct op2i_lane_node *e) {
  return e->kind == OP2I_LANE_LITERAL &&
         ((e->known && e->value == 0) || !strcmp(e->text, "0.0") || !strcmp(e->text, "0.0f"));
}

/* Braces must go as deep as the arrays do; {0} stands for nothing but zeros. */
static void check_list(struct op2i_lane *l, const struct op2i_c_type *type, int level,
                       const struct op2i_lane_node *e) {
  bool array = level < type->nlevels && type->levels[level] > 0;
  if (op2i_lane_stopped(l)) return;
  if (array != (e->kind == OP2I_LANE_LIST) || (array && e->value > type->levels[level])) {
    op2i_lane_refuse(l, "has an initializer in line %d that cannot be followed", e->line);
    return;
  }
  if (!array && (e->type.nlevels != 0) != (type->nlevels > level)) {
    op2i_lane_refuse(l, "mixes pointers and numbers in line %d", e->line);
    return;
  }
  if (!array && !e->type.nlevels && e->type.base == OP2I_C_VOID)
    op2i_lane_refuse(l, "needs a number in line %d where there is none", e->line);
  if (array && e->value == 1 && zero(e->a)) return;
  for (const struct op2i_lane_node *a = array ? e->a : NULL; a; a = a->next)
    check_list(l, type, level + 1, a);
}

void op2i_lane_let_see(struct op2i_lane_parser *p, struct op2i_lane_var *var) {
  if (!p->form && ++p->l->nglobals > OP2I_LANE_GLOBALS)
    op2i_lane_refuse(p->l, "declares more than %d names at file scope", (int)OP2I_LANE_GLOBALS);
  var->outer = p->scope;
  p->scope = var;
}

static const char *name_of(struct op2i_lane_parser *p, const struct op2i_c_decl *decl) {
  return decl->name ? op2i_lane_string(p->l, decl->name->text, (size_t)decl->name->length) : NULL;
}

static void variable(struct op2i_lane_parser *p, const struct op2i_c_decl *said, int line,
                     struct op2i_lane_node ***tail) {
  const char *name = name_of(p, said);
  const struct op2i_c_type *type = &said->type;
  struct op2i_lane_node *decl = op2i_lane_node(p->l, OP2I_LANE_DECL, line);
  decl->var = op2i_lane_var(p->l, name ? name : "");
  if (op2i_lane_stopped(p->l)) return;
  decl->var->type = *type;
  op2i_lane_let_see(p, decl->var);
  if (op2i_lane_accept(p, "=")) decl->a = initializer(p);
  if (op2i_lane_stopped(p->l)) return;
  if (type->nlevels && type->levels[0] == -1 && decl->a && decl->a->kind == OP2I_LANE_LIST)
    decl->var->type.levels[0] = decl->a->value;
  for (int k = 0; k < type->nlevels; k++)
    if (decl->var->type.levels[k] < 0)
      op2i_lane_refuse(p->l, "has an array in line %d whose extent is not known", line);
  if (!name || type->base == OP2I_C_VOID)
    op2i_lane_refuse(p->l, "has a declaration in line %d that cannot be followed", line);
  if (decl->a) check_list(p->l, &decl->var->type, 0, decl->a);
  **tail = decl;
  *tail = &decl->next;
}

/* typedef double real, vec3[3]; one of them. */
static void type_name(struct op2i_lane_parser *p, const struct op2i_c_decl *said) {
  const char *name = name_of(p, said);
  if (!name) op2i_lane_refuse(p->l, "has a typedef without a name in line %d", op2i_lane_line(p));
  if (op2i_lane_stopped(p->l)) return;
  struct op2i_lane_var *var = op2i_lane_var(p->l, name);
  var->type = said->type;
  var->is_type = true;
  op2i_lane_let_see(p, var);
}

bool op2i_lane_at_enumeration(const struct op2i_lane_parser *p) {
  const struct op2i_piece *t = &p->tokens[p->at];
  if (!op2i_lane_at(p, "enum")) return false;
  return op2i_piece_is(&t[1], "{") || (op2i_c_word(&t[1]) && op2i_piece_is(&t[2], "{"));
}

static void enumerator(struct op2i_lane_parser *p, int64_t *value) {
  const struct op2i_piece *t = &p->tokens[p->at++];
  struct op2i_lane_var *var =
      op2i_lane_var(p->l, op2i_lane_string(p->l, t->text, (size_t)t->length));
  char text[32];
  if (op2i_lane_accept(p, "=")) {
    struct op2i_lane_node *e = op2i_lane_assignment(p);
    if (!op2i_lane_stopped(p->l) && !e->known)
      op2i_lane_refuse(p->l, "has an enumerator in line %d whose value is not known", t->line);
    *value = e->value;
  }
  if (*value > INT32_MAX || *value < INT32_MIN)
    op2i_lane_refuse(p->l, "has an enumerator in line %d that is no int", t->line);
  snprintf(text, sizeof text, *value < 0 ? "(%lld)" : "%lld", (long long)*value);
  var->text = op2i_lane_string(p->l, text, strlen(text));
  var->type.base = OP2I_C_I32;
  var->fixed = var->known = true;
  var->lo = (*value)++;
  op2i_lane_let_see(p, var);
}

/* enum { A, B = 3 }; */
void op2i_lane_enumeration(struct op2i_lane_parser *p) {
  int64_t value = 0;
  p->at++;
  if (op2i_c_word(&p->tokens[p->at])) p->at++;
  op2i_lane_expect(p, "{");
  while (op2i_c_word(&p->tokens[p->at]) && !op2i_lane_stopped(p->l)) {
    enumerator(p, &value);
    if (!op2i_lane_accept(p, ",")) break;
  }
  op2i_lane_expect(p, "}");
  op2i_lane_expect(p, ";");
}

/* What is static and constant need not be kept between calls. */
void op2i_lane_declaration(struct op2i_lane_parser *p, struct op2i_lane_node ***tail) {
  struct op2i_c_decl all;
  if (op2i_lane_at_enumeration(p)) {
    op2i_lane_enumeration(p);
    return;
  }
  op2i_lane_specifiers(p, OP2I_C_TYPEDEF | OP2I_C_STATIC, &all);
  if ((all.said & OP2I_C_STATIC) && !all.type.readonly)
    op2i_lane_refuse(p->l, "has a static variable in line %d", op2i_lane_line(p));
  while (!op2i_lane_stopped(p->l)) {
    struct op2i_c_decl one = all;
    int line = op2i_lane_line(p);
    op2i_lane_declarator(p, 0, &one);
    if (all.said & OP2I_C_TYPEDEF)
      type_name(p, &one);
    else
      variable(p, &one, line, tail);
    if (!op2i_lane_accept(p, ",")) break;
  }
  op2i_lane_expect(p, ";");
}

/* ---- loops ----------------------------------------------------------------------------------- */

static bool is_counter(const struct op2i_lane_node *e, const struct op2i_lane_var *var) {
  return e->kind == OP2I_LANE_NAME && e->var == var;
}

/* Whether `step` changes the variable by one or another constant; *up tells where to. */
static bool steps(const struct op2i_lane_node *step, const struct op2i_lane_var *var, bool *up) {
  bool one = step->kind == OP2I_LANE_UNARY || step->kind == OP2I_LANE_POSTFIX;
  bool more = step->kind == OP2I_LANE_ASSIGN && step->b->known && step->b->value > 0;
  *up = strcmp(step->op, "++") == 0 || strcmp(step->op, "+=") == 0;
  bool down = strcmp(step->op, "--") == 0 || strcmp(step->op, "-=") == 0;
  return (one || more) && (*up || down) && is_counter(step->a, var);
}

/* for (int n = 2; n < 5; n++), and downwards: its range is known. */
static void note_counter(struct op2i_lane_node *loop) {
  const struct op2i_lane_node *init = loop->a, *test = loop->b, *step = loop->c;
  bool up;
  if (!init || !test || !step || init->kind != OP2I_LANE_DECL || init->next) return;
  struct op2i_lane_var *var = init->var;
  if (var->type.nlevels || op2i_lane_float(var->type.base) || var->assigned) return;
  if (!init->a || !init->a->known || test->kind != OP2I_LANE_BINARY || !test->b->known) return;
  if (!is_counter(test->a, var) || !steps(step, var, &up)) return;
  bool closed = strcmp(test->op, "<=") == 0 || strcmp(test->op, ">=") == 0;
  if (test->op[0] != (up ? '<' : '>') || test->op[1] == test->op[0]) return;
  var->counts = true;
  var->lo = up ? init->a->value : test->b->value + !closed;
  var->hi = up ? test->b->value + closed : init->a->value + 1;
}

static struct op2i_lane_node *statement(struct op2i_lane_parser *p);

static struct op2i_lane_node *body(struct op2i_lane_parser *p) {
  struct op2i_lane_var *outer = p->scope;
  p->breakable++;
  p->loops++;
  struct op2i_lane_node *e = statement(p);
  p->breakable--;
  p->loops--;
  p->scope = outer;
  return e;
}

static struct op2i_lane_node *for_statement(struct op2i_lane_parser *p) {
  struct op2i_lane_node *e = op2i_lane_node(p->l, OP2I_LANE_FOR, op2i_lane_line(p));
  struct op2i_lane_var *outer = p->scope;
  struct op2i_lane_node **tail = &e->a;
  p->at++;
  op2i_lane_expect(p, "(");
  if (op2i_lane_at_type(p)) {
    op2i_lane_declaration(p, &tail);
  } else if (!op2i_lane_accept(p, ";")) {
    e->a = op2i_lane_expression(p);
    op2i_lane_expect(p, ";");
  }
  if (!op2i_lane_at(p, ";")) e->b = op2i_lane_expression(p);
  op2i_lane_expect(p, ";");
  if (!op2i_lane_at(p, ")")) e->c = op2i_lane_expression(p);
  op2i_lane_expect(p, ")");
  if (op2i_lane_stopped(p->l)) return e;
  if (e->a && e->a->kind == OP2I_LANE_DECL) e->a->var->assigned = false;
  e->d = body(p);
  if (!op2i_lane_stopped(p->l)) note_counter(e);
  p->scope = outer;
  return e;
}

static struct op2i_lane_node *while_statement(struct op2i_lane_parser *p) {
  struct op2i_lane_node *e = op2i_lane_node(p->l, OP2I_LANE_WHILE, op2i_lane_line(p));
  p->at++;
  op2i_lane_expect(p, "(");
  e->b = op2i_lane_expression(p);
  op2i_lane_expect(p, ")");
  e->d = body(p);
  return e;
}

static struct op2i_lane_node *do_statement(struct op2i_lane_parser *p) {
  struct op2i_lane_node *e = op2i_lane_node(p->l, OP2I_LANE_DO, op2i_lane_line(p));
  p->at++;
  e->d = body(p);
  op2i_lane_expect(p, "while");
  op2i_lane_expect(p, "(");
  e->b = op2i_lane_expression(p);
  op2i_lane_expect(p, ")");
  op2i_lane_expect(p, ";");
  return e;
}

/* ---- other statements ------------------------------------------------------------------------ */

static struct op2i_lane_node *scoped(struct op2i_lane_parser *p) {
  struct op2i_lane_var *outer = p->scope;
  struct op2i_lane_node *e = statement(p);
  p->scope = outer;
  return e;
}

static struct op2i_lane_node *if_statement(struct op2i_lane_parser *p) {
  struct op2i_lane_node *e = op2i_lane_node(p->l, OP2I_LANE_IF, op2i_lane_line(p));
  p->at++;
  op2i_lane_expect(p, "(");
  e->a = op2i_lane_expression(p);
  op2i_lane_expect(p, ")");
  e->b = scoped(p);
  if (op2i_lane_accept(p, "else")) e->c = scoped(p);
  return e;
}

static struct op2i_lane_node *switch_statement(struct op2i_lane_parser *p) {
  struct op2i_lane_node *e = op2i_lane_node(p->l, OP2I_LANE_SWITCH, op2i_lane_line(p));
  p->at++;
  op2i_lane_expect(p, "(");
  e->a = op2i_lane_expression(p);
  op2i_lane_expect(p, ")");
  p->breakable++;
  e->b = scoped(p);
  p->breakable--;
  return e;
}

static struct op2i_lane_node *block(struct op2i_lane_parser *p) {
  struct op2i_lane_node *e = op2i_lane_node(p->l, OP2I_LANE_BLOCK, op2i_lane_line(p));
  struct op2i_lane_node **tail = &e->a;
  struct op2i_lane_var *outer = p->scope;
  op2i_lane_expect(p, "{");
  while (!op2i_lane_at(p, "}") && !op2i_lane_stopped(p->l)) {
    if (op2i_lane_at_type(p)) {
      op2i_lane_declaration(p, &tail);
      continue;
    }
    *tail = statement(p);
    tail = &(*tail)->next;
  }
  op2i_lane_expect(p, "}");
  p->scope = outer;
  return e;
}

static struct op2i_lane_node *case_label(struct op2i_lane_parser *p) {
  struct op2i_lane_node *e = op2i_lane_node(p->l, OP2I_LANE_CASE, op2i_lane_line(p));
  if (op2i_lane_accept(p, "case"))
    e->a = op2i_lane_assignment(p);
  else
    op2i_lane_expect(p, "default");
  op2i_lane_expect(p, ":");
  return e;
}

static struct op2i_lane_node *jump(struct op2i_lane_parser *p) {
  struct op2i_lane_node *e = op2i_lane_node(p->l, OP2I_LANE_BREAK, op2i_lane_line(p));
  if (op2i_lane_accept(p, "return")) {
    e->kind = OP2I_LANE_RETURN;
    if (!op2i_lane_at(p, ";")) e->a = op2i_lane_expression(p);
    if (!op2i_lane_stopped(p->l) && (e->a != NULL) != (p->form->type.base != OP2I_C_VOID))
      op2i_lane_refuse(p->l, "returns what it does not promise in line %d", e->line);
  } else if (op2i_lane_accept(p, "continue")) {
    e->kind = OP2I_LANE_CONTINUE;
  } else {
    op2i_lane_expect(p, "break");
  }
  if (e->kind != OP2I_LANE_RETURN && !(e->kind == OP2I_LANE_BREAK ? p->breakable : p->loops))
    op2i_lane_refuse(p->l, "leaves no loop in line %d", e->line);
  op2i_lane_expect(p, ";");
  return e;
}

static struct op2i_lane_node *any_statement(struct op2i_lane_parser *p) {
  const struct op2i_piece *t = &p->tokens[p->at];
  if (op2i_lane_at(p, "{")) return block(p);
  if (op2i_lane_at(p, "if")) return if_statement(p);
  if (op2i_lane_at(p, "for")) return for_statement(p);
  if (op2i_lane_at(p, "while")) return while_statement(p);
  if (op2i_lane_at(p, "do")) return do_statement(p);
  if (op2i_lane_at(p, "switch")) return switch_statement(p);
  if (op2i_lane_at(p, "case") || op2i_lane_at(p, "default")) return case_label(p);
  if (op2i_lane_at(p, "return") || op2i_lane_at(p, "break") || op2i_lane_at(p, "continue"))
    return jump(p);
  if (op2i_lane_at(p, "goto") || (op2i_c_word(t) && op2i_piece_is(&t[1], ":")))
    op2i_lane_refuse(p->l, "has a goto or a label in line %d", t->line);
  struct op2i_lane_node *e = op2i_lane_node(p->l, OP2I_LANE_EXPR, t->line);
  if (op2i_lane_accept(p, ";")) return e;
  e->a = op2i_lane_expression(p);
  op2i_lane_expect(p, ";");
  return e;
}

static struct op2i_lane_node *statement(struct op2i_lane_parser *p) {
  int line = op2i_lane_line(p);
  if (++p->nested > OP2I_LANE_NESTED)
    op2i_lane_refuse(p->l, "has statements nested too deep in line %d", line);
  struct op2i_lane_node *e =
      op2i_lane_stopped(p->l) ? op2i_lane_node(p->l, OP2I_LANE_EXPR, line) : any_statement(p);
  p->nested--;
  return e;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Macros may have put more than the type there. */
struct op2i_c_type op2i_lane_result(struct op2i_lane *l, int item) {
  const struct op2i_unit *unit = l->unit;
  struct op2i_lane_parser p = {.l = l, .scope = l->globals};
  struct op2i_c_type type = {0};
  p.tokens = op2i_lane_expand(l, unit->items[item].begin, unit->items[item].name, &p.count);
  if (op2i_lane_stopped(l)) return type;
  op2i_lane_unnamed(&p, OP2I_C_STATIC | OP2I_C_EXTERN | OP2I_C_NORETURN | OP2I_C_ATTRIBUTE, &type);
  if (type.nlevels || p.at < p.count)
    op2i_lane_refuse(l, "calls a function defined in line %d that returns no number",
                     op2i_unit_line(unit, unit->items[item].name));
  type.readonly = false;
  return type;
}

static void parameter(struct op2i_lane_parser *p) {
  struct op2i_lane_form *form = p->form;
  struct op2i_c_decl decl;
  char unnamed[32];
  op2i_lane_specifiers(p, 0, &decl);
  op2i_lane_declarator(p, 0, &decl);
  if (form->nparams == OP2I_LANE_PARAMS) op2i_lane_refuse(p->l, "has too many parameters");
  if (decl.type.base == OP2I_C_VOID)
    op2i_lane_refuse(p->l, "has a parameter in line %d that leads to nothing", op2i_lane_line(p));
  if (decl.type.nlevels) decl.type.levels[0] = 0;
  if (op2i_lane_stopped(p->l)) return;
  const char *name = name_of(p, &decl);
  if (!name) {
    snprintf(unnamed, sizeof unnamed, "op2_unused%d", form->nparams);
    name = op2i_lane_string(p->l, unnamed, strlen(unnamed));
  }
  struct op2i_lane_var *var = op2i_lane_var(p->l, name);
  var->type = decl.type;
  var->outer = p->scope;
  var->param = form->nparams;
  p->scope = var;
  form->params[form->nparams++] = var;
}

void op2i_lane_read(struct op2i_lane *l, struct op2i_lane_form *form) {
  const struct op2i_item *item = &l->unit->items[form->item];
  struct op2i_lane_parser p = {.l = l, .scope = l->globals, .form = form};
  form->type = op2i_lane_result(l, form->item);
  p.tokens = op2i_lane_expand(l, item->open + 1, item->close, &p.count);
  bool none = p.count == 0 || (p.count == 1 && op2i_lane_at(&p, "void"));
  while (!none && !op2i_lane_stopped(l)) {
    parameter(&p);
    if (!op2i_lane_accept(&p, ",")) break;
  }
  if (!none && p.at < p.count) op2i_lane_expect(&p, ")");
  if (op2i_lane_stopped(l)) return;
  p.tokens = op2i_lane_expand(l, item->body, item->end, &p.count);
  p.at = 0;
  if (!op2i_lane_stopped(l)) form->body = block(&p);
}
