/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CHECKPOINT_DIGEST_H
#define OP2I_CHECKPOINT_DIGEST_H

/* Checksums of what checkpoints hold. */

#include <stddef.h>
#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The sum of the checksums of rows, each with its number. So it does not matter which rank has which
 * rows, and rows that have changed places are noticed. */
static inline uint64_t op2i_rows_digest(int64_t first, int64_t n, size_t row_bytes,
                                        const void *values) {
  const char *row = values;
  uint64_t sum = 0;
  for (int64_t i = 0; i < n; i++, row += row_bytes)
    sum += XXH3_64bits_withSeed(row, row_bytes, (uint64_t)(first + i));
  return sum;
}

#endif
