/* SPDX-License-Identifier: BSD-3-Clause */
/* Cuts C text into tokens: words, numbers, strings, punctuators and directives. Comments are
 * skipped. */
#include "token.h"

#include <string.h>

#include "conditional.h"
#include "mem.h"

struct scan {
  struct op2i_tokens *tokens;
  const char *text;
  size_t at;
  int line;
  bool fresh; /* only blanks and comments so far on this line */
};

static bool word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         (unsigned char)c >= 0x80;
}

static bool digit(char c) { return c >= '0' && c <= '9'; }
static bool word_char(char c) { return word_start(c) || digit(c); }

/* The length of a spliced line end at `at`; 0 when there is none. */
static size_t splice(const char *text, size_t at) {
  if (text[at] != '\\') return 0;
  if (text[at + 1] == '\n') return 2;
  return text[at + 1] == '\r' && text[at + 2] == '\n' ? 3 : 0;
}

static op2_status wrong(struct op2i_tokens *tokens, int line, const char *what) {
  tokens->wrong = what;
  tokens->wrong_line = line;
  return OP2_ERR_SYNTAX;
}

/* Skip a comment that starts at s->at; false when there is none. A block comment that never ends
 * sets `wrong`. */
static bool skip_comment(struct scan *s) {
  const char *text = s->text;
  if (text[s->at] != '/' || (text[s->at + 1] != '/' && text[s->at + 1] != '*')) return false;
  bool block = text[s->at + 1] == '*';
  int first = s->line;
  for (s->at += 2; text[s->at]; s->at++) {
    size_t joined = splice(text, s->at);
    if (joined) {
      s->at += joined - 1;
      s->line++;
    } else if (block && text[s->at] == '*' && text[s->at + 1] == '/') {
      s->at += 2;
      return true;
    } else if (text[s->at] == '\n') {
      if (!block) return true;
      s->line++;
    }
  }
  if (block) (void)wrong(s->tokens, first, "a comment begins here and never ends");
  return true;
}

static void skip_blanks(struct scan *s) {
  for (;;) {
    char c = s->text[s->at];
    size_t joined = splice(s->text, s->at);
    if (joined) {
      s->at += joined;
      s->line++;
    } else if (c == '\n') {
      s->at++;
      s->line++;
      s->fresh = true;
    } else if (c == ' ' || (c >= '\t' && c <= '\r')) {
      s->at++;
    } else if (!skip_comment(s)) {
      return;
    }
  }
}

/* The end of a string or character constant whose opening quote is at `at`; `at` itself when its
 * line ends first. */
static size_t quoted_end(const char *text, size_t at) {
  size_t i = at + 1;
  while (text[i] && text[i] != '\n' && text[i] != text[at]) {
    size_t joined = splice(text, i);
    if (joined)
      i += joined;
    else
      i += text[i] == '\\' && text[i + 1] ? 2 : 1;
  }
  return text[i] == text[at] ? i + 1 : at;
}

static void scan_directive(struct scan *s) {
  while (s->text[s->at] && s->text[s->at] != '\n') {
    char c = s->text[s->at];
    size_t joined = splice(s->text, s->at);
    size_t end = c == '"' || c == '\'' ? quoted_end(s->text, s->at) : s->at;
    if (joined) {
      s->at += joined;
      s->line++;
    } else if (end > s->at) {
      for (; s->at < end; s->at++) s->line += s->text[s->at] == '\n';
    } else if (!skip_comment(s)) {
      s->at++;
    }
  }
}

static size_t number_end(const char *text, size_t at) {
  size_t i = at + 1;
  while (word_char(text[i]) || text[i] == '.' ||
         ((text[i] == '+' || text[i] == '-') && strchr("eEpP", text[i - 1])))
    i++;
  return i;
}

static size_t punct_length(const char *at) {
  static const char *const longer[] = {"...", "<<=", ">>=", "->", "++", "--", "<<", ">>",
                                       "<=",  ">=",  "==",  "!=", "&&", "||", "*=", "/=",
                                       "%=",  "+=",  "-=",  "&=", "^=", "|=", "##"};
  for (size_t i = 0; i < sizeof longer / sizeof longer[0]; i++) {
    size_t length = strlen(longer[i]);
    if (strncmp(at, longer[i], length) == 0) return length;
  }
  return 1;
}

/* The length of the encoding prefix of a string or character constant at `at`: 0 to 2
 * characters. */
static size_t prefix_length(const char *at) {
  size_t n = at[0] == 'u' && at[1] == '8'                   ? 2
             : at[0] == 'L' || at[0] == 'u' || at[0] == 'U' ? 1
                                                            : 0;
  return at[n] == '"' || at[n] == '\'' ? n : 0;
}

