/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels that have no vector form are refused with the reason. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile_case.h"
#include "lane_case.h"
#include "mem.h"
#include "tap.h"

static const struct {
  struct lane_kernel kernel;
  const char *why;
} refused[] = {
    {{"an unknown function", "Vd1", "void k(double *x) { x[0] = rand(); }"},
     "calls rand in line 1, which is not known"},
    {{"an unknown name", "Vd1", "void k(double *x) {\n x[0] = width; }"},
     "uses width in line 2, which is not known"},
    {{"a declaration in a switch of some", "Vd1 Vi1 ui",
      "void k(double *x, const int *i, int m) { switch (*i) {\ncase 0:; const double a = c2[m]; *x "
      "= "
      "a; } }"},
     "declares in line 2 what only some elements come to in a switch"},
    {{"a case in a branch", "ui Vd1",
      "void k(int n, double *x) { switch (n) { case 0: if (*x < 0) { case 1: *x = 2; } } }"},
     "has a case in line 1 that leads into another statement"},
    {{"a case in a loop", "ui Vd1",
      "void k(int n, double *x) { int i = 2; switch (n) { case 0: do {\n*x = 1; case 1: *x += 2; } "
      "while (i--); } }"},
     "has a case in line 2 that leads into another statement"},
    {{"a case for a statement", "ui Vd1",
      "void k(int n, double *x) { switch (n) { case 0: if (n) case 1: *x = 2; } }"},
     "has a case in line 1 that leads into another statement"},
    {{"a switch without braces", "ui Vd1",
      "void k(int n, double *x) { switch (n) case 1: *x = 2; }"},
     "has a case in line 1 that leads into another statement"},
    {{"a default outside", "ui Vd1", "void k(int n, double *x) { default: *x = n; }"},
     "has a case in line 1 that leads into another statement"},
    {{"goto", "Vd1", "void k(double *x) { goto end; end: *x = 1; }"},
     "has a goto or a label in line 1"},
    {{"a call of what is refused, in an argument", "Vd1",
      "static double f(double a) { goto end; end: return a; } void k(double *x) { *x = f(f(1)); }"},
     "has a goto or a label in line 1"},
    {{"a structure with a pointer", "Vd1",
      "struct s { const double *p; double a; };\nvoid k(double *x) { struct s s = {x, 1}; *x "
      "= s.a; }"},
     "uses a structure in line 2 that has a pointer or an array without extent in it"},
    {{"a structure with bits", "Vd1",
      "void k(double *x) {\n struct { unsigned a : 3, b : 5; } s = {1, 2}; *x = s.a; }"},
     "uses a structure in line 2 that has bit-fields"},
    {{"a structure with long double", "Vd1",
      "typedef struct { long double a; } s;\nvoid k(double *x) { s t = {1}; *x = "
      "(double)t.a; }"},
     "uses a structure in line 2 that has a member that is no number of a known type"},
    {{"a structure with an unnamed one", "Vd1",
      "typedef struct { struct { double a; }; } s;\nvoid k(double *x) { s t = {{1}}; *x = "
      "t.a; }"},
     "uses a structure in line 2 that has a member without a name"},
    {{"a structure that is too large", "Vd1",
      "struct s { double a[65]; };\nvoid k(double *x) { struct s s = {{1}}; *x = s.a[0]; }"},
     "uses a structure in line 2 that has more than 64 numbers in it"},
    {{"a structure without members", "Vd1",
      "struct s;\nvoid k(double *x) { struct s *s = 0; *x = s != 0; }"},
     "uses a structure in line 2 that is declared without its members"},
    {{"a union of two sizes", "Vd1",
      "typedef union { double d; float f; } bits;\nvoid k(double *x) { bits b = {*x}; *x = b.f; }"},
     "uses a union in line 2 that has members that are not numbers of one size"},
    {{"a structure by number", "Vd2 Vi1",
      "struct s { double a; }; void k(double *x, const int *i) {\n struct s s[2] = {{x[0]}, "
      "{x[1]}}; x[0] = s[*i & 1].a; }"},
     "takes a structure in line 2 by a number that differs between elements"},
    {{"a member that is not there", "Vd1",
      "struct s { double a; }; void k(double *x) { struct s s = {1};\n *x = s.b; }"},
     "uses b in line 2, which is no member"},
    {{"a structure for a number", "Vd1",
      "struct s { double a; }; void k(double *x) { struct s s = {1};\n *x = s; }"},
     "needs a number in line 2 where there is none"},
    {{"another structure", "Vd1",
      "struct s { double a; }; struct t { double a; }; static double f(struct s s) { return "
      "s.a; }\nvoid k(double *x) { struct t t = {1}; *x = f(t); }"},
     "hands f something else than it takes in line 2"},
    {{"a structure without its braces", "Vd1",
      "struct s { double a[2], b; }; void k(double *x) {\n struct s s = {1, 2, 3}; *x = s.b; "
      "}"},
     "has an initializer in line 2 that cannot be followed"},
    {{"an assignment to what is returned", "Vd1",
      "struct s { double a[2]; }; static struct s f(void) { struct s s = {{1}}; return s; "
      "}\nvoid k(double *x) { f().a[0] = 1; *x = 2; }"},
     "assigns to no variable in line 2"},
    {{"complex numbers compared", "Vd2",
      "#include <complex.h>\nvoid k(double *x) { double complex z = x[0] + I;\n x[1] = z == "
      "1; }"},
     "applies '==' to a complex number in line 3"},
    {{"a function of complex numbers", "Vd2",
      "#include <complex.h>\nvoid k(double *x) {\n x[1] = creal(cexp(x[0] + I)); }"},
     "calls cexp in line 3, which is not known"},
    {{"complex long double", "Vd2",
      "void k(double *x) {\n long double _Complex z = x[0]; x[1] = z; }"},
     "uses '_Complex' in line 2"},
    {{"a complex condition", "Vd2",
      "#include <complex.h>\nvoid k(double *x) { double complex z = x[0];\n if (z) x[1] = 1; "
      "}"},
     "needs a number in line 3 where there is none"},
    {{"a table of complex numbers", "Vd2",
      "#include <complex.h>\nstatic const double complex t[1] = {2};\nvoid k(double *x) { "
      "x[1] = creal(t[0]); }"},
     "uses t in line 3, which is not known"},
    {{"a member", "Vd1", "void k(double *x) { x[0].a = 1; }"},
     "takes a member in line 1 of what is no structure"},
    {{"a static variable", "Vd1", "void k(double *x) { static int n; *x = n++; }"},
     "has a static variable in line 1"},
    {{"volatile", "Vd1", "void k(double *x) { volatile double t = *x; *x = t; }"},
     "uses 'volatile' in line 1"},
    {{"an unknown word before a type", "Vd1",
      "void k(double *x) { const GLOBAL double t = 1; *x = t; }"},
     "uses GLOBAL in line 1, which is not known"},
    {{"an attribute", "Vd1",
      "void k(double *x) { float t __attribute__((mode(DF))) = 1; *x = t; }"},
     "uses '__attribute__' in line 1"},
    {{"many levels", "Vd1", "void k(double *x) {\n double t[1][1][1][1][1]; *x = 1; }"},
     "has more than 4 levels of pointers and arrays in line 2"},
    {{"a function declared", "Vd1", "void k(double *x) { double f(void); *x = f(); }"},
     "declares a function in line 1"},
    {{"long double", "Vd1", "void k(double *x) { long double t = *x; *x = t; }"},
     "uses long double in line 1"},
    {{"inline assembly", "Vd1", "void k(double *x) { __asm__(\"nop\"); *x = 1; }"},
     "uses '__asm__' in line 1"},
    {{"a text", "Vd1", "void k(double *x) { *x = \"a\"[0]; }"},
     "has '\"a\"' in line 1, which cannot be followed"},
    {{"recursion", "Vd1",
      "static double f(double a);\nstatic double g(double a) { return f(a); }\nstatic double "
      "f(double "
      "a) { return a > 0 ? g(a - 1) : a; }\nvoid k(double *x) { *x = f(*x); }"},
     "has a function in line 3 that calls itself"},
    {{"a pointer by number", "Vd4 Vi1",
      "void k(double *x, const int *i) { double *p = x + *i; *p = 1; }"},
     "has a pointer in line 1 that differs between elements"},
    {{"a pointer by number that moves", "Vd4 Vi1",
      "void k(double *x, const int *i) { const double *p = x + (*i & 1); *x = *p++; }"},
     "has a pointer in line 1 that differs between elements"},
    {{"a pointer by number, its array hidden", "Vd4 Vi1",
      "void k(double *x, const int *i) { const double *p = x + (*i & 1); { double x[2] = {1, 2}; "
      "x[0] "
      "+= p[1]; } }"},
     "has a pointer in line 1 that differs between elements"},
    {{"a row by number handed on", "Vd4 Vi1",
      "static double f(const double *a) { return *a; } void k(double *x, int *i) { double m[2][2] "
      "= "
      "{{x[0], x[1]}, {x[2], x[3]}}; x[0] = f(m[*i & 1]); }"},
     "has a pointer in line 1 that differs between elements"},
    {{"a row by number kept", "Vd3x2 Vi1",
      "void k(double **x, int *i) { const double *p = x[*i & 1]; *x[2] = p[0]; }"},
     "has a pointer in line 1 that differs between elements"},
    {{"a pointer of two handed on", "Vd2 Vd2",
      "static double f(const double *a) { return *a; } void k(double *x, double *y) { const double "
      "*p = *x > 0 ? x : y; *x = f(p); }"},
     "has a pointer in line 1 that differs between elements"},
    {{"a pointer of two, one of them hidden", "Vd2 Vd2",
      "void k(double *x, double *y) { const double *p = *x > 0 ? x : y; { double y[1] = {3}; *x = "
      "p[1] + y[0]; } }"},
     "has a pointer in line 1 that differs between elements"},
    {{"a pointer of two that moves", "Vd2 Vd2",
      "void k(double *x, double *y) { const double *p = *x > 0 ? x : y; *x = *p++; }"},
     "has a pointer in line 1 that differs between elements"},
    {{"a pointer by condition", "Vd2",
      "void k(double *x) { const double *p = x; if (*x > 0) p = x + 1; x[1] = *p; }"},
     "has a pointer in line 1 that differs between elements"},
    {{"a pointer to one of two", "Vd2", "void k(double *x) { *(*x > 0 ? x : x + 1) = 1; }"},
     "has a pointer in line 1 that differs between elements"},
    {{"a pointer to the same or not", "Vd1 ud1 ui",
      "void k(double *x, double *g, int n) { double *p = n ? x : g; *x = *p; }"},
     "needs what g points to to differ between elements in line 1, and it is the same"},
    {{"storing to what is the same", "Vd1 ud1", "void k(double *x, double *g) { *g = *x; }"},
     "needs what g points to to differ between elements in line 1, and it is the same"},
    {{"a constant handed on with elements' values", "Vd4 ui",
      "void k(double *x, int n) { const double *p = n ? x : c2; x[0] = p[1]; }"},
     "uses c2 in line 1 where values differ between elements"},
    {{"a constant assigned to", "Vd1", "void k(double *x) { c1 = *x; }"},
     "assigns to c1 in line 1, which is a constant"},
    {{"assigning in an operand", "Vd2", "void k(double *x) { x[0] > 0 && (x[1] = 3); }"},
     "assigns in an operand of '&&' in line 1 that some elements skip"},
    {{"storing in an operand", "Vd2",
      "static double f(double *y) { return *y = 2; } void k(double *x) { x[0] = x[0] > 0 ? f(x + "
      "1) : "
      "0; }"},
     "assigns in an operand of '?:' in line 1 that some elements skip"},
    {{"assigning in the place", "Vd3",
      "void k(double *x) { int i = 0; if (x[2] > 0) { int j = 0; x[j++] = 2; } x[i++] += 1.5f; }"},
     "assigns within the place assigned to in line 1"},
    {{"an array of unknown extent", "Vd1 ui", "void k(double *x, int n) { double t[n]; *x = 1; }"},
     "has an array in line 1 whose extent is not known"},
    {{"a conversion of pointers", "Vd1", "void k(double *x) { *x = *(float *)x; }"},
     "converts a pointer in line 1"},
    {{"a compound literal", "Vd1", "void k(double *x) { *x = ((double[2]){1, 2})[1]; }"},
     "has '{' in line 1, which cannot be followed"},
    {{"a statement as expression", "Vd1", "void k(double *x) { *x = ({ 1.0; }); }"},
     "has '(' in line 1, which cannot be followed"},
    {{"a conditional of the preprocessor", "Vd1",
      "#ifdef __GNUC__\n#define B 1\n#endif\nvoid k(double *x) { *x = 1; }"},
     "has a preprocessor line (1) on which its meaning may depend"},
    {{"a function twice", "Vd1",
      "static double f(void) { return 1; }\nstatic double f(void) { return 2; }\nvoid k(double *x) "
      "{ *x = f(); }"},
     "defines f twice, again in line 2"},
    {{"the kernel twice", "Vd1", "void k(double *x) { *x = 1; }\nvoid k(double *x) { *x = 2; }"},
     "defines k twice, again in line 2"},
    {{"a macro of its name", "Vd1", "#define k other\nvoid k(double *x) { *x = 1; }"},
     "has a macro of its own name"},
    {{"a macro that pastes", "Vd1",
      "#define TO(a) x##a\nvoid k(double *x) { double x1 = 2;\n*x = TO(1); }"},
     "uses the macro TO in line 3, which makes words or strings of its arguments"},
    {{"a macro that quotes", "Vd1", "#define Q(a) #a\nvoid k(double *x) { *x = Q(1)[0]; }"},
     "uses the macro Q in line 2, which makes words or strings of its arguments"},
    {{"a variadic macro", "Vd1",
      "#define F(...) fmax(__VA_ARGS__)\nvoid k(double *x) { *x = F(*x, 1); }"},
     "uses the macro F in line 2, which takes any number of arguments"},
    {{"too few arguments", "Vd1", "#define F(a, b) (a + b)\nvoid k(double *x) { *x = F(1); }"},
     "uses the macro F in line 2, with another number of arguments than it takes"},
    {{"a macro that never closes", "Vd1",
      "#define F(a) (a)\n#define G F(\nvoid k(double *x) { *x = G 1; }"},
     "uses the macro F in line 3, with another number of arguments than it takes"},
    {{"arguments parted", "Vd1",
      "#define F(a) (a)\nvoid k(double *x) { *x = F(\n#if 1\n1\n#endif\n); }"},
     "uses the macro F in line 2, whose arguments are parted by preprocessor lines"},
    {{"a macro of a constant's name", "Vd1", "#define c1 3\nvoid k(double *x) { *x = c1; }"},
     "defines c1, which is a constant of the loop"},
    {{"a pragma of meaning", "Vd1",
      "void k(double *x) {\n#pragma STDC FP_CONTRACT ON\n*x = *x * 2 + 1; }"},
     "has a pragma in line 2 which may change what it computes"},
    {{"an optimisation", "Vd1",
      "#pragma GCC optimize(\"fast-math\")\nvoid k(double *x) { *x += 1; }"},
     "has a pragma in line 1 which may change what it computes"},
    {{"a macro of others taken back", "Vd1",
      "#undef M_PI\nvoid k(double *x) { double M_PI = 3; *x = M_PI; }"},
     "takes back M_PI in line 1, which others may define"},
    {{"an error", "Vd1", "#error no\nvoid k(double *x) { *x += 1; }"},
     "has a preprocessor line (1) on which its meaning may depend"},
    {{"a table without braces", "Vd1",
      "static const double t[2][2] = {1, 2, 3, 4};\nvoid k(double *x) { *x = t[1][0]; }"},
     "uses t in line 2, which is not known"},
    {{"a table that is no constant", "Vd1",
      "static double t[2] = {1, 2};\nvoid k(double *x) { *x = t[1]; }"},
     "uses t in line 2, which is not known"},
    {{"a table of another file", "Vd1",
      "extern const double t[2];\nvoid k(double *x) { *x = t[1]; }"},
     "uses t in line 2, which is not known"},
    {{"a table declared later", "Vd1",
      "void k(double *x) { *x = c1; }\nstatic const double c1 = 2;\n"},
     "uses c1 in line 1, which is not known"},
    {{"a variable of an enumeration", "Vd1",
      "enum way { A, B };\nvoid k(double *x) { enum way w = B; *x = w; }"},
     "uses 'enum' in line 2"},
    {{"truth without its header", "Vd1", "void k(double *x) { *x = true; }"},
     "uses true in line 1, and includes no header that knows it"},
    {{"a limit without its header", "Vd1", "void k(double *x) { *x = INT_MAX; }"},
     "uses INT_MAX in line 1, and includes no header that knows it"},
    {{"a function without its header", "Vi1", "void k(int *x) { *x = abs(*x); }"},
     "calls abs in line 1, and includes no header that knows it"},
    {{"a function of a header", "Vd2",
      "#include <string.h>\nvoid k(double *x) { x[0] = strlen(\"a\"); }"},
     "calls strlen in line 2, which is not known"},
    {{"memcpy without its header", "Vd2", "void k(double *x) { memcpy(x, x + 1, 8); }"},
     "calls memcpy in line 1, and includes no header that knows it"},
    {{"memcpy of an unknown number", "Vd2 ui",
      "#include <string.h>\nvoid k(double *x, int n) { memcpy(x, x + 1, 8 * n); }"},
     "calls memcpy in line 2 for what is no known number of numbers of one type"},
    {{"memcpy of a part", "Vd2", "#include <string.h>\nvoid k(double *x) { memcpy(x, x + 1, 4); }"},
     "calls memcpy in line 2 for what is no known number of numbers of one type"},
    {{"memcpy of another type", "Vd2 Vl2",
      "#include <string.h>\nvoid k(double *x, int64_t *l) { memcpy(x, l, 8); }"},
     "calls memcpy in line 2 for what is no known number of numbers of one type"},
    {{"memcpy of more than there is", "Vd4",
      "#include <string.h>\nvoid k(double *x) { double t[3]; memcpy(t, x, 32); }"},
     "calls memcpy in line 2 for more than an array has"},
    {{"memcpy of very many", "Vd4",
      "#include <string.h>\nvoid k(double *x) { double t[300]; memcpy(t, x, sizeof t); }"},
     "calls memcpy in line 2 for more than 256 values"},
    {{"memcpy that steps", "Vd2",
      "#include <string.h>\nvoid k(double *x) { memcpy(x++, x + 1, 8); }"},
     "calls memcpy in line 2 with an argument that does more than lead there"},
    {{"memset of ones", "Vd2", "#include <string.h>\nvoid k(double *x) { memset(x, 1, 8); }"},
     "calls memset in line 2 with other arguments than it is known with"},
    {{"the size of nothing", "Vd1", "void k(double *x) { *x = sizeof(void); }"},
     "asks in line 1 for a size that is not known"},
    {{"a header of its own", "Vd1", "#include \"mine.h\"\nvoid k(double *x) { *x = 1; }"},
     "includes \"mine.h\" in line 1, which may define anything"},
    {{"a type of its own", "Vd1",
      "typedef enum { FIRST } pair;\nvoid k(double *x) { pair p; *x = 1; }"},
     "uses pair in line 2, which is not known"},
    {{"a variable of the file", "Vd1", "static double n;\nvoid k(double *x) { *x = n; }"},
     "uses n in line 2, which is not known"},
    {{"a variable of the file with a constant's name", "Vd1",
      "static double c1;\nvoid k(double *x) { *x = c1; }"},
     "uses c1 in line 2, which is not known"},
    {{"something else handed on", "Vd1 Vi1",
      "static double f(const double *a) { return *a; } void k(double *x, int *i) { *x = f(i); }"},
     "hands f something else than it takes in line 1"},
    {{"the wrong number of arguments", "Vd1", "void k(double *x) { *x = pow(2.0); }"},
     "calls pow with 1 arguments in line 1"},
    {{"a function that returns a pointer", "Vd2",
      "static double *f(double *a) { return a + 1; } void k(double *x) { *f(x) = 1; }"},
     "calls a function defined in line 1 that returns no number"},
    {{"what isinf returns", "Vd1", "void k(double *x) { *x = isinf(*x) + 1; }"},
     "counts with what isinf returns in line 1"},
};

