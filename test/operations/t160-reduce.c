/* SPDX-License-Identifier: BSD-3-Clause */
/* Global reductions: cases I. Elements of the exec halo never count. */
#include <math.h>

#include "support.h"

enum { N = 4096 };

OP2_KERNEL(min_u32, (const uint32_t *x, uint32_t *g), {
  if (*x < *g) *g = *x;
});
OP2_KERNEL(max_u32, (const uint32_t *x, uint32_t *g), {
  if (*x > *g) *g = *x;
});
OP2_KERNEL(min_i32, (const int32_t *x, int32_t *g), {
  if (*x < *g) *g = *x;
});
OP2_KERNEL(max_i32, (const int32_t *x, int32_t *g), {
  if (*x > *g) *g = *x;
});
OP2_KERNEL(min_f32, (const float *x, float *g), {
  if (*x < *g) *g = *x;
});
OP2_KERNEL(max_f32, (const float *x, float *g), {
  if (*x > *g) *g = *x;
});
OP2_KERNEL(min_f64, (const double *x, double *g), {
  if (*x < *g) *g = *x;
});
OP2_KERNEL(max_f64, (const double *x, double *g), {
  if (*x > *g) *g = *x;
});
OP2_KERNEL(max_fn, (const double *x, double *g), { *g = fmax(*g, *x); });
OP2_KERNEL(take, (uint32_t * x, const uint32_t *g), { *x = *g; });
OP2_KERNEL(take2, (uint32_t * x, const uint32_t *g), { *x = g[0] + g[1]; });
OP2_KERNEL(sum, (const uint32_t *x, uint32_t *g), { *g += *x; });
OP2_KERNEL(sum2, (const uint32_t *x, uint32_t *g), {
  g[0] += x[0];
  g[1] += x[1];
});
OP2_KERNEL(two_types, (uint32_t * a, double *b), {
  *a += 1;
  *b += 1;
});
OP2_KERNEL(lower_to, (uint32_t * g, const uint32_t *test), {
  if (*g > *test) *g = *test;
});
OP2_KERNEL(four, (const double *x, double *s, double *lo, double *hi, int64_t *n), {
  s[0] += x[0];
  s[1] += x[0] * x[0];
  if (x[0] < *lo) *lo = x[0];
  if (x[0] > *hi) *hi = x[0];
  *n += 1;
});
OP2_KERNEL(scatter_sum,
           (uint32_t * t, const uint32_t *x, uint32_t *g, uint32_t *low, uint32_t *high), {
             *t += *x;
             *g += *x;
             if (*x < *low) *low = *x;
             if (*x > *high) *high = *x;
           });

enum { BINS = 100, FEW = 17, ALL = 257 };
OP2_KERNEL(many, (const double *x, int32_t i, uint32_t *bins, double *low, float *high, double *s),
           {
             bins[i % 100] += (uint32_t)i;
             for (int k = 0; k < 17; k++)
               if (x[0] + (i * k) % 31 < low[k]) low[k] = x[0] + (i * k) % 31;
             if ((float)x[0] > *high) *high = (float)x[0];
             s[0] += x[0];
             s[1] -= x[0];
           });
OP2_KERNEL(all, (int32_t i, int64_t *s), { s[i % 257] += 1; });

struct data {
  op2_set set;
  int64_t owned;
  op2_dat d1, d2;
};

static struct data make_data(int kind) {
  struct data d;
  uint32_t *v = scratch(2 * N, sizeof *v);
  for (uint32_t i = 0; i < 2 * N; i++) v[i] = i + 1;
  d.set = new_sectioned(kind, N, &d.owned, "elems");
  d.d1 = new_dat(d.set, 1, OP2_U32, v, "d1");
  d.d2 = new_dat(d.set, 2, OP2_U32, v, "d2");
  return d;
}

/* The three sectionings without a halo. */
#define EACH_SECTIONING(kind) for (int kind = 0; kind < 3; kind++)

