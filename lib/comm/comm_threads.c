/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that are threads of one process: sends and receives are matched in lists that all ranks
 * share, and the later of two partners copies the data. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "comm.h"
#include "error.h"
#include "mem.h"
#include "watch.h"

enum state { IDLE, POSTED, OVER, LOST };

struct op2i_message {
  struct op2i_envelope envelope;
  struct rank *rank;
  enum state state;
  int64_t due;               /* when the data arrive, by the clock */
  struct op2i_message *next; /* in the list of messages without a partner, in the order of starts */
};

struct letter {
  struct letter *next;
  struct op2i_note note;
};

struct world {
  pthread_mutex_t lock; /* protects all fields below, and all messages that were started */
  pthread_cond_t changed;
  struct op2i_link_speed speed;
  int size, present;
  struct rank *ranks;           /* [size] */
  struct op2i_message **posted; /* [size][size] from, to: messages without a partner */
  int64_t changes;              /* counts the events after which a waiting rank may continue */
  /* How often all ranks were found waiting and had to ask each other. */
  int64_t rounds;
  int64_t asked; /* when `rounds` was last increased */
  bool abandoned;
  int abandoned_by;
  char cause[2048];
};

struct rank {
  struct op2i_comm comm;
  struct world *world;
  bool gone;
  struct letter *letters; /* notes for it, in the order of arrival */
  int64_t round;          /* value of `rounds` for which the rank last asked */
  /* `changes` at which the rank waits, as none of them helped; -1: it does not wait */
  int64_t stuck;
};

static struct rank *rank_of(struct op2i_comm *comm) { return (struct rank *)comm; }

/* ---- messages -------------------------------------------------------------------------------- */

static op2_status open_message(struct op2i_comm *comm, const struct op2i_envelope *envelope,
                               struct op2i_message **out) {
  struct op2i_message *message = op2i_calloc(1, sizeof *message);
  if (!message) return op2i_error_nomem("a message");
  message->envelope = *envelope;
  message->rank = rank_of(comm);
  *out = message;
  return OP2_SUCCESS;
}

/* The list in which messages of the same sender and receiver wait for each other. */
static struct op2i_message **list_of(const struct op2i_message *message) {
  const struct op2i_envelope *e = &message->envelope;
  int own = message->rank->comm.rank, from = e->sends ? own : e->peer,
      to = e->sends ? e->peer : own;
  return &message->rank->world->posted[from * message->rank->world->size + to];
}

static void withdraw(struct op2i_message *message) {
  struct op2i_message **at = list_of(message);
  while (*at && *at != message) at = &(*at)->next;
  if (*at) *at = message->next;
}

static void close_message(struct op2i_message *message) {
  struct world *world = message->rank->world;
  pthread_mutex_lock(&world->lock);
  if (message->state == POSTED) withdraw(message);
  pthread_mutex_unlock(&world->lock);
  op2i_free(message);
}

/* Match a send with its receive: copy the data. */
static void deliver(struct op2i_message *a, struct op2i_message *b) {
  struct op2i_message *from = a->envelope.sends ? a : b, *to = a->envelope.sends ? b : a;
  const struct op2i_link_speed *speed = &a->rank->world->speed;
  size_t bytes = from->envelope.bytes;
  from->state = to->state = bytes == to->envelope.bytes ? OVER : LOST;
  if (to->state == OVER && bytes) memcpy(to->envelope.data, from->envelope.data, bytes);
  from->due = to->due = 0;
  if (speed->delay || speed->per_byte > 0)
    to->due = op2i_nanoseconds() + speed->delay + (int64_t)(speed->per_byte * (double)bytes);
}

static void post(struct op2i_message *message) {
  struct op2i_message **at = list_of(message);
  while (*at && ((*at)->envelope.sends == message->envelope.sends ||
                 (*at)->envelope.tag != message->envelope.tag))
    at = &(*at)->next;
  struct op2i_message *other = *at;
  if (other) {
    *at = other->next;
    deliver(message, other);
    return;
  }
  message->state = POSTED;
  message->next = NULL;
  *at = message;
}

static void change(struct world *world) {
  world->changes++;
  pthread_cond_broadcast(&world->changed);
}

static op2_status given_up(const struct world *world) {
  return op2i_error(OP2_ERR_FATAL, "rank %d of %d cannot go on: %s", world->abandoned_by,
                    world->size, world->cause);
}

