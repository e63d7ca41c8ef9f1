/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_BLOCK_H
#define OP2I_BLOCK_H

/* Rows of a set by the numbers that users know elements by, whoever owns them: each rank asks for, or
 * gives, those of a range of its own. Owned rows go through a table that all ranks hold a share of,
 * so that no rank has to know who owns what. */

#include "mesh.h"

/* Rows of the elements [first, first + n), any range within the set on each rank, empty ones too, from
 * those that ranks own: rows[owned], in the library's order. Collective; fails on all ranks alike.
 * Without ranks the set's own rows, of [0, total). */
op2_status op2i_block_get(const struct op2_set_s *set, size_t row_bytes, const void *rows,
                          int64_t first, int64_t n, void *out);
/* The other way: rows that no rank gives stay as they are, and what two ranks give is an error. */
op2_status op2i_block_put(const struct op2_set_s *set, size_t row_bytes, int64_t first, int64_t n,
                          const void *in, void *rows);

#endif
