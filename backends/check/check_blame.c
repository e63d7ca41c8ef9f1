/* SPDX-License-Identifier: BSD-3-Clause */
/* Checked mode: results depend on something they may not depend on. One thing at a time is varied
 * to find out what. */
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "check.h"
#include "check_layout.h"
#include "check_sums.h"
#include "check_values.h"

/* The bytes of a row that are varied, relative to its data. */
struct part {
  int64_t from, to;
};

static const struct op2i_check_change unchanged = {OP2I_NO_OTHER, OP2I_ALL_ROWS};

static struct part own_part(const struct op2i_check_row *row) {
  return (struct part){0, (int64_t)row->bytes};
}
static struct part part_before(const struct op2i_check_row *row) {
  return (struct part){-(int64_t)row->before, 0};
}
static struct part part_after(const struct op2i_check_row *row) {
  return (struct part){(int64_t)row->bytes, (int64_t)(row->bytes + row->after)};
}

/* True if results change when only these bytes are taken from `source`. */
static bool matters(struct op2i_check *check, const struct op2i_check_row *row, struct part part,
                    const unsigned char *source) {
  unsigned char *frame = check->frame[1];
  memcpy(frame, check->filler[0], check->frame_bytes);
  op2i_check_load(check, 1, check->filler[0], unchanged);
  int64_t at = (int64_t)row->at + part.from;
  memcpy(frame + at, source + at, (size_t)(part.to - part.from));
  return !op2i_check_apply(check, 1) || op2i_check_differs(check, 1, unchanged);
}

/* True if they change when only this row begins with other values. */
static bool start_matters(struct op2i_check *check, int row, int other) {
  struct op2i_check_change change = {other, row};
  memcpy(check->frame[1], check->filler[0], check->frame_bytes);
  op2i_check_load(check, 1, check->filler[0], change);
  return op2i_check_altered(check, row, change) &&
         (!op2i_check_apply(check, 1) || op2i_check_differs(check, 1, change));
}

/* Return the component of a part that matters by itself, the nearest to the row's start first;
 * `none` if no single one does. */
static int64_t find_component(struct op2i_check *check, const struct op2i_check_row *row,
                              struct part part, const unsigned char *source, int64_t none) {
  int64_t value_bytes = (int64_t)row->value_bytes, n = (part.to - part.from) / value_bytes;
  for (int64_t i = 0; i < n; i++) {
    int64_t c = part.from < 0 ? -1 - i : part.from / value_bytes + i;
    if (matters(check, row, (struct part){c * value_bytes, (c + 1) * value_bytes}, source))
      return c;
  }
  return none;
}

static op2_status read_outside(const struct op2i_check *check, const struct op2i_check_row *row,
                               int64_t component) {
  return op2i_check_error(check, row, "the kernel read outside of it, %s: %s",
                          component < 0 ? "before its start" : "past its end",
                          op2i_check_component(check, row, component).text);
}

static op2_status blame_outside(struct op2i_check *check, const struct op2i_check_row *row,
                                struct part part, const unsigned char *source) {
  int64_t none = part.from < 0 ? -1 : (int64_t)(row->bytes / row->value_bytes);
  return read_outside(check, row, find_component(check, row, part, source, none));
}

static op2_status blame_filler(struct op2i_check *check, const struct op2i_check_row *row,
                               const unsigned char *source) {
  int64_t c = find_component(check, row, own_part(row), source, -1);
  struct op2i_component what = {"it"};
  if (c >= 0) what = op2i_check_component(check, row, c);
  return op2i_check_error(check, row, "the kernel read %s before writing it", what.text);
}

static op2_status touched_trap(const struct op2i_check *check, const struct op2i_check_row *row,
                               const char *how) {
  return op2i_check_error(check, row, "the kernel %s through a slot %s: the map has slots 0 to %d",
                          how, row->slot < 0 ? "before the first" : "past the last",
                          (int)op2i_check_arg(check, row)->arity - 1);
}

/* ---- reductions ------------------------------------------------------------------------------ */

static op2_status blame_sum(const struct op2i_check *check, const struct op2i_check_row *row,
                            int64_t c) {
  if (c < 0)
    return op2i_check_error(
        check, row,
        "the kernel's other results depend on it, but what it holds is %s: a kernel may add to an "
        "OP2_INC argument and not read it",
        row->role == OP2I_ROW_SUM
            ? "a private copy that starts at zero, not the data (OP2_RW gives those)"
            : "a private sum of some elements before");
  return op2i_check_error(
      check, row,
      "what the kernel does to %s depends on the value before, so it is not an addition%s",
      op2i_check_component(check, row, c).text,
      row->role == OP2I_ROW_SUM ? ": a private copy starts at zero and is added to the data" : "");
}

static op2_status blame_bound(const struct op2i_check *check, int r, int64_t c, int other) {
  const struct op2i_check_row *row = &check->rows[r];
  const struct op2i_loop_arg *arg = op2i_check_arg(check, row);
  bool lowers = op2i_lowers(arg->access);
  if (c < 0)
    return op2i_check_error(
        check, row, "the kernel's other results depend on it; what it holds is %s",
        op2i_arg_bounds(arg) ? "what the global had before the loop, not what other elements find"
                             : "what the elements before have left");
  size_t at = row->at + (size_t)c * row->value_bytes;
  if (!op2i_check_wrong_direction(arg->type, arg->access, 1, check->other[other] + at,
                                  check->frame[1] + at))
    return op2i_check_error(check, row,
                            "the kernel sets %s whatever it was: it may only %s it, or leave it as "
                            "it is",
                            op2i_check_component(check, row, c).text, lowers ? "lower" : "raise");
  return op2i_check_error(
      check, row, "what the kernel does to %s depends on the value before, so it is not %s",
      op2i_check_component(check, row, c).text, lowers ? "a minimum" : "a maximum");
}

