/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchanges of halo rows: packed for each neighbour, sent, received and put where they belong. */
#include "exchange.h"

#include <string.h>

#include "context.h"
#include "error.h"
#include "mem.h"

enum { TAG_ROWS = 1 };

/* What travels between this rank and one other. */
struct leg {
  int rank;
  struct op2i_message *out, *in; /* null: nothing goes that way */
  unsigned char *packed, *received;
};

struct op2i_exchange {
  struct op2i_comm *comm;
  int n, nlegs, nmessages;
  struct op2i_stale *stale;       /* [n] */
  struct leg *legs;               /* [nlegs], in the order of ranks */
  struct op2i_message **messages; /* [nmessages] of all legs */
  int64_t nsent, sent;            /* messages, and bytes in them, each time */
  unsigned char *memory;
};

/* ---- making ---------------------------------------------------------------------------------- */

static const struct op2i_neighbour *neighbour_of(const struct op2i_halo *halo, int rank) {
  for (int i = 0; halo && i < halo->n; i++)
    if (halo->neighbours[i].rank == rank) return &halo->neighbours[i];
  return NULL;
}

static size_t bytes_of(const struct op2i_stale *stale, int rank, bool out) {
  const struct op2i_neighbour *peer = neighbour_of(stale->dat->set->halo, rank);
  int64_t rows = 0;
  for (int part = 0; peer && part < OP2I_HALO_PARTS; part++)
    if (stale->parts >> part & 1) rows += out ? peer->out[part].n : peer->in[part].n;
  return (size_t)rows * stale->dat->row_bytes;
}

static size_t leg_bytes(const struct op2i_exchange *x, int rank, bool out) {
  size_t bytes = 0;
  for (int i = 0; i < x->n; i++) bytes += bytes_of(&x->stale[i], rank, out);
  return bytes;
}

static size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

static bool has_leg(const struct op2i_exchange *x, int rank) {
  for (int l = 0; l < x->nlegs; l++)
    if (x->legs[l].rank == rank) return true;
  return false;
}

static op2_status list_legs(struct op2i_exchange *x) {
  int most = 0;
  for (int i = 0; i < x->n; i++)
    if (x->stale[i].dat->set->halo) most += x->stale[i].dat->set->halo->n;
  x->legs = op2i_calloc((size_t)most, sizeof *x->legs);
  x->messages = op2i_calloc(2 * (size_t)most, sizeof(struct op2i_message *));
  if (!x->legs || !x->messages) return op2i_error_nomem("an exchange of halos");
  for (int i = 0; i < x->n; i++) {
    const struct op2i_halo *halo = x->stale[i].dat->set->halo;
    for (int k = 0; halo && k < halo->n; k++)
      if (!has_leg(x, halo->neighbours[k].rank))
        x->legs[x->nlegs++].rank = halo->neighbours[k].rank;
  }
  return OP2_SUCCESS;
}

static op2_status open_way(struct op2i_exchange *x, struct leg *leg, bool out, size_t bytes,
                           unsigned char *data) {
  const struct op2i_envelope envelope = {out, leg->rank, TAG_ROWS, data, bytes};
  struct op2i_message **message = out ? &leg->out : &leg->in;
  if (!bytes) return OP2_SUCCESS;
  op2_status status = x->comm->kind->open(x->comm, &envelope, message);
  if (status) return status;
  x->messages[x->nmessages++] = *message;
  x->nsent += out;
  x->sent += out ? (int64_t)bytes : 0;
  return OP2_SUCCESS;
}

