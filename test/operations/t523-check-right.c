/* SPDX-License-Identifier: BSD-3-Clause */
/* Two hundred kernels that do what their arguments declare, on values that are hard for a checker:
 * every type and every kind of argument, sums that cancel, overflow, wrap or come to nothing, NaN,
 * infinity and denormal numbers. The checked mode must not report any of them. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "op2.h"
#include "support.h"

enum { CELLS = 12, NODES = 7, CORNERS = 3, DIM = 2, TYPES = 10, WANTED = 200 };

static op2_context ctx;
static op2_set cells, nodes;
static op2_map corners;
static op2_const factor, table;
static struct {
  const char *c;
  op2_type type;
  op2_dat cell, out, node, bound;
  op2_gbl sum, low, high;
} kind[TYPES] = {{.c = "double", .type = OP2_F64},   {.c = "float", .type = OP2_F32},
                 {.c = "int8_t", .type = OP2_I8},    {.c = "int16_t", .type = OP2_I16},
                 {.c = "int32_t", .type = OP2_I32},  {.c = "int64_t", .type = OP2_I64},
                 {.c = "uint8_t", .type = OP2_U8},   {.c = "uint16_t", .type = OP2_U16},
                 {.c = "uint32_t", .type = OP2_U32}, {.c = "uint64_t", .type = OP2_U64}};
static int distinct;

/* ---- values ---------------------------------------------------------------------------------- */

static const double hard[CELLS] = {
    0, -0.0, 1, -1.5, 4.9406564584124654e-324, 1e300, 7.1, INFINITY, -INFINITY, NAN, -1e300, 3.25};

union values {
  double f64[CELLS * DIM];
  float f32[CELLS * DIM];
  uint64_t bits[CELLS * DIM];
};

static void draw_values(op2_type type, uint64_t *seed, union values *out) {
  for (int i = 0; i < CELLS * DIM; i++) {
    double value = hard[(i + i / CELLS) % CELLS];
    if (type == OP2_F64)
      out->f64[i] = value;
    else if (type == OP2_F32)
      out->f32[i] =
          isfinite(value) && fabs(value) > 1e30 ? copysignf(1e30f, (float)value) : (float)value;
    else
      out->bits[i] = draw(seed);
  }
}

static op2_dat new_values(op2_set set, int k, uint64_t *seed, const char *what) {
  union values values;
  char name[32];
  op2_dat dat = NULL;
  snprintf(name, sizeof name, "%s %s", kind[k].c, what);
  draw_values(kind[k].type, seed, &values);
  CHECK(op2_dat_create(set, DIM, kind[k].type, &values, name, &dat));
  return dat;
}

static op2_gbl new_start(int k, const double *real, uint64_t *seed, const char *what) {
  union values values;
  char name[32];
  op2_gbl gbl = NULL;
  snprintf(name, sizeof name, "%s %s", kind[k].c, what);
  draw_values(kind[k].type, seed, &values);
  for (int i = 0; i < DIM; i++)
    if (kind[k].type == OP2_F64)
      values.f64[i] = real[i];
    else if (kind[k].type == OP2_F32)
      values.f32[i] = (float)real[i];
  CHECK(op2_gbl_create(ctx, DIM, kind[k].type, &values, name, &gbl));
  return gbl;
}

static void set_up(void) {
  const op2_options options = {.backend = "check", .cache_dir = test_cache(), .eager = 0};
  const double zero[DIM] = {0, 0.1}, above[DIM] = {INFINITY, 1e30}, below[DIM] = {-INFINITY, 0};
  const double two = 2, three[3] = {1e-3, 1, 1e3};
  int32_t corner[CELLS * CORNERS];
  uint64_t seed = 7;
  for (int i = 0; i < CELLS * CORNERS; i++) corner[i] = draw_below(&seed, NODES);
  CHECK(op2_init(&options, &ctx));
  CHECK(op2_set_create(ctx, CELLS, "cells", &cells));
  CHECK(op2_set_create(ctx, NODES, "nodes", &nodes));
  CHECK(op2_map_create(cells, nodes, CORNERS, corner, "corners", &corners));
  CHECK(op2_const_create(ctx, 1, OP2_F64, &two, "factor", &factor));
  CHECK(op2_const_create(ctx, 3, OP2_F64, three, "table", &table));
  for (int k = 0; k < TYPES; k++) {
    kind[k].cell = new_values(cells, k, &seed, "in cells");
    kind[k].out = new_values(cells, k, &seed, "results");
    kind[k].node = new_values(nodes, k, &seed, "at nodes");
    kind[k].bound = new_values(nodes, k, &seed, "bounds");
    kind[k].sum = new_start(k, zero, &seed, "sum");
    kind[k].low = new_start(k, above, &seed, "low");
    kind[k].high = new_start(k, below, &seed, "high");
  }
}

