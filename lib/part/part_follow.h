/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PART_FOLLOW_H
#define OP2I_PART_FOLLOW_H

#include "part.h"

/* Sets that follow one that was cut. */

/* part_follow.c: find the owners of all sets that have none yet. */
op2_status op2i_part_follow(struct op2i_parting *p);
/* The rank with the most votes; if several have as many, the element's number decides. Sorts the
 * votes. */
int32_t op2i_part_elect(int64_t number, int64_t n, int32_t *votes);

#endif
