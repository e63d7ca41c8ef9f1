/* SPDX-License-Identifier: BSD-3-Clause */
/* The shapes of objects, for interfaces in other languages. */
#include "op2/shape.h"

#include "sparse.h"

static void put_values(int dim, op2_type type, int *to_dim, op2_type *to_type) {
  if (to_dim) *to_dim = dim;
  if (to_type) *to_type = type;
}

op2_status op2_dat_shape(op2_dat dat, int *dim, op2_type *type, int64_t *owned, int64_t *total) {
  op2_status status = op2i_object_validate(dat, OP2I_DAT, "op2_dat_shape");
  if (status) return status;
  put_values(dat->dim, dat->type, dim, type);
  if (owned) *owned = dat->set->ends[OP2I_OWNED];
  if (total) *total = dat->set->ends[OP2I_NONEXEC];
  return OP2_SUCCESS;
}

op2_status op2_gbl_shape(op2_gbl gbl, int *dim, op2_type *type) {
  op2_status status = op2i_object_validate(gbl, OP2I_GBL, "op2_gbl_shape");
  if (!status) put_values(gbl->dim, gbl->type, dim, type);
  return status;
}

op2_status op2_const_shape(op2_const cst, int *dim, op2_type *type) {
  op2_status status = op2i_object_validate(cst, OP2I_CONST, "op2_const_shape");
  if (!status) put_values(cst->dim, cst->type, dim, type);
  return status;
}

op2_status op2_map_shape(op2_map map, int *arity, int64_t *rows) {
  op2_status status = op2i_object_validate(map, OP2I_MAP, "op2_map_shape");
  if (status) return status;
  if (arity) *arity = map->arity;
  if (rows) *rows = map->from->ends[OP2I_NONEXEC];
  return OP2_SUCCESS;
}

op2_status op2_mat_shape(op2_mat mat, int *row_dim, int *column_dim, op2_type *type,
                         int64_t *places) {
  op2_status status = op2i_object_validate(mat, OP2I_MAT, "op2_mat_shape");
  if (status) return status;
  put_values(mat->row_dim, mat->type, row_dim, type);
  if (column_dim) *column_dim = mat->column_dim;
  if (places) *places = mat->sparsity->nnz;
  return OP2_SUCCESS;
}