/* I1 to I7: a set of equal values, one start value below or above. */
#define EXTREME(T, type, value, mode, kernel, start, want)                                         \
  do {                                                                                             \
    T *v_ = scratch(N, sizeof *v_), start_ = start;                                                \
    for (int i = 0; i < N; i++) v_[i] = value;                                                     \
    op2_dat x_ = new_dat(set, 1, type, v_, "x");                                                   \
    op2_gbl g_ = new_gbl(1, type, &start_, "g");                                                   \
    MUST(op2_par_loop(new_kernel(&kernel), set, op2_arg_direct(x_, OP2_READ),                      \
                      op2_arg_gbl(g_, mode)));                                                     \
    EXPECT_GBL(T, g_, want);                                                                       \
  } while (0)

static void extremes(void) {
  op2_set set = new_set(N, "elems");
  EXTREME(uint32_t, OP2_U32, 12, OP2_MIN, min_u32_kernel, 8, 8);
  EXTREME(uint32_t, OP2_U32, 4294967284u, OP2_MIN, min_u32_kernel, 4294967295u, 4294967284u);
  EXTREME(uint32_t, OP2_U32, 4294967284u, OP2_MAX, max_u32_kernel, 1, 4294967284u);
  EXTREME(int32_t, OP2_I32, -12, OP2_MIN, min_i32_kernel, 8, -12);
  EXTREME(int32_t, OP2_I32, -12, OP2_MAX, max_i32_kernel, -42, -12);
  EXTREME(float, OP2_F32, -12.0f, OP2_MIN, min_f32_kernel, -0.8f, -12.0f);
  EXTREME(float, OP2_F32, -12.0f, OP2_MAX, max_f32_kernel, -42.8f, -12.0f);
  EXTREME(double, OP2_F64, -12.0, OP2_MIN, min_f64_kernel, -0.8, -12.0);
  EXTREME(double, OP2_F64, -12.0, OP2_MAX, max_f64_kernel, -42.8, -12.0);
  EXTREME(double, OP2_F64, -12.0, OP2_MAX, max_fn_kernel, -42.8, -12.0);
}

static void i8_reads(void) {
  EACH_SECTIONING(s) {
    struct data d = make_data(s);
    op2_gbl one = new_gbl(1, OP2_U32, (uint32_t[]){1}, "one"),
            none = new_gbl(1, OP2_U32, NULL, "none");
    op2_gbl pair = new_gbl(2, OP2_U32, (uint32_t[]){1, 2}, "pair");
    op2_kernel k = new_kernel(&take_kernel);
    MUST(op2_par_loop(k, d.set, op2_arg_direct(d.d1, OP2_WRITE), op2_arg_gbl(one, OP2_READ)));
    EXPECT_VALUES(uint32_t, d.d1, N, i, 1);
    MUST(op2_par_loop(k, d.set, op2_arg_direct(d.d1, OP2_WRITE), op2_arg_gbl(none, OP2_READ)));
    EXPECT_VALUES(uint32_t, d.d1, N, i, 0);
    EXPECT_GBL(uint32_t, none, 0);
    MUST(op2_par_loop(new_kernel(&take2_kernel), d.set, op2_arg_direct(d.d1, OP2_WRITE),
                      op2_arg_gbl(pair, OP2_READ)));
    EXPECT_VALUES(uint32_t, d.d1, N, i, 3);
  }
}

