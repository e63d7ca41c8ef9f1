/* SPDX-License-Identifier: BSD-3-Clause */
/* The storage layout of the rows of a matrix: one after the other (CSR), or in slices of OP2I_SLICE
 * rows (SELL), whose rows are stored side by side, so that a vector register loads one entry of
 * each row. */
#include "slices.h"
#include "context.h"
#include "sparse.h"

static int64_t slices_of(int64_t nrows) { return (nrows + OP2I_SLICE - 1) / OP2I_SLICE; }

/* The length of the longest row of a slice. */
static int64_t longest(int64_t nrows, const int32_t *length, int64_t slice) {
  int64_t most = 0;
  for (int64_t row = slice * OP2I_SLICE; row < nrows && row < (slice + 1) * OP2I_SLICE; row++)
    most = length[row] > most ? length[row] : most;
  return most;
}

int64_t op2i_slices_size(int64_t nrows, const int32_t *length) {
  int64_t size = 0;
  for (int64_t slice = 0; slice < slices_of(nrows); slice++) {
    int64_t most = longest(nrows, length, slice);
    if (most > OP2I_SLICE_LONGEST) return -1;
    size += most * OP2I_SLICE;
  }
  return size;
}

/* Padding of slices moves through memory as values do, so there must not be much of it; LEAST
 * allows for small matrices, where the last slice matters. PETSc uses rows in place if they are
 * stored one after the other, and scalar code gains nothing from slices. */
bool op2i_slices_pay(op2_context ctx, int64_t nnz, int64_t size) {
  enum { LEAST = 64 };
  const struct op2i_config *config = &ctx->config;
  if (config->slices >= 0) return config->slices > 0;
  if (ctx->engine || (!config->simd_bytes && !ctx->device)) return false;
  return size <= nnz + nnz / 5 + LEAST;
}

int64_t op2i_slices_room(int64_t nnz, int64_t size) { return size + (size - nnz) / 8; }

void op2i_row_table_fill(int32_t rows_per_slice, int64_t nrows, const int32_t *length,
                         int32_t *table) {
  int64_t end = 0;
  if (rows_per_slice == 1) {
    for (int64_t row = 0; row < nrows; end += length[row++]) table[row] = (int32_t)end;
    table[nrows] = (int32_t)end;
    return;
  }
  for (int64_t s = 0; s < slices_of(nrows); s++) {
    int32_t *record = table + s * OP2I_SLICE_RECORD;
    unsigned char *lengths = (unsigned char *)(record + 1);
    record[0] = (int32_t)end;
    for (int64_t side = 0; side < OP2I_SLICE; side++) {
      int64_t row = s * OP2I_SLICE + side;
      lengths[side] = (unsigned char)(row < nrows ? length[row] : 0);
    }
    end += longest(nrows, length, s) * OP2I_SLICE;
  }
  table[op2i_row_table_size(rows_per_slice, nrows) - 1] = (int32_t)end;
}

/* The first column of some row of the slice that is not empty. There is one, since only slices
 * whose longest row has entries are padded. */
static int32_t some_column(const int32_t *record, const int32_t *column) {
  const unsigned char *length = op2i_slice_lengths(record);
  int side = 0;
  while (!length[side]) side++;
  return column[record[0] + side];
}

void op2i_slices_pad(int64_t nrows, const int32_t *table, int32_t *column) {
  for (int64_t s = 0; s < slices_of(nrows); s++) {
    const int32_t *record = table + s * OP2I_SLICE_RECORD;
    const unsigned char *length = op2i_slice_lengths(record);
    int64_t width = (record[OP2I_SLICE_RECORD] - record[0]) / OP2I_SLICE;
    for (int side = 0; side < OP2I_SLICE; side++) {
      int32_t *first = column + record[0] + side;
      int64_t n = length[side];
      if (n == width) continue;
      int32_t own = n ? first[0] : some_column(record, column);
      for (int64_t k = n; k < width; k++) first[k * OP2I_SLICE] = own;
    }
  }
}
