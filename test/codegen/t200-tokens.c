/* SPDX-License-Identifier: BSD-3-Clause */
/* C text split into tokens, conditionals, and the objects to which identifiers refer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conditional.h"
#include "kernel.h"
#include "tap.h"
#include "unit.h"

/* One letter for the kind, the text, @line; a skipped token is in brackets. */
static void show(const struct op2i_tokens *tokens, char *out, size_t room) {
  static const char letters[] = "EWNSCPDB";
  size_t at = 0;
  out[0] = '\0';
  for (int64_t i = 0; i < tokens->count && at < room; i++) {
    const struct op2i_token *t = &tokens->list[i];
    at += (size_t)snprintf(out + at, room - at, "%s%s%c:%.*s@%d%s", i ? " " : "",
                           t->skipped ? "[" : "", letters[t->kind], (int)(t->end - t->begin),
                           tokens->text + t->begin, t->line, t->skipped ? "]" : "");
  }
}

static void tokens_are(const char *text, const char *want, const char *name) {
  struct op2i_tokens tokens;
  char got[2048];
  op2_status status = op2i_tokenize(text, false, &tokens);
  if (status)
    snprintf(got, sizeof got, "error, line %d: %s", tokens.wrong_line, tokens.wrong);
  else
    show(&tokens, got, sizeof got);
  is_str(got, want, "%s", name);
  op2i_tokens_free(&tokens);
}

static void test_kinds(void) {
  tokens_are("", "", "nothing");
  tokens_are("  \t\n \r\n /* x */ // y", "", "blanks and comments only");
  tokens_are("int a_1=b;", "W:int@1 W:a_1@1 P:=@1 W:b@1 P:;@1", "words and punctuation");
  tokens_are("a/**/b//c\nd", "W:a@1 W:b@1 W:d@2", "comments separate");
  tokens_are("a/*\n\n*/b", "W:a@1 W:b@3", "lines in a comment count");
  tokens_are("a // b \\\n c\nd", "W:a@1 W:d@3", "a spliced // comment goes on");
  tokens_are("a\\\n b\\\r\nc", "W:a@1 W:b@2 W:c@3", "spliced lines");
  tokens_are("1 .5 1e-5 0x1p+3 1.f a.b 1...2",
             "N:1@1 N:.5@1 N:1e-5@1 N:0x1p+3@1 N:1.f@1 W:a@1 P:.@1 W:b@1 N:1...2@1",
             "numbers as the preprocessor sees them");
  tokens_are("x-1e+1-1", "W:x@1 P:-@1 N:1e+1@1 P:-@1 N:1@1", "signs in and between numbers");
  tokens_are("\"a\\\"/*b\" '\\'' 'ab' L\"w\" u8\"//\" U'x' L",
             "S:\"a\\\"/*b\"@1 C:'\\''@1 C:'ab'@1 S:L\"w\"@1 "
             "S:u8\"//\"@1 C:U'x'@1 W:L@1",
             "strings and characters hide comments");
  tokens_are("\"a\\\nb\" c", "S:\"a\\\nb\"@1 W:c@2", "a string over a spliced line");
  tokens_are("a->b...c<<=d>>e##f!=g",
             "W:a@1 P:->@1 W:b@1 P:...@1 W:c@1 P:<<=@1 W:d@1 P:>>@1 W:e@1 P:##@1 W:f@1 P:!=@1 "
             "W:g@1",
             "the longest punctuator");
  tokens_are("a+++b", "W:a@1 P:++@1 P:+@1 W:b@1", "a+++b is a++ +b");
  tokens_are("\xc3\xa4x @ $y", "W:\xc3\xa4x@1 P:@@1 W:$y@1",
             "letters beyond ASCII, unknown characters");
}

static void test_directives(void) {
  tokens_are("#define A b\nc", "D:#define A b@1 W:c@2", "a directive is one token");
  tokens_are("  # define A \\\n b\nc", "D:# define A \\\n b@1 W:c@3", "with its spliced lines");
  tokens_are("#define A /* \n */ b\nc", "D:#define A /* \n */ b@1 W:c@3", "and its comments");
  tokens_are("#define A \"/*\"\nc", "D:#define A \"/*\"@1 W:c@2", "a quoted comment sign in one");
  tokens_are("#error don't\nc", "D:#error don't@1 W:c@2", "an apostrophe in one");
  tokens_are("/* */ # x\na # b", "D:# x@1 W:a@2 P:#@2 W:b@2", "only at the start of a line");
}

