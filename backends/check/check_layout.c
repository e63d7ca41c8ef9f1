/* SPDX-License-Identifier: BSD-3-Clause */
/* Checked mode: layout of the frames of guarded rows, and loading of an element's values. */
#include <stddef.h>
#include <string.h>

#include "check.h"
#include "check_layout.h"
#include "check_values.h"
#include "error.h"
#include "mem.h"
#include "partial.h"

enum { ALIGN = 64 };

/* ---- layout ---------------------------------------------------------------------------------- */

static enum op2i_check_role role_of(const struct op2i_loop_arg *arg) {
  if (arg->kind == OP2I_ARG_ABSENT) return OP2I_ROW_FOLLOWS; /* neither loaded nor compared */
  if (arg->kind == OP2I_ARG_WORK) return OP2I_ROW_WORK;
  if (op2i_arg_captured(arg) || arg->kind == OP2I_ARG_IDX || !op2i_modifies(arg->access))
    return OP2I_ROW_READ;
  if (op2i_arg_informs(arg)) return OP2I_ROW_INFO;
  if (arg->kind == OP2I_ARG_GBL || op2i_bounds(arg->access)) return OP2I_ROW_REDUCE;
  if (op2i_accumulates(arg->access)) return OP2I_ROW_SUM;
  return op2i_overwrites(arg->access) ? OP2I_ROW_WRITE : OP2I_ROW_UPDATE;
}

/* True for arguments whose pointers lead to the dat itself, not to a copy or a buffer. */
static bool in_place(const struct op2i_loop_arg *arg) {
  return (arg->kind == OP2I_ARG_DIRECT || arg->kind == OP2I_ARG_SLOT ||
          arg->kind == OP2I_ARG_ALL) &&
         !op2i_accumulates(arg->access);
}

static bool can_share(const struct op2i_loop *loop, int dat) {
  int rows = 0, modified = 0;
  for (int a = 0; a < loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &loop->args[a];
    if (arg->dat != dat || !in_place(arg)) continue;
    rows += arg->arity;
    modified += op2i_modifies(arg->access);
  }
  return rows > 1 && modified;
}

/* A row that stands between fences takes whole pages and is in the middle of them. */
static void place_row(struct op2i_check *check, struct op2i_check_row *row, bool fenced) {
  size_t guard = fenced ? OP2I_CHECK_NEAR : OP2I_CHECK_GUARD;
  size_t page = fenced ? op2i_fence_page() : ALIGN;
  size_t all = (row->bytes + 2 * guard + page - 1) / page * page;
  row->before = (all - row->bytes) / 2 / ALIGN * ALIGN;
  row->after = all - row->before - row->bytes;
  row->at = row->seen = check->frame_bytes + row->before;
  check->frame_bytes += all;
}

static void add_row(struct op2i_check *check, int a, int slot, enum op2i_check_role role) {
  const struct op2i_loop_arg *arg = &check->every[a];
  struct op2i_check_row *row = &check->rows[check->nrows];
  size_t value_bytes = op2i_type_size(arg->type);
  size_t bytes = (size_t)op2i_arg_copied(arg) * value_bytes *
                 (arg->kind == OP2I_ARG_ALL ? 1 : (size_t)arg->arity);
  *row = (struct op2i_check_row){.arg = a,
                                 .slot = slot,
                                 .role = role,
                                 .own_role = role,
                                 .lead = check->nrows,
                                 .value_bytes = value_bytes,
                                 .bytes = bytes,
                                 .target = -1};
  row->may_share = role != OP2I_ROW_TRAP && in_place(arg) && can_share(check->loop, arg->dat);
  row->first_value = check->nvalues;
  check->nvalues += (int64_t)(bytes / value_bytes);
  row->order = check->nsums;
  check->nsums += role == OP2I_ROW_SUM || role == OP2I_ROW_REDUCE;
  check->alters =
      check->alters || role == OP2I_ROW_WRITE || role == OP2I_ROW_SUM || role == OP2I_ROW_REDUCE;
  check->nrows++;
}

