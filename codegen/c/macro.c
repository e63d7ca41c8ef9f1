/* SPDX-License-Identifier: BSD-3-Clause */
/* Expansion of the source's own macros as C does it (C11 6.10.3), with hide sets after D.
 * Prosser. */
#include "macro.h"

#include <string.h>

#include "mem.h"

enum { HIDDEN_MAX = 64, ARGUMENTS_MAX = 64, WITHIN_MAX = 200, EXPANDED_MAX = 500000 };

void op2i_macros_free(struct op2i_macros *macros) {
  op2i_names_free(&macros->names);
  op2i_free(macros->list);
  op2i_arena_free(&macros->arena);
  *macros = (struct op2i_macros){0};
}

struct op2i_piece *op2i_macros_piece(struct op2i_macros *macros, const struct op2i_tokens *tokens,
                                     int64_t t) {
  struct op2i_piece *piece = op2i_arena_take(&macros->arena, sizeof *piece);
  if (piece) *piece = op2i_piece_of(tokens, t);
  return piece;
}

/* ---- directives ------------------------------------------------------------------------------ */

struct op2i_piece *op2i_macros_directive(struct op2i_macros *macros,
                                         const struct op2i_tokens *tokens, int64_t t) {
  const struct op2i_token *line = &tokens->list[t];
  struct op2i_tokens words = {0};
  struct op2i_piece *list = NULL, **tail = &list;
  const char *text = op2i_arena_string(&macros->arena, tokens->text + line->begin + 1,
                                       line->end - line->begin - 1);
  op2_status status = op2i_tokenize(text, false, &words);
  for (int64_t i = 0; !status && i < words.count; i++) {
    *tail = op2i_macros_piece(macros, &words, i);
    if (!*tail) break;
    (*tail)->at = t;
    (*tail)->line = line->line;
    tail = &(*tail)->next;
  }
  if (status == OP2_ERR_NOMEM) macros->arena.failed = true;
  op2i_tokens_free(&words);
  return macros->arena.failed ? NULL : list;
}

static void remember(struct op2i_macros *macros, struct op2i_macro *macro) {
  if (op2i_grow(&macros->list, sizeof *macros->list, macros->count, &macros->capacity) ||
      !op2i_names_add(&macros->names, macro->name, strlen(macro->name), macros->count))
    macros->arena.failed = true;
  else
    macros->list[macros->count++] = macro;
}

/* Read (a, b) from after the opening parenthesis on. Returns the piece after it; null when there is
 * none. */
static struct op2i_piece *parameters(struct op2i_macro *macro, struct op2i_piece *p,
                                     const struct op2i_piece **params) {
  while (p && !op2i_piece_is(p, ")")) {
    if (p->kind != OP2I_TOK_WORD) macro->strange = "which takes any number of arguments";
    if (macro->nparams == ARGUMENTS_MAX)
      macro->strange = "which takes many arguments";
    else
      params[macro->nparams++] = p;
    p = p->next;
    if (op2i_piece_is(p, "...")) macro->strange = "which takes any number of arguments";
    if (op2i_piece_is(p, ",")) p = p->next;
  }
  return p ? p->next : NULL;
}

static void set_body(struct op2i_macro *macro, struct op2i_piece *body,
                     const struct op2i_piece *const *params) {
  macro->body = body;
  for (struct op2i_piece *p = body; p; p = p->next) {
    if (op2i_piece_is(p, "#") || op2i_piece_is(p, "##"))
      macro->strange = "which makes words or strings of its arguments";
    for (int i = 0; i < macro->nparams; i++)
      if (p->kind == OP2I_TOK_WORD && p->length == params[i]->length &&
          !memcmp(p->text, params[i]->text, (size_t)p->length))
        p->param = i;
  }
}

