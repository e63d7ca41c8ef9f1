/* SPDX-License-Identifier: BSD-3-Clause */
/* The checked mode catches faults that give plausible numbers: sums that are scaled or read back,
 * memory that is compared with zero before it is written, accesses far out of range, constants and
 * READ arguments that are written, bounds that are set without a comparison. Loop, argument and
 * element are named. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "op2.h"
#include "support.h"

enum { CELLS = 6, NODES = 5, CORNERS = 3 };

static op2_context ctx;
static op2_set cells, nodes;
static op2_map corners;
static op2_dat q, r, mark, cold, none, x, key, big;
static op2_gbl gain, sum, heat, count, low, high, top;
static op2_const scale, shift, limit;

static const int32_t corner[CELLS][CORNERS] = {{0, 1, 2}, {1, 2, 3}, {2, 3, 4},
                                               {3, 4, 0}, {4, 0, 1}, {2, 2, 4}};
static const double q0[CELLS][2] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}};
static const double x0[NODES][2] = {{10, 20}, {30, 40}, {50, 60}, {70, 80}, {90, 95}};
static const int32_t r0[CELLS] = {5, 4, 3, 2, 1, 0}, key0[NODES] = {7, 6, 5, 4, 3};
static const uint8_t mark0[CELLS][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {1, 1, 1}, {2, 2, 2}};
static const float cold0[CELLS] = {-1, -2, -3, -4, -5, -6};
static const double big0[CELLS] = {1e7, 1e7, 1e7, 1e7, 1e7, 1e7}, none0[CELLS] = {0};

static void set_up(void) {
  const op2_options options = {.backend = "check", .cache_dir = test_cache(), .eager = -1};
  const double scale0 = 1.5, shift0[2] = {0.25, 4};
  const int32_t limit0 = 3;
  CHECK(op2_init(&options, &ctx));
  CHECK(op2_set_create(ctx, CELLS, "cells", &cells));
  CHECK(op2_set_create(ctx, NODES, "nodes", &nodes));
  CHECK(op2_map_create(cells, nodes, CORNERS, corner[0], "corners", &corners));
  CHECK(op2_dat_create(cells, 2, OP2_F64, q0, "q", &q));
  CHECK(op2_dat_create(cells, 1, OP2_I32, r0, "r", &r));
  CHECK(op2_dat_create(cells, 3, OP2_U8, mark0, "mark", &mark));
  CHECK(op2_dat_create(cells, 1, OP2_F32, cold0, "cold", &cold));
  CHECK(op2_dat_create(cells, 1, OP2_F64, none0, "none", &none));
  CHECK(op2_dat_create(cells, 1, OP2_F64, big0, "big", &big));
  CHECK(op2_dat_create(nodes, 2, OP2_F64, x0, "x", &x));
  CHECK(op2_dat_create(nodes, 1, OP2_I32, key0, "key", &key));
  CHECK(op2_gbl_create(ctx, 2, OP2_F64, NULL, "gain", &gain));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "sum", &sum));
  CHECK(op2_gbl_create(ctx, 2, OP2_F32, NULL, "heat", &heat));
  CHECK(op2_gbl_create(ctx, 1, OP2_I32, NULL, "count", &count));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "low", &low));
  CHECK(op2_gbl_create(ctx, 1, OP2_I16, NULL, "high", &high));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "top", &top));
  CHECK(op2_const_create(ctx, 1, OP2_F64, &scale0, "scale", &scale));
  CHECK(op2_const_create(ctx, 2, OP2_F64, shift0, "shift", &shift));
  CHECK(op2_const_create(ctx, 1, OP2_I32, &limit0, "limit", &limit));
}

static void tear_down(void) {
  op2_dat dats[] = {q, r, mark, cold, none, x, key, big};
  op2_gbl gbls[] = {gain, sum, heat, count, low, high, top};
  for (size_t i = 0; i < sizeof dats / sizeof *dats; i++) op2_dat_destroy(&dats[i]);
  for (size_t i = 0; i < sizeof gbls / sizeof *gbls; i++) op2_gbl_destroy(&gbls[i]);
  op2_const_destroy(&scale);
  op2_const_destroy(&shift);
  op2_const_destroy(&limit);
  op2_map_destroy(&corners);
  op2_set_destroy(&cells);
  op2_set_destroy(&nodes);
  CHECK(op2_finalize(&ctx));
}

/* Reset every value to its start, with nothing poisoned. */
static void reset(void) {
  const double gain0[2] = {3, 4}, sum0 = 100, low0 = 50, top0 = -INFINITY;
  const float heat0[2] = {7, 8};
  const int32_t count0 = 10;
  const int16_t high0 = 50;
  bool good = !op2_dat_set(q, q0) && !op2_dat_set(r, r0) && !op2_dat_set(mark, mark0) &&
              !op2_dat_set(cold, cold0) && !op2_dat_set(none, none0) && !op2_dat_set(big, big0) &&
              !op2_dat_set(x, x0) && !op2_dat_set(key, key0) && !op2_gbl_set(gain, gain0) &&
              !op2_gbl_set(sum, &sum0) && !op2_gbl_set(heat, heat0) &&
              !op2_gbl_set(count, &count0) && !op2_gbl_set(low, &low0) &&
              !op2_gbl_set(high, &high0) && !op2_gbl_set(top, &top0);
  if (!good) ok(false, "data reset: %s", op2_error_message());
}

