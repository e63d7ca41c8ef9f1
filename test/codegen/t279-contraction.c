/* SPDX-License-Identifier: BSD-3-Clause */
/* OP2_CONTRACT=1: which products of a kernel are rounded with a sum, and that all forms of code and
 * all backends then have the bits of fma(). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loop_case.h"
#include "op2.h"
#include "rewrite.h"
#include "simd_contract.h"
#include "support.h"
#include "tap.h"

/* ---- text ------------------------------------------------------------------------------------ */

#define F "op2_fused_f64"
#define M "op2_fused_minus_f64"

/* A kernel's body, or all of its source if that begins with a space; and what it becomes. */
static const struct {
  const char *what, *source, *expected;
} texts[] = {
    {"a product before and behind a sum", "y[0] = a * b + c; y[1] = c + a * b;",
     "y[0] = " F "(a, b, c); y[1] = " F "(a, b, c);"},
    {"differences", "y[0] = a * b - c; y[1] = c - a * b;",
     "y[0] = " F "(a, b, -(c)); y[1] = " M "(a, b, c);"},
    {"assignments", "y[0] += a * b; y[1] -= a * b; y[2] += a + b; y[3] *= a * b;",
     "y[0] = " F "(a, b, y[0]); y[1] = " M "(a, b, y[1]); y[2] += a + b; y[3] *= a * b;"},
    {"of two products the left one", "y[0] = a * b + c * d; y[1] = a * b - c * d;",
     "y[0] = " F "(a, b, c * d); y[1] = " F "(a, b, -(c * d));"},
    {"chains", "y[0] = a * b * c + d; y[1] = a + b * c + d * a; y[2] = a / b * c + d;",
     "y[0] = " F "(a * b, c, d); y[1] = " F "(d, a, " F "(b, c, a)); y[2] = " F "(a / b, c, d);"},
    {"sums in operands, and in subscripts",
     "y[(int)(a * b + c)] = (a * b + c) * d + sqrt(a + b * c);",
     "y[(int)(" F "(a, b, c))] = " F "((" F "(a, b, c)), d, sqrt(" F "(b, c, a)));"},
    {"a product in parentheses is its own",
     "y[0] = (a * b) + c; y[1] = c - (a * b); y[2] += (a * b);", NULL},
    {"signs", "y[0] = -a * b + c; y[1] = -(a * b) + c;",
     "y[0] = " F "(-a, b, c); y[1] = -(a * b) + c;"},
    {"other types",
     "int i = 2; float f = 3, g = f * f + f; y[0] = i * i + i; y[1] = f * f + c; y[2] = g;", NULL},
    {"numbers of other types in a product of doubles",
     "int i = 2; y[0] = i * a + 1; y[1] += 2 * c;",
     "int i = 2; y[0] = " F "(i, a, 1); y[1] = " F "(2, c, y[1]);"},
    {"a place that is named once only", "int i = 0; y[i++] += a * b; y[i] += b * c;",
     "int i = 0; y[i++] += a * b; y[i] = " F "(b, c, y[i]);"},
    {"lines and comments stay", "y[0] = a * // left\n b\n + c; /* behind */\n y[1] = a\n* b + c;",
     "y[0] = " F "(a, b, c)\n\n; /* behind */\n y[1] = " F "(a, b, c)\n;"},
    {"macros that are numbers",
     " \n#define HALF 0.5\nvoid k(const double *x, double *y) { y[0] = HALF * x[0] + HALF; }\n",
     " \n#define HALF 0.5\nvoid k(const double *x, double *y) { y[0] = " F
     "(HALF, x[0], HALF); }\n"},
    {"macros that are more",
     " \n#define SUM a + b\n#define MUL(p, q) p * q\n#define ADD(p, q) p + q\n"
     "void k(const double *x, double *y) { double a = x[0], b = x[1]; y[0] = a * SUM; y[1] = a + b "
     "* "
     "SUM; y[2] = MUL(a, b) + a; y[3] = ADD(a * b, a); y[0] += MUL(a, b); y[1] = ADD(a, b) * a; "
     "}\n",
     NULL},
    {"sums within the arguments of a macro",
     " \n#define TWICE(p) ((p) + (p))\n"
     "void k(const double *x, double *y) { y[0] = TWICE(x[0] * x[1] + x[2]); }\n",
     " \n#define TWICE(p) ((p) + (p))\n"
     "void k(const double *x, double *y) { y[0] = TWICE(" F "(x[0], x[1], x[2])); }\n"},
    {"a function that cannot be read, and one that can",
     " static double other(double a) { return a * unknown(a) + 1; }\n"
     "void k(const double *x, double *y) { y[0] = x[0] * x[1] + other(x[0]); }\n",
     " static double other(double a) { return a * unknown(a) + 1; }\n"
     "void k(const double *x, double *y) { y[0] = " F "(x[0], x[1], other(x[0])); }\n"},
    {"constants of the loop", "y[0] = gam * a + c; y[1] = two * a + c;",
     "y[0] = " F "(gam, a, c); y[1] = " F "(two, a, c);"},
    {"directives between", "y[0] = a * b\n#if 1\n+ c\n#endif\n; y[1] = a * b + c;",
     "y[0] = a * b\n#if 1\n+ c\n#endif\n; y[1] = " F "(a, b, c);"},
};

