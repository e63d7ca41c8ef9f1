/* SPDX-License-Identifier: BSD-3-Clause */
/* The C text that kernels of C++ programs become, and why others are refused. Text that is cut off
 * anywhere is read or refused, too. */
#include <stdio.h>
#include <string.h>

#include "cxx.h"
#include "mem.h"
#include "tap.h"

static bool constant(const char *name, int length) {
  return length == 3 && !memcmp(name, "gam", 3);
}

/* Turn kernel k of a text; blanks and line ends of the result become single blanks. Returns why
 * not, or null. */
static const char *turn(const char *source, const char *marks, bool flat, char *out, size_t room) {
  struct op2i_cxx_unit unit;
  struct op2i_text text = {0};
  struct op2i_cxx_request request = {"k", marks, constant, flat, NULL};
  const char *why = op2i_cxx_read(op2i_strdup(source), &unit);
  if (!why) why = op2i_cxx_translate(&unit, &request, &text);
  size_t n = 0;
  for (const char *at = text.chars; at && *at && n + 1 < room; at++) {
    char c = *at == '\n' ? ' ' : *at;
    if (c != ' ' || (n && out[n - 1] != ' ')) out[n++] = c;
  }
  out[n - (n && out[n - 1] == ' ')] = '\0';
  op2i_text_free(&text);
  op2i_cxx_free(&unit);
  return why;
}

static const struct {
  const char *name, *source, *marks, *text;
} turned[] = {
    {"plain C", "void k(const double *a, double *b) { *b = 2 * *a; }", "--",
     "void k (const double * a , double * b ) { * b = 2 * * a ; }"},
    {"const for what is only read", "inline void k(int *i, double *b) { *b = gam * *i; }", "c-",
     "void k (const int * i , double * b ) { * b = gam * * i ; }"},
    {"a null argument", "void k(double *a, double *b) { if (b) *a = *b; }", "-n",
     "void k (double * a ) { double * b = 0; if ( b ) * a = * b ; }"},
    {"comparisons with null",
     "void k(double *a, double *b) { if (b != __null && a != nullptr) *a = *b; }", "--",
     "void k (double * a , double * b ) { if ( b != 0 && a != 0 ) * a = * b ; }"},
    {"attributes",
     "static inline __attribute__((unused)) __attribute__((cold)) double f(double x) { return x; } "
     "[[maybe_unused]] static void k(double *a) { *a = f(1); }",
     "-",
     "static inline double f (double x ) { return x ; } void k (double * a ) { * a = f ( 1 ) ; }"},
    {"a reference",
     "static void f(double &x, const double &y) { x += y; } void k(double *a) { double t = 1; "
     "f(t, 2 * t); *a = t; }",
     "-",
     "static inline void f (double * x , const double y ) { (*x) += y ; } void k (double * a ) { "
     "double t = 1 ; f ( &( t ) , 2 * t ) ; * a = t ; }"},
    {"std::min and a cast", "void k(double *a) { *a = std::min(*a, double(3)); }", "-",
     "void k (double * a ) { * a = ( ( ( ( double ) ( 3 ) ) ) < ( * a ) ? ( ( ( double ) ( 3 ) ) ) "
     ": "
     "( * a ) ) ; }"},
    {"std::max", "void k(double *a) { *a = std::max(a[0], a[1]); }", "-",
     "void k (double * a ) { * a = ( ( a [ 0 ] ) < ( a [ 1 ] ) ? ( a [ 1 ] ) : ( a [ 0 ] ) ) ; }"},
    {"overloads of <cmath>",
     "void k(const float *f, double *d) { *d = sqrt(*f) + sqrt(*d) + pow(*f, 2) + abs(*d); }", "--",
     "void k (const float * f , double * d ) { * d = sqrtf (* f ) + sqrt (* d ) + pow (* f , 2 ) + "
     "fabs (* d ) ; }"},
    {"constants of the file",
     "static const int N = 2; constexpr double w[] = {1, 2}; typedef double real; enum { A, B };"
     " void k(real *a) { for (int i = 0; i < N; i++) a[i] = w[i] + B; }",
     "-",
     "typedef double real ; enum { N = 2 }; static const double w [ ] = { 1 , 2 } ; enum { A , B } "
     "; "
     "void k (real * a ) { for ( int i = 0 ; i < N ; i ++ ) a [ i ] = w [ i ] + B ; }"},
    {"a structure of numbers",
     "struct v { double x, y; }; double len(const v &a) { return a.x * a.y; } void k(double *o) { "
     "v "
     "a; a.x = 1; a.y = 2; *o = len(a); }",
     "-",
     "static inline double len (const double * a ) { return a [0] * a [1] ; } void k (double * o ) "
     "{ "
     "double a [2] ; a [0] = 1 ; a [1] = 2 ; * o = len ( a ) ; }"},
    {"bool", "void k(const bool *f, double *d) { bool g = true; *d = *f && g; }", "--",
     "void k (const unsigned char * f , double * d ) { _Bool g = 1 ; * d = * f && g ; }"},
    {"namespaces",
     "namespace { double f(double x) { return x; } } void k(double *d) { *d = f(1); }", "-",
     "static inline double f (double x ) { return x ; } void k (double * d ) { * d = f ( 1 ) ; }"},
    {"a name of a type", "using r = float; void k(r *a) { *a = sqrt(r(2)); }", "-",
     "typedef float r; void k (r * a ) { * a = sqrtf (( ( r ) ( 2 ) ) ) ; }"},
    {"names of the standard library",
     "static std::size_t f(std::int32_t n) { return std::size_t(n); } void k(std::int32_t *a) { *a "
     "= "
     "std::int32_t(f(*a)); }",
     "-",
     "static inline size_t f (int32_t n ) { return ( ( size_t ) ( n ) ) ; } void k (int32_t * a ) "
     "{ "
     "* "
     "a = ( ( int32_t ) ( f ( * a ) ) ) ; }"},
    {"values in braces", "void k(double *a) { double b{*a}, c[2]{}; int n{}; *a = b + c[n]; }", "-",
     "void k (double * a ) { double b = ( * a ) , c [ 2 ] = { 0 } ; int n = ( 0 ) ; * a = b + c [ "
     "n ] ; "
     "}"},
    {"local references",
     "void k(double *a) { double &b = a[1]; const double &c = b * 2; b = sqrt(c); }", "-",
     "void k (double * a ) { double * b = &( a [ 1 ] ) ; const double c = ( (*b) * 2 ) ; (*b) = "
     "sqrt "
     "(c ) ; }"},
    {"a local constant",
     "void k(double *a) { static const int n = 2 * 2; double b[n]; *a = b[0]; }", "-",
     "void k (double * a ) { enum { n = 2 * 2 } ; double b [ n ] ; * a = b [ 0 ] ; }"},
    {"a type of enumerators", "enum e : int { A, B }; void k(double *a) { e f = A; *a = f + B; }",
     "-", "enum e { A , B } ; void k (double * a ) { int f = A ; * a = f + B ; }"},
    {"several constants", "const double g = 1, h = 2; void k(double *a) { *a = h; }", "-",
     "static const double g = 1 , h = 2 ; void k (double * a ) { * a = h ; }"},
    {"linkage of C",
     "extern \"C\" double f(double x) { return x; } void k(double *d) { *d = f(1); }", "-",
     "static inline double f (double x ) { return x ; } void k (double * d ) { * d = f ( 1 ) ; }"},
};