static void i11_sums(void) {
  EACH_SECTIONING(s) {
    struct data d = make_data(s);
    op2_gbl a = new_gbl(1, OP2_U32, (uint32_t[]){0}, "a"), b = new_gbl(1, OP2_U32, NULL, "b"),
            pair = new_gbl(2, OP2_U32, NULL, "pair");
    op2_kernel k = new_kernel(&sum_kernel);
    MUST(op2_par_loop(k, d.set, op2_arg_direct(d.d1, OP2_READ), op2_arg_gbl(a, OP2_INC)));
    MUST(op2_par_loop(k, d.set, op2_arg_direct(d.d1, OP2_READ), op2_arg_gbl(b, OP2_INC)));
    MUST(op2_par_loop(new_kernel(&sum2_kernel), d.set, op2_arg_direct(d.d2, OP2_READ),
                      op2_arg_gbl(pair, OP2_INC)));
    EXPECT_GBL(uint32_t, a, 8390656);
    EXPECT_GBL(uint32_t, b, 8390656);
    uint32_t got[2] = {0, 0};
    MUST(op2_gbl_get(pair, got));
    EXPECT(got[0] == 16777216 && got[1] == 16781312);
  }
}

static void i13_minmax(void) {
  static const struct {
    const op2_kernel_desc *desc;
    op2_access mode;
    uint32_t start, want;
  } runs[] = {{&min_u32_kernel, OP2_MIN, 2, 1},
              {&min_u32_kernel, OP2_MIN, 0, 0},
              {&max_u32_kernel, OP2_MAX, 4095, 4096},
              {&max_u32_kernel, OP2_MAX, 4097, 4097}};
  EACH_SECTIONING(s) {
    struct data d = make_data(s);
    for (int r = 0; r < 4; r++) {
      op2_gbl g = new_gbl(1, OP2_U32, &runs[r].start, "g");
      MUST(op2_par_loop(new_kernel(runs[r].desc), d.set, op2_arg_direct(d.d1, OP2_READ),
                        op2_arg_gbl(g, runs[r].mode)));
      EXPECT_GBL(uint32_t, g, runs[r].want);
    }
  }
}

static void i20_again(void) {
  struct data d = make_data(0);
  const uint32_t total = 8390656;
  op2_kernel k = new_kernel(&sum_kernel);
  op2_gbl a = new_gbl(1, OP2_U32, NULL, "a"), b = new_gbl(1, OP2_U32, NULL, "b"),
          c = new_gbl(1, OP2_U32, (uint32_t[]){10}, "c");
  const op2_arg x = op2_arg_direct(d.d1, OP2_READ);
  for (int i = 0; i < 2; i++) MUST(op2_par_loop(k, d.set, x, op2_arg_gbl(a, OP2_INC)));
  EXPECT_GBL(uint32_t, a, 2 * total);
  MUST(op2_par_loop(k, d.set, x, op2_arg_gbl(b, OP2_INC)));
  EXPECT_GBL(uint32_t, b, total);
  MUST(op2_gbl_set(b, (uint32_t[]){10}));
  MUST(op2_par_loop(k, d.set, x, op2_arg_gbl(b, OP2_INC)));
  EXPECT_GBL(uint32_t, b, total + 10);
  MUST(op2_par_loop(k, d.set, x, op2_arg_gbl(c, OP2_INC)));
  EXPECT_GBL(uint32_t, c, total + 10);
  EXPECT_GBL(uint32_t, a, 2 * total);
}

static void i23_types(void) {
  struct data d = make_data(1);
  op2_gbl a = new_gbl(1, OP2_U32, NULL, "a"), b = new_gbl(1, OP2_F64, NULL, "b");
  MUST(op2_par_loop(new_kernel(&two_types_kernel), d.set, op2_arg_gbl(a, OP2_INC),
                    op2_arg_gbl(b, OP2_INC)));
  EXPECT_GBL(uint32_t, a, N);
  EXPECT_GBL(double, b, N);
}

static void i25_no_zero(void) {
  op2_set set = new_set(1000, "elems");
  op2_gbl g = new_gbl(1, OP2_U32, (uint32_t[]){9}, "g"),
          test = new_gbl(1, OP2_U32, (uint32_t[]){8}, "test");
  MUST(op2_par_loop(new_kernel(&lower_to_kernel), set, op2_arg_gbl(g, OP2_MIN),
                    op2_arg_gbl(test, OP2_READ)));
  EXPECT_GBL(uint32_t, g, 8);
}

