/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective operations of all ranks, made of messages between pairs of ranks. */
#include "comm.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "allreduce.h"
#include "clock.h"
#include "comm_pass.h"
#include "error.h"
#include "mem.h"
#include "watch.h"

/* LEVELS bounds how many ranks a rank sends to, or receives from, in a tree: one for each bit of
 * the number of ranks. PIECE is the capacity of a small message in bytes. */
enum { LEVELS = 31, PIECE = OP2I_PIECE };

/* ---- messages that are opened for one use ---------------------------------------------------- */

/* A failure here would leave other ranks waiting, so all ranks are notified of it. */
static op2_status notify_all(struct op2i_comm *comm, op2_status status) {
  if (status) op2i_comm_abandon(comm, op2_error_message());
  return status;
}

static op2_status finish(struct op2i_comm *comm, int n, struct op2i_message *const *messages) {
  bool over;
  op2_status status = op2i_comm_start(comm, n, messages);
  return notify_all(comm, status ? status : op2i_comm_over(comm, n, messages, true, &over));
}

static op2_status open_all(struct op2i_comm *comm, int64_t n, const struct op2i_envelope *envelopes,
                           struct op2i_message **messages) {
  op2_status status = OP2_SUCCESS;
  for (int64_t i = 0; i < n && !status; i++)
    status = comm->kind->open(comm, &envelopes[i], &messages[i]);
  return status;
}

static void close_all(struct op2i_comm *comm, int64_t n, struct op2i_message **messages) {
  for (int64_t i = 0; i < n && messages; i++)
    if (messages[i]) comm->kind->close(messages[i]);
}

op2_status op2i_comm_pass(struct op2i_comm *comm, int64_t n, const struct op2i_envelope *envelopes,
                          op2_status status) {
  struct op2i_message **messages = NULL;
  if (!status) {
    messages = op2i_calloc((size_t)n, sizeof(struct op2i_message *));
    status = messages ? open_all(comm, n, envelopes, messages) : op2i_error_nomem("messages");
  }
  status = op2i_comm_agree(comm, status);
  if (!status && n) status = finish(comm, (int)n, messages);
  close_all(comm, n, messages);
  op2i_free(messages);
  return status;
}

/* ---- messages of few bytes in trees and routes ----------------------------------------------- */

/* Messages of one piece each, to and from every rank that is a neighbour in trees and routes. They
 * are opened once, so that ranks can agree on a failure even when they have no memory left. */
struct channel {
  int peer;
  struct op2i_message *out, *in;
  struct op2i_piece sent, received;
};

struct op2i_channels {
  int n;
  struct channel channel[]; /* one for each peer */
};

static struct channel *channel_to(const struct op2i_comm *comm, int peer) {
  for (int c = 0; c < comm->channels->n; c++)
    if (comm->channels->channel[c].peer == peer) return &comm->channels->channel[c];
  return NULL;
}

void op2i_comm_add_channel(struct op2i_comm *comm, int peer) {
  if (peer == comm->rank || channel_to(comm, peer)) return;
  comm->channels->channel[comm->channels->n++].peer = peer;
}

/* Any rank can be the root of a tree, so peers are at distances of all powers of 2. */
static void add_channels(struct op2i_comm *comm) {
  for (int64_t bit = 1; bit < comm->size; bit <<= 1) {
    op2i_comm_add_channel(comm, (int)((comm->rank + bit) % comm->size));
    op2i_comm_add_channel(comm, (int)((comm->rank - bit + comm->size) % comm->size));
  }
  op2i_comm_add_routes(comm);
}

