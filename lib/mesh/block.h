/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_BLOCK_H
#define OP2I_BLOCK_H

/* Rows of a set, addressed by global element numbers whichever rank owns them: each rank requests,
 * or provides, the rows of a range of its own. Owned rows go through a table that is distributed
 * over all ranks, so that no rank has to know which rank owns what. */

#include "mesh.h"

/* Fetch the rows of elements [first, first + n), any range within the set on each rank, also an
 * empty one. rows[owned] are the rows that this rank owns, in the library's order. Collective;
 * fails on all ranks alike. Without ranks they are the set's own rows, [0, total). */
op2_status op2i_block_get(const struct op2_set_s *set, size_t row_bytes, const void *rows,
                          int64_t first, int64_t n, void *out);
/* Store such rows. Rows that no rank provides keep their values; it is an error if two ranks
 * provide the same row. */
op2_status op2i_block_put(const struct op2_set_s *set, size_t row_bytes, int64_t first, int64_t n,
                          const void *in, void *rows);
/* The same for a list of elements, by ascending numbers: in[i] is the row of numbers[i]. */
op2_status op2i_block_put_list(const struct op2_set_s *set, size_t row_bytes, int64_t n,
                               const int64_t *numbers, const void *in, void *rows);

#endif
