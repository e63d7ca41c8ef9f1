/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_WATCH_H
#define OP2I_WATCH_H

/* Waiting for other ranks, and detecting that a wait can never end: because ranks have made
 * different calls, because a rank has ended, or because one is silent. In a program without faults
 * nothing is sent for this beyond a few fields in comm.c's small messages. Ranks that have waited
 * for seconds, or that have met in different calls, send each other *notes*, by which they find the
 * first call in which they differ and notify all ranks. */

#include "comm.h"
#include "trail.h"

enum op2i_note_kind {
  OP2I_NOTE_PLACE,   /* how many calls the sender has made, and their digest */
  OP2I_NOTE_DIGESTS, /* the digests of some calls: number, number - step, ... */
  OP2I_NOTE_CALL,    /* the first call in which the two ranks differ, as the sender has made it */
  OP2I_NOTE_LEFT, /* the sender has left with an unusable context, which others may know already */
  OP2I_NOTE_END   /* no rank can continue, for this reason */
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

/* One wait: when it began, and when the next actions are due. Zero at first. */
struct op2i_wait {
  int64_t begun;     /* nanoseconds; 0: it has not begun */
  int64_t ask, warn; /* nanoseconds of waiting after which to ask, and to warn */
};

/* Start messages. Fails at once if the ranks have ended (op2i_comm_end()). */
op2_status op2i_comm_start(struct op2i_comm *comm, int n, struct op2i_message *const *messages);
/* Like the kind's over(); during a wait it calls op2i_comm_waits(). */
op2_status op2i_comm_over(struct op2i_comm *comm, int n, struct op2i_message *const *messages,
                          bool wait, bool *over);
/* Called repeatedly while these messages are awaited. It reads notes; after two seconds, and at
 * doubling times, it asks the awaited ranks in which call they are; it warns after a minute, and at
 * doubling times; and it ends the wait after OP2_WAIT_MAX. */
op2_status op2i_comm_waits(struct op2i_comm *comm, struct op2i_wait *wait, int n,
                           struct op2i_message *const *messages);
/* This rank has met another one that is in a different call: find the first call in which they
 * differ, notify all ranks, and fail. `reason` is reported if the other rank does not answer. */
op2_status op2i_comm_diverged(struct op2i_comm *comm, int peer, const char *reason);
/* Compare this rank's calls with those of a peer, as if a note with its call had been received. */
void op2i_comm_compare(struct op2i_comm *comm, int peer, int64_t number, uint64_t digest);
/* Notify all ranks that none can continue. Returns the failure. */
op2_status op2i_comm_end(struct op2i_comm *comm, const char *reason);
/* Report that this rank leaves with an unusable context. Ranks that still wait two seconds later
 * fail with this reason; those that have failed as well ignore it. */
void op2i_comm_leave_dead(struct op2i_comm *comm);
/* The process of this rank ends although its context has not: notify all ranks, which may wait for
 * it. */
void op2i_comm_exits(struct op2i_comm *comm);
/* Call the kind's abandon(), unless all ranks have been notified already. */
void op2i_comm_abandon(struct op2i_comm *comm, const char *message);
/* The current call of this rank: " in call 7, op2_gbl_get 'sum'"; "" without a trail. */
const char *op2i_comm_place(const struct op2i_comm *comm, char text[OP2I_TRAIL_TEXT]);
/* The last collective call: no rank leaves while another expects messages from it. Fails as all
 * collective calls do. `call` is the function that the program called. */
op2_status op2i_comm_farewell(struct op2i_comm *comm, const char *call);

#endif
