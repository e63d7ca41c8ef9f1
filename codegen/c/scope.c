/* SPDX-License-Identifier: BSD-3-Clause */
/* Resolves the identifiers of a kernel's source by C's scopes and declarations (C11 6.2.1, 6.7), as
 * far as names need it. Nothing is checked: errors are left to the compiler. */
#include "cstmt.h"
#include "mem.h"
#include "unit.h"

/* The greatest depth of nested statements without braces; unit.c limits brackets. */
enum { DEPTH_MAX = 1000 };

struct walk {
  struct op2i_c_reader r; /* reads the tokens of the unit's code */
  struct op2i_unit *unit;
  int reached;             /* tokens in skipped branches have been resolved up to here */
  struct op2i_names names; /* innermost last; the value is true for a type */
  int64_t nfile;           /* how many of them are declared at file scope */
  op2_status status;       /* the first error */
};

static bool is(const struct walk *w, const char *spelling) {
  return op2i_unit_is(w->unit, w->r.at, spelling);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Index of the innermost declaration of token t's name, or -1. */
static int64_t find_name(const struct walk *w, int t) {
  const struct op2i_token *token = &w->unit->tokens.list[t];
  return op2i_names_find(&w->names, w->unit->tokens.text + token->begin, token->end - token->begin);
}

static void refer(struct walk *w, int t) {
  int64_t i = find_name(w, t);
  w->unit->roles[t] = i < 0 ? OP2I_ROLE_FREE : i < w->nfile ? OP2I_ROLE_FILE : OP2I_ROLE_LOCAL;
}

/* True if the token before t makes a word there a member, tag or label. Directives in between do
 * not matter. */
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

/* Names in skipped branches refer to what is visible after the position before them, so they are
 * resolved before anything else becomes visible. */
static void catch_up(struct walk *w) {
  const int *code = w->unit->code;
  for (; w->reached < w->r.at && w->reached < w->unit->ncode; w->reached++)
    for (int t = code[w->reached] + 1; t < code[w->reached + 1]; t++) refer_skipped(w, t);
}

static void declare(struct walk *w, const struct op2i_piece *name, bool type) {
  catch_up(w);
  if (name && !op2i_names_add(&w->names, name->text, (size_t)name->length, type))
    w->status = OP2_ERR_NOMEM;
}

static int64_t visible(const struct op2i_c_reader *r) {
  const struct walk *w = r->client;
  return w->names.count;
}

static void forget_names(struct op2i_c_reader *r, int64_t count) {
  struct walk *w = r->client;
  catch_up(w);
  op2i_names_cut(&w->names, count);
}

/* ---- expressions ----------------------------------------------------------------------------- */

/* The position of the end of an expression that is followed by `end`: there, at a semicolon at the
 * latest, or at the bracket around it. */
static int end_of(const struct walk *w, const char *end) {
  const struct op2i_unit *unit = w->unit;
  int p = w->r.at;
  while (p < unit->ncode && !op2i_unit_is(unit, p, end) &&
         (*end == ')' || !op2i_unit_is(unit, p, ";"))) {
    if (unit->match[p] >= 0 && unit->match[p] < p) break;
    p = unit->match[p] > p ? unit->match[p] + 1 : p + 1;
  }
  return p;
}

static void refer_up_to(struct walk *w, int end) {
  while (w->r.at < end) {
    int t = w->unit->code[w->r.at];
    if (is(w, "(") && op2i_unit_is(w->unit, w->r.at + 1, "{")) {
      w->r.at++;
      (void)op2i_c_statement(&w->r);
      continue;
    }
    if (op2i_unit_word(w->unit, w->r.at) && !named_apart(w, t)) refer(w, t);
    w->r.at++;
  }
}

static void *expression(struct op2i_c_reader *r, const char *end) {
  refer_up_to(r->client, end_of(r->client, end));
  return NULL;
}

/* Macros may stand for what is missing. */
static void missing(struct op2i_c_reader *r, const char *spelling) {
  struct walk *w = r->client;
  if (*spelling == ';') refer_up_to(w, end_of(w, ";"));
  if (*spelling == '}') r->at = end_of(w, ")");
}

/* ---- declarations ---------------------------------------------------------------------------- */

static int named(struct op2i_c_reader *r, struct op2i_c_type *type) {
  const struct walk *w = r->client;
  int64_t i = find_name(w, w->unit->code[r->at]);
  *type = (struct op2i_c_type){.base = OP2I_C_UNCLEAR};
  return i < 0 ? 0 : w->names.list[i].value ? 1 : i < w->nfile ? 0 : -1;
}

static void type_name(struct op2i_c_reader *r) {
  struct walk *w = r->client;
  refer(w, w->unit->code[r->at]);
}

/* Members belong to no scope; array extents among them may refer to something. */
static void members(struct walk *w) {
  int close = w->unit->match[w->r.at];
  for (w->r.at++; w->r.at < close;) {
    if (is(w, "["))
      refer_up_to(w, w->unit->match[w->r.at]);
    else
      w->r.at++;
  }
}

/* Declare the parameters ( T a, T b ); the caller decides how long they are visible. */
static void parameters(struct walk *w) {
  int behind = w->unit->match[w->r.at] + 1;
  w->r.at++;
  op2i_c_parameters(&w->r);
  w->r.at = behind;
}

static int64_t inside(struct op2i_c_reader *r, enum op2i_c_bracket kind) {
  struct walk *w = r->client;
  int64_t outer = w->names.count;
  switch (kind) {
  case OP2I_C_PARAMETERS:
    parameters(w);
    forget_names(r, outer);
    break;
  case OP2I_C_MEMBERS: members(w); break;
  case OP2I_C_ENUMERATORS: op2i_c_enumerators(r); break;
  default: refer_up_to(w, w->unit->match[r->at] + 1);
  }
  return -1;
}

/* Extern variables and functions declare nothing new: the name means what it means outside. */
static void *declared(struct op2i_c_reader *r, struct op2i_c_decl *decl) {
  struct walk *w = r->client;
  bool function = decl->what == OP2I_C_FUNCTION, type = decl->said & OP2I_C_TYPEDEF;
  if (function && !type && r->inside && decl->name)
    refer(w, (int)decl->name->at);
  else if (!(decl->said & OP2I_C_EXTERN) || function)
    declare(w, decl->name, type);
  return NULL;
}

static void initialized(struct op2i_c_reader *r, const struct op2i_c_decl *decl, void *declared) {
  (void)decl, (void)declared;
  if (is(r->client, ":") || is(r->client, "=")) expression(r, ",");
}

static void parameter(struct op2i_c_reader *r, struct op2i_c_decl *decl) {
  declare(r->client, decl->name, false);
  r->at = end_of(r->client, ",");
}

static void enumerator(struct op2i_c_reader *r, const struct op2i_piece *name, bool given,
                       void *value) {
  (void)given, (void)value;
  declare(r->client, name, false);
}

/* ---- statements ------------------------------------------------------------------------------ */

static bool stopped(const struct op2i_c_reader *r) {
  const struct walk *w = r->client;
  return w->status != OP2_SUCCESS;
}

static bool begin_statement(struct op2i_c_reader *r, const struct op2i_c_statement *s) {
  struct walk *w = r->client;
  if (!w->status && s->bodies > DEPTH_MAX) {
    w->status = OP2_ERR_SYNTAX;
    w->unit->wrong = "statements are nested more than 1000 deep";
    w->unit->wrong_line = s->line;
  }
  return !w->status;
}

static const struct op2i_c_asker asker = {.stopped = stopped,
                                          .visible = visible,
                                          .forget = forget_names,
                                          .declared = declared,
                                          .initialized = initialized,
                                          .parameter = parameter,
                                          .enumerator = enumerator,
                                          .expression = expression,
                                          .missing = missing,
                                          .begin = begin_statement};

/* ---- the source ------------------------------------------------------------------------------ */

static void item_names(struct walk *w, const struct op2i_item *item) {
  w->r.at = item->begin;
  if (item->kind == OP2I_ITEM_OTHER) {
    (void)op2i_c_declaration(&w->r);
    catch_up(w);
    w->nfile = w->names.count;
    return;
  }
  declare(w, &w->r.tokens[item->name], false);
  w->nfile = w->names.count;
  w->r.at = item->open;
  parameters(w);
  if (item->kind == OP2I_ITEM_FUNCTION) {
    w->r.at = item->body;
    (void)op2i_c_statement(&w->r);
  }
  forget_names(&w->r, w->nfile);
}

/* All tokens of the unit's code, and END twice after them. */
static struct op2i_piece *pieces(const struct op2i_unit *unit) {
  struct op2i_piece *list = op2i_malloc(((size_t)unit->ncode + 2) * sizeof *list);
  for (int p = 0; list && p < unit->ncode + 2; p++)
    list[p] = op2i_piece_of(&unit->tokens, unit->code[p < unit->ncode ? p : unit->ncode]);
  return list;
}

op2_status op2i_unit_resolve(struct op2i_unit *unit) {
  struct walk w = {.unit = unit};
  struct op2i_piece *tokens = pieces(unit);
  w.r = (struct op2i_c_reader){.tokens = tokens,
                               .count = unit->ncode,
                               .guesses = true,
                               .client = &w,
                               .asker = &asker,
                               .named = named,
                               .word = type_name,
                               .bracket = inside};
  if (!tokens) return OP2_ERR_NOMEM;
  for (int i = 0; i < unit->nitems && !w.status; i++) item_names(&w, &unit->items[i]);
  op2i_free(tokens);
  unit->declared = w.names;
  return w.status;
}
