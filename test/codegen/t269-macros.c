/* SPDX-License-Identifier: BSD-3-Clause */
/* Constants that kernels use by way of macros: every kernel gives what the same computation written
 * in C gives, on every backend and in vectors of any width. All values are exact in binary, so
 * results are compared to the bit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "context.h"
#include "device.h"
#include "support.h"

enum { N = 67, DIM = 3, BIG = 200 };

static const double gam = 1.5, eps = 0.25, part_1 = 3, w[3] = {0.5, 2, 4};
static const int m = 2;
static double big[BIG];

/* A kernel `void NAME(const double x[3], double y[3])`; scalar: it is no vector code; host: it is no
 * C of devices; header: the text of its header, or null. */
struct kernel {
  const char *name;
  enum { VECTOR, SCALAR, HOST } kind;
  const char *header, *source;
  void (*want)(const double *x, double *y);
};

/* clang-format off */
#define LIST                                                                                       \
  K(object, VECTOR, NULL, "#define GM1 (gam - 1.0)\n"                                              \
    "void object(const double *x, double *y) { y[0] = GM1 * x[0]; y[1] = y[2] = GM1; }",           \
    y[0] = 0.5 * x[0]; y[1] = y[2] = 0.5;)                                                         \
  K(call, VECTOR, NULL, "#define P(q) ((gam - 1.0) * (q))\n"                                       \
    "void call(const double *x, double *y) { for (int n = 0; n < 3; n++) y[n] = P(x[n]); }",       \
    for (int n = 0; n < 3; n++) y[n] = 0.5 * x[n];)                                                \
  K(chain, VECTOR, NULL, "#define A gam\n#define B (A * 2)\n#define C(v) (B + (v))\n"              \
    "void chain(const double *x, double *y) { y[0] = C(x[0]); y[1] = B; y[2] = A; }",              \
    y[0] = 3 + x[0]; y[1] = 3; y[2] = 1.5;)                                                        \
  K(reversed, VECTOR, NULL, "#define C(v) (B + (v))\n#define B (A * 2)\n#define A gam\n"           \
    "void reversed(const double *x, double *y) { y[0] = y[1] = y[2] = C(x[0]); }",                 \
    y[0] = y[1] = y[2] = 3 + x[0];)                                                                \
  K(two, VECTOR, NULL, "#define BOTH (gam * eps)\n"                                                \
    "void two(const double *x, double *y) { y[0] = BOTH + x[0]; y[1] = eps; y[2] = gam; }",        \
    y[0] = 0.375 + x[0]; y[1] = 0.25; y[2] = 1.5;)                                                 \
  K(lines, VECTOR, NULL, "#define LONG(v) \\\n  ((v) * /* gam */ \\\n   gam)\n"                    \
    "void lines(const double *x, double *y) { y[0] = LONG(x[0]); y[1] = LONG(\n 2); y[2] = 1; }",  \
    y[0] = 1.5 * x[0]; y[1] = 3; y[2] = 1;)                                                        \
  K(helper, VECTOR, NULL, "#define GM1 (gam - 1.0)\n"                                              \
    "static double scale(double v) { return GM1 * v; }\n"                                          \
    "void helper(const double *x, double *y) { for (int n = 0; n < 3; n++) y[n] = scale(x[n]); }", \
    for (int n = 0; n < 3; n++) y[n] = 0.5 * x[n];)                                                \
  K(deep, VECTOR, NULL, "#define GM1 (gam - 1.0)\n"                                                \
    "static double first(double v);\n"                                                             \
    "static double second(double v) { return first(v) + 1; }\n"                                    \
    "void deep(const double *x, double *y) { y[0] = second(x[0]); y[1] = second(0); y[2] = 2; }\n" \
    "static double first(double v) { return GM1 * v; }",                                           \
    y[0] = 0.5 * x[0] + 1; y[1] = 1; y[2] = 2;)                                                    \
  K(called, VECTOR, NULL, "#define CALL(v) scale(v)\n"                                             \
    "static double scale(double v) { return gam * v; }\n"                                          \
    "void called(const double *x, double *y) { y[0] = CALL(x[0]); y[1] = CALL(CALL(4)); "          \
    "y[2] = scale(2); }",                                                                          \
    y[0] = 1.5 * x[0]; y[1] = 9; y[2] = 3;)                                                        \
  K(called_before, VECTOR, NULL, "static double scale(double v);\n#define CALL(v) scale(v)\n"      \
    "static double other(double v) { return CALL(v) + 1; }\n"                                      \
    "void called_before(const double *x, double *y) { y[0] = other(x[0]); y[1] = y[2] = 0; }\n"    \
    "#define GAM gam\nstatic double scale(double v) { return GAM * v; }",                          \
    y[0] = 1.5 * x[0] + 1; y[1] = y[2] = 0;)                                                       \
  K(other_name, VECTOR, NULL, "static double scale(double v) { return gam * v; }\n"                \
    "#define SCALE scale\n"                                                                        \
    "void other_name(const double *x, double *y) { y[0] = SCALE(x[0]); y[1] = y[2] = 0; }",        \
    y[0] = 1.5 * x[0]; y[1] = y[2] = 0;)                                                           \
  K(given, VECTOR, NULL, "static double scale(double v) { return gam * v; }\n"                     \
    "#define APPLY(f, v) f(v)\n"                                                                   \
    "void given(const double *x, double *y) { y[0] = APPLY(scale, x[0]); y[1] = APPLY(scale, 4); " \
    "y[2] = APPLY(sqrt, 4); }",                                                                    \
    y[0] = 1.5 * x[0]; y[1] = 6; y[2] = 2;)                                                        \
  K(without, VECTOR, NULL, "static double get(void) { return gam; }\n#define GET get()\n"          \
    "void without(const double *x, double *y) { y[0] = GET * x[0]; y[1] = get(); y[2] = 0; }",     \
    y[0] = 1.5 * x[0]; y[1] = 1.5; y[2] = 0;)                                                      \
  K(wrapped, VECTOR, NULL, "static double scale(double v) { return gam * v; }\n"                   \
    "#define scale(v) (scale(v) + 1)\n"                                                            \
    "void wrapped(const double *x, double *y) { y[0] = scale(x[0]); y[1] = y[2] = 0; }",           \
    y[0] = 1.5 * x[0] + 1; y[1] = y[2] = 0;)                                                       \
  K(again, VECTOR, NULL, "#define A gam\nstatic double f(double v) { return A * v; }\n"            \
    "#undef A\n#define A eps\n"                                                                    \
    "void again(const double *x, double *y) { y[0] = f(x[0]); y[1] = A * x[1]; y[2] = 0; }",       \
    y[0] = 1.5 * x[0]; y[1] = 0.25 * x[1]; y[2] = 0;)                                              \
  K(within, VECTOR, NULL, "void within(const double *x, double *y) {\n#define A gam\n"             \
    "y[0] = A * x[0];\n#undef A\n#define A(v) (eps * (v))\ny[1] = A(x[1]);\ny[2] = 0;\n}",         \
    y[0] = 1.5 * x[0]; y[1] = 0.25 * x[1]; y[2] = 0;)                                              \
  K(taken_back, SCALAR, NULL, "#define gam 7\nstatic double f(double v) { return gam * v; }\n"     \
    "#undef gam\n#define A gam\n"                                                                  \
    "void taken_back(const double *x, double *y) { y[0] = f(x[0]); y[1] = A * x[1]; y[2] = gam; }",\
    y[0] = 7 * x[0]; y[1] = 1.5 * x[1]; y[2] = 1.5;)                                               \
  K(instead, SCALAR, NULL, "#define A (gam * 2)\n#define gam 4.0\n"                                \
    "void instead(const double *x, double *y) { y[0] = gam * x[0]; y[1] = A; y[2] = eps; }",       \
    y[0] = 4 * x[0]; y[1] = 8; y[2] = 0.25;)                                                       \
  K(itself, SCALAR, NULL, "#define gam (2 * gam)\n"                                                \
    "void itself(const double *x, double *y) { y[0] = gam * x[0]; y[1] = gam; y[2] = 0; }",        \
    y[0] = 3 * x[0]; y[1] = 3; y[2] = 0;)                                                          \
  K(parameter, VECTOR, NULL, "#define GM1 (gam - 1)\n"                                             \
    "static double f(double gam) { return GM1; }\n"                                                \
    "void parameter(const double *x, double *y) { y[0] = f(x[0]); y[1] = GM1; y[2] = f(gam); }",   \
    y[0] = x[0] - 1; y[1] = 0.5; y[2] = 0.5;)                                                      \
  K(own_parameter, VECTOR, NULL, "#define FIRST (gam[0] + eps)\n"                                  \
    "void own_parameter(const double *gam, double *y) { y[0] = FIRST; y[1] = y[2] = gam[1]; }",    \
    y[0] = x[0] + 0.25; y[1] = y[2] = x[1];)                                                       \
  K(local, VECTOR, NULL, "#define GM1 (gam - 1)\n"                                                 \
    "void local(const double *x, double *y) { double gam = 4 * x[0]; y[0] = GM1; y[1] = gam; "     \
    "y[2] = 0; }",                                                                                 \
    y[0] = 4 * x[0] - 1; y[1] = 4 * x[0]; y[2] = 0;)                                               \
  K(nested, VECTOR, NULL, "#define GM1 (gam - 1)\n"                                                \
    "void nested(const double *x, double *y) { { double gam = x[0]; y[0] = GM1; }\n"               \
    "y[1] = GM1; y[2] = gam; }",                                                                   \
    y[0] = x[0] - 1; y[1] = 0.5; y[2] = 1.5;)                                                      \
  K(counter, VECTOR, NULL, "#define TWICE (2 * m)\n"                                               \
    "void counter(const double *x, double *y) { y[0] = y[1] = y[2] = 0;\n"                         \
    "for (int m = 0; m < 3; m++) y[m] += TWICE * x[m];\ny[0] += TWICE; }",                         \
    y[0] = 4; y[1] = 2 * x[1]; y[2] = 4 * x[2];)                                                   \
  K(macro_parameter, VECTOR, NULL, "#define Q(gam) ((gam) * 2)\n#define R(eps) ((eps) + gam)\n"    \
    "void macro_parameter(const double *x, double *y) { y[0] = Q(x[0]); y[1] = R(x[1]); "          \
    "y[2] = Q(gam); }",                                                                            \
    y[0] = 2 * x[0]; y[1] = x[1] + 1.5; y[2] = 3;)                                                 \
  K(declared, VECTOR, NULL, "#define LOCAL(n) double n = 5\n#define GM1 (gam - 1)\n"               \
    "void declared(const double *x, double *y) { y[2] = GM1; LOCAL(gam); y[0] = GM1; "             \
    "y[1] = gam * x[1]; }",                                                                        \
    y[0] = 4; y[1] = 5 * x[1]; y[2] = 0.5;)                                                        \
  K(member, VECTOR, NULL, "struct state { double gam; };\n#define OF(s, n) ((s).n)\n"              \
    "#define IT s.gam\n"                                                                           \
    "void member(const double *x, double *y) { struct state s = {x[0]}; y[0] = OF(s, gam); "       \
    "y[1] = IT; y[2] = gam; }",                                                                    \
    y[0] = y[1] = x[0]; y[2] = 1.5;)                                                               \
  K(in_file, VECTOR, NULL, "static const double eps = 4;\n#define E2 (2 * eps)\n"                  \
    "void in_file(const double *x, double *y) { y[0] = E2 * x[0]; y[1] = eps; y[2] = gam; }",      \
    y[0] = 8 * x[0]; y[1] = 4; y[2] = 1.5;)                                                        \
  K(array, VECTOR, NULL, "#define W(i) w[i]\n"                                                     \
    "void array(const double *x, double *y) { for (int n = 0; n < 3; n++) y[n] = W(n) * x[n]; }",  \
    for (int n = 0; n < 3; n++) y[n] = w[n] * x[n];)                                               \
  K(array_size, VECTOR, NULL, "#define NW (int)(sizeof w / sizeof w[0])\n"                         \
    "void array_size(const double *x, double *y) { y[0] = NW * x[0]; y[1] = sizeof w; y[2] = 0; "  \
    "for (int n = 0; n < NW; n++) y[2] += w[n]; }",                                                \
    y[0] = 3 * x[0]; y[1] = 24; y[2] = 6.5;)                                                       \
  K(array_given, VECTOR, NULL, "#define SUM(a) (a[0] + a[1] + a[2])\n"                             \
    "static double sum(const double *a) { return SUM(a); }\n"                                      \
    "void array_given(const double *x, double *y) { y[0] = SUM(w) + x[0]; y[1] = sum(w); "         \
    "y[2] = SUM(x); }",                                                                            \
    y[0] = 6.5 + x[0]; y[1] = 6.5; y[2] = x[0] + x[1] + x[2];)                                     \
  K(array_end, VECTOR, NULL, "#define LAST (&w[1])\n"                                              \
    "void array_end(const double *x, double *y) { y[0] = LAST[1] * x[0]; y[1] = *LAST; "           \
    "y[2] = w[0]; }",                                                                              \
    y[0] = 4 * x[0]; y[1] = 2; y[2] = 0.5;)                                                        \
  K(table, VECTOR, NULL, "#define AT(i) big[(i) + 100]\n"                                          \
    "void table(const double *x, double *y) { for (int n = 0; n < 3; n++) y[n] = AT(n) * x[n]; }", \
    for (int n = 0; n < 3; n++) y[n] = big[n + 100] * x[n];)                                       \
  K(integer, VECTOR, NULL, "#define WIDTH (m + 1)\n"                                               \
    "void integer(const double *x, double *y) { for (int n = 0; n < WIDTH; n++) "                  \
    "y[n] = x[WIDTH - 1 - n] * WIDTH; }",                                                            \
    for (int n = 0; n < 3; n++) y[n] = x[2 - n] * 3;)                                          \
  K(extent, HOST, NULL, "#define WIDTH (m + 1)\n"                                                  \
    "void extent(const double *x, double *y) { double t[WIDTH]; for (int n = 0; n < WIDTH; n++) "  \
    "t[n] = 2 * x[n]; for (int n = 0; n < WIDTH; n++) y[n] = t[n]; }",                             \
    for (int n = 0; n < 3; n++) y[n] = 2 * x[n];)                                                  \
  K(branches, VECTOR, NULL, "#define FAST 0\n#if FAST\n#define G eps\n#else\n#define G gam\n#endif\n"\
    "#ifdef gam\n#define H 7\n#else\n#define H eps\n#endif\n"                                      \
    "void branches(const double *x, double *y) { y[0] = G * x[0]; y[1] = H; y[2] = 0; }",          \
    y[0] = 1.5 * x[0]; y[1] = 0.25; y[2] = 0;)                                                     \
  K(unclear, SCALAR, NULL, "#ifdef _OP2_TEST_UNKNOWN\n#define G eps\n#else\n#define G gam\n#endif\n"\
    "void unclear(const double *x, double *y) { y[0] = G * x[0]; y[1] = G; y[2] = 0; }",           \
    y[0] = 1.5 * x[0]; y[1] = 1.5; y[2] = 0;)                                                      \
  K(statement, VECTOR, NULL, "#define SET(i, v) do { y[i] = (v) * gam; } while (0)\n"              \
    "#define WHEN(v) if ((v) > gam)\n"                                                             \
    "void statement(const double *x, double *y) { SET(0, x[0]); SET(1, 2); y[2] = 0; "             \
    "WHEN(x[2]) y[2] = 1; else SET(2, eps); }",                                                    \
    y[0] = 1.5 * x[0]; y[1] = 3; y[2] = x[2] > 1.5 ? 1 : 0.375;)                                   \
  K(early, VECTOR, NULL, "#define LIMIT gam\n"                                                     \
    "static double f(double v) { if (v > LIMIT) return LIMIT; return v; }\n"                       \
    "void early(const double *x, double *y) { for (int n = 0; n < 3; n++) y[n] = f(x[n]); }",      \
    for (int n = 0; n < 3; n++) y[n] = x[n] > 1.5 ? 1.5 : x[n];)                                   \
  K(pasted, SCALAR, NULL, "#define PART(n) part_##n\n#define ONE PART(1)\n"                        \
    "void pasted(const double *x, double *y) { y[0] = PART(1) * x[0]; y[1] = ONE; y[2] = 0; }",    \
    y[0] = 3 * x[0]; y[1] = 3; y[2] = 0;)                                                          \
  K(quoted, SCALAR, NULL, "#define STR(a) #a\n#define G gam\n"                                     \
    "void quoted(const double *x, double *y) { y[0] = G * x[0]; y[1] = sizeof STR(gam); "          \
    "y[2] = sizeof \"gam\"; }",                                                                    \
    y[0] = 1.5 * x[0]; y[1] = y[2] = 4;)                                                           \
  K(variadic, SCALAR, NULL, "#define FIRST(a, ...) ((a) * gam)\n#define SUM(...) sum(__VA_ARGS__)\n"\
    "static double sum(double a, double b) { return a + b * eps; }\n"                              \
    "void variadic(const double *x, double *y) { y[0] = FIRST(x[0], 2); y[1] = SUM(x[1], 4); "     \
    "y[2] = 0; }",                                                                                 \
    y[0] = 1.5 * x[0]; y[1] = x[1] + 1; y[2] = 0;)                                                 \
  K(type, VECTOR, NULL, "#define REAL typedef double real\nREAL;\n#define GM1 ((real)gam - 1)\n"   \
    "void type(const double *x, double *y) { real t = GM1; y[0] = t * x[0]; y[1] = y[2] = t; }",   \
    y[0] = 0.5 * x[0]; y[1] = y[2] = 0.5;)                                                         \
  K(argument, VECTOR, NULL, "#define SQ(a) ((a) * (a))\n"                                          \
    "void argument(const double *x, double *y) { y[0] = SQ(gam) * x[0]; y[1] = SQ(SQ(gam - 1)); "  \
    "y[2] = SQ(2) * eps; }",                                                                       \
    y[0] = 2.25 * x[0]; y[1] = 0.0625; y[2] = 1;)                                                  \
  K(both, VECTOR, NULL, "#define ADD(a) (gam + (a))\n#define CALL(v) f(v)\n"                       \
    "static double f(double v) { return ADD(v) * 2; }\n"                                           \
    "void both(const double *x, double *y) { y[0] = CALL(eps) + x[0]; y[1] = ADD(ADD(eps)); "      \
    "y[2] = ADD(CALL(gam)); }",                                                                    \
    y[0] = 3.5 + x[0]; y[1] = 3.25; y[2] = 7.5;)                                                   \
  K(head, VECTOR, "#define HGM1 (gam - 1.0)\n#define HCALL(v) (HGM1 * (v))\n",                     \
    "void head(const double *x, double *y) { y[0] = HCALL(x[0]); y[1] = HGM1; y[2] = gam; }",      \
    y[0] = 0.5 * x[0]; y[1] = 0.5; y[2] = 1.5;)                                                    \
  K(head_instead, VECTOR, "#define gam 4.0\n#define HG gam\n",                                      \
    "void head_instead(const double *x, double *y) { y[0] = HG * x[0]; y[1] = gam; y[2] = eps; }", \
    y[0] = 4 * x[0]; y[1] = 4; y[2] = 0.25;)                                                       \
  K(head_only, VECTOR, "#define HGM1 (gam - 1.0)\n",                                               \
    "static double f(double v) { return HGM1 * v; }\n"                                             \
    "void head_only(const double *x, double *y) { for (int n = 0; n < 3; n++) y[n] = f(x[n]); }",  \
    for (int n = 0; n < 3; n++) y[n] = 0.5 * x[n];)

