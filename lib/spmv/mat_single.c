/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over a dense row of a matrix, or over a dense column for the transpose: a loop over the
 * elements of the other side adds them up in a global, which all workers and ranks do at once, and a
 * second loop stores the sum. It is added up in double precision, as those of vectors are. */
#include "mat_single.h"

#include <stdio.h>

#include "context.h"
#include "error.h"
#include "gbl.h"
#include "kernel.h"
#include "op2/loop.h"
#include "sparse.h"

enum { SOURCE_ROOM = 400 };

/* The sum has a value for each column of a block in the sparsity's sense. A block has the program's
 * shape: in a flipped sparsity these are its rows. */
static op2_status need_products(op2_mat mat) {
  char source[SOURCE_ROOM];
  const char *type = op2i_type_c(mat->type);
  const bool flipped = mat->sparsity->flipped;
  if (mat->single_products) return OP2_SUCCESS;
  snprintf(source, sizeof source,
           "void add_products(double *s, const %s *a, const %s *x) {\n"
           "  for (int i = 0; i < %d; i++)\n    for (int j = 0; j < %d; j++)\n"
           "      s[%c] += (double)a[i * %d + j] * (double)x[%c];\n}\n",
           type, type, (int)mat->row_dim, (int)mat->column_dim, flipped ? 'i' : 'j',
           (int)mat->column_dim, flipped ? 'j' : 'i');
  return op2i_kernel_create_own(mat->obj.ctx, "add_products", source, &mat->single_products);
}

static op2_status need_amounts(op2_mat mat) {
  char source[SOURCE_ROOM];
  if (mat->single_amounts) return OP2_SUCCESS;
  snprintf(source, sizeof source,
           "#include <math.h>\n"
           "void add_amounts(double *s, const %s *a) {\n"
           "  for (int i = 0; i < %d; i++)\n"
           "    for (int j = 0; j < %d; j++) s[i] += fabs((double)a[i * %d + j]);\n}\n",
           op2i_type_c(mat->type), (int)mat->row_dim, (int)mat->column_dim, (int)mat->column_dim);
  return op2i_kernel_create_own(mat->obj.ctx, "add_amounts", source, &mat->single_amounts);
}

/* Sums of absolute values are stored in double precision, and products in the matrix's. */
static op2_status store(op2_where where, op2_mat mat, op2_kernel *kernel, op2_dat y) {
  char source[SOURCE_ROOM];
  op2_status status = OP2_SUCCESS;
  snprintf(source, sizeof source,
           "void store_sum(%s *y, const double *s) {\n"
           "  for (int i = 0; i < %d; i++) y[i] = (%s)s[i];\n}\n",
           op2i_type_c(y->type), (int)y->dim, op2i_type_c(y->type));
  if (!*kernel) status = op2i_kernel_create_own(mat->obj.ctx, "store_sum", source, kernel);
  if (status) return status;
  const op2_arg args[] = {op2_arg_direct(y, OP2_WRITE), op2_arg_gbl(mat->single_sum, OP2_READ)};
  return op2_par_loop_at(where, *kernel, y->set, 2, args);
}

/* Begin a sum at zero, in the queue in use. */
static op2_status begin(op2_mat mat) {
  const int dim = (int)op2i_mat_width(mat);
  op2_status status = op2i_sparsity_diagonal(mat->sparsity);
  if (!status && !mat->single_sum)
    status = op2i_gbl_make(mat->obj.ctx, dim, OP2_F64, NULL, mat->obj.name, &mat->single_sum);
  if (status) return status;
  op2i_object_own(mat->single_sum);
  op2i_gbl_admit(mat->single_sum);
  return op2i_gbl_clear(mat->single_sum);
}

op2_status op2i_single_product(op2_where where, op2_mat mat, op2_dat x, op2_dat y) {
  const struct op2_sparsity_s *sparsity = mat->sparsity;
  op2_status status = need_products(mat);
  if (!status) status = begin(mat);
  if (status) return status;
  const op2_arg args[] = {op2_arg_gbl(mat->single_sum, OP2_INC),
                          op2_arg_dat(mat->values, 0, sparsity->diagonal, OP2_READ),
                          op2_arg_direct(x, OP2_READ)};
  status = op2_par_loop_at(where, mat->single_products, sparsity->rows, 3, args);
  return status ? status : store(where, mat, &mat->single_store, y);
}

op2_status op2i_single_amounts(op2_where where, op2_mat mat, op2_dat y) {
  const struct op2_sparsity_s *sparsity = mat->sparsity;
  op2_status status = need_amounts(mat);
  if (!status) status = begin(mat);
  if (status) return status;
  const op2_arg args[] = {op2_arg_gbl(mat->single_sum, OP2_INC),
                          op2_arg_dat(mat->values, 0, sparsity->diagonal, OP2_READ)};
  status = op2_par_loop_at(where, mat->single_amounts, sparsity->rows, 2, args);
  return status ? status : store(where, mat, &mat->single_store_amounts, y);
}
