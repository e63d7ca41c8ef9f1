/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for other ranks, and detecting that a wait can never end. */
#include "watch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "allreduce.h"
#include "clock.h"
#include "error.h"

#define SECONDS(n) ((int64_t)(n)*1000000000)

static const int64_t slice = 50000000; /* nanoseconds between two checks for notes */

static int64_t ask_after(const struct op2i_comm *comm) {
  return comm->watch.ask_after ? comm->watch.ask_after : SECONDS(2);
}
static int64_t warn_after(const struct op2i_comm *comm) {
  return comm->watch.warn_after ? comm->watch.warn_after : SECONDS(60);
}

/* ---- end of a communicator ------------------------------------------------------------------- */

static op2_status ended(const struct op2i_comm *comm) {
  return op2i_error(OP2_ERR_FATAL, "%s", comm->watch.reason);
}

static void receive_end(struct op2i_comm *comm, const char *reason) {
  if (comm->watch.ended) return;
  comm->watch.ended = true;
  snprintf(comm->watch.reason, sizeof comm->watch.reason, "%.1890s", reason);
}

static void send_note(struct op2i_comm *comm, int to, struct op2i_note *note) {
  note->from = comm->rank;
  comm->kind->send_note(comm, to, note);
}

static void send_to_all(struct op2i_comm *comm, struct op2i_note *note) {
  for (int rank = 0; rank < comm->size; rank++)
    if (rank != comm->rank) send_note(comm, rank, note);
}

static void send_end(struct op2i_comm *comm) {
  struct op2i_note note = {.kind = OP2I_NOTE_END};
  snprintf(note.u.reason, sizeof note.u.reason, "%.1890s", comm->watch.reason);
  send_to_all(comm, &note);
}

op2_status op2i_comm_end(struct op2i_comm *comm, const char *reason) {
  if (!comm->watch.ended) {
    receive_end(comm, reason);
    send_end(comm);
  }
  return ended(comm);
}

void op2i_comm_leave_dead(struct op2i_comm *comm) {
  struct op2i_note note = {.kind = OP2I_NOTE_LEFT};
  const bool left = comm->watch.left;
  if (comm->watch.dead == comm->rank + 1) return;
  comm->watch.left = true;
  comm->watch.dead = comm->rank + 1;
  if (comm->watch.ended && comm->kind->sees_gone)
    send_end(comm); /* ranks that notice that this one has gone must know why */
  else if (!comm->watch.ended && !left)
    send_to_all(comm, &note);
}

void op2i_comm_exits(struct op2i_comm *comm) {
  char place[OP2I_TRAIL_TEXT], text[2 * OP2I_TRAIL_TEXT];
  if (comm->watch.ended || comm->watch.left) return;
  snprintf(text, sizeof text, "rank %d of %d has ended by exit() without op2_finalize%s%s",
           comm->rank, comm->size, *op2i_comm_place(comm, place) ? ", after it was" : "", place);
  (void)op2i_comm_end(comm, text);
}

void op2i_comm_abandon(struct op2i_comm *comm, const char *message) {
  if (!comm->watch.ended) comm->kind->abandon(comm, message);
}

const char *op2i_comm_place(const struct op2i_comm *comm, char text[OP2I_TRAIL_TEXT]) {
  const struct op2i_trail *trail = comm->trail;
  char words[OP2I_TRAIL_TEXT];
  text[0] = '\0';
  if (!trail || !trail->number) return text;
  op2i_trail_describe(&op2i_trail_at(trail, trail->number)->words, words);
  snprintf(text, OP2I_TRAIL_TEXT, " in call %" PRId64 ", %.400s", trail->number, words);
  return text;
}

/* ---- notes ----------------------------------------------------------------------------------- */

static void send_position(struct op2i_comm *comm, int to) {
  const struct op2i_trail *trail = comm->trail;
  struct op2i_note note = {.kind = OP2I_NOTE_PLACE};
  if (!trail || !trail->number) return;
  note.number = trail->number;
  note.u.digests[0] = op2i_trail_at(trail, trail->number)->digest;
  send_note(comm, to, &note);
}

/* Send the digests of calls from `low` to `high`, the last one first, at most as many as fit into a
 * note. */
static void send_digests(struct op2i_comm *comm, int to, int64_t low, int64_t high) {
  struct op2i_note note = {.kind = OP2I_NOTE_DIGESTS, .number = high};
  note.step = (high - low) / OP2I_NOTE_DIGEST_COUNT + 1;
  for (int64_t at = high; at >= low; at -= note.step)
    note.u.digests[note.n++] = op2i_trail_at(comm->trail, at)->digest;
  send_note(comm, to, &note);
}

/* Compare with the last call of a peer. If this rank has made fewer calls, it sends its own last
 * call, since only the peer has both digests then. */