static void test_refused(void) {
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    struct op2i_text out = {0}, why = {0};
    bool translated = lane_translate(&refused[i].kernel, 4, &out, &why);
    ok(!translated && out.length == 0, "%s: nothing is appended", refused[i].kernel.name);
    is_str(why.chars ? why.chars : "", refused[i].why, "%s: the reason", refused[i].kernel.name);
    op2i_text_free(&out);
    op2i_text_free(&why);
  }
}

/* A kernel that needs vectors wider than the limit is refused; callers then ask for fewer lanes. */
static void test_widest(void) {
  static const struct lane_kernel narrow = {"f", "Vf1",
                                            "void k(float *x) { if (*x > 0) *x *= 2; }"},
                                  mixed = {"g", "Vf1", "void k(float *x) { *x *= 0.1; }"};
  for (int wide = 0; wide < 2; wide++) {
    struct op2i_text out = {0}, why = {0};
    ok(lane_translate_within(wide ? &mixed : &narrow, 16, 64, &out, &why) == !wide,
       "floats %sin vectors of 64 bytes", wide ? "and doubles not " : "");
    is_str(why.chars ? why.chars : "",
           wide ? "needs vectors of 128 bytes, and there are none longer than 64" : "",
           "and the reason");
    op2i_text_free(&out);
    op2i_text_free(&why);
  }
}

