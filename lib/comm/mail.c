/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows for other ranks, and tables of rows by number. */
#include "mail.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "mem.h"

/* ---- mail ------------------------------------------------------------------------------------ */

struct addressed {
  int64_t row;
  int32_t to;
};

static int by_rank(const void *a, const void *b) {
  const struct addressed *x = a, *y = b;
  if (x->to != y->to) return x->to < y->to ? -1 : 1;
  return (x->row > y->row) - (x->row < y->row);
}

static op2_status sort_rows(int64_t n, const int32_t *to, int64_t *order) {
  bool sorted = true;
  for (int64_t i = 0; i < n; i++) order[i] = i;
  for (int64_t i = 1; i < n && sorted; i++) sorted = to[i - 1] <= to[i];
  if (sorted) return OP2_SUCCESS;
  struct addressed *rows = op2i_malloc((size_t)n * sizeof *rows);
  if (!rows) return op2i_error_nomem("rows for other ranks");
  for (int64_t i = 0; i < n; i++) rows[i] = (struct addressed){i, to[i]};
  qsort(rows, (size_t)n, sizeof *rows, by_rank);
  for (int64_t i = 0; i < n; i++) order[i] = rows[i].row;
  op2i_free(rows);
  return OP2_SUCCESS;
}

static op2_status fill(const int32_t *to, size_t row_bytes, const unsigned char *rows,
                       struct op2i_mail *mail) {
  unsigned char *at = mail->memory;
  int64_t capacity = 0;
  for (int64_t i = 0; i < mail->n; i++, at += row_bytes) {
    int32_t peer = to[mail->order[i]];
    if (i == 0 || to[mail->order[i - 1]] != peer) {
      if (op2i_grow(&mail->parcel, sizeof *mail->parcel, mail->nparcels, &capacity))
        return op2i_error_nomem("rows for other ranks");
      mail->parcel[mail->nparcels++] = (struct op2i_parcel){.peer = peer, .data = at};
    }
    memcpy(at, rows + (size_t)mail->order[i] * row_bytes, row_bytes);
    mail->parcel[mail->nparcels - 1].bytes += row_bytes;
  }
  return OP2_SUCCESS;
}

op2_status op2i_mail_pack(int64_t n, const int32_t *to, size_t row_bytes, const void *rows,
                          struct op2i_mail *mail) {
  *mail = (struct op2i_mail){.n = n,
                             .order = op2i_malloc((size_t)n * sizeof *mail->order),
                             .memory = op2i_malloc((size_t)n * row_bytes)};
  op2_status status =
      mail->order && mail->memory ? OP2_SUCCESS : op2i_error_nomem("rows for other ranks");
  if (!status) status = sort_rows(n, to, mail->order);
  if (!status) status = fill(to, row_bytes, rows, mail);
  if (status) op2i_mail_free(mail);
  return status;
}

void op2i_mail_free(struct op2i_mail *mail) {
  op2i_free(mail->order);
  op2i_free(mail->parcel);
  op2i_free(mail->memory);
  *mail = (struct op2i_mail){0};
}

op2_status op2i_mail_send(struct op2i_comm *comm, int64_t n, const int32_t *to, size_t row_bytes,
                          const void *rows, struct op2i_parcels *received) {
  struct op2i_mail mail;
  *received = (struct op2i_parcels){0};
  op2_status status = op2i_comm_agree(comm, op2i_mail_pack(n, to, row_bytes, rows, &mail));
  if (!status) status = op2i_comm_deliver(comm, mail.nparcels, mail.parcel, received);
  op2i_mail_free(&mail);
  return status;
}

/* ---- shares ---------------------------------------------------------------------------------- */

int64_t op2i_share_first(int64_t size, int ranks, int rank) {
  return size / ranks * rank + (rank < size % ranks ? rank : size % ranks);
}

