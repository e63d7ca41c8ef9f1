/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_LANES_H
#define BENCH_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

/** @file lanes.h
 * Vectors by hand, as wide as the processor's registers, with gcc's and clang's extensions of C. */

#if defined __AVX512F__
enum { LANE_BYTES = 64 };
#elif defined __AVX__
enum { LANE_BYTES = 32 };
#else
enum { LANE_BYTES = 16 };
#endif
enum { LANES = LANE_BYTES / 8, LANES32 = LANE_BYTES / 4 };

typedef double lanes __attribute__((vector_size(LANE_BYTES)));
typedef int64_t lane_mask __attribute__((vector_size(LANE_BYTES)));
typedef float lanes_f32 __attribute__((vector_size(LANE_BYTES)));
typedef uint32_t lanes_u32 __attribute__((vector_size(LANE_BYTES)));

static inline lanes lanes_load(const double *from) {
  lanes v;
  memcpy(&v, from, sizeof v);
  return v;
}

static inline void lanes_store(double *to, lanes v) { memcpy(to, &v, sizeof v); }

/** Store to an address that is a multiple of a vector's size, past the caches where the processor
 * can. */
static inline void lanes_stream(double *to, lanes v) {
#if defined __AVX512F__
  _mm512_stream_pd(to, (__m512d)v);
#elif defined __AVX__
  _mm256_stream_pd(to, (__m256d)v);
#elif defined __SSE2__
  _mm_stream_pd(to, (__m128d)v);
#else
  lanes_store(to, v);
#endif
}

static inline lanes_f32 lanes_load_f32(const float *from) {
  lanes_f32 v;
  memcpy(&v, from, sizeof v);
  return v;
}

static inline void lanes_store_f32(float *to, lanes_f32 v) { memcpy(to, &v, sizeof v); }

static inline lanes_u32 lanes_load_u32(const uint32_t *from) {
  lanes_u32 v;
  memcpy(&v, from, sizeof v);
  return v;
}

static inline void lanes_store_u32(uint32_t *to, lanes_u32 v) { memcpy(to, &v, sizeof v); }

/** All lanes with this value. */
static inline lanes lanes_all(double x) { return x - (lanes){0}; }

/** In each lane a where the mask is -1, and b where it is 0. */
static inline lanes lanes_select(lane_mask mask, lanes a, lanes b) {
  return (lanes)((mask & (lane_mask)a) | (~mask & (lane_mask)b));
}

/** True if the mask is -1 in any lane. */
static inline bool lanes_any(lane_mask mask) {
#ifdef __AVX512F__
  return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask);
#else
  int64_t any = 0;
  for (int k = 0; k < LANES; k++) any |= mask[k];
  return any;
#endif
}

#if defined __AVX512F__
#define LANE_PAIRS_1 0, 8, 1, 9, 2, 10, 3, 11
#define LANE_PAIRS_2 4, 12, 5, 13, 6, 14, 7, 15
#define LANE_EVEN    0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define LANE_ODD     1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#elif defined __AVX__
#define LANE_PAIRS_1 0, 4, 1, 5
#define LANE_PAIRS_2 2, 6, 3, 7
#define LANE_EVEN    0, 2, 4, 6, 8, 10, 12, 14
#define LANE_ODD     1, 3, 5, 7, 9, 11, 13, 15
#else
#define LANE_PAIRS_1 0, 2
#define LANE_PAIRS_2 1, 3
#define LANE_EVEN    0, 2, 4, 6
#define LANE_ODD     1, 3, 5, 7
#endif

/** Store a lane of a, the same one of b, and so on. */
static inline void lanes_store_pairs(double *to, lanes a, lanes b) {
  lanes_store(to, __builtin_shufflevector(a, b, LANE_PAIRS_1));
  lanes_store(to + LANES, __builtin_shufflevector(a, b, LANE_PAIRS_2));
}

/** Load pairs of numbers: the first ones into *a and the second ones into *b. */
static inline void lanes_load_pairs_u32(const uint32_t *from, lanes_u32 *a, lanes_u32 *b) {
  const lanes_u32 low = lanes_load_u32(from), high = lanes_load_u32(from + LANES32);
  *a = __builtin_shufflevector(low, high, LANE_EVEN);
  *b = __builtin_shufflevector(low, high, LANE_ODD);
}

