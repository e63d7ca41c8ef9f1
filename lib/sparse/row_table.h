/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_ROW_TABLE_H
#define OP2I_ROW_TABLE_H

/* Making row tables (mesh.h) that are not those of a matrix. */

#include "mesh.h"

struct op2i_row_table {
  int64_t nrows;
  int32_t rows_per_slice; /* 1 or OP2I_SLICE */
  int32_t *length;        /* [nrows] entries of each row: counted first, then how many are set */
  int32_t *table, *entry; /* where rows begin; their entries */
};

/* Make the lengths, which are 0. op2i_row_table_close() frees what is left, also after failures. */
op2_status op2i_row_table_open(struct op2i_row_table *t);
/* Lay out rows of the lengths that were counted, which begin at 0 again; in slices, where these pay
 * on all ranks. Collective. */
op2_status op2i_row_table_lay_out(op2_context ctx, struct op2i_row_table *t);
/* Give padding entries of slices a valid element. */
void op2i_row_table_pad(struct op2i_row_table *t);
/* The place of the next entry of a row. */
static inline int64_t op2i_row_table_next(struct op2i_row_table *t, int64_t row) {
  return op2i_entry(op2i_row_entries(t->table, t->rows_per_slice, row), t->length[row]++);
}
/* Make maps of a table, which take over its memory: where the rows of elements of `from` begin, and
 * the elements of `to` that are their entries. No set lists them. */
op2_status op2i_row_table_maps(struct op2i_row_table *t, op2_set from, op2_set to, const char *name,
                               op2_map *first, op2_map *entries);
void op2i_row_table_close(struct op2i_row_table *t);

#endif
