/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of a matrix from the host, by global rows and columns. Each rank may give values of any
 * rows: they are sent to the owners. All of them are found before the first one is stored, so that a
 * call that fails changes nothing on any rank. */
#include <inttypes.h>
#include <string.h>

#include "comm_parcel.h"
#include "context.h"
#include "error.h"
#include "mail.h"
#include "mem.h"
#include "numbers.h"
#include "sparse.h"

/* The blocks of a call. A record is a row, a column and the values of the block; rows and columns are
 * those of the sparsity, which may be flipped. */
struct put {
  const char *call;
  op2_mat mat;
  bool adds;
  size_t bytes, record; /* of a block, and of a record */
  int64_t n;            /* the records for rows of this rank, by the rank that gave them */
  char *records;        /* [n] */
  int64_t *nonzero;     /* [n] */
};

static op2_status no_memory(void) { return op2i_error_nomem("values of a matrix"); }

static int64_t number_of(const struct put *p, int64_t i, int which) {
  int64_t number;
  memcpy(&number, p->records + (size_t)i * p->record + (size_t)which * sizeof number,
         sizeof number);
  return number;
}

static op2_status check(const struct put *p, const int64_t *rows, const int64_t *columns,
                        const void *values) {
  const struct op2_set_s *of = p->mat->sparsity->rows;
  const int64_t all = of->halo ? of->halo->global_size : of->ends[OP2I_OWNED];
  if (p->n < 0)
    return op2i_error(OP2_ERR_ARG, "%s, matrix '%s': %" PRId64 " blocks", p->call, p->mat->obj.name,
                      p->n);
  if (p->n && (!rows || !columns || !values))
    return op2i_error(OP2_ERR_ARG, "%s, matrix '%s': a null pointer", p->call, p->mat->obj.name);
  for (int64_t i = 0; i < p->n; i++)
    if (rows[i] < 0 || rows[i] >= all)
      return op2i_error(OP2_ERR_RANGE,
                        "%s, matrix '%s': %s %" PRId64 " (number %" PRId64
                        " of the list) is not in [0, %" PRId64 ")",
                        p->call, p->mat->obj.name, p->mat->sparsity->flipped ? "column" : "row",
                        rows[i], i, all);
  return OP2_SUCCESS;
}

static op2_status make_records(struct put *p, const int64_t *rows, const int64_t *columns,
                               const void *values) {
  p->records = op2i_malloc((size_t)p->n * p->record);
  if (!p->records) return no_memory();
  for (int64_t i = 0; i < p->n; i++) {
    char *record = p->records + (size_t)i * p->record;
    memcpy(record, &rows[i], sizeof *rows);
    memcpy(record + sizeof *rows, &columns[i], sizeof *columns);
    memcpy(record + sizeof *rows + sizeof *columns, (const char *)values + (size_t)i * p->bytes,
           p->bytes);
  }
  return OP2_SUCCESS;
}

/* ---- among ranks ----------------------------------------------------------------------------- */

/* Find the owners of rows. Collective. */
static op2_status find_owners(const struct op2_set_s *set, int64_t n, const int64_t *rows,
                              int32_t *owner) {
  struct op2i_comm *comm = set->obj.ctx->comm;
  const int64_t owned = set->ends[OP2I_OWNED];
  struct op2i_table table = {0};
  int64_t *number = op2i_malloc((size_t)owned * sizeof *number);
  int32_t *rank = op2i_malloc((size_t)owned * sizeof *rank);
  op2_status status = op2i_comm_agree(comm, number && rank ? OP2_SUCCESS : no_memory());
  for (int64_t i = 0; i < owned && !status; i++) {
    number[i] = op2i_set_number(set, i);
    rank[i] = comm->rank;
  }
  if (!status)
    status = op2i_table_open(comm, set->obj.name, set->halo->global_size, sizeof *rank, &table);
  if (!status) status = op2i_table_put(&table, owned, number, rank);
  if (!status) status = op2i_table_get(&table, n, rows, owner);
  op2i_table_close(&table);
  op2i_free(number);
  op2i_free(rank);
  return status;
}

/* Replace the records that this rank has given by those for its rows. Collective. */
static op2_status exchange(struct put *p, const int64_t *rows) {
  const struct op2_set_s *set = p->mat->sparsity->rows;
  struct op2i_parcels in = {0};
  int32_t *owner = op2i_malloc((size_t)p->n * sizeof *owner);
  op2_status status = op2i_comm_agree(set->obj.ctx->comm, owner ? OP2_SUCCESS : no_memory());
  if (!status) status = find_owners(set, p->n, rows, owner);
  if (!status) status = op2i_mail_send(set->obj.ctx->comm, p->n, owner, p->record, p->records, &in);
  op2i_free(owner);
  if (status) return status;
  size_t bytes = 0;
  for (int64_t k = 0; k < in.n; k++) bytes += in.parcel[k].bytes;
  op2i_free(p->records);
  p->n = (int64_t)(bytes / p->record);
  p->records = op2i_malloc(bytes);
  char *at = p->records;
  for (int64_t k = 0; k < in.n && at; at += in.parcel[k++].bytes)
    memcpy(at, in.parcel[k].data, in.parcel[k].bytes);
  op2i_parcels_free(&in);
  return p->records ? OP2_SUCCESS : no_memory();
}

