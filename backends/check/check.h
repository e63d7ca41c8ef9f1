/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CHECK_H
#define OP2I_CHECK_H

#include "backend.h"
#include "check_fence.h"
#include "loop.h"
#include "step.h"

/* The checked mode. A kernel is applied to one element at a time, on private copies of what its
 * arguments and constants name. The copies stand in a frame: each is a row with guard zones on both
 * sides and, where the system allows it, memory beyond them that nobody may touch. There are
 * several frames, which differ in what fills the guards and the data of OP2_WRITE arguments, and
 * the kernel is applied in each, to reductions that start from other values, too. Whatever then
 * differs depends on something the kernel may not read. */
enum {
  OP2I_CHECK_FRAMES = 4,
  OP2I_CHECK_OTHERS = 3,   /* other values that reductions start from and OP2_WRITE data hold */
  OP2I_CHECK_SCRATCH = 3,  /* the first of two more, for trials */
  OP2I_CHECK_IMAGES = 5,   /* of other values, these two included */
  OP2I_CHECK_TRIALS = 2,   /* results of trials */
  OP2I_CHECK_NEAR = 512,   /* bytes before and after each row at least, where a fence follows */
  OP2I_CHECK_GUARD = 4096, /* the same where none does */
  OP2I_CHECK_SPARE = 512   /* pointers before and after those of an argument over all slots */
};

/* What a row holds for the present element. */
enum op2i_check_role {
  OP2I_ROW_FOLLOWS, /* nothing: an earlier row is the same data and stands for this one */
  OP2I_ROW_READ,    /* values that must stay */
  OP2I_ROW_WRITE,   /* filler, to be overwritten */
  OP2I_ROW_UPDATE,  /* values that may change */
  OP2I_ROW_SUM,     /* zeros, to be added to */
  OP2I_ROW_REDUCE,  /* values that are combined over elements: globals, and dats with MIN or MAX */
  OP2I_ROW_INFO,    /* zeros; values that count where another row's value does */
  OP2I_ROW_TRAP     /* filler that nobody may touch: where slots outside the map point */
};

struct op2i_check_row {
  int arg;  /* in `every` */
  int slot; /* of an argument over all slots: -1 and arity are its traps; else 0 */
  enum op2i_check_role role, own_role; /* for the present element; when nothing is shared */
  int order;                           /* among sums and reductions */
  int lead;                            /* the row whose data this one stands for; usually itself */
  bool may_share;                      /* another row of the same dat can be the same data */
  size_t at, bytes, value_bytes;       /* in the frame; of the data; of one component */
  size_t before, after;                /* bytes of the guard zones */
  int64_t first_value;                 /* index of its first component among those of all rows */
  size_t seen;                         /* where the kernel sees the row, in the frame's view */
  int64_t target;        /* element of the dat's set; -1 for what is not one row of a dat */
  unsigned char *memory; /* where the values come from; null for buffers, numbers and traps
                          */
};

struct op2i_check {
  struct op2i_step *step;
  const struct op2i_loop *loop;
  struct op2i_loop_arg *every; /* the loop's arguments, then its constants as captured values */
  int nevery;
  int nrows;
  struct op2i_check_row *rows;
  int *first_row;     /* [nevery + 1] */
  int *first_pointer; /* [nevery + 1] into pointers, for arguments over all slots */
  void **args;        /* what the generated code is called with */
  void **pointers[OP2I_CHECK_FRAMES];
  size_t frame_bytes;
  unsigned char *frame[OP2I_CHECK_FRAMES];
  unsigned char *view[OP2I_CHECK_FRAMES];   /* the same memory, as kernels see it */
  unsigned char *filler[OP2I_CHECK_FRAMES]; /* untouched frames: guards and OP2_WRITE data */
  unsigned char *start;                     /* rows before the kernel is applied */
  unsigned char *other[OP2I_CHECK_IMAGES];  /* near the values of the element; large; negative */
  unsigned char *trial[OP2I_CHECK_TRIALS];
  unsigned char *kept;                  /* a frame, while trials are made in its place */
  int64_t nvalues;                      /* components of all rows */
  struct op2i_check_rounding *rounding; /* [nvalues] as last measured; of sums only */
  bool alters;                          /* some row is one that `other` has values for */
  int nsums;                            /* rows that are sums or reductions */
  int bit; /* of their order, by which they are in one half or the other */
  struct op2i_fence fence;
  struct op2i_fault fault; /* what ended the last application, if it did not end by itself */
  int64_t position;        /* in the step */
  int64_t **writers;       /* [ndats], 1 + the element that last wrote a row; null: not watched */
  int64_t element;         /* of the set */
};

/* Which rows take their values from `other`: all that have some, all but half of the sums, one, or
 * none. */
enum { OP2I_NO_OTHER = -1, OP2I_ALL_ROWS = -1, OP2I_HALF_OF_SUMS = -2, OP2I_OTHER_HALF = -3 };
struct op2i_check_change {
  int other; /* which, or OP2I_NO_OTHER */
  int row;   /* the only one, or one of these names */
};

/* ---- check_layout.c: frames, and what an element puts into them ------------------------------ */

op2_status op2i_check_open(struct op2i_check *check, struct op2i_step *step);
void op2i_check_close(struct op2i_check *check);
const struct op2i_loop_arg *op2i_check_arg(const struct op2i_check *check,
                                           const struct op2i_check_row *row);
