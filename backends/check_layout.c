/* SPDX-License-Identifier: BSD-3-Clause */
/* Checked mode: frames of guarded rows, and what an element puts into them. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "error.h"
#include "mem.h"
#include "partial.h"

enum { ALIGN = 64 };

/* ---- filler ---------------------------------------------------------------------------------- */

/* Frames 0 and 1 are filled with small numbers: a kernel that takes one for an index or a count
 * strays into a guard zone rather than out of the process. Frame 2 has what small numbers do not
 * show: NaN, which is never absorbed, and larger integers. Neighbouring components and rows
 * differ, so that a copy of one into another is seen. */
static double real_filler(int frame, int variety) {
  return frame == 0 ? 80.25 + variety : frame == 1 ? -50.5 - variety : NAN;
}

static int64_t integer_filler(op2_type type, int frame, int variety) {
  bool is_signed = type == OP2_I8 || type == OP2_I16 || type == OP2_I32 || type == OP2_I64;
  bool small = op2i_type_size(type) == 1;
  if (small) variety %= 32;
  if (frame == 0) return 80 + variety;
  if (frame == 1) return is_signed ? -50 - variety : 20 + variety;
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

size_t op2i_check_guard_after(const struct op2i_check_row *row) {
  return OP2I_CHECK_GUARD + (ALIGN - row->bytes % ALIGN) % ALIGN;
}

static void fill_frame(const struct op2i_check *check, int frame) {
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    op2_type type = check->loop->args[row->arg].type;
    if (check->loop->args[row->arg].kind == OP2I_ARG_IDX) type = OP2_I64;
    int64_t before = OP2I_CHECK_GUARD / (int64_t)row->unit;
    int64_t after = (int64_t)((row->bytes + op2i_check_guard_after(row)) / row->unit);
    for (int64_t c = -before; c < after; c++)
      put_filler(type, frame, r, c,
                 check->filler[frame] + (int64_t)row->at + c * (int64_t)row->unit);
  }
}

/* ---- layout ---------------------------------------------------------------------------------- */

static enum op2i_check_role role_of(const struct op2i_loop_arg *arg) {
  if (arg->kind == OP2I_ARG_VAL || arg->kind == OP2I_ARG_IDX || arg->access == OP2_READ)
    return OP2I_ROW_READ;
  if (arg->kind == OP2I_ARG_GBL || arg->access == OP2_MIN || arg->access == OP2_MAX)
    return OP2I_ROW_REDUCE;
  if (arg->access == OP2_INC) return OP2I_ROW_SUM;
  return arg->access == OP2_WRITE ? OP2I_ROW_WRITE : OP2I_ROW_UPDATE;
}

/* Arguments whose pointers lead to the dat itself, not to a copy or a buffer. */
static bool in_place(const struct op2i_loop_arg *arg) {
  return (arg->kind == OP2I_ARG_DIRECT || arg->kind == OP2I_ARG_SLOT ||
          arg->kind == OP2I_ARG_ALL) &&
         (arg->access == OP2_READ || arg->access == OP2_WRITE || arg->access == OP2_RW);
}

static bool can_share(const struct op2i_loop *loop, int dat) {
  int rows = 0, modified = 0;
  for (int a = 0; a < loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &loop->args[a];
    if (arg->dat != dat || !in_place(arg)) continue;
    rows += arg->arity;
    modified += arg->access != OP2_READ;
  }
  return rows > 1 && modified;
}

static void add_row(struct op2i_check *check, int a, int slot, enum op2i_check_role role) {
  const struct op2i_loop_arg *arg = &check->loop->args[a];
  struct op2i_check_row *row = &check->rows[check->nrows];
  size_t unit = arg->kind == OP2I_ARG_IDX ? sizeof(int64_t) : op2i_type_size(arg->type);
  size_t bytes = (size_t)arg->dim * unit * (arg->kind == OP2I_ARG_ITER ? (size_t)arg->arity : 1);
  *row = (struct op2i_check_row){.arg = a,
                                 .slot = slot,
                                 .role = role,
                                 .own_role = role,
                                 .lead = check->nrows,
                                 .unit = unit,
                                 .bytes = bytes,
                                 .target = -1};
  row->may_share = role != OP2I_ROW_TRAP && in_place(arg) && can_share(check->loop, arg->dat);
  row->at = check->frame_bytes + OP2I_CHECK_GUARD;
  check->frame_bytes = row->at + bytes + op2i_check_guard_after(row);
  check->nrows++;
}

