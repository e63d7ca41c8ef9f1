/* SPDX-License-Identifier: BSD-3-Clause */
/* Halos: the rows that are sent and received, derived from the owners of elements. */
#include "halo.h"
#include "comm_parcel.h"

#include <inttypes.h>
#include <string.h>

#include "error.h"
#include "mail.h"
#include "mem.h"
#include "numbers.h"
#include "sort.h"

struct maker {
  struct op2i_comm *comm;
  const int64_t *ends, *global;
  const int32_t *owner;
  const char *name;
  struct op2i_halo *halo;
};

static int64_t halo_size(const struct maker *m) { return m->ends[3] - m->ends[1]; }

/* The part of the halo that has its i-th element. */
static enum op2i_halo_part part_of(const struct maker *m, int64_t i) {
  return m->ends[1] + i < m->ends[2] ? OP2I_HALO_EXEC : OP2I_HALO_NONEXEC;
}

/* ---- checks that need one rank only ---------------------------------------------------------- */

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

/* Checks that no element occurs twice in one halo. */
static op2_status check_unique(const struct maker *m) {
  int64_t n = halo_size(m), *number = op2i_malloc((size_t)n * sizeof *number);
  int64_t *row = op2i_malloc((size_t)n * sizeof *row);
  op2_status status = number && row ? OP2_SUCCESS : op2i_error_nomem("a halo");
  for (int64_t i = 0; i < n && !status; i++) {
    row[i] = m->ends[1] + i;
    number[i] = m->global[row[i]];
  }
  if (!status) status = op2i_sort(n, number, row);
  for (int64_t i = 1; i < n && !status; i++)
    if (number[i - 1] == number[i])
      status = op2i_error(OP2_ERR_ARG,
                          "set '%s': elements %" PRId64 " and %" PRId64
                          " of the halo have one global number, %" PRId64,
                          m->name, row[i - 1], row[i], number[i]);
  op2i_free(number);
  op2i_free(row);
  return status;
}

/* ---- check that each element has one owner --------------------------------------------------- */

/* Ranks own as many elements as there are numbers, so if none is owned twice, none is missing. */
static op2_status look_at_ownership(const struct maker *m) {
  struct op2i_table owned;
  op2_status status = op2i_table_open(m->comm, m->name, m->halo->global_size, 0, &owned);
  if (status) return status;
  status = op2i_table_put(&owned, m->ends[1], m->global, m->global);
  op2i_table_close(&owned);
  return status;
}

/* ---- rows to send and to receive ------------------------------------------------------------- */

static int64_t words_of(const struct op2i_parcel *parcel) {
  return (int64_t)(parcel->bytes / sizeof(int64_t));
}

static struct op2i_neighbour *neighbour(struct op2i_halo *halo, int rank) {
  for (int i = 0; i < halo->n; i++)
    if (halo->neighbours[i].rank == rank) return &halo->neighbours[i];
  return NULL;
}

/* Neighbours are the owners of this rank's halo elements, and the ranks that have elements of this
 * one in their halos. */
static op2_status list_neighbours(const struct maker *m, const struct op2i_mail *asked,
                                  const struct op2i_parcels *in) {
  struct op2i_halo *halo = m->halo;
  halo->neighbours = op2i_calloc((size_t)(asked->nparcels + in->n), sizeof *halo->neighbours);
  if (!halo->neighbours) return op2i_error_nomem("a halo");
  for (int64_t a = 0, p = 0; a < asked->nparcels || p < in->n;) {
    bool owner = a < asked->nparcels, other = p < in->n;
    int rank = owner ? asked->parcel[a].peer : in->parcel[p].peer;
    if (other && in->parcel[p].peer < rank) rank = in->parcel[p].peer;
    halo->neighbours[halo->n++].rank = rank;
    a += owner && asked->parcel[a].peer == rank;
    p += other && in->parcel[p].peer == rank;
  }
  return OP2_SUCCESS;
}

static op2_status make_rows(struct op2i_rows *rows, int64_t n) {
  rows->row = op2i_malloc((size_t)n * sizeof *rows->row);
  return rows->row ? OP2_SUCCESS : op2i_error_nomem("a halo");
}

/* List the rows to receive, in the order of this rank's halo. */
static op2_status list_imports(const struct maker *m, const struct op2i_mail *asked) {
  op2_status status = OP2_SUCCESS;
  const int64_t *order = asked->order;
  for (int64_t p = 0; p < asked->nparcels && !status; p++) {
    struct op2i_neighbour *peer = neighbour(m->halo, asked->parcel[p].peer);
    int64_t count[OP2I_HALO_PARTS] = {0, 0}, n = words_of(&asked->parcel[p]);
    for (int64_t i = 0; i < n; i++) count[part_of(m, order[i])]++;
    for (int part = 0; part < OP2I_HALO_PARTS && !status; part++)
      status = make_rows(&peer->in[part], count[part]);
    for (int64_t i = 0; i < n && !status; i++) {
      struct op2i_rows *rows = &peer->in[part_of(m, order[i])];
      rows->row[rows->n++] = (int32_t)(m->ends[1] + order[i]);
    }
    order += n;
  }
  return status;
}

/* A rank requests elements by their global numbers, those of its non-exec halo as ~number. */
static int64_t asked(int64_t word) { return word < 0 ? ~word : word; }

