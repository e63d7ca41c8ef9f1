/* SPDX-License-Identifier: BSD-3-Clause */
/* The checked mode lets every correct kernel pass and gives bitwise what the sequential backend
 * gives, whether it judges all elements or a sample. For bits to be comparable the compiler may not contract a kernel's product with the
 * addition that the library does after it, since the checked mode does the two separately. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "op2.h"
#include "support.h"

enum { CELLS = 300, NODES = 90, ARITY = 3, RESULTS_MAX = 1 << 16 };

struct mesh {
  op2_context ctx;
  op2_set cells, nodes, some;
  op2_map m, one;
  op2_dat a, b, c8, h, f; /* on cells: F64[2], F64[1], U8[3], I16[1], F32[2] */
  op2_dat x, y, k, u, w;  /* on nodes: F64[2], F64[1], I32[1], U64[2], F32[1] */
  op2_gbl sum, low, high, n, fsum;
  op2_const scale, shift;
};

static double real(uint64_t *state) { return (double)(draw(state) % 2000001) / 1000 - 1000; }

static op2_dat dat(op2_set set, int64_t size, int dim, op2_type type, uint64_t *seed,
                   const char *name) {
  static union {
    double f64[CELLS * 3];
    float f32[CELLS * 3];
    uint64_t bits[CELLS * 3];
  } values;
  for (int64_t i = 0; i < size * dim; i++)
    if (type == OP2_F64)
      values.f64[i] = real(seed);
    else if (type == OP2_F32)
      values.f32[i] = (float)real(seed);
    else
      values.bits[i] = draw(seed);
  op2_dat out = NULL;
  CHECK(op2_dat_create(set, dim, type, &values, name, &out));
  return out;
}

static void make(struct mesh *g, const char *backend) {
  const op2_options options = {.backend = backend,
                               .cache_dir = test_cache(),
                               .eager = -1,
                               .cflags = "-O3 -march=native -ffp-contract=off"};
  const int64_t ends[4] = {200, 280, 300, 300};
  uint64_t seed = 42;
  int32_t map[CELLS * ARITY], one[CELLS];
  int64_t some[CELLS / 3];
  for (int i = 0; i < CELLS * ARITY; i++) map[i] = draw_below(&seed, i % 7 ? NODES : 4);
  for (int i = 0; i < CELLS; i++) one[i] = draw_below(&seed, NODES);
  for (int i = 0; i < CELLS / 3; i++) some[i] = 3 * i + draw_below(&seed, 3);
  const double low = 1, sum = 0.5, scale = 1.25, shift[2] = {0.1, 0.7};
  const float high[2] = {-5, 5};
  const int32_t n[3] = {INT32_MAX - 10, 3, INT32_MIN + 2};
  CHECK(op2_init(&options, &g->ctx));
  CHECK(op2_set_create_sections(g->ctx, ends, "cells", &g->cells));
  CHECK(op2_set_create(g->ctx, NODES, "nodes", &g->nodes));
  CHECK(op2_subset_create(g->cells, CELLS / 3, some, "some", &g->some));
  CHECK(op2_map_create(g->cells, g->nodes, ARITY, map, "m", &g->m));
  CHECK(op2_map_create(g->cells, g->nodes, 1, one, "one", &g->one));
  g->a = dat(g->cells, CELLS, 2, OP2_F64, &seed, "a");
  g->b = dat(g->cells, CELLS, 1, OP2_F64, &seed, "b");
  g->c8 = dat(g->cells, CELLS, 3, OP2_U8, &seed, "c8");
  g->h = dat(g->cells, CELLS, 1, OP2_I16, &seed, "h");
  g->f = dat(g->cells, CELLS, 2, OP2_F32, &seed, "f");
  g->x = dat(g->nodes, NODES, 2, OP2_F64, &seed, "x");
  g->y = dat(g->nodes, NODES, 1, OP2_F64, &seed, "y");
  g->k = dat(g->nodes, NODES, 1, OP2_I32, &seed, "k");
  g->u = dat(g->nodes, NODES, 2, OP2_U64, &seed, "u");
  g->w = dat(g->nodes, NODES, 1, OP2_F32, &seed, "w");
  CHECK(op2_gbl_create(g->ctx, 1, OP2_F64, &sum, "sum", &g->sum));
  CHECK(op2_gbl_create(g->ctx, 1, OP2_F64, &low, "low", &g->low));
  CHECK(op2_gbl_create(g->ctx, 2, OP2_F32, high, "high", &g->high));
  CHECK(op2_gbl_create(g->ctx, 3, OP2_I32, n, "n", &g->n));
  CHECK(op2_gbl_create(g->ctx, 1, OP2_F32, NULL, "fsum", &g->fsum));
  CHECK(op2_const_create(g->ctx, 1, OP2_F64, &scale, "scale", &g->scale));
  CHECK(op2_const_create(g->ctx, 2, OP2_F64, shift, "shift", &g->shift));
}

