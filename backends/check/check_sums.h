/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CHECK_SUMS_H
#define OP2I_CHECK_SUMS_H

#include "check.h"

/* Rounding errors of sums that kernels compute. */

/* Fill in check->rounding for the sums that a change alters; `frame` holds their results.
 * Overwrites frame 1, unless that is the same frame. */
void op2i_check_measure_rounding(struct op2i_check *check, int frame,
                                 struct op2i_check_change change);
/* check_sums.c: the steps of this measurement for one row of a real type; rows of integers are
 * ignored. */
void op2i_check_far(op2_type type, int64_t n, void *start);
/* Set rounding[].additions from the results from that start, rounded up and down, and loss to 0. */
void op2i_check_count(op2_type type, int64_t n, const void *up, const void *down,
                      struct op2i_check_rounding *rounding);
/* Make starts slightly above `start` for samples >= 0, and slightly below it for -1 - sample. */
void op2i_check_move(op2_type type, int64_t n, int sample, const void *start, void *moved);
struct op2i_check_moved {
  const void *start, *again;          /* a start and its result */
  const void *starts[2], *results[2]; /* starts above and below it, and their results */
};
/* Raise rounding[].loss to the loss that these results show. */
void op2i_check_loss(op2_type type, int64_t n, const struct op2i_check_moved *moved,
                     struct op2i_check_rounding *rounding);
/* True if the sum that began at `altered` is not the one that the sum from `start` predicts. */
bool op2i_check_sum_unlike(op2_type type, int64_t i, const struct op2i_check_values *values);

#endif