void op2i_comm_compare(struct op2i_comm *comm, int peer, int64_t number, uint64_t digest) {
  const struct op2i_trail *trail = comm->trail;
  if (!trail) return;
  if (number > trail->number)
    send_position(comm, peer);
  else if (op2i_trail_has(trail, number) && op2i_trail_at(trail, number)->digest != digest)
    send_digests(comm, peer, op2i_trail_oldest(trail), number);
}

/* Digests that differ do so at all later calls as well, so the first difference is found by
 * narrowing the range of calls. */
static void receive_digests(struct op2i_comm *comm, const struct op2i_note *note) {
  const struct op2i_trail *trail = comm->trail;
  int64_t differs = -1, low = -1;
  for (int k = 0; k < note->n && low < 0; k++) {
    int64_t number = note->number - k * note->step;
    if (!op2i_trail_has(trail, number)) break;
    if (op2i_trail_at(trail, number)->digest == note->u.digests[k])
      low = number + 1;
    else
      differs = number;
  }
  if (differs < 0) return;
  if (low < 0) low = differs - note->step + 1;
  if (low < op2i_trail_oldest(trail)) low = op2i_trail_oldest(trail);
  if (low < differs) {
    send_digests(comm, note->from, low, differs);
    return;
  }
  struct op2i_note call = {.kind = OP2I_NOTE_CALL, .number = differs};
  call.u.words = op2i_trail_at(trail, differs)->words;
  send_note(comm, note->from, &call);
}

static void receive_call(struct op2i_comm *comm, const struct op2i_note *note) {
  char own[OP2I_TRAIL_TEXT], other[OP2I_TRAIL_TEXT], reason[3 * OP2I_TRAIL_TEXT];
  if (!op2i_trail_has(comm->trail, note->number)) return;
  const struct op2i_trail_words *words = &op2i_trail_at(comm->trail, note->number)->words;
  bool lower = comm->rank < note->from;
  op2i_trail_describe(words, own);
  op2i_trail_describe(&note->u.words, other);
  snprintf(reason, sizeof reason,
           "ranks differ from call %" PRId64 " on: rank %d of %d has %s, rank %d has %s%s",
           note->number, lower ? comm->rank : note->from, comm->size, lower ? own : other,
           lower ? note->from : comm->rank, lower ? other : own,
           op2i_trail_difference(words, &note->u.words));
  (void)op2i_comm_end(comm, reason);
}

static void receive_notes(struct op2i_comm *comm) {
  struct op2i_note note;
  while (!comm->watch.ended && comm->kind->receive_note(comm, &note))
    switch ((enum op2i_note_kind)note.kind) {
    case OP2I_NOTE_PLACE: op2i_comm_compare(comm, note.from, note.number, note.u.digests[0]); break;
    case OP2I_NOTE_DIGESTS:
      if (comm->trail) receive_digests(comm, &note);
      break;
    case OP2I_NOTE_CALL:
      if (comm->trail) receive_call(comm, &note);
      break;
    case OP2I_NOTE_LEFT: comm->watch.dead = note.from + 1; break;
    case OP2I_NOTE_END: receive_end(comm, note.u.reason); break;
    }
}

/* ---- waiting --------------------------------------------------------------------------------- */

op2_status op2i_comm_diverged(struct op2i_comm *comm, int peer, const char *reason) {
  const struct timespec nap = {.tv_nsec = 1000000};
  const int64_t until = op2i_nanoseconds() + SECONDS(5);
  if (comm->trail) send_position(comm, peer);
  while (comm->trail && !comm->watch.ended && op2i_nanoseconds() < until) {
    receive_notes(comm);
    if (!comm->watch.ended) nanosleep(&nap, NULL);
  }
  return comm->watch.ended ? ended(comm) : op2i_comm_end(comm, reason);
}

static int first_awaited(const struct op2i_comm *comm, int n,
                         struct op2i_message *const *messages) {
  int peer = -1;
  for (int m = 0; m < n && peer < 0; m++) peer = comm->kind->awaited(messages[m]);
  return peer;
}

static void warn(const struct op2i_comm *comm, int peer, int64_t waited, bool ends,
                 char text[2 * OP2I_TRAIL_TEXT]) {
  char place[OP2I_TRAIL_TEXT];
  snprintf(text, 2 * OP2I_TRAIL_TEXT, "rank %d of %d has waited %" PRId64 " s for rank %d%s%s",
           comm->rank, comm->size, waited / SECONDS(1), peer, op2i_comm_place(comm, place),
           ends ? ": that is as long as OP2_WAIT_MAX allows" : "");
}

