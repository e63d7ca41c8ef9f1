/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DROP_H
#define OP2I_DROP_H

#include "sparse.h"

/* Maps from elements to nonzeros that leave out rows or columns of a subset. */

/* Make the map of a pair for a subset and a side, unless there is one. Collective. */
op2_status op2i_sparsity_need_dropped(op2_sparsity sparsity, op2_map rows, op2_map columns,
                                      op2_set subset, int side);
/* Return that map, where `of` is the map of the pair; null if it has not been made. */
op2_map op2i_sparsity_dropped(const struct op2_sparsity_s *sparsity, op2_map of, op2_set subset,
                              int side);
/* Free the maps of a subset that is freed, or all of them if its id is 0. */
void op2i_sparsity_forget_dropped(op2_sparsity sparsity, int64_t subset);

#endif
