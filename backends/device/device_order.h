/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DEVICE_ORDER_H
#define OP2I_DEVICE_ORDER_H

/* The order in which the work items of a launch take targets. */

#include <stdbool.h>
#include <stdint.h>

#include "op2/status.h"

struct op2i_device_links {
  int64_t nrows;          /* rows of the target set */
  int64_t nreached;       /* number of those that elements reach */
  const int32_t *begin;   /* [nrows + 1], offset of each row's entries */
  const int32_t *entries; /* element * ncolumns + column */
  int ncolumns;
  int run; /* number of targets that work items load together, those of a wave */
  int32_t (*target)(const void *data, int64_t element, int column);
  const void *data;
};

/* Reorder `reached`, the rows that elements reach, ascending, so that groups of them share many
 * elements; within a group they ascend. If that would save little they keep their order, and `moved` is
 * false. */
op2_status op2i_device_order(const struct op2i_device_links *links, int32_t *reached, bool *moved);
/* Put entries in the order of their rows; starts: [nreached + 1], offset of each row's. */
void op2i_device_follow(const struct op2i_device_links *links, const int32_t *reached,
                        int32_t *starts, int32_t *entries);

#endif
