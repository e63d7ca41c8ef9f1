/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds what a text mentions by way of its macros. */
#include "reach.h"

#include <string.h>

#include "conditional.h"

void op2i_reach_read(const struct op2i_tokens *tokens, struct op2i_macros *macros) {
  for (int64_t t = 0; t < tokens->count; t++)
    if (tokens->list[t].kind == OP2I_TOK_DIRECTIVE &&
        (op2i_directive_is(tokens, t, "define") || op2i_directive_is(tokens, t, "undef")))
      (void)op2i_macros_note(macros, tokens, t);
}

static bool marked(const struct op2i_macros *macros, const bool *marks, const char *word,
                   size_t length) {
  int64_t entry = op2i_names_find(&macros->names, word, length);
  while (entry >= 0 && marks && !marks[macros->names.list[entry].value])
    entry = op2i_names_older(&macros->names, entry);
  return entry >= 0;
}

bool op2i_reach_token(const struct op2i_macros *macros, const bool *marks,
                      const struct op2i_tokens *tokens, int64_t t) {
  const struct op2i_token *token = &tokens->list[t];
  return token->kind == OP2I_TOK_WORD &&
         marked(macros, marks, tokens->text + token->begin, token->end - token->begin);
}

/* The last of the pieces that are joined to one by ##. */
static const struct op2i_piece *last_joined(const struct op2i_piece *piece) {
  while (op2i_piece_is(piece->next, "##") && piece->next->next) piece = piece->next->next;
  return piece;
}

static bool mentions(const struct op2i_macros *macros, const struct op2i_macro *macro,
                     op2i_wanted *wanted, const void *client, const bool *marks) {
  bool member = false;
  for (const struct op2i_piece *p = macro->body; p; p = p->next) {
    const struct op2i_piece *last = last_joined(p);
    if (last != p && wanted(client, p, last)) return true;
    if (p->kind == OP2I_TOK_WORD && p->param < 0 && !member &&
        (wanted(client, p, p) || marked(macros, marks, p->text, (size_t)p->length)))
      return true;
    member = op2i_piece_is(p, ".") || op2i_piece_is(p, "->");
  }
  return false;
}

/* Passes go forwards and backwards alternately, since chains of macros mostly go one way. */
bool op2i_reach_mark(const struct op2i_macros *macros, op2i_wanted *wanted, const void *client,
                     bool *marks) {
  bool any = false, forwards = false;
  for (bool changed = true; changed; any = any || changed) {
    changed = false;
    forwards = !forwards;
    for (int64_t k = 0; k < macros->count; k++) {
      int64_t m = forwards ? k : macros->count - 1 - k;
      if (marks[m]) continue;
      marks[m] = mentions(macros, macros->list[m], wanted, client, marks);
      changed = changed || marks[m];
    }
  }
  return any;
}

static bool begins(const char *name, const struct op2i_piece *p) {
  return p->param >= 0 || strncmp(name, p->text, (size_t)p->length) == 0;
}

static bool ends(const char *name, const struct op2i_piece *p) {
  size_t length = strlen(name), end = (size_t)p->length;
  return p->param >= 0 || (end <= length && memcmp(name + length - end, p->text, end) == 0);
}

bool op2i_reach_name(const void *client, const struct op2i_piece *first,
                     const struct op2i_piece *last) {
  const char *name = client;
  return first == last ? op2i_piece_is(first, name) : begins(name, first) && ends(name, last);
}
