/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_WATCH_H
#define OP2I_WATCH_H

/* How ranks wait for each other, and how they find out that they wait in vain: because they have
 * made different calls, because a rank has ended, or because one is silent. In a program without
 * faults nothing is sent for that beyond what comm.c's small messages carry along. Ranks that have
 * waited for seconds, or that have met in different calls, send each other *notes*, by which they
 * find the first call in which they differ and tell all ranks. */

#include "comm.h"
#include "trail.h"

enum op2i_note_kind {
  OP2I_NOTE_PLACE,   /* so many calls have been made, with this digest */
  OP2I_NOTE_DIGESTS, /* the digests of some calls: number, number - step, ... */
  OP2I_NOTE_CALL, /* the first call in which the two ranks differ, and what the sender has there */
  OP2I_NOTE_LEFT, /* the sender has left with a dead context, of which others may know already */
  OP2I_NOTE_END   /* no rank can go on, for this reason */
};

enum { OP2I_NOTE_DIGEST_COUNT = 240 };

/* All notes have one size, small enough for every MPI to send it at once. */
struct op2i_note {
  int32_t kind, from; /* from: the rank that sends it */
  int64_t number, step;
  int32_t n, unused;
  union {
    uint64_t digests[OP2I_NOTE_DIGEST_COUNT];
    struct op2i_trail_words words;
    char reason[OP2I_NOTE_DIGEST_COUNT * sizeof(uint64_t)];
  } u;
};

/* One wait: since when, and what is due next. Zero at first. */
struct op2i_wait {
  int64_t begun;     /* nanoseconds; 0: it has not begun */
  int64_t ask, warn; /* after so long a wait */
};

/* Start messages; fails at once when the ranks have ended (op2i_comm_end()). */
op2_status op2i_comm_start(struct op2i_comm *comm, int n, struct op2i_message *const *messages);
/* As the kind's over(), and while it waits it does what op2i_comm_waits() does. */
op2_status op2i_comm_over(struct op2i_comm *comm, int n, struct op2i_message *const *messages,
                          bool wait, bool *over);
/* To be called again and again while these messages are waited for: reads notes; after two seconds,
 * and at doubling times, asks the ranks that are waited for where they are; warns after a minute,
 * and at doubling times; and ends the wait after OP2_WAIT_MAX. */
op2_status op2i_comm_waits(struct op2i_comm *comm, struct op2i_wait *wait, int n,
                           struct op2i_message *const *messages);
/* This rank has met another that is in a different call: find out in which call they differ first,
 * tell all ranks, and fail. `reason` is what is said where the other does not answer. */
op2_status op2i_comm_diverged(struct op2i_comm *comm, int peer, const char *reason);
/* A note of a place, as if it had been received. */
void op2i_comm_compare(struct op2i_comm *comm, int peer, int64_t number, uint64_t digest);
/* No rank can go on: all are told. Returns the failure. */
op2_status op2i_comm_end(struct op2i_comm *comm, const char *reason);
/* This rank leaves with a context that is dead. Others that still wait two seconds later are told
 * so; it is no news to those that have failed as well. */
void op2i_comm_leave_dead(struct op2i_comm *comm);
/* The process of this rank ends although its context has not: all are told, which may wait for it. */
void op2i_comm_exits(struct op2i_comm *comm);
/* The kind's abandon(), unless all ranks have been told already. */
void op2i_comm_abandon(struct op2i_comm *comm, const char *message);
/* Where this rank is: " in call 7, op2_gbl_get 'sum'"; "" without a trail. */
const char *op2i_comm_place(const struct op2i_comm *comm, char text[OP2I_TRAIL_TEXT]);
/* Collective, the last call of all: no rank leaves while another expects more of it. Fails as all
 * collective calls do. `call` is what the program called. */
op2_status op2i_comm_farewell(struct op2i_comm *comm, const char *call);

#endif