/* Post messages for their partners. A message must not be started again before it is over. */
static op2_status post_messages(struct op2i_comm *comm, int n,
                                struct op2i_message *const *messages) {
  struct world *world = rank_of(comm)->world;
  op2_status status = OP2_SUCCESS;
  pthread_mutex_lock(&world->lock);
  if (world->abandoned) status = given_up(world);
  for (int i = 0; i < n && !status; i++) post(messages[i]);
  change(world);
  pthread_mutex_unlock(&world->lock);
  return status;
}

/* ---- waiting --------------------------------------------------------------------------------- */

struct look {
  bool over;
  int64_t due;                      /* the latest arrival of the data of a matched message */
  const struct op2i_message *never; /* one that can never be over */
};

static struct look look_at(const struct world *world, int n, struct op2i_message *const *messages) {
  struct look look = {.over = true};
  for (int i = 0; i < n; i++) {
    const struct op2i_message *message = messages[i];
    bool alone = message->state == POSTED;
    bool missed = world->abandoned || world->ranks[message->envelope.peer].gone;
    if (message->state == LOST || (alone && missed)) look.never = message;
    look.over = look.over && !alone;
    if (message->due > look.due) look.due = message->due;
  }
  return look;
}

static op2_status never(const struct op2i_comm *comm, const struct op2i_message *message) {
  const struct world *world = message->rank->world;
  if (message->state == LOST) {
    message->rank->comm.watch.met = true;
    message->rank->comm.watch.suspect = message->envelope.peer;
    return op2i_error(OP2_ERR_FATAL, "ranks %d and %d differ in the length of a message",
                      comm->rank, message->envelope.peer);
  }
  if (world->abandoned) return given_up(world);
  return op2i_error(OP2_ERR_FATAL, "rank %d has ended while rank %d waits for it",
                    message->envelope.peer, comm->rank);
}

static void give_up(struct world *world, int rank, const char *message) {
  if (world->abandoned) return;
  world->abandoned = true;
  world->abandoned_by = rank;
  snprintf(world->cause, sizeof world->cause, "%s", message);
  change(world);
}

static void wait_until(struct world *world, int64_t due) {
  struct timespec when = {due / 1000000000, due % 1000000000};
  pthread_cond_timedwait(&world->changed, &world->lock, &when);
}

static bool can_ask(const struct rank *rank) {
  return rank->comm.trail && rank->comm.watch.timeout;
}

/* If all ranks wait and no message is in flight, the messages they wait for will never be sent.
 * Ranks that can do so then ask each other which calls they have made; if that finds nothing, this
 * is all that can be reported. */
static void all_wait(struct rank *rank) {
  enum { ANSWERS_NS = 2000000000 };
  struct world *world = rank->world;
  int64_t now = op2i_nanoseconds();
  bool any = can_ask(rank);
  if (any && (!world->asked || now - world->asked > 2 * (int64_t)ANSWERS_NS)) {
    world->asked = now;
    world->rounds++;
    change(world);
  } else if (!any || now - world->asked > ANSWERS_NS) {
    give_up(world, rank->comm.rank,
            "all ranks wait for each other: they have not made the same calls");
  }
}

static void wait_for_change(struct rank *rank, int64_t until) {
  struct world *world = rank->world;
  bool all = true;
  rank->stuck = world->changes;
  for (int r = 0; r < world->size; r++)
    all = all && (world->ranks[r].gone || world->ranks[r].stuck == world->changes);
  if (all) all_wait(rank);
  if (world->abandoned || (until && world->rounds != rank->round)) return;
  if (until)
    wait_until(world, until);
  else if (!all)
    pthread_cond_wait(&world->changed, &world->lock);
}

/* True if the caller has work to do before it waits further. */
static bool returns(struct rank *rank, int64_t until) {
  if (!until) return false;
  if (can_ask(rank) && rank->round != rank->world->rounds) rank->comm.watch.urgent = true;
  rank->round = rank->world->rounds;
  return rank->comm.watch.urgent || rank->letters || op2i_nanoseconds() >= until;
}

static op2_status over(struct op2i_comm *comm, int n, struct op2i_message *const *messages,
                       bool wait, bool *out) {
  struct world *world = rank_of(comm)->world;
  int64_t until = comm->watch.timeout && wait ? op2i_nanoseconds() + comm->watch.timeout : 0;
  struct look look;
  pthread_mutex_lock(&world->lock);
  for (;;) {
    look = look_at(world, n, messages);
    bool late = look.over && look.due > op2i_nanoseconds();
    *out = look.over && !late;
    if (*out || look.never || !wait || returns(rank_of(comm), until)) break;
    rank_of(comm)->stuck = -1;
    if (late)
      wait_until(world, look.due);
    else
      wait_for_change(rank_of(comm), until);
  }
  if (*out || look.never || !wait) rank_of(comm)->stuck = -1;
  op2_status status = look.never ? never(comm, look.never) : OP2_SUCCESS;
  pthread_mutex_unlock(&world->lock);
  return status;
}

