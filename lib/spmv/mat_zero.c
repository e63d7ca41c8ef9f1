/* SPDX-License-Identifier: BSD-3-Clause */
/* Zeroing all values of a matrix: a loop over its nonzeros. */
#include <stdio.h>

#include "context.h"
#include "error.h"
#include "kernel.h"
#include "mat_zero.h"
#include "op2/loop.h"
#include "sparse.h"

/* The kernel is kept with the matrix, because the library finds a known loop by its kernel. */
op2_status op2i_mat_need_zero(op2_mat mat) {
  char source[128];
  if (mat->zero) return OP2_SUCCESS;
  int dim = mat->row_dim * mat->column_dim;
  snprintf(source, sizeof source,
           "void zero(%s *value) { for (int i = 0; i < %d; i++) value[i] = 0; }\n",
           op2i_type_c(mat->type), dim);
  return op2i_kernel_create_own(mat->obj.ctx, "zero", source, &mat->zero);
}

op2_status op2_mat_zero_at(op2_where where, op2_mat mat) {
  op2_status status = op2i_object_validate(mat, OP2I_MAT, "op2_mat_zero");
  if (status) return status;
  const struct op2i_behalf before =
      op2i_context_behalf(mat->obj.ctx, "op2_mat_zero", mat->obj.name, where);
  status = op2i_mat_need_zero(mat);
  op2i_context_behalf_end(mat->obj.ctx, before);
  if (status) return status;
  const op2_arg arg = op2_arg_direct(mat->values, OP2_WRITE);
  status = op2_par_loop_at(where, mat->zero, mat->sparsity->nonzeros, 1, &arg);
  if (!status) mat->rows_zeroed = false;
  return status;
}
