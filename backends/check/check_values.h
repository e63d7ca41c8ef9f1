/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CHECK_VALUES_H
#define OP2I_CHECK_VALUES_H

#include "check.h"

/* Values that the checked mode gives to kernels and compares. */

void op2i_check_fill(const struct op2i_check *check, int frame);
/* True if a frame's results are not those of frame 0. Reductions that started from other values
 * must relate as op2i_check_unlike() requires. Overwrites frame 1, unless that is the frame
 * compared. */
bool op2i_check_differs(struct op2i_check *check, int frame, struct op2i_check_change change);
/* Return the first component of a reduction that does not relate so, or -1. */
int64_t op2i_check_first_unlike(const struct op2i_check *check, int row, const unsigned char *frame,
                                int other, bool rounding);
/* Make other start values, from which the kernel's result can be predicted from its result from
 * `start`. */
void op2i_check_alter(op2_type type, op2_access access, int64_t n, const void *start,
                      const void *out, void *altered);
/* The same, with values far from what meshes hold, large or negative. */
void op2i_check_extreme(op2_type type, op2_access access, int64_t n, bool above, void *altered);
/* Return the first component that moved in the wrong direction for the mode (MIN up, MAX down), or
 * -1. */
int64_t op2i_check_wrong_direction(op2_type type, op2_access access, int64_t n, const void *start,
                                   const void *out);
/* Return the first component whose result `again` from `altered` is not the one that `out` from
 * `start` predicts, or -1. */
int64_t op2i_check_unlike(op2_type type, op2_access access, int64_t n,
                          const struct op2i_check_values *values);

#endif
