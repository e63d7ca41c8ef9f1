/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole matrices as vectors: operations with the dats of their values, and norms. */
#include <inttypes.h>
#include <stdio.h>

#include "algebra.h"
#include "context.h"
#include "error.h"
#include "fpenv.h"
#include "kernel.h"
#include "loop_arg.h"
#include "mat_single.h"
#include "sparse.h"

static op2_status queue(struct op2i_vector_call call) {
  OP2I_FP_DEFAULT;
  struct op2i_shape shape;
  op2_status status = op2i_vector_check(&call, &shape);
  return status ? status : op2i_dat_algebra(&call, &shape);
}

/* A call with its operation; further arguments initialise members of struct op2i_vector_call. */
#define OF(op_, ...)                                                                               \
  (struct op2i_vector_call) { .where = where, .kind = OP2I_MAT, .op = (op_), __VA_ARGS__ }

op2_status op2_mat_scale_at(op2_where where, op2_mat mat, op2_scalar a) {
  op2_status status = op2i_object_validate(mat, OP2I_MAT, "op2_mat_scale");
  return status ? status : queue(OF(OP2I_SCALE, .vectors = {mat->values}, .scalars = {a}));
}

/* Check that two matrices have values at the same places. */
static op2_status check_alike(op2_where where, const char *call, op2_mat x, op2_mat y) {
  op2_status status = op2i_object_validate(y, OP2I_MAT, call);
  if (!status) status = op2i_object_validate(x, OP2I_MAT, call);
  if (status) return status;
  const char *file = where.file ? where.file : "?";
  if (x->obj.ctx != y->obj.ctx)
    return op2i_error(OP2_ERR_MISMATCH,
                      "%s:%d: %s: matrices '%s' and '%s' belong to different contexts", file,
                      where.line, call, x->obj.name, y->obj.name);
  if (x->sparsity != y->sparsity)
    return op2i_error(OP2_ERR_MISMATCH,
                      "%s:%d: %s: matrix '%s' has sparsity '%s', and '%s' has '%s': make both "
                      "matrices of one sparsity, which may have the pairs of both",
                      file, where.line, call, x->obj.name, x->sparsity->obj.name, y->obj.name,
                      y->sparsity->obj.name);
  if (x->row_dim != y->row_dim || x->column_dim != y->column_dim)
    return op2i_error(OP2_ERR_MISMATCH,
                      "%s:%d: %s: matrix '%s' has blocks of %" PRId32 " by %" PRId32
                      ", and '%s' of %" PRId32 " by %" PRId32,
                      file, where.line, call, x->obj.name, x->row_dim, x->column_dim, y->obj.name,
                      y->row_dim, y->column_dim);
  if (x->type == y->type) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_TYPE, "%s:%d: %s: matrix '%s' is %s, and '%s' %s", file, where.line,
                    call, x->obj.name, op2i_type_name(x->type), y->obj.name,
                    op2i_type_name(y->type));
}

op2_status op2_mat_axpy_at(op2_where where, op2_mat y, op2_scalar a, op2_mat x) {
  op2_status status = check_alike(where, "op2_mat_axpy", x, y);
  if (!status) status = queue(OF(OP2I_AXPY, .vectors = {y->values, x->values}, .scalars = {a}));
  if (!status) y->rows_zeroed |= x->rows_zeroed;
  return status;
}

op2_status op2_mat_copy_at(op2_where where, op2_mat x, op2_mat y) {
  op2_status status = check_alike(where, "op2_mat_copy", x, y);
  if (!status) status = queue(OF(OP2I_COPY, .vectors = {y->values, x->values}));
  if (!status) y->rows_zeroed = x->rows_zeroed;
  return status;
}

/* ---- norms ----------------------------------------------------------------------------------- */

/* Make the kernel and the dat of sums over rows, unless they exist. */
static op2_status need_row_sums(op2_mat mat) {
  char source[256];
  op2_status status = OP2_SUCCESS;
  snprintf(source, sizeof source,
           "#include <math.h>\n"
           "void add_amounts(double *s, const %s *a) {\n"
           "  for (int i = 0; i < %d; i++)\n"
           "    for (int j = 0; j < %d; j++) s[i] += fabs((double)a[i * %d + j]);\n}\n",
           op2i_type_c(mat->type), (int)mat->row_dim, (int)mat->column_dim, (int)mat->column_dim);
  if (!mat->add_amounts)
    status = op2i_kernel_create_own(mat->obj.ctx, "add_amounts", source, &mat->add_amounts);
  if (status || mat->row_sums) return status;
  status = op2_dat_create(op2i_sparsity_row_set(mat->sparsity), mat->row_dim, OP2_F64, NULL,
                          mat->obj.name, &mat->row_sums);
  op2i_object_own(mat->row_sums);
  return status;
}

static op2_status queue_largest(op2_where where, op2_mat mat, op2_gbl result) {
  struct op2i_shape shape;
  const struct op2_sparsity_s *sparsity = mat->sparsity;
  op2_status status = need_row_sums(mat);
  if (status) return status;
  struct op2i_vector_call call = OF(OP2I_NORM_INF, .vectors = {mat->row_sums}, .result = result);
  status = op2i_vector_check(&call, &shape);
  if (status) return status;
  const op2_arg args[] = {op2_arg_direct(mat->row_sums, OP2_WRITE),
                          op2_arg_dat(mat->values, OP2I_EACH, sparsity->entries, OP2_READ)};
  if (sparsity->flipped)
    status = op2i_single_amounts(where, mat, mat->row_sums);
  else
    status = op2_par_loop_at(where, mat->add_amounts, sparsity->rows, 2, args);
  return status ? status : op2i_dat_algebra(&call, &shape);
}

op2_status op2_mat_norm_at(op2_where where, op2_mat mat, op2_norm norm, op2_gbl result) {
  OP2I_FP_DEFAULT;
  op2_status status = op2i_object_validate(mat, OP2I_MAT, "op2_mat_norm");
  if (!status) status = op2i_context_validate(mat->obj.ctx, "op2_mat_norm");
  if (status) return status;
  if (!where.file) where.file = "?";
  if (norm == OP2_NORM_FROBENIUS)
    return queue(OF(OP2I_NORM_2, .vectors = {mat->values}, .result = result));
  if (norm != OP2_NORM_INF)
    return op2i_error(OP2_ERR_ARG,
                      "%s:%d: op2_mat_norm, matrix '%s': norm %d is neither OP2_NORM_FROBENIUS nor "
                      "OP2_NORM_INF",
                      where.file, where.line, mat->obj.name, (int)norm);
  const struct op2i_behalf before =
      op2i_context_behalf(mat->obj.ctx, "op2_mat_norm", mat->obj.name, where);
  status = queue_largest(where, mat, result);
  op2i_context_behalf_end(mat->obj.ctx, before);
  return status;
}