static const char plain[] = "const char *s = R\"x(a \"b\" { 1'0 )x\"; void k(double *y) { y[0] = "
                            "1'000.5 + 0x1'0 + '1' + L'\\''; }";
static const char of_plain[] =
    "const char *s = \"\"; void k(double *y) { y[0] = 1000.5 + 0x10 + '1' + L'\\''; }";

static const struct {
  const char *name, *source, *why;
} refused[] = {
    {"a print", "void k(double *a) { printf(\"x\"); }", "'printf' is neither a constant nor"},
    {"a variable of the program", "double g; void k(double *a) { *a = g; }", "'g' is neither"},
    {"a static variable", "void k(double *a) { static int n; *a = n++; }", "not turned into C"},
    {"a template", "template <class T> void k(T *a) { *a = 1; }", "template"},
    {"an overloaded function",
     "int f(int i) { return i; } double f(double x) { return x; } void "
     "k(double *a) { *a = f(1); }",
     "is overloaded"},
    {"a lambda", "void k(double *a) { auto f = [&] { *a = 1; }; f(); }", "not turned into C"},
    {"a qualified name", "void k(double *a) { *a = my::f(1); }", "a qualified name"},
    {"a default", "void k(double *a, int i = 2) { *a = i; }", "default"},
    {"no such function", "void kk(double *a) { *a = 1; }", "not found"},
    {"brackets", "void k(double *a) { *a = (1; }", "brackets"},
    {"a loop over a range", "void k(double *a) { for (double b : t) *a += b; }", "over a range"},
    {"a reference to an array", "void f(double (&a)[2]) {} void k(double *a) { f(a); }",
     "an array"},
    {"a structure as a whole",
     "struct v { double x; }; void k(double *a) { v p, q; p.x = 1; q = p; *a = q.x; }",
     "structure"},
};

