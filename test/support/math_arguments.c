/* SPDX-License-Identifier: BSD-3-Clause */
#include "math_arguments.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "support.h"

const double math_special[MATH_SPECIAL] = {
    0.0,        -0.0,      1.0,     -1.0,     INFINITY, -INFINITY, NAN,  0x1p-1074,
    -0x1p-1074, 0x1p-1022, DBL_MAX, -DBL_MAX, 0x1p-140, 2.0,       -2.0, 3.0,
    -3.0,       0.5,       -0.5,    710.0,    -746.0,   1e300,     89.0, 1e15};

static double from_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

void math_anywhere(uint64_t *state, bool single, double x[2]) {
  for (int i = 0; i < 2; i++) {
    const uint64_t bits = draw(state);
    const uint32_t narrow = (uint32_t)bits;
    float number;
    memcpy(&number, &narrow, sizeof number);
    x[i] = single ? (double)number : from_bits(bits);
  }
}

static double between(uint64_t *state, double low, double high) {
  return low + (high - low) * (double)(draw(state) >> 11) * 0x1p-53;
}

/* A neighbour of x, at most four numbers away. */
static double near(uint64_t *state, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return x == 0 ? 0 : from_bits(bits + (uint64_t)draw_below(state, 9) - 4);
}

/* A number of either sign between 2^-least and 1. */
static double tiny(uint64_t *state, int least) {
  return between(state, -1, 1) * ldexp(1, -draw_below(state, least));
}

/* Where the nearest multiple of ln 2 changes, in the whole range, near its ends and near zero. */
void math_exponential(uint64_t *state, int kind, double x[2]) {
  if (kind == 0) x[0] = near(state, (draw_below(state, 2200) - 1100) * 0.34657359027997265);
  if (kind == 1) x[0] = between(state, -746, 711);
  if (kind == 2) x[0] = draw_below(state, 2) ? between(state, -1076, -700) : tiny(state, 60);
  if (kind == 3) x[0] = between(state, -3, 3);
  x[1] = 0;
}

/* Near one, near the roots of 2^n, powers of ten, and usual arguments. */
void math_logarithm(uint64_t *state, int kind, double x[2]) {
  if (kind == 0) x[0] = 1 + tiny(state, 52);
  if (kind == 1) x[0] = near(state, ldexp(0.70710678118654752, draw_below(state, 2000) - 1000));
  if (kind == 2) x[0] = pow(10, draw_below(state, 600) - 300);
  if (kind == 3) x[0] = between(state, 0.25, 4);
  x[1] = 0;
}

/* One less. */
void math_logarithm_1(uint64_t *state, int kind, double x[2]) {
  if (kind == 0) x[0] = tiny(state, 60);
  if (kind == 1) x[0] = near(state, ldexp(0.70710678118654752, draw_below(state, 100) - 50) - 1);
  if (kind == 2) x[0] = between(state, -1, -0.9);
  if (kind == 3) x[0] = between(state, -0.75, 3);
  x[1] = 0;
}

/* Near multiples of pi/2, of which some are large; where the way of reduction changes; and usual
 * arguments. The double that is closest to such a multiple is 6381956970095103 2^797 (J.-M. Muller,
 * Elementary Functions, 1997). */
void math_angle(uint64_t *state, int kind, double x[2]) {
  if (kind == 0) {
    const long double turns = draw_below(state, 1 << (1 + draw_below(state, 30)));
    x[0] = near(state, (double)(turns * 1.57079632679489661923132169163975144L));
  }
  if (kind == 1) x[0] = near(state, ldexp(6381956970095103.0, draw_below(state, 2) ? 797 : 3));
  if (kind == 2) x[0] = between(state, 799000, 801000);
  if (kind == 3) x[0] = between(state, -20, 20);
  x[1] = 0;
}

/* Near the ends of [-1, 1], near 1/2 and zero, and between. */
void math_sine(uint64_t *state, int kind, double x[2]) {
  x[0] = between(state, -1, 1);
  if (kind == 0) x[0] = (draw_below(state, 2) ? 1 : -1) * (1 - fabs(tiny(state, 53)));
  if (kind == 1) x[0] = (draw_below(state, 2) ? 0.5 : 0.17) + tiny(state, 53) / 8;
  if (kind == 2) x[0] = tiny(state, 60);
  x[1] = 0;
}

/* Numbers whose sizes differ little, or by any power of two. */
void math_usual(uint64_t *state, int kind, double x[2]) {
  x[0] = between(state, -4, 4);
  x[1] = between(state, -4, 4);
  if (kind == 0) x[1] = x[0] * (1 + tiny(state, 50));
  if (kind == 1) x[0] = tiny(state, 1000);
  if (kind == 2) x[0] = ldexp(x[0], draw_below(state, 2000) - 1000), x[1] *= x[0];
}

/* Near zero, where the methods change, and usual. */
void math_small(uint64_t *state, int kind, double x[2]) {
  x[0] = between(state, -3, 3);
  if (kind == 0) x[0] = tiny(state, 60);
  if (kind == 1) x[0] = between(state, 0.3, 0.4);
  if (kind == 2) x[0] = between(state, -45, 45);
  x[1] = 0;
}

void math_above_one(uint64_t *state, int kind, double x[2]) {
  x[0] = between(state, 1, 4);
  if (kind == 0) x[0] = 1 + fabs(tiny(state, 52));
  if (kind == 1) x[0] = between(state, 1.05, 1.07);
  if (kind == 2) x[0] = ldexp(x[0], draw_below(state, 1000));
  x[1] = 0;
}

/* Bases near one with large exponents, any base with results in the range of numbers or near its
 * ends, negative bases with integer exponents, and usual ones. */
void math_power(uint64_t *state, int kind, double x[2]) {
  x[0] = between(state, 0.1, 10);
  x[1] = between(state, -8, 8);
  if (kind == 0) x[0] = 1 + tiny(state, 40), x[1] = between(state, -745, 709) / log(x[0]);
  if (kind == 1) x[0] = fabs(tiny(state, 900)), x[1] = between(state, -745, 709) / log(x[0]);
  if (kind == 2) x[0] = -x[0], x[1] = draw_below(state, 600) - 300;
}
