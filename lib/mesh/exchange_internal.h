/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_EXCHANGE_INTERNAL_H
#define OP2I_EXCHANGE_INTERNAL_H

/* What an exchange is, for those that move its rows: of the host's memory, or of the device's. */

#include "exchange.h"

enum op2i_side { OP2I_OUT, OP2I_IN, OP2I_SIDES };

/* What travels between this rank and one other, on its way out and in. */
struct op2i_leg {
  int rank;
  size_t bytes[OP2I_SIDES];
  unsigned char *memory[OP2I_SIDES];
  int64_t sent; /* where it is counted: in the communicator's list */
};

/* A dat's values, where they were asked for last before rows of them leave, or arrive. */
struct op2i_travelling {
  void *values; /* null: there was no memory */
  bool there;   /* on the device: a handle */
};

struct op2i_exchange {
  struct op2i_comm *comm;
  int n, nlegs, nmessages;
  struct op2i_stale *stale;                    /* [n] */
  int64_t *outgoing;                           /* [n] bytes of them that are sent each time */
  struct op2i_travelling *dats[OP2I_SIDES];    /* [n] */
  struct op2i_leg *legs;                       /* [nlegs], in the order of ranks */
  const struct op2i_neighbour **peers;         /* [nlegs][n] of a leg in a dat's halo, null: none */
  struct op2i_message **messages;              /* [nmessages] of all legs */
  unsigned char *memory;                       /* of the messages of all legs, */
  size_t first[OP2I_SIDES], bytes[OP2I_SIDES]; /* those of a side one behind the other */
  struct op2i_exchange_device *device;         /* null: no rows were moved there yet */
  int64_t begun, ended; /* when messages were started last, and seen to be over */
  bool flies;           /* they are not known to be over */
};

/* What moving rows there takes, of the dats whose values are there. */
op2_status op2i_exchange_have_there(struct op2i_exchange *exchange, enum op2i_side side);
/* Move the rows of all dats whose values are on the device between there and the messages. */
op2_status op2i_exchange_move_there(struct op2i_exchange *exchange, enum op2i_side side);
void op2i_exchange_device_free(struct op2i_exchange *exchange);

#endif