/* The copies of a text, with the names of functions that have none; blanks as in turn(). */
static void copy(const char *source, const char *const *left_out, char *out, size_t room) {
  struct op2i_cxx_unit unit;
  struct op2i_text text = {0};
  bool good = !op2i_cxx_read(op2i_strdup(source), &unit) && op2i_cxx_copy(&unit, left_out, &text);
  snprintf(out, room, "%s", good ? text.chars : "");
  op2i_text_free(&text);
  op2i_cxx_free(&unit);
}

static const char calls[] =
    "namespace a { inline double f(double x) { return x; } } static double g(double x) { return x; "
    "}"
    " using a::f; void k(double *y) { *y = f(*y); } void l(double *y) { *y = g(*y); }"
    " template <class T> void m(T *y) { *y = 1; } void n(int) {} void n(double) {}"
    " int main() { op2_compat_par_loop(&site, k, \"k\", s); op2_compat_par_loop(&site, (&l), "
    "\"l\"); "
    "op2_compat_par_loop(&site, m<int>, \"m\"); op2_compat_par_loop(&site, n, \"n\"); }";

static void copies(void) {
  const char *const none[] = {NULL}, *const g[] = {"g", NULL};
  char out[4000];
  copy(calls, none, out, sizeof out);
  ok(strstr(
         out,
         "namespace a {\nnamespace {\ninline double op2_compat_copy_of_f(double x) { return x; }"),
     "a copy in its namespace");
  ok(strstr(out, "void op2_compat_copy_of_k(double *y) { *y = op2_compat_copy_of_f(*y); }"),
     "a kernel calls copies");
  ok(strstr(out, "{\"k\", reinterpret_cast<void (*)(void)>(&::op2_compat_copy_of_k)}"),
     "it is in the table");
  ok(strstr(out, "{\"l\""), "so is one in parentheses");
  ok(!strstr(out, "{\"m\"") && !strstr(out, "{\"n\""), "templates and overloaded names are not");
  copy(calls, g, out, sizeof out);
  ok(strstr(out, "{\"k\"") && !strstr(out, "{\"l\"") && !strstr(out, "copy_of_g"),
     "a kernel that needs what is left out");
  for (size_t length = 0; length < strlen(calls); length++) {
    char cut[1000] = {0};
    memcpy(cut, calls, length);
    copy(cut, none, out, sizeof out);
  }
  ok(op2i_cxx_rounds("x = exp(y)") && op2i_cxx_rounds("expf (y)") &&
         op2i_cxx_rounds("1 + __builtin_pow(y, 2)"),
     "functions that round as they like");
  ok(!op2i_cxx_rounds("sqrt(exponent) + expm + cosine + fabs(xlog) + fmax(pow_, 1)"),
     "other names");
}

int main(void) {
  char out[4000];
  for (size_t i = 0; i < sizeof turned / sizeof *turned; i++) {
    const char *why = turn(turned[i].source, turned[i].marks, true, out, sizeof out);
    is_str(why ? why : out, turned[i].text, "%s", turned[i].name);
  }
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    const char *why = turn(refused[i].source, "--", true, out, sizeof out);
    ok(why && strstr(why, refused[i].why), "%s is refused: %s", refused[i].name, why ? why : out);
  }
  const char *why =
      turn("struct v { double x; int n; }; void k(double *a) { v p; p.x = 1; *a = p.x; }", "-",
           false, out, sizeof out);
  is_str(
      why ? why : out,
      "typedef struct v { double x ; int n ; } v; void k (double * a ) { v p ; p . x = 1 ; * a = p "
      ". x ; }",
      "a structure as it is");
  int cuts = 0;
  for (size_t i = 0; i < sizeof turned / sizeof *turned; i++)
    for (size_t length = 0; length < strlen(turned[i].source); length++, cuts++) {
      char cut[1000] = {0};
      memcpy(cut, turned[i].source, length);
      (void)turn(cut, turned[i].marks, true, out, sizeof out);
      memcpy(cut, "void k() { ", length < 11 ? length : 11);
      (void)turn(cut, turned[i].marks, false, out, sizeof out);
    }
  char literals[sizeof plain];
  memcpy(literals, plain, sizeof plain);
  op2i_cxx_plain(literals);
  is_str(literals, of_plain, "literals of C++");
  for (size_t length = 0; length < sizeof plain; length++) {
    memcpy(literals, plain, sizeof plain);
    literals[length] = '\0';
    op2i_cxx_plain(literals);
  }
  ok(cuts > 500, "%d texts that are cut off", cuts);
  copies();
  return done();
}
