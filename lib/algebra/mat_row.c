/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of a matrix made zero, but for the diagonal: loops over the places of rows. */
#include <inttypes.h>
#include <stdio.h>

#include "error.h"
#include "mat_zero.h"
#include "op2/loop.h"
#include "sparse.h"

static op2_status need_kernel(op2_mat mat) {
  char source[256];
  const char *type = op2i_type_c(mat->type);
  int n = mat->row_dim;
  if (mat->set_diagonal) return OP2_SUCCESS;
  snprintf(source, sizeof source,
           "void set_diagonal(%s *a, const %s *d) {\n"
           "  for (int i = 0; i < %d; i++) a[i] = i %% %d == 0 ? d[0] : 0;\n}\n",
           type, type, n * n, n + 1);
  const op2_kernel_desc desc = {.name = "set_diagonal", .source = source};
  return op2_kernel_create(mat->obj.ctx, &desc, &mat->set_diagonal);
}

static op2_status check(op2_where where, op2_mat mat, op2_set rows, double diagonal) {
  op2_status status = op2i_object_validate(mat, OP2I_MAT, "op2_mat_zero_rows");
  if (!status) status = op2i_object_validate(rows, OP2I_SET, "op2_mat_zero_rows, rows");
  if (status) return status;
  const struct op2_sparsity_s *sparsity = mat->sparsity;
  if (rows->base != sparsity->rows)
    return op2i_error(
        OP2_ERR_MISMATCH,
        "%s:%d: op2_mat_zero_rows, matrix '%s': '%s' is of set '%s', and the rows are of '%s'",
        where.file, where.line, mat->obj.name, rows->obj.name, rows->base->obj.name,
        sparsity->rows->obj.name);
  if (diagonal == 0) return OP2_SUCCESS;
  if (sparsity->rows != sparsity->columns || mat->row_dim != mat->column_dim)
    return op2i_error(
        OP2_ERR_MISMATCH,
        "%s:%d: op2_mat_zero_rows, matrix '%s' has no diagonal: rows are of set '%s' with "
        "dim %" PRId32 ", columns of '%s' with %" PRId32,
        where.file, where.line, mat->obj.name, sparsity->rows->obj.name, mat->row_dim,
        sparsity->columns->obj.name, mat->column_dim);
  return OP2_SUCCESS;
}

op2_status op2_mat_zero_rows_at(op2_where where, op2_mat mat, op2_set rows, double diagonal) {
  const struct op2i_row_places *places;
  if (!where.file) where.file = "?";
  op2_status status = check(where, mat, rows, diagonal);
  if (!status) status = op2i_mat_need_zero(mat);
  if (!status && diagonal != 0) status = need_kernel(mat);
  if (!status) status = op2i_sparsity_row_places(mat->sparsity, rows, diagonal != 0, &places);
  if (status) return status;
  const float narrow = (float)diagonal;
  const void *value = mat->type == OP2_F32 ? (const void *)&narrow : &diagonal;
  const op2_arg args[] = {op2_arg_direct(mat->values, OP2_WRITE), op2_arg_val(value, 1, mat->type)};
  status = op2_par_loop_at(where, mat->zero, places->all, 1, args);
  if (status || diagonal == 0) return status;
  return op2_par_loop_at(where, mat->set_diagonal, places->on_diagonal, 2, args);
}
