/* SPDX-License-Identifier: BSD-3-Clause */
/* The columns of a matrix with their nonzeros, for products with the transpose: a row table of the
 * columns, as there is one of the rows. They are worked out on first use, and again after the rows
 * or columns were renumbered. */
#include <string.h>

#include "comm.h"
#include "comm_parcel.h"
#include "context.h"
#include "error.h"
#include "mail.h"
#include "mem.h"
#include "set.h"
#include "slices.h"
#include "transpose.h"

static op2_status no_memory(void) { return op2i_error_nomem("the columns of a matrix"); }

/* ---- sums for columns of other ranks --------------------------------------------------------- */

/* List the columns of other ranks that this one has in its halo, by owner, or (`out`) the columns of
 * this rank in the halos of others. Both sides list them in the same order. */
static int64_t list_columns(const struct op2_set_s *columns, bool out, int32_t *rank,
                            int32_t *place) {
  int64_t n = 0;
  for (int i = 0; i < columns->halo->n; i++)
    for (int part = 0; part < OP2I_HALO_PARTS; part++) {
      const struct op2i_neighbour *neighbour = &columns->halo->neighbours[i];
      const struct op2i_rows *rows = out ? &neighbour->out[part] : &neighbour->in[part];
      for (int64_t k = 0; k < rows->n; k++, n++) {
        if (!rank) continue;
        rank[n] = neighbour->rank;
        place[n] = (int32_t)op2i_set_place(columns, rows->row[k]);
      }
    }
  return n;
}

/* This is what the declaration of the set of sums needs. */
struct sums {
  int64_t nin, nout, first; /* the number of this rank's first sum among those of all ranks */
  int32_t *rank, *place;    /* [nin + nout] columns in the halo, then those of this rank */
  int64_t *number;          /* [total columns + nout] */
  int64_t *sent;            /* [nin] the numbers of the sums for columns in the halo */
};

static op2_status open_sums(const struct op2_set_s *columns, struct sums *s) {
  const int64_t total = columns->ends[OP2I_NONEXEC];
  s->nin = list_columns(columns, false, NULL, NULL);
  s->nout = list_columns(columns, true, NULL, NULL);
  s->rank = op2i_malloc((size_t)(s->nin + s->nout) * sizeof *s->rank);
  s->place = op2i_malloc((size_t)(s->nin + s->nout) * sizeof *s->place);
  s->number = op2i_malloc((size_t)(total + s->nout) * sizeof *s->number);
  s->sent = op2i_malloc((size_t)s->nin * sizeof *s->sent);
  if (!s->rank || !s->place || !s->number || !s->sent) return no_memory();
  list_columns(columns, false, s->rank, s->place);
  list_columns(columns, true, s->rank + s->nin, s->place + s->nin);
  return OP2_SUCCESS;
}

static void close_sums(struct sums *s) {
  op2i_free(s->rank);
  op2i_free(s->place);
  op2i_free(s->number);
  op2i_free(s->sent);
}

/* Each rank tells the owners of columns in its halo which numbers its sums for them have. */
static op2_status exchange_numbers(const struct op2_set_s *columns, struct sums *s) {
  const int64_t total = columns->ends[OP2I_NONEXEC];
  struct op2i_parcels in = {0};
  for (int64_t k = 0; k < total; k++) s->number[k] = s->first + k;
  for (int64_t k = 0; k < s->nin; k++) s->sent[k] = s->first + s->place[k];
  op2_status status =
      op2i_mail_send(columns->obj.ctx->comm, s->nin, s->rank, sizeof *s->sent, s->sent, &in);
  int64_t *at = s->number + total;
  for (int64_t k = 0; k < in.n && !status; k++) {
    memcpy(at, in.parcel[k].data, in.parcel[k].bytes);
    at += in.parcel[k].bytes / sizeof *at;
  }
  op2i_parcels_free(&in);
  return status;
}

/* Each rank has a sum for each column that it knows, also in its halo. It is an element of a set,
 * in whose halo the owner of a column has the sums of the others. */
static op2_status make_sums(op2_sparsity sparsity) {
  const struct op2_set_s *columns = sparsity->columns;
  struct op2i_transpose *t = &sparsity->transpose;
  op2_context ctx = sparsity->obj.ctx;
  const int64_t total = columns->ends[OP2I_NONEXEC];
  struct sums s = {0};
  struct op2i_halo *numbering = NULL;
  op2_status status = op2i_context_agree(ctx, open_sums(columns, &s));
  if (!status) status = op2i_halo_make_block(ctx->comm, total, &numbering);
  if (!status) s.first = numbering->first;
  op2i_halo_free(numbering);
  if (!status) status = exchange_numbers(columns, &s);
  const int64_t ends[] = {total, total, total, total + s.nout};
  if (!status)
    status =
        op2i_set_create_halo(ctx, ends, s.number, s.rank + s.nin, sparsity->obj.name, &t->sums);
  op2i_object_own(t->sums);
  if (!status) {
    t->nothers = s.nout;
    t->others = s.place;
    memmove(t->others, s.place + s.nin, (size_t)s.nout * sizeof *s.place);
    s.place = NULL;
  }
  close_sums(&s);
  return status;
}

