/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_COMM_H
#define OP2I_COMM_H

/* Ranks of one program, and messages between them. A communicator is the view of one rank. There
 * are two kinds: MPI, in a library of its own, and ranks that are threads of one process
 * (comm_threads.c). Both only transfer messages; collective operations are made of messages here,
 * in an order and a shape that depend on the number of ranks alone. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "op2/status.h"

struct op2i_comm;
struct op2i_note;
struct op2i_trail;

/* A persistent message, which can be started any number of times: it always sends the same memory
 * to the same rank, or receives from it. Messages between two ranks with the same tag arrive in the
 * order in which they were started. */
struct op2i_envelope {
  bool sends;
  int peer; /* never the rank itself */
  int tag;  /* from 0 to OP2I_TAG_MOST; higher ones are reserved for comm_pass.h */
  void *data;
  size_t bytes; /* the same on both sides */
};
struct op2i_message; /* defined by each kind */
enum { OP2I_TAG_MOST = 30000 };

/* Parameters to simulate a slow link. */
struct op2i_link_speed {
  int64_t delay;   /* nanoseconds for each message */
  double per_byte; /* nanoseconds for each byte of a message */
};

struct op2i_comm_kind {
  const char *name;
  /* over() fails at once if a rank has gone, after delivering all notes of that rank */
  bool sees_gone;
  op2_status (*open)(struct op2i_comm *comm, const struct op2i_envelope *envelope,
                     struct op2i_message **message);
  void (*close)(struct op2i_message *message);
  /* Start messages. Until a message is over, the memory that it sends must not change, and the
   * memory that it receives into must not be read. */
  op2_status (*start)(struct op2i_comm *comm, int n, struct op2i_message *const *messages);
  /* *over is true if all messages that were started are over; `wait` waits for that. Fails with
   * OP2_ERR_FATAL if a message can never be over, because a rank has gone. */
  op2_status (*over)(struct op2i_comm *comm, int n, struct op2i_message *const *messages, bool wait,
                     bool *over);
  /* Let messages make progress, for a kind whose messages do so only during calls; null: not
   * needed. over() reports their state. */
  void (*progress)(struct op2i_comm *comm);
  /* Report that this rank cannot continue, and that no error which it returns would reach the
   * others: they must not wait for it. From then on no message of any rank arrives, and over()
   * reports the rank and the reason; if ranks are processes, the job ends with this report instead.
   * Only the first call counts. */
  void (*abandon)(struct op2i_comm *comm, const char *message);
  /* send_note() sends a note (watch.h), which is copied, to another rank; it is lost if there is no
   * memory for it. receive_note() receives the next note for this rank; false: there is none. */
  void (*send_note)(struct op2i_comm *comm, int to, const struct op2i_note *note);
  bool (*receive_note)(struct op2i_comm *comm, struct op2i_note *note);
  /* The rank on which a message that was started still depends; -1: it is over. */
  int (*awaited)(const struct op2i_message *message);
  void (*free)(struct op2i_comm *comm);
};

/* The threads that may call functions of the kind: one fixed thread, any one at a time, or several
 * at a time for different messages. */
enum op2i_thread_level { OP2I_THREAD_FUNNELED, OP2I_THREAD_SERIALIZED, OP2I_THREAD_MULTIPLE };

/* The position of a rank among those of its node. */
struct op2i_node_rank {
  int rank, size;               /* among the ranks of its node */
  int sharer_rank, cpu_sharers; /* among those of them that may run on the same CPUs */
  int overlapping; /* how many other ranks may run on some of these CPUs, but not on the same set */
  int cpus;        /* all CPUs on which ranks of the node may run */
  int spare;       /* other CPUs of the node, on which this rank could run */
  bool process;    /* true if the ranks are threads of one process */
};

/* Messages sent to one other rank in halo exchanges. */
struct op2i_sent {
  int rank;
  int64_t messages, bytes;
  int64_t received; /* messages from it whose reception has started */
};

/* The state of waiting for other ranks (watch.c). */
struct op2i_watch {
  int64_t longest; /* nanoseconds after which a wait aborts all ranks; 0: never */
  /* Nanoseconds of a wait after which this rank asks the others in which call they are, and prints
   * a warning; 0: 2 s and 60 s. Tests set shorter times. */
  int64_t ask_after, warn_after;
  int64_t last_note; /* when notes were last read outside a wait */
  /* Nanoseconds after which the kind's over() returns, to be called again; 0: it waits without
   * limit. */
  int64_t timeout;
  void (*warn)(void *closure, const char *text); /* null: warnings are not printed */
  void *closure;
  bool ended;  /* no rank can continue, and all of them know or have been notified */
  bool urgent; /* set by a kind: all ranks wait, so they ask each other without further delay */
  bool left;   /* this rank has left (op2i_comm_farewell()) */
  int dead;    /* 1 + a rank, maybe this one, that has left with an unusable context; 0: none */
  bool met;    /* set by a kind that fails: messages of different lengths have met, */
  int suspect; /* and this is the other rank */
  char reason[1900]; /* why no rank can continue */
};

