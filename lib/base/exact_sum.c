/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact sums. Most of the work is done in registers: each value is cut into three pieces, by the
 * same powers of two for all values of a group, so that the pieces of a group add up without
 * rounding (J. Demmel, H. D. Nguyen, Fast reproducible floating-point summation, ARITH 2013). Only
 * the three sums go to the digits, and the few values that have more bits than three pieces hold. */
#include "exact_sum.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
  BITS = 32,              /* of a digit */
  LOWEST = -1074,         /* exponent of the unit of digit 0 */
  GROUP_LOG = 9,          /* log2 of the values of a group */
  GROUP = 1 << GROUP_LOG, /* values that are cut by the same powers of two */
  PIECES = 3,
  PIECE = 52 - GROUP_LOG /* bits of a value that a piece holds, below the largest exponent */
};
static const int64_t ROOM = INT64_C(1) << 30;

void op2i_exact_clear(struct op2i_exact_sum *sum) {
  memset(sum, 0, sizeof *sum);
  sum->room = ROOM;
}

/* Move carries on, so that all digits but the highest are in [0, 2^32). */
static void carry(struct op2i_exact_sum *sum) {
  for (int k = 0; k + 1 < OP2I_EXACT_DIGITS; k++) {
    const int64_t low = sum->digit[k] & INT64_C(0xffffffff);
    sum->digit[k + 1] += (sum->digit[k] - low) / (INT64_C(1) << BITS);
    sum->digit[k] = low;
  }
  sum->room = ROOM;
}

static void count_special(struct op2i_exact_sum *sum, double x) {
  if (isnan(x))
    sum->nans++;
  else if (x > 0)
    sum->plus++;
  else
    sum->minus++;
}

/* Add one value to the digits: its 53 bits are in three of them. */
static void add_one(struct op2i_exact_sum *sum, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  const int exponent = (int)(bits >> 52 & 0x7ff);
  uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
  if (exponent == 0x7ff) {
    count_special(sum, x);
    return;
  }
  if (exponent) mantissa |= UINT64_C(1) << 52;
  const int place = exponent ? exponent - 1 : 0, k = place / BITS, shift = place % BITS;
  const uint64_t low = mantissa << shift, high = shift ? mantissa >> (64 - shift) : 0;
  const int64_t sign = bits >> 63 ? -1 : 1;
  if (sum->room-- == 0) carry(sum);
  sum->digit[k] += sign * (int64_t)(low & UINT64_C(0xffffffff));
  sum->digit[k + 1] += sign * (int64_t)(low >> BITS);
  sum->digit[k + 2] += sign * (int64_t)high;
}

/* A group as vectors, of as many values as any x86-64 or AArch64 processor has in a register. */
enum { LANES = 2, VECTORS = GROUP / LANES };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t flags __attribute__((vector_size(LANES * sizeof(int64_t))));

static bool any(flags x) { return x[0] | x[1]; }

/* The exponent e of a group, all of whose magnitudes are below 2^e; INT_MAX if a value is not
 * finite. */
static int exponent_of(const lanes *x) {
  lanes most = {0}, different = {0};
  int exponent = 0;
  for (int i = 0; i < VECTORS; i++) {
    const lanes magnitude = (lanes)((flags)x[i] & INT64_MAX);
    const flags larger = magnitude > most;
    most = (lanes)(((flags)magnitude & larger) | ((flags)most & ~larger));
    different += x[i] - x[i]; /* NaN, if a value is not finite */
  }
  if (!(different[0] + different[1] == 0)) return INT_MAX;
  (void)frexp(most[0] > most[1] ? most[0] : most[1], &exponent);
  return exponent;
}

static void add_each(struct op2i_exact_sum *sum, const lanes *x) {
  for (int i = 0; i < VECTORS; i++)
    for (int l = 0; l < LANES; l++)
      if (x[i][l] != 0) add_one(sum, x[i][l]);
}

/* Add a group, and replace its values by what is left to be added of them: zeros, mostly. */
static void add_group(struct op2i_exact_sum *sum, lanes *x) {
  const int exponent = exponent_of(x), highest = exponent == INT_MAX ? 0 : exponent + GROUP_LOG;
  if (exponent == INT_MAX || highest > 1020 || highest - PIECES * PIECE < LOWEST) {
    add_each(sum, x);
    return;
  }
  flags more = {0};
  for (int piece = 0; piece < PIECES; piece++) {
    /* Adding this number rounds a value to a multiple of the number's last bit. */
    const double cut = ldexp(1.5, highest - piece * PIECE);
    lanes total = {0};
    more = (flags){0};
    for (int i = 0; i < VECTORS; i++) {
      const lanes high = (x[i] + cut) - cut;
      total += high;
      x[i] -= high;
      more |= x[i] != 0;
    }
    add_one(sum, total[0] + total[1]);
    if (!any(more)) return;
  }
  add_each(sum, x);
}