static op2_status run(int line, const char *body, int nargs, const op2_arg *args) {
  char source[1024];
  op2_kernel kernel = NULL;
  const char *head = strstr(body, "void culprit") ? "" : "void culprit";
  snprintf(source, sizeof source, "%s%s\n", head, body);
  const op2_kernel_desc desc = {.name = "culprit", .source = source};
  reset();
  op2_status status = op2_kernel_create(ctx, &desc, &kernel);
  if (!status)
    status = op2_par_loop_at((op2_where){"application.c", line}, kernel, cells, nargs, args);
  op2_kernel_destroy(&kernel);
  return status ? status : op2_flush(ctx);
}

/* The loop fails with this status. The message has every word of the list, which ends with a null
 * pointer; if this loop is the one that failed, the message also has its name and line. */
static void caught(int line, op2_status want, const char *body, int nargs, const op2_arg *args,
                   ...) {
  char where[64] = "";
  if (want == OP2_ERR_KERNEL)
    snprintf(where, sizeof where, "application.c:%d: loop 'culprit'", line);
  op2_status status = run(line, body, nargs, args);
  const char *message = op2_error_message(), *word = where;
  bool named = true;
  va_list words;
  va_start(words, args);
  for (; status && word; word = va_arg(words, const char *)) {
    if (strstr(message, word)) continue;
    named = false;
    diag("missing: %s", word);
  }
  va_end(words);
  if (!ok(status == want && named, "caught at line %d: %s", line, body))
    diag("%s: %s", op2_status_name(status), status ? message : "");
}

#define ARGS(...)                                                                                  \
  (int)(sizeof((op2_arg[]){__VA_ARGS__}) / sizeof(op2_arg)), (op2_arg[]) { __VA_ARGS__ }
#define CAUGHT(body_, args_, ...)                                                                  \
  caught(__LINE__, OP2_ERR_KERNEL, body_, args_, __VA_ARGS__, (char *)NULL)
#define REFUSED_TEXT(body_, args_, ...)                                                            \
  caught(__LINE__, OP2_ERR_SYNTAX, body_, args_, __VA_ARGS__, (char *)NULL)
#define IDX                    op2_arg_idx()
#define DIRECT(name_, mode_)   op2_arg_direct(name_, OP2_##mode_)
#define SLOT(name_, i_, mode_) op2_arg_dat(name_, i_, corners, OP2_##mode_)
#define ALL(name_, mode_)      op2_arg_dat(name_, OP2_ALL, corners, OP2_##mode_)
#define ITER(name_, mode_)     op2_arg_dat(name_, OP2_ITER(0), corners, OP2_##mode_)
#define GBL(name_, mode_)      op2_arg_gbl(name_, OP2_##mode_)

/* ---- sums ------------------------------------------------------------------------------------ */

