/* SPDX-License-Identifier: BSD-3-Clause */
/* Halo exchanges: rows are packed for each neighbour, sent, received and unpacked. */
#include "exchange_internal.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "context.h"
#include "error.h"
#include "mem.h"
#include "watch.h"

/* ---- building an exchange -------------------------------------------------------------------- */

static int by_rank(const void *a, const void *b) {
  const struct op2i_leg *x = a, *y = b;
  return (x->rank > y->rank) - (x->rank < y->rank);
}

static op2_status list_legs(struct op2i_exchange *x) {
  int most = 0, n = 0;
  for (int i = 0; i < x->n; i++)
    if (x->stale[i].dat->set->halo) most += x->stale[i].dat->set->halo->n;
  x->legs = op2i_calloc((size_t)most, sizeof *x->legs);
  x->messages = op2i_calloc(2 * (size_t)most, sizeof(struct op2i_message *));
  x->started = op2i_calloc(2 * (size_t)most, sizeof(struct op2i_message *));
  if (!x->legs || !x->messages || !x->started) return op2i_error_nomem("an exchange of halos");
  for (int i = 0; i < x->n; i++) {
    const struct op2i_halo *halo = x->stale[i].dat->set->halo;
    for (int k = 0; halo && k < halo->n; k++) x->legs[n++].rank = halo->neighbours[k].rank;
  }
  if (n) qsort(x->legs, (size_t)n, sizeof *x->legs, by_rank);
  for (int l = 0; l < n; l++)
    if (x->nlegs == 0 || x->legs[x->nlegs - 1].rank != x->legs[l].rank)
      x->legs[x->nlegs++].rank = x->legs[l].rank;
  return OP2_SUCCESS;
}

/* Legs and neighbours are both sorted by rank. */
static op2_status find_peers(struct op2i_exchange *x) {
  x->peers = op2i_calloc((size_t)x->nlegs * (size_t)x->n, sizeof(struct op2i_neighbour *));
  if (!x->peers) return op2i_error_nomem("an exchange of halos");
  for (int i = 0; i < x->n; i++) {
    const struct op2i_halo *halo = x->stale[i].dat->set->halo;
    for (int l = 0, k = 0; halo && l < x->nlegs; l++) {
      while (k < halo->n && halo->neighbours[k].rank < x->legs[l].rank) k++;
      if (k < halo->n && halo->neighbours[k].rank == x->legs[l].rank)
        x->peers[l * x->n + i] = &halo->neighbours[k];
    }
  }
  return OP2_SUCCESS;
}

static size_t dat_bytes(const struct op2i_exchange *x, int i, int leg, enum op2i_side side) {
  size_t rows = 0;
  for (int part = 0; part < OP2I_HALO_PARTS; part++)
    rows += (size_t)op2i_exchange_rows(x, i, leg, part, side == OP2I_IN).n;
  return rows * x->stale[i].dat->row_bytes;
}

static op2_status add_up(struct op2i_exchange *x) {
  x->outgoing = op2i_calloc((size_t)x->n, sizeof *x->outgoing);
  if (!x->outgoing) return op2i_error_nomem("an exchange of halos");
  for (int l = 0; l < x->nlegs; l++)
    for (int i = 0; i < x->n; i++) {
      x->outgoing[i] += (int64_t)dat_bytes(x, i, l, OP2I_OUT);
      for (int side = OP2I_OUT; side < OP2I_SIDES; side++)
        x->legs[l].bytes[side] += dat_bytes(x, i, l, side);
    }
  return OP2_SUCCESS;
}

/* Counters are set up here, so that a run only has to increment them. */
static op2_status have_counts(struct op2i_exchange *x) {
  struct op2i_comm *comm = x->comm;
  for (int l = 0; l < x->nlegs; l++) {
    struct op2i_leg *leg = &x->legs[l];
    while (leg->sent < comm->nsent && comm->sent[leg->sent].rank != leg->rank) leg->sent++;
    if (leg->sent < comm->nsent) continue;
    if (op2i_grow(&comm->sent, sizeof *comm->sent, comm->nsent, &comm->sent_capacity))
      return op2i_error_nomem("an exchange of halos");
    comm->sent[comm->nsent++] = (struct op2i_sent){.rank = leg->rank};
  }
  return OP2_SUCCESS;
}

static size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