/* ---- correct kernels ------------------------------------------------------------------------- */

static op2_status loop(struct mesh *g, int line, const char *text, op2_set set, int nargs,
                       const op2_arg *args) {
  char source[1024];
  op2_kernel kernel = NULL;
  snprintf(source, sizeof source, "void good%s\n", text);
  const op2_kernel_desc desc = {.name = "good", .source = source};
  op2_status status = op2_kernel_create(g->ctx, &desc, &kernel);
  if (!status) status = op2_par_loop_at((op2_where){"good.c", line}, kernel, set, nargs, args);
  op2_kernel_destroy(&kernel);
  if (!status) status = op2_flush(g->ctx);
  return status;
}

#define LOOP(text_, set_, ...)                                                                     \
  tap_check(loop(g, __LINE__, text_, g->set_,                                                      \
                 (int)(sizeof((op2_arg[]){__VA_ARGS__}) / sizeof(op2_arg)),                        \
                 (op2_arg[]){__VA_ARGS__}),                                                        \
            text_, __FILE__, __LINE__)
#define DIRECT(name_, mode_)         op2_arg_direct(g->name_, OP2_##mode_)
#define SLOT(name_, i_, map_, mode_) op2_arg_dat(g->name_, i_, g->map_, OP2_##mode_)
#define ALL(name_, mode_)            op2_arg_dat(g->name_, OP2_ALL, g->m, OP2_##mode_)
#define ITER(name_, mode_)           op2_arg_dat(g->name_, OP2_ITER(0), g->m, OP2_##mode_)
#define GBL(name_, mode_)            op2_arg_gbl(g->name_, OP2_##mode_)

static void direct(struct mesh *g) {
  LOOP("(const double *a, double *b, int i) { *b = a[0] * a[1] + i * scale + shift[1]; }", cells,
       DIRECT(a, READ), DIRECT(b, WRITE), op2_arg_idx());
  LOOP("(double *p, const double *r, double *s) { p[0] += 1; s[1] = r[0] * p[1]; }", cells,
       DIRECT(a, RW), DIRECT(a, READ), DIRECT(a, RW));
  LOOP("(double *p, const double *r) { double t = r[1]; p[0] = t - r[0]; p[1] = r[0] * 3; }", cells,
       DIRECT(a, WRITE), DIRECT(a, READ));
  LOOP("(double *p, double *q, const double *b) { p[0] = *b; q[1] = p[0] * 2; p[1] = q[1]; q[0] = "
       "4; }",
       cells, DIRECT(a, WRITE), DIRECT(a, WRITE), DIRECT(b, READ));
  LOOP("(double *p, double *q, const double *b) { p[0] += *b * 1.1; q[0] += *b * b[0]; q[1] = 2; }",
       cells, DIRECT(a, INC), DIRECT(a, INC), DIRECT(b, READ));
  LOOP("(unsigned char *c, short *h, int64_t i) { c[0] += 200; c[2] = (unsigned char)(c[1] * i); "
       "*h += 30000; }",
       cells, DIRECT(c8, RW), DIRECT(h, INC), op2_arg_idx());
  LOOP("(float *f, const unsigned char *c) { f[0] = c[0] / 3.f; f[1] = -0.0f; }", some,
       DIRECT(f, WRITE), DIRECT(c8, READ));
  LOOP("(float *f, short *h) { if (f[0] > -3) f[0] = -3; if (*h < 100) *h = 100; }", cells,
       DIRECT(f, MIN), DIRECT(h, MAX));
}

static void indirect(struct mesh *g) {
  LOOP("(const double *p, const double *q, double *r, const double *b) { double d = p[0] - q[0]; "
       "r[0] += d * *b; r[1] -= b[0] * p[1]; }",
       cells, SLOT(x, 0, m, READ), SLOT(x, 2, m, READ), SLOT(x, 1, m, INC), DIRECT(b, READ));
  LOOP("(double *p, double *q, const double *b) { p[0] += *b * 0.3; q[0] += *b * 0.7; q[1] += "
       "b[0]; }",
       cells, SLOT(x, 0, m, INC), SLOT(x, 1, m, INC), DIRECT(b, READ));
  LOOP("(double *p, double *q, const double *b) { p[0] = q[1] / 2 + *b; q[0] *= 0.5; }", cells,
       SLOT(x, 0, m, RW), SLOT(x, 1, m, RW), DIRECT(b, READ));
  LOOP("(double *p, const double *q) { p[1] = q[0] * 0.25 + q[1]; }", cells, SLOT(x, 2, m, RW),
       SLOT(x, 0, m, READ));
  LOOP(
      "(double *p, double *q, const double *r) { q[0] += r[0]; p[1] *= 0.5; q[1] += p[0] * 1e-3; }",
      cells, SLOT(x, 1, m, RW), SLOT(x, 2, m, INC), SLOT(x, 0, m, READ));
  LOOP("(const int *k, double *y) { *y = *k * 3.0; }", cells, SLOT(k, 0, one, READ),
       SLOT(y, 0, one, WRITE));
  LOOP("(int *k, int64_t i) { *k = *k * 3 + (int)i; }", cells, SLOT(k, 1, m, RW), op2_arg_idx());
  LOOP("(uint64_t *u, float *w, const double *a) { if (u[1] > 77) u[1] = 77; if (*w < a[0]) *w = "
       "(float)a[0]; }",
       cells, SLOT(u, 0, m, MIN), SLOT(w, 2, m, MAX), DIRECT(a, READ));
  LOOP("(double *p, double *q, const double *b) { *p = *p < *b ? *p : *b; *q = *q < -*b ? *q : "
       "-*b; }",
       some, SLOT(y, 0, m, MIN), SLOT(y, 1, m, MIN), DIRECT(b, READ));
}