#define K(name_, kind_, header_, source_, ...)                                                     \
  static void want_##name_(const double *x, double *y) { (void)x; __VA_ARGS__ }
LIST
#undef K
#define K(name_, kind_, header_, source_, ...) {#name_, kind_, header_, source_, want_##name_},
static const struct kernel kernels[] = {LIST};
/* clang-format on */

enum { KERNELS = sizeof kernels / sizeof *kernels };

/* ---- running --------------------------------------------------------------------------------- */

static double x_of(int i) { return (i * 37 % 41 - 20) * 0.75; }

static void new_constants(void) {
  for (int n = 0; n < BIG; n++) big[n] = n * 0.5;
  new_const(1, OP2_F64, &gam, "gam");
  new_const(1, OP2_F64, &eps, "eps");
  new_const(1, OP2_F64, &part_1, "part_1");
  new_const(3, OP2_F64, w, "w");
  new_const(1, OP2_I32, &m, "m");
  new_const(BIG, OP2_F64, big, "big");
}

static op2_kernel kernel_of(const struct kernel *k) {
  char path[4200];
  snprintf(path, sizeof path, "%s/%s.h", test_scratch(), k->name);
  FILE *file = k->header ? fopen(path, "w") : NULL;
  if (file) fputs(k->header, file);
  if (file) fclose(file);
  const char *const headers[] = {file ? path : NULL, NULL};
  return new_kernel(&(op2_kernel_desc){.name = k->name, .source = k->source, .headers = headers});
}

