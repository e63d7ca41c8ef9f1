/* SPDX-License-Identifier: BSD-3-Clause */
/* Checked mode: what a kernel may do to the start value of a reduction.
 *
 * A kernel that adds the same value to any sum, or takes the minimum with the same value, gives a
 * predictable result from another start: with INC, out - start must be the same; with MIN, the
 * result from the lower start must be the minimum of that start and the other result. So the kernel
 * is applied to several starts: one near the values of the element, which detects a scaled sum and
 * a value that is read back, and two far above and below, which detect conditions and bounds. */
#include <math.h>

#include "check.h"
#include "check_sums.h"
#include "check_values.h"

/* ---- integers: exact, in arithmetic that wraps ----------------------------------------------- */

/* Every other bit of the other sums is set: a kernel that sets or clears bits instead of adding is
 * detected by one of them. */
#define ALTERNATING 0x2aaaaaaaaaaaaaaaU

#define INTEGER(op2_, name_, type_)                                                                \
  static void alter_##name_(op2_access access, int64_t n, const type_ *start, const type_ *out,    \
                            type_ *altered) {                                                      \
    (void)out;                                                                                     \
    for (int64_t i = 0; i < n; i++) {                                                              \
      type_ up = (type_)((uint64_t)start[i] + 1), down = (type_)((uint64_t)start[i] - 1);          \
      if (op2i_sums(access))                                                                       \
        altered[i] = start[i] > 0 ? down : up;                                                     \
      else if (op2i_lowers(access))                                                                \
        altered[i] = up > start[i] ? up : start[i];                                                \
      else                                                                                         \
        altered[i] = down < start[i] ? down : start[i];                                            \
    }                                                                                              \
  }                                                                                                \
  static void extreme_##name_(op2_access access, int64_t n, bool above, type_ *altered) {          \
    int bits = 8 * (int)sizeof(type_);                                                             \
    uint64_t most = UINT64_MAX >> (64 - bits + ((type_)-1 < (type_)1));                            \
    uint64_t value = op2i_sums(access) ? ALTERNATING >> (64 - bits) : most;                        \
    if (op2i_overwrites(access)) value = 1;                                                        \
    for (int64_t i = 0; i < n; i++) altered[i] = (type_)(above ? value : ~value);                  \
  }                                                                                                \
  static bool wrong_##name_(op2_access access, type_ start, type_ out) {                           \
    return op2i_bounds(access) && (op2i_lowers(access) ? out > start : out < start);               \
  }                                                                                                \
  static bool unlike_##name_(op2_access access, int64_t i,                                         \
                             const struct op2i_check_values *values) {                             \
    type_ start = ((const type_ *)values->start)[i], out = ((const type_ *)values->out)[i];        \
    type_ other = ((const type_ *)values->altered)[i], again = ((const type_ *)values->again)[i];  \
    if (op2i_sums(access) && values->may_set && out == again) return false;                        \
    if (op2i_sums(access))                                                                         \
      return (type_)((uint64_t)out - (uint64_t)start) !=                                           \
             (type_)((uint64_t)again - (uint64_t)other);                                           \
    if (!op2i_bounds(access)) return false;                                                        \
    bool lower = op2i_lowers(access) ? other < start : other > start;                              \
    type_ bound = lower ? other : start, free = lower ? out : again;                               \
    bool taken = op2i_lowers(access) ? free < bound : free > bound;                                \
    return (lower ? again : out) != (taken ? free : bound);                                        \
  }

OP2I_SIGNED_TYPES(INTEGER)
OP2I_UNSIGNED_TYPES(INTEGER)

/* ---- reals: up to rounding; values that are not finite are not judged ------------------------ */

/* The distance of the near start is the magnitude of the values; sums move away from zero, and a
 * bound that starts at infinity moves near the result. The far starts are powers of two, so that
 * small additions leave them unchanged, and products of two of them are finite. */
