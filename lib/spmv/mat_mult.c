/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of matrices, or of their transposes, and dats: a loop over the rows, or the columns, whose
 * kernel is called for each entry. */
#include <inttypes.h>
#include <stdio.h>

#include "context.h"
#include "error.h"
#include "kernel.h"
#include "loop_arg.h"
#include "mat_single.h"
#include "op2/loop.h"
#include "sparse.h"
#include "transpose.h"

/* A call, with the data that checks and messages need. */
struct call {
  op2_where where;
  const char *name;
  op2_mat mat;
};

/* A side of a matrix. */
struct side {
  const char *words;
  op2_set set;
  int32_t dim;
};

static op2_status check_dat(const struct call *c, op2_dat dat, const struct side *side) {
  const struct op2_mat_s *mat = c->mat;
  op2_status status = op2i_object_validate(dat, OP2I_DAT, c->name);
  if (status) return status;
  if (dat->set != side->set)
    return op2i_error(OP2_ERR_MISMATCH,
                      "%s:%d: %s, matrix '%s': dat '%s' is on set '%s', and the %s are of '%s'",
                      c->where.file, c->where.line, c->name, mat->obj.name, dat->obj.name,
                      dat->set->obj.name, side->words, side->set->obj.name);
  if (dat->dim != side->dim)
    return op2i_error(OP2_ERR_MISMATCH,
                      "%s:%d: %s, matrix '%s': dat '%s' has dim %" PRId32
                      ", and blocks have %" PRId32 " %s",
                      c->where.file, c->where.line, c->name, mat->obj.name, dat->obj.name, dat->dim,
                      side->dim, side->words);
  if (dat->type != mat->type)
    return op2i_error(OP2_ERR_TYPE, "%s:%d: %s, matrix '%s' is %s, and dat '%s' %s", c->where.file,
                      c->where.line, c->name, mat->obj.name, op2i_type_name(mat->type),
                      dat->obj.name, op2i_type_name(dat->type));
  return OP2_SUCCESS;
}

/* Check x, which is on one side of the matrix, and y, which is on the other. */
static op2_status check_dats(const struct call *c, op2_dat x, op2_dat y, bool transposed) {
  const struct op2_sparsity_s *sparsity = c->mat->sparsity;
  const struct side sides[] = {{"columns", op2i_sparsity_column_set(sparsity), c->mat->column_dim},
                               {"rows", op2i_sparsity_row_set(sparsity), c->mat->row_dim}};
  op2_status status = check_dat(c, x, &sides[transposed]);
  if (!status) status = check_dat(c, y, &sides[!transposed]);
  if (!status && x == y)
    status = op2i_error(OP2_ERR_ARG, "%s:%d: %s, matrix '%s': dat '%s' is x and y as well",
                        c->where.file, c->where.line, c->name, c->mat->obj.name, x->obj.name);
  return status;
}

/* The kernels are kept with the matrix, because the library finds a known loop by its kernel. */
static op2_status need_kernel(op2_mat mat, bool transposed, op2_kernel *kernel) {
  char source[256];
  const char *type = op2i_type_c(mat->type);
  if (*kernel) return OP2_SUCCESS;
  if (mat->row_dim == 1 && mat->column_dim == 1)
    snprintf(source, sizeof source,
             "void mult(%s *y, const %s *a, const %s *x) { y[0] += a[0] * x[0]; }\n", type, type,
             type);
  else
    snprintf(source, sizeof source,
             "void mult(%s *y, const %s *a, const %s *x) {\n"
             "  for (int i = 0; i < %d; i++)\n"
             "    for (int j = 0; j < %d; j++) y[%c] += a[i * %d + j] * x[%c];\n}\n",
             type, type, type, (int)mat->row_dim, (int)mat->column_dim, transposed ? 'j' : 'i',
             (int)mat->column_dim, transposed ? 'i' : 'j');
  return op2i_kernel_create_own(mat->obj.ctx, "mult", source, kernel);
}

/* A product by the rows of the sparsity, which are the columns of a matrix with a dense row. */
static op2_status queue_by_rows(const struct call *c, op2_dat x, op2_dat y, bool transposed) {
  const op2_mat mat = c->mat;
  const struct op2_sparsity_s *sparsity = mat->sparsity;
  op2_kernel *kernel = transposed ? &mat->mult_transpose : &mat->mult;
  const struct op2i_behalf before =
      op2i_context_behalf(mat->obj.ctx, c->name, mat->obj.name, c->where);
  op2_status status = need_kernel(mat, transposed, kernel);
  op2i_context_behalf_end(mat->obj.ctx, before);
  if (status) return status;
  const op2_arg args[] = {op2_arg_direct(y, OP2_WRITE),
                          op2_arg_dat(mat->values, OP2I_EACH, sparsity->entries, OP2_READ),
                          op2_arg_dat(x, OP2I_EACH, sparsity->across, OP2_READ)};
  return op2_par_loop_at(c->where, *kernel, sparsity->rows, 3, args);
}

