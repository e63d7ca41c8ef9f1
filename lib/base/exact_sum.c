/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact sums. Most of the work is done in registers: each value is cut into three pieces, by the
 * same powers of two for all values of a group, so that the pieces of a group add up without
 * rounding (J. Demmel, H. D. Nguyen, Fast reproducible floating-point summation, ARITH 2013). Only
 * the three sums go to the digits, and the few values that have more bits than three pieces hold. */
#include "exact_sum.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum {
  BITS = 32,              /* of a digit */
  LOWEST = -1074,         /* exponent of the unit of digit 0 */
  GROUP_LOG = 9,          /* log2 of the values of a group */
  GROUP = 1 << GROUP_LOG, /* values that are cut by the same powers of two */
  PIECES = 3,
  PIECE = 52 - GROUP_LOG, /* bits of a value that a piece holds, below the largest exponent */
  SPARE = 6               /* binary places that the values of the next groups may be larger by */
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

/* ---- groups ---------------------------------------------------------------------------------- */

/* How a group is cut: pieces are multiples of the last bits of these numbers, which are added to a
 * value and subtracted again. Magnitudes of the group have to be below `bound`. */
struct cuts {
  double bound, cut[PIECES];
};
enum {
  TOO_LARGE = 1,
  LEFT = 2
}; /* a value is not below the bound, or not finite; some have a rest */

/* Define functions that cut the values of a group in vectors of so many bytes. The first one cuts two
 * pieces and writes the rests; the second one cuts the third piece of rests. They add up pieces, and
 * return flags. The last one returns the bits of the greatest magnitude: magnitudes are in the order of
 * their bits. */
#define DEFINE_CUT(name_, bytes_, ...)                                                             \
  typedef double name_##_lanes __attribute__((vector_size(bytes_), aligned(8), may_alias));        \
  typedef int64_t name_##_flags __attribute__((vector_size(bytes_)));                              \
  __VA_ARGS__ static int name_##_two(const double *values, const struct cuts *cuts, double *rest,  \
                                     double total[2]) {                                            \
    enum { LANES = bytes_ / sizeof(double) };                                                      \
    const name_##_lanes *x = (const name_##_lanes *)values;                                        \
    const double bound = cuts->bound, upper = cuts->cut[0], lower = cuts->cut[1];                  \
    name_##_lanes first = {0}, second = {0};                                                       \
    name_##_flags left = {0}, below = ~left;                                                       \
    for (int i = 0; i < GROUP / LANES; i++) {                                                      \
      const name_##_lanes high = (x[i] + upper) - upper, low = x[i] - high;                        \
      const name_##_lanes next = (low + lower) - lower, end = low - next;                          \
      first += high;                                                                               \
      second += next;                                                                              \
      below &= (name_##_lanes)((name_##_flags)x[i] & INT64_MAX) < bound;                           \
      left |= (name_##_flags)end;                                                                  \
      ((name_##_lanes *)rest)[i] = end;                                                            \
    }                                                                                              \
    int found = 0;                                                                                 \
    total[0] = total[1] = 0;                                                                       \
    for (int l = 0; l < (int)LANES; l++) {                                                         \
      total[0] += first[l];                                                                        \
      total[1] += second[l];                                                                       \
      found |= (below[l] ? 0 : TOO_LARGE) | (left[l] & INT64_MAX ? LEFT : 0);                      \
    }                                                                                              \
    return found;                                                                                  \
  }                                                                                                \
  __VA_ARGS__ static int name_##_third(double *rest, const struct cuts *cuts, double *total) {     \
    enum { LANES = bytes_ / sizeof(double) };                                                      \
    const double lowest = cuts->cut[2];                                                            \
    name_##_lanes *x = (name_##_lanes *)rest, third = {0};                                         \
    name_##_flags left = {0};                                                                      \
    for (int i = 0; i < GROUP / LANES; i++) {                                                      \
      const name_##_lanes high = (x[i] + lowest) - lowest;                                         \
      third += high;                                                                               \
      x[i] -= high;                                                                                \
      left |= (name_##_flags)x[i];                                                                 \
    }                                                                                              \
    int found = 0;                                                                                 \
    *total = 0;                                                                                    \
    for (int l = 0; l < (int)LANES; l++) {                                                         \
      *total += third[l];                                                                          \
      found |= left[l] & INT64_MAX ? LEFT : 0;                                                     \
    }                                                                                              \
    return found;                                                                                  \
  }                                                                                                \
  __VA_ARGS__ static int64_t name_##_greatest(const double *values) {                              \
    enum { LANES = bytes_ / sizeof(double) };                                                      \
    const name_##_lanes *x = (const name_##_lanes *)values;                                        \
    name_##_flags most = {0};                                                                      \
    for (int i = 0; i < GROUP / LANES; i++) {                                                      \
      const name_##_flags bits = (name_##_flags)x[i] & INT64_MAX, larger = bits > most;            \
      most = (bits & larger) | (most & ~larger);                                                   \
    }                                                                                              \
    for (int l = 1; l < (int)LANES; l++) most[0] = most[l] > most[0] ? most[l] : most[0];          \
    return most[0];                                                                                \
  }

DEFINE_CUT(short_cut, 16)
#ifdef __x86_64__
DEFINE_CUT(middle_cut, 32, __attribute__((target("avx2"))))
DEFINE_CUT(long_cut, 64, __attribute__((target("avx512f"))))
#endif

static int cut_two(const double *x, const struct cuts *cuts, double *rest, double total[2]) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return long_cut_two(x, cuts, rest, total);
  if (__builtin_cpu_supports("avx2")) return middle_cut_two(x, cuts, rest, total);
#endif
  return short_cut_two(x, cuts, rest, total);
}

static int cut_third(double *rest, const struct cuts *cuts, double *total) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return long_cut_third(rest, cuts, total);
  if (__builtin_cpu_supports("avx2")) return middle_cut_third(rest, cuts, total);
#endif
  return short_cut_third(rest, cuts, total);
}

static int64_t greatest(const double *x) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return long_cut_greatest(x);
  if (__builtin_cpu_supports("avx2")) return middle_cut_greatest(x);
#endif
  return short_cut_greatest(x);
}

