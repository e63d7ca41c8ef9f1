/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults that a kernel's text shows cause a warning on every backend: a variable that keeps its
 * value, an OP2_INC argument that is read, slots that the map does not have. Text that only
 * resembles a fault causes none. And kernels written in unusual but correct ways are accepted. */
#include <stdio.h>
#include <string.h>

#include "hear.h"
#include "op2.h"
#include "support.h"

enum { CELLS = 4, NODES = 3 };

static op2_context ctx;
static op2_set cells, nodes;
static op2_map ends;
static op2_dat q, r, x;
static op2_gbl sum;

static void set_up(const char *backend) {
  const op2_options options = {.backend = backend, .cache_dir = test_cache(), .eager = 0};
  const int32_t idx[CELLS * 2] = {0, 1, 1, 2, 2, 0, 0, 2};
  const double x0[NODES] = {1, 2, 4};
  CHECK(op2_init(&options, &ctx));
  CHECK(op2_set_create(ctx, CELLS, "cells", &cells));
  CHECK(op2_set_create(ctx, NODES, "nodes", &nodes));
  CHECK(op2_map_create(cells, nodes, 2, idx, "ends", &ends));
  CHECK(op2_dat_create(cells, 2, OP2_F64, NULL, "q", &q));
  CHECK(op2_dat_create(cells, 2, OP2_F64, NULL, "r", &r));
  CHECK(op2_dat_create(nodes, 1, OP2_F64, x0, "x", &x));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "sum", &sum));
}

static void tear_down(void) {
  op2_gbl_destroy(&sum);
  op2_dat_destroy(&x);
  op2_dat_destroy(&r);
  op2_dat_destroy(&q);
  op2_map_destroy(&ends);
  op2_set_destroy(&nodes);
  op2_set_destroy(&cells);
  CHECK(op2_finalize(&ctx));
}

/* The text written to stderr while a kernel is made and two loops with it; they are destroyed
 * without running, since some of these kernels must not run. */
static const char *said_of(const char *text, int nargs, const op2_arg *args) {
  char source[1024];
  snprintf(source, sizeof source, "%s", text);
  const op2_kernel_desc desc = {.name = "k", .source = source};
  op2_kernel kernel = NULL;
  op2_loop loops[2] = {NULL, NULL};
  hear_begin();
  op2_status status = op2_kernel_create(ctx, &desc, &kernel);
  for (int i = 0; i < 2 && !status; i++)
    status =
        op2_loop_create_at((op2_where){"application.c", 7}, kernel, cells, nargs, args, &loops[i]);
  const char *said = hear_end();
  if (status) ok(false, "%s: %s", text, op2_error_message());
  for (int i = 0; i < 2; i++) op2_loop_destroy(&loops[i]);
  op2_kernel_destroy(&kernel);
  return said;
}

#define ARGS(...)                                                                                  \
  (int)(sizeof((op2_arg[]){__VA_ARGS__}) / sizeof(op2_arg)), (op2_arg[]) { __VA_ARGS__ }
#define Q_INC                                                                                      \
  ARGS(op2_arg_direct(r, OP2_READ), op2_arg_direct(q, OP2_INC), op2_arg_gbl(sum, OP2_INC))
#define ROWS ARGS(op2_arg_dat(x, OP2_ALL, ends, OP2_READ), op2_arg_direct(q, OP2_WRITE))

static void warned(const char *text, int nargs, const op2_arg *args, const char *want) {
  const char *said = said_of(text, nargs, args), *at = strstr(said, want);
  if (!ok(at && !strstr(at + 1, want), "warned of once: %s", text)) diag("%s", said);
}

static void quiet(const char *text, int nargs, const op2_arg *args) {
  const char *said = said_of(text, nargs, args);
  if (!ok(!strstr(said, "keeps its value") && !strstr(said, "OP2_INC") && !strstr(said, "slots"),
          "not warned of: %s", text))
    diag("%s", said);
}

#define INC(body_) "void k(const double *a, double *u, double *s) {\n" body_ " }"

static void test_state(void) {
  warned(INC("static int n;\nu[0] += n++;"), Q_INC,
         "kernel 'k', line 2: the variable 'n' keeps its value");
  warned("static int seen = 0;\n" INC("u[0] += 1; seen += 1;"), Q_INC,
         "kernel 'k', line 1: the variable 'seen' keeps its value");
  warned("static double last[2];\nstatic void keep(double v) { last[1] = v; }\n" INC(
             "keep(a[0]); u[0] += last[1];"),
         Q_INC, "kernel 'k', line 1: the variable 'last' keeps its value");
  quiet("static const double w[2] = {1, 2}; static double v[2] = {1, 2};\n" INC(
            "static const int n = 3; double w2 = 1; w2 += v[0]; u[0] += n * w[1] * w2;"),
        Q_INC);
  quiet("typedef double real; static real f(real n) { n += 1; return n; }\n" INC("u[0] += f(1);"),
        Q_INC);
  quiet("struct pair { double v; };\n" INC("static double v = 2; struct pair p = {.v = 1}; "
                                           "p.v = v; u[0] += p.v;"),
        Q_INC);
}

