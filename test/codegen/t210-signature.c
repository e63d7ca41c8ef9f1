/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters of a kernel as its source declares them, faults that make a source unusable, and uses
 * of constants. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "mem.h"
#include "mesh.h"
#include "signature.h"
#include "tap.h"
#include "token.h"

/* A parameter as "name: TYPE depth [const] 'text'". */
static void show(const struct op2i_param *p, char *out, size_t room) {
  snprintf(out, room, "%s: %s %d%s '%s'", p->name, p->type ? op2i_type_name(p->type) + 4 : "?",
           p->depth, p->readonly ? " const" : "", p->type_text);
}

/* The single parameter of a kernel with this parameter list, after some file-scope text. */
static void param_is_after(const char *before, const char *list, const char *want) {
  struct op2i_signature s = {0};
  char source[512], got[256];
  snprintf(source, sizeof source, "%s\nvoid k(%s) { }", before, list);
  op2_status status = op2i_signature_parse(source, "k", false, &s);
  if (status)
    snprintf(got, sizeof got, "%s: %s", op2_status_name(status), op2_error_message());
  else if (s.nparams != 1)
    snprintf(got, sizeof got, "%d parameters", s.nparams);
  else
    show(&s.params[0], got, sizeof got);
  is_str(got, want, "%s%s%s", before, *before ? " " : "", list);
  op2i_signature_free(&s);
}

static void param_is(const char *list, const char *want) { param_is_after("", list, want); }

static void test_types(void) {
  param_is("double *x", "x: F64 1 'double *'");
  param_is("const float *x", "x: F32 1 const 'const float *'");
  param_is("float const *const x", "x: F32 1 const 'float const *const'");
  param_is("int x", "x: I32 0 'int'");
  param_is("const int x", "x: I32 0 const 'const int'");
  param_is("int8_t *x", "x: I8 1 'int8_t *'");
  param_is("int16_t *x", "x: I16 1 'int16_t *'");
  param_is("int32_t *x", "x: I32 1 'int32_t *'");
  param_is("int64_t *x", "x: I64 1 'int64_t *'");
  param_is("uint8_t *x", "x: U8 1 'uint8_t *'");
  param_is("uint16_t *x", "x: U16 1 'uint16_t *'");
  param_is("uint32_t *x", "x: U32 1 'uint32_t *'");
  param_is("uint64_t *x", "x: U64 1 'uint64_t *'");
  param_is("unsigned long long *x", "x: U64 1 'unsigned long long *'");
  param_is("long long int unsigned x", "x: U64 0 'long long int unsigned'");
  param_is("long *x", sizeof(long) == 8 ? "x: I64 1 'long *'" : "x: I32 1 'long *'");
  param_is("short int *x", "x: I16 1 'short int *'");
  param_is("unsigned short *x", "x: U16 1 'unsigned short *'");
  param_is("signed char *x", "x: I8 1 'signed char *'");
  param_is("unsigned char *x", "x: U8 1 'unsigned char *'");
  param_is("unsigned x", "x: U32 0 'unsigned'");
  param_is("size_t n", sizeof(size_t) == 8 ? "n: U64 0 'size_t'" : "n: U32 0 'size_t'");
  param_is("long double *x", "x: ? 1 'long double *'");
  param_is("double _Complex *x", "x: ? 1 'double _Complex *'");
  param_is("void *x", "x: ? 1 'void *'");
  param_is("real *x", "x: ? 1 'real *'");
  param_is("const real *x", "x: ? 1 const 'const real *'");
  param_is("struct point *x", "x: ? 1 'struct point *'");
  param_is("struct point p", "p: ? 0 'struct point'");
  param_is("void (*f)(double)", "f: ? 1 'void (*)(double)'");
}

