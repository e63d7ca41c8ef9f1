/* SPDX-License-Identifier: BSD-3-Clause */
/* Checked mode: apply the kernel to one element in every frame and compare. */
#include <inttypes.h>
#include <string.h>

#include "check.h"
#include "check_layout.h"
#include "check_values.h"

static op2_access access_of(const struct op2i_check *check, const struct op2i_check_row *row) {
  return op2i_check_arg(check, row)->access;
}

static int64_t components(const struct op2i_check_row *row) {
  return (int64_t)(row->bytes / row->value_bytes);
}

/* The first component in which two versions of a row differ, or -1. */
static int64_t first_change(const struct op2i_check_row *row, const unsigned char *one,
                            const unsigned char *other) {
  if (!memcmp(one, other, row->bytes)) return -1;
  size_t byte = 0;
  while (one[byte] == other[byte]) byte++;
  return (int64_t)(byte / row->value_bytes);
}

/* ---- accesses outside a row ------------------------------------------------------------------ */

/* The filler repeats every eight components, so the zone is compared with itself, which is in
 * cache. */
static bool intact(const unsigned char *zone, size_t bytes, const unsigned char *filler,
                   size_t value_bytes) {
  size_t period = 8 * value_bytes;
  return !memcmp(zone, filler, period) && !memcmp(zone + period, zone, bytes - period);
}

/* `component` is the stray component nearest to the row. */
op2_status op2i_check_stray(const struct op2i_check *check, const struct op2i_check_row *row,
                            int64_t component) {
  int64_t bytes = component < 0 ? -component * (int64_t)row->value_bytes
                                : component * (int64_t)row->value_bytes - (int64_t)row->bytes;
  return op2i_check_error(check, row, "the kernel wrote outside of it, %" PRId64 " bytes %s: %s",
                          bytes, component < 0 ? "before its start" : "past its end",
                          op2i_check_component(check, row, component).text);
}

static op2_status stray_before(const struct op2i_check *check, const struct op2i_check_row *row,
                               const unsigned char *data, const unsigned char *filler) {
  int64_t byte = -1;
  while (data[byte] == filler[byte]) byte--;
  return op2i_check_stray(check, row,
                          -((-byte + (int64_t)row->value_bytes - 1) / (int64_t)row->value_bytes));
}

static op2_status stray_after(const struct op2i_check *check, const struct op2i_check_row *row,
                              const unsigned char *data, const unsigned char *filler) {
  size_t byte = row->bytes;
  while (data[byte] == filler[byte]) byte++;
  return op2i_check_stray(check, row, (int64_t)(byte / row->value_bytes));
}

static op2_status touched_trap(const struct op2i_check *check, const struct op2i_check_row *row) {
  return op2i_check_error(check, row,
                          "the kernel wrote through a slot %s: the map has slots 0 to %d",
                          row->slot < 0 ? "before the first" : "past the last",
                          (int)op2i_check_arg(check, row)->arity - 1);
}

/* Check all bytes of the guard zones in frame 0, but only the nearest bytes in the others. These
 * would show the same, except where a stray value happens to equal the filler, and reading all of
 * them would take most of the time of the checked mode. */
static op2_status find_strays(const struct op2i_check *check, int frame) {
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    if (row->own_role == OP2I_ROW_TRAP && check->fence.up) continue;
    const unsigned char *data = check->frame[frame] + row->at,
                        *filler = check->filler[frame] + row->at;
    size_t before = frame ? OP2I_CHECK_NEAR : row->before,
           after = frame ? OP2I_CHECK_NEAR : row->after;
    bool low = intact(data - before, before, filler - before, row->value_bytes);
    bool high = intact(data + row->bytes, after, filler + row->bytes, row->value_bytes);
    if (row->own_role == OP2I_ROW_TRAP && (!low || !high || memcmp(data, filler, row->bytes)))
      return touched_trap(check, row);
    if (!low) return stray_before(check, row, data, filler);
    if (!high) return stray_after(check, row, data, filler);
  }
  return OP2_SUCCESS;
}

static op2_status find_moved_pointers(const struct op2i_check *check, int frame) {
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    if (op2i_check_arg(check, row)->kind != OP2I_ARG_ALL || row->own_role == OP2I_ROW_TRAP)
      continue;
    void *const *pointers =
        check->pointers[frame] + check->first_pointer[row->arg] + OP2I_CHECK_SPARE;
    if (pointers[row->slot] != op2i_check_address(check, frame, row))
      return op2i_check_error(check, row, "the kernel overwrote the pointer to it");
  }
  return OP2_SUCCESS;
}

