/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices: values at the nonzeros of a sparsity. */
#include <string.h>

#include "context.h"
#include "error.h"
#include "mem.h"
#include "sparse.h"

static void release_mat(void *object) {
  op2_mat mat = object;
  op2i_kept_free(&mat->kept);
  op2i_unref(mat->zero);
  op2i_unref(mat->lift);
  op2i_unref(mat->eliminate);
  op2i_unref(mat->lifted);
  op2i_unref(mat->add_amounts);
  op2i_unref(mat->row_sums);
  op2i_unref(mat->mult);
  op2i_unref(mat->mult_transpose);
  op2i_unref(mat->add_sums);
  op2i_unref(mat->column_sums);
  op2i_unref(mat->single_products);
  op2i_unref(mat->single_amounts);
  op2i_unref(mat->single_store);
  op2i_unref(mat->single_store_amounts);
  op2i_unref(mat->single_sum);
  op2i_unref(mat->set_diagonal);
  op2i_unref(mat->get_diagonal);
  op2i_unref(mat->get_block);
  op2i_unref(mat->values);
  op2i_unref(mat->sparsity);
}

static op2_status check_blocks(op2_sparsity sparsity, int row_dim, int column_dim, op2_type type,
                               const char *name) {
  op2_status status = op2i_object_validate(sparsity, OP2I_SPARSITY, "op2_mat_create");
  if (!status) status = op2i_context_validate(sparsity->obj.ctx, "op2_mat_create");
  if (status) return status;
  if (row_dim < 1 || column_dim < 1 || row_dim > INT32_MAX / column_dim)
    return op2i_error(OP2_ERR_ARG, "matrix '%s': blocks of %d rows and %d columns", name, row_dim,
                      column_dim);
  if (type == OP2_F64 || type == OP2_F32) return OP2_SUCCESS;
  if (!op2i_type_size(type))
    return op2i_error(OP2_ERR_TYPE, "matrix '%s': %d is not an op2_type", name, (int)type);
  return op2i_error(OP2_ERR_TYPE, "matrix '%s': values of type %s; there are double and float",
                    name, op2i_type_name(type));
}

static op2_status make_mat(op2_sparsity sparsity, int row_dim, int column_dim, op2_type type,
                           const char *name, op2_mat *out) {
  char room[OP2I_NAME_ROOM];
  name = op2i_object_name(op2i_object_context(sparsity, OP2I_SPARSITY), OP2I_MAT, name, room);
  op2_status status = check_blocks(sparsity, row_dim, column_dim, type, name);
  if (status) return status;
  op2_mat mat = op2i_calloc(1, sizeof *mat);
  if (!mat) return op2i_error_nomem("a matrix");
  status = op2i_object_init(mat, sparsity->obj.ctx, OP2I_MAT, name, release_mat);
  if (status) {
    op2i_free(mat);
    return status;
  }
  mat->sparsity = op2i_ref(sparsity);
  mat->row_dim = row_dim;
  mat->column_dim = column_dim;
  mat->type = type;
  *out = mat;
  return OP2_SUCCESS;
}

op2_status op2_mat_create(op2_sparsity sparsity, int row_dim, int column_dim, op2_type type,
                          const char *name, op2_mat *out) {
  op2_mat mat = NULL;
  if (!out) return op2i_error(OP2_ERR_ARG, "op2_mat_create: where to put the matrix is null");
  op2i_object_call(sparsity, OP2I_SPARSITY, "op2_mat_create", name, op2i_digest_text(0, name));
  op2_status status = make_mat(sparsity, row_dim, column_dim, type, name, &mat);
  if (!op2i_object_is(sparsity, OP2I_SPARSITY)) return status;
  status = op2i_context_agree(sparsity->obj.ctx, status);
  if (!status)
    status = op2_dat_create(sparsity->nonzeros, row_dim * column_dim, type, NULL, mat->obj.name,
                            &mat->values);
  if (!status) op2i_object_own(mat->values);
  const int32_t shape[] = {row_dim, column_dim, (int32_t)type};
  if (!status)
    op2i_object_call(sparsity, OP2I_SPARSITY, "op2_mat_create", name,
                     op2i_digest_bytes(0, shape, sizeof shape));
  if (status)
    op2_mat_destroy(&mat);
  else
    *out = mat;
  return status;
}

op2_status op2_mat_get(op2_mat mat, void *values) {
  op2i_object_call(mat, OP2I_MAT, "op2_mat_get", NULL, 0);
  op2_status status = op2i_object_validate(mat, OP2I_MAT, "op2_mat_get");
  if (status) return status;
  if (!values)
    return op2i_error(OP2_ERR_ARG, "op2_mat_get: matrix '%s': a null pointer", mat->obj.name);
  const void *data = NULL;
  status = op2_dat_read_begin(mat->values, &data);
  if (status) return status;
  status = op2i_sparsity_copy(mat->sparsity, mat->values->row_bytes, data, values);
  const op2_status ended = op2_dat_read_end(mat->values, &data);
  return status ? status : ended;
}

void op2_mat_destroy(op2_mat *mat) {
  if (!mat) return;
  if (op2i_object_leave(*mat, OP2I_MAT)) op2i_unref(*mat);
  *mat = NULL;
}