/* Kernels cut off anywhere must neither be accepted as complete nor crash the reader. */
static void test_cut(void) {
  static const char source[] =
      "static double f(const double *a, double b) { if (b > 0) return a[1]; return b; }"
      "void k(double *x) { double t[2] = {1, 2}; for (int i = 0; i < 2; i++) { switch (i) { case "
      "0: "
      "t[i] += f(x, (float)x[i]); break; default: ; } } x[0] = t[0] > 0 ? -t[1] : sqrt(*x); do "
      "x[1]++; "
      "while (0); }";
  int taken = 0;
  for (size_t cut = 0; cut + 1 < sizeof source - 100; cut++) {
    char text[sizeof source];
    struct op2i_text out = {0}, why = {0};
    memcpy(text, source, sizeof source);
    /* A character that is wrong at this position. */
    text[100 + cut] = text[100 + cut] == ' ' ? ' ' : '@';
    if (text[100 + cut] == ' ' || strchr("(){}[]", source[100 + cut]) ||
        !strncmp(source + 100 + cut, "k(", 2))
      continue;
    const struct lane_kernel kernel = {"cut", "Vd2", text};
    taken += lane_translate(&kernel, 4, &out, &why);
    op2i_text_free(&out);
    op2i_text_free(&why);
  }
  is_int(taken, 0, "a wrong character anywhere is not taken for sense");
}

