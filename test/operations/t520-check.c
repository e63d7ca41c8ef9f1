/* SPDX-License-Identifier: BSD-3-Clause */
/* The checked mode catches every way in which a kernel can break its descriptors, and names loop,
 * argument and element. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "op2.h"
#include "support.h"

enum { CELLS = 6, NODES = 5, CORNERS = 3 };

static op2_context ctx;
static op2_set cells, nodes, some, halo;
static op2_map corners, halo_corners;
static op2_dat q, r, mark, cold, x, key, hq;
static op2_gbl gain, sum, count, low, high;

static const int32_t corner[CELLS][CORNERS] = {{0, 1, 2}, {1, 2, 3}, {2, 3, 4},
                                               {3, 4, 0}, {4, 0, 1}, {2, 2, 4}};
static const double q0[CELLS][2] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}};
static const double x0[NODES][2] = {{10, 20}, {30, 40}, {50, 60}, {70, 80}, {90, 95}};
static const int32_t r0[CELLS] = {5, 4, 3, 2, 1, 0}, key0[NODES] = {7, 6, 5, 4, 3};
static const uint8_t mark0[CELLS][3] = {{1, 2, 3},    {4, 5, 6},    {7, 8, 9},
                                        {10, 11, 12}, {13, 14, 15}, {16, 17, 18}};
static const float cold0[CELLS] = {-1, -2, -3, -4, -5, -6};

static void set_up(void) {
  const op2_options options = {.backend = "check", .cache_dir = test_cache(), .eager = -1};
  const int64_t ends[4] = {2, 4, 6, 6}, odd[3] = {1, 3, 5};
  CHECK(op2_init(&options, &ctx));
  CHECK(op2_set_create(ctx, CELLS, "cells", &cells));
  CHECK(op2_set_create(ctx, NODES, "nodes", &nodes));
  CHECK(op2_set_create_sections(ctx, ends, "halo cells", &halo));
  CHECK(op2_subset_create(cells, 3, odd, "odd cells", &some));
  CHECK(op2_map_create(cells, nodes, CORNERS, corner[0], "corners", &corners));
  CHECK(op2_map_create(halo, nodes, CORNERS, corner[0], "halo corners", &halo_corners));
  CHECK(op2_dat_create(cells, 2, OP2_F64, q0, "q", &q));
  CHECK(op2_dat_create(halo, 2, OP2_F64, q0, "hq", &hq));
  CHECK(op2_dat_create(cells, 1, OP2_I32, r0, "r", &r));
  CHECK(op2_dat_create(cells, 3, OP2_U8, mark0, "mark", &mark));
  CHECK(op2_dat_create(cells, 1, OP2_F32, cold0, "cold", &cold));
  CHECK(op2_dat_create(nodes, 2, OP2_F64, x0, "x", &x));
  CHECK(op2_dat_create(nodes, 1, OP2_I32, key0, "key", &key));
  CHECK(op2_gbl_create(ctx, 2, OP2_F64, NULL, "gain", &gain));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "sum", &sum));
  CHECK(op2_gbl_create(ctx, 1, OP2_I32, NULL, "count", &count));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "low", &low));
  CHECK(op2_gbl_create(ctx, 1, OP2_I16, NULL, "high", &high));
}

static void tear_down(void) {
  op2_set sets[] = {cells, nodes, some, halo};
  op2_map maps[] = {corners, halo_corners};
  op2_dat dats[] = {q, r, mark, cold, x, key, hq};
  op2_gbl gbls[] = {gain, sum, count, low, high};
  for (int i = 0; i < 4; i++) op2_set_destroy(&sets[i]);
  for (int i = 0; i < 2; i++) op2_map_destroy(&maps[i]);
  for (int i = 0; i < 7; i++) op2_dat_destroy(&dats[i]);
  for (int i = 0; i < 5; i++) op2_gbl_destroy(&gbls[i]);
  CHECK(op2_finalize(&ctx));
}

/* Reset every value to its start, with nothing poisoned. */
static void reset(void) {
  const double gain0[2] = {3, 4}, sum0 = 100, low0 = 50;
  const int32_t count0 = 10;
  const int16_t high0 = 50;
  bool good = !op2_dat_set(q, q0) && !op2_dat_set(r, r0) && !op2_dat_set(mark, mark0) &&
              !op2_dat_set(cold, cold0) && !op2_dat_set(x, x0) && !op2_dat_set(key, key0) &&
              !op2_dat_set_halo(hq, q0) && !op2_gbl_set(gain, gain0) && !op2_gbl_set(sum, &sum0) &&
              !op2_gbl_set(count, &count0) && !op2_gbl_set(low, &low0) &&
              !op2_gbl_set(high, &high0);
  if (!good) ok(false, "data reset: %s", op2_error_message());
}

