/* SPDX-License-Identifier: BSD-3-Clause */
/* Conditional compilation (C11 6.10.1). */
#include "conditional.h"

#include <stdlib.h>
#include <string.h>

#include "cnames.h"
#include "kernel.h"
#include "macro.h"

enum { DEPTH_MAX = 64, NESTED_MAX = 200 };

enum verdict { NO, YES, UNCLEAR };

struct reading {
  struct op2i_tokens *tokens;
  struct op2i_macros macros;
  bool given;
};

/* ---- directives ------------------------------------------------------------------------------ */

const char *op2i_directive_word(const struct op2i_tokens *tokens, int64_t t, size_t *length) {
  const char *at = tokens->text + tokens->list[t].begin + 1;
  const char *end = tokens->text + tokens->list[t].end;
  while (at < end && (*at == ' ' || *at == '\t')) at++;
  *length = 0;
  while (at + *length < end && at[*length] >= 'a' && at[*length] <= 'z') ++*length;
  return at;
}

bool op2i_directive_is(const struct op2i_tokens *tokens, int64_t t, const char *word) {
  size_t length;
  const char *at = op2i_directive_word(tokens, t, &length);
  return length == strlen(word) && memcmp(at, word, length) == 0;
}

bool op2i_header_known(const char *at, size_t room, const char **name, size_t *length) {
  static const char *const known[] = {"<assert.h>", "<float.h>",  "<limits.h>", "<math.h>",
                                      "<stddef.h>", "<stdint.h>", "<stdlib.h>", "<stdbool.h>",
                                      "<stdio.h>",  "<string.h>", "\"op2.h\""};
  while (room && (*at == ' ' || *at == '\t')) at++, room--;
  *name = at;
  *length = 0;
  while (*length < room && !strchr(" \t\r\n", at[*length])) ++*length;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strlen(known[i]) == *length && memcmp(known[i], at, *length) == 0) return true;
  return false;
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool ends(const char *name, const char *suffix) {
  size_t length = strlen(name), wanted = strlen(suffix);
  return length >= wanted && !strcmp(name + length - wanted, suffix);
}

/* These are C's own names, and macros that POSIX, GNU and compilers in their GNU modes add. */
bool op2i_name_foreign(const char *name) {
  static const char *const words[] = {
      "BYTE_ORDER", "FD_CLR",    "FD_ISSET",      "FD_SET",    "FD_SETSIZE", "FD_ZERO", "IOV_MAX",
      "LONG_BIT",   "L_cuserid", "L_ctermid",     "MAX_CANON", "MAX_INPUT",  "NFDBITS", "NZERO",
      "PIPE_BUF",   "P_tmpdir",  "TARGET_OS_MAC", "WORD_BIT",  "alloca",     "linux",   "unix",
      "i386",       "sun",       "sparc",         "mips",      "MIPSEB",     "MIPSEL",  "PPC",
      "PPC64",      "powerpc",   "powerpc64",     "hppa",      "hpux",       "PWB",     "vax",
      "mc68000",    "WIN32",     "WIN64",         "WINNT",     "arm",        "pixel",   "vector",
      "I",          "complex",   "imaginary",     "major",     "minor",      "makedev", "NDEBUG"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strcmp(words[i], name) == 0) return true;
  return *name == '_' || strchr(name, '$') || (*name == 'W' && strstr(name, "STATUS")) ||
         ends(name, "_MAX") || ends(name, "_MIN") || ends(name, "_ENDIAN") || op2i_c_name(name);
}

/* True for M_PI and the like, which <math.h> defines in the dialect that kernels are compiled
 * as. */
static bool math_constant(const char *name) {
  return !strncmp(name, "M_", 2) && !ends(name, "l") && op2i_c_name(name);
}

static enum verdict defined(struct reading *r, const struct op2i_piece *name) {
  const struct op2i_macro *macro =
      op2i_macros_find(&r->macros, name->text, (size_t)name->length, name->at);
  if (macro) return macro->undefined ? NO : YES;
  if (op2i_piece_is(name, "__cplusplus")) return NO;
  const char *word = op2i_arena_string(&r->macros.arena, name->text, (size_t)name->length);
  if (!r->given && math_constant(word)) return YES;
  return r->given || op2i_name_foreign(word) ? UNCLEAR : NO;
}

