/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MAIL_H
#define OP2I_MAIL_H

/* Rows for other ranks, sorted into one parcel for each of them; and distributed tables of rows by
 * number, for data that no rank can find by itself: which rank has the row of a number. */

#include "comm.h"

/* Row i is sent to rank to[i]. */
struct op2i_mail {
  int64_t n, *order; /* rows ordered by receiving rank; those for one rank keep their order */
  int64_t nparcels;
  struct op2i_parcel *parcel; /* one for each rank that receives any, by rank */
  void *memory;               /* the rows in this order */
};
op2_status op2i_mail_pack(int64_t n, const int32_t *to, size_t row_bytes, const void *rows,
                          struct op2i_mail *mail);
void op2i_mail_free(struct op2i_mail *mail);
/* Pack, agree on success, and deliver. Collective. */
op2_status op2i_mail_send(struct op2i_comm *comm, int64_t n, const int32_t *to, size_t row_bytes,
                          const void *rows, struct op2i_parcels *received);

/* Distribute `size` elements over ranks in contiguous shares that differ by at most one: the first
 * element of a rank's share (`size` for rank `ranks`), and the rank that has element i. */
int64_t op2i_share_first(int64_t size, int ranks, int rank);
int op2i_share_rank(int64_t size, int ranks, int64_t i);

/* The share of the last element found: the next one is mostly in the same share. */
struct op2i_share {
  int64_t size;
  int ranks, rank;
  int64_t first, end;
};
void op2i_share_find(struct op2i_share *share, int64_t i);
static inline int op2i_share_of(struct op2i_share *share, int64_t i) {
  if (i < share->first || i >= share->end) op2i_share_find(share, i);
  return share->rank;
}

/* Rows by number, distributed in shares. */
struct op2i_table {
  struct op2i_comm *comm;
  const char *set; /* set of the rows, for messages */
  int64_t size;    /* rows of all ranks */
  size_t row_bytes;
  int64_t first, n;     /* the share of this rank */
  unsigned char *rows;  /* [n] */
  unsigned char *given; /* [n] nonzero if a rank has put the row */
};
/* Open a table without rows. All these functions are collective, and fail on all ranks alike. */
op2_status op2i_table_open(struct op2i_comm *comm, const char *set, int64_t size, size_t row_bytes,
                           struct op2i_table *table);
void op2i_table_close(struct op2i_table *table);
/* Store rows. Numbers are in [0, size), and each is put once; else OP2_ERR_RANGE, or OP2_ERR_ARG
 * with the numbers of the ranks. */
op2_status op2i_table_put(struct op2i_table *table, int64_t n, const int64_t *number,
                          const void *rows);
/* Read rows, any number of times. Rows that no rank has put are left unchanged in `rows`. */
op2_status op2i_table_get(const struct op2i_table *table, int64_t n, const int64_t *number,
                          void *rows);

#endif
