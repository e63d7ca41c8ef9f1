/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_ALLREDUCE_H
#define OP2I_ALLREDUCE_H

/* Allreduces of a few bytes that travel while this rank computes: one begins, and later it is over.
 * The result has the bits of op2i_comm_combine() on every rank, and takes half as many messages one
 * after the other, since the ranks of two halves send to each other at the same time. */

#include "comm.h"

struct op2i_wait;
struct op2i_allreduce_slot;

/* BYTES is the most that one may have. COUNT of them can be in flight: the next one first waits for
 * the oldest. */
enum { OP2I_ALLREDUCE_BYTES = 256, OP2I_ALLREDUCE_COUNT = 4 };

/* An allreduce of the caller, which keeps it and its data in place until it is over. */
struct op2i_allreduce {
  struct op2i_comm *comm;
  void *data;
  size_t bytes;
  op2i_combine *combine;
  void *closure;
  struct op2i_allreduce_slot *slot; /* of the communicator while it is in flight */
  bool over;
};

/* Allocate what allreduces need, so that later ones need no memory. Not collective. */
op2_status op2i_allreduce_open(struct op2i_comm *comm);
/* Begin with data aligned for what combine() reads. All ranks begin the same ones in the same
 * order. Fails as kind->start() does. */
op2_status op2i_allreduce_begin(struct op2i_comm *comm, void *data, size_t bytes,
                                op2i_combine *combine, void *closure, struct op2i_allreduce *r);
/* *over is true if the data hold the result; `wait` waits for that. All ranks wait in the same
 * order. Fails as kind->over() does. */
op2_status op2i_allreduce_over(struct op2i_allreduce *r, bool wait, bool *over);
/* Call this repeatedly while only this one is waited for, like op2i_comm_waits(). */
op2_status op2i_allreduce_waits(const struct op2i_allreduce *r, struct op2i_wait *wait);
/* Give it up after a failure, since its data are about to be freed. No other one can begin then. */
void op2i_allreduce_forget(struct op2i_allreduce *r);

/* True if some are in flight; let them go on with what has arrived. */
bool op2i_allreduces_in_flight(const struct op2i_comm *comm);
op2_status op2i_allreduces_advance(struct op2i_comm *comm);
void op2i_allreduces_free(struct op2i_comm *comm);

/* op2i_comm_first() in two parts. */
struct op2i_first {
  struct op2i_allreduce travel;
  int64_t word;
  bool begun;
};
op2_status op2i_comm_first_begin(struct op2i_comm *comm, int64_t place, struct op2i_first *first);
op2_status op2i_comm_first_end(struct op2i_comm *comm, struct op2i_first *first, int64_t *place,
                               op2_status *status, char message[OP2I_WORDS], int *rank);

#endif
