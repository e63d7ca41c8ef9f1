/* SPDX-License-Identifier: BSD-3-Clause */
/* Datasets of a file, over all ranks: the leader creates a new one, and every rank reads or writes
 * its rows. */
#include <stdio.h>
#include <string.h>

#include "io_file.h"

/* ---- reading --------------------------------------------------------------------------------- */

op2_status op2i_dataset_read(op2_file file, struct op2i_dataset *what, int64_t first, int64_t n,
                             void *values, op2_status status) {
  status = op2i_file_agree_on(file, what, status);
  what->call = NULL;
  if (!status) status = op2i_file_refresh(file);
  if (status) return status;
  return op2i_file_agree(file, file->format->read(file, what, first, n, values));
}

op2_status op2i_dataset_shape(op2_file file, struct op2i_dataset *what, op2_status status) {
  status = op2i_file_agree_on(file, what, status);
  if (!status) status = op2i_file_refresh(file);
  return status ? status : op2i_file_agree(file, file->format->shape(file, what));
}

op2_status op2i_dataset_has(op2_file file, struct op2i_dataset *what, bool *has,
                            op2_status status) {
  const struct op2i_file_format *format = file->format;
  status = op2i_file_agree_on(file, what, status);
  if (!status) status = op2i_file_refresh(file);
  if (status) return status;
  const bool mine = format->has ? format->has(file, what->name) : !format->shape(file, what);
  bool first = mine;
  if (file->comm) status = file->op2->share(file->comm, 0, &first, sizeof first);
  if (!status && mine != first)
    status = op2i_file_error(file, what, OP2_ERR_IO,
                             "is in the file of some ranks only: ranks see different files");
  status = op2i_file_agree(file, status);
  if (!status) *has = mine;
  return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

static size_t row_bytes(op2_file file, const struct op2i_dataset *what) {
  return (size_t)(what->columns ? what->columns : 1) *
         file->op2->type_size(what->wide ? OP2_I64 : what->type);
}

/* The dataset that the leader has created, for all ranks: programs that diverge would write
 * different datasets here. */
struct made {
  int64_t offset, rows, columns, type;
  bool begun; /* the file has it, complete or not */
  char name[128];
};

static void note_shape(const struct op2i_dataset *what, struct made *made) {
  made->rows = what->rows;
  made->columns = what->columns;
  made->type = what->wide ? OP2_I64 : what->type;
  snprintf(made->name, sizeof made->name, "%s", what->name);
}

/* Find the dataset whose values are replaced. *found stays false if the file has none. */
static op2_status find(op2_file file, const struct op2i_dataset *what, struct made *made,
                       bool *found) {
  if (!what->replaces) return OP2_SUCCESS;
  if (!file->format->find)
    return op2i_file_error(file, what, OP2_ERR_UNAVAILABLE,
                           "cannot be replaced in files of the format %s", file->format->name);
  op2_status status = file->format->find(file, what, &made->offset);
  *found = !status && made->offset >= 0;
  made->begun = *found;
  return status;
}

static op2_status lead(op2_file file, const struct op2i_dataset *what, struct made *made) {
  bool found = false;
  op2_status status = find(file, what, made, &found);
  if (!status && !found) status = file->format->make(file, what, &made->offset, &made->begun);
  note_shape(what, made);
  if (!status && !found && what->rows)
    op2i_io_part_reserve(&file->part, made->offset, what->rows * (int64_t)row_bytes(file, what));
  made->begun = made->begun || file->part.failed != 0;
  return status ? status : op2i_file_fault(file, what);
}

static op2_status compare_shapes(op2_file file, const struct op2i_dataset *what,
                                 const struct made *made) {
  struct made mine = {.begun = false};
  note_shape(what, &mine);
  if (mine.rows == made->rows && mine.columns == made->columns && mine.type == made->type &&
      strcmp(mine.name, made->name) == 0)
    return OP2_SUCCESS;
  return op2i_file_error(file, what, OP2_ERR_MISMATCH,
                         "is written here, and '%s' on rank 0, or in another shape or type",
                         made->name);
}

/* Record that a dataset is incomplete: such a file must not replace the former one. */
static op2_status give_up(op2_file file, op2_status status) {
  file->broken = true;
  snprintf(file->why, sizeof file->why, "%.399s", op2_error_message());
  return status;
}

/* Rows that follow each other in the file are written at once. */
static void write_runs(op2_file file, const struct op2i_dataset *what, int64_t offset,
                       int64_t nruns, const struct op2i_file_run *runs, const void *values) {
  const size_t row = row_bytes(file, what);
  const char *from = values;
  for (int64_t r = 0; r < nruns;) {
    struct op2i_file_run run = runs[r++];
    while (r < nruns && runs[r].first == run.first + run.n) run.n += runs[r++].n;
    if (run.n > 0)
      op2i_io_part_write(&file->part, from, (size_t)run.n * row, offset + run.first * (int64_t)row);
    from += (size_t)run.n * row;
  }
}

op2_status op2i_dataset_write_runs(op2_file file, const struct op2i_dataset *what, int64_t nruns,
                                   const struct op2i_file_run *runs, const void *values,
                                   op2_status status) {
  struct made made = {.begun = false};
  status = op2i_file_agree_on(file, what, status);
  if (status) return status;
  if (op2i_file_leads(file)) status = lead(file, what, &made);
  if (file->comm) {
    op2_status shared = file->op2->share(file->comm, 0, &made, sizeof made);
    if (!status) status = shared;
    if (!status && !op2i_file_leads(file)) status = compare_shapes(file, what, &made);
    status = op2i_file_agree(file, status);
  }
  file->stale = file->stale || made.begun;
  if (status) return made.begun ? give_up(file, status) : status;
  write_runs(file, what, made.offset, nruns, runs, values);
  status = op2i_file_agree(file, op2i_file_fault(file, what));
  return status ? give_up(file, status) : status;
}

op2_status op2i_dataset_write(op2_file file, const struct op2i_dataset *what, int64_t first,
                              int64_t n, const void *values, op2_status status) {
  const struct op2i_file_run run = {first, n};
  return op2i_dataset_write_runs(file, what, 1, &run, values, status);
}
