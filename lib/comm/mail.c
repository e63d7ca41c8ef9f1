/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows for other ranks, and tables of rows by number. */
#include "mail.h"
#include "comm_parcel.h"

#include <inttypes.h>
#include <string.h>

#include "error.h"
#include "mem.h"
#include "sort.h"

/* ---- rows grouped by rank -------------------------------------------------------------------- */

/* Order rows by rank; those for one rank keep their order. */
static op2_status sort_rows(int64_t n, const int32_t *to, int64_t *order) {
  bool sorted = true;
  for (int64_t i = 0; i < n; i++) order[i] = i;
  for (int64_t i = 1; i < n && sorted; i++) sorted = to[i - 1] <= to[i];
  if (sorted) return OP2_SUCCESS;
  int64_t *key = op2i_malloc((size_t)n * sizeof *key);
  if (!key) return op2i_error_nomem("rows for other ranks");
  for (int64_t i = 0; i < n; i++) key[i] = to[i];
  op2_status status = op2i_sort(n, key, order);
  op2i_free(key);
  return status;
}

/* The length of the run of consecutive rows that begins with the i-th and ends before the n-th at
 * the latest. */
static int64_t together(const int64_t *order, int64_t i, int64_t n) {
  int64_t end = i + 1;
  while (end < n && order[end] == order[end - 1] + 1) end++;
  return end - i;
}

/* The rows are stored at `at`, in order. */
static op2_status list_parcels(const int32_t *to, size_t row_bytes, const void *at,
                               struct op2i_mail *mail) {
  int64_t capacity = 0;
  for (int64_t i = 0, end; i < mail->n; i = end) {
    int32_t peer = to[mail->order[i]];
    for (end = i + 1; end < mail->n && to[mail->order[end]] == peer;) end++;
    if (op2i_grow(&mail->parcel, sizeof *mail->parcel, mail->nparcels, &capacity))
      return op2i_error_nomem("rows for other ranks");
    mail->parcel[mail->nparcels++] = (struct op2i_parcel){
        peer, (size_t)(end - i) * row_bytes, (unsigned char *)at + (size_t)i * row_bytes};
  }
  return OP2_SUCCESS;
}

static void fill(size_t row_bytes, const unsigned char *rows, struct op2i_mail *mail) {
  unsigned char *at = mail->memory;
  for (int64_t i = 0, n; i < mail->n; i += n, at += (size_t)n * row_bytes) {
    n = together(mail->order, i, mail->n);
    memcpy(at, rows + (size_t)mail->order[i] * row_bytes, (size_t)n * row_bytes);
  }
}

/* Rows that are already in order are not copied, unless the mail has to outlive them. */
static op2_status pack(int64_t n, const int32_t *to, size_t row_bytes, const void *rows,
                       bool outlives, struct op2i_mail *mail) {
  *mail = (struct op2i_mail){.n = n, .order = op2i_malloc((size_t)n * sizeof *mail->order)};
  op2_status status = mail->order ? OP2_SUCCESS : op2i_error_nomem("rows for other ranks");
  if (!status) status = sort_rows(n, to, mail->order);
  if (status) return status;
  if (!outlives && n > 0 && together(mail->order, 0, n) == n)
    return list_parcels(to, row_bytes, rows, mail);
  mail->memory = op2i_malloc((size_t)n * row_bytes);
  if (!mail->memory) return op2i_error_nomem("rows for other ranks");
  fill(row_bytes, rows, mail);
  return list_parcels(to, row_bytes, mail->memory, mail);
}

op2_status op2i_mail_pack(int64_t n, const int32_t *to, size_t row_bytes, const void *rows,
                          struct op2i_mail *mail) {
  op2_status status = pack(n, to, row_bytes, rows, true, mail);
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
  op2_status status = op2i_comm_agree(comm, pack(n, to, row_bytes, rows, false, &mail));
  if (!status) status = op2i_comm_deliver(comm, mail.nparcels, mail.parcel, received);
  op2i_mail_free(&mail);
  return status;
}

/* ---- blocks of numbers for each rank --------------------------------------------------------- */

int64_t op2i_share_first(int64_t size, int ranks, int rank) {
  return size / ranks * rank + (rank < size % ranks ? rank : size % ranks);
}

/* The first size % ranks shares have one element more than the others. */
int op2i_share_rank(int64_t size, int ranks, int64_t i) {
  int64_t less = size / ranks, longer = size % ranks;
  if (i < longer * (less + 1)) return (int)(i / (less + 1));
  return (int)(longer + (i - longer * (less + 1)) / less);
}

