/* SPDX-License-Identifier: BSD-3-Clause */
/* MIN and MAX with op2_arg_info(): the values that the kernel stores for the winning element, for
 * every type, with ties, NaN and initial values, on sets, subsets, through maps, alone and fused,
 * before and after the set is renumbered. Everything is compared with a search in the user's
 * numbering. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { N = 3001, EDGES = 2003 };

#define KERNELS(name, T)                                                                           \
  OP2_KERNEL(max_##name, (const T *x, T *g, int64_t *where, int i), {                              \
    if (*x > *g) {                                                                                 \
      *g = *x;                                                                                     \
      *where = i;                                                                                  \
    }                                                                                              \
  });                                                                                              \
  OP2_KERNEL(min_##name, (const T *x, T *g, int64_t *where, int i), {                              \
    if (*x < *g) {                                                                                 \
      *g = *x;                                                                                     \
      *where = i;                                                                                  \
    }                                                                                              \
  });

KERNELS(i8, int8_t)
KERNELS(i16, int16_t)
KERNELS(i32, int32_t)
KERNELS(i64, int64_t)
KERNELS(u8, uint8_t)
KERNELS(u16, uint16_t)
KERNELS(u32, uint32_t)
KERNELS(u64, uint64_t)
KERNELS(f32, float)
KERNELS(f64, double)

/* The kernel of OP2's airfoil: a sum, the largest change, its element, and the coordinates
 * there. */
OP2_KERNEL(update,
           (double *q, double *change, double *rms, double *most, const int32_t i, double *at,
            int32_t *where, const double *xy),
           {
             double d = *change * *change;
             *q += *change;
             *rms += d;
             *change = 0;
             if (d > *most) {
               *most = d;
               *where = i;
               at[0] = xy[0];
               at[1] = xy[1];
             }
           });
/* This kernel takes the last of equal values; it makes no difference. */
OP2_KERNEL(at_least, (const double *x, double *g, int32_t *where, int32_t i), {
  if (*x >= *g) {
    *g = *x;
    *where = i;
  }
});
OP2_KERNEL(by_call, (const double *x, double *g, double *value, int32_t *where, int32_t i), {
  *g = fmin(*g, *x);
  *value = *x;
  *where = i;
});
OP2_KERNEL(through, (const double *a, const double *b, float *g, int64_t *where, const int64_t *n),
           {
             float d = (float)(*a - *b);
             if (d < *g) {
               *g = d;
               where[0] = n[0];
               where[1] = n[1];
             }
           });
OP2_KERNEL(both, (const double *x, double *low, double *high, int32_t *l, int32_t *h, int32_t i), {
  if (*x < *low) {
    *low = *x;
    *l = i;
  }
  if (*x > *high) {
    *high = *x;
    *h = i;
  }
});
OP2_KERNEL(forgets, (const double *x, double *g, int32_t *where), {
  (void)where;
  if (*x > *g) *g = *x;
});
OP2_KERNEL(hundredth, (const double *x, double *g, int64_t *where, int i), {
  double v = i == 100 ? 90 + 0 * *x : 0;
  if (v > *g) {
    *g = v;
    *where = i;
  }
});
OP2_KERNEL(doubled, (double *y, const double *x), { *y = 2 * *x; });
OP2_KERNEL(largest, (const double *x, double *g), { *g = *x > *g ? *x : *g; });

static op2_gbl new_number(int64_t value, const char *name) {
  return new_gbl(1, OP2_I64, &value, name);
}

/* ---- all types ------------------------------------------------------------------------------- */

