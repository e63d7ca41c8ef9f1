/* SPDX-License-Identifier: BSD-3-Clause */
/* A step of a particle in turbulence: a generator of random numbers, Box and Muller's method, and
 * reflection at the walls. */
#include <math.h>
#include <stdint.h>
static double uniform(uint64_t *s) {
  *s ^= *s << 13;
  *s ^= *s >> 7;
  *s ^= *s << 17;
  return (double)(*s >> 11) * (1.0 / 9007199254740992.0);
}

static void random_walk(uint64_t *seed, const double *velocity, double *x) {
  const double r = sqrt(-2.0 * log(1.0 - uniform(seed))), phi = 2.0 * M_PI * uniform(seed);
  const double step[2] = {r * cos(phi), r * sin(phi)};
  for (int d = 0; d < 2; d++) {
    x[d] += 0.01 * velocity[d] + 0.05 * step[d];
    if (x[d] < 0.0) x[d] = -x[d];
    if (x[d] > 1.0) x[d] = 2.0 - x[d];
  }
}

/* ---- how it is run ---- */
#include "forty.h"

FORTY_CASE(random_walk, "64-bit integers, sin and cos", random_walk(p[0], p[1], p[2]),
           {1, OP2_U64, OP2_RW, FORTY_DIRECT, 0, 1, 1e9, {0}},
           {2, OP2_F64, OP2_READ, 0, 0, -1, 1, {0}},
           {2, OP2_F64, OP2_RW, FORTY_DIRECT, 0, 0, 1, {0}})
