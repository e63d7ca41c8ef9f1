/* SPDX-License-Identifier: BSD-3-Clause */
/* MIN, MAX and INC with NaN, zeros of both signs and integers that overflow give the same results
 * in scalar and vector code, with any blocks, and in the checked mode; and which arguments may be
 * given the same global. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { N = 133, TARGETS = 7, STARTS = 6, SETS = 6 };

/* A kernel that compares keeps a NaN it finds; fmin() and fmax() do not. */
#define EXTREMES(T, name, less)                                                                    \
  OP2_KERNEL(compare_##name, (const T *x, T *direct, T *there, T *all), {                          \
    if (*x less * direct) *direct = *x;                                                            \
    if (*x less * there) *there = *x;                                                              \
    if (*x less * all) *all = *x;                                                                  \
  });
EXTREMES(double, min_f64, <)
EXTREMES(double, max_f64, >)
EXTREMES(float, min_f32, <)
EXTREMES(float, max_f32, >)
#define FUNCTION(T, name, f)                                                                       \
  OP2_KERNEL(choose_##name, (const T *x, T *direct, T *there, T *all), {                           \
    *direct = f(*x, *direct);                                                                      \
    *there = f(*there, *x);                                                                        \
    *all = f(*x, *all);                                                                            \
  });
FUNCTION(double, min_f64, fmin)
FUNCTION(double, max_f64, fmax)
FUNCTION(float, min_f32, fminf)
FUNCTION(float, max_f32, fmaxf)

OP2_KERNEL(add_f64, (const double *x, double *direct, double *there, double *all), {
  if (*x > 0) {
    *direct += *x;
    *there += *x;
    *all += *x;
  }
});
OP2_KERNEL(add_i32, (const int32_t *x, int32_t *direct, int32_t *there, int32_t *all, int32_t *n), {
  *direct += *x;
  *there += *x;
  *all += *x;
  *n = -*x;
});
/* Compilers that assume that the sum does not overflow derive a limit on the number of elements
 * from it. */
OP2_KERNEL(large_sum, (int32_t * sum, int32_t *number), {
  *sum += 1000000000;
  *number = 7;
});
OP2_KERNEL(read_and_add, (const double *a, double *b), { *b += *a; });
OP2_KERNEL(two, (double *a, double *b), {
  *a += 1;
  *b += 1;
});

static const double starts[STARTS] = {NAN, -0.0, 0.0, 1, -1, INFINITY};
static const double found[SETS][4] = {{0.0, -0.0, 0.0, -0.0}, {-0.0, 0.0, 2, 3},
                                      {NAN, NAN, NAN, NAN},   {NAN, 5, -5, 0.5},
                                      {0.0, NAN, -0.0, 1},    {-2, -0.0, 0.0, NAN}};

/* The value by the rule in op2/types.h and the C semantics of the kernel. */
static double after(double start, bool least, bool compares, int n, const double *x) {
  double value = start;
  for (int i = 0; i < n; i++) {
    if (isnan(x[i]) || (compares && isnan(start))) continue;
    if (isnan(value) || (least ? x[i] < value : x[i] > value)) value = x[i] + 0;
  }
  return value;
}

static bool same(double got, double want) {
  return (isnan(got) && isnan(want)) || memcmp(&got, &want, sizeof got) == 0;
}

