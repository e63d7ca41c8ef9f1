/* SPDX-License-Identifier: BSD-3-Clause */
/* A function's tokens, with the source's own macros replaced. */
#include <string.h>

#include "lane.h"

enum { DEPTH_MAX = 16, EXPANDED_MAX = 200000 };

/* ---- directives ------------------------------------------------------------------------------ */

/* Headers that define no macro a kernel could trip over unknowingly. */
static bool header_known(const char *at, size_t length) {
  static const char *const known[] = {"<float.h>",  "<math.h>",   "<stddef.h>",
                                      "<stdint.h>", "<stdlib.h>", "<stdbool.h>",
                                      "<limits.h>", "<string.h>", "\"op2.h\""};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strlen(known[i]) == length && memcmp(known[i], at, length) == 0) return true;
  return false;
}

static void include(struct op2i_lane *l, const char *at, size_t length) {
  while (length && (*at == ' ' || *at == '\t')) at++, length--;
  size_t end = 0;
  while (end < length && at[end] != ' ' && at[end] != '\t' && at[end] != '\n') end++;
  if (!header_known(at, end))
    op2i_lane_refuse(l, "includes %.*s, which may define anything", (int)(end < 80 ? end : 80), at);
}

static struct op2i_lane_macro *find_macro(const struct op2i_lane *l,
                                          const struct op2i_lane_token *t) {
  for (struct op2i_lane_macro *m = l->macros; m; m = m->next)
    if (op2i_lane_spells(t, m->name)) return m;
  return NULL;
}

static void copy_tokens(struct op2i_lane *l, const struct op2i_tokens *from, int64_t first,
                        int line, struct op2i_lane_macro *macro) {
  macro->tokens = op2i_lane_take(l, (size_t)(from->count - first + 1) * sizeof *macro->tokens);
  for (int64_t i = first; macro->tokens && i < from->count; i++) {
    size_t length = from->list[i].end - from->list[i].begin;
    macro->tokens[macro->count++] = (struct op2i_lane_token){
        .text = op2i_lane_string(l, from->text + from->list[i].begin, length),
        .length = (int)length,
        .line = line,
        .kind = from->list[i].kind};
  }
}

/* `at` is behind the word define. */
static void define(struct op2i_lane *l, const char *at, size_t length, int line) {
  struct op2i_tokens tokens = {0};
  const char *text = op2i_lane_string(l, at, length);
  op2_status status = op2i_tokenize(text, &tokens);
  struct op2i_lane_macro *macro = op2i_lane_take(l, sizeof *macro);
  if (status == OP2_ERR_NOMEM) l->failed = true;
  if (!status && macro && tokens.count > 0) {
    const struct op2i_token *name = &tokens.list[0];
    struct op2i_lane_token spelled = {text + name->begin, (int)(name->end - name->begin), line,
                                      name->kind};
    if (find_macro(l, &spelled))
      op2i_lane_refuse(l, "defines the macro %.*s again", spelled.length, spelled.text);
    macro->name = op2i_lane_string(l, spelled.text, (size_t)spelled.length);
    macro->function = text[name->end] == '(';
    macro->line = line;
    copy_tokens(l, &tokens, 1, line, macro);
    macro->next = l->macros;
    l->macros = macro;
  } else if (status == OP2_ERR_SYNTAX) {
    op2i_lane_refuse(l, "has a macro in line %d that cannot be read", line);
  }
  op2i_tokens_free(&tokens);
}

static bool starts(const char *at, const char *end, const char *word, const char **behind) {
  size_t length = strlen(word);
  if ((size_t)(end - at) < length || memcmp(at, word, length) != 0) return false;
  *behind = at + length;
  return *behind == end || strchr(" \t\"<(\\", **behind);
}

static void directive(struct op2i_lane *l, const char *at, const char *end, int line) {
  const char *behind;
  for (at++; at < end && (*at == ' ' || *at == '\t');) at++;
  if (at == end || starts(at, end, "pragma", &behind) || starts(at, end, "line", &behind)) return;
  if (starts(at, end, "define", &behind))
    define(l, behind, (size_t)(end - behind), line);
  else if (starts(at, end, "include", &behind))
    include(l, behind, (size_t)(end - behind));
  else
    op2i_lane_refuse(l, "has a preprocessor line (%d) on which its meaning may depend", line);
}

void op2i_lane_directives(struct op2i_lane *l) {
  const struct op2i_tokens *tokens = &l->unit->tokens;
  for (const char *at = l->request->rewrite->member.kernel->headers; at && *at;) {
    size_t length = strcspn(at, "\n");
    if (*at == '#') directive(l, at, at + length, 0);
    at += length + (at[length] == '\n');
  }
  for (int64_t t = 0; t < tokens->count && !op2i_lane_stopped(l); t++) {
    const struct op2i_token *token = &tokens->list[t];
    if (token->kind == OP2I_TOK_DIRECTIVE)
      directive(l, tokens->text + token->begin, tokens->text + token->end, token->line);
  }
}

/* ---- expansion ------------------------------------------------------------------------------- */

struct expansion {
  struct op2i_lane *l;
  struct op2i_lane_token *list; /* null while counting */
  int count, work;              /* tokens made, and looked at */
  const struct op2i_lane_macro *open[DEPTH_MAX];
};

static void count_work(struct expansion *x) {
  if (++x->work > EXPANDED_MAX) op2i_lane_refuse(x->l, "is too long with its macros replaced");
}

static void expand_one(struct expansion *x, const struct op2i_lane_token *t, int line, int depth) {
  count_work(x);
  const struct op2i_lane_macro *macro = t->kind == OP2I_TOK_WORD ? find_macro(x->l, t) : NULL;
  for (int i = 0; macro && i < depth; i++)
    if (x->open[i] == macro) macro = NULL;
  if (macro && (macro->line > line || macro->function || depth == DEPTH_MAX)) {
    op2i_lane_refuse(x->l, "uses the macro %s, which cannot be followed", macro->name);
    return;
  }
  if (!macro) {
    if (x->list) {
      x->list[x->count] = *t;
      x->list[x->count].line = line;
    }
    x->count++;
    return;
  }
  x->open[depth] = macro;
  for (int i = 0; i < macro->count && !op2i_lane_stopped(x->l); i++)
    expand_one(x, &macro->tokens[i], line, depth + 1);
}

static void expand_all(struct expansion *x, int begin, int end) {
  const struct op2i_unit *unit = x->l->unit;
  x->count = x->work = 0;
  for (int p = begin; p < end && !op2i_lane_stopped(x->l); p++) {
    const struct op2i_token *token = &unit->tokens.list[unit->code[p]];
    struct op2i_lane_token t = {unit->tokens.text + token->begin, (int)(token->end - token->begin),
                                token->line, token->kind};
    expand_one(x, &t, token->line, 0);
  }
}

struct op2i_lane_token *op2i_lane_expand(struct op2i_lane *l, int begin, int end, int *count) {
  struct expansion x = {.l = l};
  expand_all(&x, begin, end);
  x.list = op2i_lane_take(l, (size_t)(x.count + 2) * sizeof *x.list);
  *count = 0;
  if (!x.list) return NULL;
  if (!op2i_lane_stopped(l)) expand_all(&x, begin, end);
  *count = op2i_lane_stopped(l) ? 0 : x.count;
  struct op2i_lane_token stop = {"", 0, *count ? x.list[*count - 1].line : 0, OP2I_TOK_END};
  /* Two, so that a look at the token behind the one here is always possible. */
  x.list[*count] = x.list[*count + 1] = stop;
  return x.list;
}