static void tear_down(void) {
  for (int k = 0; k < TYPES; k++) {
    op2_dat_destroy(&kind[k].cell);
    op2_dat_destroy(&kind[k].out);
    op2_dat_destroy(&kind[k].node);
    op2_dat_destroy(&kind[k].bound);
    op2_gbl_destroy(&kind[k].sum);
    op2_gbl_destroy(&kind[k].low);
    op2_gbl_destroy(&kind[k].high);
  }
  op2_const_destroy(&factor);
  op2_const_destroy(&table);
  op2_map_destroy(&corners);
  op2_set_destroy(&cells);
  op2_set_destroy(&nodes);
  CHECK(op2_finalize(&ctx));
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* A letter stands for an argument. On the element itself: c cells READ, w results WRITE, u results
 * RW, i results INC. At corners, for slot 1, all slots and a buffer: n N m READ, p P q INC, r R RW.
 * Globals: l h bounds MIN and MAX, s S INC, g READ, L H MIN and MAX. x is the element's number. */
static op2_arg argument(char letter, int k) {
  switch (letter) {
  case 'c': return op2_arg_direct(kind[k].cell, OP2_READ);
  case 'w': return op2_arg_direct(kind[k].out, OP2_WRITE);
  case 'u': return op2_arg_direct(kind[k].out, OP2_RW);
  case 'i': return op2_arg_direct(kind[k].out, OP2_INC);
  case 'n': return op2_arg_dat(kind[k].node, 1, corners, OP2_READ);
  case 'N': return op2_arg_dat(kind[k].node, OP2_ALL, corners, OP2_READ);
  case 'm': return op2_arg_dat(kind[k].node, OP2_ITER(0), corners, OP2_READ);
  case 'p': return op2_arg_dat(kind[k].bound, 1, corners, OP2_INC);
  case 'P': return op2_arg_dat(kind[k].bound, OP2_ALL, corners, OP2_INC);
  case 'q': return op2_arg_dat(kind[k].bound, OP2_ITER(0), corners, OP2_INC);
  case 'r': return op2_arg_dat(kind[k].node, 0, corners, OP2_RW);
  case 'R': return op2_arg_dat(kind[k].node, OP2_ALL, corners, OP2_RW);
  case 'l': return op2_arg_dat(kind[k].bound, 0, corners, OP2_MIN);
  case 'h': return op2_arg_dat(kind[k].bound, 2, corners, OP2_MAX);
  case 's': return op2_arg_gbl(kind[k].sum, OP2_INC);
  case 'g': return op2_arg_gbl(kind[k].sum, OP2_READ);
  case 'L': return op2_arg_gbl(kind[k].low, OP2_MIN);
  case 'H': return op2_arg_gbl(kind[k].high, OP2_MAX);
  default: return op2_arg_idx();
  }
}

struct right {
  const char *letters, *text; /* T stands for the type */
};

/* These run for all types. */
static const struct right all_types[] = {
    {"ci", "(const T *a, T *s) { s[0] += a[0]; if (a[1] > a[0]) s[1] -= a[1]; s[0] -= a[1]; }"},
    {"cp", "(const T *a, T *s) { for (int k = 0; k < 50; k++) s[k % 2] += a[k % 2]; s[1] += 1; }"},
    {"cP", "(T *a, T **s) { for (int k = 0; k < 3; k++) { s[k][0] += a[0]; s[k][1] -= a[1]; } }"},
    {"cq", "(const T *a, T *s) { for (int k = 0; k < 6; k++) if (k != 2) s[k] += a[k % 2]; }"},
    {"cs", "(const T *a, T *s) { if (a[0] != 0) s[0] += a[0]; s[1] += a[1]; s[1] += a[0]; }"},
    {"cL",
     "(const T *a, T *l) { if (a[0] < l[0]) l[0] = a[0]; l[1] = a[1] < l[1] ? a[1] : l[1]; }"},
    {"cH",
     "(const T *a, T *h) { if (a[0] > h[0]) h[0] = a[0]; h[1] = h[1] < a[1] ? a[1] : h[1]; }"},
    {"nlh", "(T *a, T *l, T *h) { if (a[0] < *l) *l = a[0]; if (a[1] > h[1]) h[1] = a[1]; }"},
    {"cw", "(const T *a, T *w) { w[1] = a[0]; w[0] = w[1]; w[1] = (T)(w[0] + a[1]); }"},
    {"Nu", "(T **a, T *u) { u[0] = (T)(u[0] + a[0][1]); if (u[1] == 0) u[1] = a[2][0]; }"},
    {"r", "(T *r) { T old = r[0]; r[0] = r[1]; r[1] = old; }"},
    {"mi", "(T *a, T *s) { s[1] = a[5]; for (const T *p = a; p < a + 4; p++) *s += *p; }"},
    {"csLx",
     "(T *a, T *s, T *l, int i) { if (i % 3) { s[0] += a[0]; return; } if (*a < *l) *l = *a; }"},
    {"R", "(T **r) { for (int k = 0; k < 2; k++) r[k][0] = r[k + 1][1]; }"},
};

/* These run for floating-point types only. */
static const struct right reals[] = {
    {"cs", "(const T *a, T *s) { s[0] += (T)1e20; s[0] -= (T)1e20; s[1] += a[0]; }"},
    {"ci", "(const T *a, T *s) { s[0] += (T)1e30; s[0] += a[0]; s[0] -= (T)1e30; s[1] -= -a[1]; }"},
    {"xs", "(int i, T *s) { for (int k = 0; k < 1000; k++) s[0] += (T)1 / (k + i + 1); }"},
    {"xs",
     "(int i, T *s) { for (int k = 0; k < 999; k++) s[0] += (k % 2 ? -1 : 1) * (T)(k * 0.1); }"},
    {"cs", "(const T *a, T *s) { s[0] += a[0] * a[0]; s[1] += a[1] / a[0]; }"},
    {"xs", "(int i, T *s) { if (i == 3) s[0] += (T)INFINITY; if (i > 4) s[0] -= 1; }"},
    {"xp", "(int i, T *s) { if (i == 2) s[1] += (T)NAN; s[0] += i; }"},
    {"xi", "(int i, T *s) { s[0] += (T)-0.0; s[1] -= (T)0.0; if (i > 99) s[0] += 1; }"},
    {"xs",
     "(int i, T *s) { s[0] += sizeof(T) == 8 ? (T)1e-320 : (T)1e-44; s[1] += i * (T)1e-37; }"},
    {"xs", "(int i, T *s) { s[0] += sizeof(T) == 8 ? (T)1e307 : (T)1e37; s[0] -= i; }"},
    {"cP",
     "(const T *a, T **s) { T f = a[0] - a[1]; s[0][0] += f; s[1][0] -= f; s[2][1] += f * f; }"},
    {"cs", "(const T *a, T *s) { T *p = s; *p++ += a[0]; *p += a[1]; }"},
    {"cs", "(const T *a, T *s) { s[0] = s[0] + a[0]; s[1] = a[1] + s[1]; s[1] = s[1] - 3; }"},
    {"cLH", "(const T *a, T *l, T *h) { *l = (T)fmin(*l, a[0]); *h = (T)fmax(a[1], *h); }"},
    {"nl", "(const T *a, T *l) { l[0] = a[0] < l[0] ? a[0] : l[0]; l[1] = (T)fmin(a[1], l[1]); }"},
    {"cLs",
     "(T *a, T *l, T *s) { if (a[0] < l[0]) l[0] = a[0]; s[0] += a[0]; s[1] += fabs(a[1]); }"},
    {"cw", "(const T *a, T *w) { w[0] = (T)sqrt(a[0]); w[1] = a[1] == 0 ? (T)factor : 1 / a[1]; }"},
    {"cw",
     "(T *a, T *w) { for (int k = 0; k < 2; k++) w[k] = (T)(a[k] * table[k + 1] + table[0]); }"},
    {"cu", "(const T *a, T *u) { if (u[0] != u[0]) u[0] = 0; u[1] += u[0] * a[0]; }"},
    {"cs",
     "(const T *a, T *s) { T sum = 0, c = 0; for (int k = 0; k < 9; k++) { T y = a[k % 2] - c, "
     "t = sum + y; c = (t - sum) - y; sum = t; } s[0] += sum; }"},
    {"ci",
     "(const T *a, T *s) { switch ((int)(a[0] > 1)) { case 0: s[0] += 1; break; default: s[1] += "
     "a[0]; } }"},
    {"xq",
     "(int i, T *s) { for (int k = 5; k >= 0; k--) { if (k == i) break; s[k] += (T)(0.1 * k); } }"},
    {"ci",
     "(const T *a, T *s) { T local[4] = {a[0], a[1], 1, 2}; for (int k = 0; k < 8; k++) s[k / 4] "
     "+= local[k % 4]; }"},
    {"gu", "(const T *g, T *u) { u[0] = g[0] + g[1]; u[1] = u[0] > 0 ? 1 : 2; }"},
    {"cpi",
     "(const T *a, T *p, T *s) { p[0] += a[0] * (T)0.3; s[0] += a[0] * (T)0.7; s[1] += p == s; }"},
    {"mq", "(T a[3][2], T s[3][2]) { for (int k = 0; k < 3; k++) s[k][1] += a[k][0] * a[k][1]; }"},
    {"cs",
     "(const T *a, T *s) { s[0] += (T)1e10; s[0] += a[0]; s[0] -= (T)1e10; s[0] += (T)1e-10; }"},
    {"xs", "(int i, T *s) { s[0] += (T)ldexp(1.0, 60); s[0] -= (T)ldexp(1.0, 60); s[1] -= i; }"},
    {"xsH",
     "(int i, T *s, T *h) { T v = (T)(i * 1e5 - 3e5); s[0] += v; s[1] += v > 0; if (v > *h) *h = "
     "v; }"},
    {"cis", "(const T *a, T *u, T *s) { T d = a[0] / 2; *u += d; s[0] += d * d; s[1] += d > 0 ? d "
            ": -d; }"},
};

static void queue(const struct right *right, int k) {
  static char sources[WANTED + 100][1024]; /* messages also use them as file names after the call */
  char *source = sources[distinct];
  size_t length = (size_t)snprintf(source, sizeof sources[0], "void right");
  op2_arg args[8];
  int nargs = 0;
  for (const char *at = right->text; *at; at++) {
    bool type = *at == 'T' && (at == right->text || !strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", at[-1]));
    type = type && !strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", at[1]);
    length += (size_t)snprintf(source + length, sizeof sources[0] - length, "%.*s", type ? 99 : 1,
                               type ? kind[k].c : at);
  }
  const op2_kernel_desc desc = {.name = "right", .source = source};
  op2_kernel kernel = NULL;
  op2_status status = op2_kernel_create(ctx, &desc, &kernel);
  for (const char *l = right->letters; *l; l++) args[nargs++] = argument(*l, k);
  if (!status) status = op2_par_loop_at((op2_where){source, k}, kernel, cells, nargs, args);
  op2_kernel_destroy(&kernel);
  if (!ok(status == OP2_SUCCESS, "queued: %s", source)) diag("%s", op2_error_message());
  distinct += status == OP2_SUCCESS;
}

/* The source is given as the name of the file, so that messages show it. Loops that depend on a
 * failed one do not run, but then the flush fails. */
static void test_kernels(void) {
  for (int k = 0; k < TYPES; k++)
    for (size_t i = 0; i < sizeof all_types / sizeof all_types[0]; i++) queue(&all_types[i], k);
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) queue(&reals[i], k);
  op2_status status = op2_flush(ctx);
  if (!ok(status == OP2_SUCCESS, "none of %d kernels is accused", distinct))
    diag("%s", op2_error_message());
  ok(distinct >= WANTED, "at least %d kernels", WANTED);
}

int main(void) {
  test_environment();
  set_up();
  test_kernels();
  tear_down();
  return done();
}
