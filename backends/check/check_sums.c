/* SPDX-License-Identifier: BSD-3-Clause */
/* Checked mode: comparison of sums of real numbers that began elsewhere, and the arithmetic of the
 * rounding errors that can explain a difference (check_rounding.c describes their measurement).
 * Values that are not finite are not judged. */
#include <float.h>
#include <math.h>

#include "check.h"
#include "check_sums.h"

/* Rounding errors of the largest value that are always allowed: some for the kernel, some for the
 * comparison. */
enum { ROUNDINGS = 8 };

/* The remainder of the moves is between a tenth of the lost unit and two of it. */
enum { LOSSES = 8 };

/* Moves are at most this fraction of a start, so that a nonlinear result is nearly linear in them.
 * Digits are lost where intermediate values are up to 2^45 (2^17) times the start. */
#define PART_f64 0x1p-6
#define PART_f32 0x1p-5

#define EPSILON_f64 DBL_EPSILON
#define EPSILON_f32 FLT_EPSILON

/* Return a number in [1, 2) with random digits (Steele, Lea and Flood's SplitMix), as regular
 * numbers can coincide with regular positions of the intermediate values. Moves up and down have
 * different lengths: moves of one length would be rounded alike, and their losses would cancel. */
static double move_of(int sample) {
  uint64_t z = ((uint64_t)sample + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return 1 + (double)((z ^ (z >> 31)) >> 12) * 0x1p-52;
}

/* 1.5 * far lies in the middle between two powers of two, so all values nearby have the same unit
 * in the last place. */
#define REAL(op2_, name_, type_)                                                                   \
  static void place_##name_(int64_t n, type_ *start) {                                             \
    for (int64_t i = 0; i < n; i++) start[i] = (type_)1.5 * OP2I_CHECK_FAR_##name_;                \
  }                                                                                                \
  static void count_##name_(int64_t n, const type_ *up, const type_ *down,                         \
                            struct op2i_check_rounding *rounding) {                                \
    for (int64_t i = 0; i < n; i++) {                                                              \
      double additions = ((double)up[i] - (double)down[i]) /                                       \
                         ((double)EPSILON_##name_ * (double)OP2I_CHECK_FAR_##name_);               \
      rounding[i].additions = isfinite(additions) && additions > 1 ? additions : 1;                \
      rounding[i].loss = 0;                                                                        \
    }                                                                                              \
  }                                                                                                \
  static void move_##name_(int64_t n, int sample, const type_ *start, type_ *moved) {              \
    double by = PART_##name_ * (sample < 0 ? -move_of(2 * -sample - 1) : move_of(2 * sample));     \
    for (int64_t i = 0; i < n; i++) moved[i] = (type_)((double)start[i] * (1 + by));               \
  }                                                                                                \
  static void loss_##name_(int64_t n, const struct op2i_check_moved *moved,                        \
                           struct op2i_check_rounding *rounding) {                                 \
    const type_ *start = moved->start, *again = moved->again;                                      \
    const type_ *above = moved->starts[0], *below = moved->starts[1];                              \
    const type_ *high = moved->results[0], *low = moved->results[1];                               \
    for (int64_t i = 0; i < n; i++)                                                                \
      note_loss((double)start[i], (double)above[i] - (double)start[i],                             \
                (double)start[i] - (double)below[i], (double)high[i] - (double)again[i],           \
                (double)again[i] - (double)low[i], &rounding[i]);                                  \
  }                                                                                                \
  static bool sum_unlike_##name_(int64_t i, const struct op2i_check_values *values) {              \
    double start = ((const type_ *)values->start)[i], out = ((const type_ *)values->out)[i];       \
    double other = ((const type_ *)values->altered)[i], again = ((const type_ *)values->again)[i]; \
    double size = fmax(fmax(fabs(start), fabs(out)), fmax(fabs(other), fabs(again)));              \
    if (!isfinite(size) || (values->may_set && out == again)) return false;                        \
    double allowed = ROUNDINGS * (double)EPSILON_##name_ * size;                                   \
    if (values->rounding) {                                                                        \
      const struct op2i_check_rounding *r = &values->rounding[i];                                  \
      double loss = fabs(other) < (double)OP2I_CHECK_FAR_##name_ ? r->loss : 0;                    \
      allowed += r->additions * (2 * (double)EPSILON_##name_ * size + LOSSES * loss);              \
    }                                                                                              \
    return fabs((out - start) - (again - other)) > allowed;                                        \
  }

/* `up` and `down` are the distances that the start was moved, `rise` and `fall` those that the
 * result moved. If almost nothing of the start reaches the result, either all of it is lost in
 * something larger, or the kernel sets the value. A far start tells these two cases apart: its only
 * loss is the one that the count of additions shows, as units of something larger than the far
 * start count as many additions. */
static void note_loss(double start, double up, double down, double rise, double fall,
                      struct op2i_check_rounding *rounding) {
  double longer = fmax(fabs(up), fabs(down));
  double loss = longer > 0 ? fabs((rise - up) * down - (fall - down) * up) / longer : 0;
  if (fabs(rise + fall) < fabs(up + down) / 4) loss = fabs(start);
  if (isfinite(loss) && loss > rounding->loss) rounding->loss = loss;
}

OP2I_REAL_TYPES(REAL)

/* ---- dispatch on the type -------------------------------------------------------------------- */

void op2i_check_far(op2_type type, int64_t n, void *start) {
#define FAR(type_, name_, c_)                                                                      \
  if (type == type_) place_##name_(n, start);
  OP2I_REAL_TYPES(FAR)
}

void op2i_check_count(op2_type type, int64_t n, const void *up, const void *down,
                      struct op2i_check_rounding *rounding) {
#define COUNT(type_, name_, c_)                                                                    \
  if (type == type_) count_##name_(n, up, down, rounding);
  OP2I_REAL_TYPES(COUNT)
}

void op2i_check_move(op2_type type, int64_t n, int sample, const void *start, void *moved) {
#define MOVE(type_, name_, c_)                                                                     \
  if (type == type_) move_##name_(n, sample, start, moved);
  OP2I_REAL_TYPES(MOVE)
}

void op2i_check_loss(op2_type type, int64_t n, const struct op2i_check_moved *moved,
                     struct op2i_check_rounding *rounding) {
#define LOSS(type_, name_, c_)                                                                     \
  if (type == type_) loss_##name_(n, moved, rounding);
  OP2I_REAL_TYPES(LOSS)
}

bool op2i_check_sum_unlike(op2_type type, int64_t i, const struct op2i_check_values *values) {
#define SUM_UNLIKE(type_, name_, c_)                                                               \
  if (type == type_) return sum_unlike_##name_(i, values);
  OP2I_REAL_TYPES(SUM_UNLIKE)
  return false;
}