/* An exponent e of a group, all of whose magnitudes are below 2^e; INT_MAX if a value is not
 * finite. */
static int exponent_of(const double *x) {
  const int64_t most = greatest(x);
  const int exponent = (int)(most >> 52);
  if (!most) return 0;
  return exponent == 0x7ff ? INT_MAX : exponent - 1022;
}

/* Get the cuts of groups whose magnitudes are below 2^exponent, and of such that are a little larger.
 * Returns false if there are none. */
static bool cuts_of(int exponent, struct cuts *cuts) {
  if (exponent == INT_MAX) return false;
  exponent += SPARE;
  const int highest = exponent + GROUP_LOG;
  if (highest > 1020 || highest - PIECES * PIECE < LOWEST) return false;
  cuts->bound = ldexp(1, exponent);
  for (int piece = 0; piece < PIECES; piece++)
    cuts->cut[piece] = ldexp(1.5, highest - piece * PIECE);
  return true;
}

/* True if few values are not zero: adding each is faster than cutting the group. */
static bool are_few(const double *x) {
  int n = 0;
  for (int i = 0; i < GROUP; i++) n += x[i] != 0;
  return n <= GROUP / 4;
}

static void add_each(struct op2i_exact_sum *sum, const double *x) {
  for (int i = 0; i < GROUP; i++)
    if (x[i] != 0) add_one(sum, x[i]);
}

/* Add the pieces of a group by these cuts, and write what is left of its values, perhaps in their own
 * place. Returns 0 if that is nothing, or else LEFT; or TOO_LARGE, when nothing is added. */
static int add_pieces(struct op2i_exact_sum *sum, const double *x, const struct cuts *cuts,
                      double *rest) {
  double total[PIECES] = {0};
  int found = cut_two(x, cuts, rest, total);
  if (found & TOO_LARGE) return TOO_LARGE;
  if (found) found = cut_third(rest, cuts, &total[2]);
  for (int piece = 0; piece < PIECES; piece++) add_one(sum, total[piece]);
  return found;
}

/* Add a group. Mostly the cuts of the group before suit it. What is left of values that are much
 * smaller than others is cut in the same way. */