static void test_declarators(void) {
  param_is("double x[4]", "x: F64 1 'double [4]'");
  param_is("double x[]", "x: F64 1 'double []'");
  param_is("double x[static const restrict 4]", "x: F64 1 'double [static const restrict 4]'");
  param_is("double *x[]", "x: F64 2 'double *[]'");
  param_is("double *x[4]", "x: F64 2 'double *[4]'");
  param_is("double **x", "x: F64 2 'double **'");
  param_is("const double *const *x", "x: F64 2 const 'const double *const *'");
  param_is("const double *restrict const x[3]",
           "x: F64 2 const 'const double *restrict const [3]'");
  param_is("double *const *restrict x", "x: F64 2 'double *const *restrict'");
  param_is("double x[][2]", "x: F64 1 'double [][2]'");
  param_is("double (*x)[2]", "x: F64 1 'double (*)[2]'");
  param_is("const double (*const x)[2]", "x: F64 1 const 'const double (*const)[2]'");
  param_is("double (*x[4])[2]", "x: F64 2 'double (*[4])[2]'");
  param_is("double *(x)", "x: F64 1 'double *()'");
  param_is("double (x)[4]", "x: F64 1 'double ()[4]'");
  param_is("double ***x", "x: F64 3 'double ***'");
  param_is("volatile double *x", "x: F64 1 'volatile double *'");
  param_is("register int x", "x: I32 0 'register int'");
  param_is("double *__restrict__ x", "x: F64 1 'double *__restrict__'");
  param_is("double *", ": F64 1 'double *'");
  param_is("const double *[2]", ": F64 2 const 'const double *[2]'");
  param_is("double [4]", ": F64 1 'double [4]'");
  param_is("int", ": I32 0 'int'");
  param_is("real", ": ? 0 'real'");
  param_is("double *x __attribute__((unused))", "x: F64 1 'double *'");
  param_is("__attribute__((aligned(8))) double *x", "x: F64 1 'double *'");
  param_is("GLOBAL double *x", "x: F64 1 'GLOBAL double *'");
  param_is("double /* of, x) { */ *x // here\n", "x: F64 1 'double *'");
}

static void test_names_of_types(void) {
  param_is_after("typedef double real;", "const real *x", "x: F64 1 const 'const real *'");
  param_is_after("typedef const double real;", "real *x", "x: F64 1 const 'real *'");
  param_is_after("typedef unsigned long long big;", "big x", "x: U64 0 'big'");
  param_is_after("typedef double real; typedef real scalar;", "scalar *x[2]",
                 "x: F64 2 'scalar *[2]'");
  param_is_after("typedef double vec[3];", "const vec x", "x: F64 1 const 'const vec'");
  param_is_after("typedef double vec[3];", "vec *x", "x: F64 1 'vec *'");
  param_is_after("typedef double *ptr;", "const ptr x", "x: F64 1 'const ptr'");
  param_is_after("typedef const double *ptr;", "ptr x[]", "x: F64 2 const 'ptr []'");
  param_is_after("typedef double real, vec[3], *ptr;", "vec x", "x: F64 1 'vec'");
  param_is_after("typedef double real, vec[3], *ptr;", "const ptr x", "x: F64 1 'const ptr'");
  param_is_after("typedef float *ptr, real;", "real x", "x: F32 0 'real'");
  param_is_after("typedef struct { double v, w; } a, *b; typedef unsigned char c, d[2];", "d x",
                 "x: U8 1 'd'");
  param_is_after("typedef struct { double v; } state;", "state *x", "x: F64 1 'state *'");
  param_is_after("typedef enum { A, B } mode;", "mode x", "x: ? 0 'mode'");
  param_is_after("#define real double", "real *x", "x: F64 1 'real *'");
  param_is_after("#define real scalar\n#define scalar float", "real *x", "x: F32 1 'real *'");
  param_is_after("#define IN const double *restrict", "IN x", "x: F64 1 const 'IN'");
  param_is_after("#define GLOBAL", "GLOBAL double *x", "x: F64 1 'GLOBAL double *'");
  param_is_after("#define real float\n#undef y\n#define real double", "real *x",
                 "x: F64 1 'real *'");
  param_is_after("#if 0\n#define real float\n#else\n#define real double\n#endif", "real *x",
                 "x: F64 1 'real *'");
  param_is_after("#define real(a) float\ntypedef double real;", "real *x", "x: F64 1 'real *'");
  param_is_after("#define real real", "real *x", "x: ? 1 'real *'");
  param_is_after("#define A B\n#define B A", "A *x", "x: ? 1 'A *'");
  param_is_after("#define A B B\n#define B A A", "A", "A: ? 0 ''");
  param_is_after("typedef a b; typedef b a;", "a *x", "x: ? 1 'a *'");
  param_is_after("#define PTR(t) t *", "const PTR(double) x",
                 "x: F64 1 const 'const PTR (double)'");
  param_is_after("#define ANY(...) double *", "ANY(1) x", ": ? 0 'ANY (1)x'");
  param_is_after("typedef struct s { double v[2]; } s, *ps;", "ps x", "x: F64 1 'ps'");
  param_is_after("typedef double real;\n#define real float", "real x", "x: F32 0 'real'");
  param_is_after("", "real x) { } typedef double real; void g(int y", "x: ? 0 'real'");
}

