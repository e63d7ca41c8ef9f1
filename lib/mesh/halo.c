/* SPDX-License-Identifier: BSD-3-Clause */
/* Halos: from who owns what to the rows that travel. */
#include "halo.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "mem.h"

struct maker {
  struct op2i_comm *comm;
  const int64_t *ends, *global;
  const int32_t *owner;
  const char *name;
  struct op2i_halo *halo;
};

static int64_t halo_size(const struct maker *m) { return m->ends[3] - m->ends[1]; }

/* The part of the halo in which the i-th of its elements is. */
static enum op2i_halo_part part_of(const struct maker *m, int64_t i) {
  return m->ends[1] + i < m->ends[2] ? OP2I_HALO_EXEC : OP2I_HALO_NONEXEC;
}

/* Mostly there is nothing to do. */
static void sort(void *items, int64_t n, size_t size, int (*compare)(const void *, const void *)) {
  const char *item = items;
  for (int64_t i = 1; i < n; i++, item += size)
    if (compare(item, item + size) > 0) {
      qsort(items, (size_t)n, size, compare);
      return;
    }
}

/* ---- a number and where it is ---------------------------------------------------------------- */

struct place_of {
  int64_t global, row;
};

static int by_global(const void *a, const void *b) {
  const struct place_of *x = a, *y = b;
  return (x->global > y->global) - (x->global < y->global);
}

