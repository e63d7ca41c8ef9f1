/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages as persistent requests of MPI. A message is one request, or several if it has more bytes
 * than one request may have; MPI delivers messages of the same tag in the order of their starts, so
 * the pieces of sender and receiver match. To simulate a slow link, each message begins with an
 * extra piece, which holds the time at which it was started. */
#include "mpi_comm.h"
#include "mpi_ptscotch.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "watch.h"

/* TAG_NONE is the tag of no message, and the highest that every MPI supports; TAG_NOTE is that of
 * notes. */
enum { TAG_NONE = 32767, TAG_NOTE = 32766 };

/* A note in flight. */
struct sent_note {
  struct sent_note *next;
  MPI_Request request;
  struct op2i_note note;
};

struct rank {
  struct op2i_comm comm;
  const struct op2i_companion *op2;
  MPI_Comm mpi;
  struct op2i_mpi_options options;
  bool slow;
  struct sent_note *sent_notes;
  int key; /* of the attribute through which MPI announces that it ends */
  struct rank *next_living;
};

/* The ranks of this process, in case it ends before their contexts do. */
static pthread_mutex_t living_lock = PTHREAD_MUTEX_INITIALIZER;
static struct rank *living;
static pid_t owner;   /* a forked child has no ranks */
static bool aborting; /* the job has been aborted, and the reason has been printed */

struct op2i_message {
  struct rank *rank;
  struct op2i_envelope envelope;
  int n, over; /* pieces, and how many of them are over */
  /* For a slow link: the start by the sender's and by this rank's clock, and the time of
   * arrival. */
  int64_t sent, begun, due;
  MPI_Request pieces[]; /* [n] */
};

static struct rank *rank_of(struct op2i_comm *comm) { return (struct rank *)comm; }

/* ---- errors ---------------------------------------------------------------------------------- */

op2_status op2i_mpi_failed(const struct op2i_companion *op2, int rank, int size, int error,
                           const char *doing) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length;
  MPI_Error_string(error, text, &length);
  return op2->error(OP2_ERR_FATAL, "MPI failed on rank %d of %d %s: %s", rank, size, doing, text);
}

static op2_status failed(const struct rank *rank, int error, const char *doing) {
  return op2i_mpi_failed(rank->op2, rank->comm.rank, rank->comm.size, error, doing);
}

static op2_status two_lengths(const struct op2i_message *message) {
  message->rank->comm.watch.met = true;
  message->rank->comm.watch.suspect = message->envelope.peer;
  return message->rank->op2->error(OP2_ERR_FATAL,
                                   "ranks %d and %d differ in the length of a message",
                                   message->rank->comm.rank, message->envelope.peer);
}

static bool finalized(void) {
  int over = 0;
  MPI_Finalized(&over);
  return over;
}

/* Check that MPI can be called from this thread. */
static op2_status available(const struct rank *rank) {
  int main_thread = 1;
  if (finalized())
    return rank->op2->error(OP2_ERR_FATAL,
                            "rank %d of %d: MPI was finalized before the context was: nothing can "
                            "be sent any more (op2_finalize comes before MPI_Finalize)",
                            rank->comm.rank, rank->comm.size);
  if (rank->comm.thread_level == OP2I_THREAD_FUNNELED) MPI_Is_thread_main(&main_thread);
  if (main_thread) return OP2_SUCCESS;
  return rank->op2->error(OP2_ERR_FATAL,
                          "rank %d of %d: MPI may be called from the thread that initialised it "
                          "only, and the context is used from another: ask MPI_Init_thread for "
                          "MPI_THREAD_SERIALIZED",
                          rank->comm.rank, rank->comm.size);
}

/* ---- messages -------------------------------------------------------------------------------- */

static size_t piece_bytes(const struct op2i_message *message, int64_t piece) {
  size_t most = message->rank->options.piece, left = message->envelope.bytes - (size_t)piece * most;
  return left < most ? left : most;
}

