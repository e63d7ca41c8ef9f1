/* SPDX-License-Identifier: BSD-3-Clause */
/* What the identifiers of a kernel's source refer to: C's scopes and declarations (C11 6.2.1, 6.7),
 * as far as names need it. Statements and expressions are not checked: what is wrong with them is
 * for the compiler to say. */
#include "cdecl.h"
#include "mem.h"
#include "unit.h"

/* How deep statements without braces may stand in each other; unit.c limits brackets. */
enum { DEPTH_MAX = 1000 };

struct walk {
  struct op2i_unit *unit;
  struct op2i_piece *tokens; /* [ncode + 2] one for each place */
  int at;                    /* place */
  struct op2i_names names;   /* innermost last; the value says whether it is a type */
  int64_t nfile;             /* how many of them are declared at file scope */
  int depth;                 /* of statements */
  op2_status status;         /* what went wrong first */
};

static bool is(const struct walk *w, const char *spelling) {
  return op2i_unit_is(w->unit, w->at, spelling);
}
static bool is_next(const struct walk *w, const char *spelling) {
  return w->at < w->unit->ncode && op2i_unit_is(w->unit, w->at + 1, spelling);
}
static bool word(const struct walk *w) { return op2i_unit_word(w->unit, w->at); }
static bool word_next(const struct walk *w) {
  return w->at < w->unit->ncode && op2i_unit_word(w->unit, w->at + 1);
}
static bool ended(const struct walk *w) { return w->at >= w->unit->ncode; }

/* ---- names ----------------------------------------------------------------------------------- */

/* Index of the innermost declaration of token t's name, or -1. */
static int64_t find(const struct walk *w, int t) {
  const struct op2i_token *token = &w->unit->tokens.list[t];
  return op2i_names_find(&w->names, w->unit->tokens.text + token->begin, token->end - token->begin);
}

static void declare(struct walk *w, int place, bool type) {
  if (place < 0) return;
  const struct op2i_token *token = &w->unit->tokens.list[w->unit->code[place]];
  if (!op2i_names_add(&w->names, w->unit->tokens.text + token->begin, token->end - token->begin,
                      type))
    w->status = OP2_ERR_NOMEM;
}

static void refer(struct walk *w, int t) {
  int64_t i = find(w, t);
  w->unit->roles[t] = i < 0 ? OP2I_ROLE_FREE : i < w->nfile ? OP2I_ROLE_FILE : OP2I_ROLE_LOCAL;
}

/* Whether the token before t makes a word there a member, tag or label. Directives between do not
 * matter. */
static bool named_apart(const struct walk *w, int t) {
  static const char *const words[] = {".", "->", "struct", "union", "enum", "goto"};
  int before = t - 1;
  while (before >= 0 && w->unit->tokens.list[before].kind == OP2I_TOK_DIRECTIVE) before--;
  if (before < 0) return false;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (op2i_token_is(&w->unit->tokens, before, words[i])) return true;
  return false;
}

static void refer_skipped(struct walk *w, int t) {
  const struct op2i_token *token = &w->unit->tokens.list[t];
  if (!token->skipped || token->kind != OP2I_TOK_WORD || named_apart(w, t)) return;
  if (!op2i_word_reserved(w->unit->tokens.text + token->begin, token->end - token->begin))
    refer(w, t);
}

/* To the next place. What a conditional leaves out on the way refers to what is visible here. */
static void step(struct walk *w) {
  if (ended(w)) return;
  int t = w->unit->code[w->at++];
  while (++t < w->unit->code[w->at]) refer_skipped(w, t);
}

/* ---- expressions ----------------------------------------------------------------------------- */

static void compound(struct walk *w);
static void declaration(struct walk *w, bool file);

static void expression(struct walk *w, int end) {
  while (w->at < end) {
    if (is(w, "(") && is_next(w, "{")) {
      step(w);
      compound(w);
      continue;
    }
    if (word(w) && !named_apart(w, w->unit->code[w->at])) refer(w, w->unit->code[w->at]);
    step(w);
  }
}

/* The place of the ; that ends what is here, or of the comma if that ends it too, or of the bracket
 * round it. */
static int clause_end(const struct walk *w, bool comma) {
  const struct op2i_unit *unit = w->unit;
  int p = w->at;
  while (p < unit->ncode && !op2i_unit_is(unit, p, ";") && !(comma && op2i_unit_is(unit, p, ","))) {
    if (unit->match[p] >= 0 && unit->match[p] < p) break;
    p = unit->match[p] > p ? unit->match[p] + 1 : p + 1;
  }
  return p;
}

