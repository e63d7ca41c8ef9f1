/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CHECK_H
#define OP2I_CHECK_H

#include "backend.h"
#include "check_fence.h"
#include "loop.h"
#include "step.h"

/* The checked mode. A kernel is applied to one element at a time, on private copies of its
 * arguments and constants. The copies are rows of a frame: each row has a guard zone on both sides
 * and, where the system allows it, inaccessible memory beyond the guard zones. There are several
 * frames, which differ in the filler of the guard zones and of OP2_WRITE data. The kernel is
 * applied in each frame, and also to reductions that start from other values. A result that differs
 * between these applications depends on something that the kernel may not read. */
enum {
  OP2I_CHECK_FRAMES = 4,
  OP2I_CHECK_OTHERS = 3,   /* other start values of reductions and contents of OP2_WRITE data */
  OP2I_CHECK_SCRATCH = 3,  /* index of the first of two more images, for trials */
  OP2I_CHECK_IMAGES = 5,   /* images of other values, including the two for trials */
  OP2I_CHECK_TRIALS = 2,   /* results of trials */
  OP2I_CHECK_NEAR = 512,   /* minimum bytes before and after each row where a fence follows */
  OP2I_CHECK_GUARD = 4096, /* the same where no fence follows */
  OP2I_CHECK_SPARE = 512   /* spare pointers before and after those of an argument over all slots */
};

/* Contents of a row for the present element. */
enum op2i_check_role {
  OP2I_ROW_FOLLOWS, /* nothing: an earlier row is the same data and stands for this one */
  OP2I_ROW_READ,    /* values that must not change */
  OP2I_ROW_WRITE,   /* filler, to be overwritten */
  OP2I_ROW_UPDATE,  /* values that may change */
  OP2I_ROW_SUM,     /* zeros, to be added to */
  OP2I_ROW_REDUCE,  /* values that are combined over elements: globals, and dats with MIN or MAX */
  OP2I_ROW_INFO,    /* zeros; a value counts if that of its reduction does */
  OP2I_ROW_WORK,    /* filler that may be overwritten; what is left there is lost */
  OP2I_ROW_TRAP     /* filler that must not be touched: the target of slots outside the map */
};

/* True if the kernel may write before it reads, and not read before it writes. */
static inline bool op2i_check_filled(enum op2i_check_role role) {
  return role == OP2I_ROW_WRITE || role == OP2I_ROW_WORK;
}

struct op2i_check_row {
  int arg;  /* index in `every` */
  int slot; /* for an argument over all slots: the slot; -1 and arity are its traps; else 0 */
  enum op2i_check_role role, own_role; /* for the present element; if no data are shared */
  int order;                           /* number among sums and reductions */
  int lead;                            /* the row that holds the data of this one; usually itself */
  bool may_share;                      /* True if other rows can be the same row of the dat */
  size_t at, bytes, value_bytes;       /* offset in the frame; bytes of the data; of a component */
  size_t before, after;                /* bytes of the guard zones */
  int64_t first_value;                 /* index of its first component among those of all rows */
  size_t seen;                         /* offset of the row in the frame's view, for the kernel */
  int64_t target;        /* element of the dat's set; -1 if the row is not one row of a dat */
  unsigned char *memory; /* source of the values; null for buffers, numbers and traps */
};

