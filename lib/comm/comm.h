/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_COMM_H
#define OP2I_COMM_H

/* Ranks of one program, and messages between them. A communicator is what one rank sees of them.
 * There are two kinds: MPI's, which lives in a library of its own, and ranks that are threads of
 * one process (comm_threads.c). Both carry messages and no more; what all ranks do together is made
 * of messages here, in an order and a shape that depend on the number of ranks alone. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "op2/status.h"

struct op2i_comm;
struct op2i_note;
struct op2i_trail;

/* A message that is sent, or received, as often as it is started: always the same bytes of memory
 * to, or from, the same rank. Messages between two ranks that have one tag arrive in the order in
 * which they were started. */
struct op2i_envelope {
  bool sends;
  int peer; /* never the rank itself */
  int tag;  /* from 0 to OP2I_TAG_MOST; higher ones are this file's own */
  void *data;
  size_t bytes; /* the same on both sides */
};
struct op2i_message; /* of a kind */
enum { OP2I_TAG_MOST = 30000 };

/* As if messages travelled over a slow link. */
struct op2i_link_speed {
  int64_t delay;   /* nanoseconds that a message takes, */
  double per_byte; /* and for each of its bytes */
};

struct op2i_comm_kind {
  const char *name;
  bool sees_gone; /* over() fails at once where a rank has gone, after all notes of that rank */
  op2_status (*open)(struct op2i_comm *comm, const struct op2i_envelope *envelope,
                     struct op2i_message **message);
  void (*close)(struct op2i_message *message);
  /* The memory of what is sent stays as it is, and that of what is received is not looked at, until
   * the message is over. */
  op2_status (*start)(struct op2i_comm *comm, int n, struct op2i_message *const *messages);
  /* Whether all messages that were started are over; with `wait` they are. Fails with OP2_ERR_FATAL
   * when they never will be, since a rank has gone. */
  op2_status (*over)(struct op2i_comm *comm, int n, struct op2i_message *const *messages, bool wait,
                     bool *over);
  /* Messages get on, of a kind whose messages do so only while somebody asks for them; null: there is
   * nothing to do. What has become of them, over() says. */
  void (*carry)(struct op2i_comm *comm);
  /* This rank cannot go on, and no error that it returns would tell the others: they are not to wait
   * for it. From then on no rank's message comes any more, and over() says which rank it was and why;
   * or, where ranks are processes, the job ends with that said. The first to call counts. */
  void (*abandon)(struct op2i_comm *comm, const char *message);
  /* A note (watch.h) for another rank, which is copied; it is lost where there is no memory for it.
   * And whether there is one for this rank. */
  void (*say)(struct op2i_comm *comm, int to, const struct op2i_note *note);
  bool (*hear)(struct op2i_comm *comm, struct op2i_note *note);
  /* The rank on which a message that was started still depends; -1: it is over. */
  int (*awaited)(const struct op2i_message *message);
  void (*free)(struct op2i_comm *comm);
};

/* Which threads may call functions of the kind: one that never changes, any one at a time, or several
 * at a time for messages of their own. */
enum op2i_callers { OP2I_CALLERS_ONE, OP2I_CALLERS_IN_TURN, OP2I_CALLERS_ANY };

/* Where a rank is. */
struct op2i_seat {
  int rank, size;  /* among the ranks of its node */
  int twin, twins; /* among those of them that may run on the same CPUs */
  int overlapping; /* how many others may run on some of these CPUs, but not on the same ones */
  int cpus;        /* on which ranks of the node may run, all together */
  int spare;       /* other CPUs of the node, on which this rank could run */
  bool process;    /* they are threads of one process */
};

/* What was sent to one other rank in exchanges of halos. */
struct op2i_sent {
  int rank;
  int64_t messages, bytes;
};

/* What watch.c knows of waiting. */
struct op2i_watch {
  int64_t longest;               /* nanoseconds after which a wait ends the ranks; 0: never */
  int64_t ask_after, warn_after; /* nanoseconds of a wait after which this rank asks others where
                                    they are, and warns of them; 0: 2 s and 60 s. Tests have
                                    shorter ones */
  int64_t heard;                 /* when notes were last read outside a wait */
  int64_t patience; /* a kind's over() returns after so many nanoseconds, to be called again; 0: it
                       waits without end */
  void (*warn)(void *closure, const char *text); /* null: nobody is warned */
  void *closure;
  bool ended;  /* no rank can go on, and all of them know or have been told */
  bool urgent; /* set by a kind: all ranks wait, so they need not wait to ask each other */
  bool left;   /* this rank has said farewell */
  int dead;    /* 1 + a rank, maybe this one, that has left with a dead context; 0: none has */
  bool met;    /* set by a kind that fails: messages of different lengths have met, with the rank */
  int suspect; /* that is named here */
  char reason[1900]; /* of the end */
};

