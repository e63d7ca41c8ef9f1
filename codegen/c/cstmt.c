/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads statements and scopes. */
#include "cstmt.h"

#include <stddef.h>

static const struct op2i_piece *here(const struct op2i_c_reader *r) { return &r->tokens[r->at]; }

static bool is(const struct op2i_c_reader *r, const char *spelling) {
  return r->at < r->count && op2i_piece_is(here(r), spelling);
}

static bool accept(struct op2i_c_reader *r, const char *spelling) {
  bool found = is(r, spelling);
  r->at += found;
  return found;
}

static bool expect(struct op2i_c_reader *r, const char *spelling) {
  if (!is(r, spelling)) r->asker->missing(r, spelling);
  return accept(r, spelling);
}

static bool stopped(const struct op2i_c_reader *r) { return r->asker->stopped(r); }

static void *expression(struct op2i_c_reader *r, const char *end) {
  return stopped(r) ? NULL : r->asker->expression(r, end);
}

/* A clause may be empty. */
static void *clause(struct op2i_c_reader *r, const char *end) {
  void *made = is(r, end) ? NULL : expression(r, end);
  expect(r, end);
  return made;
}

static void append(struct op2i_c_reader *r, struct op2i_c_list *list, void *made) {
  if (made && !stopped(r)) r->asker->append(r, list, made);
}

/* ---- declarations ---------------------------------------------------------------------------- */

void *op2i_c_declaration(struct op2i_c_reader *r) {
  struct op2i_c_list list = {0};
  struct op2i_c_decl all;
  op2i_c_specifiers(r, &all);
  if (r->asker->specified) r->asker->specified(r, &all);
  while (!stopped(r)) {
    struct op2i_c_decl one = all;
    op2i_c_declarator(r, &one);
    void *declared = r->asker->declared(r, &one);
    r->asker->initialized(r, &one, declared);
    append(r, &list, declared);
    if (!accept(r, ",")) break;
  }
  expect(r, ";");
  return list.first;
}

void op2i_c_parameters(struct op2i_c_reader *r) {
  if (r->at == r->count || is(r, ")")) return;
  do {
    struct op2i_c_decl decl;
    op2i_c_specifiers(r, &decl);
    if (r->asker->specified) r->asker->specified(r, &decl);
    op2i_c_declarator(r, &decl);
    r->asker->parameter(r, &decl);
  } while (accept(r, ",") && !stopped(r));
}

/* Enumerators belong to the scope around the braces, each from after its value on. */
void op2i_c_enumerators(struct op2i_c_reader *r) {
  expect(r, "{");
  while (op2i_c_word(here(r)) && !stopped(r)) {
    const struct op2i_piece *name = &r->tokens[r->at++];
    bool given = accept(r, "=");
    void *value = given ? expression(r, ",") : NULL;
    if (!stopped(r)) r->asker->enumerator(r, name, given, value);
    if (!accept(r, ",")) break;
  }
  expect(r, "}");
}

/* ---- statements ------------------------------------------------------------------------------ */

static enum op2i_c_kind kind_here(struct op2i_c_reader *r) {
  static const struct {
    const char *word;
    enum op2i_c_kind kind;
  } words[] = {{"{", OP2I_C_BLOCK},       {"if", OP2I_C_IF},        {"for", OP2I_C_FOR},
               {"while", OP2I_C_WHILE},   {"do", OP2I_C_DO},        {"switch", OP2I_C_SWITCH},
               {"case", OP2I_C_CASE},     {"default", OP2I_C_CASE}, {"goto", OP2I_C_GOTO},
               {"return", OP2I_C_RETURN}, {"break", OP2I_C_BREAK},  {"continue", OP2I_C_CONTINUE}};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (is(r, words[i].word)) return words[i].kind;
  if (op2i_c_word(here(r)) && op2i_piece_is(&here(r)[1], ":")) return OP2I_C_LABEL;
  return op2i_c_at_type(r) ? OP2I_C_DECLARATION : OP2I_C_EXPRESSION;
}

static bool is_label(const struct op2i_c_statement *s) {
  return s->kind == OP2I_C_CASE || s->kind == OP2I_C_LABEL;
}

static void *made(struct op2i_c_reader *r, const struct op2i_c_statement *s) {
  return stopped(r) || !r->asker->made ? NULL : r->asker->made(r, s);
}

static void *read_parts(struct op2i_c_reader *r, struct op2i_c_statement *s);

/* `bodies` is 1 where the statement is the body of the one around it, which may be without
 * braces. */
