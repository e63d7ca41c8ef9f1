/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices as functions of calls get them. Rows and values are copies, since the library's order of
 * nonzeros has padding, and depends on how rows are numbered. */
#include "call_mat.h"

#include <string.h>

#include "error.h"
#include "mem.h"

/* The rows, and their constant arrays as pointers that can be freed. */
struct lent {
  op2_mat_rows rows;
  int64_t *starts, *columns;
};

static void free_lent(struct lent *lent) {
  op2i_free(lent->starts);
  op2i_free(lent->columns);
  op2i_free(lent->rows.values);
  op2i_free(lent);
}

static op2_status make_lent(op2_mat mat, struct lent **out) {
  const op2_sparsity sparsity = mat->sparsity;
  struct lent *lent = op2i_calloc(1, sizeof *lent);
  if (!lent) return op2i_error_nomem("a call's matrix");
  lent->rows = (op2_mat_rows){.nrows = op2i_sparsity_nrows(sparsity),
                              .row_dim = mat->row_dim,
                              .column_dim = mat->column_dim,
                              .type = mat->type};
  lent->rows.starts = lent->starts =
      op2i_malloc((size_t)(op2i_sparsity_nrows(sparsity) + 1) * sizeof *lent->starts);
  lent->rows.columns = lent->columns =
      op2i_malloc((size_t)(sparsity->nnz + 1) * sizeof *lent->columns);
  lent->rows.values = op2i_calloc((size_t)sparsity->nnz + 1, mat->values->row_bytes);
  op2_status status = lent->starts && lent->columns && lent->rows.values
                          ? op2i_sparsity_get(sparsity, lent->starts, lent->columns)
                          : op2i_error_nomem("a call's matrix");
  if (status) {
    free_lent(lent);
    return status;
  }
  *out = lent;
  return OP2_SUCCESS;
}

op2_status op2i_call_lend_mat(op2_mat mat, op2_access access, op2_mat_rows **rows) {
  struct lent *lent = NULL;
  void *data = NULL;
  op2_status status = make_lent(mat, &lent);
  if (status) return status;
  if (op2i_reads(access)) {
    status = op2i_dat_lend(mat->values, OP2_READ, &data);
    if (!status) {
      status = op2i_sparsity_copy(mat->sparsity, mat->values->row_bytes, data, lent->rows.values);
      op2i_dat_take_back(mat->values, false);
    }
  }
  if (status)
    free_lent(lent);
  else
    *rows = &lent->rows;
  return status;
}

/* Padding, and the element that is always zero, stay zero where all values are overwritten. */
static op2_status store(op2_mat mat, op2_access access, const void *values) {
  const op2_dat dat = mat->values;
  void *data = NULL;
  op2_status status = op2i_dat_lend(dat, access, &data);
  if (status) return status;
  if (op2i_overwrites(access))
    memset(data, 0, (size_t)dat->set->ends[OP2I_NONEXEC] * dat->row_bytes);
  status = op2i_sparsity_store(mat->sparsity, dat->row_bytes, values, data);
  op2i_dat_take_back(dat, true);
  return status;
}

op2_status op2i_call_take_mat_back(op2_mat mat, op2_access access, op2_mat_rows *rows) {
  op2_status status = OP2_SUCCESS;
  if (op2i_modifies(access)) status = store(mat, access, rows->values);
  free_lent((struct lent *)rows);
  return status;
}