static void vector(struct mesh *g) {
  LOOP("(double *x[], double *b) { *b = 0; for (int i = 0; i < 3; i++) *b += x[i][0] * x[i][1]; }",
       cells, ALL(x, READ), DIRECT(b, WRITE));
  LOOP("(double **x) { for (int i = 0; i < 3; i++) { x[i][0] *= 0.5; x[i][1] = x[(i + 1) % 3][0] + "
       "0.1; } }",
       cells, ALL(x, RW));
  LOOP("(double **x, const double *b) { for (int i = 0; i < 3; i++) { x[i][1] += *b * i; x[i][0] "
       "+= *b * 0.1; } }",
       cells, ALL(x, INC), DIRECT(b, READ));
  LOOP("(int **k, double **y) { for (int i = 0; i < 3; i++) y[i][0] = k[i][0] * 0.5; }", cells,
       ALL(k, READ), ALL(y, WRITE));
  LOOP("(float **w, const float *f) { for (int i = 0; i < 3; i++) if (f[0] > w[i][0]) w[i][0] = "
       "f[0]; }",
       cells, ALL(w, MAX), DIRECT(f, READ));
  LOOP("(double *x, double *b) { *b = 0; for (int i = 0; i < 6; i++) *b += x[i] * i; }", cells,
       ITER(x, READ), DIRECT(b, WRITE));
  LOOP("(double *x) { for (int i = 0; i < 6; i++) x[i] = 0.25 * x[i] + i; }", cells, ITER(x, RW));
  LOOP("(double *x, const double *b) { for (int i = 0; i < 6; i++) x[i] += *b * i * 0.1; }", some,
       ITER(x, INC), DIRECT(b, READ));
  LOOP("(const double *y, int *k) { for (int i = 0; i < 3; i++) k[i] = (int)y[i]; }", cells,
       ITER(y, READ), ITER(k, WRITE));
  LOOP("(uint64_t *u, const double *b) { for (int i = 0; i < 6; i++) if (u[i] > 1000u * i) u[i] = "
       "1000u * i; }",
       cells, ITER(u, MIN), DIRECT(b, READ));
  LOOP("(double *x, double **z, double *p) { x[1] += 1; z[1][0] += 2.5; p[0] = p[1] * 0.5; x[4] -= "
       "3; }",
       cells, ITER(x, INC), ALL(x, INC), SLOT(x, 0, m, RW));
}

static void globals(struct mesh *g) {
  const double pair[2] = {0.3, 0.9};
  const int16_t step = -7;
  LOOP("(const double *a, double *s, float *t) { *s += a[0] * a[1]; *t += (float)a[0]; }", cells,
       DIRECT(a, READ), GBL(sum, INC), GBL(fsum, INC));
  LOOP("(const double *a, double *l, float *h) { if (a[0] < *l) *l = a[0]; *l = fmin(*l, a[1]); if "
       "(a[1] > h[1]) h[1] = (float)a[1]; }",
       cells, DIRECT(a, READ), GBL(low, MIN), GBL(high, MAX));
  LOOP("(const double *s, const float *h, double *b) { *b += *s * h[1]; }", cells, GBL(sum, READ),
       GBL(high, READ), DIRECT(b, RW));
  LOOP("(int *n, int *o, const int *k) { n[0] += *k; n[2] -= *k; o[1] += 1; o[0] -= 3; }", cells,
       GBL(n, INC), GBL(n, INC), SLOT(k, 0, m, READ));
  LOOP("(const double *v, short s, const double *a, double *x, double *t) { x[0] += v[0] * a[0]; "
       "x[1] += s; *t += v[1]; }",
       cells, op2_arg_val(pair, 2, OP2_F64), op2_arg_val(&step, 1, OP2_I16), DIRECT(a, READ),
       SLOT(x, 1, m, INC), GBL(sum, INC));
  LOOP("(const double *a, double *l, double *s) { if (a[1] < *l) *l = a[1]; *s += 1e-3 * a[0]; }",
       some, DIRECT(a, READ), GBL(low, MIN), GBL(sum, INC));
}