void op2i_share_find(struct op2i_share *share, int64_t i) {
  share->rank = op2i_share_rank(share->size, share->ranks, i);
  share->first = op2i_share_first(share->size, share->ranks, share->rank);
  share->end = op2i_share_first(share->size, share->ranks, share->rank + 1);
}

/* ---- distributed tables ---------------------------------------------------------------------- */

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

/* ---- run-length encoding of numbers ---- */

/* Most numbers are in runs of consecutive ones. A word is either a number, or the complement of the
 * first number of a run, followed by a word with the run's length. */

/* Encode the numbers of a parcel in words, in place; there are never more words than numbers. */
static void shorten(struct op2i_parcel *parcel) {
  int64_t *word = parcel->data, *out = word, n = (int64_t)(parcel->bytes / sizeof *word);
  for (int64_t i = 0, run; i < n; i += run) {
    int64_t first = word[i];
    run = together(word, i, n);
    *out++ = run > 1 ? ~first : first;
    if (run > 1) *out++ = run;
  }
  parcel->bytes = (size_t)(out - word) * sizeof *word;
}

/* A run of consecutive numbers. */
struct run {
  int64_t first, n;
};

static const int64_t *next_run(const int64_t *word, struct run *run) {
  bool alone = *word >= 0;
  *run = alone ? (struct run){*word, 1} : (struct run){~*word, word[1]};
  return word + (alone ? 1 : 2);
}

static const int64_t *end_of(const struct op2i_parcel *parcel) {
  return (const int64_t *)parcel->data + parcel->bytes / sizeof(int64_t);
}

/* Find the ranks that hold the rows of these numbers. */
static op2_status find_holders(const struct op2i_table *table, int64_t n, const int64_t *number,
                               int32_t *to) {
  struct op2i_share share = {.size = table->size, .ranks = table->comm->size};
  for (int64_t i = 0; i < n; i++) {
    if (number[i] < 0 || number[i] >= table->size)
      return op2i_error(OP2_ERR_RANGE,
                        "set '%s': the global number %" PRId64 " is not in [0, %" PRId64 ")",
                        table->set, number[i], table->size);
    to[i] = op2i_share_of(&share, number[i]);
  }
  return OP2_SUCCESS;
}

/* Encode these numbers for the ranks that hold their rows; *to lists the rank of each number. */
static op2_status ask(const struct op2i_table *table, int64_t n, const int64_t *number,
                      int32_t **to, struct op2i_mail *mail) {
  *mail = (struct op2i_mail){0};
  *to = op2i_malloc((size_t)n * sizeof **to);
  if (!*to) return op2i_error_nomem("rows for other ranks");
  op2_status status = find_holders(table, n, number, *to);
  if (!status) status = op2i_mail_pack(n, *to, sizeof *number, number, mail);
  for (int64_t p = 0; p < mail->nparcels; p++) shorten(&mail->parcel[p]);
  return status;
}

/* ---- storing rows in a table ---- */

/* The rank that put the row of a number, among the parcels before `end`, or else the sender of
 * parcel `end`. */
static int putter_of(const struct op2i_parcels *in, int64_t end, int64_t number) {
  struct run run;
  for (int64_t p = 0; p < end; p++)
    for (const int64_t *word = in->parcel[p].data; word < end_of(&in->parcel[p]);) {
      word = next_run(word, &run);
      if (number >= run.first && number - run.first < run.n) return in->parcel[p].peer;
    }
  return in->parcel[end].peer;
}

static op2_status mark(struct op2i_table *table, const struct op2i_parcels *in, int64_t p,
                       struct run run) {
  for (int64_t number = run.first; number < run.first + run.n; number++)
    if (table->given[number - table->first]++)
      return op2i_error(OP2_ERR_ARG,
                        "set '%s': ranks %d and %d both give the element with the global number "
                        "%" PRId64,
                        table->set, putter_of(in, p, number), in->parcel[p].peer, number);
  return OP2_SUCCESS;
}

/* Decode the numbers, and store the rows, which come from the same ranks; rows of no bytes are not
 * sent. */