static void lay_out(struct op2i_check *check) {
  const struct op2i_loop *loop = check->loop;
  int pointers = 0;
  for (int a = 0; a < loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &loop->args[a];
    bool all = arg->kind == OP2I_ARG_ALL;
    check->first_row[a] = check->nrows;
    check->first_pointer[a] = pointers;
    if (all) add_row(check, a, -1, OP2I_ROW_TRAP);
    for (int slot = 0; slot < (all ? arg->arity : 1); slot++) add_row(check, a, slot, role_of(arg));
    if (all) add_row(check, a, arg->arity, OP2I_ROW_TRAP);
    if (all) pointers += arg->arity + 2 * OP2I_CHECK_SPARE;
  }
  check->first_row[loop->nargs] = check->nrows;
  check->first_pointer[loop->nargs] = pointers;
}

static op2_status allocate_tables(struct op2i_check *check) {
  const struct op2i_loop *loop = check->loop;
  size_t nargs = (size_t)loop->nargs, rows = 0, pointers = 0;
  for (int a = 0; a < loop->nargs; a++) {
    bool all = loop->args[a].kind == OP2I_ARG_ALL;
    rows += all ? (size_t)loop->args[a].arity + 2 : 1;
    if (all) pointers += (size_t)loop->args[a].arity + 2 * OP2I_CHECK_SPARE;
  }
  check->rows = op2i_calloc(rows, sizeof *check->rows);
  check->first_row = op2i_calloc(nargs + 1, sizeof *check->first_row);
  check->first_pointer = op2i_calloc(nargs + 1, sizeof *check->first_pointer);
  check->args = op2i_calloc(nargs, sizeof *check->args);
  check->pointers = op2i_calloc(pointers + 1, sizeof *check->pointers);
  check->writers = op2i_calloc((size_t)loop->ndats + 1, sizeof *check->writers);
  if (!check->rows || !check->first_row || !check->first_pointer || !check->args ||
      !check->pointers || !check->writers)
    return op2i_error_nomem("the checked mode");
  return OP2_SUCCESS;
}

static op2_status allocate_frames(struct op2i_check *check) {
  check->start = op2i_alloc_data(check->frame_bytes);
  check->altered = op2i_alloc_data(check->frame_bytes);
  bool all = check->start && check->altered;
  for (int f = 0; f < OP2I_CHECK_FRAMES; f++) {
    check->frame[f] = op2i_alloc_data(check->frame_bytes);
    check->filler[f] = op2i_alloc_data(check->frame_bytes);
    all = all && check->frame[f] && check->filler[f];
  }
  if (!all) return op2i_error_nomem("the checked mode");
  for (int f = 0; f < OP2I_CHECK_FRAMES; f++) {
    fill_frame(check, f);
    memcpy(check->frame[f], check->filler[f], check->frame_bytes);
  }
  return OP2_SUCCESS;
}

/* Watch dats that are written through a map and modified in no other mode: then a row holds what
 * was last written to it. */
static op2_status watch_writes(struct op2i_check *check) {
  const struct op2i_loop *loop = check->loop;
  for (int d = 0; d < loop->ndats; d++) {
    bool mapped = false, otherwise = false;
    for (int a = 0; a < loop->nargs; a++) {
      const struct op2i_loop_arg *arg = &loop->args[a];
      if (arg->dat != d) continue;
      mapped |= arg->map >= 0 && arg->access == OP2_WRITE;
      otherwise |= arg->access != OP2_WRITE && arg->access != OP2_READ;
    }
    if (!mapped || otherwise) continue;
    size_t rows = (size_t)loop->dats[d]->set->ends[OP2I_NONEXEC];
    check->writers[d] = op2i_calloc(rows ? rows : 1, sizeof **check->writers);
    if (!check->writers[d]) return op2i_error_nomem("the checked mode");
  }
  return OP2_SUCCESS;
}

op2_status op2i_check_open(struct op2i_check *check, struct op2i_step *step) {
  *check = (struct op2i_check){.step = step, .loop = step->loop};
  op2_status status;
  OP2I_TRY(allocate_tables(check));
  lay_out(check);
  OP2I_TRY(allocate_frames(check));
  OP2I_TRY(watch_writes(check));
  return OP2_SUCCESS;
fail:
  op2i_check_close(check);
  return status;
}

void op2i_check_close(struct op2i_check *check) {
  for (int d = 0; check->writers && d < check->loop->ndats; d++) op2i_free(check->writers[d]);
  for (int f = 0; f < OP2I_CHECK_FRAMES; f++) {
    op2i_free_data(check->frame[f]);
    op2i_free_data(check->filler[f]);
  }
  op2i_free_data(check->start);
  op2i_free_data(check->altered);
  op2i_free(check->writers);
  op2i_free(check->pointers);
  op2i_free(check->args);
  op2i_free(check->first_pointer);
  op2i_free(check->first_row);
  op2i_free(check->rows);
}

/* ---- an element's rows ----------------------------------------------------------------------- */

int64_t op2i_check_target(const struct op2i_check *check, const struct op2i_loop_arg *arg,
                          int slot) {
  if (arg->map < 0) return check->element;
  return check->step->call
      .map[arg->map][check->element * check->loop->maps[arg->map]->arity + slot];
}

