/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps from elements to nonzeros in which rows or columns of a subset are left out: their entries
 * lead to spare elements. They are made on first use, and kept with the sparsity as long as the
 * subset exists. */
#include <string.h>

#include "context.h"
#include "drop.h"
#include "error.h"
#include "list.h"
#include "mem.h"
#include "op2/matrix.h"
#include "slices.h"

op2_map op2i_sparsity_dropped(const struct op2_sparsity_s *sparsity, op2_map of, op2_set subset,
                              int side) {
  for (int64_t k = 0; k < sparsity->ndropped; k++) {
    const struct op2i_dropped *d = &sparsity->dropped[k];
    if (d->of == of && d->subset == subset->obj.id && d->side == side) return d->drop;
  }
  return NULL;
}

static const struct op2i_pair *pair_of(const struct op2_sparsity_s *sparsity, op2_map rows,
                                       op2_map columns) {
  const struct op2i_pair *pair = sparsity->pairs;
  while (pair->rows != rows || pair->columns != columns) pair++;
  return pair;
}

/* Let entries in flagged rows or columns point to spare elements, so that what elements add there is
 * lost. */
static void drop_entries(const struct op2_sparsity_s *sparsity, const struct op2i_pair *pair,
                         const int32_t *flag, int side, int32_t *entries) {
  const int nrows = pair->rows->arity, ncolumns = pair->columns->arity;
  const int64_t n = op2i_map_rows(pair->rows);
  for (int64_t e = 0; e < n; e++)
    for (int i = 0; i < nrows; i++) {
      const int32_t row = op2i_map_target(pair->rows, e * nrows + i);
      const bool whole = side & OP2_ROWS && flag[row];
      for (int j = 0; j < ncolumns; j++, entries++)
        if (whole || (side & OP2_COLUMNS && flag[op2i_map_target(pair->columns, e * ncolumns + j)]))
          *entries = op2i_sparsity_spare(sparsity, row);
    }
}

/* The side in the sparsity's own sense. */
static int kept_side(const struct op2_sparsity_s *sparsity, int side) {
  if (!sparsity->flipped || side == OP2_ROWS_AND_COLUMNS) return side;
  return side == OP2_ROWS ? OP2_COLUMNS : OP2_ROWS;
}

static op2_status make_dropped(op2_sparsity sparsity, const struct op2i_pair *pair,
                               const int32_t *flag, struct op2i_dropped *out) {
  const op2_map all = pair->nonzeros;
  const size_t bytes =
      (size_t)all->from->ends[OP2I_NONEXEC] * (size_t)all->arity * sizeof *all->idx;
  if (op2i_grow(&sparsity->dropped, sizeof *sparsity->dropped, sparsity->ndropped,
                &sparsity->dropped_capacity))
    return op2i_error_nomem("the rows that a matrix leaves out");
  int32_t *entries = op2i_alloc_raw(bytes);
  if (!entries) return op2i_error_nomem("the rows that a matrix leaves out");
  if (bytes) memcpy(entries, all->idx, bytes);
  drop_entries(sparsity, pair, flag, kept_side(sparsity, out->side), entries);
  return op2i_sparsity_make_map(sparsity, pair, entries, &out->drop);
}

op2_status op2i_sparsity_need_dropped(op2_sparsity sparsity, op2_map rows, op2_map columns,
                                      op2_set subset, int side) {
  const struct op2i_pair *pair =
      sparsity->flipped ? pair_of(sparsity, columns, rows) : pair_of(sparsity, rows, columns);
  struct op2i_dropped made = {.subset = subset->obj.id, .side = side, .of = pair->nonzeros};
  const int32_t *flag = NULL;
  if (op2i_sparsity_dropped(sparsity, pair->nonzeros, subset, side)) return OP2_SUCCESS;
  op2_status status = op2i_sparsity_flags(sparsity, subset, "op2_arg_mat_drop", &flag);
  if (!status) status = make_dropped(sparsity, pair, flag, &made);
  status = op2i_context_agree(sparsity->obj.ctx, status);
  if (status)
    op2i_unref(made.drop);
  else
    sparsity->dropped[sparsity->ndropped++] = made;
  return status;
}

void op2i_sparsity_forget_dropped(op2_sparsity sparsity, int64_t subset) {
  int64_t kept = 0;
  for (int64_t k = 0; k < sparsity->ndropped; k++) {
    if (subset && sparsity->dropped[k].subset != subset)
      sparsity->dropped[kept++] = sparsity->dropped[k];
    else
      op2i_unref(sparsity->dropped[k].drop);
  }
  sparsity->ndropped = kept;
  if (subset) return;
  op2i_free(sparsity->dropped);
}