static void test_scaled_sums(void) {
  CAUGHT("(double *g, const double *a) { g[0] = 0.8 * g[0] + a[0]; }",
         ARGS(GBL(sum, INC), DIRECT(q, READ)), "argument 0 (global 'sum', OP2_INC)",
         "element 0 of 'cells'", "component 0 depends on the value before", "not an addition");
  CAUGHT("(double *g, const double *a) { g[0] = 0.999999 * g[0] + a[0]; }",
         ARGS(GBL(sum, INC), DIRECT(q, READ)), "argument 0 (global 'sum', OP2_INC)",
         "not an addition");
  CAUGHT("(float *g, const double *a, int i) { g[0] += a[0]; if (i == 4) g[1] += 0.001f * g[1]; }",
         ARGS(GBL(heat, INC), DIRECT(q, READ), IDX),
         "argument 0 (global 'heat', OP2_INC), element 4 of 'cells'", "component 1");
  CAUGHT("(double *g, const double *a) { g[0] += a[0] * sqrt(fabs(g[0])); }",
         ARGS(GBL(sum, INC), DIRECT(q, READ)), "argument 0 (global 'sum', OP2_INC)",
         "not an addition");
  CAUGHT("(double *g, int i) { if (i == 2 && g[0] > 1e9) g[0] = 1e9; g[0] += 1; }",
         ARGS(GBL(sum, INC), IDX), "argument 0 (global 'sum', OP2_INC), element 2 of 'cells'",
         "not an addition");
  CAUGHT("(double *g, const double *a) { g[0] += a[0]; if (g[0] < 0) g[0] = 0; }",
         ARGS(GBL(sum, INC), DIRECT(q, READ)), "argument 0 (global 'sum', OP2_INC)",
         "not an addition");
  CAUGHT("(int *n, int i) { if (i == 3) n[0] |= 16; else n[0] += 1; }", ARGS(GBL(count, INC), IDX),
         "argument 0 (global 'count', OP2_INC), element 3 of 'cells'", "not an addition");
  CAUGHT("(double *a) { a[1] = 0.5 * a[1] + 1; }", ARGS(DIRECT(q, INC)),
         "argument 0 (dat 'q', OP2_INC), element 0 of 'cells'", "component 1",
         "a private copy starts at zero");
  CAUGHT("(double *a, int i) { a[0] += 1; if (i == 5) a[1] = 3 + a[1] / 8; }",
         ARGS(SLOT(x, 2, INC), IDX),
         "argument 0 (dat 'x', OP2_INC, slot 2 of map 'corners': element 4 of 'nodes'), element 5",
         "component 1 depends on the value before");
  CAUGHT(
      "(double **a) { for (int s = 0; s < 3; s++) a[s][0] += 1; a[1][1] -= 0.25 * a[1][1] - 2; }",
      ARGS(ALL(x, INC)), "argument 0 (dat 'x', OP2_INC, slot 1 of map 'corners'", "component 1");
  CAUGHT("(double *a) { for (int k = 0; k < 6; k++) a[k] = k == 3 ? a[k] * 1.25 + 1 : a[k] + 1; }",
         ARGS(ITER(x, INC)), "argument 0 (dat 'x', OP2_INC, all slots of map 'corners')",
         "component 1 of slot 1");
  CAUGHT("static void half(double *v) { *v /= 2; }\nvoid culprit(double *a, int i) { a[0] += i; "
         "half(a); }",
         ARGS(DIRECT(q, INC), IDX), "argument 0 (dat 'q', OP2_INC)", "not an addition");
}

/* OP2's own application jac does this: it declares the update of u as OP2_INC and sums the squares
 * of the updated u. */
