/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SLICES_H
#define OP2I_SLICES_H

#include "sparse.h"

/* Rows of matrices in slices, and the nonzeros of a row. */

/* row_nonzeros.c: the nonzeros of the rows of a subset. With `diagonal`, also those on the
 * diagonal, which each row must have; with `columns`, also those of the subset's columns, where
 * rows and columns are of one set. Messages name `call`. *nonzeros is valid until the next call.
 * Collective. */
struct op2i_row_request {
  const char *call;
  op2_set rows;
  bool diagonal, columns;
};
op2_status op2i_sparsity_row_nonzeros(op2_sparsity sparsity, const struct op2i_row_request *request,
                                      const struct op2i_row_nonzeros **nonzeros);
void op2i_sparsity_free_row_nonzeros(op2_sparsity sparsity);
/* 1 for each element of a subset of the rows or columns and 0 for others, on this rank and in the
 * library's order. Messages name `call`. Valid until the next call. Collective. */
op2_status op2i_sparsity_flags(op2_sparsity sparsity, op2_set subset, const char *call,
                               const int32_t **flags);
/* slices.c: how rows are laid out. */
/* The number of entries that rows of these lengths take in slices, with padding; -1: a row is too
 * long. */
int64_t op2i_slices_size(int64_t nrows, const int32_t *length);
/* True if slices pay for a sparsity with nnz nonzeros, which takes `size` entries in slices. */
bool op2i_slices_pay(op2_context ctx, int64_t nnz, int64_t size);
/* The number of entries reserved for slices of this size, so that they fit in any order of rows. */
int64_t op2i_slices_room(int64_t nnz, int64_t size);
/* Set a row table for rows of these lengths. */
void op2i_row_table_fill(int32_t rows_per_slice, int64_t nrows, const int32_t *length,
                         int32_t *table);
/* Give padding entries a valid column: one of their row, or else of their slice. */
void op2i_slices_pad(int64_t nrows, const int32_t *table, int32_t *column);

#endif
