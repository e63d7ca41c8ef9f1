/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DEVICE_OWNER_H
#define OP2I_DEVICE_OWNER_H

/* Blocks of targets, and the elements that reach them. */

#include <stdint.h>

#include "op2/status.h"

struct op2i_owner {
  int64_t n, ntargets; /* number of positions; number of targets that elements reach */
  int ncolumns;
  const int32_t *starts;  /* [ntargets + 1], offset of each target's entries */
  int32_t *entries;       /* position * ncolumns + column */
  int64_t room;           /* capacity: elements of a block */
  int64_t block, nblocks; /* out: targets per block, 0: even one has too many elements */
  int64_t most;           /* out: elements of the largest block */
  int32_t *begin;         /* out: [nblocks + 1], offset of each block's elements */
  int32_t *elements;      /* out: positions, ascending in each block */
};

/* Make the blocks. Entries then hold positions among the elements of their target's block; without
 * blocks they are unchanged. The caller owns the output, also after a failure. */
op2_status op2i_owner_blocks(struct op2i_owner *owner);

#endif
