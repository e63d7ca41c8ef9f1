/* SPDX-License-Identifier: BSD-3-Clause */
/* The diagonal of a matrix: a loop over the rows, by the map to their nonzeros on the diagonal. */
#include <inttypes.h>
#include <stdio.h>

#include "context.h"
#include "error.h"
#include "kernel.h"
#include "op2/loop.h"
#include "sparse.h"

static op2_status need_kernel(op2_mat mat, bool block, op2_kernel *kernel) {
  char source[256];
  const char *type = op2i_type_c(mat->type), *name = block ? "get_block" : "get_diagonal";
  int n = block ? mat->row_dim * mat->row_dim : mat->row_dim, step = block ? 1 : mat->row_dim + 1;
  if (*kernel) return OP2_SUCCESS;
  snprintf(source, sizeof source,
           "void %s(%s *d, const %s *a) {\n  for (int i = 0; i < %d; i++) d[i] = a[i * %d];\n}\n",
           name, type, type, n, step);
  return op2i_kernel_create_own(mat->obj.ctx, name, source, kernel);
}

static op2_status check_diagonal(op2_where where, op2_mat mat, op2_dat dat) {
  op2_status status = op2i_object_validate(mat, OP2I_MAT, "op2_mat_diagonal");
  if (!status) status = op2i_object_validate(dat, OP2I_DAT, "op2_mat_diagonal");
  if (status) return status;
  const struct op2_sparsity_s *sparsity = mat->sparsity;
  const struct op2_set_s *rows = op2i_sparsity_row_set(sparsity),
                         *columns = op2i_sparsity_column_set(sparsity);
  if (rows != columns || mat->row_dim != mat->column_dim)
    return op2i_error(
        OP2_ERR_MISMATCH,
        "%s:%d: op2_mat_diagonal, matrix '%s' has none: rows are of set '%s' with dim %" PRId32
        ", columns of '%s' with %" PRId32,
        where.file, where.line, mat->obj.name, rows->obj.name, mat->row_dim, columns->obj.name,
        mat->column_dim);
  if (dat->set != sparsity->rows ||
      (dat->dim != mat->row_dim && dat->dim != mat->row_dim * mat->row_dim))
    return op2i_error(
        OP2_ERR_MISMATCH,
        "%s:%d: op2_mat_diagonal, matrix '%s': dat '%s' is on set '%s' with dim %" PRId32
        ", and the rows are of '%s', with blocks of %" PRId32 " by %" PRId32,
        where.file, where.line, mat->obj.name, dat->obj.name, dat->set->obj.name, dat->dim,
        sparsity->rows->obj.name, mat->row_dim, mat->column_dim);
  if (dat->type != mat->type)
    return op2i_error(OP2_ERR_TYPE, "%s:%d: op2_mat_diagonal, matrix '%s' is %s, and dat '%s' %s",
                      where.file, where.line, mat->obj.name, op2i_type_name(mat->type),
                      dat->obj.name, op2i_type_name(dat->type));
  return OP2_SUCCESS;
}

op2_status op2_mat_diagonal_at(op2_where where, op2_mat mat, op2_dat dat) {
  if (!where.file) where.file = "?";
  op2_status status = check_diagonal(where, mat, dat);
  if (status) return status;
  bool block = dat->dim > mat->row_dim;
  op2_kernel *kernel = block ? &mat->get_block : &mat->get_diagonal;
  const struct op2i_behalf before =
      op2i_context_behalf(mat->obj.ctx, "op2_mat_diagonal", mat->obj.name, where);
  status = need_kernel(mat, block, kernel);
  if (!status) status = op2i_sparsity_diagonal(mat->sparsity);
  op2i_context_behalf_end(mat->obj.ctx, before);
  if (status) return status;
  const op2_arg args[] = {op2_arg_direct(dat, OP2_WRITE),
                          op2_arg_dat(mat->values, 0, mat->sparsity->diagonal, OP2_READ)};
  return op2_par_loop_at(where, *kernel, mat->sparsity->rows, 2, args);
}
