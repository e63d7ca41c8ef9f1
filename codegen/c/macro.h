/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MACRO_H
#define OP2I_MACRO_H

#include "arena.h"
#include "names.h"
#include "token.h"

/* A source's macros, and text with them replaced (C11 6.10.3). Where a name stands decides which of
 * its definitions counts: places are numbers of the source's tokens. */

struct op2i_macro;

/* Macros that are not replaced again in what they were replaced by. */
struct op2i_hidden {
  const struct op2i_hidden *outer;
  const struct op2i_macro *macro;
  int depth;
};

/* A token on its way through macros. */
struct op2i_piece {
  struct op2i_piece *next;
  const char *text;
  int length, line;
  enum op2i_token_kind kind;
  int64_t at;  /* the source's token that it comes from */
  bool made;   /* comes from a macro's body */
  bool parted; /* preprocessor lines lie between it and the piece before it */
  int param;   /* in a macro's body: the parameter it names, else -1 */
  const struct op2i_hidden *hidden;
};

struct op2i_macro {
  const char *name;
  int64_t from;        /* the directive that says so */
  bool undefined;      /* #undef */
  bool function;       /* has parameters */
  const char *strange; /* why it is not followed, or null */
  int nparams;
  struct op2i_piece *body;
};

struct op2i_macros {
  struct op2i_arena arena;
  struct op2i_names names; /* the value is an index into the list */
  struct op2i_macro **list;
  int64_t count, capacity;
};

/* All that fails for want of memory sets macros->arena.failed. */
void op2i_macros_free(struct op2i_macros *macros);

/* The pieces of directive t of the source, from its name on; null for none, or when they cannot be
 * read. */
struct op2i_piece *op2i_macros_directive(struct op2i_macros *macros,
                                         const struct op2i_tokens *tokens, int64_t t);
/* Take note of directive t, a #define or #undef. Returns whether it can be read. */
bool op2i_macros_note(struct op2i_macros *macros, const struct op2i_tokens *tokens, int64_t t);
/* What was said last of a name before place `at`; null when nothing was. */
const struct op2i_macro *op2i_macros_find(const struct op2i_macros *macros, const char *word,
                                          size_t length, int64_t at);
static inline struct op2i_piece op2i_piece_of(const struct op2i_tokens *tokens, int64_t t) {
  const struct op2i_token *token = &tokens->list[t];
  return (struct op2i_piece){.text = tokens->text + token->begin,
                             .length = (int)(token->end - token->begin),
                             .line = token->line,
                             .kind = token->kind,
                             .at = t,
                             .param = -1};
}
/* A copy of token t. */
struct op2i_piece *op2i_macros_piece(struct op2i_macros *macros, const struct op2i_tokens *tokens,
                                     int64_t t);
static inline bool op2i_piece_is(const struct op2i_piece *piece, const char *spelling) {
  int i = 0;
  if (!piece) return false;
  while (i < piece->length && spelling[i] == piece->text[i] && spelling[i]) i++;
  return i == piece->length && !spelling[i];
}

/* Replace macros in a list, which is used up. Where that cannot be done the result is null and
 * *why says why: "SQ, which ...". */
struct op2i_why_macro {
  const char *name, *what; /* what: null when all went well */
  int line;
};
struct op2i_piece *op2i_macros_expand(struct op2i_macros *macros, struct op2i_piece *list,
                                      struct op2i_why_macro *why);

#endif