static void test_conditionals(void) {
  tokens_are("#if A\nb\n#elif C\nd\n#else\ne\n#endif\nf",
             "D:#if A@1 [W:b@2] [D:#elif C@3] [W:d@4] [D:#else@5] W:e@6 D:#endif@7 W:f@8",
             "what nobody defines is not defined");
  tokens_are("#if __GNUC__\nb\n#elif C\nd\n#else\ne\n#endif\nf",
             "D:#if __GNUC__@1 W:b@2 D:#elif C@3 [W:d@4] [D:#else@5] [W:e@6] [D:#endif@7] W:f@8",
             "of what cannot be decided the first branch is read");
  tokens_are("#if 0\nb\n#else\ne\n#endif", "D:#if 0@1 [W:b@2] [D:#else@3] W:e@4 D:#endif@5",
             "not one under #if 0");
  tokens_are("#ifdef __cplusplus\nx\n#endif\n#ifndef __cplusplus\ny\n#endif",
             "D:#ifdef __cplusplus@1 [W:x@2] [D:#endif@3] D:#ifndef __cplusplus@4 W:y@5 D:#endif@6",
             "nor C++");
  tokens_are("#if 0\n#if A\nb\n#else\nc\n#endif\n#elif 1\ne\n#endif",
             "D:#if 0@1 [D:#if A@2] [W:b@3] [D:#else@4] [W:c@5] [D:#endif@6] [D:#elif 1@7] W:e@8 "
             "D:#endif@9",
             "one inside another");
  tokens_are("#if 0\nit's\n#endif", "D:#if 0@1 [W:it@2] [B:'@2] [W:s@2] [D:#endif@3]",
             "what is not read need not be C");
}

/* Check which of `yes` and `no` is read under a condition, or that the condition is unclear. */
static void condition_is(const char *before, const char *condition, bool given, const char *want) {
  struct op2i_tokens tokens;
  char text[512];
  snprintf(text, sizeof text, "%s\n#%s\nyes\n#else\nno\n#endif", before, condition);
  op2_status status = op2i_tokenize(text, given, &tokens);
  const char *got = "error";
  for (int64_t t = 0; !status && t < tokens.count; t++)
    if (tokens.list[t].kind == OP2I_TOK_WORD && !tokens.list[t].skipped)
      got = tokens.unclear ? "unclear" : op2i_token_is(&tokens, t, "yes") ? "yes" : "no";
  is_str(got, want, "%s after '%s'%s", condition, before, given ? ", others may define" : "");
  op2i_tokens_free(&tokens);
}