static void list_rows(struct op2i_check *check) {
  int pointers = 0;
  for (int a = 0; a < check->nevery; a++) {
    const struct op2i_loop_arg *arg = &check->every[a];
    bool all = arg->kind == OP2I_ARG_ALL;
    check->first_row[a] = check->nrows;
    check->first_pointer[a] = pointers;
    if (all) add_row(check, a, -1, OP2I_ROW_TRAP);
    for (int slot = 0; slot < (all ? arg->arity : 1); slot++) add_row(check, a, slot, role_of(arg));
    if (all) add_row(check, a, arg->arity, OP2I_ROW_TRAP);
    if (all) pointers += arg->arity + 2 * OP2I_CHECK_SPARE;
  }
  check->first_row[check->nevery] = check->nrows;
  check->first_pointer[check->nevery] = pointers;
}

static op2_status list_arguments(struct op2i_check *check) {
  const struct op2i_loop *loop = check->loop;
  check->nevery = loop->nargs + loop->nconsts;
  check->every = op2i_calloc((size_t)check->nevery, sizeof *check->every);
  if (!check->every) return op2i_error_nomem("the checked mode");
  memcpy(check->every, loop->args, (size_t)loop->nargs * sizeof *check->every);
  for (int c = 0; c < loop->nconsts; c++)
    check->every[loop->nargs + c] = (struct op2i_loop_arg){.kind = OP2I_ARG_VAL,
                                                           .access = OP2_READ,
                                                           .type = loop->consts[c].type,
                                                           .dim = loop->consts[c].dim,
                                                           .slot = -1,
                                                           .arity = 1,
                                                           .dat = -1,
                                                           .map = -1,
                                                           .gbl = -1,
                                                           .offset = loop->consts[c].offset};
  return OP2_SUCCESS;
}

static op2_status allocate_tables(struct op2i_check *check) {
  size_t nevery = (size_t)check->nevery, rows = 0, pointers = 0;
  for (int a = 0; a < check->nevery; a++) {
    bool all = check->every[a].kind == OP2I_ARG_ALL;
    rows += all ? (size_t)check->every[a].arity + 2 : 1;
    if (all) pointers += (size_t)check->every[a].arity + 2 * OP2I_CHECK_SPARE;
  }
  check->rows = op2i_calloc(rows, sizeof *check->rows);
  check->first_row = op2i_calloc(nevery + 1, sizeof *check->first_row);
  check->first_pointer = op2i_calloc(nevery + 1, sizeof *check->first_pointer);
  check->args = op2i_calloc(nevery, sizeof *check->args);
  check->writers = op2i_calloc((size_t)check->loop->op.ndats + 1, sizeof *check->writers);
  check->written = op2i_calloc((size_t)check->loop->op.ndats + 1, sizeof *check->written);
  bool good = check->rows && check->first_row && check->first_pointer && check->args &&
              check->writers && check->written;
  for (int f = 0; f < OP2I_CHECK_FRAMES; f++) {
    check->pointers[f] = op2i_calloc(pointers + 1, sizeof *check->pointers[f]);
    good = good && check->pointers[f];
  }
  return good ? OP2_SUCCESS : op2i_error_nomem("the checked mode");
}

static bool allocate_images(struct op2i_check *check, unsigned char **images, int n) {
  bool all = true;
  for (int i = 0; i < n; i++) {
    images[i] = op2i_alloc_data(check->frame_bytes);
    all = all && images[i];
  }
  return all;
}

/* Allocate the memory of the frames, with fences where the system allows it. */
static op2_status make_frames(struct op2i_check *check) {
  for (int fenced = 1; fenced >= 0; fenced--) {
    check->frame_bytes = 0;
    for (int r = 0; r < check->nrows; r++) place_row(check, &check->rows[r], fenced);
    if (fenced && op2i_fence_open(check)) return OP2_SUCCESS;
  }
  if (!allocate_images(check, check->frame, OP2I_CHECK_FRAMES))
    return op2i_error_nomem("the checked mode");
  memcpy(check->view, check->frame, sizeof check->view);
  return OP2_SUCCESS;
}

static void fill_extremes(struct op2i_check *check) {
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    const struct op2i_loop_arg *arg = op2i_check_arg(check, row);
    if (row->role != OP2I_ROW_WRITE && row->role != OP2I_ROW_SUM && row->role != OP2I_ROW_REDUCE)
      continue;
    for (int other = 1; other < OP2I_CHECK_OTHERS; other++)
      op2i_check_extreme(arg->type, arg->access, (int64_t)(row->bytes / row->value_bytes),
                         other == 1, check->other[other] + row->at);
  }
}