static int64_t find(const struct place_of *sorted, int64_t n, int64_t global) {
  int64_t lo = 0, hi = n;
  while (lo < hi) {
    int64_t mid = lo + (hi - lo) / 2;
    if (sorted[mid].global < global)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < n && sorted[lo].global == global ? sorted[lo].row : -1;
}

/* Those of owned elements, ascending. */
static struct place_of *owned_places(const struct maker *m) {
  int64_t n = m->ends[1];
  struct place_of *places = op2i_malloc((size_t)n * sizeof *places);
  for (int64_t i = 0; places && i < n; i++) places[i] = (struct place_of){m->global[i], i};
  if (places) sort(places, n, sizeof *places, by_global);
  return places;
}

/* ---- what one rank can see ------------------------------------------------------------------- */

static op2_status look_at_owners(const struct maker *m) {
  for (int64_t i = 0; i < halo_size(m); i++) {
    int32_t owner = m->owner[i];
    if (owner >= 0 && owner < m->comm->size && owner != m->comm->rank) continue;
    return op2i_error(OP2_ERR_RANGE,
                      "set '%s': element %" PRId64 " of the halo is owned by rank %" PRId32
                      ", which is not another one of %d",
                      m->name, m->ends[1] + i, owner, m->comm->size);
  }
  return OP2_SUCCESS;
}

static op2_status look_at_numbers(const struct maker *m) {
  for (int64_t i = 0; i < m->ends[3]; i++)
    if (m->global[i] < 0 || m->global[i] >= m->halo->global_size)
      return op2i_error(OP2_ERR_RANGE,
                        "set '%s': element %" PRId64 " has the global number %" PRId64
                        ", which is not in [0, %" PRId64 "): there are so many owned elements",
                        m->name, i, m->global[i], m->halo->global_size);
  return OP2_SUCCESS;
}

/* No element twice in one halo. */
static op2_status look_for_twins(const struct maker *m) {
  int64_t n = halo_size(m);
  struct place_of *places = op2i_malloc((size_t)n * sizeof *places);
  op2_status status = places ? OP2_SUCCESS : op2i_error_nomem("a halo");
  for (int64_t i = 0; i < n && !status; i++)
    places[i] = (struct place_of){m->global[m->ends[1] + i], m->ends[1] + i};
  if (!status) sort(places, n, sizeof *places, by_global);
  for (int64_t i = 1; i < n && !status; i++)
    if (places[i - 1].global == places[i].global)
      status = op2i_error(OP2_ERR_ARG,
                          "set '%s': elements %" PRId64 " and %" PRId64
                          " of the halo have one global number, %" PRId64,
                          m->name, places[i - 1].row, places[i].row, places[i].global);
  op2i_free(places);
  return status;
}

/* ---- parcels for ranks, filled one by one ---------------------------------------------------- */

struct outbox {
  int64_t n;
  struct op2i_parcel *parcel; /* by rank, none of them empty */
  int64_t *memory;
};

static void free_outbox(struct outbox *box) {
  op2i_free(box->parcel);
  op2i_free(box->memory);
}

struct letter {
  int64_t peer, order, word;
};

static int by_peer(const void *a, const void *b) {
  const struct letter *x = a, *y = b;
  if (x->peer != y->peer) return x->peer < y->peer ? -1 : 1;
  return (x->order > y->order) - (x->order < y->order);
}

/* To each rank the words that are for it, in their order. Sorts the letters. */
static op2_status fill(struct letter *letters, int64_t n, struct outbox *box) {
  int64_t ranks = 0;
  sort(letters, n, sizeof *letters, by_peer);
  for (int64_t i = 0; i < n; i++) ranks += i == 0 || letters[i].peer != letters[i - 1].peer;
  *box = (struct outbox){.parcel = op2i_calloc((size_t)ranks, sizeof *box->parcel),
                         .memory = op2i_malloc((size_t)n * sizeof *box->memory)};
  if (!box->parcel || !box->memory) return op2i_error_nomem("a halo");
  for (int64_t i = 0; i < n; i++) {
    if (i == 0 || letters[i].peer != letters[i - 1].peer)
      box->parcel[box->n++] =
          (struct op2i_parcel){.peer = (int)letters[i].peer, .data = box->memory + i};
    box->parcel[box->n - 1].bytes += sizeof *box->memory;
    box->memory[i] = letters[i].word;
  }
  return OP2_SUCCESS;
}

static op2_status post(struct op2i_comm *comm, struct letter *letters, int64_t n,
                       struct op2i_parcels *in) {
  struct outbox box = {0};
  op2_status status = letters ? fill(letters, n, &box) : op2i_error_nomem("a halo");
  *in = (struct op2i_parcels){0};
  status = op2i_comm_agree(comm, status);
  if (!status) status = op2i_comm_deliver(comm, box.n, box.parcel, in);
  free_outbox(&box);
  return status;
}

static int64_t words_of(const struct op2i_parcel *parcel) {
  return (int64_t)(parcel->bytes / sizeof(int64_t));
}

/* ---- each element is owned once -------------------------------------------------------------- */

/* Elements are kept count of in blocks: rank r of n keeps those from size * r / n on. */
static int64_t block_begin(const struct maker *m, int rank) {
  int64_t size = m->halo->global_size, n = m->comm->size;
  return size / n * rank + (rank < size % n ? rank : size % n);
}

static int keeper(const struct maker *m, int64_t global) {
  int lo = 0, hi = m->comm->size - 1;
  while (lo < hi) {
    int mid = lo + (hi - lo + 1) / 2;
    if (block_begin(m, mid) <= global)
      lo = mid;
    else
      hi = mid - 1;
  }
  return lo;
}

static op2_status count_owners(const struct maker *m, const struct op2i_parcels *in) {
  int64_t begin = block_begin(m, m->comm->rank), n = block_begin(m, m->comm->rank + 1) - begin;
  int32_t *owner = op2i_malloc((size_t)n * sizeof *owner);
  op2_status status = owner ? OP2_SUCCESS : op2i_error_nomem("a halo");
  for (int64_t i = 0; i < n && !status; i++) owner[i] = -1;
  for (int64_t p = 0; p < in->n && !status; p++) {
    const int64_t *word = in->parcel[p].data;
    for (int64_t i = 0; i < words_of(&in->parcel[p]) && !status; i++) {
      int32_t *one = &owner[word[i] - begin];
      if (*one >= 0)
        status = op2i_error(OP2_ERR_ARG,
                            "set '%s': the element with the global number %" PRId64
                            " is owned by rank %" PRId32 " and by rank %d",
                            m->name, word[i], *one, in->parcel[p].peer);
      *one = in->parcel[p].peer;
    }
  }
  op2i_free(owner);
  return status; /* as many as there are elements, and none twice: none is missing */
}

static op2_status look_at_ownership(const struct maker *m) {
  int64_t n = m->ends[1];
  struct letter *letters = op2i_malloc((size_t)n * sizeof *letters);
  struct op2i_parcels in;
  for (int64_t i = 0; i < n && letters; i++)
    letters[i] = (struct letter){keeper(m, m->global[i]), i, m->global[i]};
  op2_status status = post(m->comm, letters, n, &in);
  if (!status) status = op2i_comm_agree(m->comm, count_owners(m, &in));
  op2i_parcels_free(&in);
  op2i_free(letters);
  return status;
}

/* ---- rows that travel ------------------------------------------------------------------------ */

static struct op2i_neighbour *neighbour(struct op2i_halo *halo, int rank) {
  for (int i = 0; i < halo->n; i++)
    if (halo->neighbours[i].rank == rank) return &halo->neighbours[i];
  return NULL;
}

static int by_rank(const void *a, const void *b) {
  return ((const struct op2i_neighbour *)a)->rank - ((const struct op2i_neighbour *)b)->rank;
}

/* The owners of what is in the halo here, and those in whose halo something of here is. */
static op2_status list_neighbours(const struct maker *m, const struct letter *letters,
                                  const struct op2i_parcels *in) {
  struct op2i_halo *halo = m->halo;
  int64_t most = in->n;
  for (int64_t i = 0; i < halo_size(m); i++)
    most += i == 0 || letters[i].peer != letters[i - 1].peer;
  halo->neighbours = op2i_calloc((size_t)most, sizeof *halo->neighbours);
  if (!halo->neighbours) return op2i_error_nomem("a halo");
  for (int64_t i = 0; i < halo_size(m); i++)
    if (i == 0 || letters[i].peer != letters[i - 1].peer)
      halo->neighbours[halo->n++].rank = (int)letters[i].peer;
  int owners = halo->n;
  for (int64_t p = 0, o = 0; p < in->n; p++) {
    while (o < owners && halo->neighbours[o].rank < in->parcel[p].peer) o++;
    if (o < owners && halo->neighbours[o].rank == in->parcel[p].peer) continue;
    halo->neighbours[halo->n++].rank = in->parcel[p].peer;
  }
  if (halo->n) qsort(halo->neighbours, (size_t)halo->n, sizeof *halo->neighbours, by_rank);
  return OP2_SUCCESS;
}

static op2_status make_rows(struct op2i_rows *rows, int64_t n) {
  rows->row = op2i_malloc((size_t)n * sizeof *rows->row);
  return rows->row ? OP2_SUCCESS : op2i_error_nomem("a halo");
}

/* In the order in which they are in the halo. */
static op2_status list_imports(const struct maker *m, const struct letter *letters) {
  op2_status status = OP2_SUCCESS;
  int64_t n = halo_size(m);
  for (int64_t i = 0, end = 0; i < n && !status; i = end) {
    struct op2i_neighbour *peer = neighbour(m->halo, (int)letters[i].peer);
    int64_t count[OP2I_HALO_PARTS] = {0, 0};
    for (end = i; end < n && letters[end].peer == letters[i].peer; end++)
      count[part_of(m, letters[end].order)]++;
    for (int part = 0; part < OP2I_HALO_PARTS && !status; part++)
      status = make_rows(&peer->in[part], count[part]);
    for (int64_t k = i; k < end && !status; k++) {
      struct op2i_rows *rows = &peer->in[part_of(m, letters[k].order)];
      rows->row[rows->n++] = (int32_t)(m->ends[1] + letters[k].order);
    }
  }
  return status;
}

/* A rank asks for global numbers, those of its non-exec halo as ~number. */
static int64_t asked(int64_t word) { return word < 0 ? ~word : word; }

static op2_status answer(const struct maker *m, const struct place_of *owned,
                         const struct op2i_parcel *parcel, struct op2i_neighbour *peer) {
  const int64_t *word = parcel->data;
  op2_status status = OP2_SUCCESS;
  int64_t count[OP2I_HALO_PARTS] = {0, 0};
  for (int64_t i = 0; i < words_of(parcel); i++) count[word[i] < 0]++;
  for (int part = 0; part < OP2I_HALO_PARTS && !status; part++)
    status = make_rows(&peer->out[part], count[part]);
  for (int64_t i = 0; i < words_of(parcel) && !status; i++) {
    int64_t row = find(owned, m->ends[1], asked(word[i]));
    struct op2i_rows *rows = &peer->out[word[i] < 0];
    if (row < 0)
      status = op2i_error(OP2_ERR_MISMATCH,
                          "set '%s': rank %d has element %" PRId64
                          " in its halo as one of rank %d, which does not own it",
                          m->name, peer->rank, asked(word[i]), m->comm->rank);
    else
      rows->row[rows->n++] = (int32_t)row;
  }
  return status;
}

static op2_status list_exports(const struct maker *m, const struct op2i_parcels *in) {
  struct place_of *owned = owned_places(m);
  op2_status status = owned ? OP2_SUCCESS : op2i_error_nomem("a halo");
  for (int64_t p = 0; p < in->n && !status; p++)
    status = answer(m, owned, &in->parcel[p], neighbour(m->halo, in->parcel[p].peer));
  op2i_free(owned);
  return status;
}

/* All ranks ask the owners of what is in their halos. */
static op2_status connect(const struct maker *m) {
  int64_t n = halo_size(m);
  struct letter *letters = op2i_malloc((size_t)n * sizeof *letters);
  struct op2i_parcels in;
  for (int64_t i = 0; i < n && letters; i++) {
    int64_t global = m->global[m->ends[1] + i];
    letters[i] =
        (struct letter){m->owner[i], i, part_of(m, i) == OP2I_HALO_EXEC ? global : ~global};
  }
  op2_status status = post(m->comm, letters, n, &in), own;
  if (!status) {
    own = list_neighbours(m, letters, &in);
    if (!own) own = list_imports(m, letters);
    if (!own) own = list_exports(m, &in);
    status = op2i_comm_agree(m->comm, own);
  }
  op2i_parcels_free(&in);
  op2i_free(letters);
  return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static op2_status keep(struct maker *m) {
  size_t total = (size_t)m->ends[3], halo = (size_t)halo_size(m);
  m->halo->global = op2i_malloc(total * sizeof *m->halo->global);
  m->halo->owner = op2i_malloc(halo * sizeof *m->halo->owner);
  if (!m->halo->global || !m->halo->owner) return op2i_error_nomem("a halo");
  if (total) memcpy(m->halo->global, m->global, total * sizeof *m->halo->global);
  if (halo) memcpy(m->halo->owner, m->owner, halo * sizeof *m->halo->owner);
  return OP2_SUCCESS;
}

op2_status op2i_halo_make(struct op2i_comm *comm, const int64_t ends[4], const int64_t *global,
                          const int32_t *owner, const char *name, struct op2i_halo **out) {
  struct maker m = {comm, ends, global, owner, name, op2i_calloc(1, sizeof **out)};
  int64_t sums[] = {ends[1], ends[2] - ends[1], ends[3] - ends[2]};
  op2_status status = m.halo ? keep(&m) : op2i_error_nomem("a halo");
  OP2I_TRY(op2i_comm_agree(comm, status));
  OP2I_TRY(op2i_comm_sum(comm, 3, sums));
  m.halo->global_size = sums[0];
  memcpy(m.halo->parts, sums + 1, sizeof m.halo->parts);
  status = look_at_owners(&m);
  if (!status) status = look_at_numbers(&m);
  if (!status) status = look_for_twins(&m);
  OP2I_TRY(op2i_comm_agree(comm, status));
  OP2I_TRY(look_at_ownership(&m));
  OP2I_TRY(connect(&m));
  *out = m.halo;
  return OP2_SUCCESS;
fail:
  op2i_halo_free(m.halo);
  return status;
}

void op2i_halo_free(struct op2i_halo *halo) {
  if (!halo) return;
  for (int i = 0; i < halo->n; i++)
    for (int part = 0; part < OP2I_HALO_PARTS; part++) {
      op2i_free(halo->neighbours[i].out[part].row);
      op2i_free(halo->neighbours[i].in[part].row);
    }
  op2i_free(halo->neighbours);
  op2i_free(halo->global);
  op2i_free(halo->owner);
  op2i_free(halo);
}