/* ---- data ------------------------------------------------------------------------------------ */

static op2_status find_written_inputs(const struct op2i_check *check, int frame) {
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    if (row->role != OP2I_ROW_READ) continue;
    int64_t c = first_change(row, check->frame[frame] + row->at, check->start + row->at);
    if (c >= 0)
      return op2i_check_error(check, row, "the kernel wrote %s, which it may only read",
                              op2i_check_component(check, row, c).text);
  }
  return OP2_SUCCESS;
}

/* A component that still holds its filler in two frames was not written. */
static op2_status find_unwritten(const struct op2i_check *check, int frame) {
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    if (row->role != OP2I_ROW_WRITE) continue;
    for (size_t byte = 0; byte < row->bytes; byte += row->value_bytes) {
      size_t at = row->at + byte;
      if (!memcmp(check->frame[0] + at, check->filler[0] + at, row->value_bytes) &&
          !memcmp(check->frame[frame] + at, check->filler[frame] + at, row->value_bytes))
        return op2i_check_error(
            check, row, "the kernel left %s unwritten",
            op2i_check_component(check, row, (int64_t)(byte / row->value_bytes)).text);
    }
  }
  return OP2_SUCCESS;
}

static op2_status find_wrong_direction(const struct op2i_check *check) {
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    if (row->role != OP2I_ROW_REDUCE) continue;
    op2_access access = access_of(check, row);
    int64_t c =
        op2i_check_wrong_direction(op2i_check_arg(check, row)->type, access, components(row),
                                   check->start + row->at, check->frame[0] + row->at);
    if (c >= 0)
      return op2i_check_error(check, row, "the kernel %s %s",
                              op2i_lowers(access) ? "raised" : "lowered",
                              op2i_check_component(check, row, c).text);
  }
  return OP2_SUCCESS;
}

/* ---- one element ----------------------------------------------------------------------------- */

/* A kernel that stops only in a later frame has used a value that it may not read. */
static op2_status apply(struct op2i_check *check, int frame, struct op2i_check_change change) {
  op2i_check_load(check, frame, check->filler[frame], change);
  if (!op2i_check_apply(check, frame))
    return frame ? op2i_check_blame(check, frame, change.other)
                 : op2i_check_blame_fault(check, frame, change);
  op2_status status = find_strays(check, frame);
  if (!status) status = find_moved_pointers(check, frame);
  return status ? status : find_written_inputs(check, frame);
}

static void alter_reductions(struct op2i_check *check) {
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    const struct op2i_loop_arg *arg = op2i_check_arg(check, row);
    size_t at = row->at;
    if (row->role == OP2I_ROW_SUM || row->role == OP2I_ROW_REDUCE)
      op2i_check_alter(arg->type, arg->access, components(row), check->start + at,
                       check->frame[0] + at, check->other[0] + at);
  }
}

/* The first passes change fillers only, and results must be bitwise equal. The others change the
 * start values of reductions; the last two are needed only if there are several reductions. */
static const struct {
  int frame;
  struct op2i_check_change change;
} passes[] = {{3, {OP2I_NO_OTHER, OP2I_ALL_ROWS}},
              {2, {OP2I_NO_OTHER, OP2I_ALL_ROWS}},
              {1, {0, OP2I_ALL_ROWS}},
              {1, {1, OP2I_OTHER_HALF}},
              {1, {2, OP2I_OTHER_HALF}},
              {1, {1, OP2I_HALF_OF_SUMS}},
              {1, {2, OP2I_HALF_OF_SUMS}}};

static int number_of_passes(const struct op2i_check *check) {
  int n = (int)(sizeof passes / sizeof passes[0]);
  return !check->alters ? n - 4 : check->nsums < 2 ? n - 2 : n;
}

op2_status op2i_check_apply_once(struct op2i_check *check) {
  return apply(check, 0, passes[0].change);
}

op2_status op2i_check_judge(struct op2i_check *check) {
  op2_status status = op2i_check_apply_once(check);
  if (!status) status = find_wrong_direction(check);
  if (!status) alter_reductions(check);
  for (int i = 0; !status && i < number_of_passes(check); i++) {
    int frame = passes[i].frame;
    status = apply(check, frame, passes[i].change);
    if (!status && i == 0) status = find_unwritten(check, frame);
    if (!status && op2i_check_differs(check, frame, passes[i].change))
      status = op2i_check_blame(check, frame, passes[i].change.other);
  }
  return status;
}
