/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PLAN_INTERNAL_H
#define OP2I_PLAN_INTERNAL_H

#include <stddef.h>

#include "plan.h"

/* Values kept per element of a target set that all vanish at once: a stamp counts only while its
 * upper half is the current epoch. Its lower half is the value, so stamps of one epoch compare
 * like their values and newer ones are greater than older ones. */
struct op2i_marks {
  uint64_t *stamp;
  int64_t size;
  uint32_t epoch;
};
op2_status op2i_marks_open(struct op2i_marks *marks, int64_t size);
void op2i_marks_close(struct op2i_marks *marks);
/* Forget every value. Sweeps once in 2^32 - 1 calls, when the epochs are used up. */
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

/* Columns through which conflicts over one dat arise, those that modify and, in ordered plans,
 * those that read. */
struct op2i_conflict {
  int32_t dat;
  int64_t target_size;
  int ncolumns;
  struct op2i_column *columns; /* part of the colouring's */
  bool reads;
  /* By target: the mask of colours, or the highest colour + 1, of the spans that modify it. */
  struct op2i_marks modified;
  /* By target: the highest colour + 1 of the spans that read it. Open only if a column reads. */
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
  /* First fit looks again at whatever a sweep left over, so its time grows with the number of
   * sweeps. Where that many colours are not enough nearly everything conflicts with everything, and
   * the rest is coloured in one go. */
  OP2I_SWEEPS_MAX = 64,
  OP2I_UNCOLOURED = -1
};

/* Unwinds itself on failure. */
op2_status op2i_colouring_open(const struct op2i_plan_desc *desc, struct op2i_colouring *colouring);
void op2i_colouring_close(struct op2i_colouring *colouring);
/* Room for marks on the targets, unless it is there. */
op2_status op2i_colouring_marks(struct op2i_colouring *colouring);
/* Colour the spans of `length` successive positions that make up [lo, hi), or each position by
 * itself: first fit, or in ordered colourings one more than the highest colour of an earlier one in
 * conflict. color has an entry per span. */
op2_status op2i_colour_blocks(struct op2i_colouring *colouring, int64_t lo, int64_t hi,
                              int64_t length, int32_t *color, int32_t *ncolors);
void op2i_colour_elements(struct op2i_colouring *colouring, int64_t lo, int64_t hi, int32_t *color,
                          int32_t *ncolors); /* wants marks */
/* Give spans that have none one more than the highest of an earlier one in conflict, from *ncolors
 * on. Wants marks. */
void op2i_colouring_rest(struct op2i_colouring *colouring, int64_t lo, int64_t hi, int64_t length,
                         int32_t *color, int32_t *ncolors);

/* Make the parts of a plan; what they allocate hangs off the plan, also on failure. */
op2_status op2i_plan_make_stages(const struct op2i_plan_desc *desc, struct op2i_plan *plan);
op2_status op2i_plan_verify_stages(const struct op2i_plan *plan, const struct op2i_plan_desc *desc);

/* The slots of an argument: [first, first + count). */
static inline int32_t op2i_plan_first_slot(const struct op2i_plan_arg *arg) {
  return arg->slot < 0 ? 0 : arg->slot;
}
static inline int32_t op2i_plan_slot_count(const struct op2i_plan_arg *arg) {
  return arg->slot < 0 ? arg->arity : 1;
}

/* Room for count things of these bytes each; never null for count 0. */
void *op2i_plan_array(int64_t count, size_t bytes);

#endif