static void *one_statement(struct op2i_c_reader *r, int bodies, bool *label) {
  const struct op2i_c_statement *outer = r->inside;
  struct op2i_c_statement s = {.kind = kind_here(r),
                               .line = here(r)->line,
                               .outer = outer,
                               .nested = outer ? outer->nested + 1 : 0,
                               .bodies = outer ? outer->bodies + bodies : 0};
  void *node = NULL;
  r->inside = &s;
  if (r->asker->begin(r, &s)) node = read_parts(r, &s);
  r->inside = outer;
  *label = is_label(&s);
  return node;
}

void *op2i_c_statement(struct op2i_c_reader *r) {
  bool label;
  return one_statement(r, 0, &label);
}

static void *block(struct op2i_c_reader *r) {
  struct op2i_c_list list = {0};
  int64_t outer = r->asker->visible(r);
  expect(r, "{");
  for (int before = -1; !is(r, "}") && !stopped(r) && r->at != before;) {
    before = r->at;
    append(r, &list, op2i_c_statement(r));
  }
  expect(r, "}");
  r->asker->forget(r, outer);
  return list.first;
}

/* A body is a scope of its own, with braces or without. Labels belong to the statement that they
 * stand before. */
static void *body(struct op2i_c_reader *r) {
  int64_t outer = r->asker->visible(r);
  void *node;
  bool label;
  do node = one_statement(r, 1, &label);
  while (label && !stopped(r) && !is(r, "}"));
  r->asker->forget(r, outer);
  return node;
}

/* Read ( test ). */
static void *condition(struct op2i_c_reader *r) {
  if (!expect(r, "(")) return NULL;
  void *test = expression(r, ")");
  expect(r, ")");
  return test;
}

static void otherwise(struct op2i_c_reader *r, void *branch, void *other) {
  if (branch && other) r->asker->otherwise(r, branch, other);
}

/* A chain of else if is read in a loop, so that the recursion does not grow with its length. */
static void *branches(struct op2i_c_reader *r, struct op2i_c_statement *s) {
  void *first = NULL, *last = NULL;
  do {
    r->at++;
    s->test = condition(r);
    s->body = body(r);
    void *branch = made(r, s);
    if (!first) first = branch;
    otherwise(r, last, branch);
    last = branch;
    if (!accept(r, "else")) break;
    if (!is(r, "if")) {
      otherwise(r, last, body(r));
      break;
    }
    s->kind = OP2I_C_ELSE_IF;
    s->line = here(r)->line;
    s->nested++;
  } while (r->asker->begin(r, s));
  return first;
}

/* Names that are declared in the parentheses are visible in the body. */
static void for_parts(struct op2i_c_reader *r, struct op2i_c_statement *s) {
  int64_t outer = r->asker->visible(r);
  r->at++;
  if (expect(r, "(")) {
    s->init = op2i_c_at_type(r) ? op2i_c_declaration(r) : clause(r, ";");
    s->test = clause(r, ";");
    s->step = clause(r, ")");
  }
  s->body = body(r);
  r->asker->forget(r, outer);
}

static void do_parts(struct op2i_c_reader *r, struct op2i_c_statement *s) {
  r->at++;
  s->body = body(r);
  if (!expect(r, "while")) return;
  s->test = condition(r);
  expect(r, ";");
}

static void case_parts(struct op2i_c_reader *r, struct op2i_c_statement *s) {
  bool value = is(r, "case");
  r->at++;
  if (value) s->test = expression(r, ":");
  expect(r, ":");
}

static void *read_parts(struct op2i_c_reader *r, struct op2i_c_statement *s) {
  switch (s->kind) {
  case OP2I_C_DECLARATION: return op2i_c_declaration(r);
  case OP2I_C_IF: return branches(r, s);
  case OP2I_C_BLOCK: s->body = block(r); break;
  case OP2I_C_FOR: for_parts(r, s); break;
  case OP2I_C_DO: do_parts(r, s); break;
  case OP2I_C_WHILE:
  case OP2I_C_SWITCH:
    r->at++;
    s->test = condition(r);
    s->body = body(r);
    break;
  case OP2I_C_CASE:
  case OP2I_C_LABEL: case_parts(r, s); break;
  case OP2I_C_BREAK:
  case OP2I_C_CONTINUE:
    r->at++;
    expect(r, ";");
    break;
  default:
    if (s->kind != OP2I_C_EXPRESSION) r->at++;
    s->test = clause(r, ";");
  }
  return made(r, s);
}