static void test_conditions(void) {
  static const struct {
    const char *before, *condition, *want;
  } cases[] = {
      {"", "if 1", "yes"},
      {"", "if 1 - 1", "no"},
      {"", "if 2 + 3 * 4 == 14 && (2 + 3) * 4 == 20", "yes"},
      {"", "if 7 - 2 - 1 == 4 && 16 / 4 / 2 == 2", "yes"},
      {"", "if 1 << 3 > 7 && 5 % 3 == 2 && (6 & 3) == 2 && (6 | 1) == 7 && (6 ^ 3) == 5", "yes"},
      {"", "if !0 && ~0 == -1 && +1", "yes"},
      {"", "if 0 ? 1 : 0x10 == 16", "yes"},
      {"", "if 1 < 2 == 1 || 0", "yes"},
      {"", "if 010 == 8L", "yes"},
      {"", "if N", "no"},
      {"", "ifdef N", "no"},
      {"", "ifndef N", "yes"},
      {"", "if defined N || defined(N)", "no"},
      {"#define N", "ifdef N", "yes"},
      {"#define N", "if defined ( N )", "yes"},
      {"#define N", "if N", "unclear"},
      {"#define N 3", "if N == 3", "yes"},
      {"#define N 1 + 1", "if N * 2 == 3", "yes"},
      {"#define N M\n#define M 2", "if N > 1", "yes"},
      {"#define SQ(a) ((a) * (a))", "if SQ(3) == 9 && SQ (1 + 1) == 4", "yes"},
      {"#define SQ(a) ((a) * (a))", "if SQ", "unclear"},
      {"#define N 1\n#undef N", "ifdef N", "no"},
      {"#undef N\n#define N 1", "if N", "yes"},
      {"#undef __GNUC__", "ifdef __GNUC__", "no"},
      {"#if 0\n#define N 1\n#endif", "ifdef N", "no"},
      {"#if 1\n#define N 1\n#else\n#define N 0\n#endif", "if N", "yes"},
      {"", "ifdef __cplusplus", "no"},
      {"", "ifdef _OPENMP", "unclear"},
      {"", "if __STDC_VERSION__ >= 201112L", "unclear"},
      {"", "if 0 && __GNUC__", "no"},
      {"", "if __GNUC__ || 1", "yes"},
      {"", "if defined __GNUC__ && 0", "no"},
      {"", "if defined M_PI", "yes"},
      {"", "if defined M_PIl", "unclear"},
      {"", "if M_PI > 3", "unclear"},
      {"", "ifndef PATH_MAX", "unclear"},
      {"", "ifdef unix", "unclear"},
      {"#include <math.h>", "ifdef N", "no"},
      {"#include \"mine.h\"", "ifdef N", "unclear"},
      {"#include <complex.h>", "ifdef N", "unclear"},
      {"", "if 1u", "unclear"},
      {"", "if 'a' == 97", "unclear"},
      {"", "if 1 / 0", "unclear"},
      {"", "if 9223372036854775807 + 1", "unclear"},
      {"", "if 99999999999999999999", "unclear"},
      {"", "if 1 << 63", "unclear"},
      {"", "if 1 1", "unclear"},
      {"", "if (1", "unclear"},
      {"", "if", "unclear"},
      {"", "if defined", "unclear"},
      {"", "if __has_include(<math.h>)", "unclear"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    condition_is(cases[i].before, cases[i].condition, false, cases[i].want);
  condition_is("", "ifdef N", true, "unclear");
  condition_is("", "if N", true, "unclear");
  condition_is("", "ifdef M_PI", true, "unclear");
  condition_is("#define N 0", "if N", true, "no");
  condition_is("#undef N", "if N", true, "no");
}

static void test_given(void) {
  ok(!op2i_kernel_given("cc", "-O3 -march=native -I/a-Db", "#include <math.h>\n"), "plain flags");
  ok(!op2i_kernel_given(NULL, NULL, ""), "none");
  ok(op2i_kernel_given("cc", "-O3 -DN=3", ""), "a flag defines");
  ok(op2i_kernel_given("cc", "'-UN'", ""), "or forgets");
  ok(op2i_kernel_given("cc", "-O2 -std=c11", ""), "or chooses a dialect");
  ok(!op2i_kernel_given("cc", "-O2 -std=gnu17", ""), "but not one of GNU");
  ok(op2i_kernel_given("cc -include a.h", "-O3", ""), "or includes");
  ok(op2i_kernel_given("cc", "", "#include <math.h>\n#include \"a.h\"\n/* x */\n"), "a header");
}

static void test_errors(void) {
  tokens_are("a\n/* b\nc", "error, line 2: a comment begins here and never ends",
             "endless comment");
  tokens_are(
      "a\n\"b\nc\"",
      "error, line 2: a string or character constant begins here and does not end on its line",
      "endless string");
  tokens_are(
      "'", "error, line 1: a string or character constant begins here and does not end on its line",
      "endless character");
  tokens_are("a\n#if A\nb", "error, line 2: a conditional begins here and has no #endif",
             "#if without #endif");
  tokens_are("a\n\n#endif", "error, line 3: an #endif without #if", "#endif without #if");
  tokens_are("#else", "error, line 1: an #else or #elif without #if", "#else without #if");
}

static bool listed(const char *words, const char *word, size_t length) {
  for (const char *at = words; *at; at = strchr(at, ' ') + 1)
    if (strncmp(at, word, length) == 0 && at[length] == ' ') return true;
  return false;
}

/* Each word of the language is reserved; longer or shorter words are not. */
static void test_reserved(void) {
  static const char words[] =
      "auto break case char const continue default do double else enum extern float for goto if "
      "inline int long register restrict return short signed sizeof static struct switch typedef "
      "union unsigned void volatile while asm typeof _Alignas _Alignof _Atomic _Bool _Complex "
      "_Generic _Imaginary _Noreturn _Static_assert _Thread_local __alignof__ __asm__ __attribute "
      "__attribute__ __builtin_offsetof __complex__ __const __extension__ __inline __inline__ "
      "__int128 __restrict __restrict__ __signed__ __thread __typeof __typeof__ __volatile__ ";
  int missed = 0, mistaken = op2i_word_reserved("", 0);
  for (const char *at = words; *at; at = strchr(at, ' ') + 1) {
    char word[32];
    size_t length = strcspn(at, " ");
    snprintf(word, sizeof word, "%.*sz", (int)length, at);
    missed += !op2i_word_reserved(at, length);
    mistaken += op2i_word_reserved(word, length + 1);
    for (size_t l = 1; l < length; l++)
      mistaken += op2i_word_reserved(at, l) && !listed(words, at, l);
  }
  ok(missed == 0, "every reserved word is known");
  ok(mistaken == 0, "and no other");
}

/* ---- units ----------------------------------------------------------------------------------- */

/* Items as "F name", "P name", "O". */
static void items_are(const char *source, const char *want, const char *name) {
  struct op2i_unit unit;
  char got[1024] = "";
  op2_status status = op2i_unit_read(source, false, &unit);
  if (status) snprintf(got, sizeof got, "error, line %d: %s", unit.wrong_line, unit.wrong);
  for (int i = 0; !status && i < unit.nitems; i++) {
    const struct op2i_item *item = &unit.items[i];
    size_t at = strlen(got);
    const struct op2i_token *t =
        item->kind == OP2I_ITEM_OTHER ? NULL : &unit.tokens.list[unit.code[item->name]];
    snprintf(got + at, sizeof got - at, "%s%c%s%.*s", i ? "; " : "", " FPO"[item->kind],
             t ? " " : "", t ? (int)(t->end - t->begin) : 0, t ? source + t->begin : "");
  }
  is_str(got, want, "%s", name);
  op2i_unit_free(&unit);
}

static void test_items(void) {
  items_are("void f(int a) { } static double g(void) { return 1; }", "F f; F g", "functions");
  items_are("double g(double); void f(void) { }", "P g; F f", "a prototype");
  items_are("typedef double real; struct s { double a; }; enum { A, B }; int x = 3, y[2] = {1, 2};",
            "O; O; O; O", "types and variables");
  items_are("struct s { int a; } g(int b) { struct s t = {b}; return t; }", "F g",
            "a function of a new structure");
  items_are("typedef void fn(int); void (*p)(int); int a[3];", "O; O; O",
            "names of function types are no functions");
  items_are("__attribute__((unused)) static void f(int a) __attribute__((hot)); void f(int a) { }",
            "P f; F f", "attributes before and behind");
  items_are("EXPORT(3) void f(int a) NOTHROW(x) { }", "F f", "macros before and behind");
  items_are("static API(x) double *f(int a) { return 0; }", "F f", "a macro after a specifier");
  items_are("void f(int a[4], void (*g)(int), double (*h)[2]) { if (a) { } }", "F f",
            "parentheses among parameters");
  items_are(";;", "O; O", "stray semicolons");
  items_are("#if A\nvoid f(int a) {\n#else\nvoid f(double a) {\n#endif\n}", "F f",
            "two heads of one body");
  items_are("void f(void) {\n if (1) {\n}\n", "error, line 1: unbalanced: this '{' has no '}'",
            "a brace too few");
  items_are("void f(void) {\n}\n}\n", "error, line 3: unbalanced: this '}' closes nothing",
            "a brace too many");
  items_are("void f(int a[2) { }", "error, line 1: unbalanced: this '[' has no ']'",
            "crossed brackets");
}

/* Check what the tokens of name `x` refer to, in order: N none, L local, F file, ? free. */
static void roles_are(const char *source, const char *want, const char *name) {
  struct op2i_unit unit;
  char got[64] = "error";
  if (!op2i_unit_read(source, false, &unit)) {
    size_t n = 0;
    for (int64_t t = 0; t < unit.tokens.count && n + 1 < sizeof got; t++)
      if (op2i_token_is(&unit.tokens, t, "x")) got[n++] = "NLF?"[unit.roles[t]];
    got[n] = '\0';
  }
  is_str(got, want, "%s", name);
  op2i_unit_free(&unit);
}

static void test_roles(void) {
  roles_are("void f(double *a) { a[0] = x; }", "?", "declared nowhere");
  roles_are("void f(double *x) { x[0] = 1; }", "NL", "a parameter");
  roles_are("void f(int a) { a = x; int x = 2; a = x; }", "?NL",
            "a local, from its declaration on");
  roles_are("void f(int a) { int x = x; }", "NL", "which includes its own initialiser");
  roles_are("void f(int a) { { double b, *x, c[2]; b = *x; } a = x; }", "NL?",
            "to the end of its block");
  roles_are("void f(int a) { for (int x = 0; x < 2; x++) a += x; a = x; }", "NLLL?",
            "of a for statement");
  roles_are("void f(int a) { for (int x = 0; x < 2; x++) { a += x; } a = x; }", "NLLL?",
            "and one with a block");
  roles_are("void f(int a) { if (a) a = x; else { int x = 1; a = x; } a = x; }", "?NL?",
            "of a branch");
  roles_are("void f(int a) { while (a) { real x = 1; a = x; } do { const real *x = 0; a = *x; } "
            "while (x); }",
            "NLNL?", "of types the source does not define");
  roles_are("void f(struct s *a) { a->x = x; a[0].x = x; }", "N?N?", "members");
  roles_are("void f(int a) { struct s b = {.x = x, .y = {x}}; }", "N??", "designators");
  roles_are("void f(int a) { struct { double x; } b; enum { y = x }; b.x = x; }", "N?N?",
            "members of a local type");
  roles_are("void f(int a) { enum { x = 3 }; a = x; }", "NL", "an enumerator");
  roles_are("void f(int a) { goto x; x: a = x; }", "NN?", "labels");
  roles_are("void f(int a) { struct x *b; union x c; a = x; }", "NN?", "tags");
  roles_are("static int x = 3; void f(int a) { a = x; { extern int x; a = x; } }", "NFNF",
            "a variable of the source");
  roles_are("extern double x; void f(int a) { a = x; }", "N?", "one declared elsewhere");
  roles_are("enum { x }; typedef int y; void f(int a) { y b = x; { int x; x = 1; } }", "NFNL",
            "hidden again");
  roles_are("double x(double a) { return a; } void f(int a) { a = x(1); }", "NF",
            "a function of the source");
  roles_are("void f(int a) { a = y * x; y *x; a = x; }", "?NL", "a product and a declaration");
  roles_are("void f(int a) { a * x; }", "?", "a product of a parameter");
  roles_are("void f(int a) { double (*x)[2] = 0, (*y)(double x) = 0; a = x[0][0]; }", "NNL",
            "pointers to arrays, functions");
  roles_are("void f(int a) { double (*y)(double x) = 0; a = x; }", "N?",
            "parameters of what a pointer leads to");
  roles_are("void f(int a) { GLOBAL unsigned x = 1; a = x; }", "NL", "behind an unknown word");
  roles_are("void f(int a) { a = ({ int x = 1; x; }) + x; }", "NL?",
            "a statement in an expression");
  roles_are("void f(int a) { switch (a) { case x: a = 1; break; default: a = x; } }", "??",
            "a switch");
  roles_are("void f(int a) { if (a) real x = 1; else a = x; a = x; }", "N??",
            "a body without braces");
  roles_are("void f(int a, double b[x]) { a = sizeof(x) + a ? x : 1; }", "???",
            "extents, operators");
  roles_are("void f(int a) {\n#ifdef A\n a = x;\n#else\n a = 2 * x;\n#endif\n}", "??",
            "both branches of a conditional");
  roles_are("#define x 3\nvoid f(int a) { \"x\"; 'x'; /* x */ }", "",
            "directives, strings, comments");
  roles_are("void f(int a) { typedef double x; x b = 1; }", "NL", "a local type");
  roles_are("void f(int a) { _Generic(a, int: x); __typeof__(x) b = x; }", "???",
            "in type expressions");
  roles_are("void f(int x, int b) { int a = x; } void g(int a) { a = x; }", "NL?",
            "parameters end with their function");
  roles_are("void f(int (*x)(int x)) { x(1); } double g(double x); int h(int a) { return x; }",
            "NNLN?", "parameters of parameters and prototypes");
}

/* ---- random text ----------------------------------------------------------------------------- */

static const char rich[] =
    "/* a */ #include <math.h>\n#define Q(a) (a * \\\n 2)\n#if 1\ntypedef struct { double v[3], "
    "*w; } s_t;\n#else\nint '\n"
    "#endif\nstatic inline double h(const s_t *restrict s, int n) __attribute__((const));\n"
    "enum { A = 1, B };\nvoid k(const double *x[2], double (*y)[3], s_t z, ...) {\n  for (int i = "
    "0, *p = &i; i < 2; ++i) {\n"
    "    switch (i) { case 1: goto out; default: y[i][0] += x[0][i] ? .5e-3 : 'a'; }\n    do { s_t "
    "q = {.v = {1}}; } while (0);"
    "\n  }\n  if (z.v[0]) ; else { int a[] = {1, 2}, b; b = ({ int c = 1; c; }) + a[0]; }\nout:;\n "
    " (void)\"s\\\"\";\n}\n";

static bool survives(const char *text) {
  struct op2i_unit unit;
  op2_status status = op2i_unit_read(text, false, &unit);
  bool good =
      status == OP2_SUCCESS || (status == OP2_ERR_SYNTAX && unit.wrong && unit.wrong_line > 0);
  /* Tokens cover the text in order, with only blanks and comments between them. */
  size_t end = 0;
  for (int64_t t = 0; !status && t < unit.tokens.count; t++) {
    good = good && unit.tokens.list[t].begin >= end &&
           unit.tokens.list[t].end > unit.tokens.list[t].begin;
    end = unit.tokens.list[t].end;
  }
  good = good && end <= strlen(text);
  op2i_unit_free(&unit);
  return good;
}

static void test_anything(void) {
  size_t length = strlen(rich), failures = 0;
  char *text = malloc(length + 2);
  ok(survives(rich), "a rich source is read");
  for (size_t n = 0; n <= length; n++) {
    memcpy(text, rich, n);
    text[n] = '\0';
    failures += !survives(text);
  }
  is_int(failures, 0, "so is every beginning of it, or refused");
  failures = 0;
  for (size_t n = 0; n < length; n++) {
    memcpy(text, rich, n);
    strcpy(text + n, rich + n + 1);
    failures += !survives(text);
  }
  is_int(failures, 0, "and with any character missing");
  static const char others[] = "(){}[];,*=a1\"'#\n\\/. ";
  failures = 0;
  for (size_t n = 0; n < length; n++)
    for (const char *c = others; *c; c++) {
      strcpy(text, rich);
      text[n] = *c;
      failures += !survives(text);
    }
  is_int(failures, 0, "or changed");
  free(text);
}

static void test_depth(void) {
  enum { DEEP = 200000 };
  char *text = malloc(2 * DEEP + 64);
  strcpy(text, "void f(void) {");
  memset(text + 14, '{', DEEP);
  memset(text + 14 + DEEP, '}', DEEP);
  strcpy(text + 14 + 2 * DEEP, "}");
  struct op2i_unit unit;
  is_int(op2i_unit_read(text, false, &unit), OP2_ERR_SYNTAX, "very deep nesting is refused");
  is_str(unit.wrong, "brackets are nested more than 1000 deep", "with a reason");
  op2i_unit_free(&unit);
  free(text);
}

/* n statements, each within the one before it. */
static op2_status read_nested(const char *open, int n, struct op2i_unit *unit, char **text) {
  size_t length = strlen(open);
  *text = malloc(length * (size_t)n + 64);
  strcpy(*text, "void f(int a) { ");
  char *at = *text + strlen(*text);
  for (int i = 0; i < n; i++, at += length) memcpy(at, open, length);
  strcpy(at, "a++; }");
  return op2i_unit_read(*text, false, unit);
}

static void test_statements(void) {
  static const char *const opens[] = {
      "if (a) ", "if (a) ; else while (a) ", "for (int b;;) ", "while (a) ",
      "do ",     "switch (a) case 1: "};
  enum { DEEP = 200000, FITS = 450 };
  for (size_t i = 0; i < sizeof opens / sizeof opens[0]; i++) {
    struct op2i_unit unit;
    char *text;
    is_int(read_nested(opens[i], FITS, &unit, &text), OP2_SUCCESS, "%d times '%s'", (int)FITS,
           opens[i]);
    op2i_unit_free(&unit);
    free(text);
    is_int(read_nested(opens[i], DEEP, &unit, &text), OP2_ERR_SYNTAX, "and very deep");
    is_str(unit.wrong, "statements are nested more than 1000 deep", "with a reason");
    is_int(unit.wrong_line, 1, "and the line");
    op2i_unit_free(&unit);
    free(text);
  }
  struct op2i_unit unit;
  char *text;
  is_int(read_nested("if (a == 1) a = 2; else ", DEEP, &unit, &text), OP2_SUCCESS,
         "else if goes no deeper");
  op2i_unit_free(&unit);
  free(text);
}

int main(void) {
  test_kinds();
  test_directives();
  test_conditionals();
  test_conditions();
  test_given();
  test_errors();
  test_reserved();
  test_items();
  test_roles();
  test_anything();
  test_depth();
  test_statements();
  return done();
}