/* Brackets and what is in them. */
static void bracketed(struct walk *w) {
  int close = w->unit->match[w->at];
  expression(w, close > w->at ? close + 1 : w->at + 1);
}

static void skip_to(struct walk *w, int place) {
  while (w->at < place) step(w);
}

/* ---- declarations ---------------------------------------------------------------------------- */

/* { A, B = 2 }: enumerators belong to the scope round them. */
static void enumerators(struct walk *w) {
  int close = w->unit->match[w->at];
  step(w);
  while (w->at < close) {
    int name = w->at;
    if (!word(w)) break;
    step(w);
    if (is(w, "=")) expression(w, clause_end(w, true));
    declare(w, name, false);
    if (!is(w, ",")) break;
    step(w);
  }
  skip_to(w, close + 1);
}

/* Members are no names of any scope; array extents among them may refer to something. */
static void members(struct walk *w) {
  int close = w->unit->match[w->at];
  step(w);
  while (w->at < close) {
    if (is(w, "["))
      bracketed(w);
    else
      step(w);
  }
  step(w);
}

/* ( T a, T b ): what they declare stays declared; the caller ends the scope. */
static void parameters(struct walk *w);

static int named(struct op2i_c_reader *r, struct op2i_c_type *type) {
  (void)r;
  *type = (struct op2i_c_type){.base = OP2I_C_UNCLEAR};
  return 1;
}

static void type_name(struct op2i_c_reader *r) {
  struct walk *w = r->who;
  skip_to(w, r->at);
  refer(w, w->unit->code[w->at]);
}

static int64_t inside(struct op2i_c_reader *r, enum op2i_c_bracket kind) {
  struct walk *w = r->who;
  int64_t outer = w->names.count;
  skip_to(w, r->at);
  switch (kind) {
  case OP2I_C_PARAMETERS:
    parameters(w);
    op2i_names_cut(&w->names, outer);
    break;
  case OP2I_C_MEMBERS: members(w); break;
  case OP2I_C_ENUMERATORS: enumerators(w); break;
  default: bracketed(w);
  }
  return -1;
}

static struct op2i_c_reader reader(struct walk *w) {
  return (struct op2i_c_reader){.tokens = w->tokens,
                                .count = w->unit->ncode,
                                .at = w->at,
                                .who = w,
                                .named = named,
                                .word = type_name,
                                .bracket = inside};
}

static void specifiers(struct walk *w, struct op2i_c_decl *decl) {
  struct op2i_c_reader r = reader(w);
  op2i_c_specifiers(&r, decl);
  skip_to(w, r.at);
}

/* Returns the place of the declared name, or -1. */
static int declarator(struct walk *w, struct op2i_c_decl *decl) {
  struct op2i_c_reader r = reader(w);
  op2i_c_declarator(&r, decl);
  skip_to(w, r.at);
  return decl->name ? (int)(decl->name - w->tokens) : -1;
}

static void parameters(struct walk *w) {
  int close = w->unit->match[w->at];
  step(w);
  while (w->at < close) {
    struct op2i_c_decl decl;
    specifiers(w, &decl);
    declare(w, declarator(w, &decl), false);
    skip_to(w, clause_end(w, true));
    if (is(w, ","))
      step(w);
    else
      break;
  }
  skip_to(w, close + 1);
}

/* Extern variables and functions declare nothing of their own: the name means what it means
 * outside. */
static void one_declarator(struct walk *w, const struct op2i_c_decl *all, bool file) {
  struct op2i_c_decl decl = *all;
  int name = declarator(w, &decl);
  bool function = decl.what == OP2I_C_FUNCTION, type = all->said & OP2I_C_TYPEDEF;
  if (function && !type && !file && name >= 0)
    refer(w, w->unit->code[name]);
  else if (!(all->said & OP2I_C_EXTERN) || function)
    declare(w, name, type);
  if (is(w, ":") || is(w, "=")) expression(w, clause_end(w, true));
}

static void declaration(struct walk *w, bool file) {
  int end = clause_end(w, false);
  struct op2i_c_decl all;
  specifiers(w, &all);
  while (w->at < end) {
    one_declarator(w, &all, file);
    if (!is(w, ",")) break;
    step(w);
  }
  expression(w, end);
  if (is(w, ";")) step(w);
}

/* Whether a declaration begins here, as `T x`, `T *x` or with a word that only a declaration begins
 * with. `a * b` is taken for a product when `a` is a variable. */
