/* SPDX-License-Identifier: BSD-3-Clause */
/* Parcels: messages that their receivers do not know of in advance. Notes that announce parcels are
 * sent before them, and are routed: the ranks are divided into halves, and each rank hands the
 * notes for the other half to one rank of that half, until it holds only those for itself. */
#include <stdlib.h>
#include <string.h>

#include "comm.h"
#include "comm_parcel.h"
#include "comm_pass.h"
#include "error.h"
#include "mem.h"

/* ---- routes of notes ------------------------------------------------------------------------- */

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

/* The ranks first..end-1, divided into halves, in which ranks are paired. */
struct cut {
  int first, middle, end;
};

static bool upper(const struct cut *cut, int64_t rank) { return rank >= cut->middle; }

/* The rank of the other half that gets the notes of this one. If the number of ranks is odd, the
 * lower half has one more, whose last rank hands its notes to the last rank of all, and gets
 * none. */
static int partner(const struct cut *cut, int rank) {
  int half = cut->middle - cut->first;
  if (upper(cut, rank)) return rank - half;
  return rank + half < cut->end ? rank + half : cut->end - 1;
}

/* A second rank that hands notes to this one, or -1. */
static int second_sender(const struct cut *cut, int rank) {
  bool odd = (cut->end - cut->first) % 2 != 0;
  return odd && rank == cut->end - 1 && upper(cut, rank) ? cut->middle - 1 : -1;
}

static bool gets(const struct cut *cut, int rank) {
  bool odd = (cut->end - cut->first) % 2 != 0;
  return upper(cut, rank) || !odd || rank != cut->middle - 1;
}

/* Move the notes for the other half to the end. Returns how many stay. */
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

/* Exchange how many notes each rank will send; receivers allocate memory for them only then. */
static op2_status swap_counts(struct op2i_comm *comm, int taker, const int givers[2], int64_t going,
                              int64_t coming[2]) {
  struct op2i_envelope envelopes[3] = {{true, taker, OP2I_TAG_FEW, &going, sizeof going}};
  int n = 1;
  for (int g = 0; g < 2; g++)
    if (givers[g] >= 0)
      envelopes[n++] =
          (struct op2i_envelope){false, givers[g], OP2I_TAG_FEW, &coming[g], sizeof coming[g]};
  return op2i_comm_pass_few(comm, n, envelopes);
}

static op2_status swap_notes(struct op2i_comm *comm, const struct cut *cut, struct notes *notes) {
  int givers[2] = {gets(cut, comm->rank) ? partner(cut, comm->rank) : -1,
                   second_sender(cut, comm->rank)};
  int64_t stay = separate(notes, cut, comm->rank), going = notes->n - stay, coming[2] = {0, 0};
  int taker = partner(cut, comm->rank), n = 1;
  struct notes kept = {0};
  op2_status status = swap_counts(comm, taker, givers, going, coming);
  if (status) return status;
  status = add_notes(&kept, stay + coming[0] + coming[1]);
  struct op2i_envelope envelopes[3] = {
      {true, taker, OP2I_TAG_ROUTE, notes->note + stay, (size_t)going * sizeof(struct note)}};
  kept.n = stay;
  for (int g = 0; g < 2 && !status; g++) {
    if (givers[g] < 0) continue;
    envelopes[n++] = (struct op2i_envelope){false, givers[g], OP2I_TAG_ROUTE, kept.note + kept.n,
                                            (size_t)coming[g] * sizeof(struct note)};
    kept.n += coming[g];
  }
  status = op2i_comm_pass(comm, n, envelopes, status);
  if (status) {
    op2i_free(kept.note);
    return status;
  }
  if (stay) memcpy(kept.note, notes->note, (size_t)stay * sizeof *kept.note);
  op2i_free(notes->note);
  *notes = kept;
  return OP2_SUCCESS;
}

