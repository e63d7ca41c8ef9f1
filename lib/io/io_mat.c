/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparsities and matrices in files, in CSR form: rows and columns by global numbers, both
 * ascending. Each rank writes the rows that it owns to their places; it reads a block of the rows,
 * and op2_mat_set() brings these to their owners. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io_all.h"
#include "io_numbers.h"
#include "mesh.h"
#include "op2/matrix.h"
#include "op2/ranks.h"

/* NAME/part; the caller's memory. */
static op2_status part_name(op2_file file, const char *name, const char *part, char **out) {
  const size_t room = strlen(name) + strlen(part) + 2;
  char *text = file->op2->calloc(room, 1);
  if (text) snprintf(text, room, "%s/%s", name, part);
  *out = text;
  return op2i_file_agree(file, text ? OP2_SUCCESS : file->op2->error_nomem("a name"));
}

/* A dataset of one dimension; for reading, `columns` becomes 1. */
static struct op2i_dataset numbers_of(const char *name, int64_t rows, bool wide) {
  return (struct op2i_dataset){.kind = "pattern",
                               .name = name,
                               .type = OP2_I32,
                               .rows = rows,
                               .wide = wide,
                               .size = -1,
                               .bare = true};
}

static bool beyond_int(int64_t n) { return n > (int64_t)INT32_MAX + 1; }

/* ---- writing --------------------------------------------------------------------------------- */

/* The rows of a sparsity: where each begins among all nonzeros. A dense row is kept by columns, so
 * "rows" are then columns, of at most one nonzero each: it begins where the nonzero is in the dense
 * row. */
struct layout {
  int64_t nrows, nnz;         /* on this rank, by the program's order of rows */
  int64_t first, n;           /* this rank's block of all rows */
  int64_t nall;               /* nonzeros on all ranks */
  int64_t *starts;            /* [nrows + 1] of the rows among the nonzeros on this rank */
  int64_t *columns;           /* as op2_sparsity_get() returns them */
  int64_t *own;               /* by the library's order of rows: lengths, and then starts */
  int64_t *block;             /* [n + 1] the same for the block, and the end of its last row */
  struct op2i_file_run *runs; /* [nrows] the rows in the file, by the program's order */
};

static void close_layout(op2_file file, struct layout *l) {
  file->op2->free(l->starts);
  file->op2->free(l->columns);
  file->op2->free(l->own);
  file->op2->free(l->block);
  file->op2->free(l->runs);
}

/* The nonzeros of a dense row are in the program's order of columns. */
static void start_columns(const struct op2_sparsity_s *sparsity, int64_t *starts) {
  for (int64_t i = 0; i < sparsity->nrows; i++)
    starts[op2i_set_place(sparsity->rows, i) + 1] = op2i_sparsity_row(sparsity, i).n;
  for (int64_t i = 0; i < sparsity->nrows; i++) starts[i + 1] += starts[i];
}

static op2_status allocate(op2_file file, op2_sparsity sparsity, struct layout *l) {
  const struct op2i_companion *op2 = file->op2;
  *l = (struct layout){0};
  op2_status status = op2_sparsity_size(sparsity, NULL, &l->nnz);
  l->nrows = sparsity->nrows;
  op2i_file_block(file, op2_set_global_size(sparsity->rows), &l->first, &l->n);
  l->starts = op2->calloc((size_t)l->nrows + 1, sizeof *l->starts);
  l->columns = op2->calloc((size_t)l->nnz + 1, sizeof *l->columns);
  l->own = op2->calloc((size_t)op2i_file_rows_of(sparsity->rows) + 1, sizeof *l->own);
  l->block = op2->calloc((size_t)l->n + 1, sizeof *l->block);
  l->runs = op2->calloc((size_t)l->nrows + 1, sizeof *l->runs);
  if (!status && !(l->starts && l->columns && l->own && l->block && l->runs))
    status = op2->error_nomem("the rows of a matrix");
  if (!status)
    status = op2_sparsity_get(sparsity, sparsity->flipped ? NULL : l->starts, l->columns);
  if (!status && sparsity->flipped) start_columns(sparsity, l->starts);
  return op2i_file_agree(file, status);
}

/* Rows that this rank does not own, in the halo sections of a program without ranks, are empty. */
static void count(const struct op2_set_s *rows, struct layout *l) {
  for (int64_t i = 0; i < op2i_file_rows_of(rows); i++) {
    const int64_t place = op2i_set_place(rows, i);
    l->own[i] = place < l->nrows ? l->starts[place + 1] - l->starts[place] : 0;
  }
}

static void make_runs(const struct op2_set_s *rows, struct layout *l) {
  for (int64_t i = 0; i < op2i_file_rows_of(rows); i++) {
    const int64_t place = op2i_set_place(rows, i);
    if (place >= l->nrows) continue;
    l->runs[place] = (struct op2i_file_run){l->own[i], l->starts[place + 1] - l->starts[place]};
  }
}