#define BY_TYPE(name, T, TYPE, least, most)                                                        \
  static void type_##name(op2_set set, op2_set loop_set, int64_t n, const int64_t *list) {         \
    T *x = scratch(N, sizeof *x);                                                                  \
    uint64_t seed = 3;                                                                             \
    for (int i = 0; i < N; i++) x[i] = (T)draw_below(&seed, 100);                                  \
    op2_dat dat = new_dat(set, 1, TYPE, x, "x");                                                   \
    op2_gbl high = new_gbl(1, TYPE, (T[]){(T)(least)}, "high"),                                    \
            low = new_gbl(1, TYPE, (T[]){(T)(most)}, "low");                                       \
    op2_gbl at_high = new_number(-5, "at high"), at_low = new_number(-6, "at low");                \
    MUST(op2_par_loop(new_kernel(&max_##name##_kernel), loop_set, op2_arg_direct(dat, OP2_READ),   \
                      op2_arg_gbl(high, OP2_MAX), op2_arg_info(at_high, 1), op2_arg_idx()));       \
    MUST(op2_par_loop(new_kernel(&min_##name##_kernel), loop_set, op2_arg_direct(dat, OP2_READ),   \
                      op2_arg_gbl(low, OP2_MIN), op2_arg_info(at_low, 1), op2_arg_idx()));         \
    int64_t h = -5, l = -6;                                                                        \
    T best_high = (T)(least), best_low = (T)(most);                                                \
    for (int64_t k = 0; k < n; k++) {                                                              \
      int64_t i = list ? list[k] : k;                                                              \
      if (x[i] > best_high) best_high = x[i], h = i;                                               \
      if (x[i] < best_low) best_low = x[i], l = i;                                                 \
    }                                                                                              \
    EXPECT_GBL(T, high, best_high);                                                                \
    EXPECT_GBL(T, low, best_low);                                                                  \
    EXPECT_GBL(int64_t, at_high, h);                                                               \
    EXPECT_GBL(int64_t, at_low, l);                                                                \
  }

BY_TYPE(i8, int8_t, OP2_I8, INT8_MIN, INT8_MAX)
BY_TYPE(i16, int16_t, OP2_I16, 40, 60)
BY_TYPE(i32, int32_t, OP2_I32, INT32_MIN, INT32_MAX)
BY_TYPE(i64, int64_t, OP2_I64, INT64_MIN, INT64_MAX)
BY_TYPE(u8, uint8_t, OP2_U8, 0, 200)
BY_TYPE(u16, uint16_t, OP2_U16, 99, 0) /* no element wins: both values stay */
BY_TYPE(u32, uint32_t, OP2_U32, 0, UINT32_MAX)
BY_TYPE(u64, uint64_t, OP2_U64, 98, 1) /* the largest and the least value of the type */
BY_TYPE(f32, float, OP2_F32, -INFINITY, INFINITY)
BY_TYPE(f64, double, OP2_F64, -INFINITY, 1e300)

/* Devices try some types only, since their compilers take long. */
static void all_types(op2_set set, op2_set loop_set, int64_t n, const int64_t *list) {
  type_i8(set, loop_set, n, list);
  type_u64(set, loop_set, n, list);
  type_f32(set, loop_set, n, list);
  type_f64(set, loop_set, n, list);
  if (on_device() && !thorough()) return;
  type_i16(set, loop_set, n, list);
  type_i32(set, loop_set, n, list);
  type_i64(set, loop_set, n, list);
  type_u8(set, loop_set, n, list);
  type_u16(set, loop_set, n, list);
  type_u32(set, loop_set, n, list);
}

static void types(void) {
  op2_set set = new_set(N, "elems");
  all_types(set, set, N, NULL);
}

static void on_subsets(void) {
  op2_set set = new_set(N, "elems");
  int64_t *list = scratch(N, sizeof *list), n = 0;
  for (int64_t i = 1; i < N; i += 1 + i % 3) list[n++] = i;
  all_types(set, new_subset(set, n, list, "some"), n, list);
}

/* The winner is the element with the lowest number in the user's numbering, wherever it lies. */
static void renumbered(void) {
  op2_set set = new_set(N, "elems"), edges = new_set(N, "edges");
  int32_t *idx = scratch(2 * N, sizeof *idx);
  uint64_t seed = 77;
  for (int i = 0; i < 2 * N; i++) idx[i] = draw_below(&seed, N);
  op2_map map = new_map(edges, set, 2, idx, "map");
  op2_status status = op2_renumber(map);
  if (status == OP2_ERR_UNAVAILABLE) {
    diag("%s", op2_error_message());
    return;
  }
  MUST(status);
  int64_t *number = scratch(N, sizeof *number), moved = 0;
  MUST(op2_set_numbering(set, number));
  for (int i = 0; i < N; i++) moved += number[i] != i;
  EXPECT(moved > N / 2);
  all_types(set, set, N, NULL);
}

/* ---- arguments that may be used beside the reduction ----------------------------------------- */

static void several_beside(void) {
  op2_set set = new_set(N, "cells");
  double *change = scratch(N, sizeof *change), *xy = scratch(2 * N, sizeof *xy), sum = 0, most = 0;
  uint64_t seed = 5;
  int32_t want = -1;
  for (int i = 0; i < N; i++) {
    change[i] = draw_below(&seed, 4000) / 64.0 - 30;
    xy[2 * i] = i;
    xy[2 * i + 1] = -i;
    sum += change[i] * change[i];
    if (change[i] * change[i] > most) most = change[i] * change[i], want = i;
  }
  op2_dat q = new_dat(set, 1, OP2_F64, NULL, "q"), d = new_dat(set, 1, OP2_F64, change, "change"),
          x = new_dat(set, 2, OP2_F64, xy, "xy");
  op2_gbl rms = new_gbl(1, OP2_F64, NULL, "rms"), g = new_gbl(1, OP2_F64, NULL, "most"),
          at = new_gbl(2, OP2_F64, NULL, "at"), where = new_gbl(1, OP2_I32, NULL, "where");
  op2_kernel kernel = new_kernel(&update_kernel);
  MUST(op2_par_loop(kernel, set, op2_arg_direct(q, OP2_RW), op2_arg_direct(d, OP2_RW),
                    op2_arg_gbl(rms, OP2_INC), op2_arg_gbl(g, OP2_MAX), op2_arg_idx(),
                    op2_arg_info(at, 3), op2_arg_info(where, 3), op2_arg_direct(x, OP2_READ)));
  double place[2] = {0, 0};
  EXPECT_GBL(double, g, most);
  EXPECT_GBL(int32_t, where, want);
  EXPECT_GBL(double, rms, sum); /* multiples of 2^-12 */
  MUST(op2_gbl_get(at, place));
  EXPECT(place[0] == want && place[1] == -want);
  /* The second time no change is larger, so all values stay. */
  MUST(op2_par_loop(kernel, set, op2_arg_direct(q, OP2_RW), op2_arg_direct(d, OP2_RW),
                    op2_arg_gbl(rms, OP2_INC), op2_arg_gbl(g, OP2_MAX), op2_arg_idx(),
                    op2_arg_info(at, 3), op2_arg_info(where, 3), op2_arg_direct(x, OP2_READ)));
  EXPECT_GBL(double, g, most);
  EXPECT_GBL(int32_t, where, want);
  EXPECT_VALUES(double, q, N, i, change[i]);
}

static void two_reductions(void) {
  op2_set set = new_set(N, "elems");
  double *x = scratch(N, sizeof *x);
  for (int i = 0; i < N; i++) x[i] = (i * 37) % 1000;
  op2_dat dat = new_dat(set, 1, OP2_F64, x, "x");
  op2_gbl low = new_gbl(1, OP2_F64, (double[]){1e9}, "low"),
          high = new_gbl(1, OP2_F64, (double[]){-1e9}, "high"), l = new_gbl(1, OP2_I32, NULL, "l"),
          h = new_gbl(1, OP2_I32, NULL, "h");
  MUST(op2_par_loop(new_kernel(&both_kernel), set, op2_arg_direct(dat, OP2_READ),
                    op2_arg_gbl(low, OP2_MIN), op2_arg_gbl(high, OP2_MAX), op2_arg_info(l, 1),
                    op2_arg_info(h, 2), op2_arg_idx()));
  EXPECT_GBL(double, low, 0);
  EXPECT_GBL(double, high, 999);
  EXPECT_GBL(int32_t, l, 0);
  EXPECT_GBL(int32_t, h, 27); /* 27 * 37 = 999 */
}

/* ---- values ---------------------------------------------------------------------------------- */

static void ties_and_zeros(void) {
  op2_set set = new_set(N, "elems");
  double *x = scratch(N, sizeof *x), got;
  for (int i = 0; i < N; i++) x[i] = i >= 1000 && i % 7 == 3 ? 4 : i % 4;
  op2_dat dat = new_dat(set, 1, OP2_F64, x, "x");
  op2_gbl g = new_gbl(1, OP2_F64, NULL, "g"), where = new_gbl(1, OP2_I32, (int32_t[]){-7}, "where");
  op2_kernel kernel = new_kernel(&at_least_kernel);
  MUST(op2_par_loop(kernel, set, op2_arg_direct(dat, OP2_READ), op2_arg_gbl(g, OP2_MAX),
                    op2_arg_info(where, 1), op2_arg_idx()));
  EXPECT_GBL(double, g, 4);
  EXPECT_GBL(int32_t, where, 1004); /* the first of i % 7 == 3 from 1000 on */
  /* An equal value is not larger than the old one. */
  MUST(op2_gbl_set(where, (int32_t[]){-8}));
  MUST(op2_par_loop(kernel, set, op2_arg_direct(dat, OP2_READ), op2_arg_gbl(g, OP2_MAX),
                    op2_arg_info(where, 1), op2_arg_idx()));
  EXPECT_GBL(int32_t, where, -8);
  /* Neither of two zeros is less than the other, and the first to come is positive. */
  for (int i = 0; i < N; i++) x[i] = i > 5 ? -0.0 : -1;
  MUST(op2_dat_set(dat, x));
  MUST(op2_gbl_set(g, (double[]){-3}));
  MUST(op2_par_loop(kernel, set, op2_arg_direct(dat, OP2_READ), op2_arg_gbl(g, OP2_MAX),
                    op2_arg_info(where, 1), op2_arg_idx()));
  MUST(op2_gbl_get(g, &got));
  EXPECT(got == 0 && !signbit(got));
  EXPECT_GBL(int32_t, where, 6);
}

/* NaN never wins, and any number replaces it. */
static void not_a_number(void) {
  op2_set set = new_set(N, "elems");
  double *x = scratch(N, sizeof *x), got;
  for (int i = 0; i < N; i++) x[i] = i % 3 ? NAN : 5000 - i;
  op2_dat dat = new_dat(set, 1, OP2_F64, x, "x");
  op2_gbl g = new_gbl(1, OP2_F64, (double[]){NAN}, "g"), value = new_gbl(1, OP2_F64, NULL, "value"),
          where = new_gbl(1, OP2_I32, NULL, "where");
  op2_kernel kernel = new_kernel(&by_call_kernel);
  MUST(op2_par_loop(kernel, set, op2_arg_direct(dat, OP2_READ), op2_arg_gbl(g, OP2_MIN),
                    op2_arg_info(value, 1), op2_arg_info(where, 1), op2_arg_idx()));
  EXPECT_GBL(double, g, 2000);
  EXPECT_GBL(double, value, 2000);
  EXPECT_GBL(int32_t, where, 3000);
  for (int i = 0; i < N; i++) x[i] = NAN;
  MUST(op2_dat_set(dat, x));
  MUST(op2_gbl_set(g, (double[]){NAN}));
  MUST(op2_gbl_set(where, (int32_t[]){-9}));
  MUST(op2_par_loop(kernel, set, op2_arg_direct(dat, OP2_READ), op2_arg_gbl(g, OP2_MIN),
                    op2_arg_info(value, 1), op2_arg_info(where, 1), op2_arg_idx()));
  MUST(op2_gbl_get(g, &got));
  EXPECT(isnan(got));
  EXPECT_GBL(int32_t, where, -9);
}

/* A kernel that stores no information about the winning element leaves zeros. */
static void nothing_said(void) {
  op2_set set = new_set(N, "elems");
  op2_dat dat = new_dat(set, 1, OP2_F64, NULL, "x");
  op2_gbl g = new_gbl(1, OP2_F64, (double[]){-1}, "g"),
          where = new_gbl(3, OP2_I32, (int32_t[]){7, 8, 9}, "where");
  int32_t got[3] = {1, 1, 1};
  MUST(op2_par_loop(new_kernel(&forgets_kernel), set, op2_arg_direct(dat, OP2_READ),
                    op2_arg_gbl(g, OP2_MAX), op2_arg_info(where, 1)));
  MUST(op2_gbl_get(where, got));
  EXPECT(!got[0] && !got[1] && !got[2]);
}

/* ---- sets and queues ------------------------------------------------------------------------- */

static void through_maps(void) {
  op2_set nodes = new_set(N, "nodes"), edges = new_set(EDGES, "edges");
  int32_t *idx = scratch(2 * EDGES, sizeof *idx);
  double *x = scratch(N, sizeof *x);
  uint64_t seed = 11;
  for (int i = 0; i < 2 * EDGES; i++) idx[i] = draw_below(&seed, N);
  for (int i = 0; i < N; i++) x[i] = draw_below(&seed, 1000);
  op2_map map = new_map(edges, nodes, 2, idx, "map");
  op2_dat dat = new_dat(nodes, 1, OP2_F64, x, "x");
  op2_gbl g = new_gbl(1, OP2_F32, (float[]){1e9f}, "g"), where = new_gbl(2, OP2_I64, NULL, "where");
  MUST(op2_par_loop(new_kernel(&through_kernel), edges, op2_arg_dat(dat, 0, map, OP2_READ),
                    op2_arg_dat(dat, 1, map, OP2_READ), op2_arg_gbl(g, OP2_MIN),
                    op2_arg_info(where, 2), op2_arg_map_idx(map, OP2_ALL)));
  float least = 1e9f;
  int64_t best = 0, got[2];
  for (int64_t e = 0; e < EDGES; e++) {
    float d = (float)(x[idx[2 * e]] - x[idx[2 * e + 1]]);
    if (d < least) least = d, best = e;
  }
  EXPECT_GBL(float, g, least);
  MUST(op2_gbl_get(where, got));
  EXPECT(got[0] == idx[2 * best] && got[1] == idx[2 * best + 1]);
}

/* Elements of the exec halo run if the loop writes through a map, and do not count. */
OP2_KERNEL(scatter, (double *t, const double *x, double *g, int32_t *where, int32_t i), {
  *t += 1;
  if (*x > *g) {
    *g = *x;
    *where = i;
  }
});
static void exec_halo(void) {
  op2_set set = new_sections(50, 90, 120, 130, "edges"), nodes = new_set(1, "nodes");
  int32_t *idx = scratch(130, sizeof *idx);
  double *x = scratch(130, sizeof *x);
  for (int i = 0; i < 130; i++) x[i] = i % 90 + (i >= 90 ? 1000 : 0);
  op2_map map = new_map(set, nodes, 1, idx, "map");
  op2_dat t = new_dat(nodes, 1, OP2_F64, NULL, "t"), dat = new_dat(set, 1, OP2_F64, x, "x");
  op2_gbl g = new_gbl(1, OP2_F64, NULL, "g"), where = new_gbl(1, OP2_I32, NULL, "where");
  MUST(op2_par_loop(new_kernel(&scatter_kernel), set, op2_arg_dat(t, 0, map, OP2_INC),
                    op2_arg_direct(dat, OP2_READ), op2_arg_gbl(g, OP2_MAX), op2_arg_info(where, 2),
                    op2_arg_idx()));
  EXPECT_VALUES(double, t, 1, i, 120);
  EXPECT_GBL(double, g, 89);
  EXPECT_GBL(int32_t, where, 89);
}

/* Consecutive loops, which may be fused: the first of equal winners stays. */
static void one_after_the_other(void) {
  op2_set set = new_set(N, "elems");
  double *x = scratch(N, sizeof *x), *y = scratch(N, sizeof *y);
  for (int i = 0; i < N; i++) x[i] = i == 2000 ? 90 : i % 50;
  for (int i = 0; i < N; i++) y[i] = i == 100 ? 90 : i == 77 ? 91 : i % 60;
  op2_dat a = new_dat(set, 1, OP2_F64, x, "a"), b = new_dat(set, 1, OP2_F64, y, "b"),
          c = new_dat(set, 1, OP2_F64, NULL, "c");
  op2_kernel kernel = new_kernel(&max_f64_kernel), twice = new_kernel(&doubled_kernel);
  op2_gbl g = new_gbl(1, OP2_F64, NULL, "g"), where = new_number(-1, "where"),
          only = new_gbl(1, OP2_F64, NULL, "only"), first = new_number(-1, "first");
  MUST(op2_par_loop(kernel, set, op2_arg_direct(a, OP2_READ), op2_arg_gbl(g, OP2_MAX),
                    op2_arg_info(where, 1), op2_arg_idx()));
  MUST(op2_par_loop(twice, set, op2_arg_direct(c, OP2_WRITE), op2_arg_direct(a, OP2_READ)));
  MUST(op2_par_loop(kernel, set, op2_arg_direct(b, OP2_READ), op2_arg_gbl(g, OP2_MAX),
                    op2_arg_info(where, 1), op2_arg_idx()));
  MUST(op2_par_loop(kernel, set, op2_arg_direct(c, OP2_READ), op2_arg_gbl(only, OP2_MAX),
                    op2_arg_info(first, 1), op2_arg_idx()));
  EXPECT_GBL(double, g, 91);
  EXPECT_GBL(int64_t, where, 77);
  EXPECT_GBL(double, only, 180);
  EXPECT_GBL(int64_t, first, 2000);
  y[77] = 0;
  MUST(op2_dat_set(b, y));
  MUST(op2_gbl_set(g, (double[]){0}));
  MUST(op2_par_loop(kernel, set, op2_arg_direct(a, OP2_READ), op2_arg_gbl(g, OP2_MAX),
                    op2_arg_info(where, 1), op2_arg_idx()));
  MUST(op2_par_loop(kernel, set, op2_arg_direct(b, OP2_READ), op2_arg_gbl(g, OP2_MAX),
                    op2_arg_info(where, 1), op2_arg_idx()));
  EXPECT_GBL(double, g, 90);
  EXPECT_GBL(int64_t, where, 2000); /* the maximum of the second loop is not larger */
  /* The same loops on one dat are fused. */
  MUST(op2_gbl_set(g, (double[]){0}));
  MUST(op2_par_loop(kernel, set, op2_arg_direct(a, OP2_READ), op2_arg_gbl(g, OP2_MAX),
                    op2_arg_info(where, 1), op2_arg_idx()));
  MUST(op2_par_loop(new_kernel(&hundredth_kernel), set, op2_arg_direct(a, OP2_READ),
                    op2_arg_gbl(g, OP2_MAX), op2_arg_info(where, 1), op2_arg_idx()));
  EXPECT_GBL(double, g, 90);
  EXPECT_GBL(int64_t, where, 2000);
}

/* The information that a loop stores is not mixed with another loop's result in the same global. */
static void info_used_otherwise(void) {
  op2_set set = new_set(N, "elems");
  double *x = scratch(N, sizeof *x);
  for (int i = 0; i < N; i++) x[i] = i % 50;
  op2_dat dat = new_dat(set, 1, OP2_F64, x, "x");
  op2_gbl g = new_gbl(1, OP2_F64, (double[]){10}, "g"),
          info = new_gbl(1, OP2_F64, (double[]){1000}, "info");
  MUST(op2_par_loop(new_kernel(&forgets_kernel), set, op2_arg_direct(dat, OP2_READ),
                    op2_arg_gbl(g, OP2_MAX), op2_arg_info(new_gbl(1, OP2_I32, NULL, "other"), 1)));
  MUST(op2_par_loop(new_source("say", "void say(const double *x, double *g, double *i) { if (*x < "
                                      "*g) { *g = *x; *i = 5; } }"),
                    set, op2_arg_direct(dat, OP2_READ), op2_arg_gbl(g, OP2_MIN),
                    op2_arg_info(info, 1)));
  MUST(op2_par_loop(new_kernel(&largest_kernel), set, op2_arg_direct(dat, OP2_READ),
                    op2_arg_gbl(info, OP2_MAX)));
  EXPECT_GBL(double, g, 0);
  EXPECT_GBL(double, info, 49);
}

/* A replayed time loop: the result belongs to each step. */
static void in_a_time_loop(void) {
  op2_set set = new_set(N, "elems");
  op2_dat dat = new_dat(set, 1, OP2_F64, NULL, "x");
  op2_gbl g = new_gbl(1, OP2_F64, NULL, "g"), where = new_number(0, "where");
  op2_kernel kernel = new_kernel(&max_f64_kernel);
  op2_kernel move = new_source("wave", "void wave(double *x, const int *t, int i) {"
                                       " *x = (i * 31 + *t * 17) % 3001; }");
  for (int t = 0; t < 8; t++) {
    MUST(op2_par_loop(move, set, op2_arg_direct(dat, OP2_WRITE), op2_arg_val(&t, 1, OP2_I32),
                      op2_arg_idx()));
    MUST(op2_gbl_set(g, (double[]){0}));
    MUST(op2_par_loop(kernel, set, op2_arg_direct(dat, OP2_READ), op2_arg_gbl(g, OP2_MAX),
                      op2_arg_info(where, 1), op2_arg_idx()));
    int64_t want = 0;
    while ((want * 31 + t * 17) % 3001 != 3000) want++;
    EXPECT_GBL(int64_t, where, want);
  }
}

/* ---- refusals -------------------------------------------------------------------------------- */

static int none(void *data, void *const *values) {
  (void)data;
  (void)values;
  return 0;
}

static void refused(void) {
  op2_set set = new_set(N, "elems");
  op2_dat x = new_dat(set, 1, OP2_F64, NULL, "x");
  op2_gbl g = new_gbl(1, OP2_F64, NULL, "g"), wide = new_gbl(2, OP2_F64, NULL, "wide"),
          w = new_gbl(1, OP2_I32, NULL, "w");
  op2_kernel k = new_kernel(&forgets_kernel), two = new_kernel(&by_call_kernel);
  op2_arg dat = op2_arg_direct(x, OP2_READ), max = op2_arg_gbl(g, OP2_MAX);
  REFUSED(OP2_ERR_ARG, op2_par_loop(k, set, dat, max, op2_arg_info(w, 0)), "argument 2",
          "about argument 0", "OP2_MAX");
  REFUSED(OP2_ERR_ARG, op2_par_loop(k, set, dat, max, op2_arg_info(w, 3)), "argument 3");
  REFUSED(OP2_ERR_ARG, op2_par_loop(k, set, dat, max, op2_arg_info(w, -1)), "argument -1");
  REFUSED(OP2_ERR_ARG, op2_par_loop(k, set, dat, max, op2_arg_info(w, 2)), "argument 2");
  REFUSED(OP2_ERR_ARG, op2_par_loop(k, set, dat, op2_arg_gbl(g, OP2_INC), op2_arg_info(w, 1)),
          "about argument 1");
  REFUSED(OP2_ERR_ARG, op2_par_loop(k, set, dat, op2_arg_gbl(wide, OP2_MAX), op2_arg_info(w, 1)),
          "'wide'", "2 values");
  REFUSED(OP2_ERR_TYPE, op2_par_loop(k, set, dat, max, op2_arg_info(wide, 1)), "argument 2",
          "OP2_F64");
  REFUSED(OP2_ERR_ACCESS, op2_par_loop(k, set, dat, max, op2_arg_info(g, 1)), "'g'");
  REFUSED(OP2_ERR_ACCESS, op2_par_loop(two, set, dat, max, max, op2_arg_info(w, 1), op2_arg_idx()),
          "'g'", "arguments 1 and 2", "once");
  REFUSED(OP2_ERR_ACCESS,
          op2_par_loop(new_source("many", "void many(const double *x, double *a, int *b, int *c) "
                                          "{ *a = *x; *b = *c = 1; }"),
                       set, dat, max, op2_arg_info(w, 1), op2_arg_info(w, 1)),
          "arguments 2 and 3", "'w'", "once");
  REFUSED(OP2_ERR_ACCESS,
          op2_par_loop(new_source("keeps", "void keeps(const double *x, double *a, const int *b) "
                                           "{ *a = *x + *b; }"),
                       set, dat, max, op2_arg_info(w, 1)),
          "argument 2 (w) is op2_arg_info", "const");
  REFUSED(OP2_ERR_ARG, op2_par_loop(k, set, dat, max, op2_arg_info(NULL, 1)), "argument 2");
  REFUSED(OP2_ERR_ARG, op2_call(test_ctx, none, NULL, op2_arg_info(w, 0)), "argument 0");
}

/* The checked mode finds kernels that write past the information, or do not keep the best value. */
static void accused(void) {
  if (!on_check()) return;
  static const struct {
    const char *name, *source, *say;
  } bad[] = {
      {"far",
       "void far(const double *x, double *g, int *w) { if (*x > *g) { *g = *x; w[1] = 1; } }",
       "argument 2 (op2_arg_info, global 'w'), element 0 of 'elems': the kernel wrote outside"},
      {"sets", "void sets(const double *x, double *g, int *w) { *g = *x; *w = 1; }",
       "argument 1 (global 'g', OP2_MAX)"},
      {"looks",
       "void looks(const double *x, double *g, int *w) { if (*x > *g) *g = w[-1]; *w = 2; }",
       "argument 2 (op2_arg_info, global 'w')"},
  };
  op2_set set = new_set(N, "elems");
  double *x = scratch(N, sizeof *x);
  for (int i = 0; i < N; i++) x[i] = i;
  op2_dat dat = new_dat(set, 1, OP2_F64, x, "x");
  for (int b = 0; b < (int)(sizeof bad / sizeof *bad); b++) {
    op2_gbl g = new_gbl(1, OP2_F64, NULL, "g"), w = new_gbl(1, OP2_I32, NULL, "w");
    op2_status status =
        op2_par_loop(new_source(bad[b].name, bad[b].source), set, op2_arg_direct(dat, OP2_READ),
                     op2_arg_gbl(g, OP2_MAX), op2_arg_info(w, 1));
    if (!test_config.eager) {
      MUST(status);
      status = op2_flush(test_ctx);
    }
    EXPECT(status == OP2_ERR_KERNEL);
    if (!EXPECT(strstr(op2_error_message(), bad[b].say)))
      diag("%s: %s", bad[b].name, op2_error_message());
  }
}

/* The information must not depend on increments of earlier elements, or on extremes found
 * before. */
static void accused_of_looking(void) {
  if (!on_check()) return;
  static const char *const bad[][3] = {
      {"added",
       "void added(const double *x, double *s, double *g, double *w) {"
       " *s += *x; if (*x > *g) { *g = *x; *w = *s; } }",
       "argument 1 (global 's', OP2_INC)"},
      {"found",
       "void found(const double *x, double *s, double *g, double *w) {"
       " *s += 1; if (*x > *g) { *g = *x; *w = *g + *s; } }",
       "argument 1 (global 's', OP2_INC)"}};
  op2_set set = new_set(N, "elems");
  double *x = scratch(N, sizeof *x);
  for (int i = 0; i < N; i++) x[i] = i;
  op2_dat dat = new_dat(set, 1, OP2_F64, x, "x");
  for (int b = 0; b < 2; b++) {
    op2_status status =
        op2_par_loop(new_source(bad[b][0], bad[b][1]), set, op2_arg_direct(dat, OP2_READ),
                     op2_arg_gbl(new_gbl(1, OP2_F64, NULL, "s"), OP2_INC),
                     op2_arg_gbl(new_gbl(1, OP2_F64, NULL, "g"), OP2_MAX),
                     op2_arg_info(new_gbl(1, OP2_F64, NULL, "w"), 2));
    if (!test_config.eager) {
      MUST(status);
      status = op2_flush(test_ctx);
    }
    EXPECT(status == OP2_ERR_KERNEL);
    if (!EXPECT(strstr(op2_error_message(), bad[b][2]) != NULL))
      diag("%s: %s", bad[b][0], op2_error_message());
  }
}

/* The loop is vector code if the kernel allows it, and is fused. */
static void told(void) {
  op2_set set = new_set(N, "elems");
  op2_dat x = new_dat(set, 1, OP2_F64, NULL, "x"), y = new_dat(set, 1, OP2_F64, NULL, "y");
  op2_gbl g = new_gbl(1, OP2_F64, NULL, "g"), where = new_number(0, "where");
  static char text[1 << 16];
  MUST(op2_par_loop(new_kernel(&doubled_kernel), set, op2_arg_direct(x, OP2_WRITE),
                    op2_arg_direct(y, OP2_READ)));
  MUST(op2_par_loop(new_kernel(&max_f64_kernel), set, op2_arg_direct(x, OP2_READ),
                    op2_arg_gbl(g, OP2_MAX), op2_arg_info(where, 1), op2_arg_idx()));
  MUST(op2_flush(test_ctx));
  memset(text, 0, sizeof text);
  FILE *stream = fmemopen(text, sizeof text - 1, "w");
  if (!EXPECT(stream != NULL)) return;
  MUST(op2_explain(test_ctx, stream));
  fclose(stream);
  bool direct = !strcmp(test_config.backend, "sequential") || on_check();
  EXPECT((strstr(text, "doubled+max_f64: one loop over 'elems'") != NULL) ==
         (!direct && !test_config.eager));
  if (!EXPECT(direct || on_device() || !strstr(text, "scalar code"))) diag("%s", text);
}

static const struct test_case cases[] = {
    {"every type", types},
    {"on subsets", on_subsets},
    {"in the user's numbers", renumbered},
    {"several values beside", several_beside},
    {"two reductions", two_reductions},
    {"ties and zeros", ties_and_zeros},
    {"not a number", not_a_number},
    {"a kernel that says nothing", nothing_said},
    {"through maps", through_maps},
    {"exec halo does not count", exec_halo},
    {"one after the other", one_after_the_other},
    {"info that is used otherwise", info_used_otherwise},
    {"in a time loop", in_a_time_loop},
    {"refused", refused},
    {"kernels that do wrong", accused},
    {"kernels that look at other elements", accused_of_looking},
    {"vector code, fused", told},
};

int main(void) {
  setenv("OP2_FUSE", "2", 1);
  return RUN(cases, 0);
}
