/* SPDX-License-Identifier: BSD-3-Clause */
/* Checked mode: apply the kernel to one element in every frame and compare. */
#include <inttypes.h>
#include <string.h>

#include "check.h"

enum { NEAR = 512 }; /* bytes; a multiple of eight components of any type */

static op2_access access_of(const struct op2i_check *check, const struct op2i_check_row *row) {
  return check->loop->args[row->arg].access;
}

static int64_t components(const struct op2i_check_row *row) {
  return (int64_t)(row->bytes / row->unit);
}

/* The first component in which two versions of a row differ, or -1. */
static int64_t first_change(const struct op2i_check_row *row, const unsigned char *one,
                            const unsigned char *other) {
  if (!memcmp(one, other, row->bytes)) return -1;
  size_t byte = 0;
  while (one[byte] == other[byte]) byte++;
  return (int64_t)(byte / row->unit);
}

/* ---- strays ---------------------------------------------------------------------------------- */

/* Filler repeats every eight components, so that a guard zone can be compared with itself, which
 * is in cache. */
static bool intact(const unsigned char *zone, size_t bytes, const unsigned char *filler,
                   size_t unit) {
  size_t period = 8 * unit;
  return !memcmp(zone, filler, period) && !memcmp(zone + period, zone, bytes - period);
}

/* `component` is the one nearest to the row of those that were written. */
static op2_status stray(const struct op2i_check *check, const struct op2i_check_row *row,
                        int64_t component) {
  int64_t bytes = component < 0 ? -component * (int64_t)row->unit
                                : component * (int64_t)row->unit - (int64_t)row->bytes;
  return op2i_check_error(check, row, "the kernel wrote outside of it, %" PRId64 " bytes %s: %s",
                          bytes, component < 0 ? "before its start" : "past its end",
                          op2i_check_component(check, row, component).text);
}

static op2_status stray_before(const struct op2i_check *check, const struct op2i_check_row *row,
                               const unsigned char *data, const unsigned char *filler) {
  int64_t byte = -1;
  while (data[byte] == filler[byte]) byte--;
  return stray(check, row, -((-byte + (int64_t)row->unit - 1) / (int64_t)row->unit));
}

static op2_status stray_after(const struct op2i_check *check, const struct op2i_check_row *row,
                              const unsigned char *data, const unsigned char *filler) {
  size_t byte = row->bytes;
  while (data[byte] == filler[byte]) byte++;
  return stray(check, row, (int64_t)(byte / row->unit));
}

static op2_status touched_trap(const struct op2i_check *check, const struct op2i_check_row *row) {
  return op2i_check_error(check, row,
                          "the kernel wrote through a slot %s: the map has slots 0 to %d",
                          row->slot < 0 ? "before the first" : "past the last",
                          (int)check->loop->args[row->arg].arity - 1);
}

/* All of the guard zones in frame 0. In the others, which would show the same except where a
 * stray value happens to be the filler, the nearest bytes: to read all of them is most of the
 * time that the checked mode takes. */
static op2_status find_strays(const struct op2i_check *check, int frame) {
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    const unsigned char *data = check->frame[frame] + row->at,
                        *filler = check->filler[frame] + row->at;
    size_t before = frame ? NEAR : OP2I_CHECK_GUARD,
           after = frame ? NEAR : op2i_check_guard_after(row);
    bool low = intact(data - before, before, filler - before, row->unit);
    bool high = intact(data + row->bytes, after, filler + row->bytes, row->unit);
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
    if (check->loop->args[row->arg].kind != OP2I_ARG_ALL || row->own_role == OP2I_ROW_TRAP)
      continue;
    void *const *pointers = check->pointers + check->first_pointer[row->arg] + OP2I_CHECK_SPARE;
    if (pointers[row->slot] != check->frame[frame] + check->rows[row->lead].at)
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

/* A component that has kept its filler in two frames was not written. */
static op2_status find_unwritten(const struct op2i_check *check) {
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    if (row->role != OP2I_ROW_WRITE) continue;
    for (size_t byte = 0; byte < row->bytes; byte += row->unit) {
      size_t at = row->at + byte;
      if (!memcmp(check->frame[0] + at, check->filler[0] + at, row->unit) &&
          !memcmp(check->frame[1] + at, check->filler[1] + at, row->unit))
        return op2i_check_error(check, row, "the kernel left %s unwritten",
                                op2i_check_component(check, row, (int64_t)(byte / row->unit)).text);
    }
  }
  return OP2_SUCCESS;
}

static op2_status find_wrong_way(const struct op2i_check *check) {
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    if (row->role != OP2I_ROW_REDUCE) continue;
    op2_access access = access_of(check, row);
    int64_t c = op2i_check_wrong_way(check->loop->args[row->arg].type, access, components(row),
                                     check->start + row->at, check->frame[0] + row->at);
    if (c >= 0)
      return op2i_check_error(check, row, "the kernel %s %s",
                              access == OP2_MIN ? "raised" : "lowered",
                              op2i_check_component(check, row, c).text);
  }
  return OP2_SUCCESS;
}

bool op2i_check_differs(const struct op2i_check *check, const unsigned char *frame, int altered) {
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    size_t at = row->at;
    if (row->role == OP2I_ROW_FOLLOWS || row->role == OP2I_ROW_TRAP || row->role == OP2I_ROW_READ)
      continue;
    if (row->role == OP2I_ROW_REDUCE && (altered == OP2I_ALL_ROWS || altered == r)) {
      if (op2i_check_unlike(check->loop->args[row->arg].type, access_of(check, row),
                            components(row), check->start + at, check->frame[0] + at,
                            check->altered + at, frame + at) >= 0)
        return true;
    } else if (memcmp(check->frame[0] + at, frame + at, row->bytes)) {
      return true;
    }
  }
  return false;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static op2_status apply(struct op2i_check *check, int frame, bool altered) {
  op2i_check_load(check, check->frame[frame], check->filler[frame]);
  for (int r = 0; altered && r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    if (row->role == OP2I_ROW_REDUCE)
      memcpy(check->frame[frame] + row->at, check->altered + row->at, row->bytes);
  }
  op2i_check_apply(check, check->frame[frame]);
  op2_status status = find_strays(check, frame);
  if (!status) status = find_moved_pointers(check, frame);
  return status ? status : find_written_inputs(check, frame);
}

/* A direct argument is no other element's, so its kernel may depend on the value before. */
static void alter_reductions(struct op2i_check *check) {
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    const struct op2i_loop_arg *arg = &check->loop->args[row->arg];
    size_t at = row->at;
    if (row->role != OP2I_ROW_REDUCE) continue;
    if (arg->kind == OP2I_ARG_DIRECT)
      memcpy(check->altered + at, check->start + at, row->bytes);
    else
      op2i_check_alter(arg->type, arg->access, components(row), check->start + at,
                       check->frame[0] + at, check->altered + at);
  }
}

op2_status op2i_check_judge(struct op2i_check *check) {
  op2_status status = apply(check, 0, false);
  if (!status) status = find_wrong_way(check);
  if (status) return status;
  alter_reductions(check);
  status = apply(check, 1, true);
  if (!status) status = find_unwritten(check);
  if (status) return status;
  if (op2i_check_differs(check, check->frame[1], OP2I_ALL_ROWS)) return op2i_check_blame(check, 1);
  status = apply(check, 2, false);
  if (status) return status;
  return op2i_check_differs(check, check->frame[2], OP2I_NO_ROW) ? op2i_check_blame(check, 2)
                                                                 : OP2_SUCCESS;
}
