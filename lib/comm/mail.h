/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MAIL_H
#define OP2I_MAIL_H

/* Rows for other ranks, sorted into one parcel for each of them; and tables of rows by number that
 * all ranks hold a part of, for what no rank knows by itself: who has the row of a number. */

#include "comm.h"

/* Row i goes to rank to[i]. */
struct op2i_mail {
  int64_t n, *order; /* rows by the rank they go to; those for one rank keep their order */
  int64_t nparcels;
  struct op2i_parcel *parcel; /* one for each rank that gets any, by rank */
  void *memory;               /* the rows, so ordered */
};
op2_status op2i_mail_pack(int64_t n, const int32_t *to, size_t row_bytes, const void *rows,
                          struct op2i_mail *mail);
void op2i_mail_free(struct op2i_mail *mail);
/* Pack, agree on whether all could, and deliver. Collective. */
op2_status op2i_mail_send(struct op2i_comm *comm, int64_t n, const int32_t *to, size_t row_bytes,
                          const void *rows, struct op2i_parcels *received);

/* Shares of `size` things for so many ranks, equal but for one, in the order of ranks: where that of
 * a rank begins (of rank `ranks`: size), and whose it is that has thing i. */
int64_t op2i_share_first(int64_t size, int ranks, int rank);
int op2i_share_rank(int64_t size, int ranks, int64_t i);

/* The share that the last thing was in: the next is mostly in the same. */
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

/* Rows by number, in shares. */
struct op2i_table {
  struct op2i_comm *comm;
  const char *set; /* whose rows they are, for messages */
  int64_t size;    /* rows of all ranks */
  size_t row_bytes;
  int64_t first, n;     /* the share of this rank */
  unsigned char *rows;  /* [n] */
  unsigned char *given; /* [n] whether somebody has put it */
};
/* Without rows. All of these are collective, and fail on all ranks alike. */
op2_status op2i_table_open(struct op2i_comm *comm, const char *set, int64_t size, size_t row_bytes,
                           struct op2i_table *table);
void op2i_table_close(struct op2i_table *table);
/* Numbers are in [0, size), and each is put once: else OP2_ERR_RANGE, or OP2_ERR_ARG naming the
 * ranks. */
op2_status op2i_table_put(struct op2i_table *table, int64_t n, const int64_t *number,
                          const void *rows);
/* As often as wished. Rows that nobody has put are left as they are. */
op2_status op2i_table_get(const struct op2i_table *table, int64_t n, const int64_t *number,
                          void *rows);

#endif
