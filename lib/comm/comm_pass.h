/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_COMM_PASS_H
#define OP2I_COMM_PASS_H

/* Messages that are sent once, channels for small messages, and the pieces of which these consist:
 * shared by comm.c, comm_parcel.c and allreduce.c. */

#include "comm.h"
#include "trail.h"

/* Tags above those that a caller can choose. */
enum {
  OP2I_TAG_FEW = OP2I_TAG_MOST + 1,
  OP2I_TAG_TREE,
  OP2I_TAG_ROUTE,
  OP2I_TAG_PARCEL,
  OP2I_TAG_ALLREDUCE /* the first of OP2I_ALLREDUCE_COUNT */
};

/* A small message is one piece. All pieces have one size, whatever of the data is in use. */
enum { OP2I_PIECE = 256 };
struct op2i_piece {
  int64_t bytes;  /* bytes of data in use */
  int64_t number; /* public calls that the sender has made */
  /* Digest of these calls, by which ranks detect that they are in different calls (trail.h). */
  uint64_t digest;
  struct op2i_trail_words words; /* the last of these calls */
  unsigned char data[OP2I_PIECE];
};
/* Enter the present call of this rank. */
void op2i_piece_stamp(const struct op2i_comm *comm, struct op2i_piece *piece);
/* Compare a piece received from a peer with what this rank would send. Where they differ, the
 * failure names the first call in which the ranks do. */
op2_status op2i_piece_compare(struct op2i_comm *comm, int peer, const struct op2i_piece *received,
                              const struct op2i_piece *own);

/* Start all messages, then wait for all, so that no rank waits for one of them before the others
 * are in flight. Collective, as no rank sends before all ranks have memory for their messages;
 * `status` is an earlier failure of this rank, which all ranks then return. */
op2_status op2i_comm_pass(struct op2i_comm *comm, int64_t n, const struct op2i_envelope *envelopes,
                          op2_status status);

/* Send and receive a few bytes through channels that were opened once, at most one message to and
 * from each rank. There must be a channel to each peer. */
op2_status op2i_comm_pass_few(struct op2i_comm *comm, int n, const struct op2i_envelope *envelopes);

/* Add a channel to a rank, unless there is one. Channels must not be open yet. */
void op2i_comm_add_channel(struct op2i_comm *comm, int peer);
/* Add channels to all ranks with which this one exchanges notes about parcels. */
void op2i_comm_add_routes(struct op2i_comm *comm);

#endif