static double at(op2_type type, const void *values, int i) {
  return type == OP2_F64 ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

static void put(op2_type type, void *values, int i, double x) {
  if (type == OP2_F64)
    ((double *)values)[i] = x;
  else
    ((float *)values)[i] = (float)x;
}

/* Element e finds x(e) = found[set][e % 4]; every seventh element leads to the same target. */
struct extreme {
  const op2_kernel_desc *kernel;
  op2_type type;
  bool least, compares;
};

static void check_extreme(const struct extreme *k, double start, const double *x, op2_dat direct,
                          op2_dat there, op2_gbl all) {
  double got[N], mine[N];
  int32_t wrong = 0;
  for (int part = 0; part < 2; part++) {
    MUST(op2_dat_get(part ? there : direct, got));
    for (int i = 0; i < (part ? TARGETS : N); i++) {
      int n = 0;
      for (int e = i; e < (part ? N : i + 1); e += TARGETS) mine[n++] = x[e % 4];
      double value = at(k->type, got, i), want = after(start, k->least, k->compares, n, mine);
      if (!same(value, want) && !wrong++)
        diag("%s from %g, %s %d: %g and not %g", k->kernel->name, start,
             part ? "target" : "element", i, value, want);
    }
  }
  MUST(op2_gbl_get(all, got));
  double want = after(start, k->least, k->compares, 4, x);
  if (!same(at(k->type, got, 0), want) && !wrong++)
    diag("%s from %g, global: %g and not %g", k->kernel->name, start, at(k->type, got, 0), want);
  EXPECT(wrong == 0);
}

static void extremes_of(const struct extreme *k) {
  int32_t *to = scratch(N, sizeof *to);
  void *values = scratch(N, sizeof(double)), *from = scratch(N, sizeof(double));
  for (int e = 0; e < N; e++) to[e] = e % TARGETS;
  op2_set elements = new_set(N, "elements"), targets = new_set(TARGETS, "targets");
  op2_map map = new_map(elements, targets, 1, to, "map");
  op2_kernel kernel = new_kernel(k->kernel);
  op2_access access = k->least ? OP2_MIN : OP2_MAX;
  for (int s = 0; s < STARTS; s++)
    for (int f = 0; f < SETS; f++) {
      for (int e = 0; e < N; e++) put(k->type, values, e, found[f][e % 4]);
      for (int e = 0; e < N; e++) put(k->type, from, e, starts[s]);
      op2_dat x = new_dat(elements, 1, k->type, values, "x");
      op2_dat direct = new_dat(elements, 1, k->type, from, "direct");
      op2_dat there = new_dat(targets, 1, k->type, from, "there");
      op2_gbl all = new_gbl(1, k->type, from, "all");
      MUST(op2_par_loop(kernel, elements, op2_arg_direct(x, OP2_READ),
                        op2_arg_direct(direct, access), op2_arg_dat(there, 0, map, access),
                        op2_arg_gbl(all, access)));
      check_extreme(k, starts[s], found[f], direct, there, all);
    }
}

static void extremes(void) {
  const struct extreme all[] = {{&compare_min_f64_kernel, OP2_F64, true, true},
                                {&compare_max_f64_kernel, OP2_F64, false, true},
                                {&compare_min_f32_kernel, OP2_F32, true, true},
                                {&compare_max_f32_kernel, OP2_F32, false, true},
                                {&choose_min_f64_kernel, OP2_F64, true, false},
                                {&choose_max_f64_kernel, OP2_F64, false, false},
                                {&choose_min_f32_kernel, OP2_F32, true, false},
                                {&choose_max_f32_kernel, OP2_F32, false, false}};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) extremes_of(&all[k]);
}

/* Adding zero changes nothing, not even -0.0. */
static void nothing_added(void) {
  int32_t *to = scratch(N, sizeof *to);
  double *x = scratch(N, sizeof *x), *zeros = scratch(N, sizeof *zeros), *got = scratch(N, 8);
  for (int e = 0; e < N; e++) to[e] = e % TARGETS, x[e] = e % TARGETS == 3, zeros[e] = -0.0;
  op2_set elements = new_set(N, "elements"), targets = new_set(TARGETS, "targets");
  op2_map map = new_map(elements, targets, 1, to, "map");
  op2_dat dx = new_dat(elements, 1, OP2_F64, x, "x");
  op2_dat direct = new_dat(elements, 1, OP2_F64, zeros, "direct");
  op2_dat there = new_dat(targets, 1, OP2_F64, zeros, "there");
  for (int some = 1; some >= 0; some--) {
    op2_gbl all = new_gbl(1, OP2_F64, zeros, "all");
    if (!some) MUST(op2_dat_set(dx, zeros));
    MUST(op2_dat_set(direct, zeros));
    MUST(op2_dat_set(there, zeros));
    MUST(op2_par_loop(new_kernel(&add_f64_kernel), elements, op2_arg_direct(dx, OP2_READ),
                      op2_arg_direct(direct, OP2_INC), op2_arg_dat(there, 0, map, OP2_INC),
                      op2_arg_gbl(all, OP2_INC)));
    MUST(op2_dat_get(direct, got));
    for (int e = 0; e < N; e++) EXPECT(same(got[e], some && e % TARGETS == 3 ? 1 : -0.0));
    MUST(op2_dat_get(there, got));
    for (int t = 0; t < TARGETS; t++) EXPECT(same(got[t], some && t == 3 ? N / TARGETS : -0.0));
    MUST(op2_gbl_get(all, got));
    EXPECT(same(got[0], some ? N / TARGETS : -0.0));
  }
}