/* The first size % ranks shares have one more than the others. */
int op2i_share_rank(int64_t size, int ranks, int64_t i) {
  int64_t less = size / ranks, longer = size % ranks;
  if (i < longer * (less + 1)) return (int)(i / (less + 1));
  return (int)(longer + (i - longer * (less + 1)) / less);
}

/* ---- tables ---------------------------------------------------------------------------------- */

op2_status op2i_table_open(struct op2i_comm *comm, const char *set, int64_t size, size_t row_bytes,
                           struct op2i_table *table) {
  int64_t first = op2i_share_first(size, comm->size, comm->rank);
  int64_t n = op2i_share_first(size, comm->size, comm->rank + 1) - first;
  *table = (struct op2i_table){comm,
                               set,
                               size,
                               row_bytes,
                               first,
                               n,
                               op2i_alloc_raw((size_t)n * row_bytes),
                               op2i_calloc((size_t)n, 1)};
  bool there = table->rows && table->given;
  op2_status status =
      op2i_comm_agree(comm, there ? OP2_SUCCESS : op2i_error_nomem("rows of all ranks"));
  if (status) op2i_table_close(table);
  return status;
}

void op2i_table_close(struct op2i_table *table) {
  op2i_free_data(table->rows);
  op2i_free(table->given);
  table->rows = table->given = NULL;
}

/* Who holds the rows of these numbers. */
static op2_status find_holders(const struct op2i_table *table, int64_t n, const int64_t *number,
                               int32_t **to) {
  *to = op2i_malloc((size_t)n * sizeof **to);
  if (!*to) return op2i_error_nomem("rows for other ranks");
  for (int64_t i = 0; i < n; i++) {
    if (number[i] < 0 || number[i] >= table->size)
      return op2i_error(OP2_ERR_RANGE,
                        "set '%s': the global number %" PRId64 " is not in [0, %" PRId64 ")",
                        table->set, number[i], table->size);
    (*to)[i] = op2i_share_rank(table->size, table->comm->size, number[i]);
  }
  return OP2_SUCCESS;
}

/* A row that is put has its number before it. */
static unsigned char *with_numbers(size_t row_bytes, int64_t n, const int64_t *number,
                                   const unsigned char *rows) {
  size_t bytes = sizeof *number + row_bytes;
  unsigned char *all = op2i_malloc((size_t)n * bytes);
  for (int64_t i = 0; all && i < n; i++) {
    memcpy(all + (size_t)i * bytes, &number[i], sizeof *number);
    memcpy(all + (size_t)i * bytes + sizeof *number, rows + (size_t)i * row_bytes, row_bytes);
  }
  return all;
}

static int64_t number_of(const unsigned char *row) {
  int64_t number;
  memcpy(&number, row, sizeof number);
  return number;
}

/* Who put the row of a number, of parcels before `end`. */
static int putter_of(const struct op2i_parcels *in, int64_t end, size_t bytes, int64_t number) {
  for (int64_t p = 0; p < end; p++) {
    const unsigned char *row = in->parcel[p].data, *last = row + in->parcel[p].bytes;
    for (; row < last; row += bytes)
      if (number_of(row) == number) return in->parcel[p].peer;
  }
  return in->parcel[end].peer;
}

static op2_status take_rows(struct op2i_table *table, const struct op2i_parcels *in) {
  size_t bytes = sizeof(int64_t) + table->row_bytes;
  for (int64_t p = 0; p < in->n; p++) {
    const unsigned char *row = in->parcel[p].data, *end = row + in->parcel[p].bytes;
    for (; row < end; row += bytes) {
      int64_t number = number_of(row), at = number - table->first;
      if (table->given[at]++)
        return op2i_error(OP2_ERR_ARG,
                          "set '%s': ranks %d and %d both give the element with the global number "
                          "%" PRId64,
                          table->set, putter_of(in, p, bytes, number), in->parcel[p].peer, number);
      memcpy(table->rows + (size_t)at * table->row_bytes, row + sizeof number, table->row_bytes);
    }
  }
  return OP2_SUCCESS;
}