/* Pointers before the first and after the last slot of the map lead to traps and never change. */
static void point_at_traps(struct op2i_check *check) {
  for (int f = 0; f < OP2I_CHECK_FRAMES; f++)
    for (int a = 0; a < check->nevery; a++) {
      if (check->every[a].kind != OP2I_ARG_ALL) continue;
      const struct op2i_check_row *rows = &check->rows[check->first_row[a]];
      void **pointers = check->pointers[f] + check->first_pointer[a];
      int arity = check->every[a].arity;
      for (int i = 0; i < OP2I_CHECK_SPARE; i++) {
        pointers[i] = check->view[f] + rows[0].seen;
        pointers[OP2I_CHECK_SPARE + arity + i] = check->view[f] + rows[arity + 1].seen;
      }
    }
}

static op2_status allocate_frames(struct op2i_check *check) {
  op2_status status = make_frames(check);
  if (status) return status;
  bool all = allocate_images(check, &check->start, 1) && allocate_images(check, &check->kept, 1) &&
             allocate_images(check, check->filler, OP2I_CHECK_FRAMES) &&
             allocate_images(check, check->other, OP2I_CHECK_IMAGES) &&
             allocate_images(check, check->trial, OP2I_CHECK_TRIALS);
  check->rounding = op2i_calloc((size_t)check->nvalues + 1, sizeof *check->rounding);
  if (!all || !check->rounding) return op2i_error_nomem("the checked mode");
  for (int f = 0; f < OP2I_CHECK_FRAMES; f++) {
    op2i_check_fill(check, f);
    memcpy(check->frame[f], check->filler[f], check->frame_bytes);
  }
  fill_extremes(check);
  point_at_traps(check);
  return OP2_SUCCESS;
}

/* Watch dats that are written through a map and modified in no other mode: a row of such a dat
 * holds what was last written to it. */
static op2_status watch_writes(struct op2i_check *check) {
  const struct op2i_loop *loop = check->loop;
  for (int d = 0; d < loop->op.ndats; d++) {
    bool mapped = false, otherwise = false;
    for (int a = 0; a < loop->nargs; a++) {
      const struct op2i_loop_arg *arg = &loop->args[a];
      if (arg->dat != d) continue;
      mapped |= arg->map >= 0 && op2i_overwrites(arg->access);
      otherwise |= !op2i_overwrites(arg->access) && op2i_modifies(arg->access);
    }
    if (!mapped || otherwise) continue;
    size_t rows = (size_t)loop->op.dats[d]->set->ends[OP2I_NONEXEC];
    check->writers[d] = op2i_calloc(rows ? rows : 1, sizeof **check->writers);
    if (!check->writers[d]) return op2i_error_nomem("the checked mode");
  }
  return OP2_SUCCESS;
}

op2_status op2i_check_open(struct op2i_check *check, struct op2i_step *step) {
  *check = (struct op2i_check){.step = step, .loop = step->loop};
  op2_status status;
  op2i_fault_catch();
  OP2I_TRY(list_arguments(check));
  OP2I_TRY(allocate_tables(check));
  list_rows(check);
  OP2I_TRY(allocate_frames(check));
  OP2I_TRY(watch_writes(check));
  return OP2_SUCCESS;
fail:
  op2i_check_close(check);
  return status;
}

static void free_images(unsigned char **images, int n) {
  for (int i = 0; i < n; i++) op2i_free_data(images[i]);
}

void op2i_check_close(struct op2i_check *check) {
  for (int d = 0; check->writers && d < check->loop->op.ndats; d++) op2i_free(check->writers[d]);
  for (int d = 0; check->written && d < check->loop->op.ndats; d++) op2i_free(check->written[d]);
  if (check->fence.up)
    op2i_fence_close(check);
  else
    free_images(check->frame, OP2I_CHECK_FRAMES);
  free_images(&check->start, 1);
  free_images(&check->kept, 1);
  free_images(check->filler, OP2I_CHECK_FRAMES);
  free_images(check->other, OP2I_CHECK_IMAGES);
  free_images(check->trial, OP2I_CHECK_TRIALS);
  for (int f = 0; f < OP2I_CHECK_FRAMES; f++) op2i_free(check->pointers[f]);
  op2i_free(check->rounding);
  op2i_free(check->writers);
  op2i_free(check->written);
  op2i_free(check->args);
  op2i_free(check->first_pointer);
  op2i_free(check->first_row);
  op2i_free(check->rows);
  op2i_free(check->every);
  op2i_fault_release();
}

