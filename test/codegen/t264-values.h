/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_T264_VALUES_H
#define OP2_TEST_T264_VALUES_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "op2/types.h"

/* The types of t264, and values of each that distinguish conversions and operators. */

enum { VALUES = 26, N = VALUES * VALUES + 5, TYPES = 10 };

static const struct type {
  const char *c, *name;
  op2_type type;
  int size, bits; /* bits: of the promoted type; 0 for floating types */
  long double least, most;
} types[TYPES] = {{"double", "f64", OP2_F64, 8, 0, 0, 0},
                  {"float", "f32", OP2_F32, 4, 0, 0, 0},
                  {"int8_t", "i8", OP2_I8, 1, 32, INT8_MIN, INT8_MAX},
                  {"int16_t", "i16", OP2_I16, 2, 32, INT16_MIN, INT16_MAX},
                  {"int32_t", "i32", OP2_I32, 4, 32, INT32_MIN, INT32_MAX},
                  {"int64_t", "i64", OP2_I64, 8, 64, INT64_MIN, INT64_MAX},
                  {"uint8_t", "u8", OP2_U8, 1, 32, 0, UINT8_MAX},
                  {"uint16_t", "u16", OP2_U16, 2, 32, 0, UINT16_MAX},
                  {"uint32_t", "u32", OP2_U32, 4, 32, 0, UINT32_MAX},
                  {"uint64_t", "u64", OP2_U64, 8, 64, 0, (long double)UINT64_MAX}};
enum { F64, F32, I8, U64 = 9 };

/* Values of each type, in one order for the left operand and another for the right; `fits`: for
 * both floating types, values that every integer type can hold. */
static void *left[TYPES], *right[TYPES], *fits[2];
static int32_t self[N];

/* clang-format off */
static const double reals[VALUES] = {
    0.0, -0.0, 1, -1, 0.1, -0.1, 1.5, -2.5, 1.0 / 3, 7, NAN, INFINITY, -INFINITY, DBL_MIN, 5e-324,
    -5e-324, DBL_MAX, -DBL_MAX, FLT_MIN, -1e-40, FLT_MAX, 16777217.0, 9007199254740993.0,
    1.00000005960464488, 3.4028235677973366e38, -1e19};
static const uint64_t integers[VALUES] = {
    0, 1, 2, 3, UINT64_MAX, UINT64_MAX - 1, 5, 7, UINT64_MAX - 6, 10, 100, 0x7f, 0x80, 0xff,
    0x7fff, 0x8000, 0x7fffffff, 0x80000000, 0xffffff7f, 0x7fffffffffffffff, 0x8000000000000000,
    0x8000000000000001, 0x5555555555555555, 0x7fffff8000000001, 0x0020000000000001,
    0x8000008080000001};
/* clang-format on */

static void put(int type, void *array, int64_t i, int value) {
  switch (types[type].type) {
  case OP2_F64: ((double *)array)[i] = reals[value]; break;
  case OP2_F32: ((float *)array)[i] = (float)reals[value]; break;
  default: memcpy((char *)array + i * types[type].size, &integers[value], types[type].size);
  }
}

/* The next value from *turn on that the type can hold when truncated. */
static double fitting(int type, int *turn) {
  for (;; ++*turn) {
    int at = *turn % (VALUES + 130), power = (at - VALUES) / 2;
    long double x = at < VALUES ? reals[at] : ldexpl(at % 2 ? -1 : 1, power);
    if (at >= VALUES && *turn % 3) x -= ldexpl(1, power > 23 ? power - 23 : 0);
    if (!isfinite((float)x) || fabsl(x) > 1e20L) continue;
    /* The value must still fit after rounding to either type. */
    long double f = truncl((long double)(float)x), d = truncl((long double)(double)x);
    if (f < types[type].least || f > types[type].most || d < types[type].least ||
        d > types[type].most)
      continue;
    ++*turn;
    return (double)x;
  }
}

static void make_values(void) {
  for (int t = 0; t < TYPES; t++) {
    left[t] = calloc(N, 8);
    right[t] = calloc(N, 8);
    for (int i = 0; i < N; i++) put(t, left[t], i, i / VALUES % VALUES);
    for (int i = 0; i < N; i++) put(t, right[t], i, i % VALUES);
  }
  double *f64 = fits[F64] = calloc(N * 8, sizeof *f64);
  float *f32 = fits[F32] = calloc(N * 8, sizeof *f32);
  for (int t = I8; t <= U64; t++)
    for (int i = 0, turn = 0; i < N; i++) {
      f64[8 * i + t - I8] = fitting(t, &turn);
      f32[8 * i + t - I8] = (float)f64[8 * i + t - I8];
    }
  for (int i = 0; i < N; i++) self[i] = i;
}

#endif