/* Find the rows of the requested elements; -1: the element is not owned here. */
static op2_status find_asked(const struct maker *m, const struct op2i_parcels *in,
                             struct op2i_numbers *rows) {
  op2_status status = OP2_SUCCESS;
  for (int64_t p = 0; p < in->n && !status; p++) {
    const int64_t *word = in->parcel[p].data;
    for (int64_t i = 0; i < words_of(&in->parcel[p]) && !status; i++)
      status = op2i_numbers_add(rows, 1, &(int64_t){asked(word[i])});
  }
  if (!status) status = op2i_numbers_close(rows);
  if (status) return status;
  for (int64_t i = 0; i < rows->n; i++) rows->is[i] = -1;
  for (int64_t i = 0; i < m->ends[1]; i++) {
    int64_t at = op2i_numbers_at(rows, m->global[i]);
    if (at >= 0) rows->is[at] = (int32_t)i;
  }
  return OP2_SUCCESS;
}

static op2_status answer(const struct maker *m, const struct op2i_numbers *owned,
                         const struct op2i_parcel *parcel, struct op2i_neighbour *peer) {
  const int64_t *word = parcel->data;
  op2_status status = OP2_SUCCESS;
  int64_t count[OP2I_HALO_PARTS] = {0, 0};
  for (int64_t i = 0; i < words_of(parcel); i++) count[word[i] < 0]++;
  for (int part = 0; part < OP2I_HALO_PARTS && !status; part++)
    status = make_rows(&peer->out[part], count[part]);
  for (int64_t i = 0; i < words_of(parcel) && !status; i++) {
    int32_t row = owned->is[op2i_numbers_at(owned, asked(word[i]))];
    struct op2i_rows *rows = &peer->out[word[i] < 0];
    if (row < 0)
      status = op2i_error(OP2_ERR_MISMATCH,
                          "set '%s': rank %d has element %" PRId64
                          " in its halo as one of rank %d, which does not own it",
                          m->name, peer->rank, asked(word[i]), m->comm->rank);
    else
      rows->row[rows->n++] = row;
  }
  return status;
}

static op2_status list_exports(const struct maker *m, const struct op2i_parcels *in) {
  struct op2i_numbers owned = {0};
  op2_status status = find_asked(m, in, &owned);
  for (int64_t p = 0; p < in->n && !status; p++)
    status = answer(m, &owned, &in->parcel[p], neighbour(m->halo, in->parcel[p].peer));
  op2i_numbers_free(&owned);
  return status;
}

static op2_status ask(const struct maker *m, struct op2i_mail *asked) {
  int64_t n = halo_size(m), *words = op2i_malloc((size_t)n * sizeof *words);
  if (!words) return op2i_error_nomem("a halo");
  for (int64_t i = 0; i < n; i++) {
    int64_t global = m->global[m->ends[1] + i];
    words[i] = part_of(m, i) == OP2I_HALO_EXEC ? global : ~global;
  }
  op2_status status = op2i_mail_pack(n, m->owner, sizeof *words, words, asked);
  op2i_free(words);
  return status;
}

/* All ranks request their halo elements from the owners. */
static op2_status connect(const struct maker *m) {
  struct op2i_mail asked = {0};
  struct op2i_parcels in = {0};
  op2_status status = op2i_comm_agree(m->comm, ask(m, &asked)), own;
  if (!status) status = op2i_comm_deliver(m->comm, asked.nparcels, asked.parcel, &in);
  if (!status) {
    own = list_neighbours(m, &asked, &in);
    if (!own) own = list_imports(m, &asked);
    if (!own) own = list_exports(m, &in);
    status = op2i_comm_agree(m->comm, own);
  }
  op2i_parcels_free(&in);
  op2i_mail_free(&asked);
  return status;
}

/* ---- the interface --------------------------------------------------------------------------- */

static op2_status keep_lists(struct maker *m) {
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
  op2_status status = m.halo ? keep_lists(&m) : op2i_error_nomem("a halo");
  OP2I_TRY(op2i_comm_agree(comm, status));
  OP2I_TRY(op2i_comm_sum(comm, 3, sums));
  m.halo->global_size = sums[0];
  memcpy(m.halo->parts, sums + 1, sizeof m.halo->parts);
  status = look_at_owners(&m);
  if (!status) status = look_at_numbers(&m);
  if (!status) status = check_unique(&m);
  OP2I_TRY(op2i_comm_agree(comm, status));
  OP2I_TRY(look_at_ownership(&m));
  OP2I_TRY(connect(&m));
  *out = m.halo;
  return OP2_SUCCESS;
fail:
  op2i_halo_free(m.halo);
  return status;
}

op2_status op2i_halo_make_block(struct op2i_comm *comm, int64_t size, struct op2i_halo **out) {
  struct op2i_halo *halo = op2i_calloc(1, sizeof *halo);
  op2_status status = op2i_comm_agree(comm, halo ? OP2_SUCCESS : op2i_error_nomem("a halo"));
  if (!status) {
    halo->first = halo->global_size = size;
    status = op2i_comm_sum(comm, 1, &halo->global_size);
  }
  if (!status) status = op2i_comm_before(comm, 1, &halo->first);
  if (status)
    op2i_halo_free(halo);
  else
    *out = halo;
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