static op2_status open_channels(struct op2i_comm *comm) {
  op2_status status = OP2_SUCCESS;
  for (int c = 0; c < comm->channels->n && !status; c++) {
    struct channel *channel = &comm->channels->channel[c];
    const struct op2i_envelope out = {true, channel->peer, OP2I_TAG_FEW, &channel->sent,
                                      sizeof channel->sent},
                               in = {false, channel->peer, OP2I_TAG_FEW, &channel->received,
                                     sizeof channel->received};
    status = comm->kind->open(comm, &out, &channel->out);
    if (!status) status = comm->kind->open(comm, &in, &channel->in);
  }
  return status;
}

static void free_channels(struct op2i_comm *comm) {
  for (int c = 0; comm->channels && c < comm->channels->n; c++) {
    if (comm->channels->channel[c].out) comm->kind->close(comm->channels->channel[c].out);
    if (comm->channels->channel[c].in) comm->kind->close(comm->channels->channel[c].in);
  }
  op2i_free_data(comm->channels);
  comm->channels = NULL;
}

void op2i_comm_free(struct op2i_comm *comm) {
  if (!comm) return;
  if (comm->watch.ended) op2i_comm_leave_dead(comm);
  free_channels(comm);
  op2i_allreduces_free(comm);
  op2i_free(comm->sent);
  op2i_free(comm->trail);
  comm->trail = NULL;
  comm->kind->free(comm);
}

void op2i_comm_progress(struct op2i_comm *comm) {
  enum { EVERY_NS = 100000 };
  if (!comm || comm->flying == 0) return;
  int64_t time = op2i_nanoseconds();
  if (time - comm->progressed < EVERY_NS) return;
  comm->progressed = time;
  if (comm->kind->progress) comm->kind->progress(comm);
  (void)op2i_allreduces_advance(comm); /* a failure is returned where it is waited for */
}

static op2_status need_channels(struct op2i_comm *comm) {
  const size_t most = 5 * LEVELS; /* two for the trees and three for the routes on each level */
  if (comm->channels) return OP2_SUCCESS;
  comm->channels = op2i_alloc_data(sizeof *comm->channels + most * sizeof(struct channel));
  op2_status status = comm->channels ? OP2_SUCCESS : op2i_error_nomem("a communicator");
  if (!status) add_channels(comm);
  if (!status) status = open_channels(comm);
  if (status) free_channels(comm);
  return notify_all(comm, status);
}

void op2i_piece_stamp(const struct op2i_comm *comm, struct op2i_piece *piece) {
  const struct op2i_trail *trail = comm->trail;
  if (!trail || !trail->number) return;
  const struct op2i_trail_entry *last = op2i_trail_at(trail, trail->number);
  piece->number = trail->number;
  piece->digest = last->digest;
  piece->words = last->words;
}

/* Report that two ranks are in different calls. If the other rank does not answer, the report is
 * based on its message alone. */
static op2_status differ(struct op2i_comm *comm, int peer, const struct op2i_piece *other) {
  char own[OP2I_TRAIL_TEXT], words[OP2I_TRAIL_TEXT], reason[3 * OP2I_TRAIL_TEXT];
  int used = snprintf(reason, sizeof reason,
                      "ranks %d and %d are in different calls that all ranks make together",
                      comm->rank, peer);
  if (comm->trail && comm->trail->number) {
    op2i_trail_describe(&other->words, words);
    snprintf(reason + used, sizeof reason - (size_t)used,
             ": rank %d of %d is%s, rank %d in call %" PRId64 ", %s", comm->rank, comm->size,
             op2i_comm_place(comm, own), peer, other->number, words);
    op2i_comm_compare(comm, peer, other->number, other->digest);
    return op2i_comm_diverged(comm, peer, reason);
  }
  return notify_all(comm, op2i_error(OP2_ERR_FATAL, "%s", reason));
}

op2_status op2i_piece_compare(struct op2i_comm *comm, int peer, const struct op2i_piece *received,
                              const struct op2i_piece *own) {
  bool same = received->bytes == own->bytes && received->number == own->number &&
              received->digest == own->digest;
  return same ? OP2_SUCCESS : differ(comm, peer, received);
}

