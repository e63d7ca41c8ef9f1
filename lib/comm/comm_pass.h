/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_COMM_PASS_H
#define OP2I_COMM_PASS_H

/* Messages that are sent once, and channels for small messages: shared by comm.c and
 * comm_parcel.c. */

#include "comm.h"

/* Tags above those that a caller can choose. */
enum { OP2I_TAG_FEW = OP2I_TAG_MOST + 1, OP2I_TAG_TREE, OP2I_TAG_ROUTE, OP2I_TAG_PARCEL };

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
