/* SPDX-License-Identifier: BSD-3-Clause */
/* Checked mode: filler of guard zones and of OP2_WRITE data. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "check_layout.h"
#include "check_values.h"

/* Frames 0 and 1 are filled with small numbers: a kernel that takes one for an index or a count
 * accesses a guard zone rather than memory outside the process. Frame 2 has values that detect what
 * small numbers do not: NaN, which no addition absorbs, and larger integers. Frame 3 has zeros,
 * which fresh memory has and which kernels compare with. Neighbouring components and rows differ,
 * so that a copy of one into another is detected. */
static double real_filler(int frame, int variety) {
  static const double first[OP2I_CHECK_FRAMES] = {80.25, -50.5, NAN, 0};
  static const int sign[OP2I_CHECK_FRAMES] = {1, -1, 1, 0};
  return first[frame] + sign[frame] * variety;
}

static int64_t integer_filler(op2_type type, int frame, int variety) {
  bool is_signed = op2i_type_signed(type);
  bool small = op2i_type_size(type) == 1;
  if (small) variety %= 32;
  if (frame == 0) return 80 + variety;
  if (frame == 1) return is_signed ? -50 - variety : 20 + variety;
  if (frame == 3) return 0;
  return !small ? 30000 + variety : is_signed ? 90 - variety : 200 + variety;
}

static void put_filler(op2_type type, int frame, int row, int64_t component, unsigned char *out) {
  int variety = (int)(component & 7) + 8 * (row % 256);
#define PUT_REAL(type_, name_, c_)                                                                 \
  case type_:                                                                                      \
    memcpy(out, &(c_){(c_)real_filler(frame, variety)}, sizeof(c_));                               \
    break;
#define PUT_INTEGER(type_, name_, c_)                                                              \
  case type_: memcpy(out, &(c_){(c_)integer_filler(type, frame, variety)}, sizeof(c_)); break;
  switch (type) {
    OP2I_REAL_TYPES(PUT_REAL)
    OP2I_SIGNED_TYPES(PUT_INTEGER)
    OP2I_UNSIGNED_TYPES(PUT_INTEGER)
  }
}

void op2i_check_fill(const struct op2i_check *check, int frame) {
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    const struct op2i_loop_arg *arg = op2i_check_arg(check, row);
    int64_t value_bytes = (int64_t)row->value_bytes, before = (int64_t)row->before / value_bytes;
    int64_t after = (int64_t)(row->bytes + row->after) / value_bytes;
    for (int64_t c = -before; c < after; c++)
      put_filler(arg->type, frame, r, c, check->filler[frame] + (int64_t)row->at + c * value_bytes);
  }
}
