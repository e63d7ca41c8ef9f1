/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_EXCHANGE_INTERNAL_H
#define OP2I_EXCHANGE_INTERNAL_H

/* The structure of an exchange, for the files that move its rows in host memory or on the
 * device. */

#include "exchange.h"

enum { OP2I_TAG_ROWS = 1 };
enum op2i_side { OP2I_OUT, OP2I_IN, OP2I_SIDES };

/* The traffic between this rank and one other, outgoing and incoming. */
struct op2i_leg {
  int rank;
  size_t bytes[OP2I_SIDES];
  unsigned char *memory[OP2I_SIDES];
  int64_t sent; /* index of its counters in the communicator's list */
  /* Numbers of the messages that were last started, among those between the two ranks. */
  int64_t number[OP2I_SIDES];
};

/* The values of a dat, as last requested before its rows are packed or unpacked. */
struct op2i_travelling {
  void *values; /* null: there was no memory */
  bool there;   /* on the device, so that `values` is a handle */
};

struct op2i_exchange {
  struct op2i_comm *comm;
  int n, nlegs, nmessages;
  struct op2i_stale *stale;                 /* [n] */
  int64_t *outgoing;                        /* [n] bytes of each dat that are sent each time */
  struct op2i_travelling *dats[OP2I_SIDES]; /* [n] */
  struct op2i_leg *legs;                    /* [nlegs], sorted by rank */
  /* [nlegs][n] The leg's rank as a neighbour in a dat's halo; null: it is none. */
  const struct op2i_neighbour **peers;
  struct op2i_message *
      *messages; /* [nmessages] by legs, what a leg sends before what it receives */
  /* [nmessages] Those that were started last: the messages of a side that is `direct` are in the
   * device's memory. */
  struct op2i_message **started;
  bool direct[OP2I_SIDES];
  bool with_device;                            /* true if values may stay on the device */
  unsigned char *memory;                       /* all messages */
  size_t first[OP2I_SIDES], bytes[OP2I_SIDES]; /* of the messages of a side, in `memory` */
  struct op2i_exchange_device *device;         /* null: no rows were moved there yet */
  /* Times in nanoseconds when the messages were last started, and seen to be complete. */
  int64_t begun, ended;
  int32_t what;   /* number of its name in the trace; 0: it has none yet */
  bool in_flight; /* in flight: the messages are not known to be complete */
};

/* Make the buffers and row lists on the device that packing and unpacking messages there needs, for
 * the dats whose current values are on the device. */
op2_status op2i_exchange_have_there(struct op2i_exchange *exchange, enum op2i_side side);
/* Before rows are packed: choose the messages, and fill `started`. Those of a side are in the
 * device's memory if the rows of all dats are there and messages may be. */
void op2i_exchange_choose(struct op2i_exchange *exchange);
/* Move the rows of all dats whose values are on the device between there and the messages. */
op2_status op2i_exchange_move_there(struct op2i_exchange *exchange, enum op2i_side side);
/* Bring received messages that are in the device's memory to the host, if rows of a dat have to be
 * unpacked there. */
op2_status op2i_exchange_fetch(struct op2i_exchange *exchange);
/* exchange_trace.c: show in the timeline that the messages are complete. */
void op2i_exchange_trace(struct op2i_exchange *exchange);
void op2i_exchange_device_free(struct op2i_exchange *exchange);

#endif
