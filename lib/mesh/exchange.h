/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_EXCHANGE_H
#define OP2I_EXCHANGE_H

/* Halo exchanges: the rows of several dats that are sent at one point, in one message to each
 * neighbour. An exchange is made once and run as often as its program is. */

#include "mesh.h"

/* Parts of a dat's halo as bits: 1 << OP2I_HALO_EXEC, 1 << OP2I_HALO_NONEXEC. */
enum { OP2I_EVERY_PART = (1 << OP2I_HALO_PARTS) - 1 };
/* The parts of a dat's halo that have elements on any rank. */
unsigned op2i_dat_parts(const struct op2_dat_s *dat);
/* Mark the halo as stale: the owners' values have changed. */
void op2i_dat_make_stale(op2_dat dat);
/* Bring all of one dat's halo up to date, if it is stale. Collective. */
op2_status op2i_dat_freshen(op2_dat dat);

struct op2i_stale {
  op2_dat dat;
  unsigned parts;
};

struct op2i_exchange;

/* Make an exchange. All dats belong to one context, and none is listed twice. Collective. */
op2_status op2i_exchange_make(int n, const struct op2i_stale *stale, struct op2i_exchange **out);
/* Get the values in a place of the host before rows are packed there or, if `ends`, unpacked. With
 * `device`, values on the device may stay there, in exchanges that begin and end as a whole: then
 * only the rows that are exchanged go between the device and the host. */
op2_status op2i_exchange_bind(struct op2i_exchange *exchange, enum op2i_place place, bool device,
                              bool ends);
/* Pack all rows and send them. All ranks begin the same exchanges in the same order. */
op2_status op2i_exchange_begin(struct op2i_exchange *exchange);
/* Wait for the messages of other ranks and unpack them. */
op2_status op2i_exchange_end(struct op2i_exchange *exchange);
/* Mark the halo parts that the exchange brings as up to date. */
void op2i_exchange_freshens(const struct op2i_exchange *exchange);

/* The same in pieces. A leg is the traffic between this rank and one other. Legs are packed, and
 * unpacked, independently of each other; all are packed before the exchange starts. */
int op2i_exchange_legs(const struct op2i_exchange *exchange);
void op2i_exchange_pack(const struct op2i_exchange *exchange, int leg);
op2_status op2i_exchange_start(struct op2i_exchange *exchange);
op2_status op2i_exchange_over(struct op2i_exchange *exchange, bool wait, bool *over);
/* Call this repeatedly while only this exchange's messages are waited for, like
 * op2i_comm_waits(). */
struct op2i_wait;
op2_status op2i_exchange_waits(const struct op2i_exchange *exchange, struct op2i_wait *wait);
/* True if the exchange has started and its completion has not been seen. */
bool op2i_exchange_in_flight(const struct op2i_exchange *exchange);
/* Count the time from `since` (or from the start, if that was later) to the end as time in which
 * nothing could be done but wait. */
void op2i_exchange_waited(const struct op2i_exchange *exchange, int64_t since);
void op2i_exchange_unpack(const struct op2i_exchange *exchange, int leg);
/* Exchange rows of another dat of the same shape in place of this one. */
void op2i_exchange_pass_on(struct op2i_exchange *exchange, const void *dat, op2_dat successor);
/* The number of dats, and the i-th dat. */
int op2i_exchange_dats(const struct op2i_exchange *exchange);
op2_dat op2i_exchange_dat(const struct op2i_exchange *exchange, int i);
/* Bytes that this rank sends each time, and the number of messages. */
int64_t op2i_exchange_sends(const struct op2i_exchange *exchange, int *messages);
/* The parts of the i-th dat's halo, and the rows that a leg packs for one or unpacks (`ends`). */
unsigned op2i_exchange_parts(const struct op2i_exchange *exchange, int i);
struct op2i_rows op2i_exchange_rows(const struct op2i_exchange *exchange, int i, int leg, int part,
                                    bool ends);
void op2i_exchange_free(struct op2i_exchange *exchange);

#endif