/* ---- deeply nested kernels ------------------------------------------------------------------- */

/* A construct that is nested or repeated n times: `few` times it is accepted, `many` times it must
 * be refused without a crash of the reader. Macros circumvent the limit on brackets in the source
 * itself. */
static const struct {
  const char *name, *head, *open, *core, *close, *tail;
  int few, many;
  const char *why;
} deep[] = {
    {"else if", "void k(double *x) { ", "if (x[0] == 3) x[0] = 2; else ", "x[0] = 1;", "", " }",
     110, 9000, "statements nested too deep"},
    {"blocks in if", "void k(double *x) { ", "if (x[0] > 3) { ", "x[0] = 1;", " }", " }", 55, 900,
     "statements nested too deep"},
    {"loops", "void k(double *x) { ", "while (0) ", "x[0] = 1;", "", " }", 110, 900,
     "statements nested too deep"},
    {"parentheses", "#define O ((((((((((\n#define C ))))))))))\nvoid k(double *x) { x[0] = ", "O ",
     "x[0]", " C", "; }", 20, 6000, "nested too deep"},
    {"signs", "void k(double *x) { x[0] = ", "- ", "x[0]", "", "; }", 200, 100000,
     "nested too deep"},
    {"casts", "void k(double *x) { x[0] = ", "(float)", "x[0]", "", "; }", 400, 60000,
     "nested too deep"},
    {"a choice of many", "void k(double *x) { x[0] = ", "x[0] == 3 ? 2 : ", "1", "", "; }", 200,
     20000, "nested too deep"},
    {"choices in choices", "void k(double *x) { x[0] = ", "x[0] == 3 ? ", "1", ": 2", "; }", 200,
     20000, "nested too deep"},
    {"a sum", "void k(double *x) { x[0] = ", "x[0] + ", "1", "", "; }", 900, 30000,
     "nested too deep"},
    {"commas", "void k(double *x) { ", "x[0]++, ", "x[0]--", "", "; }", 900, 30000,
     "nested too deep"},
    {"a subscript", "void k(double *x) { x[", "0 + ", "0", "", "] = 1; }", 900, 60000,
     "nested too deep"},
    {"assignments", "void k(double *x) { ", "x[0] = ", "1", "", "; }", 300, 30000,
     "nested too deep"},
    {"calls", "void k(double *x) { x[0] = ", "sqrt(", "x[0]", ")", "; }", 200, 990,
     "nested too deep"},
    {"an initializer",
     "#define B {{{{{{{{{{\n#define D }}}}}}}}}}\nvoid k(double *x) { double t[1] = ", "B ", "1",
     " D", "; x[0] = t[0]; }", 0, 6000, "nested too deep"},
    {"a declarator", "#define A ((((((((((\n#define Z ))))))))))\nvoid k(double *x) { double ",
     "A ", "t", " Z", "; t = 1; x[0] = t; }", 20, 500, "nested too deep"},
    {"returns", "void k(double *x) { ", "if (x[0] > 3) return; ", "x[0] = 1;", "", " }", 110, 9000,
     "has too many statements that return"},
};

