/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_EXCHANGE_H
#define OP2I_EXCHANGE_H

/* Bringing halos up to date: the rows of several dats that travel at one point, in one message for
 * each neighbour. An exchange is made once and run as often as its program is. */

#include "mesh.h"

/* Parts of a dat's halo as bits: 1 << OP2I_HALO_EXEC, 1 << OP2I_HALO_NONEXEC. */
enum { OP2I_EVERY_PART = (1 << OP2I_HALO_PARTS) - 1 };
/* Those that have elements, on any rank. */
unsigned op2i_dat_parts(const struct op2_dat_s *dat);
/* Owners have got other values than others have in their halos. */
void op2i_dat_make_stale(op2_dat dat);
/* Bring all of one dat's halo up to date, if it is not. Collective. */
op2_status op2i_dat_freshen(op2_dat dat);

struct op2i_stale {
  op2_dat dat;
  unsigned parts;
};

struct op2i_exchange;

/* Its dats are all of one context, and none comes twice. Collective. */
op2_status op2i_exchange_make(int n, const struct op2i_stale *stale, struct op2i_exchange **out);
/* Have the values in a place of the host's, before rows are packed there or, when it ends, unpacked.
 * Those that are on the device may stay there if `device`, in exchanges that begin and end as a whole:
 * then rows that travel are all that goes between it and the host. */
op2_status op2i_exchange_bind(struct op2i_exchange *exchange, enum op2i_place place, bool device,
                              bool ends);
/* Pack all rows and send them. All ranks begin the same exchanges in the same order. */
op2_status op2i_exchange_begin(struct op2i_exchange *exchange);
/* Wait for what others have sent, and put it where it belongs. */
op2_status op2i_exchange_end(struct op2i_exchange *exchange);
/* What it brings is not stale any more. */
void op2i_exchange_freshens(const struct op2i_exchange *exchange);

/* The same in pieces. A leg is what travels between this rank and one other; legs are packed, and
 * unpacked, independently of each other. All have been packed when it starts. */
int op2i_exchange_legs(const struct op2i_exchange *exchange);
void op2i_exchange_pack(const struct op2i_exchange *exchange, int leg);
op2_status op2i_exchange_start(struct op2i_exchange *exchange);
op2_status op2i_exchange_over(struct op2i_exchange *exchange, bool wait, bool *over);
/* To be called again and again while only its messages are waited for, as op2i_comm_waits() is. */
struct op2i_wait;
op2_status op2i_exchange_waits(const struct op2i_exchange *exchange, struct op2i_wait *wait);
/* Whether it has started, and nobody has seen that it is over. */
bool op2i_exchange_flies(const struct op2i_exchange *exchange);
/* From then on until its end nothing could be done but wait for it; from its start, where that was
 * later. */
void op2i_exchange_waited(const struct op2i_exchange *exchange, int64_t since);
void op2i_exchange_unpack(const struct op2i_exchange *exchange, int leg);
/* Its dats, and the rows of the i-th that a leg packs for, or unpacks into, a part of the halo. */
int op2i_exchange_dats(const struct op2i_exchange *exchange);
op2_dat op2i_exchange_dat(const struct op2i_exchange *exchange, int i);
/* Bytes that this rank sends each time, and in how many messages. */
int64_t op2i_exchange_sends(const struct op2i_exchange *exchange, int *messages);
unsigned op2i_exchange_parts(const struct op2i_exchange *exchange, int i); /* of its halo */
struct op2i_rows op2i_exchange_rows(const struct op2i_exchange *exchange, int i, int leg, int part,
                                    bool ends);
void op2i_exchange_free(struct op2i_exchange *exchange);

#endif
