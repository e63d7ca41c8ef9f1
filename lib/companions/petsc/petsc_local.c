/* SPDX-License-Identifier: BSD-3-Clause */
/* Local numbers of rows and columns of a Mat: those that the program has for the elements of their
 * sets on this rank, with the halo. */
#include "context.h"
#include "petsc_calls.h"
#include "petsc_copy.h"

/* PETSc's numbers of a set's elements, by the program's local numbers. Collective. */
static op2_status list_numbers(struct op2i_petsc_scope *scope, op2_set set, PetscInt **out) {
  const struct op2i_companion *op2 = scope->op2;
  const int64_t n = set->ends[OP2I_NONEXEC];
  int64_t all, first, *number = op2->calloc((size_t)n + 1, sizeof *number);
  *out = op2->calloc((size_t)n + 1, sizeof **out);
  op2_status status = number && *out ? OP2_SUCCESS : op2->error_nomem("numbers of rows");
  if (set->obj.ctx->comm) status = op2->agree(set->obj.ctx->comm, status);
  if (!status) status = op2->row_numbers(set, &all, &first, number);
  for (int64_t e = 0; e < n && !status; e++) (*out)[op2i_set_place(set, e)] = (PetscInt)number[e];
  op2->free(number);
  return status;
}

static op2_status make_mapping(struct op2i_petsc_scope *scope, op2_mat mat, Mat A, bool of_rows,
                               ISLocalToGlobalMapping *out) {
  const op2_set set =
      of_rows ? op2i_sparsity_row_set(mat->sparsity) : op2i_sparsity_column_set(mat->sparsity);
  PetscInt *number = NULL;
  op2_status status = list_numbers(scope, set, &number);
  if (!status) {
    const PetscErrorCode code = ISLocalToGlobalMappingCreate(
        PetscObjectComm((PetscObject)A), of_rows ? mat->row_dim : mat->column_dim,
        (PetscInt)set->ends[OP2I_NONEXEC], number, PETSC_COPY_VALUES, out);
    status = op2i_petsc_status(scope, code, "matrix", mat->obj.name);
  }
  scope->op2->free(number);
  return status;
}

op2_status op2i_petsc_local_numbers(struct op2i_petsc_scope *scope, op2_mat mat, Mat A) {
  const bool one = mat->sparsity->rows == mat->sparsity->columns && mat->row_dim == mat->column_dim;
  ISLocalToGlobalMapping rows = NULL, columns = NULL;
  op2_status status = make_mapping(scope, mat, A, true, &rows);
  if (!status && !one) status = make_mapping(scope, mat, A, false, &columns);
  PetscErrorCode code = status ? 0 : MatSetLocalToGlobalMapping(A, rows, one ? rows : columns);
  if (rows && !code) code = ISLocalToGlobalMappingDestroy(&rows);
  if (columns && !code) code = ISLocalToGlobalMappingDestroy(&columns);
  return status ? status : op2i_petsc_status(scope, code, "matrix", mat->obj.name);
}
