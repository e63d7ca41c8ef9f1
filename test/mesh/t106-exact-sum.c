/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact sums have the bits of a sum in integers of 128 bits, rounded once, in any order and divided in
 * any way; also of values of all magnitudes, subnormal ones, and those that cancel. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exact_sum.h"
#include "support.h"
#include "tap.h"

enum { N = 5000 };

static double sum_of(const double *x, int n, int step) {
  struct op2i_exact_sum sum;
  double value;
  op2i_exact_clear(&sum);
  op2i_exact_add(&sum, OP2_F64, x, n, step);
  op2i_exact_round(&sum, OP2_F64, &value);
  return value;
}

/* The sum of parts of different sizes, as ranks add them up. */
static double sum_of_parts(const double *x, int n, int parts) {
  int64_t all[OP2I_EXACT_WORDS] = {0}, words[OP2I_EXACT_WORDS];
  struct op2i_exact_sum sum;
  double value;
  for (int p = 0, first = 0; p < parts; p++) {
    const int end = p == parts - 1 ? n : first + (n - first) / (2 + p % 3);
    op2i_exact_clear(&sum);
    op2i_exact_add(&sum, OP2_F64, x + first, end - first, 1);
    op2i_exact_pack(&sum, words);
    for (int k = 0; k < OP2I_EXACT_WORDS; k++) all[k] += words[k];
    first = end;
  }
  op2i_exact_unpack(&sum, all);
  op2i_exact_round(&sum, OP2_F64, &value);
  return value;
}

/* The same by windows of digits. Sums whose digits do not fit have to say so. */
static double sum_of_windows(const double *x, int n, int parts) {
  struct op2i_exact_window all, window;
  struct op2i_exact_sum sum;
  double value;
  for (int p = 0, first = 0; p < parts; p++) {
    const int end = p == parts - 1 ? n : first + (n - first) / (2 + p % 3);
    op2i_exact_clear(&sum);
    op2i_exact_add(&sum, OP2_F64, x + first, end - first, 1);
    op2i_exact_narrow(&sum, p ? &window : &all);
    if (p) op2i_exact_combine(&all, &window);
    first = end;
  }
  if (!op2i_exact_widen(&sum, &all)) return sum_of_parts(x, n, parts);
  op2i_exact_round(&sum, OP2_F64, &value);
  return value;
}

/* True if windows of a small and a large value do not fit. */
static bool window_ends(double small, double large) {
  struct op2i_exact_window windows[2];
  struct op2i_exact_sum sum;
  for (int k = 0; k < 2; k++) {
    op2i_exact_clear(&sum);
    op2i_exact_add(&sum, OP2_F64, k ? &large : &small, 1, 1);
    op2i_exact_narrow(&sum, &windows[k]);
  }
  op2i_exact_combine(&windows[0], &windows[1]);
  return !op2i_exact_widen(&sum, &windows[0]);
}

/* An integer of 128 bits as a double, rounded to nearest, ties to even. */
static double rounded(__int128 sum) {
  const bool negative = sum < 0;
  unsigned __int128 m = (unsigned __int128)(negative ? -sum : sum), rest = 0, half = 0;
  int drop = 0;
  while (m >> drop >> 53) drop++;
  if (drop) {
    half = (unsigned __int128)1 << (drop - 1);
    rest = m & (2 * half - 1);
    m >>= drop;
    if (rest > half || (rest == half && (m & 1))) m++;
  }
  const double value = ldexp((double)(uint64_t)m, drop);
  return negative ? -value : value;
}

static bool same(double a, double b) { return !memcmp(&a, &b, sizeof a); }

/* Values m 2^e with m of 53 bits and e in [0, 55]: their sum fits into 128 bits. In every second trial
 * exponents are alike for a while and then larger or smaller. */
static int compare_with_integers(uint64_t seed) {
  const bool alike = seed % 2;
  static double x[N];
  __int128 sum = 0;
  int wrong = 0;
  for (int i = 0; i < N; i++) {
    const int64_t m = (int64_t)(draw(&seed) >> 11) * (draw_below(&seed, 2) ? 1 : -1);
    const int e = alike ? i / 700 * 23 % 56 : draw_below(&seed, 1 + (int)(seed % 56));
    x[i] = ldexp((double)m, e);
    sum += (__int128)m * ((__int128)1 << e);
    if (i % 1000 == 1) x[i] = -x[i - 1];
    if (i % 1000 == 1) sum -= (__int128)m * ((__int128)1 << e);
    if (i % 1000 == 1) sum -= (__int128)x[i - 1];
  }
  wrong += !same(sum_of(x, N, 1), rounded(sum));
  for (int parts = 1; parts < 9; parts++) wrong += !same(sum_of_parts(x, N, parts), rounded(sum));
  for (int parts = 1; parts < 9; parts++) wrong += !same(sum_of_windows(x, N, parts), rounded(sum));
  return wrong;
}