/* Check the properties of a parameter by which loops are checked and kernels called. */
static void shape_is(const char *before, const char *list, int extent, bool rows, bool foreign) {
  struct op2i_signature s = {0};
  char source[256];
  snprintf(source, sizeof source, "%s\nvoid k(%s) { }", before, list);
  CHECK(op2i_signature_parse(source, "k", false, &s));
  const struct op2i_param *p = &s.params[0];
  is_int(p->extent, extent, "%s%s%s: its extent", before, *before ? " " : "", list);
  ok(p->rows == rows, "leads to %srows", rows ? "" : "no ");
  ok(p->foreign == foreign, "is %snone of the library's types", foreign ? "" : "not surely ");
  op2i_signature_free(&s);
}

static void test_shapes(void) {
  shape_is("", "double x[4]", 4, false, false);
  shape_is("", "double *x[0x4u]", 4, false, false);
  shape_is("", "double x[2][3]", 6, false, false);
  shape_is("", "double x[][3]", 0, false, false);
  shape_is("", "double (*x)[3]", 0, false, false);
  shape_is("", "double (*x[4])[3]", 4, false, false);
  shape_is("#define N 3", "double x[static 2 * (N + 1) - 8 / 4]", 6, false, false);
  shape_is("", "double x[n]", 0, false, false);
  shape_is("", "double x[100000 * 100000]", 1 << 30, false, false);
  shape_is("", "double x[70000][70000]", 1 << 30, false, false);
  shape_is("typedef double vec[3];", "vec x", 3, false, false);
  shape_is("typedef double vec[3];", "vec *x", 0, true, false);
  shape_is("typedef double vec[3];", "vec x[2]", 6, true, false);
  shape_is("typedef double *ptr;", "ptr x[4]", 4, false, false);
  shape_is("typedef double *ptr[3];", "ptr x", 3, false, false);
  shape_is("typedef double *ptr[3];", "ptr *x", 0, true, false);
  shape_is("", "struct s *x", 0, false, true);
  shape_is("struct s { double x, y; };", "struct s *x", 2, true, false);
  shape_is("typedef struct { double a, b[2]; } s;", "const s *x", 3, true, false);
  shape_is("typedef struct p p; struct p { int32_t i; };", "p *x", 1, true, false);
  shape_is("struct a { float v[2]; }; struct b { struct a a, b; };", "struct b x[2]", 8, true,
           false);
  shape_is("typedef struct { float a; double b; } s;", "s *x", 0, false, true);
  shape_is("typedef struct { double a; } s;", "s **x", 0, false, true);
  shape_is("typedef struct { double a; } s;", "s x", 0, false, true);
  shape_is("typedef union { double a; } s;", "s *x", 0, false, true);
  shape_is("typedef struct { double a[3]; } __attribute__((aligned(32))) s;", "s *x", 0, false,
           true);
  shape_is("struct __attribute__((packed)) s { double a; };", "struct s *x", 0, false, true);
  shape_is("struct s { double a; } __attribute__((aligned(16)));", "struct s *x", 0, false, true);
  shape_is("struct s { _Alignas(16) double a; };", "struct s *x", 0, false, true);
  shape_is("", "union u x", 0, false, true);
  shape_is("", "void *x", 0, false, true);
  shape_is("", "_Bool x", 0, false, false);
  shape_is("", "long double *x", 0, false, true);
  shape_is("", "_Complex double *x", 0, false, true);
  shape_is("", "double (*x)(int)", 0, false, true);
  shape_is("", "enum e *x", 0, false, false);
  shape_is("", "real *x", 0, false, false);
}

