/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MAT_SINGLE_H
#define OP2I_MAT_SINGLE_H

#include "op2/matrix.h"

/* Sums over all nonzeros of a matrix whose sparsity has one column, by the rows of the sparsity; the
 * results go to a dat on the set of that column, which ranks share. */

/* y = the sum of the products of all nonzeros with x. The dats are checked. */
op2_status op2i_single_product(op2_where where, op2_mat mat, op2_dat x, op2_dat y);
/* y = the sum of the absolute values, in double precision, for each of the row_dim rows of a block.
 * The sparsity is flipped. */
op2_status op2i_single_amounts(op2_where where, op2_mat mat, op2_dat y);

#endif
