/* SPDX-License-Identifier: BSD-3-Clause */
/* Row tables. */
#include "row_table.h"

#include <string.h>

#include "comm.h"
#include "context.h"
#include "error.h"
#include "map.h"
#include "mem.h"
#include "slices.h"

op2_status op2i_row_table_open(struct op2i_row_table *t) {
  t->length = op2i_calloc((size_t)t->nrows, sizeof *t->length);
  return t->length ? OP2_SUCCESS : op2i_error_nomem("a table of rows");
}

static op2_status allocate(struct op2i_row_table *t, int64_t size) {
  if (size > INT32_MAX)
    return op2i_error(OP2_ERR_RANGE, "a table of rows has more than 2^31 entries");
  const int64_t n = op2i_row_table_size(t->rows_per_slice, t->nrows);
  t->table = op2i_alloc_raw((size_t)n * sizeof *t->table);
  t->entry = op2i_alloc_raw((size_t)size * sizeof *t->entry);
  return t->table && t->entry ? OP2_SUCCESS : op2i_error_nomem("a table of rows");
}

op2_status op2i_row_table_lay_out(op2_context ctx, struct op2i_row_table *t) {
  int64_t end = 0;
  for (int64_t row = 0; row < t->nrows; row++) end += t->length[row];
  const int64_t size = op2i_slices_size(t->nrows, t->length);
  int64_t slices = size >= 0 && op2i_slices_pay(ctx, end, size);
  op2_status status = ctx->comm ? op2i_comm_least(ctx->comm, 1, &slices) : OP2_SUCCESS;
  t->rows_per_slice = slices ? OP2I_SLICE : 1;
  if (!status) status = op2i_context_agree(ctx, allocate(t, slices ? size : end));
  if (status) return status;
  op2i_row_table_fill(t->rows_per_slice, t->nrows, t->length, t->table);
  memset(t->length, 0, (size_t)t->nrows * sizeof *t->length);
  return OP2_SUCCESS;
}

void op2i_row_table_pad(struct op2i_row_table *t) {
  if (t->rows_per_slice > 1) op2i_slices_pad(t->nrows, t->table, t->entry);
}

op2_status op2i_row_table_maps(struct op2i_row_table *t, op2_set from, op2_set to, const char *name,
                               op2_map *first, op2_map *entries) {
  const int64_t n = op2i_row_table_size(t->rows_per_slice, t->nrows),
                size = op2i_row_table_end(t->table, t->rows_per_slice, t->nrows);
  int32_t *table = t->table, *entry = t->entry;
  t->table = t->entry = NULL;
  op2_status status = op2i_map_make_rows(from, to, table, n, name, first);
  if (status) {
    op2i_free_data(entry);
    return status;
  }
  (*first)->rows_per_slice = t->rows_per_slice;
  status = op2i_map_make_rows(from, to, entry, size, name, entries);
  if (!status) (*entries)->first = op2i_ref(*first);
  return status;
}

void op2i_row_table_close(struct op2i_row_table *t) {
  op2i_free(t->length);
  op2i_free_data(t->table);
  op2i_free_data(t->entry);
}