static void test_read_back(void) {
  const char *u_read = "argument 1 (q) is OP2_INC, and line 3 of the kernel reads 'u'";
  warned(INC("*u += a[0];\n*s += *u * *u;"), Q_INC, u_read);
  warned(INC("u[0] += a[0];\nif (u[0] > 2) s[0] += 1;"), Q_INC, u_read);
  warned(INC("u[1] -= 2;\ndouble v = 3 * u[1]; s[0] += v;"), Q_INC, u_read);
  warned(INC("*s += 1;\ndouble t = a[0] - *s; u[0] += t;"), Q_INC,
         "argument 2 (sum) is OP2_INC, and line 3 of the kernel reads 's'");
  quiet(INC("*u += a[0]; u[1] -= a[1]; *s = *s + a[0]; s[0] = a[0] * 2 + s[0];"), Q_INC);
  quiet(INC("u[0]++; --u[1]; *s += (a[0] > 1 ? 1 : 2) * a[1];"), Q_INC);
  quiet(INC("u[0] = a[0]; u[1] = 2 * u[0]; *s += u[1];"), Q_INC);
  quiet(INC("double *p = u; *p++ += 1; *p += 2; s[0] += sizeof *u;"), Q_INC);
  quiet(
      INC("if (a[0] > 0) u[0] += 1; else u[1] += a[0] * a[1]; for (int i = 0; i < 2; i++) u[i] += "
          "a[i];"),
      Q_INC);
  quiet("static void add(double *v) { *v += 1; }\n" INC("add(u); add(&u[1]); add(u + 1);"), Q_INC);
  quiet(INC("{ double u = 3; s[0] += u; }"), Q_INC);
  quiet(INC("(*s)++; ++(*s); (*u) += 2; (u[1]) -= a[0]; ((*u))--;"), Q_INC);
  quiet("#define ADD(to_, by_) to_ += by_\n" INC("ADD(u[0], a[0]); ADD(*s, 1);"), Q_INC);
  quiet(INC("u[0] += 1; __typeof__(u[0]) v = a[0]; s[0] += v;"), Q_INC);
  quiet(INC("u[0] += a[0]; if (u[0] > 2) s[0] += 1;"),
        ARGS(op2_arg_direct(r, OP2_READ), op2_arg_direct(q, OP2_RW), op2_arg_gbl(sum, OP2_INC)));
}

static void test_slots(void) {
  const char *beyond = "of the kernel uses 'x[3]', and map 'ends' has slots 0 to 1";
  quiet("void k(double *x[4], double *q) { q[0] = x[0][0]; q[1] = x[1][0]; }", ROWS);
  warned("void k(double *x[4], double *q) { q[0] = x[3][0]; q[1] = 0; }", ROWS, beyond);
  warned("void k(double *x[4], double *q) {\nfor (int i = 0; i < 4; i++) q[i / 2] = x[i][0]; }",
         ROWS, beyond);
  warned("void k(double **x, double *q) { q[0] = *x[3]; q[1] = 0; }", ROWS, beyond);
  quiet("enum { N = 2 };\nvoid k(double *x[N], double *q) { double w = 0; q[1] = 0;\n"
        "for (int i = 0; i < 9; i++) w += i; for (int i = 0; i < N; i++) w += x[i][0]; q[0] = w; }",
        ROWS);
  quiet("void k(double **x, double *q) { int i; for (i = 0; i < 9; i++) q[i % 2] = 0;\n"
        "i = 1; q[0] += x[i][0]; }",
        ROWS);
  quiet("void k(double **x, double *q) { q[0] = q[1] = 0;\n"
        "for (int i = 0; i < 3; i++) if (i < 2) q[i] = x[i][0]; }",
        ROWS);
  warned("void k(double **x, double *q) {\n"
         "for (int j = 0; j < 2; j++) for (int i = 0; i < 4; i++) q[j] = x[i][0]; }",
         ROWS, beyond);
  quiet("void k(double *x[2], double *q) { for (int i = 0; i <= 1; i++) q[i] = x[i][0]; }", ROWS);
}

static void run(const char *text, double want) {
  const op2_kernel_desc desc = {.name = "k", .source = text};
  op2_kernel kernel = NULL;
  double got[CELLS][2];
  CHECK(op2_kernel_create(ctx, &desc, &kernel));
  CHECK(op2_par_loop(kernel, cells, op2_arg_dat(x, OP2_ALL, ends, OP2_READ),
                     op2_arg_direct(q, OP2_WRITE)));
  CHECK(op2_dat_get(q, got));
  ok(got[3][0] == want, "%s gives %g", text, got[3][0]);
  op2_kernel_destroy(&kernel);
}

static void test_taken(void) {
  run("\xef\xbb\xbfvoid k(double **x, double *q) { q[0] = x[0][0] + x[1][0]; q[1] = 0; }", 5);
  run("void k(double *x[7], double *q) { q[0] = x[0][0] - x[1][0]; q[1] = 0; }", -3);
}

static void test_on(const char *backend) {
  const char *unfit = backend_unfit(backend);
  if (unfit) {
    skip("%s: %s", backend, unfit);
    return;
  }
  set_up(backend);
  test_state();
  test_read_back();
  test_slots();
  test_taken();
  tear_down();
}

int main(void) {
  static const char *const backends[] = {"sequential", "openmp", "starpu", "check", "opencl"};
  test_environment();
  for (size_t b = 0; b < sizeof backends / sizeof backends[0]; b++) test_on(backends[b]);
  return done();
}