op2_status op2i_table_put(struct op2i_table *table, int64_t n, const int64_t *number,
                          const void *rows) {
  struct op2i_comm *comm = table->comm;
  struct op2i_parcels in = {0};
  int32_t *to;
  unsigned char *all = NULL;
  op2_status status = find_holders(table, n, number, &to);
  if (!status) {
    all = with_numbers(table->row_bytes, n, number, rows);
    if (!all) status = op2i_error_nomem("rows for other ranks");
  }
  status = op2i_comm_agree(comm, status);
  if (!status) status = op2i_mail_send(comm, n, to, sizeof *number + table->row_bytes, all, &in);
  op2i_free(all);
  op2i_free(to);
  if (!status) status = op2i_comm_agree(comm, take_rows(table, &in));
  op2i_parcels_free(&in);
  return status;
}

/* What a rank asked for: rows, then a byte for each that says whether it is there. */
static op2_status answer(const struct op2i_table *table, const struct op2i_parcel *asked,
                         struct op2i_parcel *reply) {
  const unsigned char *number = asked->data;
  size_t n = asked->bytes / sizeof(int64_t), bytes = table->row_bytes;
  unsigned char *out = op2i_malloc(n * (bytes + 1));
  *reply = (struct op2i_parcel){asked->peer, n * (bytes + 1), out};
  if (!out) return op2i_error_nomem("rows for other ranks");
  for (size_t i = 0; i < n; i++, number += sizeof(int64_t)) {
    int64_t at = number_of(number) - table->first;
    out[n * bytes + i] = table->given[at];
    if (table->given[at]) memcpy(out + i * bytes, table->rows + (size_t)at * bytes, bytes);
  }
  return OP2_SUCCESS;
}

static op2_status answer_all(const struct op2i_table *table, const struct op2i_parcels *asked,
                             struct op2i_parcels *replies) {
  op2_status status = OP2_SUCCESS;
  struct op2i_parcel *parcel = op2i_calloc((size_t)asked->n, sizeof *parcel);
  if (!parcel) status = op2i_error_nomem("rows for other ranks");
  for (int64_t p = 0; p < asked->n && !status; p++)
    status = answer(table, &asked->parcel[p], &parcel[p]);
  status = op2i_comm_agree(table->comm, status);
  if (!status) status = op2i_comm_deliver(table->comm, asked->n, parcel, replies);
  for (int64_t p = 0; p < asked->n && parcel; p++) op2i_free(parcel[p].data);
  op2i_free(parcel);
  return status;
}

/* Replies come by rank as the questions went, so the rows are in the order of the mail. */
static void put_back(const struct op2i_mail *mail, const struct op2i_parcels *replies, size_t bytes,
                     unsigned char *rows) {
  int64_t at = 0;
  for (int64_t p = 0; p < replies->n; p++) {
    const unsigned char *row = replies->parcel[p].data;
    size_t n = replies->parcel[p].bytes / (bytes + 1);
    for (size_t i = 0; i < n; i++, at++)
      if (row[n * bytes + i])
        memcpy(rows + (size_t)mail->order[at] * bytes, row + i * bytes, bytes);
  }
}

op2_status op2i_table_get(const struct op2i_table *table, int64_t n, const int64_t *number,
                          void *rows) {
  struct op2i_parcels asked = {0}, replies = {0};
  struct op2i_mail mail = {0};
  int32_t *to;
  op2_status status = find_holders(table, n, number, &to);
  if (!status) status = op2i_mail_pack(n, to, sizeof *number, number, &mail);
  status = op2i_comm_agree(table->comm, status);
  if (!status) status = op2i_comm_deliver(table->comm, mail.nparcels, mail.parcel, &asked);
  if (!status) status = answer_all(table, &asked, &replies);
  if (!status) put_back(&mail, &replies, table->row_bytes, rows);
  op2i_parcels_free(&replies);
  op2i_parcels_free(&asked);
  op2i_mail_free(&mail);
  op2i_free(to);
  return status;
}
