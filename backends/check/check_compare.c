/* SPDX-License-Identifier: BSD-3-Clause */
/* Checked mode: comparison of a frame's results with those of frame 0.
 *
 * Where all start values are equal, the results must be bitwise equal. A sum that began elsewhere
 * rounds differently: where it is off by more than one rounding explains, check_rounding.c measures
 * how much the rounding of this kernel can explain for this element. */
#include <string.h>

#include "check.h"
#include "check_layout.h"
#include "check_sums.h"
#include "check_values.h"

/* Info values beside a reduction may hold anything else that the kernel knows, so they are compared
 * bit by bit, unless that reduction began elsewhere: then other values win. */
static bool other_winner(const struct op2i_check *check, const struct op2i_check_row *row,
                         struct op2i_check_change change) {
  if (row->role != OP2I_ROW_INFO) return false;
  int info_of = op2i_check_arg(check, row)->info_of;
  return op2i_check_altered(check, check->first_row[info_of], change);
}

static bool same_bits(const struct op2i_check *check, int frame, struct op2i_check_change change) {
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    size_t at = row->at;
    if (row->role == OP2I_ROW_FOLLOWS || row->role == OP2I_ROW_TRAP || row->role == OP2I_ROW_READ ||
        row->role == OP2I_ROW_WORK)
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
  if (rounding) values.rounding = check->rounding + row->first_value;
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

bool op2i_check_differs(struct op2i_check *check, int frame, struct op2i_check_change change) {
  if (!same_bits(check, frame, change)) return true;
  if (change.other == OP2I_NO_OTHER || !sums_differ(check, check->frame[frame], change, false))
    return false;
  op2i_check_measure_rounding(check, frame, change);
  return sums_differ(check, check->frame[frame], change, true);
}