op2_status op2i_comm_waits(struct op2i_comm *comm, struct op2i_wait *wait, int n,
                           struct op2i_message *const *messages) {
  const int64_t now = op2i_nanoseconds();
  char text[2 * OP2I_TRAIL_TEXT];
  if (!wait->begun) *wait = (struct op2i_wait){now, ask_after(comm), warn_after(comm)};
  const int64_t waited = now - wait->begun;
  receive_notes(comm);
  if (comm->watch.ended) return ended(comm);
  const int peer = first_awaited(comm, n, messages);
  if (peer < 0) return OP2_SUCCESS;
  const bool urgent = comm->watch.urgent;
  comm->watch.urgent = false;
  if (waited >= wait->ask || urgent) {
    for (int m = 0; m < n; m++)
      if (comm->kind->awaited(messages[m]) >= 0)
        send_position(comm, comm->kind->awaited(messages[m]));
    if (waited >= wait->ask) wait->ask = 2 * waited;
  }
  if (comm->watch.dead && waited >= ask_after(comm)) {
    char place[OP2I_TRAIL_TEXT];
    snprintf(text, sizeof text, "the context of rank %d is dead, and rank %d of %d waits%s",
             comm->watch.dead - 1, comm->rank, comm->size, op2i_comm_place(comm, place));
    return op2i_comm_end(comm, text);
  }
  if (comm->watch.longest && waited >= comm->watch.longest) {
    warn(comm, peer, waited, true, text);
    return op2i_comm_end(comm, text);
  }
  if (waited >= wait->warn && comm->watch.warn) {
    warn(comm, peer, waited, false, text);
    comm->watch.warn(comm->watch.closure, text);
    wait->warn = 2 * waited;
  }
  return OP2_SUCCESS;
}

/* If messages fail, another rank may know why and be about to notify this one. If the kind sees
 * that ranks have gone, they have reported the reason before. */
static void receive_reason(struct op2i_comm *comm) {
  const struct timespec nap = {.tv_nsec = 1000000};
  const int64_t until = op2i_nanoseconds() + SECONDS(1) / 4;
  receive_notes(comm);
  while (comm->trail && !comm->kind->sees_gone && !comm->watch.ended &&
         op2i_nanoseconds() < until) {
    nanosleep(&nap, NULL);
    receive_notes(comm);
  }
}

op2_status op2i_comm_start(struct op2i_comm *comm, int n, struct op2i_message *const *messages) {
  op2_status status = comm->watch.ended ? ended(comm) : comm->kind->start(comm, n, messages);
  if (status && !comm->watch.ended) receive_reason(comm);
  return comm->watch.ended ? ended(comm) : status;
}

/* Ranks in different calls usually first notice a message of another length, or a rank that has
 * gone: add the call of this rank to the report. */
static op2_status explain(struct op2i_comm *comm, op2_status status) {
  char place[OP2I_TRAIL_TEXT], reason[sizeof comm->watch.reason];
  int peer = comm->watch.suspect;
  comm->watch.suspect = -1;
  if (!*op2i_comm_place(comm, place)) return status;
  snprintf(reason, sizeof reason, "%.1300s (rank %d is%s)", op2_error_message(), comm->rank, place);
  if (comm->watch.met && peer >= 0) {
    comm->watch.met = false;
    return op2i_comm_diverged(comm, peer, reason);
  }
  return op2i_error(status, "%s", reason);
}

/* A rank whose messages have always arrived already reads no notes while it waits. To keep notes of
 * ranks that wait for it from piling up, it reads them as often as these ranks may send them: a
 * rank begins no second wait for this one before this one has passed here. */
static void poll_notes(struct op2i_comm *comm) {
  const int64_t now = op2i_nanoseconds();
  if (now - comm->watch.last_note < ask_after(comm)) return;
  comm->watch.last_note = now;
  receive_notes(comm);
}

/* While allreduces are in flight a rank that waits takes part in them, soon at first. */
static const int64_t shortest_slice = 100000; /* nanoseconds */

op2_status op2i_comm_over(struct op2i_comm *comm, int n, struct op2i_message *const *messages,
                          bool wait, bool *over) {
  struct op2i_wait state = {0};
  int64_t timeout = wait && op2i_allreduces_in_flight(comm) ? shortest_slice : slice;
  if (comm->trail && !comm->watch.ended) poll_notes(comm);
  op2_status status = comm->watch.ended ? ended(comm) : OP2_SUCCESS;
  *over = false;
  while (!status) {
    comm->watch.timeout = timeout;
    status = comm->kind->over(comm, n, messages, wait, over);
    if (status) receive_reason(comm);
    if (status) status = comm->watch.ended ? ended(comm) : explain(comm, status);
    if (status || *over || !wait) break;
    status = op2i_allreduces_advance(comm);
    if (!status) status = op2i_comm_waits(comm, &state, n, messages);
    if (timeout < slice) timeout *= 2;
  }
  comm->watch.timeout = 0;
  return status;
}

op2_status op2i_comm_farewell(struct op2i_comm *comm, const char *call) {
  if (comm->size == 1 || comm->watch.left) return OP2_SUCCESS;
  comm->watch.left = true;
  if (comm->watch.ended) return OP2_SUCCESS;
  op2i_trail_add(comm->trail, call, NULL, (op2_where){0}, 0, 0);
  return op2i_comm_agree(comm, OP2_SUCCESS);
}