static op2_status take_rows(struct op2i_table *table, const struct op2i_parcels *in,
                            const struct op2i_parcels *rows) {
  size_t bytes = table->row_bytes;
  struct run run;
  for (int64_t p = 0; p < in->n; p++) {
    const unsigned char *row = bytes ? rows->parcel[p].data : NULL;
    for (const int64_t *word = in->parcel[p].data; word < end_of(&in->parcel[p]);) {
      word = next_run(word, &run);
      op2_status status = mark(table, in, p, run);
      if (status) return status;
      if (!row) continue;
      size_t all = (size_t)run.n * bytes;
      memcpy(table->rows + (size_t)(run.first - table->first) * bytes, row, all);
      row += all;
    }
  }
  return OP2_SUCCESS;
}

op2_status op2i_table_put(struct op2i_table *table, int64_t n, const int64_t *number,
                          const void *rows) {
  struct op2i_comm *comm = table->comm;
  struct op2i_parcels in = {0}, in_rows = {0};
  struct op2i_mail mail;
  int32_t *to;
  op2_status status = op2i_comm_agree(comm, ask(table, n, number, &to, &mail));
  if (!status) status = op2i_comm_deliver(comm, mail.nparcels, mail.parcel, &in);
  op2i_mail_free(&mail);
  if (!status && table->row_bytes)
    status = op2i_mail_send(comm, n, to, table->row_bytes, rows, &in_rows);
  op2i_free(to);
  if (!status) status = op2i_comm_agree(comm, take_rows(table, &in, &in_rows));
  op2i_parcels_free(&in);
  op2i_parcels_free(&in_rows);
  return status;
}

/* ---- reading rows from a table ---- */

static size_t count_asked(const struct op2i_parcel *asked) {
  size_t n = 0;
  struct run run;
  for (const int64_t *word = asked->data; word < end_of(asked); n += (size_t)run.n)
    word = next_run(word, &run);
  return n;
}

/* The reply to a rank: the rows it requested, then one byte for each that is 1 if the row is
 * present. */
static op2_status answer(const struct op2i_table *table, const struct op2i_parcel *asked,
                         struct op2i_parcel *reply) {
  size_t n = count_asked(asked), bytes = table->row_bytes;
  unsigned char *out = op2i_malloc(n * (bytes + 1)), *given;
  struct run run;
  *reply = (struct op2i_parcel){asked->peer, n * (bytes + 1), out};
  if (!out) return op2i_error_nomem("rows for other ranks");
  given = out + n * bytes;
  for (const int64_t *word = asked->data; word < end_of(asked);) {
    word = next_run(word, &run);
    size_t at = (size_t)(run.first - table->first), count = (size_t)run.n;
    memcpy(out, table->rows + at * bytes, count * bytes);
    memcpy(given, table->given + at, count);
    out += count * bytes;
    given += count;
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

/* The length of the run of consecutive rows from the i-th on that are all present. */
static int64_t given_together(const unsigned char *given, const int64_t *order, int64_t i,
                              int64_t n) {
  int64_t count = together(order, i, n);
  const unsigned char *missing = memchr(given + i, 0, (size_t)count);
  return missing ? missing - (given + i) : count;
}

/* Replies are ordered by rank, as the requests were, so the rows are in the order of the mail. */
static void put_back(const struct op2i_mail *mail, const struct op2i_parcels *replies, size_t bytes,
                     unsigned char *rows) {
  const int64_t *order = mail->order;
  for (int64_t p = 0; p < replies->n; p++) {
    const unsigned char *row = replies->parcel[p].data;
    int64_t n = (int64_t)(replies->parcel[p].bytes / (bytes + 1));
    const unsigned char *given = row + (size_t)n * bytes;
    for (int64_t i = 0, count; i < n; i += count) {
      count = given[i] ? given_together(given, order, i, n) : 1;
      if (given[i])
        memcpy(rows + (size_t)order[i] * bytes, row + (size_t)i * bytes, (size_t)count * bytes);
    }
    order += n;
  }
}

op2_status op2i_table_get(const struct op2i_table *table, int64_t n, const int64_t *number,
                          void *rows) {
  struct op2i_parcels asked = {0}, replies = {0};
  struct op2i_mail mail;
  int32_t *to;
  op2_status status = op2i_comm_agree(table->comm, ask(table, n, number, &to, &mail));
  if (!status) status = op2i_comm_deliver(table->comm, mail.nparcels, mail.parcel, &asked);
  if (!status) status = answer_all(table, &asked, &replies);
  if (!status) put_back(&mail, &replies, table->row_bytes, rows);
  op2i_parcels_free(&replies);
  op2i_parcels_free(&asked);
  op2i_mail_free(&mail);
  op2i_free(to);
  return status;
}