static char *repeat(const char *head, const char *open, const char *core, const char *close,
                    const char *tail, int n) {
  size_t once = strlen(open) + strlen(close);
  char *text = malloc(strlen(head) + strlen(core) + strlen(tail) + (size_t)n * once + 1);
  char *at = text + sprintf(text, "%s", head);
  for (int i = 0; i < n; i++) at += sprintf(at, "%s", open);
  at += sprintf(at, "%s", core);
  for (int i = 0; i < n; i++) at += sprintf(at, "%s", close);
  strcpy(at, tail);
  return text;
}

static char *deep_source(size_t i, int n) {
  return repeat(deep[i].head, deep[i].open, deep[i].core, deep[i].close, deep[i].tail, n);
}

static void test_deep(void) {
  for (size_t i = 0; i < sizeof deep / sizeof deep[0]; i++) {
    struct op2i_text out = {0}, why = {0};
    char *text = deep_source(i, deep[i].many);
    const struct lane_kernel kernel = {deep[i].name, "Vd1", text};
    ok(!lane_translate(&kernel, 4, &out, &why) && out.length == 0, "%s: %d are refused",
       deep[i].name, deep[i].many);
    bool told = why.chars && strstr(why.chars, deep[i].why);
    ok(told, "%s: the reason", deep[i].name);
    if (!told) diag("%s", why.chars ? why.chars : "none");
    op2i_text_free(&out);
    op2i_text_free(&why);
    free(text);
  }
}

