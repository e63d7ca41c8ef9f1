/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PLAN_INTERNAL_H
#define OP2I_PLAN_INTERNAL_H

#include <stddef.h>

#include "plan.h"

/* Values per element of a target set that can all be reset at once: a stamp is valid only while its
 * upper half is the current epoch. Its lower half is the value, so stamps of one epoch compare like
 * their values, and newer stamps are greater than older ones. */
struct op2i_marks {
  uint64_t *stamp;
  int64_t size;
  uint32_t epoch;
};
op2_status op2i_marks_open(struct op2i_marks *marks, int64_t size);
void op2i_marks_close(struct op2i_marks *marks);
/* Reset every value. Clears the array only once in 2^32 - 1 calls, when the epochs are used up. */
void op2i_marks_forget(struct op2i_marks *marks);

static inline uint64_t op2i_mark(const struct op2i_marks *marks, uint32_t value) {
  return (uint64_t)marks->epoch << 32 | value;
}
static inline uint32_t op2i_mark_value(const struct op2i_marks *marks, uint64_t stamp) {
  return stamp >> 32 == marks->epoch ? (uint32_t)stamp : 0;
}

/* One slot of one map. */
struct op2i_column {
  const int32_t *idx; /* the slot's entry of element 0; element e is at e * arity */
  int32_t arity;
  int32_t map, slot;
  bool modifies;
};

static inline int64_t op2i_column_target(const struct op2i_column *column, const int64_t *subset,
                                         int64_t position) {
  int64_t element = subset ? subset[position] : position;
  return column->idx[element * column->arity];
}

/* The columns through which conflicts over one dat arise: those that modify it and, in ordered
 * plans, those that read it. */
struct op2i_conflict {
  int32_t dat;
  int64_t target_size;
  int ncolumns;
  struct op2i_column *columns; /* part of the array of the colouring */
  bool reads;
  /* Per target: the mask of colours, or the highest colour + 1, of the spans that modify it. */
  struct op2i_marks modified;
  /* Per target: the highest colour + 1 of the spans that read it. Allocated only if a column
   * reads. */
  struct op2i_marks read;
};

struct op2i_colouring {
  const int64_t *subset;
  bool ordered;
  int nconflicts;
  struct op2i_conflict *conflicts;
  struct op2i_column *columns;
};

enum {
  /* First fit visits the spans that a sweep left over again, so its time grows with the number of
   * sweeps. If that many colours are not enough, nearly all spans conflict with each other, and the
   * remaining ones are coloured in one pass. */
  OP2I_SWEEPS_MAX = 64,
  OP2I_UNCOLOURED = -1
};

/* Find the conflicts of a plan. Frees everything on failure. */
op2_status op2i_colouring_open(const struct op2i_plan_desc *desc, struct op2i_colouring *colouring);
void op2i_colouring_close(struct op2i_colouring *colouring);
/* Allocate marks on the targets, unless they exist. */
op2_status op2i_colouring_marks(struct op2i_colouring *colouring);
/* Colour the spans of `length` successive positions that make up [lo, hi), or each position by
 * itself. The colours are those of first fit, or in ordered colourings one more than the highest
 * colour of an earlier conflicting span. color has an entry per span. */
op2_status op2i_colour_blocks(struct op2i_colouring *colouring, int64_t lo, int64_t hi,
                              int64_t length, int32_t *color, int32_t *ncolors);
void op2i_colour_elements(struct op2i_colouring *colouring, int64_t lo, int64_t hi, int32_t *color,
                          int32_t *ncolors); /* needs op2i_colouring_marks() */
/* Give each span without a colour one more than the highest colour of an earlier conflicting span,
 * from *ncolors on. Needs op2i_colouring_marks(). */
void op2i_colouring_rest(struct op2i_colouring *colouring, int64_t lo, int64_t hi, int64_t length,
                         int32_t *color, int32_t *ncolors);

/* The slots of an argument: [first, first + count). */
static inline int32_t op2i_plan_first_slot(const struct op2i_plan_arg *arg) {
  return arg->slot < 0 ? 0 : arg->slot;
}
static inline int32_t op2i_plan_slot_count(const struct op2i_plan_arg *arg) {
  return arg->slot < 0 ? arg->arity : 1;
}

/* Allocate `count` items of this size; only a failure returns null, count 0 does not. */
void *op2i_plan_array(int64_t count, size_t bytes);

#endif
