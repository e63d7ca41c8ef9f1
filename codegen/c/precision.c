/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds out whether a source computes in double precision, from its tokens: it names the type, or
 * has a constant of it. Headers are not read; device compilers report what they do with those. */
#include <string.h>

#include "kernel_checks.h"
#include "mem.h"
#include "signature.h"
#include "token.h"

static bool is_double(const char *number, size_t length) {
  const bool hexadecimal = length > 1 && number[0] == '0' && (number[1] | 32) == 'x';
  const char *marks = hexadecimal ? ".pP" : ".eE";
  bool real = false;
  for (size_t i = 0; i < length; i++) real |= strchr(marks, number[i]) != NULL;
  return real && (number[length - 1] | 32) != 'f';
}

static bool in_text(const char *text);

/* The text of a directive, a macro's body or a condition, has tokens of its own. */
static bool in_directive(const char *text, size_t length) {
  char *rest = op2i_malloc(length);
  if (!rest) return true;
  memcpy(rest, text + 1, length - 1);
  rest[length - 1] = '\0';
  bool doubles = in_text(rest);
  op2i_free(rest);
  return doubles;
}

/* Without memory the answer errs towards yes, since the host computes in both precisions. */
static bool in_text(const char *text) {
  struct op2i_tokens tokens;
  bool doubles = op2i_tokenize(text, true, &tokens) == OP2_ERR_NOMEM;
  for (int64_t t = 0; t < tokens.count && !doubles; t++) {
    const struct op2i_token *token = &tokens.list[t];
    const char *at = text + token->begin;
    if (token->skipped) continue;
    if (token->kind == OP2I_TOK_WORD) doubles = op2i_token_is(&tokens, t, "double");
    if (token->kind == OP2I_TOK_NUMBER) doubles = is_double(at, token->end - token->begin);
    if (token->kind == OP2I_TOK_DIRECTIVE) doubles = in_directive(at, token->end - token->begin);
  }
  op2i_tokens_free(&tokens);
  return doubles;
}

bool op2i_source_doubles(const char *source) { return in_text(source); }

bool op2i_source_extended(const char *source) {
  struct op2i_tokens tokens;
  bool found = op2i_tokenize(source, true, &tokens) == OP2_ERR_NOMEM;
  for (int64_t t = 0; t < tokens.count && !found; t++)
    found = !tokens.list[t].skipped && op2i_token_is(&tokens, t, "long") &&
            op2i_token_is(&tokens, t + 1, "double");
  op2i_tokens_free(&tokens);
  return found;
}