/* Values of all magnitudes give the same bits in any order and number of parts. */
static int compare_orders(uint64_t seed) {
  static double x[N];
  int wrong = 0;
  for (int i = 0; i < N; i++)
    x[i] = ldexp((double)(int64_t)draw(&seed), draw_below(&seed, 2040) - 1130);
  const double value = sum_of(x, N, 1);
  for (int parts = 1; parts < 6; parts++) {
    for (int i = N - 1; i > 0; i--) {
      const int j = draw_below(&seed, i + 1);
      const double t = x[i];
      x[i] = x[j];
      x[j] = t;
    }
    wrong += !same(sum_of_parts(x, N, parts), value);
    wrong += !same(sum_of_windows(x, N, parts), value);
  }
  return wrong;
}

static void special_values(void) {
  const double tiny = 0x1p-1074, most = DBL_MAX;
  ok(same(sum_of((double[]){1, 0x1p-53, 0}, 3, 1), 1), "a tie goes to even");
  ok(same(sum_of((double[]){1, 0x1p-53, tiny}, 3, 1), 1 + DBL_EPSILON), "a bit more does not");
  ok(same(sum_of((double[]){1 + DBL_EPSILON, 0x1p-53}, 2, 1), 1 + 2 * DBL_EPSILON),
     "a tie at an odd value goes up");
  ok(same(sum_of((double[]){tiny, tiny, tiny}, 3, 1), 3 * tiny), "subnormal values");
  ok(same(sum_of((double[]){most, most, -most}, 3, 1), most), "sums that overflow on their way");
  ok(same(sum_of((double[]){most, most}, 2, 1), INFINITY), "a sum that is too large");
  ok(same(sum_of((double[]){most, -most, tiny}, 3, 1), tiny), "large values that cancel");
  ok(same(sum_of((double[]){-0.0, -0.0}, 2, 1), 0), "zeros");
  ok(same(sum_of(NULL, 0, 1), 0), "no values");
  ok(same(sum_of((double[]){INFINITY, 1}, 2, 1), INFINITY), "infinity");
  ok(isnan(sum_of((double[]){INFINITY, -INFINITY}, 2, 1)), "infinities of both signs");
  ok(isnan(sum_of((double[]){1, NAN}, 2, 1)), "NaN");
  ok(same(sum_of((double[]){1, 100, 2, 100, 4}, 3, 2), 7), "every second value");
  ok(same(sum_of_windows((double[]){-1, -2, -4}, 3, 3), -7), "windows of negative sums");
  ok(same(sum_of_windows((double[]){-8, 8, 0x1p-60}, 3, 3), 0x1p-60), "windows that cancel");
  ok(same(sum_of_windows((double[]){0, 0, 5}, 3, 3), 5), "windows of zeros");
  ok(isnan(sum_of_windows((double[]){1, NAN, INFINITY}, 3, 3)), "windows with NaN");
  ok(window_ends(0x1p-500, 0x1p500) && !window_ends(0x1p-300, 0x1p300), "windows have an end");
}

static void narrow_values(void) {
  const float x[] = {1, 0x1p-24f, 0x1p-60f}, large[] = {FLT_MAX, FLT_MAX};
  struct op2i_exact_sum sum;
  float value;
  op2i_exact_clear(&sum);
  op2i_exact_add(&sum, OP2_F32, x, 2, 1);
  op2i_exact_round(&sum, OP2_F32, &value);
  ok(value == 1, "float: a tie goes to even");
  op2i_exact_add(&sum, OP2_F32, x + 2, 1, 1);
  op2i_exact_round(&sum, OP2_F32, &value);
  ok(value == 1 + FLT_EPSILON, "float: a bit more does not");
  op2i_exact_clear(&sum);
  op2i_exact_add(&sum, OP2_F32, large, 2, 1);
  op2i_exact_round(&sum, OP2_F32, &value);
  ok(isinf(value), "float: a sum that is too large");
}

int main(void) {
  const int trials = quick() ? 60 : thorough() ? 5000 : 300;
  int wrong = 0;
  for (int t = 0; t < trials; t++) wrong += compare_with_integers((uint64_t)t + 1);
  is_int(wrong, 0, "%d sums of %d values are those of integers", trials, N);
  wrong = 0;
  for (int t = 0; t < trials; t++) wrong += compare_orders((uint64_t)t + 1);
  is_int(wrong, 0, "%d sums do not depend on order and division", trials);
  special_values();
  narrow_values();
  return done();
}