static op2_status queue(int line, const char *body, op2_set set, int nargs, const op2_arg *args) {
  char source[1024];
  op2_kernel kernel = NULL;
  snprintf(source, sizeof source, "void culprit%s\n", body);
  const op2_kernel_desc desc = {.name = "culprit", .source = source};
  op2_status status = op2_kernel_create(ctx, &desc, &kernel);
  if (!status)
    status = op2_par_loop_at((op2_where){"application.c", line}, kernel, set, nargs, args);
  op2_kernel_destroy(&kernel);
  return status;
}

/* Queue the loop and check that the flush fails; the message must have the loop's name, its line
 * and every word of the list, which ends with a null pointer. */
static void caught(int line, const char *body, op2_set set, int nargs, const op2_arg *args, ...) {
  char where[64];
  snprintf(where, sizeof where, "application.c:%d: loop 'culprit'", line);
  reset();
  op2_status status = queue(line, body, set, nargs, args);
  if (!ok(status == OP2_SUCCESS, "queued: culprit%s", body)) {
    diag("%s", op2_error_message());
    return;
  }
  status = op2_flush(ctx);
  const char *message = op2_error_message(), *word = where;
  bool named = true;
  va_list words;
  va_start(words, args);
  for (; word; word = va_arg(words, const char *)) {
    if (strstr(message, word)) continue;
    named = false;
    diag("missing: %s", word);
  }
  va_end(words);
  if (!ok(status == OP2_ERR_KERNEL && named, "caught at line %d: culprit%s", line, body))
    diag("%s: %s", op2_status_name(status), message);
}

static void allowed(int line, const char *body, op2_set set, int nargs, const op2_arg *args) {
  reset();
  op2_status status = queue(line, body, set, nargs, args);
  if (!status) status = op2_flush(ctx);
  if (!ok(status == OP2_SUCCESS, "allowed at line %d: culprit%s", line, body))
    diag("%s", op2_error_message());
}

#define ARGS(...)                                                                                  \
  (int)(sizeof((op2_arg[]){__VA_ARGS__}) / sizeof(op2_arg)), (op2_arg[]) { __VA_ARGS__ }
#define CAUGHT(body_, set_, args_, ...)                                                            \
  caught(__LINE__, body_, set_, args_, __VA_ARGS__, (char *)NULL)
#define ALLOWED(body_, set_, args_) allowed(__LINE__, body_, set_, args_)
#define IDX                         op2_arg_idx()

/* ---- direct arguments ------------------------------------------------------------------------ */

