/* SPDX-License-Identifier: BSD-3-Clause */
/* The nonzeros on the diagonal of a matrix. */
#include <stdio.h>

#include "context.h"
#include "error.h"
#include "map.h"
#include "mem.h"
#include "sparse.h"
#include "transpose.h"

int64_t op2i_sparsity_nonzero(const struct op2_sparsity_s *sparsity, int64_t row, int32_t column) {
  const struct op2i_entries entries = op2i_sparsity_row(sparsity, row);
  const int64_t key = op2i_sparsity_key(sparsity, column);
  int64_t lo = 0, hi = entries.n;
  while (lo < hi) {
    int64_t middle = lo + (hi - lo) / 2, nonzero = op2i_entry(entries, middle);
    if (sparsity->column[nonzero] == column) return nonzero;
    if (op2i_sparsity_key(sparsity, sparsity->column[nonzero]) < key)
      lo = middle + 1;
    else
      hi = middle;
  }
  return -1;
}

op2_status op2i_sparsity_diagonal(op2_sparsity sparsity) {
  char name[256];
  int64_t n = sparsity->rows->ends[OP2I_NONEXEC];
  int32_t zero = (int32_t)sparsity->room;
  if (sparsity->diagonal) return OP2_SUCCESS;
  int32_t *idx = op2i_alloc_raw((size_t)n * sizeof *idx);
  if (!idx) return op2i_error_nomem("the diagonal of a matrix");
  for (int64_t row = 0; row < n; row++) {
    const int32_t column = sparsity->columns->single ? 0 : (int32_t)row;
    int64_t nonzero = row < sparsity->nrows ? op2i_sparsity_nonzero(sparsity, row, column) : -1;
    idx[row] = nonzero < 0 ? zero : (int32_t)nonzero;
  }
  snprintf(name, sizeof name, "diagonal of %s", sparsity->obj.name);
  op2_status status =
      op2i_map_make(sparsity->rows, sparsity->nonzeros, 1, idx, NULL, name, &sparsity->diagonal);
  if (status) return status;
  op2i_object_own(sparsity->diagonal);
  op2i_list_remove(&sparsity->rows->maps_from, &sparsity->diagonal->from_link);
  op2i_list_remove(&sparsity->nonzeros->maps_to, &sparsity->diagonal->to_link);
  return OP2_SUCCESS;
}

void op2i_sparsity_renumbered(op2_sparsity sparsity) {
  op2i_unref(sparsity->diagonal);
  sparsity->diagonal = NULL;
  op2i_sparsity_forget_columns(sparsity);
  sparsity->renumberings++;
}