static op2_status have_memory(struct op2i_exchange *x) {
  size_t at = 0;
  for (int l = 0; l < x->nlegs; l++)
    for (int side = OP2I_OUT; side < OP2I_SIDES; side++) at += aligned(x->legs[l].bytes[side]);
  x->memory = op2i_alloc_raw(at);
  if (!x->memory) return op2i_error_nomem("an exchange of halos");
  at = 0;
  for (int side = OP2I_OUT; side < OP2I_SIDES; side++) {
    x->first[side] = at;
    for (int l = 0; l < x->nlegs; l++) {
      struct op2i_leg *leg = &x->legs[l];
      leg->memory[side] = x->memory + at;
      if (leg->bytes[side]) x->bytes[side] = at + leg->bytes[side] - x->first[side];
      at += aligned(leg->bytes[side]);
    }
  }
  return OP2_SUCCESS;
}

/* There is no message where no bytes are sent. */
static op2_status open_messages(struct op2i_exchange *x) {
  op2_status status = OP2_SUCCESS;
  for (int l = 0; l < x->nlegs; l++)
    for (int side = OP2I_OUT; side < OP2I_SIDES && !status; side++) {
      const struct op2i_leg *leg = &x->legs[l];
      const struct op2i_envelope envelope = {side == OP2I_OUT, leg->rank, OP2I_TAG_ROWS,
                                             leg->memory[side], leg->bytes[side]};
      if (!leg->bytes[side]) continue;
      status = x->comm->kind->open(x->comm, &envelope, &x->messages[x->nmessages]);
      x->started[x->nmessages] = x->messages[x->nmessages];
      x->nmessages += !status;
    }
  return status;
}

op2_status op2i_exchange_make(int n, const struct op2i_stale *stale, struct op2i_exchange **out) {
  struct op2i_exchange *x = op2i_calloc(1, sizeof *x);
  op2_status status;
  if (!x) return op2i_error_nomem("an exchange of halos");
  x->comm = stale->dat->obj.ctx->comm;
  x->n = n;
  x->stale = op2i_malloc((size_t)n * sizeof *x->stale);
  for (int side = OP2I_OUT; side < OP2I_SIDES; side++)
    x->dats[side] = op2i_calloc((size_t)n, sizeof *x->dats[side]);
  status = x->stale && x->dats[OP2I_OUT] && x->dats[OP2I_IN]
               ? OP2_SUCCESS
               : op2i_error_nomem("an exchange of halos");
  if (!status) memcpy(x->stale, stale, (size_t)n * sizeof *x->stale);
  if (!status) status = list_legs(x);
  if (!status) status = find_peers(x);
  if (!status) status = add_up(x);
  if (!status) status = have_counts(x);
  if (!status) status = have_memory(x);
  if (!status) status = open_messages(x);
  if (status)
    op2i_exchange_free(x);
  else
    *out = x;
  return status;
}

void op2i_exchange_free(struct op2i_exchange *x) {
  if (!x) return;
  for (int m = 0; m < x->nmessages; m++) x->comm->kind->close(x->messages[m]);
  op2i_free(x->messages);
  op2i_free(x->started);
  op2i_free(x->legs);
  op2i_free(x->peers);
  op2i_free(x->stale);
  for (int side = OP2I_OUT; side < OP2I_SIDES; side++) op2i_free(x->dats[side]);
  op2i_free(x->outgoing);
  op2i_free_data(x->memory);
  op2i_exchange_device_free(x);
  op2i_free(x);
}

/* ---- packing and unpacking rows -------------------------------------------------------------- */

int op2i_exchange_legs(const struct op2i_exchange *x) { return x->nlegs; }
void op2i_exchange_pass_on(struct op2i_exchange *exchange, const void *dat, op2_dat successor) {
  for (int i = 0; i < exchange->n; i++)
    if (exchange->stale[i].dat == dat) exchange->stale[i].dat = successor;
}

int op2i_exchange_dats(const struct op2i_exchange *x) { return x->n; }
op2_dat op2i_exchange_dat(const struct op2i_exchange *x, int i) { return x->stale[i].dat; }
unsigned op2i_exchange_parts(const struct op2i_exchange *x, int i) { return x->stale[i].parts; }

int64_t op2i_exchange_sends(const struct op2i_exchange *x, int *messages) {
  int64_t bytes = 0;
  *messages = 0;
  for (int l = 0; l < x->nlegs; l++) {
    bytes += (int64_t)x->legs[l].bytes[OP2I_OUT];
    *messages += x->legs[l].bytes[OP2I_OUT] > 0;
  }
  return bytes;
}

struct op2i_rows op2i_exchange_rows(const struct op2i_exchange *x, int i, int leg, int part,
                                    bool ends) {
  const struct op2i_stale *stale = &x->stale[i];
  const struct op2i_neighbour *peer = x->peers[leg * x->n + i];
  if (!peer || !(stale->parts >> part & 1)) return (struct op2i_rows){0, NULL};
  return ends ? peer->in[part] : peer->out[part];
}