static bool at_declaration(const struct walk *w) {
  const struct op2i_unit *unit = w->unit;
  if (op2i_c_declares(&w->tokens[w->at])) return !is(w, "asm") && !is(w, "__asm__");
  if (!word(w)) return false;
  int64_t i = find(w, unit->code[w->at]);
  if (word_next(w) || (i >= 0 && w->names.list[i].value)) return true;
  if (i >= w->nfile) return false;
  int p = w->at + 1;
  while (op2i_unit_is(unit, p, "*") || op2i_c_declares(&w->tokens[p])) p++;
  return p > w->at + 1 && op2i_unit_word(unit, p) &&
         (op2i_unit_is(unit, p + 1, "=") || op2i_unit_is(unit, p + 1, ";") ||
          op2i_unit_is(unit, p + 1, ",") || op2i_unit_is(unit, p + 1, "["));
}

/* ---- statements ------------------------------------------------------------------------------ */

static void statement(struct walk *w);

static void too_deep(struct walk *w) {
  if (w->status) return;
  w->status = OP2_ERR_SYNTAX;
  w->unit->wrong = "statements are nested more than 1000 deep";
  w->unit->wrong_line = op2i_unit_line(w->unit, w->at);
}

static void scoped_statement(struct walk *w) {
  int64_t outer = w->names.count;
  if (++w->depth > DEPTH_MAX)
    too_deep(w);
  else
    statement(w);
  w->depth--;
  op2i_names_cut(&w->names, outer);
}

static void compound(struct walk *w) {
  int64_t outer = w->names.count;
  int close = w->unit->match[w->at];
  step(w);
  while (w->at < close && !w->status) {
    int before = w->at;
    statement(w);
    if (w->at == before) step(w);
  }
  skip_to(w, close + 1);
  op2i_names_cut(&w->names, outer);
}

/* if, while, switch: a parenthesis and a statement. */
static void controlled(struct walk *w) {
  step(w);
  if (is(w, "(")) bracketed(w);
  scoped_statement(w);
}

/* However long a chain of else if is, it goes no deeper. */
static void branches(struct walk *w) {
  controlled(w);
  while (is(w, "else")) {
    step(w);
    if (!is(w, "if")) {
      scoped_statement(w);
      break;
    }
    controlled(w);
  }
}

static void for_statement(struct walk *w) {
  int64_t outer = w->names.count;
  step(w);
  if (is(w, "(")) {
    int close = w->unit->match[w->at];
    step(w);
    if (at_declaration(w)) declaration(w, false);
    expression(w, close + 1);
  }
  scoped_statement(w);
  op2i_names_cut(&w->names, outer);
}

/* case x:, default:, name: */
static bool label(struct walk *w) {
  if (is(w, "case")) {
    step(w);
    while (!ended(w) && !is(w, ":") && !is(w, ";") && !is(w, "}")) {
      if (is(w, "("))
        bracketed(w);
      else
        expression(w, w->at + 1);
    }
  } else if (is(w, "default") || (word(w) && is_next(w, ":"))) {
    step(w);
  } else {
    return false;
  }
  if (is(w, ":")) step(w);
  return true;
}

static void statement(struct walk *w) {
  while (label(w)) continue;
  if (is(w, "{")) {
    compound(w);
  } else if (is(w, "if") || is(w, "while") || is(w, "switch")) {
    branches(w);
  } else if (is(w, "for")) {
    for_statement(w);
  } else if (is(w, "do")) {
    step(w);
    scoped_statement(w);
  } else if (at_declaration(w)) {
    declaration(w, false);
  } else if (!ended(w) && !is(w, "}")) {
    expression(w, clause_end(w, false));
    if (is(w, ";")) step(w);
  }
}

/* ---- the source ------------------------------------------------------------------------------ */

static void item_names(struct walk *w, const struct op2i_item *item) {
  if (item->kind == OP2I_ITEM_OTHER) {
    w->at = item->begin;
    declaration(w, true);
    w->nfile = w->names.count;
    return;
  }
  declare(w, item->name, false);
  w->nfile = w->names.count;
  w->at = item->open;
  parameters(w);
  if (item->kind == OP2I_ITEM_FUNCTION) {
    skip_to(w, item->body);
    compound(w);
  }
  op2i_names_cut(&w->names, w->nfile);
}

op2_status op2i_unit_resolve(struct op2i_unit *unit) {
  struct walk w = {.unit = unit};
  w.tokens = op2i_malloc(((size_t)unit->ncode + 2) * sizeof *w.tokens);
  if (!w.tokens) return OP2_ERR_NOMEM;
  for (int p = 0; p < unit->ncode + 2; p++)
    w.tokens[p] = op2i_piece_of(&unit->tokens, unit->code[p < unit->ncode ? p : unit->ncode]);
  for (int i = 0; i < unit->nitems && !w.status; i++) item_names(&w, &unit->items[i]);
  op2i_free(w.tokens);
  op2i_names_free(&w.names);
  return w.status;
}
