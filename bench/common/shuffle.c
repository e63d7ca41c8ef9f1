/* SPDX-License-Identifier: BSD-3-Clause */
#include "shuffle.h"

uint64_t shuffle_random(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* Numbers above the largest multiple of n are drawn again, so that the distribution is uniform. */
int64_t shuffle_below(uint64_t *state, int64_t n) {
  const uint64_t width = (uint64_t)n, limit = UINT64_MAX - UINT64_MAX % width;
  uint64_t drawn = shuffle_random(state);
  while (drawn >= limit) drawn = shuffle_random(state);
  return (int64_t)(drawn % width);
}

void shuffle_rows(const int32_t *from, int64_t n, int width, const int32_t *element,
                  const int32_t *number, int32_t *to) {
  for (int64_t i = 0; i < n; i++)
    for (int k = 0; k < width; k++)
      to[width * (element ? element[i] : i) + k] = number[from[width * i + k]];
}