static enum op2i_token_kind scan_token(struct scan *s) {
  const char *text = s->text;
  char c = text[s->at];
  if (c == '#' && s->fresh) {
    scan_directive(s);
    return OP2I_TOK_DIRECTIVE;
  }
  size_t quote = s->at + prefix_length(text + s->at);
  if (text[quote] == '"' || text[quote] == '\'') {
    size_t end = quoted_end(text, quote);
    bool ends = end > quote;
    for (end += !ends; s->at < end; s->at++) s->line += text[s->at] == '\n';
    return !ends ? OP2I_TOK_BAD : text[quote] == '"' ? OP2I_TOK_STRING : OP2I_TOK_CHAR;
  }
  if (word_start(c)) {
    while (word_char(text[s->at])) s->at++;
    return OP2I_TOK_WORD;
  }
  if (digit(c) || (c == '.' && digit(text[s->at + 1]))) {
    s->at = number_end(text, s->at);
    return OP2I_TOK_NUMBER;
  }
  s->at += punct_length(text + s->at);
  return OP2I_TOK_PUNCT;
}

/* ---- the whole text -------------------------------------------------------------------------- */

static struct op2i_token *append(struct op2i_tokens *tokens) {
  if (op2i_grow(&tokens->list, sizeof *tokens->list, tokens->count, &tokens->capacity)) return NULL;
  struct op2i_token *t = &tokens->list[tokens->count++];
  *t = (struct op2i_token){0};
  return t;
}

/* Text that is read must consist of C tokens; skipped text need not. */
static op2_status check_bad(struct op2i_tokens *tokens) {
  for (int64_t i = 0; i < tokens->count; i++)
    if (tokens->list[i].kind == OP2I_TOK_BAD && !tokens->list[i].skipped)
      return wrong(tokens, tokens->list[i].line,
                   "a string or character constant begins here and does not end on its line");
  return OP2_SUCCESS;
}

op2_status op2i_tokenize(const char *text, bool given, struct op2i_tokens *tokens) {
  *tokens = (struct op2i_tokens){.text = text, .given = given};
  struct scan s = {.tokens = tokens, .text = text, .line = 1, .fresh = true};
  for (;;) {
    skip_blanks(&s);
    struct op2i_token *t = append(tokens);
    if (!t) return OP2_ERR_NOMEM;
    t->line = s.line;
    t->begin = s.at;
    if (text[s.at]) t->kind = scan_token(&s);
    t->end = s.at;
    s.fresh = false;
    if (tokens->wrong) return OP2_ERR_SYNTAX;
    if (t->kind == OP2I_TOK_END) break;
  }
  tokens->count--;
  op2_status status = op2i_conditionals(tokens, given);
  return status ? status : check_bad(tokens);
}

void op2i_tokens_free(struct op2i_tokens *tokens) {
  op2i_free(tokens->list);
  *tokens = (struct op2i_tokens){0};
}

bool op2i_token_is(const struct op2i_tokens *tokens, int64_t i, const char *spelling) {
  const struct op2i_token *t = &tokens->list[i];
  const char *text = tokens->text + t->begin;
  return *text == *spelling && strncmp(text, spelling, t->end - t->begin) == 0 &&
         spelling[t->end - t->begin] == '\0';
}

bool op2i_token_same(const struct op2i_tokens *tokens, int64_t i, int64_t k) {
  const struct op2i_token *a = &tokens->list[i], *b = &tokens->list[k];
  return a->end - a->begin == b->end - b->begin &&
         memcmp(tokens->text + a->begin, tokens->text + b->begin, a->end - a->begin) == 0;
}

const char *op2i_token_macro(const struct op2i_tokens *tokens, int64_t t, size_t *length) {
  const char *at = tokens->text + tokens->list[t].begin + 1;
  const char *end = tokens->text + tokens->list[t].end;
  while (at < end && (*at == ' ' || *at == '\t')) at++;
  if (end - at < 7 || strncmp(at, "define", 6) != 0) return NULL;
  at += 6;
  while (at < end && (*at == ' ' || *at == '\t')) at++;
  *length = 0;
  while (at + *length < end && word_char(at[*length])) ++*length;
  return *length && (at + *length == end || at[*length] != '(') ? at : NULL;
}

/* Sorted as by strcmp(), for a binary search. */
static const char *const reserved[] = {
    "_Alignas",
    "_Alignof",
    "_Atomic",
    "_Bool",
    "_Complex",
    "_Generic",
    "_Imaginary",
    "_Noreturn",
    "_Static_assert",
    "_Thread_local",
    "__alignof__",
    "__asm__",
    "__attribute",
    "__attribute__",
    "__builtin_offsetof",
    "__complex__",
    "__const",
    "__extension__",
    "__inline",
    "__inline__",
    "__int128",
    "__restrict",
    "__restrict__",
    "__signed__",
    "__thread",
    "__typeof",
    "__typeof__",
    "__volatile__",
    "asm",
    "auto",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "typeof",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
};

bool op2i_word_reserved(const char *word, size_t length) {
  size_t lo = 0, hi = sizeof reserved / sizeof *reserved;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    int order = strncmp(word, reserved[mid], length);
    if (order == 0 && reserved[mid][length] == '\0') return true;
    if (order > 0)
      lo = mid + 1;
    else
      hi = mid;
  }
  return false;
}