/* ---- expressions ----------------------------------------------------------------------------- */

struct value {
  bool known;
  int64_t number;
};

struct evaluation {
  struct reading *r; /* null outside directives, where names have no values */
  const struct op2i_piece *at;
  int nested;
  bool wrong; /* no readable expression */
};

static const struct value unclear;

static struct value choice(struct evaluation *e);

static bool accept(struct evaluation *e, const char *spelling) {
  if (!op2i_piece_is(e->at, spelling)) return false;
  e->at = e->at->next;
  return true;
}

static struct value known(int64_t number) { return (struct value){true, number}; }

/* Unsigned numbers follow other rules in directives, so they are unclear there. Elsewhere a number
 * that is too large is cut to the largest one. */
static struct value number(const struct op2i_piece *piece, bool directive) {
  const char *suffixes = directive ? "lL" : "lLuU";
  char digits[32] = "", *end;
  if (piece->length >= (int)sizeof digits) return unclear;
  memcpy(digits, piece->text, (size_t)piece->length);
  unsigned long long value = strtoull(digits, &end, 0);
  if (end[strspn(end, suffixes)] || (value > INT64_MAX && directive)) return unclear;
  return known(value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

static struct value primary(struct evaluation *e) {
  const struct op2i_piece *piece = e->at;
  if (accept(e, "(")) {
    struct value inside = choice(e);
    if (!accept(e, ")")) e->wrong = true;
    return inside;
  }
  if (!piece || (piece->kind != OP2I_TOK_NUMBER && piece->kind != OP2I_TOK_WORD)) {
    e->wrong = true;
    return unclear;
  }
  e->at = piece->next;
  if (piece->kind == OP2I_TOK_NUMBER) return number(piece, e->r);
  /* The names that are left stand for 0, unless something else may define them. */
  return e->r && !op2i_piece_is(piece, "defined") && defined(e->r, piece) == NO ? known(0)
                                                                                : unclear;
}

static struct value unary(struct evaluation *e) {
  static const char *const ops[] = {"!", "-", "+", "~"};
  for (int i = 0; i < 4; i++) {
    if (!op2i_piece_is(e->at, ops[i])) continue;
    e->at = e->at->next;
    if (++e->nested > NESTED_MAX) e->wrong = true;
    struct value a = e->wrong ? unclear : unary(e);
    e->nested--;
    if (!a.known || a.number == INT64_MIN) return unclear;
    return known(i == 0 ? !a.number : i == 1 ? -a.number : i == 2 ? a.number : ~a.number);
  }
  return primary(e);
}

static struct value shifted(int64_t a, int64_t b, bool left) {
  if (a < 0 || b < 0 || b > 62 || (left && a > INT64_MAX >> b)) return unclear;
  return known(left ? a << b : a >> b);
}

static struct value compared(const char *op, int64_t a, int64_t b) {
  if (!strcmp(op, "<<") || !strcmp(op, ">>")) return shifted(a, b, *op == '<');
  if (!strcmp(op, "==")) return known(a == b);
  if (!strcmp(op, "!=")) return known(a != b);
  if (!strcmp(op, "<=")) return known(a <= b);
  if (!strcmp(op, ">=")) return known(a >= b);
  return unclear;
}

static struct value combined(const char *op, int64_t a, int64_t b) {
  int64_t r = 0;
  switch (op[1] ? '?' : op[0]) {
  case '+': return __builtin_add_overflow(a, b, &r) ? unclear : known(r);
  case '-': return __builtin_sub_overflow(a, b, &r) ? unclear : known(r);
  case '*': return __builtin_mul_overflow(a, b, &r) ? unclear : known(r);
  case '/': return b == 0 || b == -1 ? unclear : known(a / b);
  case '%': return b == 0 || b == -1 ? unclear : known(a % b);
  case '<': return known(a < b);
  case '>': return known(a > b);
  case '&': return known(a & b);
  case '|': return known(a | b);
  case '^': return known(a ^ b);
  default: return compared(op, a, b);
  }
}

/* One known operand can decide && and ||. */
static struct value joined(bool both, struct value a, struct value b) {
  if (a.known && !a.number == both) return known(!both);
  if (b.known && !b.number == both) return known(!both);
  return a.known && b.known ? known(both) : unclear;
}

static struct value binary(struct evaluation *e, int least) {
  static const char *const levels[][5] = {
      {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="},
      {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
  struct value a = unary(e);
  for (int level = 9; level >= least; level--)
    for (int i = 0; levels[level][i] && !e->wrong; i++) {
      const char *op = levels[level][i];
      if (!accept(e, op)) continue;
      struct value b = binary(e, level + 1);
      if (level < 2)
        a = joined(level == 1, a, b);
      else
        a = a.known && b.known ? combined(op, a.number, b.number) : unclear;
      i = -1; /* another operator of this level may follow */
    }
  return a;
}

static struct value choice(struct evaluation *e) {
  if (++e->nested > NESTED_MAX) e->wrong = true;
  struct value a = e->wrong ? unclear : binary(e, 0);
  if (!e->wrong && accept(e, "?")) {
    struct value b = choice(e);
    if (!accept(e, ":")) e->wrong = true;
    struct value c = choice(e);
    a = !a.known ? unclear : a.number ? b : c;
  }
  e->nested--;
  return a;
}

bool op2i_constant(const struct op2i_piece *at, const char *end, int64_t *value) {
  struct evaluation e = {.at = at};
  struct value found = choice(&e);
  *value = found.number;
  return found.known && !e.wrong && op2i_piece_is(e.at, end);
}

/* Replace defined X and defined (X) by numbers before macros are expanded; one that cannot be
 * decided stays. Returns false where something else follows. */
static bool replace_defined(struct reading *r, struct op2i_piece *list) {
  for (struct op2i_piece *p = list; p; p = p->next) {
    if (!op2i_piece_is(p, "defined")) continue;
    bool bracket = op2i_piece_is(p->next, "(");
    struct op2i_piece *name = bracket ? p->next->next : p->next;
    struct op2i_piece *last = bracket && name ? name->next : name;
    if (!name || name->kind != OP2I_TOK_WORD || (bracket && !op2i_piece_is(last, ")")))
      return false;
    enum verdict verdict = defined(r, name);
    p->kind = verdict == UNCLEAR ? OP2I_TOK_WORD : OP2I_TOK_NUMBER;
    p->text = verdict == UNCLEAR ? "defined" : verdict == YES ? "1" : "0";
    p->length = (int)strlen(p->text);
    p->next = last->next;
  }
  return true;
}

static enum verdict evaluate(struct reading *r, struct op2i_piece *list) {
  struct op2i_why_macro why;
  if (!replace_defined(r, list)) return UNCLEAR;
  list = op2i_macros_expand(&r->macros, list, &why);
  struct evaluation e = {.r = r, .at = list};
  if (!list) return UNCLEAR;
  struct value value = choice(&e);
  if (e.wrong || e.at || !value.known) return UNCLEAR;
  return value.number ? YES : NO;
}

static enum verdict decide(struct reading *r, int64_t t) {
  struct op2i_piece *word = op2i_macros_directive(&r->macros, r->tokens, t);
  if (!word || !word->next) return UNCLEAR;
  if (op2i_piece_is(word, "if") || op2i_piece_is(word, "elif")) return evaluate(r, word->next);
  if (word->next->kind != OP2I_TOK_WORD) return UNCLEAR;
  enum verdict verdict = defined(r, word->next);
  if (op2i_piece_is(word, "ifdef") || verdict == UNCLEAR) return verdict;
  return verdict == YES ? NO : YES;
}

/* ---- the whole text -------------------------------------------------------------------------- */

struct branch {
  bool outer; /* the text around the conditional is read */
  bool taken; /* one of its branches has been read */
  int line;
};

static op2_status wrong(struct op2i_tokens *tokens, int line, const char *what) {
  tokens->wrong = what;
  tokens->wrong_line = line;
  return OP2_ERR_SYNTAX;
}

static bool holds(struct reading *r, int64_t t) {
  enum verdict verdict = decide(r, t);
  if (verdict == UNCLEAR && !r->tokens->unclear) r->tokens->unclear = r->tokens->list[t].line;
  return verdict != NO;
}

/* Take note of a directive in text that is read, if it is no conditional. */
static void note_directive(struct reading *r, int64_t t) {
  struct op2i_tokens *tokens = r->tokens;
  size_t length;
  const char *word = op2i_directive_word(tokens, t, &length), *name;
  if (op2i_directive_is(tokens, t, "define") || op2i_directive_is(tokens, t, "undef"))
    (void)op2i_macros_note(&r->macros, tokens, t);
  if (op2i_directive_is(tokens, t, "include") &&
      !op2i_header_known(word + length,
                         (size_t)(tokens->text + tokens->list[t].end - word) - length, &name,
                         &length))
    r->given = true;
}

static op2_status mark(struct reading *r) {
  struct op2i_tokens *tokens = r->tokens;
  struct branch stack[DEPTH_MAX];
  int depth = 0;
  bool read = true;
  for (int64_t i = 0; i < tokens->count; i++) {
    struct op2i_token *t = &tokens->list[i];
    t->skipped = !read;
    if (t->kind != OP2I_TOK_DIRECTIVE) continue;
    bool first = op2i_directive_is(tokens, i, "if") || op2i_directive_is(tokens, i, "ifdef") ||
                 op2i_directive_is(tokens, i, "ifndef");
    bool last = op2i_directive_is(tokens, i, "else");
    if (first) {
      if (depth == DEPTH_MAX)
        return wrong(tokens, t->line, "conditionals are nested more than 64 deep");
      stack[depth] = (struct branch){.outer = read, .line = t->line};
      read = stack[depth].taken = read && holds(r, i);
      depth++;
    } else if (last || op2i_directive_is(tokens, i, "elif")) {
      if (depth == 0) return wrong(tokens, t->line, "an #else or #elif without #if");
      struct branch *top = &stack[depth - 1];
      read = top->outer && !top->taken && (last || holds(r, i));
      top->taken = top->taken || read;
    } else if (op2i_directive_is(tokens, i, "endif")) {
      if (depth == 0) return wrong(tokens, t->line, "an #endif without #if");
      read = stack[--depth].outer;
    } else if (read) {
      note_directive(r, i);
    }
  }
  return depth ? wrong(tokens, stack[depth - 1].line, "a conditional begins here and has no #endif")
               : OP2_SUCCESS;
}

op2_status op2i_conditionals(struct op2i_tokens *tokens, bool given) {
  struct reading r = {.tokens = tokens, .given = given};
  bool any = false;
  for (int64_t i = 0; i < tokens->count && !any; i++)
    any = tokens->list[i].kind == OP2I_TOK_DIRECTIVE &&
          (op2i_directive_is(tokens, i, "if") || op2i_directive_is(tokens, i, "ifdef") ||
           op2i_directive_is(tokens, i, "ifndef") || op2i_directive_is(tokens, i, "else") ||
           op2i_directive_is(tokens, i, "elif") || op2i_directive_is(tokens, i, "endif"));
  op2_status status = any ? mark(&r) : OP2_SUCCESS;
  if (r.macros.arena.failed) status = OP2_ERR_NOMEM;
  op2i_macros_free(&r.macros);
  return status;
}

/* ---- properties that the source does not determine ------------------------------------------- */

/* True if compiler flags may define names, include files, or choose a dialect that defines fewer
 * names. */
static bool flags_define(const char *flags) {
  static const char *const words[] = {"-D",     "-U", "-include", "-imacros", "-Wp,",  "-Xpreproc",
                                      "-specs", "--", "@",        "-ansi",    "-std=c"};
  for (const char *at = flags; at && *at; at++) {
    if (at > flags && !strchr(" \t\n'\"\\", at[-1])) continue;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
      if (strncmp(at, words[i], strlen(words[i])) == 0) return true;
  }
  return false;
}

bool op2i_kernel_given(const char *compiler, const char *flags, const char *headers) {
  const char *name;
  size_t known;
  if (flags_define(compiler) || flags_define(flags)) return true;
  for (const char *at = headers; at && *at; at += strcspn(at, "\n"), at += *at == '\n')
    if (strncmp(at, "#include ", 9) == 0 &&
        !op2i_header_known(at + 9, strcspn(at + 9, "\n"), &name, &known))
      return true;
  return false;
}