static inline double lanes_sum(lanes v) {
  double sum = 0;
  for (int k = 0; k < LANES; k++) sum += v[k];
  return sum;
}

/** Swap rows and columns of a square of values, one row in each vector. */
static inline void lanes_transpose(lanes v[LANES]) {
#define LANE_STAGE(distance)                                                                       \
  for (int k = 0; k < LANES; k++)                                                                  \
    if (!(k & (distance))) {                                                                       \
      const lanes a = v[k], b = v[k + (distance)];                                                 \
      v[k] = LANE_LOW_##distance(a, b);                                                            \
      v[k + (distance)] = LANE_HIGH_##distance(a, b);                                              \
    }
#if defined __AVX512F__
#define LANE_LOW_1(a, b)  __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define LANE_HIGH_1(a, b) __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#define LANE_LOW_2(a, b)  __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define LANE_HIGH_2(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define LANE_LOW_4(a, b)  __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define LANE_HIGH_4(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
  LANE_STAGE(1)
  LANE_STAGE(2)
  LANE_STAGE(4)
#elif defined __AVX__
#define LANE_LOW_1(a, b)  __builtin_shufflevector(a, b, 0, 4, 2, 6)
#define LANE_HIGH_1(a, b) __builtin_shufflevector(a, b, 1, 5, 3, 7)
#define LANE_LOW_2(a, b)  __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define LANE_HIGH_2(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7)
  LANE_STAGE(1)
  LANE_STAGE(2)
#else
#define LANE_LOW_1(a, b)  __builtin_shufflevector(a, b, 0, 2)
#define LANE_HIGH_1(a, b) __builtin_shufflevector(a, b, 1, 3)
  LANE_STAGE(1)
#endif
}

/** Four doubles, however wide the registers are. */
typedef double lanes4 __attribute__((vector_size(32)));

static inline lanes4 lanes4_load(const double *from) {
  lanes4 v;
  memcpy(&v, from, sizeof v);
  return v;
}

static inline void lanes4_store(double *to, lanes4 v) { memcpy(to, &v, sizeof v); }

/* Transpose squares of four by four values, in each four lanes of four vectors. */
static inline void lanes_transpose4(lanes v[4]) {
#ifdef LANE_LOW_2
  const lanes a = LANE_LOW_1(v[0], v[1]), b = LANE_HIGH_1(v[0], v[1]);
  const lanes c = LANE_LOW_1(v[2], v[3]), d = LANE_HIGH_1(v[2], v[3]);
  v[0] = LANE_LOW_2(a, c);
  v[1] = LANE_LOW_2(b, d);
  v[2] = LANE_HIGH_2(a, c);
  v[3] = LANE_HIGH_2(b, d);
#else
  (void)v;
#endif
}

/** Turn rows of four values, one for each lane, into four vectors, one for each value. */
static inline void lanes_from_rows4(const lanes4 row[LANES], lanes value[4]) {
  for (int k = 0; k < 4; k++)
#if defined __AVX512F__
    value[k] = __builtin_shufflevector(row[k], row[k + 4], 0, 1, 2, 3, 4, 5, 6, 7);
#elif defined __AVX__
    value[k] = row[k];
#else
    value[k] = (lanes){row[0][k], row[1][k]};
#endif
  lanes_transpose4(value);
}

/** Turn four vectors, one for each value, into rows of four values, one for each lane. */
static inline void lanes_to_rows4(const lanes value[4], lanes4 row[LANES]) {
#ifdef __AVX__
  lanes v[4] = {value[0], value[1], value[2], value[3]};
  lanes_transpose4(v);
  for (int k = 0; k < 4; k++) {
#ifdef __AVX512F__
    row[k] = __builtin_shufflevector(v[k], v[k], 0, 1, 2, 3);
    row[k + 4] = __builtin_shufflevector(v[k], v[k], 4, 5, 6, 7);
#else
    row[k] = v[k];
#endif
  }
#else
  for (int k = 0; k < LANES; k++)
    row[k] = (lanes4){value[0][k], value[1][k], value[2][k], value[3][k]};
#endif
}