/* Kinds put it first in a structure of their own. */
struct op2i_comm {
  const struct op2i_comm_kind *kind;
  enum op2i_callers callers;
  int rank, size;
  struct op2i_seat seat;
  struct op2i_channels *channels; /* comm.c's messages; null at first */
  /* Of halos, so far: exchanges that were run, messages that were sent, and their bytes; and
   * nanoseconds, summed over exchanges, from their start to their end, and those of them in which
   * nothing else could be done. */
  int64_t exchanges, messages, bytes, travelled, waited;
  int flying;             /* exchanges that have started, and are not known to be over */
  int64_t carried;        /* when messages were last asked to get on */
  struct op2i_sent *sent; /* [nsent], each rank once */
  int64_t nsent, sent_capacity;
  struct op2i_trail *trail; /* of the context; null: without one ranks compare nothing */
  struct op2i_watch watch;
};

void op2i_comm_free(struct op2i_comm *comm);

/* The thread that runs loops does so now and then while exchanges are on their way: what is due is
 * done at most every 100 microseconds. Null: there are no others. */
void op2i_comm_carry(struct op2i_comm *comm);

/* ---- what all ranks do together -------------------------------------------------------------- */

/* All ranks call these in the same order. What takes memory takes it before anything is sent, and
 * where one rank has none all fail with OP2_ERR_NOMEM, as if nothing had been called. Up to 256 bytes
 * take none, so that ranks can agree on anything at any time. Otherwise they fail as kind->over()
 * does, with OP2_ERR_FATAL, and have told all ranks why (kind->abandon()). */

/* Put `from` to what is in `into`; both are of one number of bytes. */
typedef void op2i_combine(void *into, const void *from, void *closure);

/* What is in data on all ranks, combined in a binary tree over their numbers: bits are the same on
 * all, and depend on the number of ranks alone. Of more than 256 bytes data may be null on a rank that
 * lacks the memory: then all fail. */
op2_status op2i_comm_combine(struct op2i_comm *comm, void *data, size_t bytes,
                             op2i_combine *combine, void *closure);
/* data of rank `root`, on all. */
op2_status op2i_comm_share(struct op2i_comm *comm, int root, void *data, size_t bytes);
/* Record the failure of a rank, with its number before the message unless that has one; returns the
 * status. */
op2_status op2i_comm_report(op2_status status, int rank, int size, const char *message);
/* A failure of one rank is one of all: all return the status of the lowest rank that has failed, with
 * its message and its number; OP2_SUCCESS where none has. */
op2_status op2i_comm_agree(struct op2i_comm *comm, op2_status status);
/* The same for one of many failures. *place is what a rank's first one is about, -1: it has none. All
 * get the lowest place, and of the lowest rank that has failed there the status, the message, without
 * its number, and the rank; place -1 where nobody has failed. */
enum { OP2I_WORDS = 2048 };
op2_status op2i_comm_first(struct op2i_comm *comm, int64_t *place, op2_status *status,
                           char message[OP2I_WORDS], int *rank);
/* values[n] become the sums (the least, the greatest) of those of all ranks. */
op2_status op2i_comm_sum(struct op2i_comm *comm, int n, int64_t *values);
op2_status op2i_comm_least(struct op2i_comm *comm, int n, int64_t *values);
op2_status op2i_comm_greatest(struct op2i_comm *comm, int n, int64_t *values);
/* Whether values[n] are the same on all ranks; n is at most 16. */
op2_status op2i_comm_same(struct op2i_comm *comm, int n, const int64_t *values, bool *same);
/* values[n] become the sums of those of the ranks before this one; of 32 at most. */
op2_status op2i_comm_before(struct op2i_comm *comm, int n, int64_t *values);

/* Bytes for another rank, or from one; also for and from the rank itself. */
struct op2i_parcel {
  int peer;
  size_t bytes;
  void *data;
};
struct op2i_parcels {
  int64_t n;
  struct op2i_parcel *parcel; /* by the number of the rank they come from */
  void *memory;               /* of all of them, one after the other: op2i_alloc_raw()'s */
};
/* Send parcels to ranks that do not know of it: at most one to each. Memory and messages are in
 * proportion to what is sent and received, and to the logarithm of the number of ranks. */
op2_status op2i_comm_deliver(struct op2i_comm *comm, int64_t n, const struct op2i_parcel *parcels,
                             struct op2i_parcels *received);
void op2i_parcels_free(struct op2i_parcels *parcels);

/* ---- ranks that are threads ------------------------------------------------------------------ */

/* The communicators of n ranks, each for one thread at a time; each is freed by itself. */
op2_status op2i_comm_threads(int n, struct op2i_link_speed speed, struct op2i_comm **comms);

#endif