/* NaN and infinity are valid results. */
static void not_numbers(struct mesh *g) {
  LOOP("(double *a, const double *b) { a[0] = *b > 0 ? 0.0 / (*b - *b) : *b; a[1] = sqrt(*b); }",
       cells, DIRECT(a, WRITE), DIRECT(b, READ));
  LOOP("(double *x, const double *a, double *y) { x[0] += a[0]; x[1] = a[1] * 2; if (a[0] < *y) *y "
       "= a[0]; }",
       cells, SLOT(x, 0, m, INC), DIRECT(a, READ), SLOT(y, 0, one, MIN));
  LOOP("(double *y, const double *x) { *y = fmin(*y, x[0]); }", cells, SLOT(y, 1, m, MIN),
       SLOT(x, 1, m, READ));
  LOOP("(const double *a, double *s, double *l) { *s += a[1]; *l = fmin(*l, a[0]); }", cells,
       DIRECT(a, READ), GBL(sum, INC), GBL(low, MIN));
}

/* ---- comparison ------------------------------------------------------------------------------ */

struct results {
  size_t bytes;
  unsigned char at[RESULTS_MAX];
};

static void collect(struct mesh *g, struct results *out) {
  const struct {
    op2_dat dat;
    size_t bytes;
  } dats[] = {{g->a, CELLS * 16}, {g->b, CELLS * 8},  {g->c8, CELLS * 3}, {g->h, CELLS * 2},
              {g->f, CELLS * 8},  {g->x, NODES * 16}, {g->y, NODES * 8},  {g->k, NODES * 4},
              {g->u, NODES * 16}, {g->w, NODES * 4}};
  const struct {
    op2_gbl gbl;
    size_t bytes;
  } gbls[] = {{g->sum, 8}, {g->low, 8}, {g->high, 8}, {g->n, 12}, {g->fsum, 4}};
  out->bytes = 0;
  for (size_t i = 0; i < sizeof dats / sizeof *dats; i++) {
    CHECK(op2_dat_get_halo(dats[i].dat, out->at + out->bytes));
    out->bytes += dats[i].bytes;
  }
  for (size_t i = 0; i < sizeof gbls / sizeof *gbls; i++) {
    CHECK(op2_gbl_get(gbls[i].gbl, out->at + out->bytes));
    out->bytes += gbls[i].bytes;
  }
}

static void compare(struct mesh *reference, struct mesh *checked, const char *what) {
  static struct results want, got;
  collect(reference, &want);
  collect(checked, &got);
  size_t byte = 0;
  while (byte < want.bytes && want.at[byte] == got.at[byte]) byte++;
  ok(want.bytes == got.bytes && byte == want.bytes, "%s: bitwise the same as on sequential", what);
  if (byte < want.bytes) diag("first difference at byte %zu of %zu", byte, want.bytes);
}

static void destroy(struct mesh *g) {
  op2_dat dats[] = {g->a, g->b, g->c8, g->h, g->f, g->x, g->y, g->k, g->u, g->w};
  op2_gbl gbls[] = {g->sum, g->low, g->high, g->n, g->fsum};
  for (size_t i = 0; i < sizeof dats / sizeof *dats; i++) op2_dat_destroy(&dats[i]);
  for (size_t i = 0; i < sizeof gbls / sizeof *gbls; i++) op2_gbl_destroy(&gbls[i]);
  op2_const_destroy(&g->scale);
  op2_const_destroy(&g->shift);
  op2_map_destroy(&g->m);
  op2_map_destroy(&g->one);
  op2_set_destroy(&g->some);
  op2_set_destroy(&g->cells);
  op2_set_destroy(&g->nodes);
  CHECK(op2_finalize(&g->ctx));
}

int main(void) {
  static const struct {
    void (*run)(struct mesh *g);
    const char *name;
  } groups[] = {{direct, "direct"},
                {indirect, "indirect"},
                {vector, "all slots"},
                {globals, "globals"},
                {not_numbers, "not numbers"}};
  struct mesh reference, checked, sampled;
  test_environment();
  make(&reference, "sequential");
  make(&checked, "check");
  setenv("OP2_CHECK_SAMPLE", "7", 1);
  make(&sampled, "check");
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
    groups[i].run(&reference);
    groups[i].run(&checked);
    groups[i].run(&sampled);
    compare(&reference, &checked, groups[i].name);
    compare(&reference, &sampled, groups[i].name);
  }
  destroy(&reference);
  destroy(&checked);
  destroy(&sampled);
  return done();
}