/* All modes in one loop; sums are of whole numbers, so any order gives the same result. */
static void all_modes(void) {
  op2_set set = new_set(N, "elems");
  double *v = scratch(N, sizeof *v), sum = 0, squares = 0, got[2];
  for (int i = 0; i < N; i++) {
    v[i] = (i * 37) % 1001 - 500;
    sum += v[i], squares += v[i] * v[i];
  }
  op2_dat x = new_dat(set, 1, OP2_F64, v, "x");
  op2_gbl s = new_gbl(2, OP2_F64, (double[]){1, 2}, "s"),
          lo = new_gbl(1, OP2_F64, (double[]){3}, "lo"),
          hi = new_gbl(1, OP2_F64, (double[]){3}, "hi"),
          n = new_gbl(1, OP2_I64, (int64_t[]){-5}, "n");
  MUST(op2_par_loop(new_kernel(&four_kernel), set, op2_arg_direct(x, OP2_READ),
                    op2_arg_gbl(s, OP2_INC), op2_arg_gbl(lo, OP2_MIN), op2_arg_gbl(hi, OP2_MAX),
                    op2_arg_gbl(n, OP2_INC)));
  MUST(op2_gbl_get(s, got));
  EXPECT(got[0] == sum + 1 && got[1] == squares + 2);
  EXPECT_GBL(double, lo, -500);
  EXPECT_GBL(double, hi, 500);
  EXPECT_GBL(int64_t, n, N - 5);
}

/* More values than a device reduces together, and more than it accepts. The sums are of whole
 * numbers. */
static void many_values(void) {
  op2_set set = new_set(N, "elems");
  double *v = scratch(N, sizeof *v), low[FEW], got_low[FEW], s[2], sum = 0;
  uint32_t bins[BINS], got_bins[BINS];
  float high = -1000;
  for (int k = 0; k < FEW; k++) low[k] = k % 2 ? 1000 : -600;
  op2_gbl low_gbl = new_gbl(FEW, OP2_F64, low, "low"),
          high_gbl = new_gbl(1, OP2_F32, &high, "high");
  for (int b = 0; b < BINS; b++) bins[b] = 7;
  op2_gbl bins_gbl = new_gbl(BINS, OP2_U32, bins, "bins"), s_gbl = new_gbl(2, OP2_F64, NULL, "s");
  for (int i = 0; i < N; i++) {
    v[i] = (i * 37) % 1001 - 500;
    sum += v[i];
    bins[i % BINS] += (uint32_t)i;
    for (int k = 0; k < FEW; k++) low[k] = fmin(low[k], v[i] + (i * k) % 31);
    high = fmaxf(high, (float)v[i]);
  }
  op2_dat x = new_dat(set, 1, OP2_F64, v, "x");
  MUST(op2_par_loop(new_kernel(&many_kernel), set, op2_arg_direct(x, OP2_READ), op2_arg_idx(),
                    op2_arg_gbl(bins_gbl, OP2_INC), op2_arg_gbl(low_gbl, OP2_MIN),
                    op2_arg_gbl(high_gbl, OP2_MAX), op2_arg_gbl(s_gbl, OP2_INC)));
  MUST(op2_gbl_get(bins_gbl, got_bins));
  MUST(op2_gbl_get(low_gbl, got_low));
  MUST(op2_gbl_get(s_gbl, s));
  for (int b = 0; b < BINS; b++) EXPECT(got_bins[b] == bins[b]);
  for (int k = 0; k < FEW; k++) EXPECT(got_low[k] == low[k]);
  EXPECT_GBL(float, high_gbl, high);
  EXPECT(s[0] == sum && s[1] == -sum);
  int64_t counts[ALL];
  op2_gbl count = new_gbl(ALL, OP2_I64, NULL, "count");
  MUST(op2_par_loop(new_kernel(&all_kernel), set, op2_arg_idx(), op2_arg_gbl(count, OP2_INC)));
  MUST(op2_gbl_get(count, counts));
  for (int k = 0; k < ALL; k++) EXPECT(counts[k] == N / ALL + (k < N % ALL));
}