static void test_direct_access(void) {
  CAUGHT("(double *a, int i) { if (i == 4) a[1] = 0; }", cells,
         ARGS(op2_arg_direct(q, OP2_READ), IDX),
         "argument 0 (dat 'q', OP2_READ), element 4 of 'cells'", "wrote component 1");
  CAUGHT("(int i, const double *a, float *c) { c[0] = 1; if (i == 0) ((double *)a)[0] = 7; }",
         cells, ARGS(IDX, op2_arg_direct(q, OP2_READ), op2_arg_direct(cold, OP2_WRITE)),
         "argument 1 (dat 'q', OP2_READ), element 0 of 'cells'", "wrote component 0");
  CAUGHT("(int i, double *a) { a[0] = 1; if (i != 3) a[1] = 2; }", cells,
         ARGS(IDX, op2_arg_direct(q, OP2_WRITE)),
         "argument 1 (dat 'q', OP2_WRITE), element 3 of 'cells'", "left component 1 unwritten");
  CAUGHT("(unsigned char *m, int i) { m[0] = m[1] = 80; if (i != 5) m[2] = 81; }", cells,
         ARGS(op2_arg_direct(mark, OP2_WRITE), IDX),
         "argument 0 (dat 'mark', OP2_WRITE), element 5 of 'cells'", "left component 2 unwritten");
}

static void test_direct_early_reads(void) {
  CAUGHT("(int i, double *a) { a[0] = i == 5 ? a[1] * 2 : 1; a[1] = 3; }", cells,
         ARGS(IDX, op2_arg_direct(q, OP2_WRITE)),
         "argument 1 (dat 'q', OP2_WRITE), element 5 of 'cells'",
         "read component 1 before writing it");
  CAUGHT("(int i, double *a, int *n) { n[0] = i == 1 && a[0] > 0 ? 7 : 8; a[0] = a[1] = 1; }",
         cells, ARGS(IDX, op2_arg_direct(q, OP2_WRITE), op2_arg_direct(r, OP2_WRITE)),
         "argument 1 (dat 'q', OP2_WRITE), element 1 of 'cells'",
         "read component 0 before writing it");
  CAUGHT("(int i, double *a) { a[0] = i == 2 ? 1e300 + a[1] : 1; a[1] = 3; }", cells,
         ARGS(IDX, op2_arg_direct(q, OP2_WRITE)),
         "argument 1 (dat 'q', OP2_WRITE), element 2 of 'cells'",
         "read component 1 before writing it");
  CAUGHT("(int i, unsigned char *m) { if (i != 4) m[0] = 1; m[1] = 2; m[2] = 3; if (i == 4) m[0] "
         "+= 1; }",
         cells, ARGS(IDX, op2_arg_direct(mark, OP2_WRITE)),
         "argument 1 (dat 'mark', OP2_WRITE), element 4 of 'cells'",
         "read component 0 before writing it");
  CAUGHT("(int i, int *n, double *a) { if (i == 4) a[1] = n[0]; n[0] = i; }", cells,
         ARGS(IDX, op2_arg_direct(r, OP2_WRITE), op2_arg_direct(q, OP2_RW)),
         "argument 1 (dat 'r', OP2_WRITE), element 4 of 'cells'",
         "read component 0 before writing it");
}

static void test_direct_strays(void) {
  CAUGHT("(double *a, int i) { if (i == 0) a[2] = 1; }", cells,
         ARGS(op2_arg_direct(q, OP2_RW), IDX), "argument 0 (dat 'q', OP2_RW), element 0 of 'cells'",
         "wrote outside of it, 0 bytes past its end: component 2,");
  CAUGHT("(int i, double *a) { if (i == 5) a[-1] = 1; }", cells,
         ARGS(IDX, op2_arg_direct(q, OP2_RW)), "argument 1 (dat 'q', OP2_RW), element 5 of 'cells'",
         "8 bytes before its start: component -1,");
  CAUGHT("(float *c, int i) { c[0] = 1; if (i == 2) c[500] = 1; }", cells,
         ARGS(op2_arg_direct(cold, OP2_WRITE), IDX),
         "argument 0 (dat 'cold', OP2_WRITE), element 2 of 'cells'",
         "1996 bytes past its end: component 500,");
  CAUGHT("(unsigned char *m, int i) { if (i == 3) m[3] = 1; }", cells,
         ARGS(op2_arg_direct(mark, OP2_RW), IDX),
         "argument 0 (dat 'mark', OP2_RW), element 3 of 'cells'",
         "0 bytes past its end: component 3,");
  CAUGHT("(double *a, int i) { a[0] += 1; if (i == 1) a[-4] += 1; }", cells,
         ARGS(op2_arg_direct(q, OP2_INC), IDX),
         "argument 0 (dat 'q', OP2_INC), element 1 of 'cells'",
         "wrote outside of it, 32 bytes before its start: component -4,");
  CAUGHT("(double *a, int i) { if (i == 1) ((double *)a)[2] = 4; }", cells,
         ARGS(op2_arg_direct(q, OP2_READ), IDX),
         "argument 0 (dat 'q', OP2_READ), element 1 of 'cells'", "wrote outside of it");
}

