/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that kernels of a file share (OP2_FUNCTION): each kernel gets those that it calls, also
 * by way of others and from a header; in all forms of code results are those of a plain loop that
 * calls the same functions, and a refusal names the function. */
#include "t270-shared-functions.h"

#include <math.h>
#include <string.h>

#include "backend.h"
#include "context.h"
#include "kernel.h"
#include "support.h"

enum { N = 45 };

static double c1 = 1.25;

OP2_FUNCTION(shared_scaled, double, (double a), { return a * c1; });

OP2_FUNCTION(shared_norm, double, (const double *x, int n), {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * x[i];
  if (s > 4) return shared_scaled(sqrt(s));
  return s;
});

OP2_FUNCTION(shared_slow, double, (double a), { return lgamma(a); });

OP2_KERNEL(shared_kernel, (const double *x, double *y), {
  y[0] = shared_norm(x, 3) + shared_cube(x[1]);
  y[1] = y[0] > 2 ? shared_norm(x, 2) : -1;
});

OP2_KERNEL(shared_alone, (const double *x, double *y), { y[0] = y[1] = x[0]; });

OP2_FUNCTION(shared_later, double, (double a), { return a - 1; });

/* ---- running --------------------------------------------------------------------------------- */

static void values(double *x) {
  for (int n = 0; n < 3 * N; n++) x[n] = (n % 17) * 0.37 - 2.5;
}

/* Run a kernel; returns the dat that it writes. */
static op2_dat run(const op2_kernel_desc *desc) {
  double x[3 * N];
  values(x);
  op2_set set = new_set(N, "cells");
  op2_dat in = new_dat(set, 3, OP2_F64, x, "x"), out = new_dat(set, 2, OP2_F64, NULL, "y");
  MUST(op2_par_loop(new_kernel(desc), set, op2_arg_direct(in, OP2_READ),
                    op2_arg_direct(out, OP2_WRITE)));
  return out;
}

static bool vectors(void) {
  return !on_device() && test_ctx->backend->variant == OP2I_VECTOR &&
         test_ctx->config.simd_bytes >= 16;
}

/* Compare with a plain loop, bit by bit. */
static void computes(op2_dat got, void (*plain)(const double *x, double *y)) {
  double x[3 * N], want[2 * N];
  values(x);
  for (int n = 0; n < N; n++) plain(x + 3 * n, want + 2 * n);
  EXPECT_VALUES(double, got, 2 * N, i, want[i]);
}

/* ---- cases ----------------------------------------------------------------------------------- */

static void called(void) {
  new_const(1, OP2_F64, &c1, "c1");
  computes(run(&shared_kernel_kernel), shared_kernel);
  EXPECT(op2i_kernel_shares(new_kernel(&shared_kernel_kernel), "shared_cube", 11));
  if (vectors()) EXPECT(explains("vector code"));
}

/* A kernel that calls none has the text that it had before there were any. */
static void not_called(void) {
  op2_kernel kernel = new_kernel(&shared_alone_kernel);
  EXPECT(strcmp(kernel->source, shared_alone_kernel.source) == 0);
  EXPECT(!kernel->functions);
  computes(run(&shared_alone_kernel), shared_alone);
}

static void own(const double *x, double *y) {
  y[0] = shared_cube(x[0]) * 3;
  y[1] = x[2] + 7;
}

/* Directives and comments stay in their lines before the functions, and what the source defines
 * itself is not taken from the file. */
static void own_description(void) {
  static const char source[] =
      "#include <math.h>\n/* a\n * comment */\n#define THREE 3\n"
      "static double shared_later(double a) { return a + 7; }\n"
      "void own(const double *x, double *y) {\n"
      "  y[0] = shared_cube(x[0]) * THREE;\n  y[1] = shared_later(x[2]);\n}\n";
  const op2_kernel_desc desc = {.name = "own", .source = source, .functions = OP2_FUNCTIONS};
  op2_kernel kernel = new_kernel(&desc);
  EXPECT(kernel->signature.line == 6);
  EXPECT(!op2i_kernel_shares(kernel, "shared_later", 12));
  EXPECT(!strncmp(kernel->source, source, strlen("#include <math.h>")));
  computes(run(&desc), own);
  if (vectors()) EXPECT(explains("vector code"));
}

/* Without the file's functions a description has its own text alone. */
static void none_given(void) {
  const op2_kernel_desc desc = {.name = "k",
                                .source = "void k(double *x) { *x = shared_cube(2); }"};
  EXPECT(!new_kernel(&desc)->functions);
}

/* Functions stand before a conditional that is open at the first line of code. */
static void conditional(void) {
  const op2_kernel_desc desc = {
      .name = "own",
      .source = "#define A 1\n#if A\nvoid own(const double *x, double *y) {\n  y[0] = "
                "shared_cube(x[0]) * 3; y[1] = x[2] + 7; }\n#else\n#endif\n",
      .functions = OP2_FUNCTIONS};
  computes(run(&desc), own);
}

static void slow(const double *x, double *y) {
  y[0] = x[0];
  y[1] = x[1];
}

/* The kernel runs as scalar code, and the reason is where it is. */
static void refused(void) {
  const op2_kernel_desc desc = {.name = "slow",
                                .source = "void slow(const double *x, double *y) {\n"
                                          "  y[0] = x[0];\n  y[1] = x[1] + 0 * (x[0] > 100 ? "
                                          "shared_slow(x[0]) : 0);\n}\n",
                                .functions = OP2_FUNCTIONS};
  computes(run(&desc), slow);
  if (vectors()) EXPECT(explains("calls lgamma in OP2_FUNCTION shared_slow, which is not known"));
}

static const struct test_case cases[] = {
    {"functions that a kernel calls", called},
    {"a kernel that calls none", not_called},
    {"a description of the program's own", own_description},
    {"a description without them", none_given},
    {"a source that begins in a conditional", conditional},
    {"a function that is not followed", refused},
};

int main(void) { return RUN(cases, RUN_ONE_BLOCK | RUN_ON_DEVICES); }
