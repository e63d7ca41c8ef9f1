/* SPDX-License-Identifier: BSD-3-Clause */
/* Long sources are read and their loops generated. Each case is far too large for an algorithm whose
 * time doubles with every declaration: the suite's time limit would end it. The processor times are
 * printed, no check depends on them. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "op2.h"
#include "tap.h"

static op2_context ctx;
static op2_set set;
static op2_dat a, b, narrow;

/* ---- sources --------------------------------------------------------------------------------- */

struct source {
  char *text;
  size_t length, room;
};

static void add(struct source *s, const char *format, ...) TAP_FORMAT(2, 3);
static void add(struct source *s, const char *format, ...) {
  enum { LINE = 256 };
  if (s->length + LINE > s->room) {
    s->room = 2 * s->room + LINE;
    s->text = realloc(s->text, s->room);
    if (!s->text) abort();
  }
  va_list args;
  va_start(args, format);
  s->length += (size_t)vsnprintf(s->text + s->length, LINE, format, args);
  va_end(args);
}

static void add_kernel(struct source *s, const char *type) {
  add(s, "void k(const %s *a, %s *b) { b[0] = a[0]; }\n", type, type);
}

static void chained_typedefs(struct source *s, int n) {
  char last[32];
  add(s, "typedef double t0;\n");
  for (int i = 0; i < n; i++) add(s, "typedef t%d t%d;\n", i, i + 1);
  snprintf(last, sizeof last, "t%d", n);
  add_kernel(s, last);
}

static void bracketed_typedefs(struct source *s, int n) {
  char last[32];
  add(s, "typedef double t0;\n");
  for (int i = 0; i < n; i++) add(s, "typedef t%d (((t%d)));\n", i, i + 1);
  snprintf(last, sizeof last, "t%d", n);
  add_kernel(s, last);
}

static void repeated_typedefs(struct source *s, int n) {
  add(s, "typedef double T;\n");
  for (int i = 0; i < n; i++) add(s, "typedef T T2;\n");
  add_kernel(s, "T2");
}

static void typedefs_of_macros(struct source *s, int n) {
  char last[32];
  for (int i = 0; i < n; i++) add(s, "#define m%d double\ntypedef m%d t%d;\n", i, i, i);
  snprintf(last, sizeof last, "t%d", n - 1);
  add_kernel(s, last);
}

static void chained_macros(struct source *s, int n) {
  add(s, "#define m0 double\n");
  for (int i = 0; i < n; i++) add(s, "#define m%d m%d\n", i + 1, i);
  add_kernel(s, "m8");
}

static void doubled_macros(struct source *s, int n) {
  add(s, "#define m0 1.0\n");
  for (int i = 0; i < n; i++) add(s, "#define m%d (m%d + m%d)\n", i + 1, i, i);
  add(s, "void k(const double *a, double *b) { b[0] = a[0] + m%d; }\n", n);
}

static void function_typedefs(struct source *s, int n) {
  add(s, "typedef double f0(double);\n");
  for (int i = 0; i < n; i++) add(s, "typedef f%d *(*f%d)(f%d *);\n", i, i + 1, i);
  add_kernel(s, "double");
}

static void array_typedefs(struct source *s, int n) {
  add(s, "typedef double a0[2];\n");
  for (int i = 0; i < n; i++) add(s, "typedef a%d a%d[2];\n", i, i + 1);
  add_kernel(s, "double");
}

static void structures(struct source *s, int n) {
  add(s, "struct s0 { double x; };\n");
  for (int i = 0; i < n; i++) add(s, "struct s%d { struct s%d a, b; };\n", i + 1, i);
  add_kernel(s, "double");
}

static void comma_list(struct source *s, int n) {
  add(s, "typedef double t0");
  for (int i = 1; i < n; i++) add(s, ", t%d", i);
  add(s, ";\n");
  add_kernel(s, "t0");
}

static void enumerations(struct source *s, int n) {
  for (int i = 0; i < n; i++) add(s, "enum { E%d = %d };\n", i, i);
  add_kernel(s, "double");
}

static void called_functions(struct source *s, int n) {
  add(s, "static double f0(double x) { return x; }\n");
  for (int i = 1; i < n; i++)
    add(s, "static double f%d(double x) { return f%d(x) + f%d(x); }\n", i, i - 1, i - 1);
  add(s, "void k(const double *a, double *b) { b[0] = f%d(a[0]); }\n", n - 1);
}

/* Each function calls the next one, and the last uses a constant, which all of them need for it. */
static void functions_to_come(struct source *s, int n) {
  for (int i = 0; i <= n; i++) add(s, "static double f%d(double x);\n", i);
  for (int i = 0; i < n; i++) add(s, "static double f%d(double x) { return f%d(x); }\n", i, i + 1);
  add(s, "static double f%d(double x) { return x + cst; }\n", n);
  add(s, "void k(const double *a, double *b) { b[0] = f0(a[0]); }\n");
}