static void add_group(struct op2i_exact_sum *sum, const double *x, struct cuts *cuts) {
  double rest[GROUP] __attribute__((aligned(64)));
  struct cuts lower;
  int found = cuts->bound > 0 ? add_pieces(sum, x, cuts, rest) : TOO_LARGE;
  if (!found) return;
  const bool any = cuts_of(exponent_of(x), cuts);
  if (found == TOO_LARGE && !any) {
    cuts->bound = 0;
    add_each(sum, x);
    return;
  }
  if (found == TOO_LARGE) found = add_pieces(sum, x, cuts, rest);
  while (found && !are_few(rest) && cuts_of(exponent_of(rest), &lower))
    found = add_pieces(sum, rest, &lower, rest);
  if (found) add_each(sum, rest);
}

void op2i_exact_add(struct op2i_exact_sum *sum, op2_type type, const void *values, int64_t n,
                    int64_t step) {
  struct cuts cuts = {0};
  double x[GROUP] __attribute__((aligned(64)));
  for (int64_t first = 0; first < n; first += GROUP) {
    const int64_t size = n - first < GROUP ? n - first : GROUP, at = first * step;
    if (type == OP2_F64 && step == 1 && size == GROUP) {
      add_group(sum, (const double *)values + at, &cuts);
      continue;
    }
    if (type == OP2_F32)
      for (int64_t i = 0; i < size; i++) x[i] = (double)((const float *)values)[at + i * step];
    else
      for (int64_t i = 0; i < size; i++) x[i] = ((const double *)values)[at + i * step];
    for (int64_t i = size; i < GROUP; i++) x[i] = 0;
    add_group(sum, x, &cuts);
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

/* Move carries on, and give all digits the sign of the sum. Returns true if that is negative: then the
 * digits were negated. */
static bool make_positive(struct op2i_exact_sum *sum) {
  carry(sum);
  if (sum->digit[OP2I_EXACT_DIGITS - 1] >= 0) return false;
  for (int k = 0; k < OP2I_EXACT_DIGITS; k++) sum->digit[k] = -sum->digit[k];
  carry(sum);
  return true;
}

static void negate(struct op2i_exact_sum *sum) {
  for (int k = 0; k < OP2I_EXACT_DIGITS; k++) sum->digit[k] = -sum->digit[k];
}

void op2i_exact_narrow(struct op2i_exact_sum *sum, struct op2i_exact_window *window) {
  const bool negative = make_positive(sum);
  if (negative) negate(sum);
  int first = 0, end = OP2I_EXACT_DIGITS;
  while (first < end && !sum->digit[first]) first++;
  while (end > first && !sum->digit[end - 1]) end--;
  *window = (struct op2i_exact_window){
      .first = first, .n = end - first, .nans = sum->nans, .plus = sum->plus, .minus = sum->minus};
  if (window->n > OP2I_EXACT_WINDOW)
    window->n = -1;
  else
    memcpy(window->digit, sum->digit + first, (size_t)window->n * sizeof *window->digit);
}

void op2i_exact_combine(struct op2i_exact_window *into, const struct op2i_exact_window *from) {
  struct op2i_exact_window all = {.nans = into->nans + from->nans,
                                  .plus = into->plus + from->plus,
                                  .minus = into->minus + from->minus};
  const int64_t a = into->first + into->n, b = from->first + from->n, end = a > b ? a : b;
  all.first = into->first < from->first ? into->first : from->first;
  if (into->n == 0) all.first = from->first;
  if (from->n == 0) all.first = into->first;
  all.n = into->n == 0 ? from->n : from->n == 0 ? into->n : end - all.first;
  if (into->n < 0 || from->n < 0 || all.n > OP2I_EXACT_WINDOW) all.n = -1;
  for (int64_t k = 0; k < into->n && all.n > 0; k++)
    all.digit[into->first - all.first + k] += into->digit[k];
  for (int64_t k = 0; k < from->n && all.n > 0; k++)
    all.digit[from->first - all.first + k] += from->digit[k];
  *into = all;
}

bool op2i_exact_widen(struct op2i_exact_sum *sum, const struct op2i_exact_window *window) {
  if (window->n < 0) return false;
  op2i_exact_clear(sum);
  memcpy(sum->digit + window->first, window->digit, (size_t)window->n * sizeof *window->digit);
  sum->nans = window->nans;
  sum->plus = window->plus;
  sum->minus = window->minus;
  carry(sum);
  return true;
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
  const bool negative = make_positive(sum);
  const double value = round_digits(sum, bits, unit);
  if (negative) negate(sum);
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
