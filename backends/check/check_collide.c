/* SPDX-License-Identifier: BSD-3-Clause */
/* Checked mode: elements that write different values to one target in OP2_WRITE through a map. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "check_layout.h"
#include "check_sample.h"

static double real_value(op2_type type, const unsigned char *value) {
  if (type == OP2_F64) {
    double f64;
    memcpy(&f64, value, sizeof f64);
    return f64;
  }
  float f32;
  memcpy(&f32, value, sizeof f32);
  return (double)f32;
}

/* Zeros of either sign agree, and so do NaNs. */
static bool same_value(op2_type type, const unsigned char *one, const unsigned char *other,
                       size_t value_bytes) {
  if (!memcmp(one, other, value_bytes)) return true;
  if (!op2i_type_real(type)) return false;
  double a = real_value(type, one), b = real_value(type, other);
  return a == b || (isnan(a) && isnan(b));
}

static op2_status compare_write(const struct op2i_check *check, const struct op2i_check_row *row,
                                int64_t target, const unsigned char *values, int slot) {
  const struct op2i_loop_arg *arg = op2i_check_arg(check, row);
  op2_dat dat = check->loop->op.dats[arg->dat];
  int64_t *writer = &check->writers[arg->dat][target], before = *writer - 1;
  unsigned char *written = check->written[arg->dat];
  if (before < 0 && check->only_compares) return OP2_SUCCESS;
  *writer = check->element + 1;
  if (before == check->element || (before < 0 && !written)) return OP2_SUCCESS;
  unsigned char *stored = (written ? written : (unsigned char *)check->step->call.dat[arg->dat]) +
                          (size_t)target * dat->row_bytes;
  for (int32_t c = 0; c < arg->dim; c++) {
    const unsigned char *value = values + (size_t)op2i_arg_place(arg, slot, c) * row->value_bytes;
    unsigned char *other = stored + (size_t)c * row->value_bytes;
    if (before < 0)
      memcpy(other, value, row->value_bytes);
    else if (!same_value(arg->type, other, value, row->value_bytes))
      return op2i_check_error(
          check, row,
          "collides with element %" PRId64 ", which wrote another value to component %" PRId32
          " of element %" PRId64 " of '%s': written in OP2_WRITE through a map, both must agree",
          op2i_set_number(check->loop->set->base, before), c, op2i_set_number(dat->set, target),
          dat->set->obj.name);
  }
  return OP2_SUCCESS;
}

/* Slots are visited from the last to the first, because the last of several slots that reach the
 * same row determines its value. */
op2_status op2i_check_collide(const struct op2i_check *check) {
  for (int r = check->nrows - 1; r >= 0; r--) {
    const struct op2i_check_row *row = &check->rows[r];
    const struct op2i_loop_arg *arg = op2i_check_arg(check, row);
    if (arg->dat < 0 || !check->writers[arg->dat] || !op2i_overwrites(arg->access) ||
        row->own_role == OP2I_ROW_TRAP)
      continue;
    const unsigned char *values = check->frame[0] + check->rows[row->lead].at;
    int slots = arg->kind == OP2I_ARG_ITER ? arg->arity : 1;
    for (int slot = slots - 1; slot >= 0; slot--) {
      int64_t target =
          arg->kind == OP2I_ARG_ITER ? op2i_check_target(check, arg, slot) : row->target;
      op2_status status = compare_write(check, row, target, values, slot);
      if (status) return status;
    }
  }
  return OP2_SUCCESS;
}