static op2_status compare_trails(struct op2i_comm *comm, const struct channel *channel,
                                 size_t bytes) {
  struct op2i_piece own = {.bytes = (int64_t)bytes};
  op2i_piece_stamp(comm, &own);
  return op2i_piece_compare(comm, channel->peer, &channel->received, &own);
}

op2_status op2i_comm_pass_few(struct op2i_comm *comm, int n,
                              const struct op2i_envelope *envelopes) {
  struct op2i_message *messages[4];
  op2_status status = need_channels(comm);
  for (int i = 0; i < n && !status; i++) {
    const struct op2i_envelope *e = &envelopes[i];
    struct channel *channel = channel_to(comm, e->peer);
    messages[i] = e->sends ? channel->out : channel->in;
    if (!e->sends) continue;
    channel->sent.bytes = (int64_t)e->bytes;
    op2i_piece_stamp(comm, &channel->sent);
    memcpy(channel->sent.data, e->data, e->bytes);
  }
  if (!status && n) status = finish(comm, n, messages);
  for (int i = 0; i < n && !status; i++) {
    const struct op2i_envelope *e = &envelopes[i];
    if (e->sends) continue;
    status = compare_trails(comm, channel_to(comm, e->peer), e->bytes);
    if (!status) memcpy(e->data, channel_to(comm, e->peer)->received.data, e->bytes);
  }
  return status;
}

/* ---- trees ----------------------------------------------------------------------------------- */

/* The sequence of messages of one rank in a tree. Data received on the way up are combined. */
struct tree {
  struct op2i_envelope envelopes[2 * LEVELS + 1];
  int n, up;
  void *data;
};

static void climb(const struct op2i_comm *comm, void *data, void *other, size_t bytes,
                  struct tree *tree) {
  for (int bit = 1; bit > 0 && bit < comm->size; bit <<= 1) {
    bool sends = comm->rank & bit;
    int peer = sends ? comm->rank - bit : comm->rank + bit;
    if (peer < comm->size)
      tree->envelopes[tree->n++] =
          (struct op2i_envelope){sends, peer, OP2I_TAG_TREE, sends ? data : other, bytes};
    if (sends) break;
  }
  tree->up = tree->n;
}

/* Ranks are counted from the root on. The parent of a rank has the same number without its lowest
 * bit. */
static void descend(const struct op2i_comm *comm, int root, void *data, size_t bytes,
                    struct tree *tree) {
  int place = (comm->rank - root + comm->size) % comm->size, bit = 1;
  while (bit > 0 && bit < comm->size && !(place & bit)) bit <<= 1;
  if (place)
    tree->envelopes[tree->n++] = (struct op2i_envelope){
        false, (comm->rank - bit + comm->size) % comm->size, OP2I_TAG_TREE, data, bytes};
  for (bit >>= 1; bit > 0; bit >>= 1)
    if (place + bit < comm->size)
      tree->envelopes[tree->n++] =
          (struct op2i_envelope){true, (comm->rank + bit) % comm->size, OP2I_TAG_TREE, data, bytes};
}

/* Send and receive the messages of a tree one after the other. `messages` are opened for this tree,
 * or null for data that fit into a piece. */
static op2_status walk(struct op2i_comm *comm, const struct tree *tree,
                       struct op2i_message *const *messages, op2i_combine *combine, void *closure) {
  op2_status status = OP2_SUCCESS;
  for (int i = 0; i < tree->n && !status; i++) {
    const struct op2i_envelope *e = &tree->envelopes[i];
    status = messages ? finish(comm, 1, &messages[i]) : op2i_comm_pass_few(comm, 1, e);
    if (!status && i < tree->up && !e->sends) combine(tree->data, e->data, closure);
  }
  return status;
}

