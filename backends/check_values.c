/* SPDX-License-Identifier: BSD-3-Clause */
/* Checked mode: what a reduction may do to the value it starts from.
 *
 * A kernel that adds the same to any sum, or takes the minimum with the same, gives from another
 * start a result that follows from the first one. So it is applied to two starts: with INC out -
 * start must be the same, with MIN (whose other start is larger) `out` must be the minimum of
 * `start` and the other result. */
#include <math.h>

#include "check.h"

/* ---- integers: exact, in arithmetic that wraps ----------------------------------------------- */

#define INTEGER(name_, type_)                                                                      \
  static void alter_##name_(op2_access access, int64_t n, const type_ *start, const type_ *out,    \
                            type_ *altered) {                                                      \
    (void)out;                                                                                     \
    for (int64_t i = 0; i < n; i++) {                                                              \
      type_ up = (type_)((uint64_t)start[i] + 1), down = (type_)((uint64_t)start[i] - 1);          \
      if (access == OP2_INC)                                                                       \
        altered[i] = start[i] > 0 ? down : up;                                                     \
      else if (access == OP2_MIN)                                                                  \
        altered[i] = up > start[i] ? up : start[i];                                                \
      else                                                                                         \
        altered[i] = down < start[i] ? down : start[i];                                            \
    }                                                                                              \
  }                                                                                                \
  static bool wrong_##name_(op2_access access, type_ start, type_ out) {                           \
    return access == OP2_MIN ? out > start : access == OP2_MAX ? out < start : false;              \
  }                                                                                                \
  static bool unlike_##name_(op2_access access, type_ start, type_ out, type_ altered,             \
                             type_ again) {                                                        \
    if (access == OP2_INC)                                                                         \
      return (type_)((uint64_t)out - (uint64_t)start) !=                                           \
             (type_)((uint64_t)again - (uint64_t)altered);                                         \
    return out != ((access == OP2_MIN ? again < start : again > start) ? again : start);           \
  }

INTEGER(i8, int8_t)
INTEGER(i16, int16_t)
INTEGER(i32, int32_t)
INTEGER(i64, int64_t)
INTEGER(u8, uint8_t)
INTEGER(u16, uint16_t)
INTEGER(u32, uint32_t)
INTEGER(u64, uint64_t)

/* ---- reals: to rounding, and nothing is said about values that are not finite ---------------- */

/* The other start is as far away as the values are large, so that rounding is far below the
 * distance. An assignment in place of an addition shows as the whole distance; a quarter of it
 * is the limit. */
#define REAL(name_, type_)                                                                         \
  static void alter_##name_(op2_access access, int64_t n, const type_ *start, const type_ *out,    \
                            type_ *altered) {                                                      \
    for (int64_t i = 0; i < n; i++) {                                                              \
      type_ size = (type_)fmax(fabs((double)start[i]), fabs((double)out[i])) / 2;                  \
      if (size == 0) size = 1;                                                                     \
      type_ other = access == OP2_MAX ? start[i] - size : start[i] + size;                         \
      altered[i] = isfinite(other) && isfinite(out[i]) ? other : start[i];                         \
    }                                                                                              \
  }                                                                                                \
  static bool wrong_##name_(op2_access access, type_ start, type_ out) {                           \
    return access == OP2_MIN ? out > start : access == OP2_MAX ? out < start : false;              \
  }                                                                                                \
  static bool unlike_##name_(op2_access access, type_ start, type_ out, type_ altered,             \
                             type_ again) {                                                        \
    if (!isfinite(start) || !isfinite(out) || !isfinite(altered) || !isfinite(again))              \
      return false;                                                                                \
    if (access == OP2_INC)                                                                         \
      return fabs(((double)out - (double)start) - ((double)again - (double)altered)) >             \
             fabs((double)altered - (double)start) / 4;                                            \
    return out != ((access == OP2_MIN ? again < start : again > start) ? again : start);           \
  }

REAL(f64, double)
REAL(f32, float)

/* ---- by type --------------------------------------------------------------------------------- */

#define EACH_TYPE(use_)                                                                            \
  use_(OP2_F64, f64, double) use_(OP2_F32, f32, float) use_(OP2_I8, i8, int8_t)                    \
      use_(OP2_I16, i16, int16_t) use_(OP2_I32, i32, int32_t) use_(OP2_I64, i64, int64_t)          \
          use_(OP2_U8, u8, uint8_t) use_(OP2_U16, u16, uint16_t) use_(OP2_U32, u32, uint32_t)      \
              use_(OP2_U64, u64, uint64_t)

void op2i_check_alter(op2_type type, op2_access access, int64_t n, const void *start,
                      const void *out, void *altered) {
#define ALTER(type_, name_, c_)                                                                    \
  case type_: alter_##name_(access, n, start, out, altered); break;
  switch (type) { EACH_TYPE(ALTER) }
}

int64_t op2i_check_wrong_way(op2_type type, op2_access access, int64_t n, const void *start,
                             const void *out) {
#define WRONG(type_, name_, c_)                                                                    \
  case type_:                                                                                      \
    for (int64_t i = 0; i < n; i++)                                                                \
      if (wrong_##name_(access, ((const c_ *)start)[i], ((const c_ *)out)[i])) return i;           \
    break;
  switch (type) { EACH_TYPE(WRONG) }
  return -1;
}

int64_t op2i_check_unlike(op2_type type, op2_access access, int64_t n, const void *start,
                          const void *out, const void *altered, const void *again) {
#define UNLIKE(type_, name_, c_)                                                                   \
  case type_:                                                                                      \
    for (int64_t i = 0; i < n; i++)                                                                \
      if (unlike_##name_(access, ((const c_ *)start)[i], ((const c_ *)out)[i],                     \
                         ((const c_ *)altered)[i], ((const c_ *)again)[i]))                        \
        return i;                                                                                  \
    break;
  switch (type) { EACH_TYPE(UNLIKE) }
  return -1;
}