static int open_piece(struct op2i_message *message, void *data, size_t bytes) {
  const struct op2i_envelope *e = &message->envelope;
  MPI_Request *request = &message->pieces[message->n];
  MPI_Comm mpi = message->rank->mpi;
  int error = e->sends ? MPI_Send_init(data, (int)bytes, MPI_BYTE, e->peer, e->tag, mpi, request)
                       : MPI_Recv_init(data, (int)bytes, MPI_BYTE, e->peer, e->tag, mpi, request);
  message->n += error == MPI_SUCCESS;
  return error;
}

static void close_message(struct op2i_message *message);

static op2_status open_message(struct op2i_comm *comm, const struct op2i_envelope *envelope,
                               struct op2i_message **out) {
  struct rank *rank = rank_of(comm);
  size_t most = rank->options.piece, n = (envelope->bytes + most - 1) / most + !envelope->bytes;
  op2_status status = available(rank);
  if (status) return status;
  struct op2i_message *message =
      rank->op2->calloc(1, sizeof *message + (n + rank->slow) * sizeof *message->pieces);
  if (!message) return rank->op2->error_nomem("a message");
  message->rank = rank;
  message->envelope = *envelope;
  int error = MPI_SUCCESS;
  if (rank->slow) error = open_piece(message, &message->sent, sizeof message->sent);
  for (size_t i = 0; i < n && !error; i++)
    error =
        open_piece(message, (char *)envelope->data + i * most, piece_bytes(message, (int64_t)i));
  message->over = message->n;
  if (error) {
    close_message(message);
    return failed(rank, error, "while a message was opened");
  }
  *out = message;
  return OP2_SUCCESS;
}

/* End a piece in flight after a failure: the memory that it would write to is about to be freed. A
 * piece that is sent gets some time; there may be no rank that receives it. */
