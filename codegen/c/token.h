/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TOKEN_H
#define OP2I_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "op2/status.h"

/* C text cut into the tokens of C11 (6.4). Comments, blanks and spliced line ends lie between
 * tokens; a preprocessor line is one token. An identifier with a spliced line end inside comes out
 * as two; digraphs are not supported. */
enum op2i_token_kind {
  OP2I_TOK_END,
  OP2I_TOK_WORD,   /* identifier or keyword */
  OP2I_TOK_NUMBER, /* a preprocessing number (6.4.8) */
  OP2I_TOK_STRING, /* encoding prefix included */
  OP2I_TOK_CHAR,
  OP2I_TOK_PUNCT,     /* the longest match; an unknown character by itself */
  OP2I_TOK_DIRECTIVE, /* from # to the end of the line or spliced lines, newline excluded */
  OP2I_TOK_BAD        /* the start of a string or character constant that never ends */
};

struct op2i_token {
  enum op2i_token_kind kind;
  bool skipped; /* lies in a branch of a conditional that is not read */
  int line;     /* line of its first character, from 1 */
  size_t begin, end;
};

struct op2i_tokens {
  const char *text;        /* borrowed */
  struct op2i_token *list; /* [count + 1]: END follows, at the end of the text */
  int64_t count, capacity;
  bool given;        /* flags or headers may define names that the text does not */
  int unclear;       /* line of the first conditional that could not be decided, or 0 */
  const char *wrong; /* set after OP2_ERR_SYNTAX: the error, and its line */
  int wrong_line;
};

/* Cut up `text`, which must outlive *tokens, and mark the tokens that its conditionals (#if ...)
 * leave out, as conditional.h describes. Fails with OP2_ERR_NOMEM, or with OP2_ERR_SYNTAX and
 * tokens->wrong filled in (no message is set). *tokens may be freed after either. */
op2_status op2i_tokenize(const char *text, bool given, struct op2i_tokens *tokens);
void op2i_tokens_free(struct op2i_tokens *tokens);

bool op2i_token_is(const struct op2i_tokens *tokens, int64_t i, const char *spelling);
bool op2i_token_same(const struct op2i_tokens *tokens, int64_t i, int64_t k);

/* The name that directive t defines as a macro without parameters, or null. */
const char *op2i_token_macro(const struct op2i_tokens *tokens, int64_t t, size_t *length);

/* True if the word is reserved by C or by compilers, so that it can name nothing. */
bool op2i_word_reserved(const char *word, size_t length);

#endif
