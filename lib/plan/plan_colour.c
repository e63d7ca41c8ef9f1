/* SPDX-License-Identifier: BSD-3-Clause */
/* Colouring of spans (blocks of a plan, or elements of a block) that modify the same targets. */

#include <string.h>

#include "access.h"
#include "error.h"
#include "mem.h"
#include "plan_internal.h"

op2_status op2i_marks_open(struct op2i_marks *marks, int64_t size) {
  marks->size = size;
  marks->epoch = 0;
  marks->stamp = op2i_alloc_data((size > 0 ? (size_t)size : 1) * sizeof *marks->stamp);
  return marks->stamp ? OP2_SUCCESS : op2i_error_nomem("marks on the targets of a plan");
}

void op2i_marks_close(struct op2i_marks *marks) {
  op2i_free_data(marks->stamp);
  marks->stamp = NULL;
}

void op2i_marks_forget(struct op2i_marks *marks) {
  if (++marks->epoch > 0 || !marks->stamp) return;
  memset(marks->stamp, 0, (size_t)marks->size * sizeof *marks->stamp);
  marks->epoch = 1;
}

/* ---- conflicts between arguments ---- */

static bool modifies(const struct op2i_plan_arg *arg) { return op2i_modifies(arg->access); }
static bool conflicts(const struct op2i_plan_arg *arg) {
  return modifies(arg) && !arg->injective && !arg->same_values;
}

static struct op2i_column *find_column(const struct op2i_conflict *conflict, int32_t map,
                                       int32_t slot) {
  for (int i = 0; i < conflict->ncolumns; i++)
    if (conflict->columns[i].map == map && conflict->columns[i].slot == slot)
      return &conflict->columns[i];
  return NULL;
}

static void add_columns(struct op2i_conflict *conflict, const struct op2i_plan_arg *arg) {
  int32_t first = op2i_plan_first_slot(arg);
  for (int32_t slot = first; slot < first + op2i_plan_slot_count(arg); slot++) {
    struct op2i_column *column = find_column(conflict, arg->map, slot);
    if (!column) {
      column = &conflict->columns[conflict->ncolumns++];
      *column = (struct op2i_column){.idx = arg->idx + slot,
                                     .arity = arg->arity,
                                     .map = arg->map,
                                     .slot = slot,
                                     .modifies = false};
    }
    column->modifies |= modifies(arg);
  }
}

/* True if two spans that conflict over `inner` always conflict over `outer` as well. */
static bool covers(const struct op2i_conflict *outer, const struct op2i_conflict *inner) {
  for (int i = 0; i < inner->ncolumns; i++) {
    const struct op2i_column *column =
        find_column(outer, inner->columns[i].map, inner->columns[i].slot);
    if (!column || (inner->columns[i].modifies && !column->modifies)) return false;
  }
  return true;
}

/* Find the conflicts over one dat, unless those found so far include them. Its columns are stored
 * in `columns`; returns their number. */
static int find_conflict(struct op2i_colouring *colouring, const struct op2i_plan_desc *desc,
                         int32_t dat, struct op2i_column *columns) {
  struct op2i_conflict found = {.dat = dat, .columns = columns};
  for (int a = 0; a < desc->nargs; a++) {
    if (desc->args[a].dat != dat || (!desc->ordered && !modifies(&desc->args[a]))) continue;
    found.target_size = desc->args[a].target_size;
    add_columns(&found, &desc->args[a]);
  }
  for (int i = 0; i < colouring->nconflicts; i++)
    if (covers(&colouring->conflicts[i], &found)) return 0;
  for (int i = 0; i < found.ncolumns; i++) found.reads |= !columns[i].modifies;
  colouring->conflicts[colouring->nconflicts++] = found;
  return found.ncolumns;
}

/* Drop conflicts that are covered by those over a later dat. */
static void drop_covered(struct op2i_colouring *colouring) {
  int kept = 0;
  for (int i = 0; i < colouring->nconflicts; i++) {
    bool covered = false;
    for (int later = i + 1; later < colouring->nconflicts; later++)
      covered |= covers(&colouring->conflicts[later], &colouring->conflicts[i]);
    if (!covered) colouring->conflicts[kept++] = colouring->conflicts[i];
  }
  colouring->nconflicts = kept;
}