static void test_direct_stray_reads(void) {
  CAUGHT("(const double *a, float *c, int i) { c[0] = (float)(i == 2 ? a[2] : a[0]); }", cells,
         ARGS(op2_arg_direct(q, OP2_READ), op2_arg_direct(cold, OP2_WRITE), IDX),
         "argument 0 (dat 'q', OP2_READ), element 2 of 'cells'",
         "read outside of it, past its end: component 2,");
  CAUGHT("(const int *n, float *c, int i) { c[0] = 2; if (i == 5 && n[-3] > 0) c[0] = 3; }", cells,
         ARGS(op2_arg_direct(r, OP2_READ), op2_arg_direct(cold, OP2_WRITE), IDX),
         "argument 0 (dat 'r', OP2_READ), element 5 of 'cells'",
         "read outside of it, before its start: component -3,");
  CAUGHT("(double *a, int i) { a[0] += i == 3 ? a[40] : 1; }", cells,
         ARGS(op2_arg_direct(q, OP2_RW), IDX), "argument 0 (dat 'q', OP2_RW), element 3 of 'cells'",
         "read outside of it, past its end: component 40,");
}

/* ---- arguments through a map ----------------------------------------------------------------- */

static void test_slot(void) {
  CAUGHT("(double *a, int i) { if (i == 3) a[1] = 0; }", cells,
         ARGS(op2_arg_dat(x, 1, corners, OP2_READ), IDX),
         "argument 0 (dat 'x', OP2_READ, slot 1 of map 'corners': element 4 of 'nodes'), element 3 "
         "of 'cells'",
         "wrote component 1");
  CAUGHT("(int i, double *a) { a[0] = 5; if (i != 4) a[1] = 6; }", cells,
         ARGS(IDX, op2_arg_dat(x, 0, corners, OP2_WRITE)),
         "argument 1 (dat 'x', OP2_WRITE, slot 0 of map 'corners': element 4 of 'nodes'), element "
         "4 of 'cells'",
         "left component 1 unwritten");
  CAUGHT("(int i, double *a, float *c) { c[0] = i == 1 ? (float)a[1] : 2; a[0] = a[1] = 6; }",
         cells, ARGS(IDX, op2_arg_dat(x, 2, corners, OP2_WRITE), op2_arg_direct(cold, OP2_WRITE)),
         "argument 1 (dat 'x', OP2_WRITE, slot 2 of map 'corners': element 3 of 'nodes'), element "
         "1 of 'cells'",
         "read component 1 before writing it");
  CAUGHT("(double *a, int i) { a[0] += 1; if (i == 2) a[2] += 1; }", cells,
         ARGS(op2_arg_dat(x, 2, corners, OP2_INC), IDX),
         "argument 0 (dat 'x', OP2_INC, slot 2 of map 'corners': element 4 of 'nodes'), element 2 "
         "of 'cells'",
         "wrote outside of it, 0 bytes past its end: component 2,");
  CAUGHT("(const double *a, const double *b, double *s, int i) { s[0] += a[0] + (i == 5 ? b[-1] : "
         "b[1]); }",
         cells,
         ARGS(op2_arg_dat(x, 1, corners, OP2_READ), op2_arg_dat(x, 2, corners, OP2_READ),
              op2_arg_direct(q, OP2_INC), IDX),
         "argument 1 (dat 'x', OP2_READ, slot 2 of map 'corners': element 4 of 'nodes'), element 5 "
         "of 'cells'",
         "read outside of it, before its start: component -1,");
}

