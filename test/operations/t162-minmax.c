/* SPDX-License-Identifier: BSD-3-Clause */
/* Minima and maxima of floating type where values are NaN, infinite or zeros of both signs, by
 * kernels in which a NaN decides and by kernels that ignore it. The library combines the kernel's
 * results for each element, so the outcome follows from the values alone: every backend, vector
 * length and block size gives the bits computed here, element by element. Globals of one value and
 * of many, with op2_arg_info(), of loops that are fused and over subsets; dats directly and through
 * maps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { N = 1009, TARGETS = 37, MANY = 40 };

/* NaN decides in all kernels but c and d, which ignore it. */
#define KERNELS(stem, T)                                                                           \
  OP2_KERNEL(all_##stem,                                                                           \
             (const T *x, T *a, T *b, T *c, T *d, T *e, T *wide, T *own, T *to, T *both[2]), {     \
               *a = *a < *x ? *a : *x;                                                             \
               if (!(*b >= *x)) *b = *x;                                                           \
               if (*x < *c) *c = *x;                                                               \
               *d = *x > *d ? *x : *d;                                                             \
               if (*x != *x || *x < *e) *e = *x;                                                   \
               for (int j = 0; j < 3; j++) wide[j] = wide[j] < *x + j ? wide[j] : *x + j;          \
               *own = *own < *x ? *own : *x;                                                       \
               if (!(*to >= *x)) *to = *x;                                                         \
               for (int j = 0; j < 2; j++) both[j][0] = both[j][0] < *x ? both[j][0] : *x;         \
             });                                                                                   \
  OP2_KERNEL(many_##stem, (const T *x, T *many), {                                                 \
    for (int j = 0; j < 40; j++) many[j] = many[j] > *x - j ? many[j] : *x - j;                    \
  });                                                                                              \
  OP2_KERNEL(placed_##stem, (const T *x, T *placed, int64_t *at, int i), {                         \
    if (!(*placed < *x)) {                                                                         \
      *placed = *x;                                                                                \
      *at = i;                                                                                     \
    }                                                                                              \
  });                                                                                              \
  OP2_KERNEL(some_##stem, (const T *x, T *most), { *most = *most > *x ? *most : *x; });

KERNELS(f32, float)
KERNELS(f64, double)

static const op2_kernel_desc *const kernels[2][4] = {
    {&all_f32_kernel, &many_f32_kernel, &placed_f32_kernel, &some_f32_kernel},
    {&all_f64_kernel, &many_f64_kernel, &placed_f64_kernel, &some_f64_kernel}};

/* Globals, and where their values are among the results. */
enum { A, B, C, D, E, WIDE, SOME = WIDE + 3, PLACED, MANY_AT, RESULTS = MANY_AT + MANY };
enum { GLOBALS = 9 };
static const int dims[GLOBALS] = {1, 1, 1, 1, 1, 3, 1, 1, MANY};
static const int places[GLOBALS] = {A, B, C, D, E, WIDE, SOME, PLACED, MANY_AT};

struct outcome {
  double gbl[RESULTS], own[N], to[TARGETS], both[TARGETS];
  int64_t at;
};

/* All values are exact in float, and so are the values that kernels add to them. 0: numbers, NaN
 * and zeros of both signs, NaN first and last; 1: NaN only; 2: infinities, too. */
static double value_of(int data, int i) {
  const double mixed[] = {-0.0, 0.0, NAN, 3, NAN, 7.5, 2, NAN, 11, 0.25, 5};
  if (data == 1) return NAN;
  if (data == 2 && i % 13 == 5) return i % 2 ? INFINITY : -INFINITY;
  return i < 20 || i > N - 20 ? (i % 3 ? NAN : 12.5) : mixed[i % 11] * (1 + i % 7);
}

static int32_t target_of(int i, int slot) { return (int32_t)((i * 5 + slot * 11) % TARGETS); }

/* ---- expected results ------------------------------------------------------------------------ */

static bool take(double *into, double value, bool low) {
  bool better = low ? value < *into : value > *into;
  if (!better && !(isnan(*into) && !isnan(value))) return false;
  *into = value + 0;
  return true;
}

/* The result of an element in kernels where a NaN decides. */
static double least(double start, double x) { return start < x ? start : x; }
static double most(double start, double x) { return start > x ? start : x; }

static void take_globals(struct outcome *r, double s, int i, double x) {
  double *g = r->gbl;
  take(&g[A], least(s, x), true);
  take(&g[B], !(s >= x) ? x : s, false);
  take(&g[C], x < s ? x : s, true);
  take(&g[D], x > s ? x : s, false);
  take(&g[E], isnan(x) || x < s ? x : s, true);
  for (int j = 0; j < 3; j++) take(&g[WIDE + j], least(s, x + j), true);
  for (int j = 0; j < MANY; j++) take(&g[MANY_AT + j], most(s, x - j), false);
  if (i % 3 == 1) take(&g[SOME], most(s, x), false);
  if (take(&g[PLACED], !(s < x) ? x : s, true)) r->at = i;
}

static void take_dats(struct outcome *r, int i, double x) {
  take(&r->own[i], least(r->own[i], x), true);
  double *to = &r->to[target_of(i, 1)];
  take(to, !(*to >= x) ? x : *to, false);
  for (int slot = 0; slot < 2; slot++) {
    double *both = &r->both[target_of(i, slot)];
    take(both, least(*both, x), true);
  }
}

static void begin(struct outcome *r, double start) {
  for (int i = 0; i < RESULTS; i++) r->gbl[i] = start;
  for (int i = 0; i < N; i++) r->own[i] = start;
  for (int i = 0; i < TARGETS; i++) r->to[i] = r->both[i] = start;
  r->at = -1;
}

static struct outcome expected(double start, int data) {
  struct outcome r;
  begin(&r, start);
  for (int i = 0; i < N; i++) {
    take_globals(&r, start, i, value_of(data, i));
    take_dats(&r, i, value_of(data, i));
  }
  return r;
}

/* ---- conversion to either type --------------------------------------------------------------- */

static void narrow(op2_type type, int64_t n, const double *from, void *to) {
  for (int64_t i = 0; i < n; i++)
    if (type == OP2_F64)
      ((double *)to)[i] = from[i];
    else
      ((float *)to)[i] = (float)from[i];
}

static void widen(op2_type type, int64_t n, const void *from, double *to) {
  for (int64_t i = 0; i < n; i++)
    to[i] = type == OP2_F64 ? ((const double *)from)[i] : (double)((const float *)from)[i];
}

static op2_dat dat_of(op2_set set, op2_type type, int64_t n, const double *values,
                      const char *name) {
  double room[N];
  narrow(type, n, values, room);
  return new_dat(set, 1, type, room, name);
}

static void get_dat(op2_dat dat, op2_type type, int64_t n, double *values) {
  double room[N];
  MUST(op2_dat_get(dat, room));
  widen(type, n, room, values);
}

/* Values must have the same bits; NaNs only need to be NaN. */
static void same(const char *what, int64_t n, const double *got, const double *want) {
  for (int64_t i = 0; i < n; i++) {
    if ((isnan(got[i]) && isnan(want[i])) || !memcmp(&got[i], &want[i], sizeof got[i])) continue;
    mismatch_at(__FILE__, __LINE__, what, i, got[i], want[i]);
    return;
  }
}

static void compare(const struct outcome *got, const struct outcome *want) {
  same("globals", RESULTS, got->gbl, want->gbl);
  same("own", N, got->own, want->own);
  same("to", TARGETS, got->to, want->to);
  same("both", TARGETS, got->both, want->both);
  if (got->at != want->at)
    mismatch_at(__FILE__, __LINE__, "at", 0, (double)got->at, (double)want->at);
}

/* ---- loops ----------------------------------------------------------------------------------- */

struct mesh {
  op2_set set, some;
  op2_map map;
  op2_dat x, own, to, both;
  op2_gbl g[GLOBALS], at;
};

static void declare(struct mesh *m, op2_type type, const struct outcome *start, int data) {
  int64_t third[N], n = 0;
  int32_t *ends = scratch(2 * N, sizeof *ends);
  double x[N], room[MANY];
  for (int i = 1; i < N; i += 3) third[n++] = i;
  for (int i = 0; i < 2 * N; i++) ends[i] = target_of(i / 2, i % 2);
  for (int i = 0; i < N; i++) x[i] = value_of(data, i);
  m->set = new_set(N, "elements");
  m->some = new_subset(m->set, n, third, "some");
  op2_set targets = new_set(TARGETS, "targets");
  m->map = new_map(m->set, targets, 2, ends, "map");
  m->x = dat_of(m->set, type, N, x, "x");
  m->own = dat_of(m->set, type, N, start->own, "own");
  m->to = dat_of(targets, type, TARGETS, start->to, "to");
  m->both = dat_of(targets, type, TARGETS, start->both, "both");
  narrow(type, MANY, start->gbl, room);
  for (int i = 0; i < GLOBALS; i++) m->g[i] = new_gbl(dims[i], type, room, "g");
  m->at = new_gbl(1, OP2_I64, &start->at, "at");
}

static void queue(const struct mesh *m, const op2_kernel k[4]) {
  op2_arg x = op2_arg_direct(m->x, OP2_READ);
  MUST(op2_par_loop(k[0], m->set, x, op2_arg_gbl(m->g[0], OP2_MIN), op2_arg_gbl(m->g[1], OP2_MAX),
                    op2_arg_gbl(m->g[2], OP2_MIN), op2_arg_gbl(m->g[3], OP2_MAX),
                    op2_arg_gbl(m->g[4], OP2_MIN), op2_arg_gbl(m->g[5], OP2_MIN),
                    op2_arg_direct(m->own, OP2_MIN), op2_arg_dat(m->to, 1, m->map, OP2_MAX),
                    op2_arg_dat(m->both, OP2_ALL, m->map, OP2_MIN)));
  MUST(op2_par_loop(k[1], m->set, x, op2_arg_gbl(m->g[8], OP2_MAX)));
  MUST(op2_par_loop(k[2], m->set, x, op2_arg_gbl(m->g[7], OP2_MIN), op2_arg_info(m->at, 1),
                    op2_arg_idx()));
  MUST(op2_par_loop(k[3], m->some, x, op2_arg_gbl(m->g[6], OP2_MAX)));
}

static void run(op2_type type, const op2_kernel k[4], double start, int data) {
  struct mesh m;
  struct outcome got, want = expected(start, data);
  double room[MANY];
  begin(&got, start);
  declare(&m, type, &got, data);
  queue(&m, k);
  for (int i = 0; i < GLOBALS; i++) {
    MUST(op2_gbl_get(m.g[i], room));
    widen(type, dims[i], room, got.gbl + places[i]);
  }
  MUST(op2_gbl_get(m.at, &got.at));
  get_dat(m.own, type, N, got.own);
  get_dat(m.to, type, TARGETS, got.to);
  get_dat(m.both, type, TARGETS, got.both);
  compare(&got, &want);
}

/* ---- all cases ------------------------------------------------------------------------------- */

static void run_all(op2_type type) {
  static const double starts[] = {9.5, NAN, -0.0, INFINITY, -INFINITY};
  op2_kernel k[4];
  for (int i = 0; i < 4; i++) k[i] = new_kernel(kernels[type == OP2_F64][i]);
  for (int s = 0; s < 5; s++)
    for (int data = 0; data < 3; data++) run(type, k, starts[s], data);
}

/* Run in a new context that replaces the case's, since op2_init() reads both settings. */
static void run_with(op2_type type, const char *vector_bytes, const char *fuse) {
  const op2_options options = config_options(&test_config);
  MUST(op2_finalize(&test_ctx));
  setenv("OP2_SIMD", vector_bytes, 1);
  setenv("OP2_FUSE", fuse, 1);
  const op2_status status = op2_init(&options, &test_ctx);
  unsetenv("OP2_SIMD");
  unsetenv("OP2_FUSE");
  MUST(status);
  run_all(type);
}

/* Vectors of every length the machine has, and fused loops in either form. */
static void run_type(op2_type type) {
  const bool vectors =
      !strcmp(test_config.backend, "openmp") || !strcmp(test_config.backend, "starpu");
  if (!quick() || type == OP2_F64) run_with(type, "0", "0");
  run_with(type, vectors ? "32" : "0", "2");
  if (!vectors || quick()) return;
  run_with(type, "16", "0");
  run_with(type, "64", "0");
}

static void in_single(void) { run_type(OP2_F32); }
static void in_double(void) { run_type(OP2_F64); }

static const struct test_case cases[] = {{"in double precision", in_double},
                                         {"in single precision", in_single}};

int main(void) {
  const unsigned fewer = thorough() ? 0 : RUN_LAZY_ONLY;
  return run_cases(2, cases, RUN_ON_DEVICES | fewer);
}