static void find_conflicts(struct op2i_colouring *colouring, const struct op2i_plan_desc *desc) {
  struct op2i_column *columns = colouring->columns;
  for (int a = 0; a < desc->nargs; a++) {
    bool first = conflicts(&desc->args[a]);
    for (int before = 0; before < a && first; before++)
      first = desc->args[before].dat != desc->args[a].dat || !conflicts(&desc->args[before]);
    if (first) columns += find_conflict(colouring, desc, desc->args[a].dat, columns);
  }
  drop_covered(colouring);
}

op2_status op2i_colouring_open(const struct op2i_plan_desc *desc,
                               struct op2i_colouring *colouring) {
  op2_status status = OP2_SUCCESS;
  int64_t ncolumns = 0;
  for (int a = 0; a < desc->nargs; a++) ncolumns += op2i_plan_slot_count(&desc->args[a]);
  *colouring = (struct op2i_colouring){.subset = desc->subset, .ordered = desc->ordered};
  colouring->conflicts = op2i_plan_array(desc->nargs, sizeof *colouring->conflicts);
  colouring->columns = op2i_plan_array(ncolumns, sizeof *colouring->columns);
  if (!colouring->conflicts || !colouring->columns)
    OP2I_TRY(op2i_error_nomem("the arguments of a plan"));
  find_conflicts(colouring, desc);
  return OP2_SUCCESS;

fail:
  op2i_colouring_close(colouring);
  return status;
}

op2_status op2i_colouring_marks(struct op2i_colouring *colouring) {
  op2_status status = OP2_SUCCESS;
  for (int i = 0; i < colouring->nconflicts && !status; i++) {
    struct op2i_conflict *conflict = &colouring->conflicts[i];
    if (!conflict->modified.stamp)
      status = op2i_marks_open(&conflict->modified, conflict->target_size);
    if (!status && conflict->reads && !conflict->read.stamp)
      status = op2i_marks_open(&conflict->read, conflict->target_size);
  }
  return status;
}

void op2i_colouring_close(struct op2i_colouring *colouring) {
  for (int i = 0; i < colouring->nconflicts; i++) {
    op2i_marks_close(&colouring->conflicts[i].modified);
    op2i_marks_close(&colouring->conflicts[i].read);
  }
  op2i_free(colouring->conflicts);
  op2i_free(colouring->columns);
}

/* ---- first-fit colouring of elements, 32 colours at a time ---- */

static uint32_t used_colours(const struct op2i_colouring *colouring, int64_t position) {
  uint32_t mask = 0;
  for (int i = 0; i < colouring->nconflicts; i++) {
    const struct op2i_conflict *conflict = &colouring->conflicts[i];
    const struct op2i_marks *marks = &conflict->modified;
    for (int c = 0; c < conflict->ncolumns; c++)
      mask |= op2i_mark_value(
          marks,
          marks->stamp[op2i_column_target(&conflict->columns[c], colouring->subset, position)]);
  }
  return mask;
}

static void use_colour(struct op2i_colouring *colouring, int64_t position, uint32_t colour) {
  for (int i = 0; i < colouring->nconflicts; i++) {
    struct op2i_conflict *conflict = &colouring->conflicts[i];
    struct op2i_marks *marks = &conflict->modified;
    for (int c = 0; c < conflict->ncolumns; c++) {
      uint64_t *stamp =
          &marks->stamp[op2i_column_target(&conflict->columns[c], colouring->subset, position)];
      *stamp = op2i_mark(marks, op2i_mark_value(marks, *stamp) | colour);
    }
  }
}

static void forget_marks(struct op2i_colouring *colouring) {
  for (int i = 0; i < colouring->nconflicts; i++) {
    op2i_marks_forget(&colouring->conflicts[i].modified);
    op2i_marks_forget(&colouring->conflicts[i].read);
  }
}

/* Colour elements that have no colour yet with the 32 colours from *ncolors on, as far as these
 * suffice. Returns the number of elements left. */