bool op2i_macros_note(struct op2i_macros *macros, const struct op2i_tokens *tokens, int64_t t) {
  const struct op2i_piece *params[ARGUMENTS_MAX];
  struct op2i_piece *word = op2i_macros_directive(macros, tokens, t);
  struct op2i_piece *name = word ? word->next : NULL;
  struct op2i_macro *macro = op2i_arena_take(&macros->arena, sizeof *macro);
  if (!name || !macro || name->kind != OP2I_TOK_WORD) return false;
  macro->name = op2i_arena_string(&macros->arena, name->text, (size_t)name->length);
  macro->from = t;
  macro->skipped = tokens->list[t].skipped;
  macro->undefined = op2i_piece_is(word, "undef");
  macro->function = op2i_piece_is(name->next, "(") && name->next->text == name->text + name->length;
  struct op2i_piece *body = name->next;
  if (macro->function) body = parameters(macro, body->next, params);
  if (!macro->undefined) set_body(macro, body, params);
  remember(macros, macro);
  return true;
}

const struct op2i_macro *op2i_macros_find(const struct op2i_macros *macros, const char *word,
                                          size_t length, int64_t at) {
  int64_t entry = op2i_names_find(&macros->names, word, length);
  while (entry >= 0 && macros->list[macros->names.list[entry].value]->from >= at)
    entry = op2i_names_older(&macros->names, entry);
  return entry < 0 ? NULL : macros->list[macros->names.list[entry].value];
}

/* ---- expansion ------------------------------------------------------------------------------- */

struct expansion {
  struct op2i_macros *macros;
  struct op2i_why_macro *why;
  int work;   /* pieces visited and made */
  int within; /* depth of nested macro calls in arguments */
};

static bool stopped(const struct expansion *x) { return x->why->what || x->macros->arena.failed; }

static void give_up(struct expansion *x, const struct op2i_piece *at,
                    const struct op2i_macro *macro, const char *what) {
  if (!stopped(x)) *x->why = (struct op2i_why_macro){macro->name, what, at->line};
}

static bool is_hidden(const struct op2i_hidden *hidden, const struct op2i_macro *macro) {
  for (; hidden; hidden = hidden->outer)
    if (hidden->macro == macro) return true;
  return false;
}

static const struct op2i_hidden *hide(struct expansion *x, const struct op2i_hidden *outer,
                                      const struct op2i_macro *macro) {
  if (is_hidden(outer, macro)) return outer;
  struct op2i_hidden *added = op2i_arena_take(&x->macros->arena, sizeof *added);
  if (!added) return outer;
  *added = (struct op2i_hidden){outer, macro, outer ? outer->depth + 1 : 1};
  return added;
}

static const struct op2i_hidden *hide_all(struct expansion *x, const struct op2i_hidden *outer,
                                          const struct op2i_hidden *more) {
  if (!outer) return more;
  for (; more && outer != more; more = more->outer) outer = hide(x, outer, more->macro);
  return outer;
}

/* The intersection of the hide sets at both ends of a call, and the macro itself. */
static const struct op2i_hidden *hide_common(struct expansion *x, const struct op2i_hidden *a,
                                             const struct op2i_hidden *b,
                                             const struct op2i_macro *macro) {
  const struct op2i_hidden *common = NULL;
  if (a == b) return hide(x, a, macro);
  for (; a; a = a->outer)
    if (is_hidden(b, a->macro)) common = hide(x, common, a->macro);
  return hide(x, common, macro);
}

static struct op2i_piece **copy_to(struct expansion *x, struct op2i_piece **tail,
                                   const struct op2i_piece *piece,
                                   const struct op2i_hidden *hidden) {
  struct op2i_piece *copy = op2i_arena_take(&x->macros->arena, sizeof *copy);
  if (!copy) return tail;
  x->work++;
  *copy = *piece;
  copy->next = NULL;
  copy->hidden = hide_all(x, piece->hidden, hidden);
  *tail = copy;
  return &copy->next;
}

/* The body of a macro that stands at `at`, followed by `rest`. */
static struct op2i_piece *replaced(struct expansion *x, const struct op2i_macro *macro,
                                   const struct op2i_piece *at, struct op2i_piece *const *args,
                                   const struct op2i_hidden *hidden, struct op2i_piece *rest) {
  struct op2i_piece *list = NULL, **tail = &list;
  if (hidden && hidden->depth > HIDDEN_MAX) give_up(x, at, macro, "which is one of too many");
  for (const struct op2i_piece *b = macro->body; b && !stopped(x); b = b->next) {
    if (b->param >= 0) {
      for (const struct op2i_piece *a = args[b->param]; a && !stopped(x); a = a->next)
        tail = copy_to(x, tail, a, hidden);
    } else {
      struct op2i_piece **last = tail;
      tail = copy_to(x, tail, b, hidden);
      if (*last) {
        (*last)->line = at->line;
        (*last)->at = at->at;
      }
    }
    if (x->work > EXPANDED_MAX) give_up(x, at, macro, "which makes the text too long");
  }
  *tail = rest;
  return list;
}

