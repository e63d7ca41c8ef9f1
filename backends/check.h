/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CHECK_H
#define OP2I_CHECK_H

#include "backend.h"
#include "loop.h"

/* The checked mode. A kernel is applied to one element at a time, on private copies of what its
 * arguments name. The copies stand in a frame: each is a row with guard zones on both sides.
 * There are three frames, which differ in what fills the guards and the data of OP2_WRITE
 * arguments, and the kernel is applied once in each. Whatever then differs between frames
 * depends on something the kernel may not read. */
enum {
  OP2I_CHECK_FRAMES = 3,
  OP2I_CHECK_GUARD = 4096, /* bytes before and after each row */
  OP2I_CHECK_SPARE = 16    /* pointers before and after those of an argument over all slots */
};

/* What a row holds for the present element. */
enum op2i_check_role {
  OP2I_ROW_FOLLOWS, /* nothing: an earlier row is the same data and stands for this one */
  OP2I_ROW_READ,    /* values that must stay */
  OP2I_ROW_WRITE,   /* filler, to be overwritten */
  OP2I_ROW_UPDATE,  /* values that may change */
  OP2I_ROW_SUM,     /* zeros, to be added to */
  OP2I_ROW_REDUCE,  /* values that are combined over elements: globals, and dats with MIN or MAX */
  OP2I_ROW_TRAP     /* filler that nobody may touch: where slots outside the map point */
};

struct op2i_check_row {
  int arg;
  int slot; /* of an argument over all slots: -1 and arity are its traps; else 0 */
  enum op2i_check_role role, own_role; /* for the present element; when nothing is shared */
  int lead;                            /* the row whose data this one stands for; usually itself */
  bool may_share;                      /* another row of the same dat can be the same data */
  size_t at, bytes, unit;              /* in the frame; of the data; of one component */
  int64_t target;        /* element of the dat's set; -1 for what is not one row of a dat */
  unsigned char *memory; /* where the values come from; null for buffers and traps */
};

struct op2i_check {
  struct op2i_step *step;
  const struct op2i_loop *loop;
  int nrows;
  struct op2i_check_row *rows;
  int *first_row;     /* [nargs + 1] */
  int *first_pointer; /* [nargs + 1] into pointers, for arguments over all slots */
  void **args;        /* what the generated code is called with */
  void **pointers;
  size_t frame_bytes;
  unsigned char *frame[OP2I_CHECK_FRAMES];
  unsigned char *filler[OP2I_CHECK_FRAMES]; /* untouched frames: guards and OP2_WRITE data */
  unsigned char *start;                     /* rows before the kernel is applied */
  unsigned char *altered;                   /* other values for reductions to start from */
  int64_t **writers;      /* [ndats], 1 + the element that last wrote a row; null: not watched */
  int64_t element;        /* of the set */
  int64_t element_number; /* the user's number of it, as the kernel gets it */
};

/* ---- check_layout.c: frames ------------------------------------------------------------------ */

op2_status op2i_check_open(struct op2i_check *check, struct op2i_step *step);
void op2i_check_close(struct op2i_check *check);
/* Find the rows of the element at a position and their values. */
void op2i_check_gather(struct op2i_check *check, int64_t position);
/* Fill the rows of a frame with start values, and filler where nothing may be read. */
void op2i_check_load(struct op2i_check *check, unsigned char *frame, const unsigned char *filler);
void op2i_check_apply(struct op2i_check *check, unsigned char *frame);
/* Length of the guard zone after a row: OP2I_CHECK_GUARD and what alignment adds. */
size_t op2i_check_guard_after(const struct op2i_check_row *row);
/* The element in a slot of an argument through a map. */
int64_t op2i_check_target(const struct op2i_check *check, const struct op2i_loop_arg *arg,
                          int slot);

/* ---- check_judge.c: apply the kernel to the present element in all frames, and find what is wrong
 */

op2_status op2i_check_judge(struct op2i_check *check);

/* ---- check_values.c: what a reduction may do ------------------------------------------------- */

/* Other start values, from which the kernel's result is predictable by those it had from
 * `start`. */
void op2i_check_alter(op2_type type, op2_access access, int64_t n, const void *start,
                      const void *out, void *altered);
/* The first component that moved against the mode (MIN up, MAX down), or -1. */
int64_t op2i_check_wrong_way(op2_type type, op2_access access, int64_t n, const void *start,
                             const void *out);
/* The first component where the result `again` from `altered` is not what `out` from `start`
 * lets expect, or -1. */
int64_t op2i_check_unlike(op2_type type, op2_access access, int64_t n, const void *start,
                          const void *out, const void *altered, const void *again);

/* ---- check_blame.c: which argument a result depends on that it may not depend on ------------- */

/* Frame 0 and another one have different results; says why. Overwrites frame 1. */
op2_status op2i_check_blame(struct op2i_check *check, int other);
/* Whether results in a frame differ from those in frame 0. Reductions that started from altered
 * values must relate as op2i_check_unlike() says: the one of row `altered`, all with
 * OP2I_ALL_ROWS, none with OP2I_NO_ROW. */
enum { OP2I_NO_ROW = -1, OP2I_ALL_ROWS = -2 };
bool op2i_check_differs(const struct op2i_check *check, const unsigned char *frame, int altered);

/* ---- check_report.c: messages ---------------------------------------------------------------- */

/* OP2_ERR_KERNEL, with element and, when row is not null, argument before the text. */
op2_status op2i_check_error(const struct op2i_check *check, const struct op2i_check_row *row,
                            const char *format, ...) __attribute__((format(printf, 3, 4)));
struct op2i_component {
  char text[64];
};
/* "component 2", "component 1 of slot 3"; outside the row, how far. */
struct op2i_component op2i_check_component(const struct op2i_check *check,
                                           const struct op2i_check_row *row, int64_t component);

#endif