static void test_lists(void) {
  struct op2i_signature s = {0};
  char got[256];
  CHECK(op2i_signature_parse("void k(void) { }", "k", false, &s));
  is_int(s.nparams, 0, "(void) is no parameter");
  op2i_signature_free(&s);
  CHECK(op2i_signature_parse("void k() { }", "k", false, &s));
  is_int(s.nparams, 0, "nor is ()");
  op2i_signature_free(&s);

  const char *source = "/* void k(int) { } */\n#define X \"void k(int) {\"\n"
                       "static inline double g(double a, int b);\n"
                       "struct k { double k; };\ntypedef double real;\n"
                       "double g(double a, int b) { return a * b; }\n"
                       "\n__attribute__((hot))\nstatic void\nk(const real *restrict x[4], double "
                       "(*f)(int, int), int n) {\n"
                       "  if (n) { x[0]; }\n}\nvoid k2(int a) { }\n";
  CHECK(op2i_signature_parse(source, "k", false, &s));
  is_int(s.nparams, 3, "commas in a parameter do not count");
  is_int(s.line, 10, "the line is that of the name");
  show(&s.params[0], got, sizeof got);
  is_str(got, "x: F64 2 const 'const real *restrict [4]'", "the first parameter among much else");
  show(&s.params[1], got, sizeof got);
  is_str(got, "f: ? 1 'double (*)(int, int)'", "the second");
  show(&s.params[2], got, sizeof got);
  is_str(got, "n: I32 0 'int'", "the third");
  op2i_signature_free(&s);
  ok(s.params == NULL && s.nparams == 0, "freed, and left empty");
  op2i_signature_free(&s);
  op2i_signature_free(NULL);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void refused(const char *source, const char *want) {
  struct op2i_signature s = {.line = 77};
  op2_status status = op2i_signature_parse(source, "k", false, &s);
  is_int(status, OP2_ERR_SYNTAX, "refused: %s", want);
  is_str(op2_error_message(), want, "with that message");
  ok(s.line == 77 && s.nparams == 0, "the output is untouched");
}

static void test_refusals(void) {
  refused("", "kernel 'k', lines 1 to 1: no function of this name (there is none at all)");
  refused("void a(int x) { }\nvoid b(int k) { }",
          "kernel 'k', lines 1 to 2: no function of this name (there is: a, b)");
  refused("// void k(int x) { }\nint k;",
          "kernel 'k', lines 1 to 2: no function of this name (there is none at all)");
  refused("\nvoid k(int);\nvoid k(int);",
          "kernel 'k', line 2: the function is declared here but its body is nowhere");
  refused("#if 0\nvoid k(int a) { }\n#endif",
          "kernel 'k', lines 1 to 3: no function of this name (there is none at all)");
  refused("\nint k(int x) { return x; }",
          "kernel 'k', line 2: a kernel returns void, this one 'int'");
  refused("static double\n*k(int x) { }",
          "kernel 'k', line 2: a kernel returns void, this one 'static double *'");
  refused("void *k(int x) { }", "kernel 'k', line 1: a kernel returns void, this one 'void *'");
  refused("void k(double *x,\n ...) { }", "kernel 'k', line 2: a kernel cannot take '...'");
  refused("void k(double *x,) { }", "kernel 'k', line 1: parameter 1 is empty");
  refused("void k(int x) {\n{\n", "kernel 'k', line 2: unbalanced: this '{' has no '}'");
  refused("void k(int x) {\n}\n}", "kernel 'k', line 3: unbalanced: this '}' closes nothing");
  refused("void k(int x {\n}", "kernel 'k', line 1: unbalanced: this '(' has no ')'");
  refused("void k(int x) { /* }", "kernel 'k', line 1: a comment begins here and never ends");
  refused("void k(int x) {\n \"}\n}", "kernel 'k', line 2: a string or character constant begins "
                                      "here and does not end on its line");
  refused("#define A double *x, int i\nvoid k(A) { }",
          "kernel 'k', line 2: parameter 0 ('A x') comes out of a macro that has several "
          "parameters: write them out, as op2 counts them before the preprocessor does");
  refused("#define A (double *x)\nvoid k A { }",
          "kernel 'k', line 2: its parameters come out of a macro: write them out, as op2 reads "
          "them before the preprocessor does");
  refused("#define N k\nvoid N(double *x) { }",
          "kernel 'k', line 1: its name comes out of a macro: write 'void k(...)', as op2 reads it "
          "before the preprocessor does");
  refused("\nvoid (k)(double *x) { }",
          "kernel 'k', line 2: its name stands in parentheses: write 'void k('");
  refused("\nextern \"C\" void k(double *x) { }",
          "kernel 'k', line 2: extern \"C\" is C++, and a kernel is C: leave it out, or put it "
          "between #ifdef __cplusplus and #endif");
  refused("extern \"C\" {\nvoid k(double *x) { }\n}",
          "kernel 'k', line 1: extern \"C\" is C++, and a kernel is C: leave it out, or put it "
          "between #ifdef __cplusplus and #endif");
  refused("void k(int i,\n const bool *x) { }",
          "kernel 'k', line 2: parameter 1 ('const bool * x') points to bool, which is no type of "
          "op2: take uint8_t, for a dat of OP2_U8");
  refused("void k(_Bool *x) { }",
          "kernel 'k', line 1: parameter 0 ('_Bool * x') points to bool, which is no type of op2: "
          "take uint8_t, for a dat of OP2_U8");
  param_is_after("typedef unsigned char bool;", "bool *x", "x: U8 1 'bool *'");
  param_is_after("#define A double *x", "A", "x: F64 1 'A'");
  param_is_after("#ifdef __cplusplus\nextern \"C\"\n#endif", "int x", "x: I32 0 'int'");
  refused("#if 1\nvoid k(int x) { }",
          "kernel 'k', line 1: a conditional begins here and has no #endif");
}

static void typeless(const char *body, int line, const char *name, bool automatic) {
  char source[256], want[256];
  snprintf(source, sizeof source, "void k(double *x) {\n%s }", body);
  snprintf(
      want, sizeof want,
      "kernel 'k', line %d: '%s' is declared without a type, so C makes it an int%s: write its "
      "type before it",
      line, name, automatic ? " (a kernel is C, where auto finds no types)" : "");
  refused(source, want);
}

/* Declarations without a type, which are int in C, and declarations that resemble them. */
static void test_typeless(void) {
  typeless("auto v = x[0];", 2, "v", true);
  typeless("for (auto i = 0.5; i < 2; i++) { }", 2, "i", true);
  typeless("x[0] = 1;\n{ const auto w = *x, u = 2.5; }", 3, "w", true);
  typeless("auto *p = x;", 2, "p", true);
  typeless("const v = x[0];", 2, "v", false);
  typeless("static v[3] = {1.5};", 2, "v", false);
  refused("static const pi = 3.14;\nvoid k(double *x) { *x = pi; }",
          "kernel 'k', line 1: 'pi' is declared without a type, so C makes it an int: write its "
          "type before it");
  param_is_after("typedef double real; double f(const real, const real);",
                 "const double *x) { const real a = 1; auto double b = 2; register int i = 3; "
                 "static const struct { int q; } c = {1}; const unsigned n = 3; } void g(int y",
                 "x: F64 1 const 'const double *'");
}

/* `piece` n times between two texts. */
static char *repeated(const char *before, const char *piece, int n, const char *behind) {
  char *text = malloc(strlen(before) + (size_t)n * strlen(piece) + strlen(behind) + 1);
  char *at = text + sprintf(text, "%s", before);
  for (int i = 0; i < n; i++) at += sprintf(at, "%s", piece);
  strcpy(at, behind);
  return text;
}

static void test_depth(void) {
  char *text = repeated("void k(int x) {\n", "if (x) ", 200000, "x = 1; }");
  refused(text, "kernel 'k', line 2: statements are nested more than 1000 deep");
  free(text);
  /* Brackets in macros are not counted as brackets of the source. */
  text = repeated("#define O ", "(", 60000, "\nvoid k(double O x) { }");
  struct op2i_signature s = {0};
  is_int(op2i_signature_parse(text, "k", false, &s), OP2_SUCCESS,
         "a parameter in a macro's parentheses");
  ok(s.nparams == 1 && s.params[0].type == 0, "is of no known type");
  op2i_signature_free(&s);
  free(text);
  param_is("double ((((((*x))))))", "x: F64 1 'double ((((((*))))))'");
}

static void test_memory(void) {
  const char *source =
      "#define real double\ntypedef real scalar;\nvoid k(const scalar *x, int n[2]) { }";
  struct op2i_signature s = {0};
  op2i_mem_fail_at(0);
  CHECK(op2i_signature_parse(source, "k", false, &s));
  int64_t allocations = op2i_mem_fail_at(0), wrong = 0;
  op2i_signature_free(&s);
  for (int64_t n = 1; n <= allocations; n++) {
    op2i_mem_fail_at(n);
    op2_status status = op2i_signature_parse(source, "k", false, &s);
    wrong += status != OP2_ERR_NOMEM || s.params;
    if (!status) op2i_signature_free(&s);
  }
  op2i_mem_fail_at(0);
  ok(allocations > 5, "parsing allocates");
  is_int(wrong, 0, "each allocation that fails is OP2_ERR_NOMEM, and leaves the output alone");
  ok(op2i_source_uses("void k(int a) { int c; c = 1; }", NULL, "c") == false, "hidden: not used");
  op2i_mem_fail_at(1);
  ok(op2i_source_uses("void k(int a) { int c; c = 1; }", NULL, "c"),
     "without memory to tell, taken for used");
  op2i_mem_fail_at(0);
}

static void test_uses(void) {
  ok(op2i_source_uses("void k(double *x) { x[0] = c; }", NULL, "c"), "a use");
  ok(op2i_source_uses("static double h(void) { return c; } void k(double *x) { x[0] = h(); }", NULL,
                      "c"),
     "in a helper");
  ok(op2i_source_uses("extern double c; void k(double *x) { x[0] = c; }", NULL, "c"),
     "of what is declared extern");
  ok(op2i_source_uses("void k(double *x) { { int c = 1; } x[0] = c; }", NULL, "c"),
     "behind a local of the name");
  ok(op2i_source_uses("void k(double *x) {\n#ifdef A\n x[0] = 1;\n#else\n x[0] = c;\n#endif\n}",
                      NULL, "c"),
     "in a branch that is not read");
  ok(!op2i_source_uses("void k(double *c) { c[0] = 1; }", NULL, "c"), "no use: a parameter");
  ok(!op2i_source_uses("void k(double *x) { double c = 1; x[0] = c; }", NULL, "c"), "a local");
  ok(!op2i_source_uses("void k(struct s *x) { x->c = x[0].c; }", NULL, "c"), "a member");
  ok(!op2i_source_uses("#define M c\nvoid k(double *x) { /* c */ x[0] = cc; \"c\"; 'c'; }", NULL,
                       "c"),
     "a macro, comment, string or longer name");
  ok(!op2i_source_uses("static const double c = 1; void k(double *x) { x[0] = c; }", NULL, "c"),
     "a variable of the source");
  ok(!op2i_source_uses("static double c(void) { return 1; } void k(double *x) { x[0] = c(); }",
                       NULL, "c"),
     "a function of it");
  ok(op2i_source_uses("#define B A\n#define A(x) (c * (x))\nvoid k(double *x) { x[0] = B(1); }",
                      NULL, "c"),
     "a use by a macro of a macro");
  ok(op2i_source_uses("#if 0\n#define A c\n#endif\nvoid k(double *x) { x[0] = A; }", NULL, "c"),
     "by a macro in a branch that is not read");
  ok(op2i_source_uses("#define A(n) c##n\nvoid k(double *x) { x[0] = A(1); }", NULL, "c1"),
     "by a macro that makes the name");
  ok(op2i_source_uses("void k(double *x) { x[0] = A; }",
                      "#define A c\nvoid k(double *x) { x[0] = A; }", "c"),
     "by a header's macro");
  ok(!op2i_source_uses("#define A(n) d##n\nvoid k(double *x) { x[0] = A(1); }", NULL, "c1"),
     "no use: a macro that makes another name");
  ok(!op2i_source_uses("#define A(c) (c)\n#define B \"c\" /* c */\n"
                       "void k(double *x) { x[0] = A(1) + B[0]; }",
                       NULL, "c"),
     "a macro's parameter, string or comment");
  ok(!op2i_source_uses("#define A(s) (s.c + (&s)->c)\nvoid k(struct t *x) { x->a = A(x[0]); }",
                       NULL, "c"),
     "a member in a macro");
  ok(!op2i_source_uses("static const double c = 1;\n#define A c\nvoid k(double *x) { x[0] = A; }",
                       NULL, "c"),
     "a macro of a variable of the source");
}

int main(void) {
  test_types();
  test_declarators();
  test_names_of_types();
  test_shapes();
  test_lists();
  test_refusals();
  test_typeless();
  test_depth();
  test_memory();
  test_uses();
  return done();
}