static unsigned char *dat_row(const struct op2i_check *check, const struct op2i_loop_arg *arg,
                              int64_t target) {
  return (unsigned char *)check->step->call.dat[arg->dat] +
         (size_t)target * check->loop->dats[arg->dat]->row_bytes;
}

static void locate(struct op2i_check *check, struct op2i_check_row *row) {
  const struct op2i_loop_arg *arg = &check->loop->args[row->arg];
  const struct op2i_step *step = check->step;
  switch (arg->kind) {
  case OP2I_ARG_DIRECT:
  case OP2I_ARG_SLOT:
  case OP2I_ARG_ALL:
    row->target = op2i_check_target(check, arg, arg->kind == OP2I_ARG_SLOT ? arg->slot : row->slot);
    row->memory = dat_row(check, arg, row->target);
    break;
  case OP2I_ARG_ITER: break;
  case OP2I_ARG_GBL:
    row->memory = op2i_arg_reduces(arg) ? step->partials + arg->offset
                                        : (unsigned char *)step->call.gbl[arg->gbl];
    break;
  case OP2I_ARG_VAL: row->memory = (unsigned char *)step->call.payload + arg->offset; break;
  case OP2I_ARG_IDX: row->memory = (unsigned char *)&check->element_number; break;
  }
}

/* Rows that are the same data become one, which may be read if one of them may, and modified if
 * one of them may. */
static void share_rows(struct op2i_check *check) {
  for (int r = 0; r < check->nrows; r++) {
    struct op2i_check_row *row = &check->rows[r];
    if (!row->may_share) continue;
    row->lead = r;
    row->role = row->own_role;
    for (int s = 0; s < r && row->lead == r; s++) {
      struct op2i_check_row *first = &check->rows[s];
      if (first->lead != s || first->memory != row->memory || !first->may_share) continue;
      if (first->role != row->role) first->role = OP2I_ROW_UPDATE;
      row->lead = s;
      row->role = OP2I_ROW_FOLLOWS;
    }
  }
}

static void gather_buffer(struct op2i_check *check, const struct op2i_check_row *row) {
  const struct op2i_loop_arg *arg = &check->loop->args[row->arg];
  size_t bytes = row->bytes / (size_t)arg->arity;
  for (int slot = 0; slot < arg->arity; slot++)
    memcpy(check->start + row->at + (size_t)slot * bytes,
           dat_row(check, arg, op2i_check_target(check, arg, slot)), bytes);
}

void op2i_check_gather(struct op2i_check *check, int64_t position) {
  const int64_t *subset = check->step->call.subset;
  check->element = subset ? subset[position] : position;
  check->element_number = op2i_set_number(check->loop->set->base, check->element);
  for (int r = 0; r < check->nrows; r++)
    if (check->rows[r].own_role != OP2I_ROW_TRAP) locate(check, &check->rows[r]);
  share_rows(check);
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    if (row->role == OP2I_ROW_FOLLOWS || row->role == OP2I_ROW_TRAP || row->role == OP2I_ROW_WRITE)
      continue;
    if (row->role == OP2I_ROW_SUM)
      memset(check->start + row->at, 0, row->bytes);
    else if (row->memory)
      memcpy(check->start + row->at, row->memory, row->bytes);
    else
      gather_buffer(check, row);
  }
}

void op2i_check_load(struct op2i_check *check, unsigned char *frame, const unsigned char *filler) {
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    if (row->role == OP2I_ROW_WRITE)
      memcpy(frame + row->at, filler + row->at, row->bytes);
    else if (row->role != OP2I_ROW_FOLLOWS && row->role != OP2I_ROW_TRAP)
      memcpy(frame + row->at, check->start + row->at, row->bytes);
  }
}

static void point(struct op2i_check *check, unsigned char *frame) {
  const struct op2i_loop *loop = check->loop;
  for (int a = 0; a < loop->nargs; a++) {
    const struct op2i_check_row *rows = &check->rows[check->first_row[a]];
    void **pointers = &check->pointers[check->first_pointer[a]];
    if (loop->args[a].kind != OP2I_ARG_ALL) {
      check->args[a] = frame + check->rows[rows->lead].at;
      continue;
    }
    int arity = loop->args[a].arity;
    for (int slot = -OP2I_CHECK_SPARE; slot < arity + OP2I_CHECK_SPARE; slot++) {
      int r = slot < 0 ? 0 : slot >= arity ? arity + 1 : slot + 1;
      pointers[slot + OP2I_CHECK_SPARE] = frame + check->rows[rows[r].lead].at;
    }
    check->args[a] = pointers + OP2I_CHECK_SPARE;
  }
}

void op2i_check_apply(struct op2i_check *check, unsigned char *frame) {
  point(check, frame);
  ((op2i_checked_fn)check->step->entry)(check->args, check->step->call.payload);
}