/* Nesting that is accepted is within the compilers' limits. */
static void test_fitting(void) {
  for (size_t i = 0; i < sizeof deep / sizeof deep[0]; i++) {
    char *text = deep_source(i, deep[i].few);
    const struct lane_kernel kernel = {deep[i].name, "Vd1", text};
    for (const char *const *c = case_compilers; *c && deep[i].few; c++)
      if (case_have_compiler(*c)) lane_compare(*c, "-O0 -w -Wno-psabi", 4, 1, &kernel, NULL);
    free(text);
  }
}

/* Nesting adds up over functions: each is called deep within the previous one. */
static void test_deep_calls(void) {
  enum { FUNCTIONS = 20, TERMS = 200 };
  struct op2i_text source = {0}, out = {0}, why = {0};
  op2i_text_add(&source, "static double f%d(double a) { return a; }\n", (int)FUNCTIONS);
  for (int f = FUNCTIONS - 1; f >= 0; f--) {
    op2i_text_add(&source, "static double f%d(double a) { return f%d(a)", f, f + 1);
    for (int i = 0; i < TERMS; i++) op2i_text_add(&source, " + a");
    op2i_text_add(&source, "; }\n");
  }
  op2i_text_add(&source, "void k(double *x) { x[0] = f0(x[0]); }");
  const struct lane_kernel kernel = {"calls", "Vd1", source.chars};
  ok(!lane_translate(&kernel, 4, &out, &why), "calls deep within functions are refused");
  ok(why.chars && strstr(why.chars, "nested too deep"), "and the reason");
  op2i_text_free(&source);
  op2i_text_free(&out);
  op2i_text_free(&why);
}

int main(void) {
  test_refused();
  test_widest();
  test_cut();
  test_deep();
  test_fitting();
  test_deep_calls();
  return done();
}
