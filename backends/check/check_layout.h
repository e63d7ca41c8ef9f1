/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CHECK_LAYOUT_H
#define OP2I_CHECK_LAYOUT_H

#include "check.h"

/* The memory of checked calls. */

op2_status op2i_check_open(struct op2i_check *check, struct op2i_step *step);
void op2i_check_close(struct op2i_check *check);
const struct op2i_loop_arg *op2i_check_arg(const struct op2i_check *check,
                                           const struct op2i_check_row *row);
/* Find the rows of the element at a position, and their values. */
void op2i_check_gather(struct op2i_check *check, int64_t position);
/* Fill the rows of a frame with start values, and with filler where the kernel may not read. */
void op2i_check_load(struct op2i_check *check, int frame, const unsigned char *filler,
                     struct op2i_check_change change);
/* True if a change gives the row other start values than its own. */
bool op2i_check_altered(const struct op2i_check *check, int row, struct op2i_check_change change);
/* True if the kernel ran to its end; else check->fault holds the reason. */
bool op2i_check_apply(struct op2i_check *check, int frame);
/* The address of a row in a frame that the kernel gets: where the row begins, or its component. */
unsigned char *op2i_check_address(const struct op2i_check *check, int frame,
                                  const struct op2i_check_row *row);
/* Return the element in a slot of an argument through a map. */
int64_t op2i_check_target(const struct op2i_check *check, const struct op2i_loop_arg *arg,
                          int slot);
/* check_call.c: call a user's function and check what it does to its arguments and to other
 * dats. */
op2_status op2i_check_call(struct op2i_user_call *call, void *data, void *const *values,
                           int *answer);

#endif