static bool runs(const struct kernel *k) { return k->kind != HOST || !on_device(); }

static void compare(const struct kernel *k, op2_dat y) {
  double got[N * DIM], want[DIM], x[DIM];
  op2_status status = op2_dat_get(y, got);
  if (status) diag("%s: %s", k->name, op2_error_message());
  for (int i = 0; i < N && !status; i++) {
    for (int n = 0; n < DIM; n++) x[n] = x_of(i * DIM + n);
    k->want(x, want);
    for (int n = 0; n < DIM; n++)
      if (got[i * DIM + n] != want[n]) {
        mismatch_at(__FILE__, __LINE__, k->name, i * DIM + n, got[i * DIM + n], want[n]);
        return;
      }
  }
  expect_at(__FILE__, __LINE__, !status, k->name);
}

static op2_dat queue(op2_set set, op2_dat x, const struct kernel *k) {
  op2_dat y = new_dat(set, DIM, OP2_F64, NULL, "y");
  MUST(op2_par_loop(kernel_of(k), set, op2_arg_direct(x, OP2_READ), op2_arg_direct(y, OP2_WRITE)));
  return y;
}

static op2_dat new_x(op2_set set) {
  double x[N * DIM];
  for (int i = 0; i < N * DIM; i++) x[i] = x_of(i);
  return new_dat(set, DIM, OP2_F64, x, "x");
}

