/* SPDX-License-Identifier: BSD-3-Clause */
/* What all ranks do together, made of messages between two. */
#include "comm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "mem.h"

/* Beyond those of others. */
enum { TAG_TREE = OP2I_TAG_MOST + 1, TAG_ROUTE, TAG_PARCEL };

/* ---- messages that are sent once ------------------------------------------------------------- */

static op2_status finish(struct op2i_comm *comm, int n, struct op2i_message *const *messages) {
  bool over;
  op2_status status = comm->kind->start(comm, n, messages);
  return status ? status : comm->kind->over(comm, n, messages, true, &over);
}

/* All at once: nobody waits for one of them before the others are under way. */
static op2_status pass(struct op2i_comm *comm, int64_t n, const struct op2i_envelope *envelopes) {
  struct op2i_message *few[4], **messages = few;
  op2_status status = OP2_SUCCESS;
  int64_t opened = 0;
  if (n > 4) messages = op2i_malloc((size_t)n * sizeof *messages);
  if (!messages) return op2i_error_nomem("messages");
  for (; opened < n && !status; opened += !status)
    status = comm->kind->open(comm, &envelopes[opened], &messages[opened]);
  if (!status && n) status = finish(comm, (int)n, messages);
  for (int64_t i = 0; i < opened; i++) comm->kind->close(messages[i]);
  if (messages != few) op2i_free(messages);
  return status;
}

static op2_status send(struct op2i_comm *comm, int peer, int tag, const void *data, size_t bytes) {
  return pass(comm, 1, &(struct op2i_envelope){true, peer, tag, (void *)data, bytes});
}

static op2_status receive(struct op2i_comm *comm, int peer, int tag, void *data, size_t bytes) {
  return pass(comm, 1, &(struct op2i_envelope){false, peer, tag, data, bytes});
}

/* ---- trees ----------------------------------------------------------------------------------- */

/* Ranks are counted from the root on. A rank's parent is the one without its lowest bit. */
static int from_root(const struct op2i_comm *comm, int root, int rank) {
  return (rank - root + comm->size) % comm->size;
}

static op2_status collect(struct op2i_comm *comm, void *data, size_t bytes, op2i_combine *combine,
                          void *closure) {
  void *other = op2i_malloc(bytes);
  op2_status status = OP2_SUCCESS;
  if (!other) return op2i_error_nomem("what ranks combine");
  for (int bit = 1; bit < comm->size && !status; bit <<= 1) {
    if (comm->rank & bit) {
      status = send(comm, comm->rank - bit, TAG_TREE, data, bytes);
      break;
    }
    if (comm->rank + bit >= comm->size) continue;
    status = receive(comm, comm->rank + bit, TAG_TREE, other, bytes);
    if (!status) combine(data, other, closure);
  }
  op2i_free(other);
  return status;
}

op2_status op2i_comm_share(struct op2i_comm *comm, int root, void *data, size_t bytes) {
  int place = from_root(comm, root, comm->rank), bit = 1;
  op2_status status = OP2_SUCCESS;
  while (bit < comm->size && !(place & bit)) bit <<= 1;
  if (place)
    status = receive(comm, (comm->rank - bit + comm->size) % comm->size, TAG_TREE, data, bytes);
  for (bit >>= 1; bit && !status; bit >>= 1)
    if (place + bit < comm->size)
      status = send(comm, (comm->rank + bit) % comm->size, TAG_TREE, data, bytes);
  return status;
}