static op2_status open_layout(op2_file file, op2_sparsity sparsity, struct layout *l) {
  const size_t bytes = sizeof *l->own;
  const op2_set rows = sparsity->rows;
  int64_t before = 0, sum = 0;
  op2_status status = allocate(file, sparsity, l);
  if (!status) count(rows, l);
  if (!status) status = file->op2->block_get(rows, bytes, l->own, l->first, l->n, l->block);
  for (int64_t i = 0; !status && i < l->n; i++) sum += l->block[i];
  if (!status) status = op2i_file_place(file, sum, &before, &l->nall);
  for (int64_t i = 0; !status && i <= l->n; i++) {
    const int64_t length = l->block[i];
    l->block[i] = before;
    before += length;
  }
  if (!status) status = file->op2->block_put(rows, bytes, l->first, l->n, l->block, l->own);
  if (!status) make_runs(rows, l);
  return status;
}

static op2_status write_starts(op2_file file, op2_sparsity sparsity, struct layout *l) {
  const int64_t nrows = op2_set_global_size(op2i_sparsity_row_set(sparsity));
  int64_t dense[] = {0, l->nall}, first = l->first, n = l->n, *starts = l->block;
  char *name = NULL;
  op2_status status = part_name(file, sparsity->obj.name, "starts", &name);
  struct op2i_dataset what = numbers_of(name, nrows + 1, beyond_int(l->nall + 1));
  if (sparsity->flipped) {
    op2i_file_block(file, nrows, &first, &n);
    starts = dense + first;
  }
  n += !file->comm || file->comm->rank == file->comm->size - 1; /* the end of the last row */
  if (!status) {
    op2i_numbers_narrow(&what, n, starts);
    status = op2i_dataset_write(file, &what, first, n, starts, status);
  }
  file->op2->free(name);
  return status;
}

static op2_status write_columns(op2_file file, op2_sparsity sparsity, struct layout *l) {
  char *name = NULL;
  op2_status status = part_name(file, sparsity->obj.name, "columns", &name);
  struct op2i_dataset what = numbers_of(
      name, l->nall, beyond_int(op2_set_global_size(op2i_sparsity_column_set(sparsity))));
  if (!status) {
    op2i_numbers_narrow(&what, l->nnz, l->columns);
    status = op2i_dataset_write_runs(file, &what, l->nrows, l->runs, l->columns, status);
  }
  file->op2->free(name);
  return status;
}

op2_status op2i_sparsity_write(op2_file file, op2_sparsity sparsity) {
  struct layout l;
  op2_status status = open_layout(file, sparsity, &l);
  if (!status) status = write_starts(file, sparsity, &l);
  if (!status) status = write_columns(file, sparsity, &l);
  close_layout(file, &l);
  return status;
}

static struct op2i_dataset values_of(const char *name, op2_type type, int64_t rows, int columns,
                                     size_t bytes) {
  return (struct op2i_dataset){.kind = "matrix",
                               .name = name,
                               .type = type,
                               .rows = rows,
                               .columns = columns,
                               .size = (int64_t)bytes * columns};
}