static void test_collisions(void) {
  CAUGHT("(int i, int *k) { k[0] = i; }", cells, ARGS(IDX, op2_arg_dat(key, 0, corners, OP2_WRITE)),
         "argument 1 (dat 'key', OP2_WRITE, slot 0 of map 'corners': element 2 of 'nodes'), "
         "element 5 of 'cells'",
         "collides with element 2,", "component 0 of element 2 of 'nodes'");
  ALLOWED("(int i, int *k) { k[0] = 17; }", cells,
          ARGS(IDX, op2_arg_dat(key, 0, corners, OP2_WRITE)));
  CAUGHT("(double **a, int i) { for (int s = 0; s < 3; s++) { a[s][0] = 1; a[s][1] = i == 2 && s "
         "== 1 ? 9 : 2; } }",
         cells, ARGS(op2_arg_dat(x, OP2_ALL, corners, OP2_WRITE), IDX),
         "argument 0 (dat 'x', OP2_WRITE, slot 1 of map 'corners': element 3 of 'nodes'), element "
         "2 of 'cells'",
         "collides with element 1,", "component 1 of element 3 of 'nodes'");
  CAUGHT("(int *k, int i) { k[0] = k[1] = k[2] = i < 3; }", cells,
         ARGS(op2_arg_dat(key, OP2_ITER(0), corners, OP2_WRITE), IDX),
         "argument 0 (dat 'key', OP2_WRITE, all slots of map 'corners'), element 3 of 'cells'",
         "collides with element");
  ALLOWED("(double **a, int i) { for (int s = 0; s < 3; s++) { a[s][0] = i % 2 ? 0.0 : -0.0; "
          "a[s][1] = 0.0 / 0.0; } }",
          cells, ARGS(op2_arg_dat(x, OP2_ALL, corners, OP2_WRITE), IDX));
  ALLOWED("(int i, int *k) { k[0] = i; }", cells, ARGS(IDX, op2_arg_dat(key, 0, corners, OP2_RW)));
  CAUGHT("(int i, int *k) { k[0] = i; }", some, ARGS(IDX, op2_arg_dat(key, 1, corners, OP2_WRITE)),
         "loop 'culprit' over 'odd cells'", "element 5 of 'cells'", "collides with element 1,");
}

static void test_all(void) {
  CAUGHT("(double **a, int i) { if (i == 1) a[2][1] = 0; }", cells,
         ARGS(op2_arg_dat(x, OP2_ALL, corners, OP2_READ), IDX),
         "argument 0 (dat 'x', OP2_READ, slot 2 of map 'corners': element 3 of 'nodes'), element 1 "
         "of 'cells'",
         "wrote component 1");
  CAUGHT("(double *a[], int i) { for (int s = 0; s < 3; s++) { a[s][0] = 1; if (i != 3 || s != 1) "
         "a[s][1] = 2; } }",
         cells, ARGS(op2_arg_dat(x, OP2_ALL, corners, OP2_WRITE), IDX),
         "argument 0 (dat 'x', OP2_WRITE, slot 1 of map 'corners': element 4 of 'nodes'), element "
         "3 of 'cells'",
         "left component 1 unwritten");
  CAUGHT("(int **k, int i, float *c) { c[0] = i == 2 ? k[1][0] : 0; k[0][0] = k[1][0] = k[2][0] = "
         "4; }",
         cells,
         ARGS(op2_arg_dat(key, OP2_ALL, corners, OP2_WRITE), IDX, op2_arg_direct(cold, OP2_WRITE)),
         "argument 0 (dat 'key', OP2_WRITE, slot 1 of map 'corners': element 3 of 'nodes'), "
         "element 2 of 'cells'",
         "read component 0 before writing it");
  CAUGHT("(double **a, int i) { a[1][0] += 1; if (i == 4) a[1][3] += 1; }", cells,
         ARGS(op2_arg_dat(x, OP2_ALL, corners, OP2_INC), IDX),
         "argument 0 (dat 'x', OP2_INC, slot 1 of map 'corners': element 0 of 'nodes'), element 4 "
         "of 'cells'",
         "8 bytes past its end: component 3,");
  CAUGHT("(const double **a, float *c, int i) { c[0] = (float)a[i == 0 ? 3 : 0][0]; }", cells,
         ARGS(op2_arg_dat(x, OP2_ALL, corners, OP2_READ), op2_arg_direct(cold, OP2_WRITE), IDX),
         "argument 0 (dat 'x', OP2_READ, all slots of map 'corners'), element 0 of 'cells'",
         "read through a slot past the last: the map has slots 0 to 2");
  CAUGHT("(double **a, int i) { a[0][0] += 1; if (i == 5) a[-1][0] += 1; }", cells,
         ARGS(op2_arg_dat(x, OP2_ALL, corners, OP2_RW), IDX),
         "argument 0 (dat 'x', OP2_RW, all slots of map 'corners'), element 5 of 'cells'",
         "wrote through a slot before the first: the map has slots 0 to 2");
  CAUGHT("(double **a, int i) { if (i == 2) a[0] = a[1]; }", cells,
         ARGS(op2_arg_dat(x, OP2_ALL, corners, OP2_READ), IDX),
         "argument 0 (dat 'x', OP2_READ, slot 0 of map 'corners': element 2 of 'nodes'), element 2 "
         "of 'cells'",
         "overwrote the pointer to it");
}

