/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels in C that C++ and OpenCL C take: the whole source. */
#include "portable.h"

#include <string.h>

#include "mem.h"
#include "portable_state.h"

/* True if a token is the name of a macro whose replacement it belongs to: it is not replaced there,
 * but would be later. */
static bool would_be_replaced(const struct op2i_piece *token) {
  const struct op2i_hidden *h = token->hidden;
  while (h && !op2i_piece_is(token, h->macro->name)) h = h->outer;
  return h != NULL;
}

/* Take note of the macros, and of the source's tokens with macros replaced. */
static bool expand(struct op2i_portable_state *p) {
  struct op2i_why_macro why = {0};
  const struct op2i_tokens *tokens = &p->unit->tokens;
  for (int64_t t = 0; t < tokens->count; t++)
    if (tokens->list[t].kind == OP2I_TOK_DIRECTIVE && !tokens->list[t].skipped)
      (void)op2i_macros_note(&p->macros, tokens, t);
  if (tokens->unclear) return false;
  p->tokens = op2i_c_tokens(&p->macros, p->unit, 0, p->unit->ncode, &p->count, &why);
  bool good = p->tokens && !why.what;
  for (int i = 0; good && i < p->count; i++) good = !would_be_replaced(&p->tokens[i]);
  return good;
}

static bool opens(const struct op2i_piece *t) {
  return t->kind == OP2I_TOK_PUNCT && t->length == 1 && strchr("([{", *t->text);
}
static bool closes(const struct op2i_piece *t) {
  return t->kind == OP2I_TOK_PUNCT && t->length == 1 && strchr(")]}", *t->text);
}

/* While a bracket is open, its `match` holds the one around it. */
static bool match(struct op2i_portable_state *p) {
  int open = -1;
  for (int i = 0; i < p->count; i++) {
    p->match[i] = -1;
    if (opens(&p->tokens[i])) {
      p->match[i] = open;
      open = i;
    } else if (closes(&p->tokens[i])) {
      if (open < 0) return false;
      int outer = p->match[open];
      p->match[open] = i;
      p->match[i] = open;
      open = outer;
    }
  }
  p->match[p->count] = p->match[p->count + 1] = -1;
  return open < 0;
}

op2_status op2i_portable(const struct op2i_rewrite *rewrite, bool cxx, bool wraps,
                         struct op2i_text *source) {
  struct op2i_portable_state p = {.rewrite = rewrite,
                                  .unit = &rewrite->unit,
                                  .cxx = cxx,
                                  .wraps = wraps,
                                  .out = source,
                                  .line = 1};
  bool good = expand(&p);
  if (good) {
    p.match = op2i_arena_take(&p.macros.arena, ((size_t)p.count + 2) * sizeof *p.match);
    p.notes = op2i_arena_take(&p.macros.arena, ((size_t)p.count + 2) * sizeof *p.notes);
    good = p.match && p.notes && match(&p);
  }
  if (good) op2i_portable_read(&p);
  good = good && p.wanted && !p.failed && !p.macros.arena.failed;
  if (good) op2i_portable_print(&p, 0, p.count);
  if (p.failed || !good) op2i_text_cut(source, 0);
  const bool memory = !p.macros.arena.failed && !source->failed;
  op2i_names_free(&p.names);
  op2i_free(p.meanings);
  op2i_macros_free(&p.macros);
  return memory ? OP2_SUCCESS : OP2_ERR_NOMEM;
}