static op2_status walk_many(struct op2i_comm *comm, const struct tree *tree, op2i_combine *combine,
                            void *closure, op2_status status) {
  struct op2i_message *messages[2 * LEVELS + 1] = {NULL};
  if (!status) status = open_all(comm, tree->n, tree->envelopes, messages);
  status = op2i_comm_agree(comm, status);
  if (!status) status = walk(comm, tree, messages, combine, closure);
  close_all(comm, tree->n, messages);
  return status;
}

op2_status op2i_comm_share(struct op2i_comm *comm, int root, void *data, size_t bytes) {
  struct tree tree = {.data = data};
  descend(comm, root, data, bytes, &tree);
  return bytes <= PIECE ? walk(comm, &tree, NULL, NULL, NULL)
                        : walk_many(comm, &tree, NULL, NULL, OP2_SUCCESS);
}

op2_status op2i_comm_combine(struct op2i_comm *comm, void *data, size_t bytes,
                             op2i_combine *combine, void *closure) {
  _Alignas(64) unsigned char few[PIECE];
  struct tree tree = {.data = data};
  if (comm->size == 1) return OP2_SUCCESS;
  void *other = bytes <= PIECE ? few : op2i_alloc_raw(bytes);
  climb(comm, data, other, bytes, &tree);
  descend(comm, 0, data, bytes, &tree);
  if (other == few) return walk(comm, &tree, NULL, combine, closure);
  op2_status status =
      walk_many(comm, &tree, combine, closure,
                other && data ? OP2_SUCCESS : op2i_error_nomem("what ranks combine"));
  op2i_free_data(other);
  return status;
}

#define COMBINE_VALUES(name_, expression_)                                                         \
  static void name_(void *into, const void *from, void *closure) {                                 \
    int64_t *a = into;                                                                             \
    const int64_t *b = from;                                                                       \
    for (int i = 0; i < *(const int *)closure; i++) a[i] = expression_;                            \
  }
COMBINE_VALUES(add, (int64_t)((uint64_t)a[i] + (uint64_t)b[i]))
COMBINE_VALUES(lower, b[i] < a[i] ? b[i] : a[i])
COMBINE_VALUES(raise, b[i] > a[i] ? b[i] : a[i])

op2_status op2i_comm_sum(struct op2i_comm *comm, int n, int64_t *values) {
  return op2i_comm_combine(comm, values, (size_t)n * sizeof *values, add, &n);
}
op2_status op2i_comm_least(struct op2i_comm *comm, int n, int64_t *values) {
  return op2i_comm_combine(comm, values, (size_t)n * sizeof *values, lower, &n);
}
op2_status op2i_comm_greatest(struct op2i_comm *comm, int n, int64_t *values) {
  return op2i_comm_combine(comm, values, (size_t)n * sizeof *values, raise, &n);
}

/* Send the status of one rank, and its message piece by piece, to all ranks. */
static op2_status share_words(struct op2i_comm *comm, int root, op2_status *status,
                              char message[OP2I_WORDS]) {
  op2_status failed = op2i_comm_share(comm, root, status, sizeof *status);
  for (size_t at = 0; at < OP2I_WORDS && !failed; at += PIECE) {
    failed = op2i_comm_share(comm, root, message + at, PIECE);
    if (memchr(message + at, '\0', PIECE)) break;
  }
  message[OP2I_WORDS - 1] = '\0';
  return failed;
}

static int64_t word_of(const struct op2i_comm *comm, int64_t place) {
  return place < 0 ? INT64_MAX : place * comm->size + comm->rank;
}

static op2_status take_first(struct op2i_comm *comm, int64_t word, int64_t *place,
                             op2_status *status, char message[OP2I_WORDS], int *rank) {
  *place = word == INT64_MAX ? -1 : word / comm->size;
  if (*place < 0) return OP2_SUCCESS;
  *rank = (int)(word % comm->size);
  return share_words(comm, *rank, status, message);
}