struct op2i_check {
  struct op2i_step *step;
  const struct op2i_loop *loop;
  struct op2i_loop_arg *every; /* the loop's arguments, then its constants as captured values */
  int nevery;
  int nrows;
  struct op2i_check_row *rows;
  int *first_row;     /* [nevery + 1] */
  int *first_pointer; /* [nevery + 1], into `pointers`, for arguments over all slots */
  void **args;        /* arguments of the generated code */
  void **pointers[OP2I_CHECK_FRAMES];
  size_t frame_bytes;
  unsigned char *frame[OP2I_CHECK_FRAMES];
  unsigned char *view[OP2I_CHECK_FRAMES];   /* the same memory at the addresses that kernels get */
  unsigned char *filler[OP2I_CHECK_FRAMES]; /* untouched frames: guard zones and OP2_WRITE data */
  unsigned char *start;                     /* rows before the kernel is applied */
  unsigned char *other[OP2I_CHECK_IMAGES];  /* near the values of the element; large; negative */
  unsigned char *trial[OP2I_CHECK_TRIALS];
  unsigned char *kept;                  /* a copy of the judged frame during trials */
  int64_t nvalues;                      /* components of all rows */
  struct op2i_check_rounding *rounding; /* [nvalues], as last measured; only for sums */
  bool alters;                          /* True if `other` has values for some row */
  int nsums;                            /* number of rows that are sums or reductions */
  int bit;                              /* bit of `order` that divides them into two halves */
  struct op2i_fence fence;
  struct op2i_fault fault; /* why the last application was stopped, if it was */
  int64_t position;        /* position of the element in the step */
  int64_t **writers;       /* [ndats], 1 + the element that last wrote a row; null: not watched */
  /* [ndats], for a watched dat of a sampled loop: the values that elements of the sample gave its
   * rows; null: these are in the dat itself */
  unsigned char **written;
  bool only_compares; /* True if the element is compared with earlier ones and not noted itself */
  int64_t element;    /* index of the element in the set */
};

/* Selects the rows that take their values from `other`: all that have such values, all but half of
 * the sums, one, or none. */
enum { OP2I_NO_OTHER = -1, OP2I_ALL_ROWS = -1, OP2I_HALF_OF_SUMS = -2, OP2I_OTHER_HALF = -3 };
struct op2i_check_change {
  int other; /* index into check->other, or OP2I_NO_OTHER */
  int row;   /* the only row, or one of these names */
};

/* ---- check_judge.c: apply the kernel to the present element in all frames and judge results -- */

op2_status op2i_check_judge(struct op2i_check *check);
/* Apply the kernel to the present element in frame 0 alone, whose results are then there. */
op2_status op2i_check_apply_once(struct op2i_check *check);
/* Report that the kernel wrote a component outside the row. */
op2_status op2i_check_stray(const struct op2i_check *check, const struct op2i_check_row *row,
                            int64_t component);

/* ---- check_values.c: changes that a reduction permits ---------------------------------------- */

/* Start values far from what meshes hold. They are powers of two, so that small additions leave
 * them unchanged, and so small that products of two of them are finite. */
#define OP2I_CHECK_FAR_f64 0x1p500
#define OP2I_CHECK_FAR_f32 0x1p60f

/* The measured rounding of one sum. It bounds how far a correct kernel may be off. */
struct op2i_check_rounding {
  double additions; /* number of additions with an inexact result, at least 1 */
  double loss;      /* about one unit in the last place of the largest intermediate value */
};

/* Results of one row. */
struct op2i_check_values {
  const void *start, *out;                    /* start values and results of frame 0 */
  const void *altered, *again;                /* other start values, and the results from these */
  const struct op2i_check_rounding *rounding; /* [components]; null: not measured */
  bool may_set; /* A kernel that sets the value is correct: all starts but zero are artificial. */
};

/* ---- check_blame.c: find the argument that a result depends on and may not depend on --------- */

/* Report why the frame's results are not those of frame 0. Overwrites frame 1. */
op2_status op2i_check_blame(struct op2i_check *check, int frame, int other);
/* Report why the kernel did not run to its end in a frame. */
op2_status op2i_check_blame_fault(struct op2i_check *check, int frame,
                                  struct op2i_check_change change);

/* ---- check_report.c: messages ---------------------------------------------------------------- */

/* Return OP2_ERR_KERNEL; the message begins with the element and, unless row is null, the
 * argument. */
op2_status op2i_check_error(const struct op2i_check *check, const struct op2i_check_row *row,
                            const char *format, ...) __attribute__((format(printf, 3, 4)));
struct op2i_component {
  char text[64];
};
/* Describe a component: "component 2", "component 1 of slot 3"; outside the row, also how far. */
struct op2i_component op2i_check_component(const struct op2i_check *check,
                                           const struct op2i_check_row *row, int64_t component);

#endif