/* ---- notes ----------------------------------------------------------------------------------- */

static void send_note(struct op2i_comm *comm, int to, const struct op2i_note *note) {
  struct world *world = rank_of(comm)->world;
  struct letter *letter = op2i_malloc(sizeof *letter);
  if (!letter) return;
  *letter = (struct letter){NULL, *note};
  pthread_mutex_lock(&world->lock);
  struct letter **end = &world->ranks[to].letters;
  while (*end) end = &(*end)->next;
  *end = letter;
  change(world);
  pthread_mutex_unlock(&world->lock);
}

static bool receive_note(struct op2i_comm *comm, struct op2i_note *note) {
  struct world *world = rank_of(comm)->world;
  pthread_mutex_lock(&world->lock);
  struct letter *letter = rank_of(comm)->letters;
  if (letter) rank_of(comm)->letters = letter->next;
  pthread_mutex_unlock(&world->lock);
  if (letter) *note = letter->note;
  op2i_free(letter);
  return letter != NULL;
}

static int awaited(const struct op2i_message *message) {
  struct world *world = message->rank->world;
  pthread_mutex_lock(&world->lock);
  int peer = message->state == POSTED ? message->envelope.peer : -1;
  pthread_mutex_unlock(&world->lock);
  return peer;
}

/* ---- creating and freeing communicators ------------------------------------------------------ */

static void abandon(struct op2i_comm *comm, const char *message) {
  struct world *world = rank_of(comm)->world;
  pthread_mutex_lock(&world->lock);
  give_up(world, comm->rank, message);
  pthread_mutex_unlock(&world->lock);
}

static void free_world(struct world *world) {
  if (!world) return;
  for (int r = 0; r < world->size && world->ranks; r++)
    for (struct letter *letter = world->ranks[r].letters, *next; letter; letter = next) {
      next = letter->next;
      op2i_free(letter);
    }
  pthread_cond_destroy(&world->changed);
  pthread_mutex_destroy(&world->lock);
  op2i_free(world->ranks);
  op2i_free(world->posted);
  op2i_free(world);
}

static void free_rank(struct op2i_comm *comm) {
  struct rank *rank = rank_of(comm);
  struct world *world = rank->world;
  pthread_mutex_lock(&world->lock);
  rank->gone = true;
  bool last = --world->present == 0;
  change(world);
  pthread_mutex_unlock(&world->lock);
  if (last) free_world(world);
}

static const struct op2i_comm_kind kind = {.name = "threads",
                                           .sees_gone = true,
                                           .open = open_message,
                                           .close = close_message,
                                           .start = post_messages,
                                           .over = over,
                                           .abandon = abandon,
                                           .send_note = send_note,
                                           .receive_note = receive_note,
                                           .awaited = awaited,
                                           .free = free_rank};

/* Deadlines are measured by the clock of op2i_nanoseconds(). */
static void make_lock(struct world *world) {
  pthread_condattr_t attr;
  pthread_mutex_init(&world->lock, NULL);
  pthread_condattr_init(&attr);
  pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
  pthread_cond_init(&world->changed, &attr);
  pthread_condattr_destroy(&attr);
}

op2_status op2i_comm_threads(int n, struct op2i_link_speed speed, struct op2i_comm **comms) {
  struct world *world = op2i_calloc(1, sizeof *world);
  if (!world) return op2i_error_nomem("ranks");
  make_lock(world);
  world->speed = speed;
  world->size = world->present = n;
  world->ranks = op2i_calloc((size_t)n, sizeof *world->ranks);
  world->posted = op2i_calloc((size_t)n * (size_t)n, sizeof(struct op2i_message *));
  if (!world->ranks || !world->posted) {
    free_world(world);
    return op2i_error_nomem("ranks");
  }
  for (int r = 0; r < n; r++) {
    world->ranks[r] = (struct rank){
        .comm = {.kind = &kind,
                 .thread_level = OP2I_THREAD_MULTIPLE,
                 .rank = r,
                 .size = n,
                 .node_rank =
                     {.rank = r, .size = n, .sharer_rank = r, .cpu_sharers = n, .process = true}},
        .world = world,
        .stuck = -1};
    comms[r] = &world->ranks[r].comm;
  }
  return OP2_SUCCESS;
}