static void test_iter(void) {
  CAUGHT("(double *a, int i) { if (i == 2) a[5] = 0; }", cells,
         ARGS(op2_arg_dat(x, OP2_ITER(0), corners, OP2_READ), IDX),
         "argument 0 (dat 'x', OP2_READ, all slots of map 'corners'), element 2 of 'cells'",
         "wrote component 1 of slot 2");
  CAUGHT("(int i, double *a) { for (int k = 0; k < 6; k++) if (i != 4 || k != 3) a[k] = 1; }",
         cells, ARGS(IDX, op2_arg_dat(x, OP2_ITER(0), corners, OP2_WRITE)),
         "argument 1 (dat 'x', OP2_WRITE, all slots of map 'corners'), element 4 of 'cells'",
         "left component 1 of slot 1 unwritten");
  CAUGHT("(int i, double *a, int *n) { n[0] = i == 3 ? (int)a[4] : 0; for (int k = 0; k < 6; k++) "
         "a[k] = 1; }",
         cells,
         ARGS(IDX, op2_arg_dat(x, OP2_ITER(0), corners, OP2_WRITE), op2_arg_direct(r, OP2_WRITE)),
         "argument 1 (dat 'x', OP2_WRITE, all slots of map 'corners'), element 3 of 'cells'",
         "read component 0 of slot 2 before writing it");
  CAUGHT("(int i, double *a) { if (i == 1) a[6] = 0; }", cells,
         ARGS(IDX, op2_arg_dat(x, OP2_ITER(1), corners, OP2_INC)),
         "argument 1 (dat 'x', OP2_INC, all slots of map 'corners'), element 1 of 'cells'",
         "wrote outside of it, 0 bytes past its end: component 6, where 0 to 5 are its own");
  CAUGHT("(int i, const int *k, int *n) { n[0] = i == 0 ? k[-1] : k[2]; }", cells,
         ARGS(IDX, op2_arg_dat(key, OP2_ITER(0), corners, OP2_READ), op2_arg_direct(r, OP2_WRITE)),
         "argument 1 (dat 'key', OP2_READ, all slots of map 'corners'), element 0 of 'cells'",
         "read outside of it, before its start: component -1,");
}

/* ---- globals, values, state ------------------------------------------------------------------ */

