/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MACRO_H
#define OP2I_MACRO_H

#include "arena.h"
#include "names.h"
#include "token.h"

/* A source's macros, and their expansion (C11 6.10.3). The position of a name decides which of its
 * definitions counts; positions are indices of the source's tokens. */

struct op2i_macro;

/* The hide set of a token: macros that are not expanded again in their own expansion. */
struct op2i_hidden {
  const struct op2i_hidden *outer;
  const struct op2i_macro *macro;
  int depth;
};

/* A token during the expansion of macros. */
struct op2i_piece {
  struct op2i_piece *next;
  const char *text;
  int length, line;
  enum op2i_token_kind kind;
  int64_t at;  /* index of the source token that it comes from */
  bool parted; /* True if preprocessor lines lie between it and the piece before it. */
  int param;   /* the parameter that it names in a macro's body, else -1 */
  const struct op2i_hidden *hidden;
};

struct op2i_macro {
  const char *name;
  int64_t from;        /* the directive that defines or undefines it */
  bool undefined;      /* #undef */
  bool skipped;        /* stands in a branch that is not read */
  bool function;       /* True if it has parameters. */
  const char *strange; /* the reason why it cannot be expanded here, or null */
  int nparams;
  struct op2i_piece *body;
};

struct op2i_macros {
  struct op2i_arena arena;
  struct op2i_names names; /* their values are indices into the list */
  struct op2i_macro **list;
  int64_t count, capacity;
};

/* A failure for lack of memory sets macros->arena.failed. */
void op2i_macros_free(struct op2i_macros *macros);

/* The pieces of the preprocessor directive that token t of the source holds, from its name on; null
 * if it is empty or cannot be read. */
struct op2i_piece *op2i_macros_directive(struct op2i_macros *macros,
                                         const struct op2i_tokens *tokens, int64_t t);
/* Take note of directive t, a #define or #undef. Returns false if it cannot be read. */
bool op2i_macros_note(struct op2i_macros *macros, const struct op2i_tokens *tokens, int64_t t);
/* The last definition or #undef of a name before position `at`; null when there is none. */
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

/* Expand macros in a list, which is consumed. If that is impossible, the result is null and *why
 * gives the reason: "SQ, which ...". */
struct op2i_why_macro {
  const char *name, *what; /* what: null on success */
  int line;
};
struct op2i_piece *op2i_macros_expand(struct op2i_macros *macros, struct op2i_piece *list,
                                      struct op2i_why_macro *why);

#endif