static struct op2i_piece *expand(struct expansion *x, struct op2i_piece *list);

/* Cut the arguments out, from the opening parenthesis on. Returns the closing one. */
static struct op2i_piece *cut_arguments(struct expansion *x, const struct op2i_macro *macro,
                                        struct op2i_piece *open, struct op2i_piece **args,
                                        int *nargs) {
  struct op2i_piece **tail = &args[0], *p = open->next;
  int depth = 0;
  *nargs = 1;
  if (open->parted) give_up(x, open, macro, "whose arguments are parted by preprocessor lines");
  for (; p; p = p->next) {
    bool close = op2i_piece_is(p, ")");
    if (p->parted) give_up(x, open, macro, "whose arguments are parted by preprocessor lines");
    if (close && depth == 0) break;
    if (op2i_piece_is(p, ",") && depth == 0) {
      if (*nargs == ARGUMENTS_MAX) break;
      *tail = NULL;
      tail = &args[(*nargs)++];
      continue;
    }
    depth += op2i_piece_is(p, "(") - close;
    *tail = p;
    tail = &p->next;
  }
  *tail = NULL;
  return p;
}

static struct op2i_piece *call(struct expansion *x, const struct op2i_macro *macro,
                               struct op2i_piece *at) {
  struct op2i_piece *args[ARGUMENTS_MAX] = {NULL};
  int nargs;
  struct op2i_piece *close = cut_arguments(x, macro, at->next, args, &nargs);
  if (macro->nparams == 0 && nargs == 1 && !args[0]) nargs = 0;
  if (!close || !op2i_piece_is(close, ")") || nargs != macro->nparams)
    give_up(x, at, macro, "with another number of arguments than it takes");
  if (++x->within > WITHIN_MAX) give_up(x, at, macro, "within the arguments of too many others");
  for (int i = 0; i < nargs && !stopped(x); i++) args[i] = expand(x, args[i]);
  x->within--;
  if (stopped(x)) return NULL;
  const struct op2i_hidden *hidden = hide_common(x, at->hidden, close->hidden, macro);
  return replaced(x, macro, at, args, hidden, close->next);
}

/* The macro that a piece is to be replaced by, or null. */
static const struct op2i_macro *macro_at(struct expansion *x, const struct op2i_piece *p) {
  if (p->kind != OP2I_TOK_WORD) return NULL;
  const struct op2i_macro *macro = op2i_macros_find(x->macros, p->text, (size_t)p->length, p->at);
  if (!macro || macro->undefined || is_hidden(p->hidden, macro)) return NULL;
  if (macro->function && !op2i_piece_is(p->next, "(")) return NULL;
  if (macro->strange) give_up(x, p, macro, macro->strange);
  return macro;
}

static struct op2i_piece *expand(struct expansion *x, struct op2i_piece *list) {
  struct op2i_piece *out = NULL, **tail = &out;
  while (list && !stopped(x)) {
    struct op2i_piece *p = list;
    const struct op2i_macro *macro = macro_at(x, p);
    x->work++;
    if (stopped(x)) break;
    if (!macro) {
      *tail = p;
      tail = &p->next;
      list = p->next;
    } else if (macro->function) {
      list = call(x, macro, p);
    } else {
      list = replaced(x, macro, p, NULL, hide(x, p->hidden, macro), p->next);
    }
  }
  *tail = NULL;
  return stopped(x) ? NULL : out;
}

struct op2i_piece *op2i_macros_expand(struct op2i_macros *macros, struct op2i_piece *list,
                                      struct op2i_why_macro *why) {
  *why = (struct op2i_why_macro){0};
  struct expansion x = {.macros = macros, .why = why};
  return expand(&x, list);
}