const struct op2i_loop_arg *op2i_check_arg(const struct op2i_check *check,
                                           const struct op2i_check_row *row) {
  return &check->every[row->arg];
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
         (size_t)target * check->loop->op.dats[arg->dat]->row_bytes;
}

/* Each strand of a sum has a partial result of its own. */
static unsigned char *partial_of(const struct op2i_check *check, const struct op2i_loop_arg *arg) {
  int64_t strand = (check->position - check->step->lo) % op2i_arg_strands(arg);
  return check->step->values.partials + (size_t)strand * (size_t)check->loop->partial_bytes;
}

static void locate(struct op2i_check *check, struct op2i_check_row *row) {
  const struct op2i_loop_arg *arg = op2i_check_arg(check, row);
  const struct op2i_step *step = check->step;
  switch (arg->kind) {
  case OP2I_ARG_DIRECT:
  case OP2I_ARG_SLOT:
  case OP2I_ARG_ALL:
    row->target = op2i_check_target(check, arg, arg->kind == OP2I_ARG_SLOT ? arg->slot : row->slot);
    row->memory = dat_row(check, arg, row->target);
    break;
  case OP2I_ARG_ROW_ENTRIES: /* such loops are not checked */
  case OP2I_ARG_ITER:
  case OP2I_ARG_ABSENT:
  case OP2I_ARG_WORK:
  case OP2I_ARG_IDX: break;
  case OP2I_ARG_GBL:
    if (op2i_arg_located(arg))
      row->memory = partial_of(check, arg) + arg->found_at + offsetof(struct op2i_found, start);
    else if (op2i_arg_informs(arg))
      row->memory = NULL; /* zeros for each element */
    else
      row->memory = op2i_arg_reduces(arg) && !op2i_arg_bounds(arg)
                        ? partial_of(check, arg) + arg->offset
                        : (unsigned char *)step->call.gbl[arg->gbl];
    break;
  case OP2I_ARG_OPAQUE:
  case OP2I_ARG_VAL: row->memory = (unsigned char *)step->call.payload + arg->offset; break;
  }
}

/* Rows that are the same data become one row, which may be read if one of them may, and modified if
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

static void gather_buffer(const struct op2i_check *check, const struct op2i_check_row *row,
                          unsigned char *image) {
  const struct op2i_loop_arg *arg = op2i_check_arg(check, row);
  size_t bytes = row->bytes / (size_t)arg->arity;
  size_t first = (size_t)op2i_arg_copied_first(arg) * row->value_bytes;
  for (int slot = 0; slot < arg->arity; slot++)
    memcpy(image + row->at + (size_t)slot * bytes,
           dat_row(check, arg, op2i_check_target(check, arg, slot)) + first, bytes);
}

/* Write the user's numbers of the element, or of the elements that a map leads to. */
static void gather_numbers(const struct op2i_check *check, const struct op2i_check_row *row,
                           unsigned char *image) {
  const struct op2i_loop_arg *arg = op2i_check_arg(check, row);
  op2_set set = arg->map < 0 ? check->loop->set->base : check->loop->maps[arg->map]->to;
  for (int slot = 0; slot < arg->arity; slot++) {
    int64_t target = op2i_check_target(check, arg, arg->slot >= 0 ? arg->slot : slot);
    int64_t number = op2i_set_number(set, target);
    int32_t narrow = (int32_t)number;
    bool wide = row->value_bytes == sizeof number;
    memcpy(image + row->at + (size_t)slot * row->value_bytes,
           wide ? (void *)&number : (void *)&narrow, row->value_bytes);
  }
}

static void load_identity(struct op2i_check *check, const struct op2i_check_row *row) {
  const struct op2i_loop_arg *arg = op2i_check_arg(check, row);
  op2i_values_begin(arg->type, arg->access, (int64_t)(row->bytes / row->value_bytes),
                    check->start + row->at);
}