/* ---- the transpose --------------------------------------------------------------------------- */

/* Make what the product needs beside the kernel: the nonzeros of columns, and among ranks the dat
 * of this rank's sums and the kernel that adds up those of all ranks. */
static op2_status need_transpose(op2_mat mat) {
  char source[256];
  const char *type = op2i_type_c(mat->type);
  op2_status status = op2i_sparsity_need_transpose(mat->sparsity);
  if (!status) status = need_kernel(mat, true, &mat->mult_transpose);
  const struct op2i_transpose *t = &mat->sparsity->transpose;
  if (status || !t->sums) return status;
  snprintf(source, sizeof source,
           "void add_sums(%s *y, const %s *sum) {\n"
           "  for (int j = 0; j < %d; j++) y[j] += sum[j];\n}\n",
           type, type, (int)mat->column_dim);
  if (!mat->add_sums)
    status = op2i_kernel_create_own(mat->obj.ctx, "add_sums", source, &mat->add_sums);
  if (status || mat->column_sums) return status;
  status =
      op2_dat_create(t->sums, mat->column_dim, mat->type, NULL, mat->obj.name, &mat->column_sums);
  op2i_object_own(mat->column_sums);
  return status;
}

/* Queue the product. Among ranks the first loop computes this rank's sums for all columns that it
 * knows, and the second one adds up the sums of a column by all ranks. */
static op2_status queue_transpose(const struct call *c, op2_dat x, op2_dat y) {
  const op2_mat mat = c->mat;
  const struct op2i_transpose *t = &mat->sparsity->transpose;
  const op2_dat sums = t->sums ? mat->column_sums : y;
  const op2_arg product[] = {op2_arg_direct(sums, OP2_WRITE),
                             op2_arg_dat(mat->values, OP2I_EACH, t->nonzeros, OP2_READ),
                             op2_arg_dat(x, OP2I_EACH, t->rows, OP2_READ)};
  if (t->sums) op2i_context_warn_order(mat->obj.ctx, OP2I_ORDER_TRANSPOSE);
  op2_status status = op2_par_loop_at(c->where, mat->mult_transpose, sums->set, 3, product);
  if (status || !t->sums) return status;
  const op2_arg all[] = {op2_arg_direct(y, OP2_WRITE),
                         op2_arg_dat(sums, OP2I_EACH, t->gather, OP2_READ)};
  return op2_par_loop_at(c->where, mat->add_sums, y->set, 2, all);
}

static op2_status queue_by_columns(const struct call *c, op2_dat x, op2_dat y) {
  const op2_mat mat = c->mat;
  const struct op2i_behalf before =
      op2i_context_behalf(mat->obj.ctx, c->name, mat->obj.name, c->where);
  op2_status status = OP2_SUCCESS;
  if (mat->sparsity->columns->single) {
    status = op2i_single_product(c->where, mat, x, y);
  } else {
    status = need_transpose(mat);
    if (!status) status = queue_transpose(c, x, y);
  }
  op2i_context_behalf_end(mat->obj.ctx, before);
  return status;
}

/* ---- the interface --------------------------------------------------------------------------- */

static op2_status multiply(op2_where where, const char *name, op2_mat mat, op2_dat x, op2_dat y,
                           bool transposed) {
  op2_status status = op2i_object_validate(mat, OP2I_MAT, name);
  if (status) return status;
  if (!where.file) where.file = "?";
  const struct call call = {where, name, mat};
  status = check_dats(&call, x, y, transposed);
  if (status) return status;
  return transposed == mat->sparsity->flipped ? queue_by_rows(&call, x, y, transposed)
                                              : queue_by_columns(&call, x, y);
}

op2_status op2_mat_mult_at(op2_where where, op2_mat mat, op2_dat x, op2_dat y) {
  return multiply(where, "op2_mat_mult", mat, x, y, false);
}

op2_status op2_mat_mult_transpose_at(op2_where where, op2_mat mat, op2_dat x, op2_dat y) {
  return multiply(where, "op2_mat_mult_transpose", mat, x, y, true);
}