/* ---- the nonzeros of columns ----------------------------------------------------------------- */

/* The position in the table of a column, which is an element of the set of columns, or of sums. */
static int64_t position(const struct op2_sparsity_s *sparsity, int32_t column) {
  return sparsity->transpose.sums ? op2i_set_place(sparsity->columns, column) : column;
}

/* The set that has an element for each column of the table. */
static op2_set from_of(const struct op2_sparsity_s *sparsity) {
  return sparsity->transpose.sums ? sparsity->transpose.sums : sparsity->columns;
}

static void count_columns(const struct op2_sparsity_s *sparsity, int64_t n, int32_t *length) {
  for (int64_t row = 0; row < sparsity->nrows; row++) {
    const struct op2i_entries entries = op2i_sparsity_row(sparsity, row);
    for (int64_t k = 0; k < entries.n; k++) {
      const int64_t at = position(sparsity, sparsity->column[op2i_entry(entries, k)]);
      if (at < n) length[at]++;
    }
  }
}

/* A row table with two numbers for each entry. */
struct table {
  int64_t n, size; /* rows, and entries with padding */
  int32_t rows_per_slice;
  int32_t *length;      /* [n] */
  int32_t *row, *a, *b; /* [op2i_row_table_size()], [size], [size] */
};

static op2_status open_table(struct table *t) {
  const size_t bytes = (size_t)op2i_row_table_size(t->rows_per_slice, t->n) * sizeof *t->row;
  t->row = op2i_alloc_raw(bytes);
  if (!t->row) return no_memory();
  op2i_row_table_fill(t->rows_per_slice, t->n, t->length, t->row);
  t->size = op2i_row_table_end(t->row, t->rows_per_slice, t->n);
  t->a = op2i_alloc_raw((size_t)t->size * sizeof *t->a);
  t->b = op2i_alloc_raw((size_t)t->size * sizeof *t->b);
  if (!t->a || !t->b) return no_memory();
  memset(t->length, 0, (size_t)t->n * sizeof *t->length);
  return OP2_SUCCESS;
}

static void add_entry(struct table *t, int64_t row, int64_t a, int64_t b) {
  const struct op2i_entries entries = op2i_row_entries(t->row, t->rows_per_slice, row);
  const int64_t at = op2i_entry(entries, t->length[row]++);
  t->a[at] = (int32_t)a;
  t->b[at] = (int32_t)b;
}

static void fill_columns(const struct op2_sparsity_s *sparsity, struct table *t) {
  for (int64_t row = 0; row < sparsity->nrows; row++) {
    const struct op2i_entries entries = op2i_sparsity_row(sparsity, row);
    for (int64_t k = 0; k < entries.n; k++) {
      const int64_t nonzero = op2i_entry(entries, k);
      const int64_t at = position(sparsity, sparsity->column[nonzero]);
      if (at < t->n) add_entry(t, at, nonzero, row);
    }
  }
  if (t->rows_per_slice == 1) return;
  op2i_slices_pad(t->n, t->row, t->a);
  op2i_slices_pad(t->n, t->row, t->b);
}

/* Make maps of a table. They take over its memory. */
static op2_status make_maps(op2_sparsity sparsity, struct table *t, op2_set from, op2_map *first,
                            op2_set to_a, op2_map *a, op2_set to_b, op2_map *b) {
  const int64_t n = op2i_row_table_size(t->rows_per_slice, t->n);
  int32_t *row = t->row, *of_a = t->a, *of_b = t->b;
  t->row = t->a = NULL;
  op2_status status = op2i_sparsity_make_row_map(sparsity, from, to_a, row, n, "columns", first);
  if (status) {
    op2i_free_data(of_a);
    return status;
  }
  (*first)->rows_per_slice = t->rows_per_slice;
  status = op2i_sparsity_make_row_map(sparsity, from, to_a, of_a, t->size, "of columns", a);
  if (status) return status;
  (*a)->first = op2i_ref(*first);
  if (!b) return OP2_SUCCESS;
  t->b = NULL;
  status = op2i_sparsity_make_row_map(sparsity, from, to_b, of_b, t->size, "rows of columns", b);
  if (!status) (*b)->first = op2i_ref(*first);
  return status;
}

static void close_table(struct table *t) {
  op2i_free(t->length);
  op2i_free_data(t->row);
  op2i_free_data(t->a);
  op2i_free_data(t->b);
}