static void contracted(int i) {
  static const char head[] =
      "void k(const double *x, double *y) { double a = x[0], b = x[1], c = x[2], d = x[3]; ";
  char source[1024], expected[1024];
  const bool whole = texts[i].source[0] == ' ';
  snprintf(source, sizeof source, "%s%s%s", whole ? "" : head, texts[i].source,
           whole ? "" : " }\n");
  snprintf(expected, sizeof expected, "%s%s%s", whole ? "" : head,
           texts[i].expected ? texts[i].expected : "", whole ? "" : " }\n");
  struct loop_case c;
  struct op2i_rewrite rewrite = {0};
  struct op2i_text out = {0};
  op2_status status = case_begin(&c, "k", source);
  case_const(&c, "gam", 1, OP2_F64);
  case_const(&c, "two", 1, OP2_I32);
  if (!status) status = op2i_rewrite_begin(&c.loop, 0, &rewrite);
  if (!status) status = op2i_simd_contract(&rewrite, &out);
  const bool right = texts[i].expected ? out.length && !strcmp(out.chars, expected) : !out.length;
  if (!ok(!status && right, "%s", texts[i].what))
    diag("got: %s\nexpected: %s", out.length ? out.chars : "nothing",
         texts[i].expected ? expected : "nothing");
  op2i_text_free(&out);
  op2i_rewrite_end(&rewrite);
  case_end(&c);
}

/* ---- values ---------------------------------------------------------------------------------- */

enum { N = 1000, IN = 4, OUT = 6 };

OP2_KERNEL(sums, (const double *x, double *y), {
  y[0] = x[0] * x[1] + x[2];
  y[1] = x[2] - x[0] * x[1];
  y[2] = x[0] * x[1] - x[2] * x[3];
  double s = 0;
  for (int k = 0; k < 4; k++) s += x[k] * x[3 - k];
  y[3] = s;
  if (x[0] > x[1]) s -= x[2] * x[3];
  y[4] = s;
  y[5] += x[0] * x[3];
});

/* True if the processor for which the library compiles has fused operations. */
static bool is_fused(void) {
#if defined __x86_64__ || defined __i386__
  return __builtin_cpu_supports("fma");
#else
  return true;
#endif
}

static double fused(double a, double b, double c, bool one) {
  return one ? fma(a, b, c) : a * b + c;
}

static void reference(const double *x, double *y, bool one) {
  y[0] = fused(x[0], x[1], x[2], one);
  y[1] = fused(-x[0], x[1], x[2], one);
  y[2] = fused(x[0], x[1], -(x[2] * x[3]), one);
  double s = 0;
  for (int k = 0; k < 4; k++) s = fused(x[k], x[3 - k], s, one);
  y[3] = s;
  if (x[0] > x[1]) s = fused(-x[2], x[3], s, one);
  y[4] = s;
  y[5] = fused(x[0], x[3], 1, one);
}

static double in[N * IN], out[N * OUT], want[N * OUT];

static bool run(const char *backend, op2_status *status) {
  op2_context ctx = NULL;
  op2_set set = NULL;
  op2_dat x = NULL, y = NULL;
  op2_kernel kernel = NULL;
  for (int i = 0; i < N * OUT; i++) out[i] = 1;
  *status = op2_init(&(op2_options){.backend = backend}, &ctx);
  if (*status) return false;
  if (!*status) *status = op2_set_create(ctx, N, "points", &set);
  if (!*status) *status = op2_dat_create(set, IN, OP2_F64, in, "x", &x);
  if (!*status) *status = op2_dat_create(set, OUT, OP2_F64, out, "y", &y);
  if (!*status) *status = op2_kernel_create(ctx, &sums_kernel, &kernel);
  if (!*status)
    *status = op2_par_loop(kernel, set, op2_arg_direct(x, OP2_READ), op2_arg_direct(y, OP2_RW));
  if (!*status) *status = op2_dat_get(y, out);
  if (*status) diag("%s", op2_error_message());
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&x);
  op2_dat_destroy(&y);
  op2_set_destroy(&set);
  return op2_finalize(&ctx) == OP2_SUCCESS && !*status;
}

static void compare(const char *backend, const char *simd, bool contract) {
  op2_status status;
  const bool one = contract && is_fused();
  for (int i = 0; i < N; i++) reference(in + i * IN, want + i * OUT, one);
  if (simd) setenv("OP2_SIMD", simd, 1);
  setenv("OP2_CONTRACT", contract ? "1" : "0", 1);
  const bool done = run(backend, &status);
  unsetenv("OP2_SIMD");
  ok(done && !memcmp(out, want, sizeof out), "%s, OP2_SIMD=%s, OP2_CONTRACT=%d: the bits of %s",
     backend, simd ? simd : "", contract, one ? "fma()" : "separate operations");
}

int main(void) {
  static const char *const backends[] = {"opencl", "cuda",   "sequential",
                                         "openmp", "starpu", "check"};
  static const char *const widths[] = {"0", "16", "32", "64"};
  for (int i = 0; i < (int)(sizeof texts / sizeof *texts); i++) contracted(i);
  setenv("OP2_CHUNK_US", "0", 1);
  srand(7);
  for (int i = 0; i < N * IN; i++) in[i] = 2.0 * rand() / RAND_MAX - 1;
  for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
    const char *why = backend_unfit(backends[b]);
    if (why) {
      skip("%s: %s", backends[b], why);
      continue;
    }
    const bool vectors = !strcmp(backends[b], "openmp") || !strcmp(backends[b], "starpu");
    for (int w = 0; w < (vectors ? 4 : 1); w++)
      for (int contract = 0; contract < 2; contract++)
        compare(backends[b], vectors ? widths[w] : NULL, contract);
  }
  if (!is_fused()) skip("the processor has no fused operation, whose bits would be seen");
  return done();
}