op2_status op2i_mat_write(op2_file file, op2_mat mat) {
  const size_t bytes = file->op2->type_size(mat->type);
  const int columns = mat->row_dim * mat->column_dim;
  struct layout l;
  char *name = NULL;
  void *values = NULL;
  op2_status status = open_layout(file, mat->sparsity, &l);
  if (!status) status = part_name(file, mat->sparsity->obj.name, mat->obj.name, &name);
  if (!status) {
    values = file->op2->calloc((size_t)(l.nnz + 1) * (size_t)columns, bytes);
    status = op2i_file_agree(file, values ? OP2_SUCCESS
                                          : file->op2->error_nomem("the values of a matrix"));
  }
  /* The copy needs memory, so one rank alone may fail. */
  if (!status) status = op2i_file_agree(file, op2_mat_get(mat, values));
  if (!status) {
    const struct op2i_dataset what = values_of(name, mat->type, l.nall, columns, bytes);
    status = op2i_dataset_write_runs(file, &what, l.nrows, l.runs, values, status);
  }
  file->op2->free(values);
  file->op2->free(name);
  close_layout(file, &l);
  return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* A block of rows in a file: its starts, and for each nonzero its row, column and values. */
struct block {
  int64_t first, n, nall;
  int64_t *starts, *row, *column;
  void *values;
};

/* The rows follow each other, from 0 to the number of nonzeros. */
static op2_status check_starts(op2_file file, const struct op2i_dataset *what,
                               const struct block *b) {
  const int64_t last = what->rows - 1;
  if (b->first == 0 && b->starts[0] != 0)
    return op2i_file_error(file, what, OP2_ERR_RANGE,
                           "has the entry %" PRId64 " at row 0: the first row has to begin at 0",
                           b->starts[0]);
  for (int64_t i = 0; i < b->n; i++)
    if (b->starts[i + 1] < b->starts[i])
      return op2i_file_error(file, what, OP2_ERR_RANGE,
                             "has the entry %" PRId64 " at row %" PRId64 " after %" PRId64
                             ": rows have to follow each other",
                             b->starts[i + 1], b->first + i + 1, b->starts[i]);
  if (b->first + b->n == last && b->starts[b->n] != b->nall)
    return op2i_file_error(file, what, OP2_ERR_RANGE,
                           "has the entry %" PRId64 " at row %" PRId64
                           ": the last row has to end at %" PRId64 ", the number of nonzeros",
                           b->starts[b->n], last, b->nall);
  return OP2_SUCCESS;
}

/* All ranks share the nonzeros of a dense row, each a block of them. */
static void share_dense_row(op2_file file, struct block *b) {
  int64_t n = 0;
  op2i_file_block(file, b->nall, &b->starts[0], &n);
  b->starts[1] = b->starts[0] + n;
}

static op2_status read_starts(op2_file file, op2_sparsity sparsity, struct block *b) {
  const int64_t size = op2_set_global_size(op2i_sparsity_row_set(sparsity));
  char *name = NULL;
  b->n = 1;
  if (!sparsity->flipped) op2i_file_block(file, size, &b->first, &b->n);
  op2_status status = part_name(file, sparsity->obj.name, "starts", &name);
  struct op2i_dataset what = numbers_of(name, size + 1, true);
  what.columns = 1;
  if (!status) status = op2i_dataset_read(file, &what, 0, 0, NULL, OP2_SUCCESS);
  if (!status)
    status = op2i_numbers_read(file, &what, b->first, b->n + 1, 0, b->nall + 1, &b->starts);
  if (!status) status = op2i_file_agree(file, check_starts(file, &what, b));
  if (!status && sparsity->flipped) share_dense_row(file, b);
  file->op2->free(name);
  return status;
}

static op2_status read_columns(op2_file file, op2_sparsity sparsity, struct block *b) {
  const int64_t first = b->starts[0], n = b->starts[b->n] - first;
  char *name = NULL;
  op2_status status = part_name(file, sparsity->obj.name, "columns", &name);
  struct op2i_dataset what = numbers_of(name, b->nall, true);
  what.columns = 1;
  if (!status) status = op2i_dataset_read(file, &what, 0, 0, NULL, OP2_SUCCESS);
  if (!status)
    status = op2i_numbers_read(file, &what, first, n, 0,
                               op2_set_global_size(op2i_sparsity_column_set(sparsity)), &b->column);
  file->op2->free(name);
  return status;
}

static op2_status read_values(op2_file file, struct op2i_dataset *what, struct block *b) {
  const int64_t first = b->starts[0], n = b->starts[b->n] - first;
  const size_t bytes = (size_t)what->columns * file->op2->type_size(what->type);
  b->values = file->op2->calloc((size_t)n + 1, bytes);
  b->row = file->op2->calloc((size_t)n + 1, sizeof *b->row);
  op2_status status =
      b->values && b->row ? OP2_SUCCESS : file->op2->error_nomem("the values of a matrix");
  status = op2i_dataset_read(file, what, first, n, b->values, status);
  for (int64_t i = 0; !status && i < b->n; i++)
    for (int64_t k = b->starts[i]; k < b->starts[i + 1]; k++) b->row[k - first] = b->first + i;
  return status;
}

static op2_status read_rows(op2_file file, op2_sparsity sparsity, struct op2i_dataset *what,
                            op2_mat mat) {
  struct block b = {.nall = what->rows};
  op2_status status = read_starts(file, sparsity, &b);
  if (!status) status = read_columns(file, sparsity, &b);
  if (!status) status = read_values(file, what, &b);
  if (!status) status = op2_mat_set(mat, b.starts[b.n] - b.starts[0], b.row, b.column, b.values);
  file->op2->free(b.starts);
  file->op2->free(b.row);
  file->op2->free(b.column);
  file->op2->free(b.values);
  return status;
}

static op2_status read_mat(op2_file file, op2_sparsity sparsity, const char *dataset, int row_dim,
                           int column_dim, const char *name, op2_mat *mat) {
  int64_t nonzeros = 0;
  int columns = 0;
  op2_type type = OP2_F64;
  op2_status status = op2_file_shape(file, dataset, &nonzeros, &columns, &type);
  if (status) return status;
  struct op2i_dataset what =
      values_of(dataset, type, nonzeros, row_dim * column_dim, file->op2->type_size(type));
  status = op2i_dataset_read(file, &what, 0, 0, NULL, OP2_SUCCESS);
  if (!status) status = op2_mat_create(sparsity, row_dim, column_dim, type, name, mat);
  return status ? status : read_rows(file, sparsity, &what, *mat);
}

op2_status op2i_mat_read(op2_file file, op2_sparsity sparsity, int row_dim, int column_dim,
                         const char *name, op2_mat *out) {
  char *dataset = NULL;
  op2_mat mat = NULL;
  op2_status status = part_name(file, sparsity->obj.name, name, &dataset);
  if (!status) status = read_mat(file, sparsity, dataset, row_dim, column_dim, name, &mat);
  file->op2->free(dataset);
  if (status)
    op2_mat_destroy(&mat);
  else
    *out = mat;
  return status;
}