static void test_sums_read_back(void) {
  CAUGHT("(const double *a, float *u, float *s) { *u += (float)a[0]; *s += *u * *u; }",
         ARGS(DIRECT(q, READ), DIRECT(cold, INC), GBL(heat, INC)),
         "argument 1 (dat 'cold', OP2_INC), element 0 of 'cells'", "other results depend on it",
         "a private copy that starts at zero", "OP2_RW");
  CAUGHT("(const double *a, double *u, double *m) { u[0] += a[0]; m[0] = u[0] > 4 ? 1 : 0; m[1] = "
         "2; }",
         ARGS(DIRECT(big, READ), SLOT(x, 1, INC), DIRECT(q, WRITE)),
         "argument 1 (dat 'x', OP2_INC, slot 1 of map 'corners'", "other results depend on it");
  CAUGHT("(int *n, int *k, int i) { n[0] += i; if (i == 2) k[0] += n[0] & 4; }",
         ARGS(DIRECT(r, INC), SLOT(key, 0, INC), IDX),
         "argument 0 (dat 'r', OP2_INC), element 2 of 'cells'", "other results depend on it");
  CAUGHT("(double *s, float *c) { s[0] += 1; c[0] = s[0] > 1e6; }",
         ARGS(GBL(sum, INC), DIRECT(cold, WRITE)), "argument 0 (global 'sum', OP2_INC)",
         "other results depend on it", "a private sum of some elements before");
  CAUGHT("(double *s, double *t, const double *a) { s[0] += a[0]; t[1] += s[0] < -1e6; }",
         ARGS(GBL(sum, INC), GBL(gain, INC), DIRECT(q, READ)), "argument 0 (global 'sum', OP2_INC)",
         "other results depend on it");
}

static void test_bounds(void) {
  CAUGHT("(double *l, int i) { if (i == 3) l[0] = 2; }", ARGS(GBL(low, MIN), IDX),
         "argument 0 (global 'low', OP2_MIN), element 3 of 'cells'", "sets component 0 whatever",
         "it may only lower it");
  CAUGHT("(short *h) { h[0] = 300; }", ARGS(GBL(high, MAX)), "argument 0 (global 'high', OP2_MAX)",
         "sets component 0 whatever", "it may only raise it");
  CAUGHT("(double *a, float *c) { a[0] = fmin(a[0], 1); c[0] = a[0] < -1e6 ? 1 : 0; }",
         ARGS(SLOT(x, 0, MIN), DIRECT(cold, WRITE)), "argument 0 (dat 'x', OP2_MIN",
         "other results depend on it");
  CAUGHT("(double *l) { if (l[0] > 1e20) l[0] = 1; }", ARGS(GBL(low, MIN)),
         "argument 0 (global 'low', OP2_MIN)", "not a minimum");
  CAUGHT("(double *h, const double *a) { if (*h < a[0]) *h = *h + 1; }",
         ARGS(GBL(top, MAX), DIRECT(q, READ)), "argument 0 (global 'top', OP2_MAX)",
         "not a maximum");
}

/* ---- memory that is not written yet ---------------------------------------------------------- */

static void test_compared(void) {
  CAUGHT("(double *w, int i) { w[1] = 1; if (i != 4 || w[0] == 0) w[0] = 3; else w[0] = 4; }",
         ARGS(DIRECT(q, WRITE), IDX), "argument 0 (dat 'q', OP2_WRITE), element 4 of 'cells'",
         "read component 0 before writing it");
  CAUGHT("(int *w, float *c) { c[0] = *w ? 1 : 2; *w = 7; }",
         ARGS(DIRECT(r, WRITE), DIRECT(cold, WRITE)), "argument 0 (dat 'r', OP2_WRITE)",
         "read component 0 before writing it");
  CAUGHT("(unsigned char *m, int i) { int set = m[2] != 0; m[0] = m[1] = m[2] = (unsigned char)i; "
         "if (i == 1) m[1] = (unsigned char)set; }",
         ARGS(DIRECT(mark, WRITE), IDX), "argument 0 (dat 'mark', OP2_WRITE), element 1 of 'cells'",
         "read component 2 before writing it");
  CAUGHT("(double **w, float *c) { *c = 0; for (int s = 0; s < 3; s++) { if (w[s][1] == 0.0) *c += "
         "1; w[s][0] = w[s][1] = 5; } }",
         ARGS(ALL(x, WRITE), DIRECT(cold, WRITE)), "argument 0 (dat 'x', OP2_WRITE, slot 0 of map",
         "read component 1 before writing it");
  CAUGHT("(double *w, float *c) { *c = w[5] == 0 ? 1 : 2; for (int k = 0; k < 6; k++) w[k] = 1; }",
         ARGS(ITER(x, WRITE), DIRECT(cold, WRITE)), "argument 0 (dat 'x', OP2_WRITE, all slots",
         "read component 1 of slot 2 before writing it");
  CAUGHT("(double *w, float *c) { *c = *w > 1e6 ? 1 : 2; *w = 1; }",
         ARGS(DIRECT(big, WRITE), DIRECT(cold, WRITE)), "argument 0 (dat 'big', OP2_WRITE)",
         "read component 0 before writing it");
  CAUGHT("(double *w, float *c) { *c = w[0] < -1e6 ? 1 : 2; w[0] = w[1] = 1; }",
         ARGS(DIRECT(q, WRITE), DIRECT(cold, WRITE)), "argument 0 (dat 'q', OP2_WRITE)",
         "read component 0 before writing it");
  CAUGHT("(int *w, float *c) { *c = 1 / *w; *w = 7; }", ARGS(DIRECT(r, WRITE), DIRECT(cold, WRITE)),
         "argument 0 (dat 'r', OP2_WRITE)", "read component 0 before writing it");
}