void op2i_exact_add(struct op2i_exact_sum *sum, op2_type type, const void *values, int64_t n,
                    int64_t step) {
  lanes group[VECTORS];
  double x[GROUP];
  for (int64_t first = 0; first < n; first += GROUP) {
    const int64_t size = n - first < GROUP ? n - first : GROUP, at = first * step;
    if (type == OP2_F32)
      for (int64_t i = 0; i < size; i++) x[i] = (double)((const float *)values)[at + i * step];
    else
      for (int64_t i = 0; i < size; i++) x[i] = ((const double *)values)[at + i * step];
    for (int64_t i = size; i < GROUP; i++) x[i] = 0;
    memcpy(group, x, sizeof group);
    add_group(sum, group);
  }
}

void op2i_exact_pack(struct op2i_exact_sum *sum, int64_t *words) {
  carry(sum);
  memcpy(words, sum->digit, sizeof sum->digit);
  words[OP2I_EXACT_DIGITS] = sum->nans;
  words[OP2I_EXACT_DIGITS + 1] = sum->plus;
  words[OP2I_EXACT_DIGITS + 2] = sum->minus;
}

void op2i_exact_unpack(struct op2i_exact_sum *sum, const int64_t *words) {
  memcpy(sum->digit, words, sizeof sum->digit);
  sum->nans = words[OP2I_EXACT_DIGITS];
  sum->plus = words[OP2I_EXACT_DIGITS + 1];
  sum->minus = words[OP2I_EXACT_DIGITS + 2];
  carry(sum);
}

static int length_of(unsigned __int128 value) {
  int length = 0;
  for (; value; value >>= 1) length++;
  return length;
}

/* Round a magnitude to `bits` bits, none of which counts units below 2^unit. */
static double round_digits(const struct op2i_exact_sum *sum, int bits, int unit) {
  int top = OP2I_EXACT_DIGITS - 1;
  while (top >= 0 && !sum->digit[top]) top--;
  if (top < 0) return 0;
  unsigned __int128 value = 0;
  for (int k = top; k > top - 3; k--)
    value = value << BITS | (uint64_t)(k >= 0 ? sum->digit[k] : 0);
  bool more = false;
  for (int k = top - 3; k >= 0; k--) more |= sum->digit[k] != 0;
  int exponent = LOWEST + (top - 2) * BITS, drop = length_of(value) - bits;
  if (drop < unit - exponent) drop = unit - exponent;
  if (drop > 0) {
    const unsigned __int128 rest = value & (((unsigned __int128)1 << drop) - 1),
                            half = (unsigned __int128)1 << (drop - 1);
    value >>= drop;
    exponent += drop;
    if (rest > half || (rest == half && (more || (value & 1)))) value++;
  }
  return ldexp((double)(uint64_t)value, exponent);
}

static double magnitude(struct op2i_exact_sum *sum, int bits, int unit) {
  carry(sum);
  const bool negative = sum->digit[OP2I_EXACT_DIGITS - 1] < 0;
  for (int k = 0; negative && k < OP2I_EXACT_DIGITS; k++) sum->digit[k] = -sum->digit[k];
  if (negative) carry(sum);
  const double value = round_digits(sum, bits, unit);
  for (int k = 0; negative && k < OP2I_EXACT_DIGITS; k++) sum->digit[k] = -sum->digit[k];
  return negative ? -value : value;
}

void op2i_exact_round(struct op2i_exact_sum *sum, op2_type type, void *value) {
  double rounded = type == OP2_F32 ? magnitude(sum, 24, -149) : magnitude(sum, 53, LOWEST);
  if (sum->nans || (sum->plus && sum->minus))
    rounded = NAN;
  else if (sum->plus || sum->minus)
    rounded = sum->plus ? INFINITY : -INFINITY;
  const float narrow = (float)rounded;
  if (type == OP2_F32)
    memcpy(value, &narrow, sizeof narrow);
  else
    memcpy(value, &rounded, sizeof rounded);
}
