/* SPDX-License-Identifier: BSD-3-Clause */
/* Checked mode: how far the rounding of a kernel's additions can move a sum.
 *
 * An addition that is rounded to nearest is off by at most half a unit in the last place of the
 * largest intermediate value of the sum. The number of additions and the largest intermediate value
 * are not known, but can be measured:
 *
 * - From a start that is far larger than all terms, each addition whose result is not exact ends
 *   one unit higher when it is rounded up than when it is rounded down. The distance between the
 *   two results counts the additions.
 * - A start that is moved a little, in all of its digits, moves the result by the same amount,
 *   except for the digits that are lost where the sum is largest: they amount to one unit there. A
 *   kernel that scales the sum, or reads it back, moves its result in proportion to the move. So
 *   only the part of a move up and a move down that is not in proportion counts, and such a kernel
 *   is not mistaken for one that loses digits. */
#include <fenv.h>
#include <string.h>

#include "check.h"
#include "check_layout.h"
#include "check_sums.h"

/* This many samples do not all lose little by chance. */
enum { SAMPLES = 16 };

/* True for rows that are sums and that a change alters. */
static bool measured(const struct op2i_check *check, int r, struct op2i_check_change change) {
  return check->rows[r].role != OP2I_ROW_WRITE && op2i_check_altered(check, r, change) &&
         op2i_sums(op2i_check_arg(check, &check->rows[r])->access);
}

static int64_t components(const struct op2i_check_row *row) {
  return (int64_t)(row->bytes / row->value_bytes);
}

/* Apply the kernel in frame 1, with starts from `scratch` where `change` alters rows, and keep the
 * result. A kernel that does not run to its end leaves NaN, from which nothing can be measured. */
static void apply(struct op2i_check *check, int scratch, struct op2i_check_change change,
                  unsigned char *result) {
  op2i_check_load(check, 1, check->filler[1], (struct op2i_check_change){scratch, change.row});
  if (op2i_check_apply(check, 1))
    memcpy(result, check->frame[1], check->frame_bytes);
  else
    memset(result, 0xff, check->frame_bytes);
}

static void apply_rounding(struct op2i_check *check, int mode, struct op2i_check_change change,
                           unsigned char *result) {
  int before = fegetround();
  if (fesetround(mode)) {
    memset(result, 0xff, check->frame_bytes);
    return;
  }
  apply(check, OP2I_CHECK_SCRATCH, change, result);
  (void)fesetround(before);
}

static void count_additions(struct op2i_check *check, struct op2i_check_change change) {
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    if (measured(check, r, change))
      op2i_check_far(op2i_check_arg(check, row)->type, components(row),
                     check->other[OP2I_CHECK_SCRATCH] + row->at);
  }
#if defined FE_UPWARD && defined FE_DOWNWARD
  apply_rounding(check, FE_UPWARD, change, check->trial[0]);
  apply_rounding(check, FE_DOWNWARD, change, check->trial[1]);
#else
  for (int t = 0; t < 2; t++) memset(check->trial[t], 0xff, check->frame_bytes);
#endif
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    if (measured(check, r, change))
      op2i_check_count(op2i_check_arg(check, row)->type, components(row), check->trial[0] + row->at,
                       check->trial[1] + row->at, check->rounding + row->first_value);
  }
}

/* A sum that moves up in one trial moves down in the other. */
static void move_starts(struct op2i_check *check, struct op2i_check_change change, int sample) {
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    if (!measured(check, r, change)) continue;
    for (int t = 0; t < 2; t++)
      op2i_check_move(op2i_check_arg(check, row)->type, components(row), t ? -1 - sample : sample,
                      check->other[change.other] + row->at,
                      check->other[OP2I_CHECK_SCRATCH + t] + row->at);
  }
}

static void note_losses(struct op2i_check *check, struct op2i_check_change change) {
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    if (!measured(check, r, change)) continue;
    size_t at = row->at;
    struct op2i_check_moved moved = {.start = check->other[change.other] + at,
                                     .again = check->kept + at,
                                     .starts = {check->other[OP2I_CHECK_SCRATCH] + at,
                                                check->other[OP2I_CHECK_SCRATCH + 1] + at},
                                     .results = {check->trial[0] + at, check->trial[1] + at}};
    op2i_check_loss(op2i_check_arg(check, row)->type, components(row), &moved,
                    check->rounding + row->first_value);
  }
}

/* OP2_WRITE data hold the same values in all trials as in the frame that is judged. */
void op2i_check_measure_rounding(struct op2i_check *check, int frame,
                                 struct op2i_check_change change) {
  memcpy(check->kept, check->frame[frame], check->frame_bytes);
  for (int t = 0; t < 2; t++)
    memcpy(check->other[OP2I_CHECK_SCRATCH + t], check->other[change.other], check->frame_bytes);
  count_additions(check, change);
  for (int sample = 0; sample < SAMPLES; sample++) {
    move_starts(check, change, sample);
    for (int t = 0; t < 2; t++) apply(check, OP2I_CHECK_SCRATCH + t, change, check->trial[t]);
    note_losses(check, change);
  }
  if (frame == 1) memcpy(check->frame[1], check->kept, check->frame_bytes);
}