/* The common part of a communicator. Each kind puts it first in its own structure. */
struct op2i_comm {
  const struct op2i_comm_kind *kind;
  enum op2i_thread_level thread_level;
  int rank, size;
  struct op2i_node_rank node_rank;
  /* The kind of devices whose memory messages may be in, such as "cuda"; null: none. */
  const char *takes;
  struct op2i_channels *channels;     /* comm.c's channels for small messages; null at first */
  struct op2i_allreduces *allreduces; /* allreduce.c's messages; null at first */
  /* Halo exchanges so far: how many there were, their messages and bytes; and nanoseconds summed
   * over exchanges, from start to end, and the part of it in which nothing else could be done. */
  int64_t exchanges, messages, bytes, transit_ns, waited;
  /* Exchanges and allreduces that have started and are not known to be over. */
  int flying;
  int64_t progressed;     /* when messages last made progress by op2i_comm_progress() */
  struct op2i_sent *sent; /* [nsent] one for each other rank */
  int64_t nsent, sent_capacity;
  struct op2i_trail *trail; /* belongs to the context; null: ranks do not compare their calls */
  struct op2i_watch watch;
};

void op2i_comm_free(struct op2i_comm *comm);

/* Let messages make progress, at most every 100 microseconds. The thread that runs loops calls this
 * from time to time while halo exchanges or allreduces are in flight. `comm` may be null, if there
 * is one rank. */
void op2i_comm_progress(struct op2i_comm *comm);

/* ---- collective operations ------------------------------------------------------------------- */

/* All ranks call these in the same order. Functions that need memory allocate it before anything is
 * sent, and if one rank has none all fail with OP2_ERR_NOMEM, as if nothing had been called. Up to
 * 256 bytes need no memory, so that ranks can agree on anything at any time. Otherwise they fail as
 * kind->over() does, with OP2_ERR_FATAL, after notifying all ranks of the reason
 * (kind->abandon()). */

/* Combine `from` with `into`, which have the same number of bytes. */
typedef void op2i_combine(void *into, const void *from, void *closure);

/* Combine the data of all ranks in a binary tree over their numbers: the result has the same bits
 * on all ranks, and depends on the number of ranks alone. For more than 256 bytes, `data` may be
 * null on a rank that lacks the memory: then all fail. */
op2_status op2i_comm_combine(struct op2i_comm *comm, void *data, size_t bytes,
                             op2i_combine *combine, void *closure);
/* Broadcast the data of rank `root` to all ranks. */
op2_status op2i_comm_share(struct op2i_comm *comm, int root, void *data, size_t bytes);
/* Record the failure of a rank, and prefix its message with its number unless it has one; returns
 * the status. */
op2_status op2i_comm_report(op2_status status, int rank, int size, const char *message);
/* Make a failure of one rank a failure of all: all return the status of the lowest rank that has
 * failed, with its message and its number; OP2_SUCCESS if none has. */
op2_status op2i_comm_agree(struct op2i_comm *comm, op2_status status);
/* Like op2i_comm_agree(), for the first of many failures. *place is the position of a rank's first
 * failure; -1: it has none. All ranks get the lowest position, and the status, the message (without
 * the rank's number) and the number of the lowest rank that has failed there; position -1 if none
 * has failed. */
enum { OP2I_WORDS = 2048 };
op2_status op2i_comm_first(struct op2i_comm *comm, int64_t *place, op2_status *status,
                           char message[OP2I_WORDS], int *rank);
/* values[n] become the sums (minima, maxima) over all ranks. */
op2_status op2i_comm_sum(struct op2i_comm *comm, int n, int64_t *values);
op2_status op2i_comm_least(struct op2i_comm *comm, int n, int64_t *values);
op2_status op2i_comm_greatest(struct op2i_comm *comm, int n, int64_t *values);
/* *same is true if values[n] are the same on all ranks. */
op2_status op2i_comm_same(struct op2i_comm *comm, int n, const int64_t *values, bool *same);
/* values[n] become the sums over the ranks before this one; n is at most 32. */
op2_status op2i_comm_before(struct op2i_comm *comm, int n, int64_t *values);

/* Bytes for another rank, or received from one; a rank may also send to itself. */
struct op2i_parcel {
  int peer;
  size_t bytes;
  void *data;
};
struct op2i_parcels {
  int64_t n;
  struct op2i_parcel *parcel; /* ordered by the rank that has sent them */
  void *memory;               /* holds all of them, one after the other; from op2i_alloc_raw() */
};

/* ---- ranks that are threads ------------------------------------------------------------------ */

/* Make the communicators of n ranks, each for one thread at a time; each is freed separately. */
op2_status op2i_comm_threads(int n, struct op2i_link_speed speed, struct op2i_comm **comms);

#endif
