/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SORT_H
#define OP2I_SORT_H

/* Sorting by numbers, digit by digit. */

#include <stdint.h>

#include "op2/status.h"

/* Keys become ascending, and what goes `with` each, which may be null, goes along; equal keys keep
 * their order. Time and memory are in proportion to n, and to the digits in which keys differ; where
 * they ascend already there is nothing to do. OP2_ERR_NOMEM leaves all as it was. */
op2_status op2i_sort(int64_t n, int64_t *key, int64_t *with);

#endif