/* Find the rows of the element at a position and their values. */
void op2i_check_gather(struct op2i_check *check, int64_t position);
/* Fill the rows of a frame with start values, and filler where nothing may be read. */
void op2i_check_load(struct op2i_check *check, int frame, const unsigned char *filler,
                     struct op2i_check_change change);
/* Whether a change gives the row other values than it starts from by itself. */
bool op2i_check_altered(const struct op2i_check *check, int row, struct op2i_check_change change);
/* Whether the kernel came to its end; else check->fault says why not. */
bool op2i_check_apply(struct op2i_check *check, int frame);
/* The element in a slot of an argument through a map. */
int64_t op2i_check_target(const struct op2i_check *check, const struct op2i_loop_arg *arg,
                          int slot);

/* ---- check_fill.c: what stands in frames that nobody may read -------------------------------- */

void op2i_check_fill(const struct op2i_check *check, int frame);

/* ---- check_judge.c: apply the kernel to the present element in all frames, and find what is wrong
 */

op2_status op2i_check_judge(struct op2i_check *check);
/* The kernel wrote a component that is not the row's own. */
op2_status op2i_check_stray(const struct op2i_check *check, const struct op2i_check_row *row,
                            int64_t component);

/* ---- check_compare.c: whether results are those of frame 0 ----------------------------------- */

/* Reductions that started from other values must relate as op2i_check_unlike() says. Overwrites
 * frame 1, unless it is the one that is compared. */
bool op2i_check_differs(struct op2i_check *check, int frame, struct op2i_check_change change);
/* The first component of a reduction that does not relate so, or -1. */
int64_t op2i_check_first_unlike(const struct op2i_check *check, int row, const unsigned char *frame,
                                int other, bool rounding);

/* ---- check_values.c: what a reduction may do ------------------------------------------------- */

/* Starts that are far from what meshes hold: powers of two, so that small additions leave them as
 * they are, and products of two of them are finite. */
#define OP2I_CHECK_FAR_F64 0x1p500
#define OP2I_CHECK_FAR_F32 0x1p60f

/* The measured rounding of one sum. It bounds how far a right kernel may be off. */
struct op2i_check_rounding {
  double additions; /* how many results of additions are not exact, at least 1 */
  double loss;      /* about one unit in the last place of the largest value on the way */
};

/* Results of one row. */
struct op2i_check_values {
  const void *start, *out;                    /* of frame 0 */
  const void *altered, *again;                /* another start, and what came of it */
  const struct op2i_check_rounding *rounding; /* of each component; null: not measured */
  bool may_set; /* what is set, not added to, is right: all starts but zero are made up */
};
/* Other start values, from which the kernel's result is predictable by those it had from
 * `start`. */
void op2i_check_alter(op2_type type, op2_access access, int64_t n, const void *start,
                      const void *out, void *altered);
/* The same, far from what meshes hold, above or below. */
void op2i_check_extreme(op2_type type, op2_access access, int64_t n, bool above, void *altered);
/* The first component that moved against the mode (MIN up, MAX down), or -1. */
int64_t op2i_check_wrong_way(op2_type type, op2_access access, int64_t n, const void *start,
                             const void *out);
/* The first component where the result `again` from `altered` is not what `out` from `start`
 * lets expect, or -1. */
int64_t op2i_check_unlike(op2_type type, op2_access access, int64_t n,
                          const struct op2i_check_values *values);

/* ---- check_rounding.c: what rounding can explain --------------------------------------------- */

/* Fill in check->rounding for the sums that a change alters; `frame` holds what came of it.
 * Overwrites frame 1, unless it is that one. */
void op2i_check_measure_rounding(struct op2i_check *check, int frame,
                                 struct op2i_check_change change);

/* check_sums.c: its steps for one row of a real type; rows of integers are left alone. */
void op2i_check_far(op2_type type, int64_t n, void *start);
/* The results from that start, rounded up and down, give rounding[].additions; loss becomes 0. */
void op2i_check_count(op2_type type, int64_t n, const void *up, const void *down,
                      struct op2i_check_rounding *rounding);
/* Starts a little above `start` for samples from 0 on, below it for -1 - sample. */
void op2i_check_move(op2_type type, int64_t n, int sample, const void *start, void *moved);
struct op2i_check_moved {
  const void *start, *again;          /* and what came of it */
  const void *starts[2], *results[2]; /* the same of the starts above and below */
};
/* Raise rounding[].loss to what these results show. */
void op2i_check_loss(op2_type type, int64_t n, const struct op2i_check_moved *moved,
                     struct op2i_check_rounding *rounding);
/* The rule itself: whether a sum from `other` is not what one from `start` lets expect. */
bool op2i_check_sum_unlike(op2_type type, int64_t i, const struct op2i_check_values *values);

/* ---- check_blame.c: which argument a result depends on that it may not depend on ------------- */

/* The frame's results are not those of frame 0; says why. Overwrites frame 1. */
op2_status op2i_check_blame(struct op2i_check *check, int frame, int other);
/* The kernel did not come to its end in a frame. */
op2_status op2i_check_blame_fault(struct op2i_check *check, int frame,
                                  struct op2i_check_change change);

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

/* check_call.c: call a user's function and look at what it does to its arguments and to other dats. */
op2_status op2i_check_call(struct op2i_user_call *call, void *data, void *const *values,
                           int *answer);

#endif