/* ---- accesses outside a row ------------------------------------------------------------------ */

static void test_far_strays(void) {
  CAUGHT("(double *a, int i) { if (i == 3) a[5000] = 1; }", ARGS(DIRECT(q, RW), IDX),
         "argument 0 (dat 'q', OP2_RW), element 3 of 'cells'",
         "wrote outside of it, 39984 bytes past its end: component 5000, where 0 to 1");
  CAUGHT("(int *a, int i) { if (i == 2) a[-4000] = 1; }", ARGS(SLOT(key, 1, RW), IDX),
         "argument 0 (dat 'key', OP2_RW, slot 1 of map 'corners': element 3 of 'nodes')",
         "wrote outside of it, 16000 bytes before its start: component -4000");
  CAUGHT("(const double *a, float *c, int i) { *c = (float)a[i == 5 ? 1000000 : 0]; }",
         ARGS(DIRECT(q, READ), DIRECT(cold, WRITE), IDX),
         "argument 0 (dat 'q', OP2_READ), element 5 of 'cells'",
         "read outside of it, past its end: component 1000000");
  CAUGHT("(const float *c, double *a, int i) { a[0] = 1; if (i == 1 && c[-200000] > 0) a[0] = 2; }",
         ARGS(DIRECT(cold, READ), DIRECT(q, RW), IDX),
         "argument 0 (dat 'cold', OP2_READ), element 1 of 'cells'",
         "read outside of it, before its start: component -200000");
  CAUGHT("(double *g, int i) { g[0] += 1; if (i == 4) g[3000] += 1; }", ARGS(GBL(sum, INC), IDX),
         "argument 0 (global 'sum', OP2_INC), element 4 of 'cells'", "component 3000");
  CAUGHT("(double **a, int i) { a[0][0] += 1; if (i == 2) a[2][9999] = 1; }",
         ARGS(ALL(x, INC), IDX), "argument 0 (dat 'x', OP2_INC, slot 2 of map 'corners'",
         "component 9999");
  CAUGHT("(double **a, float *c, int i) { *c = i == 3 ? (float)a[300][1] : 1; }",
         ARGS(ALL(x, READ), DIRECT(cold, WRITE), IDX),
         "argument 0 (dat 'x', OP2_READ, all slots of map 'corners'), element 3 of 'cells'",
         "read through a slot past the last");
  CAUGHT("(double *a, int i) { if (i == 0) a[6000] += 1; }", ARGS(ITER(x, INC), IDX),
         "argument 0 (dat 'x', OP2_INC, all slots", "component 6000");
  CAUGHT("(const int *key, const double *a, double *s) { s[0] += a[1000 * *key]; }",
         ARGS(SLOT(key, 0, READ), DIRECT(q, READ), GBL(sum, INC)),
         "argument 1 (dat 'q', OP2_READ), element 0 of 'cells'",
         "read outside of it, past its end: component 7000");
  CAUGHT("(int *n, int i) { if (i == 3) n[0] = *(volatile int *)0; }", ARGS(DIRECT(r, RW), IDX),
         "element 3 of 'cells'", "touched memory that is none of its arguments'", "0x0");
  CAUGHT("(int *n, int i) { n[0] = 12 / (n[0] - 2); }", ARGS(DIRECT(r, RW), IDX),
         "element 3 of 'cells'", "divided an integer by zero");
  CAUGHT("(int *n, int i) { if (i == 3) __builtin_trap(); n[0] = i; }", ARGS(DIRECT(r, RW), IDX),
         "element 3 of 'cells'", "came to a trap", "division by zero or a null pointer");
}