static void test_globals(void) {
  CAUGHT("(double *g, int i) { if (i == 3) g[1] = 0; }", cells,
         ARGS(op2_arg_gbl(gain, OP2_READ), IDX),
         "argument 0 (global 'gain', OP2_READ), element 3 of 'cells'", "wrote component 1");
  CAUGHT("(const double *g, float *c, int i) { c[0] = (float)g[i == 1 ? 2 : 1]; }", cells,
         ARGS(op2_arg_gbl(gain, OP2_READ), op2_arg_direct(cold, OP2_WRITE), IDX),
         "argument 0 (global 'gain', OP2_READ), element 1 of 'cells'",
         "read outside of it, past its end: component 2,");
  CAUGHT("(double *s, int i) { s[0] += 1; if (i == 1) s[1] += 1; }", cells,
         ARGS(op2_arg_gbl(sum, OP2_INC), IDX),
         "argument 0 (global 'sum', OP2_INC), element 1 of 'cells'",
         "wrote outside of it, 0 bytes past its end");
}

static void test_reductions(void) {
  CAUGHT("(int i, const double *a, double *s) { if (i == 3) s[0] = a[0]; else s[0] += a[0]; }",
         cells, ARGS(IDX, op2_arg_direct(q, OP2_READ), op2_arg_gbl(sum, OP2_INC)),
         "argument 2 (global 'sum', OP2_INC), element 3 of 'cells'",
         "component 0 depends on the value before", "not an addition");
  CAUGHT("(int *n, int i) { if (i == 4) n[0] *= 2; }", cells,
         ARGS(op2_arg_gbl(count, OP2_INC), IDX),
         "argument 0 (global 'count', OP2_INC), element 4 of 'cells'",
         "component 0 depends on the value before", "not an addition");
  CAUGHT("(double *l, int i) { if (i == 1) l[0] = 60; }", cells,
         ARGS(op2_arg_gbl(low, OP2_MIN), IDX),
         "argument 0 (global 'low', OP2_MIN), element 1 of 'cells'", "raised component 0");
  CAUGHT("(int i, short *h) { if (i == 2) h[0] = 40; }", cells,
         ARGS(IDX, op2_arg_gbl(high, OP2_MAX)),
         "argument 1 (global 'high', OP2_MAX), element 2 of 'cells'", "lowered component 0");
  CAUGHT("(int i, short *h) { if (i == 2) h[0] += 3; }", cells,
         ARGS(IDX, op2_arg_gbl(high, OP2_MAX)),
         "argument 1 (global 'high', OP2_MAX), element 2 of 'cells'",
         "component 0 depends on the value before", "not a maximum");
  CAUGHT("(int i, double *l) { if (i == 5) l[0] -= 1; }", cells,
         ARGS(IDX, op2_arg_gbl(low, OP2_MIN)),
         "argument 1 (global 'low', OP2_MIN), element 5 of 'cells'", "not a minimum");
  CAUGHT("(double *s, const double *a, float *c, int i) { s[0] += a[0]; c[0] = i == 5 ? "
         "(float)s[0] : 1; }",
         cells,
         ARGS(op2_arg_gbl(sum, OP2_INC), op2_arg_direct(q, OP2_READ),
              op2_arg_direct(cold, OP2_WRITE), IDX),
         "argument 0 (global 'sum', OP2_INC), element 5 of 'cells'", "other results depend on it");
  CAUGHT("(double *s, double *a, int i) { s[0] += a[0] + (i == 2 ? a[-1] : 0); }", cells,
         ARGS(op2_arg_gbl(sum, OP2_INC), op2_arg_direct(q, OP2_READ), IDX),
         "argument 1 (dat 'q', OP2_READ), element 2 of 'cells'",
         "read outside of it, before its start: component -1,");
  CAUGHT("(double *a, int i) { if (i == 4) a[1] = 1000; }", cells,
         ARGS(op2_arg_dat(x, 1, corners, OP2_MIN), IDX),
         "argument 0 (dat 'x', OP2_MIN, slot 1 of map 'corners': element 0 of 'nodes'), element 4 "
         "of 'cells'",
         "raised component 1");
  CAUGHT("(double *a, int i) { if (i == 4) a[1] = 1; }", cells,
         ARGS(op2_arg_dat(x, OP2_ITER(0), corners, OP2_MAX), IDX),
         "argument 0 (dat 'x', OP2_MAX, all slots of map 'corners'), element 4 of 'cells'",
         "lowered component 1 of slot 0");
  ALLOWED("(double *a, float *c) { c[0] = a[0] > 4 ? 1 : 0; if (a[0] > 4) a[0] = 4; }", cells,
          ARGS(op2_arg_direct(q, OP2_MIN), op2_arg_direct(cold, OP2_WRITE)));
  ALLOWED("(double *l, const double *a) { if (a[0] < l[0]) l[0] = a[0]; }", cells,
          ARGS(op2_arg_gbl(low, OP2_MIN), op2_arg_direct(q, OP2_READ)));
  ALLOWED("(double *s, const double *a) { s[0] += 1e200 * a[0]; s[0] -= 1e-200; }", cells,
          ARGS(op2_arg_gbl(sum, OP2_INC), op2_arg_direct(q, OP2_READ)));
  ALLOWED("(double *s) { s[0] += 1.0 / 0.0; s[0] -= 1.0 / 0.0; }", cells,
          ARGS(op2_arg_gbl(sum, OP2_INC)));
}

