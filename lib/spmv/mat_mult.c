/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of matrices and dats: a loop over the rows, whose kernel is called for each entry. */
#include <inttypes.h>
#include <stdio.h>

#include "context.h"
#include "error.h"
#include "kernel.h"
#include "loop_arg.h"
#include "op2/loop.h"
#include "sparse.h"

/* The kernel is kept with the matrix, because the library finds a known loop by its kernel. */
static op2_status need_kernel(op2_mat mat) {
  char source[256];
  const char *type = op2i_type_c(mat->type);
  if (mat->mult) return OP2_SUCCESS;
  if (mat->row_dim == 1 && mat->column_dim == 1)
    snprintf(source, sizeof source,
             "void mult(%s *y, const %s *a, const %s *x) { y[0] += a[0] * x[0]; }\n", type, type,
             type);
  else
    snprintf(source, sizeof source,
             "void mult(%s *y, const %s *a, const %s *x) {\n"
             "  for (int i = 0; i < %d; i++)\n"
             "    for (int j = 0; j < %d; j++) y[i] += a[i * %d + j] * x[j];\n}\n",
             type, type, type, (int)mat->row_dim, (int)mat->column_dim, (int)mat->column_dim);
  return op2i_kernel_create_own(mat->obj.ctx, "mult", source, &mat->mult);
}

static op2_status check_dat(op2_where where, op2_mat mat, op2_dat dat, op2_set set, int32_t dim,
                            const char *which) {
  op2_status status = op2i_object_validate(dat, OP2I_DAT, "op2_mat_mult");
  if (status) return status;
  if (dat->set != set)
    return op2i_error(
        OP2_ERR_MISMATCH,
        "%s:%d: op2_mat_mult, matrix '%s': dat '%s' is on set '%s', and the %s are of '%s'",
        where.file, where.line, mat->obj.name, dat->obj.name, dat->set->obj.name, which,
        set->obj.name);
  if (dat->dim != dim)
    return op2i_error(OP2_ERR_MISMATCH,
                      "%s:%d: op2_mat_mult, matrix '%s': dat '%s' has dim %" PRId32
                      ", and blocks have %" PRId32 " %s",
                      where.file, where.line, mat->obj.name, dat->obj.name, dat->dim, dim, which);
  if (dat->type != mat->type)
    return op2i_error(OP2_ERR_TYPE, "%s:%d: op2_mat_mult, matrix '%s' is %s, and dat '%s' %s",
                      where.file, where.line, mat->obj.name, op2i_type_name(mat->type),
                      dat->obj.name, op2i_type_name(dat->type));
  return OP2_SUCCESS;
}

op2_status op2_mat_mult_at(op2_where where, op2_mat mat, op2_dat x, op2_dat y) {
  op2_status status = op2i_object_validate(mat, OP2I_MAT, "op2_mat_mult");
  if (status) return status;
  if (!where.file) where.file = "?";
  const struct op2_sparsity_s *sparsity = mat->sparsity;
  status = check_dat(where, mat, x, sparsity->columns, mat->column_dim, "columns");
  if (!status) status = check_dat(where, mat, y, sparsity->rows, mat->row_dim, "rows");
  if (!status && x == y)
    status =
        op2i_error(OP2_ERR_ARG, "%s:%d: op2_mat_mult, matrix '%s': dat '%s' is x and y as well",
                   where.file, where.line, mat->obj.name, x->obj.name);
  if (status) return status;
  const struct op2i_behalf before =
      op2i_context_behalf(mat->obj.ctx, "op2_mat_mult", mat->obj.name, where);
  status = need_kernel(mat);
  op2i_context_behalf_end(mat->obj.ctx, before);
  if (status) return status;
  const op2_arg args[] = {op2_arg_direct(y, OP2_WRITE),
                          op2_arg_dat(mat->values, OP2I_EACH, sparsity->entries, OP2_READ),
                          op2_arg_dat(x, OP2I_EACH, sparsity->across, OP2_READ)};
  return op2_par_loop_at(where, mat->mult, sparsity->rows, 3, args);
}
