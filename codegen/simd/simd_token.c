/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a function's tokens, with the source's own macros replaced. */
#include <stdio.h>
#include <string.h>

#include "conditional.h"
#include "simd_base.h"
#include "simd_parse.h"
#include "simd_tree.h"

/* ---- directives ------------------------------------------------------------------------------ */

/* `line` is 0 for a header that the description of the kernel names. */
static void include(struct op2i_simd *l, const char *at, size_t room, int line) {
  static const struct {
    const char *name;
    unsigned headers;
  } wanted[] = {{"<limits.h>", OP2I_SIMD_LIMITS},
                {"<stdbool.h>", OP2I_SIMD_STDBOOL},
                {"\"op2.h\"", OP2I_SIMD_STDBOOL},
                {"<string.h>", OP2I_SIMD_STRING},
                {"<stdlib.h>", OP2I_SIMD_STDLIB}};
  const char *name;
  size_t length;
  const bool known = op2i_header_known(at, room, &name, &length);
  if (!known && length == strlen("<complex.h>") && !memcmp(name, "<complex.h>", length)) {
    l->headers |= OP2I_SIMD_HAS_COMPLEX;
  } else if (!known) {
    char where[32] = "";
    if (line) snprintf(where, sizeof where, " in line %d", line);
    op2i_simd_refuse(l, "includes %.*s%s, which may define anything",
                     (int)(length < 80 ? length : 80), name, where);
  }
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
    if (strlen(wanted[i].name) == length && !memcmp(wanted[i].name, name, length))
      l->headers |= wanted[i].headers;
}

/* Pragmas about speed, messages or threads do no harm; others may change what is computed. */
static void pragma(struct op2i_simd *l, struct op2i_piece *p, int line) {
  static const char *const harmless[] = {"omp",   "acc",     "unroll", "nounroll",
                                         "ivdep", "simd",    "vector", "novector",
                                         "once",  "message", "region", "endregion"};
  static const char *const pairs[][2] = {{"GCC", "unroll"},
                                         {"GCC", "ivdep"},
                                         {"GCC", "diagnostic"},
                                         {"clang", "loop"},
                                         {"clang", "diagnostic"}};
  bool known = !p;
  for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++)
    known = known || op2i_piece_is(p, harmless[i]);
  for (size_t i = 0; p && i < sizeof pairs / sizeof pairs[0]; i++)
    known = known || (op2i_piece_is(p, pairs[i][0]) && op2i_piece_is(p->next, pairs[i][1]));
  if (!known)
    op2i_simd_refuse(l, "has a pragma in line %d which may change what it computes", line);
}

/* Vector text has no #undef: names that compilers, flags or headers define stay defined there. */
static void check_undef(struct op2i_simd *l, const struct op2i_tokens *tokens, int64_t t) {
  const struct op2i_piece *word = op2i_macros_directive(&l->macros, tokens, t);
  if (!op2i_piece_is(word, "undef") || !word->next) return;
  const char *name = op2i_simd_string(l, word->next->text, (size_t)word->next->length);
  if (tokens->given || op2i_name_foreign(name))
    op2i_simd_refuse(l, "takes back %s in line %d, which others may define", name,
                     tokens->list[t].line);
}

/* True for directives that have no effect here; those of conditionals have been evaluated
 * already. */
static bool passed_over(const struct op2i_tokens *tokens, int64_t t) {
  static const char *const words[] = {"if", "ifdef", "ifndef", "elif", "else", "endif", "line"};
  size_t length;
  (void)op2i_directive_word(tokens, t, &length);
  bool passed = length == 0 && tokens->list[t].end == tokens->list[t].begin + 1;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    passed = passed || op2i_directive_is(tokens, t, words[i]);
  return passed;
}

static void directive(struct op2i_simd *l, const struct op2i_tokens *tokens, int64_t t) {
  const struct op2i_token *token = &tokens->list[t];
  size_t length;
  const char *word = op2i_directive_word(tokens, t, &length);
  if (passed_over(tokens, t)) return;
  if (op2i_directive_is(tokens, t, "include")) {
    include(l, word + length, (size_t)(tokens->text + token->end - word) - length, token->line);
  } else if (op2i_directive_is(tokens, t, "define") || op2i_directive_is(tokens, t, "undef")) {
    if (!op2i_macros_note(&l->macros, tokens, t))
      op2i_simd_refuse(l, "has a macro in line %d that cannot be read", token->line);
    check_undef(l, tokens, t);
  } else if (op2i_directive_is(tokens, t, "pragma")) {
    struct op2i_piece *p = op2i_macros_directive(&l->macros, tokens, t);
    pragma(l, p ? p->next : NULL, token->line);
  } else {
    op2i_simd_refuse(l, "has a preprocessor line (%d) on which its meaning may depend",
                     token->line);
  }
}

/* Whether such a name is the constant may depend on where it stands. */
static void check_constants(struct op2i_simd *l) {
  const struct op2i_rewrite *r = l->request->rewrite;
  for (int c = 0; c < r->member.nconsts; c++)
    if (op2i_macros_find(&l->macros, r->consts[c].name, strlen(r->consts[c].name), INT64_MAX))
      op2i_simd_refuse(l, "defines %s, which is a constant of the loop", r->consts[c].name);
}

void op2i_simd_directives(struct op2i_simd *l) {
  const struct op2i_tokens *tokens = &l->unit->tokens;
  const struct op2_kernel_s *kernel = l->request->rewrite->member.kernel;
  for (const char *at = kernel->headers; at && *at;) {
    size_t length = strcspn(at, "\n");
    bool own = strncmp(at, "#include \"", 10) == 0 && kernel->whole.text.length;
    if (strncmp(at, "#include", 8) == 0 && !own) include(l, at + 8, length - 8, 0);
    at += length + (at[length] == '\n');
  }
  if (tokens->unclear)
    op2i_simd_refuse(l, "has a preprocessor line (%d) on which its meaning may depend",
                     tokens->unclear);
  for (int64_t t = 0; t < tokens->count && !op2i_simd_stopped(l); t++)
    if (tokens->list[t].kind == OP2I_TOK_DIRECTIVE && !tokens->list[t].skipped)
      directive(l, tokens, t);
  check_constants(l);
  l->failed = l->failed || l->macros.arena.failed;
}

/* ---- expansion ------------------------------------------------------------------------------- */

/* Replace a macro of <complex.h>, unless the source has one of that name. */
static void replace(struct op2i_simd *l, struct op2i_piece *t, const char *name, const char *by) {
  if (!op2i_piece_is(t, name) || op2i_macros_find(&l->macros, name, strlen(name), INT64_MAX))
    return;
  t->text = by;
  t->length = (int)strlen(by);
}

struct op2i_piece *op2i_simd_expand(struct op2i_simd *l, int begin, int end, int *count) {
  struct op2i_why_macro why;
  struct op2i_piece *tokens = op2i_c_tokens(&l->macros, l->unit, begin, end, count, &why);
  if (why.what)
    op2i_simd_refuse(l, "uses the macro %s in line %d, %s", why.name, why.line, why.what);
  l->failed = l->failed || l->macros.arena.failed;
  const bool complex = l->headers & OP2I_SIMD_HAS_COMPLEX;
  for (int i = 0; complex && tokens && i < *count; i++) {
    if (tokens[i].kind != OP2I_TOK_WORD) continue;
    replace(l, &tokens[i], "complex", "_Complex");
    replace(l, &tokens[i], "I", "_Complex_I");
  }
  return tokens;
}