static op2_status count(const struct op2_sparsity_s *sparsity, struct table *t) {
  t->n = from_of(sparsity)->ends[OP2I_OWNED];
  t->length = op2i_calloc((size_t)t->n, sizeof *t->length);
  if (!t->length) return no_memory();
  count_columns(sparsity, t->n, t->length);
  return OP2_SUCCESS;
}

/* Choose rows or slices, as op2i_pattern_make() does. Renumbering leaves the lengths of columns as
 * they are, so this is done once. */
static op2_status choose_layout(op2_sparsity sparsity) {
  struct table t = {0};
  op2_context ctx = sparsity->obj.ctx;
  op2_status status = count(sparsity, &t);
  const int64_t size = status ? -1 : op2i_slices_size(t.n, t.length);
  int64_t slices = size >= 0 && size <= INT32_MAX / 2 && op2i_slices_pay(ctx, sparsity->nnz, size);
  close_table(&t);
  status = op2i_context_agree(ctx, status);
  if (!status && ctx->comm) status = op2i_comm_least(ctx->comm, 1, &slices);
  sparsity->transpose.rows_per_slice = slices ? OP2I_SLICE : 1;
  return status;
}

static op2_status make_columns(op2_sparsity sparsity) {
  struct op2i_transpose *made = &sparsity->transpose;
  struct table t = {.rows_per_slice = made->rows_per_slice};
  op2_status status = count(sparsity, &t);
  if (!status) status = open_table(&t);
  if (!status) {
    fill_columns(sparsity, &t);
    status = make_maps(sparsity, &t, from_of(sparsity), &made->first, sparsity->nonzeros,
                       &made->nonzeros, sparsity->rows, &made->rows);
  }
  close_table(&t);
  return status;
}

/* ---- the sums of a column -------------------------------------------------------------------- */

/* The sums of each owned column: the own one, and those of other ranks by their numbers. */
static op2_status make_gather(op2_sparsity sparsity) {
  const struct op2_set_s *columns = sparsity->columns;
  struct op2i_transpose *made = &sparsity->transpose;
  const int64_t total = columns->ends[OP2I_NONEXEC];
  struct table t = {.n = columns->ends[OP2I_OWNED], .rows_per_slice = 1};
  t.length = op2i_calloc((size_t)t.n, sizeof *t.length);
  int32_t *element = op2i_malloc((size_t)total * sizeof *element);
  op2_status status = t.length && element ? OP2_SUCCESS : no_memory();
  for (int64_t e = 0; e < total && !status; e++) element[op2i_set_place(columns, e)] = (int32_t)e;
  for (int64_t e = 0; e < t.n && !status; e++) t.length[e] = 1;
  for (int64_t k = 0; k < made->nothers && !status; k++) t.length[element[made->others[k]]]++;
  if (!status) status = open_table(&t);
  for (int64_t e = 0; e < t.n && !status; e++) add_entry(&t, e, op2i_set_place(columns, e), 0);
  for (int64_t k = 0; k < made->nothers && !status; k++)
    add_entry(&t, element[made->others[k]], total + k, 0);
  op2i_free(element);
  if (!status)
    status = make_maps(sparsity, &t, sparsity->columns, &made->gather_first, made->sums,
                       &made->gather, NULL, NULL);
  close_table(&t);
  return status;
}

/* ---- the interface --------------------------------------------------------------------------- */

op2_status op2i_sparsity_need_transpose(op2_sparsity sparsity) {
  struct op2i_transpose *t = &sparsity->transpose;
  op2_context ctx = sparsity->obj.ctx;
  op2_status status = OP2_SUCCESS;
  if (!t->rows_per_slice) {
    if (ctx->comm && !t->sums) status = make_sums(sparsity);
    if (!status) status = choose_layout(sparsity);
    if (status) {
      t->rows_per_slice = 0;
      return status;
    }
  }
  if (!t->rows) status = make_columns(sparsity);
  if (!status && t->sums && !t->gather) status = make_gather(sparsity);
  if (!status) return OP2_SUCCESS;
  op2i_sparsity_forget_columns(sparsity);
  return op2i_context_abort_ranks(ctx, status);
}

void op2i_sparsity_forget_columns(op2_sparsity sparsity) {
  struct op2i_transpose *t = &sparsity->transpose;
  op2_map *const maps[] = {&t->rows, &t->nonzeros, &t->first, &t->gather, &t->gather_first};
  for (size_t m = 0; m < sizeof maps / sizeof *maps; m++) {
    op2i_unref(*maps[m]);
    *maps[m] = NULL;
  }
}

void op2i_sparsity_free_transpose(op2_sparsity sparsity) {
  op2i_sparsity_forget_columns(sparsity);
  op2i_unref(sparsity->transpose.sums);
  op2i_free(sparsity->transpose.others);
}