static void statements(struct source *s, int n) {
  add(s, "void k(const double *a, double *b) {\n  b[0] = 0;\n");
  for (int i = 0; i < n; i++) add(s, "  b[0] += a[0] * %d.0;\n", i);
  add(s, "}\n");
}

static void variables(struct source *s, int n) {
  add(s, "void k(const double *a, double *b) {\n  double v0 = a[0];\n");
  for (int i = 0; i < n; i++) add(s, "  double v%d = v%d + 1;\n", i + 1, i);
  add(s, "  b[0] = v%d;\n}\n", n);
}

static void long_sum(struct source *s, int n) {
  add(s, "void k(const double *a, double *b) {\n  b[0] = a[0]");
  for (int i = 0; i < n; i++) add(s, " + a[0]");
  add(s, ";\n}\n");
}

static void choices(struct source *s, int n) {
  add(s, "void k(const double *a, double *b) {\n");
  for (int i = 0; i < n; i++) add(s, "  if (a[0] > %d) b[0] = %d; else\n", i, i);
  add(s, "  b[0] = a[0];\n}\n");
}

static void parentheses(struct source *s, int n) {
  add(s, "void k(const double *a, double *b) {\n  b[0] = ");
  for (int i = 0; i < n; i++) add(s, "(");
  add(s, "a[0]");
  for (int i = 0; i < n; i++) add(s, ")");
  add(s, ";\n}\n");
}

static const struct size_case {
  const char *name;
  void (*write)(struct source *s, int n);
  int n;
} cases[] = {
    {"chained typedefs", chained_typedefs, 26},
    {"chained typedefs", chained_typedefs, 400},
    {"chained typedefs", chained_typedefs, 20000},
    {"chained typedefs in parentheses", bracketed_typedefs, 10000},
    {"the same typedef again", repeated_typedefs, 50000},
    {"typedefs of macros", typedefs_of_macros, 20000},
    {"macros of macros", chained_macros, 20000},
    {"macros of two macros", doubled_macros, 60},
    {"typedefs of functions", function_typedefs, 5000},
    {"typedefs of arrays", array_typedefs, 5000},
    {"structures of structures", structures, 20000},
    {"a list of typedefs", comma_list, 20000},
    {"enumerations", enumerations, 40000},
    {"functions that call two", called_functions, 12000},
    {"functions that call the next", functions_to_come, 12000},
    {"statements", statements, 50000},
    {"variables", variables, 40000},
    {"a sum", long_sum, 100000},
    {"a chain of else if", choices, 30000},
    {"parentheses", parentheses, 900},
};

/* ---- cases ----------------------------------------------------------------------------------- */

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* With the address sanitizer all takes 15 times as long; an eighth shows the same faults of memory. */
static int count_of(const struct size_case *c) {
#ifdef __SANITIZE_ADDRESS__
  return c->n > 1000 ? c->n / 8 : c->n;
#else
  return c->n;
#endif
}

static void try_case(const struct size_case *c) {
  struct source s = {0};
  const int n = count_of(c);
  c->write(&s, n);
  double start = cpu_seconds();
  op2_kernel kernel = NULL;
  op2_loop loop = NULL;
  const char *text = "";
  const op2_kernel_desc desc = {.name = "k", .source = s.text};
  op2_status status = op2_kernel_create(ctx, &desc, &kernel);
  if (!status)
    status =
        op2_loop_create(&loop, kernel, set, op2_arg_direct(a, OP2_READ), op2_arg_direct(b, OP2_RW));
  if (!status) status = op2_loop_generate(loop, "c", &text);
  if (!status) status = op2_loop_generate(loop, "simd", &text);
  double seconds = cpu_seconds() - start;
  if (!ok(status == OP2_SUCCESS, "%d of %s: %zu bytes are read", n, c->name, s.length))
    diag("  %s: %.200s", op2_status_name(status), op2_error_message());
  diag("  in %.2f s of processor time", seconds);
  op2_loop_destroy(&loop);
  if (!status)
    FAILS(op2_loop_create(&loop, kernel, set, op2_arg_direct(narrow, OP2_READ),
                          op2_arg_direct(b, OP2_RW)),
          OP2_ERR_TYPE);
  op2_kernel_destroy(&kernel);
  free(s.text);
}

int main(void) {
  const double one = 1;
  op2_const cst;
  CHECK(op2_init(&(op2_options){.backend = "sequential"}, &ctx));
  CHECK(op2_set_create(ctx, 100, "cells", &set));
  CHECK(op2_dat_create(set, 1, OP2_F64, NULL, "a", &a));
  CHECK(op2_dat_create(set, 1, OP2_F64, NULL, "b", &b));
  CHECK(op2_dat_create(set, 1, OP2_F32, NULL, "narrow", &narrow));
  CHECK(op2_const_create(ctx, 1, OP2_F64, &one, "cst", &cst));
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) try_case(&cases[i]);
  op2_const_destroy(&cst);
  op2_dat_destroy(&narrow);
  op2_dat_destroy(&b);
  op2_dat_destroy(&a);
  op2_set_destroy(&set);
  CHECK(op2_finalize(&ctx));
  return done();
}