static void test_values(void) {
  const double pair[2] = {2, 3};
  const int32_t one = 1;
  CAUGHT("(int i, double *v) { if (i == 2) v[1] = 4; }", cells,
         ARGS(IDX, op2_arg_val(pair, 2, OP2_F64)), "argument 1 (op2_arg_val), element 2 of 'cells'",
         "wrote component 1");
  CAUGHT("(const int *v, int i, int *n) { n[0] = v[0]; if (i == 1) n[0] = v[1]; }", cells,
         ARGS(op2_arg_val(&one, 1, OP2_I32), IDX, op2_arg_direct(r, OP2_WRITE)),
         "argument 0 (op2_arg_val), element 1 of 'cells'",
         "read outside of it, past its end: component 1,");
  CAUGHT("(const int64_t *i, int *n) { n[0] = (int)*i; if (*i == 3) ((int *)n)[-1] = 2; }", cells,
         ARGS(IDX, op2_arg_direct(r, OP2_WRITE)),
         "argument 1 (dat 'r', OP2_WRITE), element 3 of 'cells'", "4 bytes before its start");
  CAUGHT("(int i, float *c) { static int calls; c[0] = i == 1 ? (float)calls++ : 0; }", cells,
         ARGS(IDX, op2_arg_direct(cold, OP2_WRITE)), "element 1 of 'cells'", "keeps state");
}

static void test_iteration(void) {
  CAUGHT("(double *a, int i) { a[0] = 1; if (i < 2) a[1] = 2; }", some,
         ARGS(op2_arg_direct(q, OP2_WRITE), IDX), "loop 'culprit' over 'odd cells'",
         "argument 0 (dat 'q', OP2_WRITE), element 3 of 'cells'", "left component 1");
  CAUGHT("(double *a, double *b, int i) { a[0] += 1; if (i == 5) b[0] = 2; }", halo,
         ARGS(op2_arg_dat(x, 0, halo_corners, OP2_INC), op2_arg_direct(hq, OP2_READ), IDX),
         "argument 1 (dat 'hq', OP2_READ), element 5 of 'halo cells'", "wrote component 0");
  ALLOWED("(double *b, int i) { if (i >= 4) b[100] = 2; }", halo,
          ARGS(op2_arg_direct(hq, OP2_RW), IDX));
}

int main(void) {
  test_environment();
  set_up();
  test_direct_access();
  test_direct_early_reads();
  test_direct_strays();
  test_direct_stray_reads();
  test_slot();
  test_collisions();
  test_all();
  test_iter();
  test_globals();
  test_reductions();
  test_values();
  test_iteration();
  tear_down();
  return done();
}