static op2_status open_legs(struct op2i_exchange *x) {
  size_t bytes = 0, at = 0;
  op2_status status = OP2_SUCCESS;
  for (int l = 0; l < x->nlegs; l++)
    for (int out = 0; out < 2; out++) bytes += aligned(leg_bytes(x, x->legs[l].rank, out));
  x->memory = op2i_alloc_raw(bytes);
  if (!x->memory) return op2i_error_nomem("an exchange of halos");
  for (int l = 0; l < x->nlegs; l++)
    for (int out = 0; out < 2 && !status; out++) {
      size_t n = leg_bytes(x, x->legs[l].rank, out);
      *(out ? &x->legs[l].packed : &x->legs[l].received) = x->memory + at;
      status = open_way(x, &x->legs[l], out, n, x->memory + at);
      at += aligned(n);
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
  status = x->stale ? OP2_SUCCESS : op2i_error_nomem("an exchange of halos");
  if (!status) memcpy(x->stale, stale, (size_t)n * sizeof *x->stale);
  if (!status) status = list_legs(x);
  if (!status) status = open_legs(x);
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
  op2i_free(x->legs);
  op2i_free(x->stale);
  op2i_free_data(x->memory);
  op2i_free(x);
}

/* ---- running --------------------------------------------------------------------------------- */

static void pack(const struct op2i_stale *stale, int rank, const char *values,
                 unsigned char **packed) {
  const struct op2i_neighbour *peer = neighbour_of(stale->dat->set->halo, rank);
  size_t bytes = stale->dat->row_bytes;
  for (int part = 0; peer && part < OP2I_HALO_PARTS; part++) {
    const struct op2i_rows *rows = &peer->out[part];
    for (int64_t i = 0; i < rows->n && stale->parts >> part & 1; i++, *packed += bytes)
      memcpy(*packed, values + (size_t)rows->row[i] * bytes, bytes);
  }
}

static void unpack(const struct op2i_stale *stale, int rank, char *values,
                   unsigned char **received) {
  const struct op2i_neighbour *peer = neighbour_of(stale->dat->set->halo, rank);
  size_t bytes = stale->dat->row_bytes;
  for (int part = 0; peer && part < OP2I_HALO_PARTS; part++) {
    const struct op2i_rows *rows = &peer->in[part];
    for (int64_t i = 0; i < rows->n && stale->parts >> part & 1; i++, *received += bytes)
      memcpy(values + (size_t)rows->row[i] * bytes, *received, bytes);
  }
}

/* Where each leg's memory is filled up to, or read up to, goes from dat to dat. */
static op2_status pack_all(const struct op2i_exchange *x, unsigned char **at) {
  for (int l = 0; l < x->nlegs; l++) at[l] = x->legs[l].packed;
  for (int i = 0; i < x->n; i++) {
    void *values;
    op2_status status =
        op2i_buffer_at(&x->stale[i].dat->values, OP2I_HOST, OP2_READ, OP2I_OWNED_ROWS, &values);
    if (status) return status;
    for (int l = 0; l < x->nlegs; l++) pack(&x->stale[i], x->legs[l].rank, values, &at[l]);
  }
  return OP2_SUCCESS;
}

static op2_status unpack_all(const struct op2i_exchange *x, unsigned char **at) {
  for (int l = 0; l < x->nlegs; l++) at[l] = x->legs[l].received;
  for (int i = 0; i < x->n; i++) {
    void *values;
    op2_status status =
        op2i_buffer_at(&x->stale[i].dat->values, OP2I_HOST, OP2_RW, OP2I_HALO_ROWS, &values);
    if (status) return status;
    for (int l = 0; l < x->nlegs; l++) unpack(&x->stale[i], x->legs[l].rank, values, &at[l]);
    x->stale[i].dat->stale &= ~x->stale[i].parts;
  }
  return OP2_SUCCESS;
}

op2_status op2i_exchange_run(struct op2i_exchange *x) {
  unsigned char **at = op2i_malloc((size_t)x->nlegs * sizeof *at);
  bool over;
  if (!at) return op2i_error_nomem("an exchange of halos");
  op2_status status = pack_all(x, at);
  if (!status) status = x->comm->kind->start(x->comm, x->nmessages, x->messages);
  if (!status) status = x->comm->kind->over(x->comm, x->nmessages, x->messages, true, &over);
  if (!status) status = unpack_all(x, at);
  op2i_free(at);
  x->comm->exchanges++;
  x->comm->messages += x->nsent;
  x->comm->bytes += x->sent;
  return status;
}

/* ---- one dat --------------------------------------------------------------------------------- */

unsigned op2i_dat_parts(const struct op2_dat_s *dat) {
  const struct op2i_halo *halo = dat->set->halo;
  unsigned parts = 0;
  for (int part = 0; halo && part < OP2I_HALO_PARTS; part++)
    if (halo->parts[part] > 0) parts |= 1u << part;
  return parts;
}

void op2i_dat_make_stale(op2_dat dat) { dat->stale = (unsigned char)op2i_dat_parts(dat); }

op2_status op2i_dat_freshen(op2_dat dat) {
  const struct op2i_stale stale = {dat, dat->stale};
  struct op2i_exchange *exchange;
  if (!dat->stale) return OP2_SUCCESS;
  op2_status status = op2i_exchange_make(1, &stale, &exchange);
  if (status) return status;
  status = op2i_exchange_run(exchange);
  op2i_exchange_free(exchange);
  return status;
}
