/* SPDX-License-Identifier: BSD-3-Clause */
/* The bucket of a particle's cell, by a hash of integers, and a count of its bits. */
#include <math.h>
#include <stdint.h>
static uint32_t mix(uint32_t h) {
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  h ^= h >> 16;
  return h;
}

static void particle_hash(const double *x, const int *level, uint32_t *bucket, int32_t *odd) {
  const int32_t i = (int32_t)floor(x[0] * (1 << 10)), j = (int32_t)floor(x[1] * (1 << 10));
  uint32_t h = mix((uint32_t)i * 73856093u ^ (uint32_t)j * 19349663u ^ (uint32_t)*level);
  *bucket = h % 4096u;
  h ^= h >> 16;
  h ^= h >> 8;
  h ^= h >> 4;
  *odd = (0x6996 >> (h & 0xf)) & 1;
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(particle_hash, "a hash of integers", particle_hash(p[0], p[1], p[2], p[3]),
           {2, OP2_F64, OP2_READ, FORTY_DIRECT, 0, -4, 4, {0}},
           {1, OP2_I32, OP2_READ, FORTY_DIRECT, 0, 0, 5, {0}},
           {1, OP2_U32, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}},
           {1, OP2_I32, OP2_WRITE, FORTY_DIRECT, 0, 0, 0, {0}})