/** Load a pair of values for each lane: from + 2 * index[k * stride] in lane k. */
static inline void lanes_gather_pairs(const double *from, const int32_t *index, int stride,
                                      lanes *first, lanes *second) {
#ifdef __AVX__
  typedef double pair __attribute__((vector_size(16)));
  pair p[LANES];
  for (int k = 0; k < LANES; k++) memcpy(&p[k], from + 2 * (int64_t)index[k * stride], sizeof *p);
  lanes even, odd;
#ifdef __AVX512F__
  lanes4 half[4];
  for (int k = 0; k < 4; k++) {
    const int at = 4 * (k / 2) + k % 2; /* pairs 0 and 2, 1 and 3, 4 and 6, 5 and 7 */
    half[k] = __builtin_shufflevector(p[at], p[at + 2], 0, 1, 2, 3);
  }
  even = __builtin_shufflevector(half[0], half[2], 0, 1, 2, 3, 4, 5, 6, 7);
  odd = __builtin_shufflevector(half[1], half[3], 0, 1, 2, 3, 4, 5, 6, 7);
#else
  even = __builtin_shufflevector(p[0], p[2], 0, 1, 2, 3);
  odd = __builtin_shufflevector(p[1], p[3], 0, 1, 2, 3);
#endif
  *first = LANE_LOW_1(even, odd);
  *second = LANE_HIGH_1(even, odd);
#else
  for (int k = 0; k < LANES; k++) {
    (*first)[k] = from[2 * (int64_t)index[k * stride]];
    (*second)[k] = from[2 * (int64_t)index[k * stride] + 1];
  }
#endif
}

/** Load from[index[k * stride]] into lane k, value by value: on many processors this is faster than
 * the instruction for it. */
static inline lanes lanes_gather(const double *from, const int32_t *index, int stride) {
#if defined __AVX512F__
  return (lanes){from[index[0]],          from[index[stride]],     from[index[2 * stride]],
                 from[index[3 * stride]], from[index[4 * stride]], from[index[5 * stride]],
                 from[index[6 * stride]], from[index[7 * stride]]};
#elif defined __AVX__
  return (lanes){from[index[0]], from[index[stride]], from[index[2 * stride]],
                 from[index[3 * stride]]};
#else
  return (lanes){from[index[0]], from[index[stride]]};
#endif
}

static inline lanes lanes_sqrt(lanes v) {
#if defined __AVX512F__
  return (lanes)_mm512_sqrt_pd((__m512d)v);
#elif defined __AVX__
  return (lanes)_mm256_sqrt_pd((__m256d)v);
#elif defined __SSE2__
  return (lanes)_mm_sqrt_pd((__m128d)v);
#else
  for (int k = 0; k < LANES; k++) v[k] = __builtin_sqrt(v[k]);
  return v;
#endif
}

static inline lanes lanes_abs(lanes v) { return (lanes)((lane_mask)v & INT64_MAX); }

/** In each lane the larger value; a NaN in a yields b. */
static inline lanes lanes_max(lanes a, lanes b) {
#if defined __AVX512F__
  return (lanes)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif defined __AVX__
  return (lanes)_mm256_max_pd((__m256d)a, (__m256d)b);
#else
  return lanes_select(a > b, a, b);
#endif
}

static inline lanes lanes_min(lanes a, lanes b) { return -lanes_max(-a, -b); }

/** Multiply four rows of a matrix by a vector of `n` fours; rows are `dim` long. */
static inline void lanes4_rows(const double *rows, int dim, int n, const double *x, double *out) {
  lanes4 sum[4] = {{0}};
  for (int r = 0; r < 4; r++)
    for (int c = 0; c < n; c++) {
      lanes4 value, factor;
      memcpy(&value, rows + r * dim + 4 * c, sizeof value);
      memcpy(&factor, x + 4 * c, sizeof factor);
      sum[r] += value * factor;
    }
  const lanes4 ab = __builtin_shufflevector(sum[0], sum[1], 0, 4, 2, 6) +
                    __builtin_shufflevector(sum[0], sum[1], 1, 5, 3, 7);
  const lanes4 cd = __builtin_shufflevector(sum[2], sum[3], 0, 4, 2, 6) +
                    __builtin_shufflevector(sum[2], sum[3], 1, 5, 3, 7);
  const lanes4 all =
      __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  memcpy(out, &all, sizeof all);
}

#endif