/* Frame 1 holds the results from other start values of this row. */
static op2_status blame_start(struct op2i_check *check, int r, int other) {
  const struct op2i_check_row *row = &check->rows[r];
  bool adds = op2i_sums(op2i_check_arg(check, row)->access);
  if (adds) op2i_check_measure_rounding(check, 1, (struct op2i_check_change){other, r});
  int64_t c = op2i_check_first_unlike(check, r, check->frame[1], other, adds);
  return adds ? blame_sum(check, row, c) : blame_bound(check, r, c, other);
}

/* ---- the argument to blame ------------------------------------------------------------------- */

/* Return OP2_SUCCESS if the row is not to blame. */
static op2_status blame_row(struct op2i_check *check, int r, int other,
                            const unsigned char *source) {
  const struct op2i_check_row *row = &check->rows[r];
  if (row->role == OP2I_ROW_FOLLOWS) return OP2_SUCCESS;
  if (row->role == OP2I_ROW_TRAP) {
    struct part all = {part_before(row).from, part_after(row).to};
    return matters(check, row, all, source) ? touched_trap(check, row, "read") : OP2_SUCCESS;
  }
  const bool given = other != OP2I_NO_OTHER && row->role != OP2I_ROW_WORK;
  const unsigned char *own = given ? check->other[other] : source;
  if (op2i_check_filled(row->role) && matters(check, row, own_part(row), own))
    return blame_filler(check, row, own);
  if (matters(check, row, part_after(row), source))
    return blame_outside(check, row, part_after(row), source);
  if (matters(check, row, part_before(row), source))
    return blame_outside(check, row, part_before(row), source);
  if (!op2i_check_filled(row->role) && other != OP2I_NO_OTHER && start_matters(check, r, other))
    return blame_start(check, r, other);
  return OP2_SUCCESS;
}

op2_status op2i_check_blame(struct op2i_check *check, int frame, int other) {
  const unsigned char *source = check->filler[frame];
  const struct op2i_check_row *any = &check->rows[0];
  if (matters(check, any, (struct part){0, 0}, source))
    return op2i_check_error(check, NULL,
                            "the kernel gives other results when it is applied to the same values "
                            "again: it keeps state, or uses a variable that it has not set");
  for (int r = 0; r < check->nrows; r++) {
    op2_status status = blame_row(check, r, other, source);
    if (status) return status;
  }
  return op2i_check_error(
      check, NULL, "the kernel's results depend on values that its arguments do not give it");
}

/* ---- kernels that were stopped --------------------------------------------------------------- */

/* A read-only row can only have been written. Elsewhere the page is opened for reading: a kernel
 * that fails there again has tried to write. */
static bool wrote(struct op2i_check *check, int frame, const struct op2i_check_row *row,
                  ptrdiff_t offset, struct op2i_check_change change) {
  void *address = check->fault.address;
  bool on_pages = row->own_role != OP2I_ROW_TRAP && offset >= -(ptrdiff_t)row->before &&
                  offset < (ptrdiff_t)(row->bytes + row->after);
  if (on_pages) return true;
  op2i_fence_lower(check, address);
  op2i_check_load(check, frame, check->filler[frame], change);
  return !op2i_check_apply(check, frame) && check->fault.address == address;
}

static op2_status blame_address(struct op2i_check *check, int frame, int r, ptrdiff_t offset,
                                struct op2i_check_change change) {
  const struct op2i_check_row *row = &check->rows[r];
  bool writes = wrote(check, frame, row, offset, change);
  if (row->own_role == OP2I_ROW_TRAP) return touched_trap(check, row, writes ? "wrote" : "read");
  ptrdiff_t value_bytes = (ptrdiff_t)row->value_bytes;
  int64_t c = offset < 0 ? -((-offset + value_bytes - 1) / value_bytes) : offset / value_bytes;
  if (!writes) return read_outside(check, row, c);
  if (offset < 0 || offset >= (ptrdiff_t)row->bytes) return op2i_check_stray(check, row, c);
  return op2i_check_error(check, row, "the kernel wrote %s, which it may only read",
                          op2i_check_component(check, row, c).text);
}

op2_status op2i_check_blame_fault(struct op2i_check *check, int frame,
                                  struct op2i_check_change change) {
  ptrdiff_t offset = 0;
  if (check->fault.signal == SIGFPE)
    return op2i_check_error(check, NULL, "the kernel divided an integer by zero");
  if (check->fault.signal == SIGILL || check->fault.signal == SIGTRAP)
    return op2i_check_error(check, NULL,
                            "the kernel came to a trap, which a compiler puts where it sees a "
                            "division by zero or a null pointer");
  int r = op2i_fence_row(check, frame, check->fault.address, &offset);
  if (r >= 0) return blame_address(check, frame, r, offset, change);
  return op2i_check_error(check, NULL,
                          "the kernel touched memory that is none of its arguments', at address "
                          "0x%" PRIxPTR,
                          (uintptr_t)check->fault.address);
}