/* ---- nonzeros -------------------------------------------------------------------------------- */

/* The library's numbers of the owned rows, by the program's global ones. */
static op2_status list_rows(const struct op2_set_s *set, struct op2i_numbers *rows) {
  const int64_t owned = set->ends[OP2I_OWNED];
  int64_t *number = op2i_malloc((size_t)owned * sizeof *number);
  if (!number) return no_memory();
  for (int64_t i = 0; i < owned; i++) number[i] = op2i_set_number(set, i);
  op2_status status = op2i_numbers_add(rows, owned, number);
  if (!status) status = op2i_numbers_close(rows);
  for (int64_t i = 0; i < owned && !status; i++)
    rows->is[op2i_numbers_at(rows, number[i])] = (int32_t)i;
  op2i_free(number);
  return status;
}

static int64_t find_nonzero(const struct op2_sparsity_s *sparsity, int64_t row, int64_t column) {
  const struct op2i_entries entries = op2i_sparsity_row(sparsity, row);
  for (int64_t k = 0; k < entries.n; k++) {
    const int64_t nonzero = op2i_entry(entries, k);
    if (op2i_set_number(sparsity->columns, sparsity->column[nonzero]) == column) return nonzero;
  }
  return -1;
}

static op2_status find_nonzeros(struct put *p) {
  const struct op2_sparsity_s *sparsity = p->mat->sparsity;
  struct op2i_numbers rows = {0};
  p->nonzero = op2i_malloc((size_t)p->n * sizeof *p->nonzero);
  op2_status status = p->nonzero ? list_rows(sparsity->rows, &rows) : no_memory();
  for (int64_t i = 0; i < p->n && !status; i++) {
    const int64_t row = number_of(p, i, 0), column = number_of(p, i, 1);
    const bool flipped = sparsity->flipped;
    p->nonzero[i] = find_nonzero(sparsity, rows.is[op2i_numbers_at(&rows, row)], column);
    if (p->nonzero[i] < 0)
      status = op2i_error(OP2_ERR_RANGE,
                          "%s, matrix '%s': sparsity '%s' has no place in row %" PRId64
                          ", column %" PRId64,
                          p->call, p->mat->obj.name, sparsity->obj.name, flipped ? column : row,
                          flipped ? row : column);
  }
  op2i_numbers_free(&rows);
  return status;
}

/* ---- values ---------------------------------------------------------------------------------- */

static void add(op2_type type, size_t bytes, const void *more, void *values) {
  const size_t n = bytes / op2i_type_size(type);
  for (size_t i = 0; i < n; i++) {
    double wide;
    float narrow;
    if (type == OP2_F64) {
      memcpy(&wide, (const double *)more + i, sizeof wide);
      ((double *)values)[i] += wide;
    } else {
      memcpy(&narrow, (const float *)more + i, sizeof narrow);
      ((float *)values)[i] += narrow;
    }
  }
}

static op2_status store(const struct put *p) {
  op2_dat dat = p->mat->values;
  void *open = NULL;
  op2_status status = op2i_dat_open(dat, OP2_RW, p->call, &open);
  if (status) return status;
  for (int64_t i = 0; i < p->n; i++) {
    char *to = (char *)open + (size_t)p->nonzero[i] * p->bytes;
    const char *from = p->records + (size_t)i * p->record + 2 * sizeof(int64_t);
    if (p->adds)
      add(p->mat->type, p->bytes, from, to);
    else
      memcpy(to, from, p->bytes);
  }
  return op2i_dat_close(dat, OP2_RW, p->call);
}

static op2_status put(op2_mat mat, const char *call, bool adds, int64_t n, const int64_t *rows,
                      const int64_t *columns, const void *values) {
  op2i_object_call(mat, OP2I_MAT, call, NULL, 0);
  op2_status status = op2i_object_validate(mat, OP2I_MAT, call);
  if (status) return status;
  op2_context ctx = mat->obj.ctx;
  if (mat->sparsity->flipped) {
    const int64_t *given = rows;
    rows = columns;
    columns = given;
  }
  struct put p = {.call = call, .mat = mat, .adds = adds, .n = n};
  p.bytes = mat->values->row_bytes;
  p.record = p.bytes + 2 * sizeof(int64_t);
  status = check(&p, rows, columns, values);
  if (!status) status = make_records(&p, rows, columns, values);
  status = op2i_context_agree(ctx, status);
  if (!status && ctx->comm) status = op2i_context_agree(ctx, exchange(&p, rows));
  if (!status) status = op2i_context_agree(ctx, find_nonzeros(&p));
  if (!status) status = op2i_context_agree(ctx, store(&p));
  op2i_free(p.records);
  op2i_free(p.nonzero);
  return status;
}

op2_status op2_mat_set(op2_mat mat, int64_t n, const int64_t *rows, const int64_t *columns,
                       const void *values) {
  return put(mat, "op2_mat_set", false, n, rows, columns, values);
}

op2_status op2_mat_add(op2_mat mat, int64_t n, const int64_t *rows, const int64_t *columns,
                       const void *values) {
  return put(mat, "op2_mat_add", true, n, rows, columns, values);
}