static bool in_vectors(void) { return !on_device() && test_ctx->backend->variant == OP2I_VECTOR; }

/* Each kernel by itself, in vectors of all widths. */
static void apart(void) {
  static const int widths[] = {64, 32, 16, 0};
  op2_set set = new_set(N, "cells");
  op2_dat x = new_x(set);
  new_constants();
  for (int v = 0; v < (in_vectors() ? 4 : 1); v++) {
    if (in_vectors()) test_ctx->config.simd_bytes = widths[v];
    for (const struct kernel *k = kernels; k < kernels + KERNELS; k++)
      if (runs(k)) compare(k, queue(set, x, k));
  }
}

/* True if a device's compiler took all kernels, so that none ran on the host instead, but for `table`
 * on OpenCL, whose constant is too large for it. */
static bool stayed_on_device(void) {
  return !is_device(test_config.backend) || test_ctx->device->counts.host_runs <= 1;
}

/* All kernels in one queue, where vector code is fused. */
static void together(void) {
  op2_dat y[KERNELS];
  char scalar[100];
  op2_set set = new_set(N, "cells");
  op2_dat x = new_x(set);
  new_constants();
  for (int k = 0; k < KERNELS; k++)
    if (runs(&kernels[k])) y[k] = queue(set, x, &kernels[k]);
  for (int k = 0; k < KERNELS; k++)
    if (runs(&kernels[k])) compare(&kernels[k], y[k]);
  EXPECT(stayed_on_device());
  for (int k = 0; k < KERNELS && in_vectors() && test_ctx->config.simd_bytes >= 16; k++) {
    snprintf(scalar, sizeof scalar, "scalar code: kernel '%s'", kernels[k].name);
    expect_at(__FILE__, __LINE__, explains(scalar) == (kernels[k].kind != VECTOR), scalar);
  }
}

/* A new value of a constant reaches the kernel that knows it by a macro only. */
static void new_value(void) {
  double now = 2.5, values[N];
  op2_set set = new_set(N, "cells");
  op2_const constant = new_const(1, OP2_F64, &gam, "gam");
  op2_dat y = new_dat(set, 1, OP2_F64, NULL, "y");
  op2_kernel k = new_source("k", "#define G gam\nvoid k(double *y) { *y += G; }");
  MUST(op2_par_loop(k, set, op2_arg_direct(y, OP2_RW)));
  MUST(op2_const_set(constant, &now));
  MUST(op2_par_loop(k, set, op2_arg_direct(y, OP2_RW)));
  MUST(op2_dat_get(y, values));
  EXPECT(values[0] == 4 && values[N - 1] == 4);
}

int main(void) {
  static const struct test_case cases[] = {
      {"each kernel", apart}, {"all kernels", together}, {"another value", new_value}};
  test_environment();
  return RUN(cases, RUN_LAZY_ONLY | RUN_ONE_BLOCK | RUN_ON_DEVICES);
}