/* The indirect INC reaches the exec halo; the reductions see owned elements only. */
static void exec_halo(void) {
  static const int64_t ends[][4] = {
      {10, 20, 30, 40}, {0, 5, 40, 40}, {0, 0, 12, 40}, {40, 40, 40, 40}, {3, 7, 7, 9}};
  for (int e = 0; e < 5; e++) {
    op2_set set = new_sections(ends[e][0], ends[e][1], ends[e][2], ends[e][3], "elems"),
            one = new_set(1, "one");
    uint32_t v[40], owned = 0, exec = 0, low = 5000, high = 0;
    /* The halo holds the extremes, which must not show. */
    for (int i = 0; i < ends[e][3]; i++) {
      v[i] = i < ends[e][1] ? 1000 + (uint32_t)i : i % 2 ? 1 : 9999;
      exec += i < ends[e][2] ? v[i] : 0;
      if (i >= ends[e][1]) continue;
      owned += v[i];
      if (v[i] < low) low = v[i];
      if (v[i] > high) high = v[i];
    }
    op2_map map = new_map(set, one, 1, scratch(40, sizeof(int32_t)), "to one");
    op2_dat x = new_dat(set, 1, OP2_U32, v, "x"), t = new_dat(one, 1, OP2_U32, NULL, "t");
    op2_gbl g = new_gbl(1, OP2_U32, NULL, "g"), lo = new_gbl(1, OP2_U32, (uint32_t[]){5000}, "lo"),
            hi = new_gbl(1, OP2_U32, NULL, "hi");
    MUST(op2_par_loop(new_kernel(&scatter_sum_kernel), set, op2_arg_dat(t, 0, map, OP2_INC),
                      op2_arg_direct(x, OP2_READ), op2_arg_gbl(g, OP2_INC),
                      op2_arg_gbl(lo, OP2_MIN), op2_arg_gbl(hi, OP2_MAX)));
    EXPECT_VALUES(uint32_t, t, 1, i, exec);
    EXPECT_GBL(uint32_t, g, owned);
    EXPECT_GBL(uint32_t, lo, low);
    EXPECT_GBL(uint32_t, hi, high);
  }
}

/* A reduction whose result the next loop reads, again and again. */
static void feedback(void) {
  op2_set set = new_set(64, "elems");
  op2_dat x = new_dat(set, 1, OP2_U32, NULL, "x");
  op2_gbl g = new_gbl(1, OP2_U32, (uint32_t[]){1}, "g");
  op2_kernel put = new_kernel(&take_kernel), add = new_kernel(&sum_kernel);
  uint32_t want = 1;
  for (int i = 0; i < 4; i++) {
    MUST(op2_par_loop(put, set, op2_arg_direct(x, OP2_WRITE), op2_arg_gbl(g, OP2_READ)));
    MUST(op2_par_loop(add, set, op2_arg_direct(x, OP2_READ), op2_arg_gbl(g, OP2_INC)));
    want += 64 * want;
  }
  EXPECT_GBL(uint32_t, g, want);
}

static const struct test_case cases[] = {
    {"I1-I7 one value", extremes},
    {"I8-I10 globals that are read", i8_reads},
    {"I11 I12 I17 sums", i11_sums},
    {"I13-I16 MIN and MAX", i13_minmax},
    {"I20-I22 again, and after a set", i20_again},
    {"I23 two types in a loop", i23_types},
    {"I25 nothing contributes zero", i25_no_zero},
    {"all modes in a loop", all_modes},
    {"many values", many_values},
    {"exec halo does not count", exec_halo},
    {"a reduction feeds the next loop", feedback},
};

int main(void) { return RUN(cases, RUN_ON_DEVICES); }