/* Signed increments that overflow wrap around and have no other effect. */
static void overflow(void) {
  int32_t *to = scratch(N, sizeof *to), *x = scratch(N, sizeof *x),
          *most = scratch(N, sizeof *most);
  for (int e = 0; e < N; e++) to[e] = e % TARGETS, x[e] = 1 + e, most[e] = INT32_MAX;
  op2_set elements = new_set(N, "elements"), targets = new_set(TARGETS, "targets");
  op2_map map = new_map(elements, targets, 1, to, "map");
  op2_dat dx = new_dat(elements, 1, OP2_I32, x, "x"), n = new_dat(elements, 1, OP2_I32, NULL, "n");
  op2_dat direct = new_dat(elements, 1, OP2_I32, most, "direct");
  op2_dat there = new_dat(targets, 1, OP2_I32, most, "there");
  op2_gbl all = new_gbl(1, OP2_I32, most, "all");
  MUST(op2_par_loop(new_kernel(&add_i32_kernel), elements, op2_arg_direct(dx, OP2_READ),
                    op2_arg_direct(direct, OP2_INC), op2_arg_dat(there, 0, map, OP2_INC),
                    op2_arg_gbl(all, OP2_INC), op2_arg_direct(n, OP2_WRITE)));
  EXPECT_VALUES(int32_t, direct, N, e, (int32_t)(INT32_MAX + (uint32_t)(1 + e)));
  EXPECT_VALUES(int32_t, n, N, e, -1 - e);
  const uint32_t rows = N / TARGETS, steps = TARGETS * rows * (rows - 1) / 2;
  EXPECT_VALUES(int32_t, there, TARGETS, t,
                (int32_t)(INT32_MAX + rows * (uint32_t)(1 + t) + steps));
  EXPECT_GBL(int32_t, all, (int32_t)(INT32_MAX + (uint32_t)(N * (N + 1) / 2)));
}

static void large_sums(void) {
  op2_set elements = new_set(N, "elements");
  op2_dat numbers = new_dat(elements, 1, OP2_I32, NULL, "numbers");
  op2_gbl sum = new_gbl(1, OP2_I32, NULL, "sum");
  MUST(op2_par_loop(new_kernel(&large_sum_kernel), elements, op2_arg_gbl(sum, OP2_INC),
                    op2_arg_direct(numbers, OP2_WRITE)));
  EXPECT_VALUES(int32_t, numbers, N, i, 7);
  EXPECT_GBL(int32_t, sum, (int32_t)(N * 1000000000u));
}

static void one_global(void) {
  op2_set set = new_set(N, "elements");
  op2_gbl g = new_gbl(1, OP2_F64, (double[]){2}, "total");
  op2_kernel k = new_kernel(&two_kernel);
  const op2_access modes[] = {OP2_INC, OP2_MIN, OP2_MAX};
  for (int a = 0; a < 3; a++) {
    REFUSED(OP2_ERR_ACCESS,
            op2_par_loop(new_kernel(&read_and_add_kernel), set, op2_arg_gbl(g, OP2_READ),
                         op2_arg_gbl(g, modes[a])),
            "total", "arguments 0 and 1", "read and reduced");
    for (int b = 0; b < 3; b++)
      if (a != b)
        REFUSED(OP2_ERR_ACCESS,
                op2_par_loop(k, set, op2_arg_gbl(g, modes[a]), op2_arg_gbl(g, modes[b])), "total",
                "arguments 0 and 1");
  }
  MUST(op2_par_loop(k, set, op2_arg_gbl(g, OP2_INC), op2_arg_gbl(g, OP2_INC)));
  EXPECT_GBL(double, g, 2 + 2 * N);
}

/* ---- all forms of code ----------------------------------------------------------------------- */

/* Try the processor's preferred vectors and, if it has any, scalar code and short vectors, with the
 * user's own optimisation flags: the flags on which values depend must still be there. */
static void in_all_forms(void (*body)(void)) {
  static const char *const widths[] = {"0", "16"};
  op2_context usual = test_ctx;
  op2_options options = config_options(&test_config);
  options.cflags = "-O3 -march=native";
  body();
  bool scalar = on_check() || strcmp(test_config.backend, "sequential") == 0;
  for (int w = 0; w < 2 && !scalar; w++) {
    setenv("OP2_SIMD", widths[w], 1);
    const op2_status status = op2_init(&options, &test_ctx);
    unsetenv("OP2_SIMD");
    MUST(status);
    body();
    MUST(op2_finalize(&test_ctx));
    test_ctx = usual;
  }
}

static void extremes_everywhere(void) { in_all_forms(extremes); }
static void nothing_everywhere(void) { in_all_forms(nothing_added); }
static void overflow_everywhere(void) {
  in_all_forms(overflow);
  in_all_forms(large_sums);
}

int main(void) {
  const struct test_case cases[] = {{"NaN and zeros in MIN and MAX", extremes_everywhere},
                                    {"nothing added", nothing_everywhere},
                                    {"increments that overflow", overflow_everywhere},
                                    {"one global twice", one_global}};
  return RUN(cases, RUN_LAZY_ONLY);
}