op2_status op2i_comm_first(struct op2i_comm *comm, int64_t *place, op2_status *status,
                           char message[OP2I_WORDS], int *rank) {
  int64_t word = word_of(comm, *place);
  op2_status failed = op2i_comm_least(comm, 1, &word);
  return failed ? failed : take_first(comm, word, place, status, message, rank);
}

static void lower_word(void *into, const void *from, void *closure) {
  lower(into, from, &(int){1});
  (void)closure;
}

op2_status op2i_comm_first_begin(struct op2i_comm *comm, int64_t place, struct op2i_first *first) {
  first->word = word_of(comm, place);
  first->begun = true;
  return op2i_allreduce_begin(comm, &first->word, sizeof first->word, lower_word, NULL,
                              &first->travel);
}

op2_status op2i_comm_first_end(struct op2i_comm *comm, struct op2i_first *first, int64_t *place,
                               op2_status *status, char message[OP2I_WORDS], int *rank) {
  bool over;
  op2_status failed = op2i_allreduce_over(&first->travel, true, &over);
  first->begun = false;
  return failed ? failed : take_first(comm, first->word, place, status, message, rank);
}

op2_status op2i_comm_agree(struct op2i_comm *comm, op2_status status) {
  char message[OP2I_WORDS] = "";
  int64_t place = status ? 0 : -1;
  int rank = 0;
  if (comm->size == 1) return status;
  if (status) snprintf(message, sizeof message, "%s", op2_error_message());
  op2_status failed = op2i_comm_first(comm, &place, &status, message, &rank);
  if (failed) return failed;
  if (place < 0) return OP2_SUCCESS;
  return op2i_comm_report(status, rank, comm->size, message);
}

/* Each step doubles the reach: after it a rank has the sum over the last 2 * reach ranks up to
 * itself. */
op2_status op2i_comm_before(struct op2i_comm *comm, int n, int64_t *values) {
  int64_t through[PIECE / sizeof *values], other[PIECE / sizeof *values];
  size_t bytes = (size_t)n * sizeof *values;
  op2_status status = OP2_SUCCESS;
  if (bytes > PIECE) return op2i_error(OP2_ERR_ARG, "sums of %d numbers over ranks", n);
  memcpy(through, values, bytes);
  for (int64_t reach = 1; reach < comm->size && !status; reach <<= 1) {
    struct op2i_envelope both[2];
    bool before = comm->rank >= reach;
    int count = 0;
    if (comm->rank + reach < comm->size)
      both[count++] =
          (struct op2i_envelope){true, (int)(comm->rank + reach), OP2I_TAG_FEW, through, bytes};
    if (before)
      both[count++] =
          (struct op2i_envelope){false, (int)(comm->rank - reach), OP2I_TAG_FEW, other, bytes};
    status = op2i_comm_pass_few(comm, count, both);
    if (!status && before) add(through, other, &n);
  }
  for (int i = 0; i < n && !status; i++)
    values[i] = (int64_t)((uint64_t)through[i] - (uint64_t)values[i]);
  return status;
}

/* Values are the same on all ranks if the least value equals the complement of the least
 * complement. One message has room for so many. */
enum { SAME = PIECE / (2 * sizeof(int64_t)) };

static op2_status few_same(struct op2i_comm *comm, int n, const int64_t *values, bool *same) {
  int64_t both[2 * SAME];
  for (int i = 0; i < n; i++) {
    both[2 * i] = values[i];
    both[2 * i + 1] = ~values[i];
  }
  op2_status status = op2i_comm_least(comm, 2 * n, both);
  for (int i = 0; i < n; i++) *same = *same && both[2 * i] == ~both[2 * i + 1];
  return status;
}

op2_status op2i_comm_same(struct op2i_comm *comm, int n, const int64_t *values, bool *same) {
  op2_status status = OP2_SUCCESS;
  *same = true;
  for (int at = 0; at < n && !status; at += SAME)
    status = few_same(comm, n - at < SAME ? n - at : SAME, values + at, same);
  return status;
}