op2_status op2i_comm_combine(struct op2i_comm *comm, void *data, size_t bytes,
                             op2i_combine *combine, void *closure) {
  if (comm->size == 1) return OP2_SUCCESS;
  op2_status status = collect(comm, data, bytes, combine, closure);
  return status ? status : op2i_comm_share(comm, 0, data, bytes);
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

struct verdict {
  int rank;
  op2_status status;
  char message[2048];
};

static void earlier(void *into, const void *from, void *closure) {
  struct verdict *a = into;
  const struct verdict *b = from;
  (void)closure;
  if (!a->status && b->status) *a = *b;
}

op2_status op2i_comm_agree(struct op2i_comm *comm, op2_status status) {
  struct verdict verdict = {.rank = comm->rank, .status = status};
  if (comm->size == 1) return status;
  if (status) snprintf(verdict.message, sizeof verdict.message, "%s", op2_error_message());
  op2_status failed = op2i_comm_combine(comm, &verdict, sizeof verdict, earlier, NULL);
  if (failed) return failed;
  if (!verdict.status) return OP2_SUCCESS;
  return op2i_error(verdict.status, "rank %d of %d: %s", verdict.rank, comm->size, verdict.message);
}

/* Each round reaches twice as far: after it a rank has the sum of 2 * reach ranks up to itself. */
op2_status op2i_comm_before(struct op2i_comm *comm, int n, int64_t *values) {
  size_t bytes = (size_t)n * sizeof *values;
  int64_t *through = op2i_malloc(bytes), *other = op2i_malloc(bytes);
  op2_status status = through && other ? OP2_SUCCESS : op2i_error_nomem("what ranks combine");
  if (!status) memcpy(through, values, bytes);
  for (int reach = 1; reach < comm->size && !status; reach <<= 1) {
    struct op2i_envelope both[2];
    bool before = comm->rank >= reach;
    int count = 0;
    if (comm->rank + reach < comm->size)
      both[count++] = (struct op2i_envelope){true, comm->rank + reach, TAG_TREE, through, bytes};
    if (before)
      both[count++] = (struct op2i_envelope){false, comm->rank - reach, TAG_TREE, other, bytes};
    status = pass(comm, count, both);
    if (!status && before) add(through, other, &n);
  }
  for (int i = 0; i < n && !status; i++)
    values[i] = (int64_t)((uint64_t)through[i] - (uint64_t)values[i]);
  op2i_free(through);
  op2i_free(other);
  return status;
}

/* ---- parcels --------------------------------------------------------------------------------- */

/* Of a parcel nobody but its sender knows that it comes. Notes about parcels go a way of their own,
 * before them: ranks are cut in halves, and each rank hands over what is for the other half to one
 * of it, until it holds what is for itself. */
struct note {
  int64_t from, to, bytes;
};

struct notes {
  struct note *note;
  int64_t n, capacity;
};

static op2_status add_notes(struct notes *notes, int64_t n) {
  if (op2i_reserve(&notes->note, sizeof *notes->note, notes->n + n, &notes->capacity))
    return op2i_error_nomem("notes about parcels");
  return OP2_SUCCESS;
}

/* Half of the ranks first..end-1, and who hands over to whom. */
struct cut {
  int first, middle, end;
};

static bool upper(const struct cut *cut, int64_t rank) { return rank >= cut->middle; }

/* The rank of the other half that gets what this one has for it. Of an odd number the lower half has
 * one more, whose last rank hands over to the last of all, and gets nothing. */
static int partner(const struct cut *cut, int rank) {
  int half = cut->middle - cut->first;
  if (upper(cut, rank)) return rank - half;
  return rank + half < cut->end ? rank + half : cut->end - 1;
}

/* The second one who hands over to this rank, or -1. */
static int second_giver(const struct cut *cut, int rank) {
  bool odd = (cut->end - cut->first) % 2 != 0;
  return odd && rank == cut->end - 1 && upper(cut, rank) ? cut->middle - 1 : -1;
}

static bool gets(const struct cut *cut, int rank) {
  bool odd = (cut->end - cut->first) % 2 != 0;
  return upper(cut, rank) || !odd || rank != cut->middle - 1;
}

/* Those for the other half last. Returns how many stay. */
static int64_t separate(struct notes *notes, const struct cut *cut, int rank) {
  int64_t stay = 0;
  for (int64_t i = 0; i < notes->n; i++) {
    if (upper(cut, notes->note[i].to) != upper(cut, rank)) continue;
    struct note note = notes->note[i];
    notes->note[i] = notes->note[stay];
    notes->note[stay++] = note;
  }
  return stay;
}

static op2_status swap_notes(struct op2i_comm *comm, const struct cut *cut, struct notes *notes) {
  int givers[2] = {gets(cut, comm->rank) ? partner(cut, comm->rank) : -1,
                   second_giver(cut, comm->rank)};
  int64_t stay = separate(notes, cut, comm->rank), going = notes->n - stay, coming[2] = {0, 0};
  int taker = partner(cut, comm->rank);
  struct op2i_envelope way[3];
  struct notes kept = {0};
  for (int second = 0; second < 2; second++) { /* first how many, then the notes themselves */
    size_t unit = sizeof(struct note);
    int n = 0;
    op2_status status = OP2_SUCCESS;
    if (second) status = add_notes(&kept, stay + coming[0] + coming[1]);
    if (status) return status;
    way[n++] = second ? (struct op2i_envelope){true, taker, TAG_ROUTE, notes->note + stay,
                                               (size_t)going * unit}
                      : (struct op2i_envelope){true, taker, TAG_ROUTE, &going, sizeof going};
    for (int g = 0, at = (int)0; g < 2; g++) {
      if (givers[g] < 0) continue;
      struct note *into = second ? kept.note + stay + at : NULL;
      way[n++] =
          second
              ? (struct op2i_envelope){false, givers[g], TAG_ROUTE, into, (size_t)coming[g] * unit}
              : (struct op2i_envelope){false, givers[g], TAG_ROUTE, &coming[g], sizeof coming[g]};
      at += (int)coming[g];
    }
    status = pass(comm, n, way);
    if (status) {
      op2i_free(kept.note);
      return status;
    }
  }
  if (stay) memcpy(kept.note, notes->note, (size_t)stay * sizeof *kept.note);
  kept.n = stay + coming[0] + coming[1];
  op2i_free(notes->note);
  *notes = kept;
  return OP2_SUCCESS;
}

static op2_status route(struct op2i_comm *comm, struct notes *notes) {
  struct cut cut = {0, 0, comm->size};
  while (cut.end - cut.first > 1) {
    cut.middle = cut.first + (cut.end - cut.first + 1) / 2;
    op2_status status = swap_notes(comm, &cut, notes);
    if (status) return status;
    if (upper(&cut, comm->rank))
      cut.first = cut.middle;
    else
      cut.end = cut.middle;
  }
  return OP2_SUCCESS;
}

static int by_sender(const void *a, const void *b) {
  const struct note *x = a, *y = b;
  return (x->from > y->from) - (x->from < y->from);
}

static size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

static op2_status make_room(const struct notes *notes, struct op2i_parcels *out) {
  size_t bytes = 0, at = 0;
  for (int64_t i = 0; i < notes->n; i++) bytes += aligned((size_t)notes->note[i].bytes);
  *out = (struct op2i_parcels){.n = notes->n,
                               .parcel = op2i_calloc((size_t)notes->n, sizeof *out->parcel),
                               .memory = op2i_alloc_raw(bytes)};
  if (!out->parcel || !out->memory) return op2i_error_nomem("parcels of other ranks");
  for (int64_t i = 0; i < notes->n; i++) {
    const struct note *note = &notes->note[i];
    out->parcel[i] = (struct op2i_parcel){
        .peer = (int)note->from, .bytes = (size_t)note->bytes, .data = (char *)out->memory + at};
    at += aligned((size_t)note->bytes);
  }
  return OP2_SUCCESS;
}

static void to_itself(const struct op2i_comm *comm, int64_t n, const struct op2i_parcel *parcels,
                      const struct op2i_parcels *received) {
  for (int64_t i = 0; i < n; i++)
    for (int64_t k = 0; k < received->n && parcels[i].peer == comm->rank; k++)
      if (received->parcel[k].peer == comm->rank && parcels[i].bytes)
        memcpy(received->parcel[k].data, parcels[i].data, parcels[i].bytes);
}

static op2_status carry(struct op2i_comm *comm, int64_t n, const struct op2i_parcel *parcels,
                        const struct op2i_parcels *received) {
  struct op2i_envelope *all = op2i_malloc((size_t)(n + received->n) * sizeof *all);
  int64_t count = 0;
  if (!all) return op2i_error_nomem("parcels");
  for (int64_t i = 0; i < n; i++)
    if (parcels[i].peer != comm->rank)
      all[count++] = (struct op2i_envelope){true, parcels[i].peer, TAG_PARCEL, parcels[i].data,
                                            parcels[i].bytes};
  for (int64_t i = 0; i < received->n; i++)
    if (received->parcel[i].peer != comm->rank)
      all[count++] = (struct op2i_envelope){false, received->parcel[i].peer, TAG_PARCEL,
                                            received->parcel[i].data, received->parcel[i].bytes};
  op2_status status = pass(comm, count, all);
  op2i_free(all);
  if (!status) to_itself(comm, n, parcels, received);
  return status;
}

op2_status op2i_comm_deliver(struct op2i_comm *comm, int64_t n, const struct op2i_parcel *parcels,
                             struct op2i_parcels *received) {
  struct notes notes = {0};
  op2_status status = add_notes(&notes, n + 1);
  *received = (struct op2i_parcels){0};
  for (int64_t i = 0; i < n && !status; i++)
    notes.note[notes.n++] = (struct note){comm->rank, parcels[i].peer, (int64_t)parcels[i].bytes};
  if (!status) status = route(comm, &notes);
  if (!status && notes.n) qsort(notes.note, (size_t)notes.n, sizeof *notes.note, by_sender);
  if (!status) status = make_room(&notes, received);
  if (!status) status = carry(comm, n, parcels, received);
  op2i_free(notes.note);
  if (status) op2i_parcels_free(received);
  return status;
}

void op2i_parcels_free(struct op2i_parcels *parcels) {
  op2i_free(parcels->parcel);
  op2i_free_data(parcels->memory);
  *parcels = (struct op2i_parcels){0};
}
