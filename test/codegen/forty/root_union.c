/* SPDX-License-Identifier: BSD-3-Clause */
/* Gravity between particles, with the reciprocal root that begins from a number's bits. */
#include <stdint.h>
typedef union {
  float f;
  int32_t i;
} bits_t;

static inline float fast_rsqrt(float x) {
  bits_t b;
  b.f = x;
  b.i = 0x5f3759df - (b.i >> 1);
  b.f = b.f * (1.5f - 0.5f * x * b.f * b.f);
  return b.f * (1.5f - 0.5f * x * b.f * b.f);
}

static void root_union(const float *a, const float *b, float *acc) {
  float d[3], r2 = 1e-4f, s;
  for (int i = 0; i < 3; i++) {
    d[i] = b[i] - a[i];
    r2 += d[i] * d[i];
  }
  s = fast_rsqrt(r2);
  s = s * s * s * b[3];
  for (int i = 0; i < 3; i++) acc[i] = d[i] * s;
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(root_union, "a union of scalars", root_union(p[0], p[1], p[2]),
           {4, OP2_F32, OP2_READ, 0, 0, -1, 1, {0, 0, 0, 2}},
           {4, OP2_F32, OP2_READ, 1, 1, 0, 0, {0}},
           {3, OP2_F32, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
