/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices in blocks as one Mat of PETSc, of type MATNEST. */
#include <string.h>

#include "context.h"
#include "petsc_calls.h"
#include "petsc_objects.h"

/* The arguments of a call. */
struct grid {
  const char *call; /* its name, for messages */
  int nrows, ncolumns;
  const op2_mat *mats; /* [nrows][ncolumns] */
};

static op2_mat block_of(const struct grid *grid, int row, int column) {
  return grid->mats[row * grid->ncolumns + column];
}

/* ---- checks of arguments --------------------------------------------------------------------- */

/* A matrix of a row, or of a column, which gives its set and dim; null: all are null. */
static op2_mat first_of(const struct grid *grid, bool of_row, int line) {
  const int n = of_row ? grid->ncolumns : grid->nrows;
  for (int k = 0; k < n; k++) {
    op2_mat mat = of_row ? block_of(grid, line, k) : block_of(grid, k, line);
    if (mat) return mat;
  }
  return NULL;
}

static op2_set side_of(op2_mat mat, bool of_row, int32_t *dim) {
  *dim = of_row ? mat->row_dim : mat->column_dim;
  return of_row ? op2i_sparsity_row_set(mat->sparsity) : op2i_sparsity_column_set(mat->sparsity);
}

static op2_status check_side(const struct op2i_companion *op2, const struct grid *grid, int row,
                             int column, bool of_row) {
  const char *const words = of_row ? "rows" : "columns";
  op2_mat mat = block_of(grid, row, column), first = first_of(grid, of_row, of_row ? row : column);
  int32_t dim, want;
  const op2_set set = side_of(mat, of_row, &dim), wanted = side_of(first, of_row, &want);
  if (set == wanted && dim == want) return OP2_SUCCESS;
  return op2->error(
      OP2_ERR_MISMATCH,
      "%s, block (%d, %d): '%s' has %s of set '%s' with dim %d, and '%s' of '%s' with "
      "%d",
      grid->call, row, column, mat->obj.name, words, set->obj.name, (int)dim, first->obj.name,
      wanted->obj.name, (int)want);
}

/* All are of the context of the first one, which is checked before the others. */
static op2_status check_member(const struct op2i_companion *op2, const struct grid *grid, int row,
                               int column) {
  const op2_mat mat = block_of(grid, row, column), first = first_of(grid, true, 0);
  op2_status status = op2->validate(mat, OP2I_MAT, grid->call);
  if (status || mat->obj.ctx == first->obj.ctx) return status;
  return op2->error(OP2_ERR_MISMATCH, "%s, block (%d, %d): '%s' belongs to another context",
                    grid->call, row, column, mat->obj.name);
}

static op2_status check_block(const struct op2i_companion *op2, const struct grid *grid, int row,
                              int column) {
  if (!block_of(grid, row, column)) return OP2_SUCCESS;
  op2_status status = check_member(op2, grid, row, column);
  if (!status) status = check_side(op2, grid, row, column, true);
  return status ? status : check_side(op2, grid, row, column, false);
}

static op2_status check_lines(const struct op2i_companion *op2, const struct grid *grid,
                              bool of_rows) {
  const int n = of_rows ? grid->nrows : grid->ncolumns;
  for (int line = 0; line < n; line++)
    if (!first_of(grid, of_rows, line))
      return op2->error(OP2_ERR_ARG, "%s: all blocks of %s %d are null, so its size is unknown",
                        grid->call, of_rows ? "row" : "column", line);
  return OP2_SUCCESS;
}

static op2_status check_grid(const struct op2i_companion *op2, const struct grid *grid,
                             const void *out) {
  if (grid->nrows < 1 || grid->nrows > OP2I_BLOCKS_MOST || grid->ncolumns < 1 ||
      grid->ncolumns > OP2I_BLOCKS_MOST || !grid->mats || !out)
    return op2->error(OP2_ERR_ARG, "%s: %d * %d blocks, of 1 to %d each, or a null pointer",
                      grid->call, grid->nrows, grid->ncolumns, OP2I_BLOCKS_MOST);
  op2_status status = check_lines(op2, grid, true);
  if (!status) status = check_lines(op2, grid, false);
  for (int m = 0; m < grid->nrows * grid->ncolumns && !status; m++)
    status = check_block(op2, grid, m / grid->ncolumns, m % grid->ncolumns);
  return status;
}

/* ---- opening and closing --------------------------------------------------------------------- */

