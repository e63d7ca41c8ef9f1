/* SPDX-License-Identifier: BSD-3-Clause */
/* Checked mode: what stands in guard zones and in the data of OP2_WRITE arguments. */
#include <math.h>
#include <string.h>

#include "check.h"

/* Frames 0 and 1 are filled with small numbers: a kernel that takes one for an index or a count
 * strays into a guard zone rather than out of the process. Frame 2 has what small numbers do not
 * show: NaN, which is never absorbed, and larger integers. Frame 3 has the zeros that fresh memory
 * has, and that kernels ask for. Neighbouring components and rows differ, so that a copy of one
 * into another is seen. */
static double real_filler(int frame, int variety) {
  static const double first[OP2I_CHECK_FRAMES] = {80.25, -50.5, NAN, 0};
  static const int sign[OP2I_CHECK_FRAMES] = {1, -1, 1, 0};
  return first[frame] + sign[frame] * variety;
}

static int64_t integer_filler(op2_type type, int frame, int variety) {
  bool is_signed = type == OP2_I8 || type == OP2_I16 || type == OP2_I32 || type == OP2_I64;
  bool small = op2i_type_size(type) == 1;
  if (small) variety %= 32;
  if (frame == 0) return 80 + variety;
  if (frame == 1) return is_signed ? -50 - variety : 20 + variety;
  if (frame == 3) return 0;
  return !small ? 30000 + variety : is_signed ? 90 - variety : 200 + variety;
}

static void put_filler(op2_type type, int frame, int row, int64_t component, unsigned char *out) {
  int variety = (int)(component & 7) + 8 * (row % 256);
  double f64 = real_filler(frame, variety);
  float f32 = (float)f64;
  uint64_t u64 = (uint64_t)integer_filler(type, frame, variety);
  uint32_t u32 = (uint32_t)u64;
  uint16_t u16 = (uint16_t)u64;
  uint8_t u8 = (uint8_t)u64;
  switch (type) {
  case OP2_F64: memcpy(out, &f64, sizeof f64); break;
  case OP2_F32: memcpy(out, &f32, sizeof f32); break;
  case OP2_I64:
  case OP2_U64: memcpy(out, &u64, sizeof u64); break;
  case OP2_I32:
  case OP2_U32: memcpy(out, &u32, sizeof u32); break;
  case OP2_I16:
  case OP2_U16: memcpy(out, &u16, sizeof u16); break;
  case OP2_I8:
  case OP2_U8: memcpy(out, &u8, sizeof u8); break;
  }
}

void op2i_check_fill(const struct op2i_check *check, int frame) {
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    const struct op2i_loop_arg *arg = op2i_check_arg(check, row);
    op2_type type = arg->kind == OP2I_ARG_IDX ? OP2_I64 : arg->type;
    int64_t unit = (int64_t)row->unit, before = (int64_t)row->before / unit;
    int64_t after = (int64_t)(row->bytes + row->after) / unit;
    for (int64_t c = -before; c < after; c++)
      put_filler(type, frame, r, c, check->filler[frame] + (int64_t)row->at + c * unit);
  }
}