/* ---- values that may only be read ------------------------------------------------------------ */

static void test_inputs(void) {
  CAUGHT("(double *a, float *c) { if (a[0] < 1) a[0] = 0; c[0] = 1; }",
         ARGS(DIRECT(none, READ), DIRECT(cold, WRITE)),
         "argument 0 (dat 'none', OP2_READ), element 0 of 'cells'",
         "wrote component 0, which it may only read");
  CAUGHT("(double *a, double *s) { volatile double *v = a; v[1] *= 2; s[0] += v[1]; v[1] /= 2; }",
         ARGS(SLOT(x, 1, READ), GBL(sum, INC)),
         "argument 0 (dat 'x', OP2_READ, slot 1 of map 'corners': element 1 of 'nodes')",
         "wrote component 1, which it may only read");
  CAUGHT("(double **a, double *s, int i) { s[0] += a[2][0]; if (i == 3) a[2][1] = 20; }",
         ARGS(ALL(x, READ), GBL(sum, INC), IDX), "slot 2 of map 'corners': element 0 of 'nodes'",
         "wrote component 1, which it may only read");
  CAUGHT("(double *g, double *a) { g[1] = 4; a[0] += g[1]; }", ARGS(GBL(gain, READ), DIRECT(q, RW)),
         "argument 0 (global 'gain', OP2_READ)", "wrote component 1, which it may only read");
  CAUGHT("static void clear(double *v) { *v = 0; }\nvoid culprit(double *a, double *b) { clear(a); "
         "b[0] += *a; }",
         ARGS(DIRECT(none, READ), DIRECT(q, RW)), "argument 0 (dat 'none', OP2_READ)",
         "wrote component 0, which it may only read");
}

static void test_constants(void) {
  CAUGHT("(double *a) { double *s = (double *)&scale; *s = 1.5; a[0] = scale; }",
         ARGS(DIRECT(q, RW)), "constant 'scale', element 0 of 'cells'",
         "wrote component 0, which it may only read");
  CAUGHT(
      "(double *a, int i) { double *s = (double *)shift; if (i == 4) s[1] = 5; a[0] = shift[1]; }",
      ARGS(DIRECT(q, RW), IDX), "constant 'shift', element 4 of 'cells'",
      "wrote component 1, which it may only read");
  CAUGHT("(double *a, int i) { a[0] = shift[i / 2]; }", ARGS(DIRECT(q, RW), IDX),
         "constant 'shift', element 4 of 'cells'", "read outside of it, past its end: component 2");
  CAUGHT("(double *a, int i) { int *l = (int *)&limit; if (i == 1) l[1] = 5; a[0] = limit; }",
         ARGS(DIRECT(q, RW), IDX), "constant 'limit', element 1 of 'cells'",
         "wrote outside of it, 0 bytes past its end: component 1");
  REFUSED_TEXT("(double *a) { scale = 3; a[0] = scale; }", ARGS(DIRECT(q, RW)),
               "kernel 'culprit', line 1: constant 'scale' is given a value");
  REFUSED_TEXT("(double *a) {\n  a[0] = 1;\n  shift[1] += a[1]; }", ARGS(DIRECT(q, RW)),
               "kernel 'culprit', line 3: constant 'shift' is given a value");
  REFUSED_TEXT("(double *a) { a[0] = 1;\n --limit; }", ARGS(DIRECT(q, RW)),
               "kernel 'culprit', line 2: constant 'limit' is given a value");
}

int main(void) {
  test_environment();
  set_up();
  test_scaled_sums();
  test_sums_read_back();
  test_bounds();
  test_compared();
  test_far_strays();
  test_inputs();
  test_constants();
  tear_down();
  return done();
}
