/* SPDX-License-Identifier: BSD-3-Clause */
/* Checked mode: results depend on something they may not depend on. Vary one thing at a time to
 * learn what. */
#include <string.h>

#include "check.h"

/* Bytes of a row that are varied, relative to its data. */
struct part {
  int64_t from, to;
};

static struct part own_part(const struct op2i_check_row *row) {
  return (struct part){0, (int64_t)row->bytes};
}
static struct part part_before(void) { return (struct part){-OP2I_CHECK_GUARD, 0}; }
static struct part part_after(const struct op2i_check_row *row) {
  return (struct part){(int64_t)row->bytes, (int64_t)(row->bytes + op2i_check_guard_after(row))};
}

/* Whether results change when, of everything, these bytes are taken from `source`. */
static bool matters(struct op2i_check *check, const struct op2i_check_row *row, struct part part,
                    const unsigned char *source, int altered) {
  unsigned char *frame = check->frame[1];
  memcpy(frame, check->filler[0], check->frame_bytes);
  op2i_check_load(check, frame, check->filler[0]);
  int64_t at = (int64_t)row->at + part.from;
  memcpy(frame + at, source + at, (size_t)(part.to - part.from));
  op2i_check_apply(check, frame);
  return op2i_check_differs(check, frame, altered);
}

/* The component of a part that matters by itself, the nearest to the row's start first; `none`
 * when no single one does. */
static int64_t find_component(struct op2i_check *check, const struct op2i_check_row *row,
                              struct part part, const unsigned char *source, int64_t none) {
  int64_t unit = (int64_t)row->unit, n = (part.to - part.from) / unit;
  for (int64_t i = 0; i < n; i++) {
    int64_t c = part.from < 0 ? -1 - i : part.from / unit + i;
    if (matters(check, row, (struct part){c * unit, (c + 1) * unit}, source, OP2I_NO_ROW)) return c;
  }
  return none;
}

static op2_status blame_outside(struct op2i_check *check, const struct op2i_check_row *row,
                                struct part part, const unsigned char *source) {
  int64_t none = (int64_t)(row->bytes / row->unit);
  if (part.from < 0) none = -1;
  int64_t c = find_component(check, row, part, source, none);
  return op2i_check_error(check, row, "the kernel read outside of it, %s: %s",
                          c < 0 ? "before its start" : "past its end",
                          op2i_check_component(check, row, c).text);
}

static op2_status blame_filler(struct op2i_check *check, const struct op2i_check_row *row,
                               const unsigned char *source) {
  int64_t c = find_component(check, row, own_part(row), source, -1);
  if (c < 0) return op2i_check_error(check, row, "the kernel read it before writing it");
  return op2i_check_error(check, row, "the kernel read %s before writing it",
                          op2i_check_component(check, row, c).text);
}

static op2_status blame_trap(struct op2i_check *check, const struct op2i_check_row *row) {
  return op2i_check_error(check, row,
                          "the kernel read through a slot %s: the map has slots 0 to %d",
                          row->slot < 0 ? "before the first" : "past the last",
                          (int)check->loop->args[row->arg].arity - 1);
}

static op2_status blame_reduction(struct op2i_check *check, const struct op2i_check_row *row) {
  op2_access access = check->loop->args[row->arg].access;
  size_t at = row->at;
  int64_t c = op2i_check_unlike(check->loop->args[row->arg].type, access,
                                (int64_t)(row->bytes / row->unit), check->start + at,
                                check->frame[0] + at, check->altered + at, check->frame[1] + at);
  if (c < 0)
    return op2i_check_error(
        check, row,
        "the kernel's other results depend on it; what it holds depends on the elements before");
  return op2i_check_error(check, row,
                          "what the kernel does to %s depends on the value before, so it is not %s",
                          op2i_check_component(check, row, c).text,
                          access == OP2_INC   ? "an addition"
                          : access == OP2_MIN ? "a minimum"
                                              : "a maximum");
}

/* OP2_SUCCESS when the row is not to blame. */
static op2_status blame_row(struct op2i_check *check, int r, const unsigned char *source) {
  const struct op2i_check_row *row = &check->rows[r];
  if (row->role == OP2I_ROW_FOLLOWS) return OP2_SUCCESS;
  if (row->role == OP2I_ROW_TRAP) {
    struct part all = {-OP2I_CHECK_GUARD, part_after(row).to};
    return matters(check, row, all, source, OP2I_NO_ROW) ? blame_trap(check, row) : OP2_SUCCESS;
  }
  if (row->role == OP2I_ROW_WRITE && matters(check, row, own_part(row), source, OP2I_NO_ROW))
    return blame_filler(check, row, source);
  if (matters(check, row, part_after(row), source, OP2I_NO_ROW))
    return blame_outside(check, row, part_after(row), source);
  if (matters(check, row, part_before(), source, OP2I_NO_ROW))
    return blame_outside(check, row, part_before(), source);
  if (row->role == OP2I_ROW_REDUCE && matters(check, row, own_part(row), check->altered, r))
    return blame_reduction(check, row);
  return OP2_SUCCESS;
}

op2_status op2i_check_blame(struct op2i_check *check, int other) {
  const unsigned char *source = check->filler[other];
  const struct op2i_check_row *any = &check->rows[0];
  if (matters(check, any, (struct part){0, 0}, source, OP2I_NO_ROW))
    return op2i_check_error(check, NULL,
                            "the kernel gives other results when it is applied to the same values "
                            "again: it keeps state, or "
                            "uses a variable that it has not set");
  for (int r = 0; r < check->nrows; r++) {
    op2_status status = blame_row(check, r, source);
    if (status) return status;
  }
  return op2i_check_error(
      check, NULL, "the kernel's results depend on values that its arguments do not give it");
}
