/* SPDX-License-Identifier: BSD-3-Clause */
/* Checked mode: whether the results of a frame are those of frame 0.
 *
 * Where everything begins alike they are the same bits. A sum that began elsewhere rounds
 * differently, as far as the intermediate values of the kernel, which nobody sees, make it. So a
 * sum that is off is made again with every operation rounded up, and down: additions of the same
 * numbers lie between the two, and the distance says how much rounding can explain. */
#include <fenv.h>
#include <string.h>

#include "check.h"

/* What stands beside a reduction says whatever else the kernel knows, unless that one began
 * elsewhere: then other values win. */
static bool other_winner(const struct op2i_check *check, const struct op2i_check_row *row,
                         struct op2i_check_change change) {
  if (row->role != OP2I_ROW_INFO) return false;
  int beside = op2i_check_arg(check, row)->beside;
  return op2i_check_altered(check, check->first_row[beside], change);
}

static bool same_bits(const struct op2i_check *check, int frame, struct op2i_check_change change) {
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    size_t at = row->at;
    if (row->role == OP2I_ROW_FOLLOWS || row->role == OP2I_ROW_TRAP || row->role == OP2I_ROW_READ)
      continue;
    if (row->role != OP2I_ROW_WRITE && op2i_check_altered(check, r, change)) continue;
    if (other_winner(check, row, change)) continue;
    if (memcmp(check->frame[0] + at, check->frame[frame] + at, row->bytes)) return false;
  }
  return true;
}

int64_t op2i_check_first_unlike(const struct op2i_check *check, int r, const unsigned char *frame,
                                int other, bool rounding) {
  const struct op2i_check_row *row = &check->rows[r];
  const struct op2i_loop_arg *arg = op2i_check_arg(check, row);
  size_t at = row->at;
  struct op2i_check_values values = {.start = check->start + at,
                                     .out = check->frame[0] + at,
                                     .altered = check->other[other] + at,
                                     .again = frame + at,
                                     .may_set = row->role == OP2I_ROW_SUM};
  if (rounding) {
    values.up = check->trial[0] + at;
    values.down = check->trial[1] + at;
    values.again_up = check->trial[2] + at;
    values.again_down = check->trial[3] + at;
  }
  return op2i_check_unlike(arg->type, arg->access, (int64_t)(row->bytes / row->value_bytes),
                           &values);
}

static bool sums_differ(const struct op2i_check *check, const unsigned char *frame,
                        struct op2i_check_change change, bool rounding) {
  for (int r = 0; r < check->nrows; r++)
    if (check->rows[r].role != OP2I_ROW_WRITE && op2i_check_altered(check, r, change) &&
        op2i_check_first_unlike(check, r, frame, change.other, rounding) >= 0)
      return true;
  return false;
}

/* Bytes of all ones are no number in either floating type, and then nothing is said of a sum. */
static void try_rounding(struct op2i_check *check, struct op2i_check_change change) {
#if defined FE_UPWARD && defined FE_DOWNWARD
  static const int modes[2] = {FE_UPWARD, FE_DOWNWARD};
  const struct op2i_check_change none = {OP2I_NO_OTHER, OP2I_ALL_ROWS};
  int mode = fegetround();
  for (int t = 0; t < OP2I_CHECK_TRIALS; t++) {
    op2i_check_load(check, 1, check->filler[1], t < 2 ? none : change);
    bool set = !fesetround(modes[t % 2]), ended = op2i_check_apply(check, 1);
    (void)fesetround(mode);
    if (set && ended)
      memcpy(check->trial[t], check->frame[1], check->frame_bytes);
    else
      memset(check->trial[t], 0xff, check->frame_bytes);
  }
#else
  for (int t = 0; t < OP2I_CHECK_TRIALS; t++) memset(check->trial[t], 0xff, check->frame_bytes);
#endif
}

bool op2i_check_differs(struct op2i_check *check, int frame, struct op2i_check_change change) {
  if (!same_bits(check, frame, change)) return true;
  if (change.other == OP2I_NO_OTHER || !sums_differ(check, check->frame[frame], change, false))
    return false;
  memcpy(check->kept, check->frame[frame], check->frame_bytes);
  try_rounding(check, change);
  if (frame == 1) memcpy(check->frame[1], check->kept, check->frame_bytes);
  return sums_differ(check, check->kept, change, true);
}