#define REAL(op2_, name_, type_)                                                                   \
  static void alter_##name_(op2_access access, int64_t n, const type_ *start, const type_ *out,    \
                            type_ *altered) {                                                      \
    for (int64_t i = 0; i < n; i++) {                                                              \
      bool sums = op2i_sums(access), known = isfinite(start[i]) && isfinite(out[i]);               \
      type_ base = isfinite(start[i]) ? start[i] : isfinite(out[i]) ? out[i] : 0;                  \
      type_ reached = isfinite(out[i]) ? out[i] : base;                                            \
      type_ size = (type_)fmax(fabs((double)base), fabs((double)reached)) / 2;                     \
      if (size == 0) size = 1;                                                                     \
      bool lower = (op2i_bounds(access) && !op2i_lowers(access)) || (sums && base < 0);            \
      type_ other = lower ? base - size : base + size;                                             \
      altered[i] = isfinite(other) && (known || !sums) ? other : start[i];                         \
    }                                                                                              \
  }                                                                                                \
  static void extreme_##name_(op2_access access, int64_t n, bool above, type_ *altered) {          \
    (void)access;                                                                                  \
    for (int64_t i = 0; i < n; i++)                                                                \
      altered[i] = above ? OP2I_CHECK_FAR_##name_ : -OP2I_CHECK_FAR_##name_;                       \
  }                                                                                                \
  static bool wrong_##name_(op2_access access, type_ start, type_ out) {                           \
    return op2i_bounds(access) && (op2i_lowers(access) ? out > start : out < start);               \
  }                                                                                                \
  static bool unlike_##name_(op2_access access, int64_t i,                                         \
                             const struct op2i_check_values *values) {                             \
    type_ start = ((const type_ *)values->start)[i], out = ((const type_ *)values->out)[i];        \
    type_ other = ((const type_ *)values->altered)[i], again = ((const type_ *)values->again)[i];  \
    if (isnan(start) || isnan(out) || isnan(again)) return false;                                  \
    if (op2i_sums(access)) return op2i_check_sum_unlike(op2_, i, values);                          \
    if (!op2i_bounds(access)) return false;                                                        \
    bool lower = op2i_lowers(access) ? other < start : other > start;                              \
    type_ bound = lower ? other : start, free = lower ? out : again;                               \
    bool taken = op2i_lowers(access) ? free < bound : free > bound;                                \
    return (lower ? again : out) != (taken ? free : bound);                                        \
  }

OP2I_REAL_TYPES(REAL)

/* ---- dispatch on the type -------------------------------------------------------------------- */

void op2i_check_alter(op2_type type, op2_access access, int64_t n, const void *start,
                      const void *out, void *altered) {
#define ALTER(type_, name_, c_)                                                                    \
  case type_: alter_##name_(access, n, start, out, altered); break;
  switch (type) { OP2I_TYPES(ALTER) }
}

void op2i_check_extreme(op2_type type, op2_access access, int64_t n, bool above, void *altered) {
#define EXTREME(type_, name_, c_)                                                                  \
  case type_: extreme_##name_(access, n, above, altered); break;
  switch (type) { OP2I_TYPES(EXTREME) }
}

int64_t op2i_check_wrong_direction(op2_type type, op2_access access, int64_t n, const void *start,
                                   const void *out) {
#define WRONG(type_, name_, c_)                                                                    \
  case type_:                                                                                      \
    for (int64_t i = 0; i < n; i++)                                                                \
      if (wrong_##name_(access, ((const c_ *)start)[i], ((const c_ *)out)[i])) return i;           \
    break;
  switch (type) { OP2I_TYPES(WRONG) }
  return -1;
}

int64_t op2i_check_unlike(op2_type type, op2_access access, int64_t n,
                          const struct op2i_check_values *values) {
#define UNLIKE(type_, name_, c_)                                                                   \
  case type_:                                                                                      \
    for (int64_t i = 0; i < n; i++)                                                                \
      if (unlike_##name_(access, i, values)) return i;                                             \
    break;
  switch (type) { OP2I_TYPES(UNLIKE) }
  return -1;
}