static void copy_row(void *to, const void *from, size_t bytes) {
  if (bytes % sizeof(uint64_t)) {
    memcpy(to, from, bytes);
    return;
  }
  for (size_t i = 0; i < bytes; i += sizeof(uint64_t))
    memcpy((char *)to + i, (const char *)from + i, sizeof(uint64_t));
}

/* ---- running an exchange --------------------------------------------------------------------- */

/* True if rows of dat i are packed, or unpacked, on the device. Outgoing rows are if only the
 * device has the owned rows; incoming rows are if the device has the owned rows at all, since loops
 * are expected to go on there. */
static bool is_there(const struct op2i_exchange *x, int i, enum op2i_place place, bool ends) {
  const struct op2i_buffer *values = &x->stale[i].dat->values;
  bool there = values->fresh[OP2I_DEVICE] & OP2I_OWNED_ROWS;
  return there && (ends || !(values->fresh[place] & OP2I_OWNED_ROWS));
}

/* If the device lacks memory for the exchange, all rows go through the host. */
static void decide(struct op2i_exchange *x, enum op2i_place place, bool device, bool ends) {
  bool any = false;
  for (int i = 0; i < x->n; i++) {
    x->dats[ends][i] = (struct op2i_travelling){.there = device && is_there(x, i, place, ends)};
    any |= x->dats[ends][i].there;
  }
  if (any && x->bytes[ends] && op2i_exchange_have_there(x, ends))
    for (int i = 0; i < x->n; i++) x->dats[ends][i].there = false;
}

/* True if the exchange brings all rows of this rank's halo. */
static bool fills_halo(const struct op2i_stale *stale) {
  const struct op2_set_s *set = stale->dat->set;
  bool fills = true;
  for (int part = 0; part < OP2I_HALO_PARTS; part++)
    fills &= stale->parts >> part & 1 || set->ends[part + 2] == set->ends[part + 1];
  return fills;
}

/* If memory for some dats is missing, the exchange can still run, so that other ranks need not wait
 * in vain: the rows that it sends of these dats are undefined. */
op2_status op2i_exchange_bind(struct op2i_exchange *x, enum op2i_place place, bool device,
                              bool ends) {
  unsigned rows = ends ? OP2I_HALO_ROWS : OP2I_OWNED_ROWS;
  op2_status status = OP2_SUCCESS;
  x->with_device = device;
  decide(x, place, device, ends);
  for (int i = 0; i < x->n; i++) {
    struct op2i_travelling *dat = &x->dats[ends][i];
    op2_access access = !ends ? OP2_READ : fills_halo(&x->stale[i]) ? OP2_WRITE : OP2_RW;
    if (!status)
      status = op2i_buffer_at(&x->stale[i].dat->values, dat->there ? OP2I_DEVICE : place, access,
                              rows, &dat->values);
  }
  return status;
}

/* Copy rows between the host's values of dats and a leg's message. */
static void move_rows(const struct op2i_exchange *x, int leg, bool ends, unsigned char *message) {
  for (int i = 0; i < x->n; i++) {
    size_t bytes = x->stale[i].dat->row_bytes;
    const struct op2i_travelling *dat = &x->dats[ends][i];
    for (int part = 0; part < OP2I_HALO_PARTS; part++) {
      struct op2i_rows rows = op2i_exchange_rows(x, i, leg, part, ends);
      for (int64_t k = 0; dat->values && !dat->there && k < rows.n; k++) {
        char *value = (char *)dat->values + (size_t)rows.row[k] * bytes;
        unsigned char *row = message + (size_t)k * bytes;
        copy_row(ends ? (void *)value : row, ends ? (void *)row : value, bytes);
      }
      message += (size_t)rows.n * bytes;
    }
  }
}

void op2i_exchange_pack(const struct op2i_exchange *x, int leg) {
  move_rows(x, leg, false, x->legs[leg].memory[OP2I_OUT]);
}

void op2i_exchange_unpack(const struct op2i_exchange *x, int leg) {
  move_rows(x, leg, true, x->legs[leg].memory[OP2I_IN]);
}

static void count(const struct op2i_exchange *x) {
  x->comm->exchanges++;
  for (int l = 0; l < x->nlegs; l++) {
    struct op2i_sent *sent = &x->comm->sent[x->legs[l].sent];
    int64_t bytes = (int64_t)x->legs[l].bytes[OP2I_OUT];
    sent->messages += bytes > 0;
    sent->bytes += bytes;
    sent->received += x->legs[l].bytes[OP2I_IN] > 0;
    x->legs[l].number[OP2I_OUT] = sent->messages;
    x->legs[l].number[OP2I_IN] = sent->received;
    x->comm->messages += bytes > 0;
    x->comm->bytes += bytes;
  }
  for (int i = 0; i < x->n; i++) {
    x->stale[i].dat->nexchanges++;
    x->stale[i].dat->exchanged_bytes += x->outgoing[i];
  }
}

