/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DEVICE_OWNER_H
#define OP2I_DEVICE_OWNER_H

/* Blocks of targets, and the elements that reach them. */

#include <stdint.h>

#include "op2/status.h"

struct op2i_owner {
  int64_t n, ntargets; /* positions; targets that are reached */
  int ncolumns;
  const int32_t *starts;  /* [ntargets + 1] where each one's entries begin, */
  int32_t *entries;       /* of a position times columns, plus the column */
  int64_t room;           /* for so many elements of a block */
  int64_t block, nblocks; /* out: targets of a block; 0: not even one of them has so few elements */
  int64_t most;           /* out: elements of a block */
  int32_t *begin;         /* out: [nblocks + 1] where the elements of a block begin, */
  int32_t *elements;      /* positions, ascending in each */
};

/* Entries then count positions among the elements of their target's block; they stay as they are where
 * there are no blocks. What comes out is the caller's, also after a failure. */
op2_status op2i_owner_blocks(struct op2i_owner *owner);

#endif