/* The old values of an OP2_WRITE row go to other[0]: on other backends the kernel finds them in the
 * row when it begins. */
void op2i_check_gather(struct op2i_check *check, int64_t position) {
  const int64_t *subset = check->step->call.subset;
  check->position = position;
  check->element = subset ? subset[position] : position;
  for (int r = 0; r < check->nrows; r++)
    if (check->rows[r].own_role != OP2I_ROW_TRAP) locate(check, &check->rows[r]);
  share_rows(check);
  int bits = 1;
  while (check->nsums > 1 << bits) bits++;
  check->bit = (int)(check->element % bits);
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    unsigned char *image = row->role == OP2I_ROW_WRITE ? check->other[0] : check->start;
    if (row->role == OP2I_ROW_FOLLOWS || row->role == OP2I_ROW_TRAP || row->role == OP2I_ROW_WORK)
      continue;
    if (row->role == OP2I_ROW_SUM)
      load_identity(check, row);
    else if (row->role == OP2I_ROW_INFO)
      memset(image + row->at, 0, row->bytes);
    else if (row->memory)
      memcpy(image + row->at, row->memory, row->bytes);
    else if (op2i_check_arg(check, row)->kind == OP2I_ARG_IDX)
      gather_numbers(check, row, image);
    else
      gather_buffer(check, row, image);
  }
}

/* A sum that starts far from zero absorbs what is added to it. A kernel that reads one sum to
 * compute another is therefore detected only while the other sum starts from its own values. */
static bool in_change(const struct op2i_check *check, int r, int which) {
  bool sums = check->rows[r].role == OP2I_ROW_SUM || check->rows[r].role == OP2I_ROW_REDUCE;
  bool half = (check->rows[r].order >> check->bit) & 1;
  if (which == OP2I_HALF_OF_SUMS) return !sums || half;
  if (which == OP2I_OTHER_HALF) return !sums || !half;
  return which == OP2I_ALL_ROWS || which == r;
}

/* No other element uses the row of a direct argument, so the kernel may depend on the value before
 * a MIN or MAX. */
bool op2i_check_altered(const struct op2i_check *check, int r, struct op2i_check_change change) {
  const struct op2i_check_row *row = &check->rows[r];
  if (change.other == OP2I_NO_OTHER || !in_change(check, r, change.row)) return false;
  if (row->role == OP2I_ROW_REDUCE) return op2i_check_arg(check, row)->kind != OP2I_ARG_DIRECT;
  return row->role == OP2I_ROW_WRITE || row->role == OP2I_ROW_SUM;
}

void op2i_check_load(struct op2i_check *check, int frame, const unsigned char *filler,
                     struct op2i_check_change change) {
  for (int r = 0; r < check->nrows; r++) {
    const struct op2i_check_row *row = &check->rows[r];
    if (row->role == OP2I_ROW_FOLLOWS || row->role == OP2I_ROW_TRAP) continue;
    const unsigned char *image = op2i_check_altered(check, r, change) ? check->other[change.other]
                                 : op2i_check_filled(row->role)       ? filler
                                                                      : check->start;
    memcpy(check->frame[frame] + row->at, image + row->at, row->bytes);
  }
}

unsigned char *op2i_check_address(const struct op2i_check *check, int frame,
                                  const struct op2i_check_row *row) {
  const size_t shift = (size_t)op2i_arg_shift(op2i_check_arg(check, row)) * row->value_bytes;
  return check->view[frame] + check->rows[row->lead].seen + shift;
}

static void point(struct op2i_check *check, int frame) {
  for (int a = 0; a < check->nevery; a++) {
    const struct op2i_check_row *rows = &check->rows[check->first_row[a]];
    if (check->every[a].kind != OP2I_ARG_ALL) {
      check->args[a] = op2i_check_address(check, frame, rows);
      continue;
    }
    void **pointers = check->pointers[frame] + check->first_pointer[a] + OP2I_CHECK_SPARE;
    for (int slot = 0; slot < check->every[a].arity; slot++)
      pointers[slot] = op2i_check_address(check, frame, &rows[slot + 1]);
    check->args[a] = pointers;
  }
}

bool op2i_check_apply(struct op2i_check *check, int frame) {
  point(check, frame);
  return op2i_fault_call((op2i_checked_fn)check->step->function, check->args, &check->fault);
}