op2_status op2i_exchange_start(struct op2i_exchange *x) {
  x->begun = op2i_nanoseconds();
  op2_status status = op2i_comm_start(x->comm, x->nmessages, x->started);
  if (status) return status;
  x->in_flight = true;
  x->comm->flying++;
  count(x);
  return OP2_SUCCESS;
}

void op2i_exchange_waited(const struct op2i_exchange *x, int64_t since) {
  if (since < x->ended) x->comm->waited += x->ended - (since > x->begun ? since : x->begun);
}

op2_status op2i_exchange_over(struct op2i_exchange *x, bool wait, bool *over) {
  int64_t since = wait ? op2i_nanoseconds() : 0;
  *over = !x->in_flight;
  if (*over) return OP2_SUCCESS;
  op2_status status = op2i_comm_over(x->comm, x->nmessages, x->started, wait, over);
  if (status || !*over) return status;
  x->ended = op2i_nanoseconds();
  x->in_flight = false;
  x->comm->flying--;
  x->comm->transit_ns += x->ended - x->begun;
  if (x->stale->dat->obj.ctx->trace) op2i_exchange_trace(x);
  if (wait) op2i_exchange_waited(x, since);
  return OP2_SUCCESS;
}

op2_status op2i_exchange_waits(const struct op2i_exchange *x, struct op2i_wait *wait) {
  return op2i_comm_waits(x->comm, wait, x->nmessages, x->started);
}

bool op2i_exchange_in_flight(const struct op2i_exchange *x) { return x->in_flight; }

/* Rows on the device come first: one copy fills all messages, and the host's rows are then put in
 * between. Whatever failed, the messages are sent, since other ranks wait for them. */
op2_status op2i_exchange_begin(struct op2i_exchange *x) {
  op2i_exchange_choose(x);
  op2_status own = op2i_exchange_move_there(x, OP2I_OUT);
  for (int leg = 0; leg < x->nlegs; leg++) op2i_exchange_pack(x, leg);
  op2_status status = op2i_exchange_start(x);
  return status ? status : own;
}

op2_status op2i_exchange_end(struct op2i_exchange *x) {
  bool over;
  op2_status status = op2i_exchange_over(x, true, &over);
  if (!status) status = op2i_exchange_fetch(x);
  for (int leg = 0; leg < x->nlegs && !status; leg++) op2i_exchange_unpack(x, leg);
  return status ? status : op2i_exchange_move_there(x, OP2I_IN);
}

void op2i_exchange_freshens(const struct op2i_exchange *x) {
  for (int i = 0; i < x->n; i++) x->stale[i].dat->stale &= (unsigned char)~x->stale[i].parts;
}

/* ---- exchanges of one dat -------------------------------------------------------------------- */

unsigned op2i_dat_parts(const struct op2_dat_s *dat) {
  const struct op2i_halo *halo = dat->set->halo;
  unsigned parts = 0;
  for (int part = 0; halo && part < OP2I_HALO_PARTS; part++)
    if (halo->parts[part] > 0) parts |= 1u << part;
  return parts;
}

void op2i_dat_make_stale(op2_dat dat) { dat->stale = (unsigned char)op2i_dat_parts(dat); }

/* A rank that lacks memory for its part runs the exchange nevertheless, since other ranks wait for
 * it. */
static op2_status bring(struct op2i_exchange *exchange) {
  op2_status own = op2i_exchange_bind(exchange, OP2I_HOST, false, false);
  op2_status status = op2i_exchange_begin(exchange);
  if (!own) own = op2i_exchange_bind(exchange, OP2I_HOST, false, true);
  if (!status) status = op2i_exchange_end(exchange);
  op2i_exchange_freshens(exchange);
  return status ? status : own;
}

op2_status op2i_dat_freshen(op2_dat dat) {
  const struct op2i_stale stale = {dat, dat->stale};
  struct op2i_exchange *exchange;
  if (!dat->stale) return OP2_SUCCESS;
  op2_status own = op2i_exchange_make(1, &stale, &exchange);
  op2_status status = op2i_comm_agree(dat->obj.ctx->comm, own);
  if (!status) status = op2i_comm_agree(dat->obj.ctx->comm, bring(exchange));
  if (!own) op2i_exchange_free(exchange);
  if (status) op2i_dat_make_stale(dat);
  return status;
}
