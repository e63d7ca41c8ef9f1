/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SORT_H
#define OP2I_SORT_H

/* Sorting by integer keys, digit by digit. */

#include <stdint.h>

#include "op2/status.h"

/* Sort keys into ascending order, with the value `with` of each, which may be null; equal keys keep
 * their order. Time and memory are in proportion to n, and to the number of digits in which keys
 * differ; keys that ascend already cost one pass. OP2_ERR_NOMEM leaves everything unchanged. */
op2_status op2i_sort(int64_t n, int64_t *key, int64_t *with);

#endif