static void halve(struct cut *cut) { cut->middle = cut->first + (cut->end - cut->first + 1) / 2; }

static void keep_half(struct cut *cut, int rank) {
  if (upper(cut, rank))
    cut->first = cut->middle;
  else
    cut->end = cut->middle;
}

/* If halves differ in size, some ranks are alone one step before the others, and take part without
 * sending notes. */
static op2_status route(struct op2i_comm *comm, struct notes *notes) {
  struct cut cut = {0, 0, comm->size};
  op2_status status = OP2_SUCCESS;
  for (int64_t reach = 1; reach < comm->size && !status; reach <<= 1) {
    bool alone = cut.end - cut.first < 2;
    halve(&cut);
    status = alone ? op2i_comm_pass(comm, 0, NULL, OP2_SUCCESS) : swap_notes(comm, &cut, notes);
    if (!alone) keep_half(&cut, comm->rank);
  }
  return status;
}

/* Add channels to all ranks to which notes are handed, or from which they come. */
void op2i_comm_add_routes(struct op2i_comm *comm) {
  for (struct cut cut = {0, 0, comm->size}; cut.end - cut.first > 1; keep_half(&cut, comm->rank)) {
    halve(&cut);
    op2i_comm_add_channel(comm, partner(&cut, comm->rank));
    if (second_sender(&cut, comm->rank) >= 0)
      op2i_comm_add_channel(comm, second_sender(&cut, comm->rank));
  }
}

/* ---- parcels --------------------------------------------------------------------------------- */

static int by_sender(const void *a, const void *b) {
  const struct note *x = a, *y = b;
  return (x->from > y->from) - (x->from < y->from);
}

static size_t aligned(size_t bytes) { return (bytes + 7) / 8 * 8; }

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

static op2_status transfer(struct op2i_comm *comm, int64_t n, const struct op2i_parcel *parcels,
                           const struct op2i_parcels *received, op2_status status) {
  struct op2i_envelope *all = op2i_malloc((size_t)(n + received->n) * sizeof *all);
  int64_t count = 0;
  if (!status && !all) status = op2i_error_nomem("parcels");
  for (int64_t i = 0; i < n && !status; i++)
    if (parcels[i].peer != comm->rank)
      all[count++] = (struct op2i_envelope){true, parcels[i].peer, OP2I_TAG_PARCEL, parcels[i].data,
                                            parcels[i].bytes};
  for (int64_t i = 0; i < received->n && !status; i++)
    if (received->parcel[i].peer != comm->rank)
      all[count++] = (struct op2i_envelope){false, received->parcel[i].peer, OP2I_TAG_PARCEL,
                                            received->parcel[i].data, received->parcel[i].bytes};
  status = op2i_comm_pass(comm, count, all, status);
  op2i_free(all);
  if (!status) to_itself(comm, n, parcels, received);
  return status;
}

op2_status op2i_comm_deliver(struct op2i_comm *comm, int64_t n, const struct op2i_parcel *parcels,
                             struct op2i_parcels *received) {
  struct notes notes = {0};
  op2_status status = op2i_comm_agree(comm, add_notes(&notes, n + 1));
  *received = (struct op2i_parcels){0};
  for (int64_t i = 0; i < n && !status; i++)
    notes.note[notes.n++] = (struct note){comm->rank, parcels[i].peer, (int64_t)parcels[i].bytes};
  if (!status) status = route(comm, &notes);
  if (!status) {
    if (notes.n) qsort(notes.note, (size_t)notes.n, sizeof *notes.note, by_sender);
    status = transfer(comm, n, parcels, received, make_room(&notes, received));
  }
  op2i_free(notes.note);
  if (status) op2i_parcels_free(received);
  return status;
}

void op2i_parcels_free(struct op2i_parcels *parcels) {
  op2i_free(parcels->parcel);
  op2i_free_data(parcels->memory);
  *parcels = (struct op2i_parcels){0};
}