/* End the use of the first n blocks. Returns the first failure. */
static op2_status close_blocks(const struct grid *grid, int n, Mat *parts) {
  op2_status status = OP2_SUCCESS;
  for (int m = 0; m < n; m++) {
    if (!grid->mats[m]) continue;
    const op2_status ended = op2_mat_petsc_end(grid->mats[m], &parts[m]);
    if (!status) status = ended;
  }
  return status;
}

static op2_status open_blocks(const struct grid *grid, op2_access access, MatType type,
                              Mat *parts) {
  op2_status status = OP2_SUCCESS;
  int m = 0;
  for (; m < grid->nrows * grid->ncolumns && !status; m++)
    if (grid->mats[m]) status = op2_mat_petsc(grid->mats[m], access, type, &parts[m]);
  if (status) (void)close_blocks(grid, m - 1, parts);
  return status;
}

/* Rows and columns of a rank are those of its blocks, one after the other; the local numbers of the
 * blocks follow each other in the same way. */
static op2_status make_nest(struct op2i_petsc_scope *scope, const struct grid *grid, Mat *parts,
                            Mat *A) {
  const op2_mat first = first_of(grid, true, 0);
  MPI_Comm comm;
  op2_status status = op2i_petsc_comm(scope->op2, first->obj.ctx, &comm);
  if (status) return status;
  return op2i_petsc_status(scope,
                           MatCreateNest(comm, grid->nrows, NULL, grid->ncolumns, NULL, parts, A),
                           "matrix", first->obj.name);
}

op2_status op2_nested_petsc(int nrows, int ncolumns, const op2_mat *mats, op2_access access,
                            MatType type, Mat *A) {
  const struct grid grid = {"op2_nested_petsc", nrows, ncolumns, mats};
  Mat parts[OP2I_BLOCKS_MOST * OP2I_BLOCKS_MOST] = {NULL}, made = NULL;
  struct op2i_petsc_scope scope;
  op2_status status = op2i_petsc_enter(&scope, grid.call);
  if (status) return status;
  status = check_grid(scope.op2, &grid, A);
  if (!status) {
    status = open_blocks(&grid, access, type, parts);
    if (!status) {
      status = make_nest(&scope, &grid, parts, &made);
      if (status) (void)close_blocks(&grid, nrows * ncolumns, parts);
    }
  }
  if (!status) *A = made;
  op2i_petsc_leave(&scope);
  return status;
}

/* Get the blocks of a nested matrix, which must have as many. */
static op2_status find_parts(struct op2i_petsc_scope *scope, const struct grid *grid, Mat A,
                             Mat *parts) {
  PetscInt nrows = 0, ncolumns = 0;
  PetscBool nested = PETSC_FALSE;
  PetscErrorCode code = PetscObjectTypeCompare((PetscObject)A, MATNEST, &nested);
  if (!code && nested) code = MatNestGetSize(A, &nrows, &ncolumns);
  if (!code && (nrows != grid->nrows || ncolumns != grid->ncolumns))
    return scope->op2->error(OP2_ERR_ARG, "%s: the Mat is not of %d * %d blocks", grid->call,
                             grid->nrows, grid->ncolumns);
  for (int m = 0; m < grid->nrows * grid->ncolumns && !code; m++)
    if (grid->mats[m])
      code = MatNestGetSubMat(A, m / grid->ncolumns, m % grid->ncolumns, &parts[m]);
  return op2i_petsc_status(scope, code, "matrix", first_of(grid, true, 0)->obj.name);
}

/* End the use of all blocks and destroy the Mat, whatever fails. Returns the first failure. */
static op2_status close_nest(struct op2i_petsc_scope *scope, const struct grid *grid, Mat *parts,
                             Mat *A) {
  const op2_status status = close_blocks(grid, grid->nrows * grid->ncolumns, parts);
  const PetscErrorCode code = MatDestroy(A);
  *A = NULL;
  return status ? status
                : op2i_petsc_status(scope, code, "matrix", first_of(grid, true, 0)->obj.name);
}

op2_status op2_nested_petsc_end(int nrows, int ncolumns, const op2_mat *mats, Mat *A) {
  const struct grid grid = {"op2_nested_petsc_end", nrows, ncolumns, mats};
  Mat parts[OP2I_BLOCKS_MOST * OP2I_BLOCKS_MOST] = {NULL};
  struct op2i_petsc_scope scope;
  op2_status status = op2i_petsc_enter(&scope, grid.call);
  if (status) return status;
  status = check_grid(scope.op2, &grid, A && *A ? A : NULL);
  if (!status) status = find_parts(&scope, &grid, *A, parts);
  if (!status) status = close_nest(&scope, &grid, parts, A);
  op2i_petsc_leave(&scope);
  return status;
}