static int64_t first_fit(struct op2i_colouring *colouring, int64_t lo, int64_t hi, int32_t *color,
                         int32_t *ncolors) {
  uint32_t all = 0;
  int64_t left = 0;
  forget_marks(colouring);
  for (int64_t p = lo; p < hi; p++) {
    if (color[p - lo] != OP2I_UNCOLOURED) continue;
    uint32_t used = used_colours(colouring, p);
    if (used == UINT32_MAX) {
      left++;
      continue;
    }
    int free_colour = __builtin_ctz(~used);
    color[p - lo] = *ncolors + free_colour;
    use_colour(colouring, p, UINT32_C(1) << free_colour);
    all |= UINT32_C(1) << free_colour;
  }
  *ncolors += __builtin_popcount(all);
  return left;
}

/* ---- colours above those of all earlier conflicting spans ---- */

static uint64_t column_top(const struct op2i_column *column, const int64_t *subset,
                           const struct op2i_marks *marks, int64_t lo, int64_t hi) {
  uint64_t top = 0;
  for (int64_t p = lo; p < hi; p++) {
    uint64_t stamp = marks->stamp[op2i_column_target(column, subset, p)];
    if (stamp > top) top = stamp;
  }
  return top;
}

static void column_raise(const struct op2i_column *column, const int64_t *subset,
                         struct op2i_marks *marks, int64_t lo, int64_t hi, uint32_t value) {
  uint64_t raised = op2i_mark(marks, value);
  for (int64_t p = lo; p < hi; p++) {
    uint64_t *stamp = &marks->stamp[op2i_column_target(column, subset, p)];
    if (*stamp < raised) *stamp = raised;
  }
}

/* One more than the highest colour of an earlier span that conflicts with these positions; 0: there
 * is none. */
static uint32_t colours_below(const struct op2i_colouring *colouring, int64_t lo, int64_t hi) {
  uint32_t below = 0;
  for (int i = 0; i < colouring->nconflicts; i++) {
    const struct op2i_conflict *conflict = &colouring->conflicts[i];
    for (int c = 0; c < conflict->ncolumns; c++) {
      const struct op2i_column *column = &conflict->columns[c];
      const struct op2i_marks *modified = &conflict->modified, *read = &conflict->read;
      uint32_t top =
          op2i_mark_value(modified, column_top(column, colouring->subset, modified, lo, hi));
      if (top > below) below = top;
      if (!conflict->reads || !column->modifies) continue;
      top = op2i_mark_value(read, column_top(column, colouring->subset, read, lo, hi));
      if (top > below) below = top;
    }
  }
  return below;
}

static void record(struct op2i_colouring *colouring, int64_t lo, int64_t hi, uint32_t value) {
  for (int i = 0; i < colouring->nconflicts; i++) {
    struct op2i_conflict *conflict = &colouring->conflicts[i];
    for (int c = 0; c < conflict->ncolumns; c++) {
      const struct op2i_column *column = &conflict->columns[c];
      column_raise(column, colouring->subset,
                   column->modifies ? &conflict->modified : &conflict->read, lo, hi, value);
    }
  }
}

void op2i_colouring_rest(struct op2i_colouring *colouring, int64_t lo, int64_t hi, int64_t length,
                         int32_t *color, int32_t *ncolors) {
  int32_t base = *ncolors;
  forget_marks(colouring);
  for (int64_t u = 0, from = lo; from < hi; u++, from += length) {
    if (color[u] != OP2I_UNCOLOURED) continue;
    int64_t to = hi - from < length ? hi : from + length;
    uint32_t below = colours_below(colouring, from, to);
    color[u] = base + (int32_t)below;
    record(colouring, from, to, below + 1);
    if (color[u] >= *ncolors) *ncolors = color[u] + 1;
  }
}

void op2i_colour_elements(struct op2i_colouring *colouring, int64_t lo, int64_t hi, int32_t *color,
                          int32_t *ncolors) {
  int64_t left = hi - lo;
  *ncolors = 0;
  for (int64_t i = 0; i < hi - lo; i++) color[i] = OP2I_UNCOLOURED;
  for (int sweep = 0; left > 0 && !colouring->ordered && sweep < OP2I_SWEEPS_MAX; sweep++)
    left = first_fit(colouring, lo, hi, color, ncolors);
  if (left > 0) op2i_colouring_rest(colouring, lo, hi, 1, color, ncolors);
}
