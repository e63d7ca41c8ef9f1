/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TRANSPOSE_H
#define OP2I_TRANSPOSE_H

#include "sparse.h"

/* The columns of a matrix with their nonzeros, for products with the transpose. */

/* Make them, unless they exist. Collective. */
op2_status op2i_sparsity_need_transpose(op2_sparsity sparsity);
/* Free what depends on the numbers of rows and columns. */
void op2i_sparsity_forget_columns(op2_sparsity sparsity);
void op2i_sparsity_free_transpose(op2_sparsity sparsity);

#endif