static void give_up(struct op2i_message *message, MPI_Request *request) {
  const struct timespec nap = {.tv_nsec = 1000000};
  int over = 0;
  if (!message->envelope.sends) {
    MPI_Cancel(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
  }
  for (int tries = 0; message->envelope.sends && !over && tries < 100; tries++) {
    if (MPI_Test(request, &over, MPI_STATUS_IGNORE)) break;
    if (!over) nanosleep(&nap, NULL);
  }
}

static void close_message(struct op2i_message *message) {
  bool there = !finalized();
  for (int i = message->over; i < message->n && there; i++) give_up(message, &message->pieces[i]);
  for (int i = 0; i < message->n && there; i++) /* MPI may have freed one that has failed */
    if (message->pieces[i] != MPI_REQUEST_NULL) MPI_Request_free(&message->pieces[i]);
  message->rank->op2->free(message);
}

/* Pieces are started one after the other: MPI_Startall() may start them in any order. */
static op2_status start_messages(struct op2i_comm *comm, int n,
                                 struct op2i_message *const *messages) {
  struct rank *rank = rank_of(comm);
  op2_status status = available(rank);
  if (status) return status;
  int64_t time = rank->slow ? rank->op2->nanoseconds() : 0;
  for (int i = 0; i < n; i++) {
    struct op2i_message *message = messages[i];
    message->begun = time;
    if (message->envelope.sends) message->sent = time;
    message->over = message->n;
    for (int k = 0; k < message->n; k++) {
      int error = MPI_Start(&message->pieces[k]);
      if (error) return failed(rank, error, "while a message was started");
      message->over = 0;
    }
  }
  return OP2_SUCCESS;
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* Both sides have the same clock on one machine; a start time from another machine that lies in the
 * future is replaced by the present. */
static void arrive(struct op2i_message *message) {
  const struct op2i_link_speed *link = &message->rank->options.link;
  int64_t time = message->rank->op2->nanoseconds();
  int64_t sent = message->sent < time ? message->sent : time;
  message->due = (sent > message->begun ? sent : message->begun) + link->delay +
                 (int64_t)(link->per_byte * (double)message->envelope.bytes);
}

static op2_status check_length(const struct op2i_message *message, int piece,
                               const MPI_Status *result) {
  int stamp = message->rank->slow, count = 0;
  if (message->envelope.sends || piece < stamp) return OP2_SUCCESS;
  MPI_Get_count(result, MPI_BYTE, &count);
  return (size_t)count == piece_bytes(message, piece - stamp) ? OP2_SUCCESS : two_lengths(message);
}

/* Test the pieces of a message in order, up to the first that is not over. */
static op2_status look_at(struct op2i_message *message) {
  while (message->over < message->n) {
    MPI_Status result;
    int over = 0, class = MPI_SUCCESS, piece = message->over;
    int error = MPI_Test(&message->pieces[piece], &over, &result);
    if (!error && !over) return OP2_SUCCESS;
    message->over++;
    if (error) MPI_Error_class(error, &class);
    if (class == MPI_ERR_TRUNCATE) return two_lengths(message);
    if (error) return failed(message->rank, error, "while it waited for a message");
    op2_status status = check_length(message, piece, &result);
    if (status) return status;
  }
  message->due = 0;
  if (message->rank->slow && !message->envelope.sends) arrive(message);
  return OP2_SUCCESS;
}

/* Test messages in order, up to the first that is not over. */
static op2_status test_messages(int n, struct op2i_message *const *messages, int *first,
                                int64_t *due) {
  while (*first < n) {
    op2_status status = look_at(messages[*first]);
    if (status || messages[*first]->over < messages[*first]->n) return status;
    if (messages[*first]->due > *due) *due = messages[*first]->due;
    ++*first;
  }
  return OP2_SUCCESS;
}

/* Yield the core after a wait of 20 microseconds, and sleep after 150. A nap is a quarter of the
 * time waited so far, so a wait takes at most a quarter longer than necessary, plus what the system
 * adds to a nap, some fifty microseconds. The first nap comes later than it is long: otherwise two
 * ranks, each of which oversleeps the other's messages, would go on so for ever. */
void op2i_mpi_rest(int64_t waited, int64_t longest) {
  enum { SPIN_NS = 20000, YIELD_NS = 150000, MOST_NS = 1000000 };
  int64_t ns = waited / 4 < MOST_NS ? waited / 4 : MOST_NS;
  if (ns > longest) ns = longest;
  if (waited < SPIN_NS || ns < 0) return;
  const struct timespec nap = {.tv_nsec = (long)ns};
  if (waited < YIELD_NS)
    sched_yield();
  else
    nanosleep(&nap, NULL);
}

static op2_status over(struct op2i_comm *comm, int n, struct op2i_message *const *messages,
                       bool wait, bool *out) {
  struct rank *rank = rank_of(comm);
  int first = 0;
  int64_t due = 0, begun = 0;
  op2_status status = available(rank);
  *out = false;
  while (!status) {
    status = test_messages(n, messages, &first, &due);
    if (status) break;
    int64_t time = due || begun || wait ? rank->op2->nanoseconds() : 0;
    *out = first == n && due <= time;
    if (*out || !wait) break;
    if (!begun) begun = time;
    if (comm->watch.timeout && time - begun >= comm->watch.timeout) break;
    op2i_mpi_rest(time - begun, first == n ? due - time : INT64_MAX);
  }
  return status;
}

/* Probing for a message that is never sent lets MPI progress the others. */
static void progress(struct op2i_comm *comm) {
  struct rank *rank = rank_of(comm);
  int there;
  if (!available(rank)) MPI_Iprobe(MPI_ANY_SOURCE, TAG_NONE, rank->mpi, &there, MPI_STATUS_IGNORE);
}

/* ---- notes ----------------------------------------------------------------------------------- */

/* Free the notes that have been sent; with `all`, the others are left to MPI. */
static void free_sent_notes(struct rank *rank, bool all) {
  for (struct sent_note **at = &rank->sent_notes; *at;) {
    struct sent_note *sent_note = *at;
    int over = 0;
    MPI_Test(&sent_note->request, &over, MPI_STATUS_IGNORE);
    if (over || all)
      *at = sent_note->next;
    else
      at = &sent_note->next;
    if (over) rank->op2->free(sent_note);
  }
}

static void send_note(struct op2i_comm *comm, int to, const struct op2i_note *note) {
  struct rank *rank = rank_of(comm);
  if (available(rank)) return;
  free_sent_notes(rank, false);
  struct sent_note *sent_note = rank->op2->calloc(1, sizeof *sent_note);
  if (!sent_note) return;
  sent_note->note = *note;
  int error = MPI_Isend(&sent_note->note, (int)sizeof sent_note->note, MPI_BYTE, to, TAG_NOTE,
                        rank->mpi, &sent_note->request);
  if (error) {
    rank->op2->free(sent_note);
    return;
  }
  sent_note->next = rank->sent_notes;
  rank->sent_notes = sent_note;
}

static bool receive_note(struct op2i_comm *comm, struct op2i_note *note) {
  struct rank *rank = rank_of(comm);
  MPI_Status status;
  int there = 0;
  if (available(rank)) return false;
  if (MPI_Iprobe(MPI_ANY_SOURCE, TAG_NOTE, rank->mpi, &there, &status) || !there) return false;
  return !MPI_Recv(note, (int)sizeof *note, MPI_BYTE, status.MPI_SOURCE, TAG_NOTE, rank->mpi,
                   MPI_STATUS_IGNORE);
}

static int awaited(const struct op2i_message *message) {
  return message->over < message->n ? message->envelope.peer : -1;
}

/* ---- creating and freeing a communicator ----------------------------------------------------- */

static void abandon(struct op2i_comm *comm, const char *message) {
  const struct rank *rank = rank_of(comm);
  fprintf(stderr, "op2: rank %d of %d cannot go on: %s\n", comm->rank, comm->size, message);
  fflush(stderr);
  aborting = true;
  if (!finalized()) MPI_Abort(rank->mpi, 1);
}

/* MPI_Finalize() calls this first. If the context has not ended, its rank leaves the others now;
 * this is not a failure if they leave as well. */
static int leave(MPI_Comm self, int key, void *of, void *unused) {
  struct rank *rank = of;
  (void)self;
  (void)key;
  (void)unused;
  rank->key = MPI_KEYVAL_INVALID;
  if (rank->op2->farewell(&rank->comm, "MPI_Finalize") && rank->comm.watch.warn)
    rank->comm.watch.warn(rank->comm.watch.closure, op2_error_message());
  return MPI_SUCCESS;
}

/* The program has called exit() with contexts that were not finalized. A launcher then ends the job
 * with a message of its own; waiting ranks are notified which rank it was, and what its last call
 * was. */
static void process_ends(void) {
  if (aborting || getpid() != owner || pthread_mutex_trylock(&living_lock)) return;
  for (struct rank *rank = living; rank && !finalized(); rank = rank->next_living)
    rank->op2->exits(&rank->comm);
  pthread_mutex_unlock(&living_lock);
}

static void add_living(struct rank *rank) {
  static bool registered;
  pthread_mutex_lock(&living_lock);
  rank->next_living = living;
  living = rank;
  owner = getpid();
  if (!registered) registered = !atexit(process_ends);
  pthread_mutex_unlock(&living_lock);
}

static void remove_living(struct rank *rank) {
  pthread_mutex_lock(&living_lock);
  struct rank **at = &living;
  while (*at && *at != rank) at = &(*at)->next_living;
  if (*at) *at = rank->next_living;
  pthread_mutex_unlock(&living_lock);
}

/* If this fails, a rank that ends MPI too early is merely silent. The key is freed at once: MPI
 * keeps it until its only attribute is deleted, explicitly or by MPI_Finalize(). */
static void wait_for_end(struct rank *rank) {
  int key;
  rank->key = MPI_KEYVAL_INVALID;
  if (MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, leave, &key, NULL)) return;
  if (!MPI_Comm_set_attr(MPI_COMM_SELF, key, rank)) rank->key = key;
  MPI_Comm_free_keyval(&key);
}

static void forget_end(struct rank *rank) {
  if (rank->key == MPI_KEYVAL_INVALID || finalized()) return;
  rank->comm.watch.left = true; /* deleting the attribute is not a farewell */
  MPI_Comm_delete_attr(MPI_COMM_SELF, rank->key);
}

/* After a context has failed, messages may remain that are never received. MPI numbers
 * communicators and gives the number of a freed one to the next, which would receive these messages
 * as its own. The communicator of a failed context is therefore kept until the program ends. */
static void free_rank(struct op2i_comm *comm) {
  struct rank *rank = rank_of(comm);
  struct op2i_note note;
  remove_living(rank);
  forget_end(rank);
  while (receive_note(comm, &note)) {
  }
  if (!finalized()) free_sent_notes(rank, true);
  if (!finalized() && !comm->watch.ended && !comm->watch.dead) MPI_Comm_free(&rank->mpi);
  rank->op2->free(rank);
}

static const struct op2i_comm_kind kind = {.name = "mpi",
                                           .open = open_message,
                                           .close = close_message,
                                           .start = start_messages,
                                           .over = over,
                                           .progress = progress,
                                           .abandon = abandon,
                                           .send_note = send_note,
                                           .receive_note = receive_note,
                                           .awaited = awaited,
                                           .free = free_rank};

bool op2i_comm_is_mpi(const struct op2i_comm *comm, MPI_Comm *out) {
  if (comm->kind != &kind) return false;
  *out = ((const struct rank *)comm)->mpi;
  return true;
}

static enum op2i_thread_level granted_thread_level(void) {
  int granted = MPI_THREAD_SINGLE;
  MPI_Query_thread(&granted);
  return granted < MPI_THREAD_SERIALIZED ? OP2I_THREAD_FUNNELED
         : granted < MPI_THREAD_MULTIPLE ? OP2I_THREAD_SERIALIZED
                                         : OP2I_THREAD_MULTIPLE;
}

/* Read the properties of the communicator, and take the link speed from rank 0. */
static int set_up(struct rank *made, struct op2i_mpi_options options) {
  int error = MPI_Comm_set_errhandler(made->mpi, MPI_ERRORS_RETURN);
  if (!error) error = MPI_Comm_rank(made->mpi, &made->comm.rank);
  if (!error) error = MPI_Comm_size(made->mpi, &made->comm.size);
  if (!error) error = MPI_Bcast(&options.link, (int)sizeof options.link, MPI_BYTE, 0, made->mpi);
  made->options = options;
  made->slow = options.link.delay > 0 || options.link.per_byte > 0;
  return error;
}

op2_status op2i_comm_mpi(const struct op2i_companion *op2, MPI_Comm parent,
                         struct op2i_mpi_options *options, struct op2i_comm **out) {
  struct rank made = {.comm = {.kind = &kind, .thread_level = granted_thread_level()}, .op2 = op2};
  op2_status status = op2i_mpi_arrive(op2, parent, &options->limits);
  if (status) return status;
  int error = MPI_Comm_dup(parent, &made.mpi), out_of_memory = -1;
  if (error) return failed(&made, error, "while the communicator was duplicated");
  error = set_up(&made, *options);
  struct rank *rank = op2->calloc(1, sizeof *rank);
  if (!error)
    error = op2i_mpi_any_out_of_memory(made.mpi, rank != NULL, &out_of_memory, &options->refused);
  if (!error && out_of_memory < 0) error = op2i_mpi_node_rank(op2, made.mpi, &made.comm.node_rank);
  if (error || out_of_memory >= 0) {
    op2->free(rank);
    MPI_Comm_free(&made.mpi);
    if (error) return failed(&made, error, "while the communicator was set up");
    return op2->error(OP2_ERR_NOMEM, "rank %d of %d: out of memory for a communicator",
                      out_of_memory, made.comm.size);
  }
  op2i_mpi_offer_ptscotch(op2);
  made.comm.takes = op2i_mpi_takes();
  *rank = made;
  wait_for_end(rank);
  add_living(rank);
  *out = &rank->comm;
  return OP2_SUCCESS;
}
