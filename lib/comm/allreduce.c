/* SPDX-License-Identifier: BSD-3-Clause */
/* Allreduces in flight. Ranks form blocks of 1, 2, 4, ... by number, of which the last may be
 * shorter. On each level the ranks of two neighbouring blocks, which all know the value of their
 * own block, get that of the other: rank i of one block and rank i of the other send theirs to each
 * other. If the second block is the shorter one, ranks of the first that have no partner get the
 * value from within their block, whose holders double in number each time. Values are combined in
 * the order of the ranks, so the result is that of the tree of op2i_comm_combine(). */
#include "allreduce.h"

#include <stdio.h>
#include <string.h>

#include "comm_pass.h"
#include "error.h"
#include "mem.h"
#include "watch.h"

/* LEVELS bounds the number of levels, and that of ranks to which one passes a value on. It does so
 * on one level at most, since only the last block is short. */
enum { LEVELS = 31, WIRES = 3 * LEVELS, NONE = -1 };

/* Numbers of wires, which are messages to or from one rank. */
struct level {
  int in, out;        /* NONE: this rank has no partner to send to */
  int first, npassed; /* wires to ranks to which the other block's value is passed on */
  bool second;        /* true if the own block is the second of the two */
};

struct wire {
  struct op2i_message *message;
  struct op2i_piece piece;
};

struct op2i_allreduce_slot {
  struct op2i_allreduce *owner; /* null: none is in flight */
  int level;
  bool sent; /* true if the level's own value was sent */
  struct op2i_piece stamp;
  struct wire *wires; /* [nwires] */
};

struct op2i_allreduces {
  int nlevels, nwires;
  struct level levels[LEVELS];
  int peer[WIRES];
  bool sends[WIRES];
  int64_t begun;
  bool broken;
  char reason[512]; /* why; empty: one was forgotten */
  struct op2i_allreduce_slot slots[OP2I_ALLREDUCE_COUNT];
  struct wire wires[]; /* of all slots */
};

/* ---- the pattern of messages ----------------------------------------------------------------- */

static int add_wire(struct op2i_allreduces *all, int peer, bool sends) {
  all->peer[all->nwires] = peer;
  all->sends[all->nwires] = sends;
  return all->nwires++;
}

/* Rank `i` of a first block of `size` ranks passes the value on that `held` ranks get directly. */
static void pass_on(struct op2i_allreduces *all, struct level *level, int rank, int i, int held,
                    int size) {
  level->first = all->nwires;
  for (int64_t reach = held; reach < size; reach *= 2)
    if (i < reach && i + reach < size) add_wire(all, rank + (int)reach, true);
  level->npassed = all->nwires - level->first;
}

static void add_level(struct op2i_allreduces *all, const struct op2i_comm *comm, int size) {
  const int rank = comm->rank, own = rank & ~(size - 1), other = own ^ size, i = rank - own;
  struct level level = {.out = NONE, .second = other < own};
  if (other >= comm->size) return;
  int held = level.second || comm->size - other > size ? size : comm->size - other;
  int64_t reach = held;
  while (2 * reach <= i) reach *= 2;
  level.in = add_wire(all, i < held ? other + i : rank - (int)reach, false);
  if (i < held) level.out = add_wire(all, other + i, true);
  pass_on(all, &level, rank, i, held, size);
  all->levels[all->nlevels++] = level;
}

/* ---- opening --------------------------------------------------------------------------------- */

static op2_status open_wires(struct op2i_comm *comm, struct op2i_allreduces *all, int s) {
  struct op2i_allreduce_slot *slot = &all->slots[s];
  op2_status status = OP2_SUCCESS;
  slot->wires = all->wires + (size_t)s * (size_t)all->nwires;
  for (int w = 0; w < all->nwires && !status; w++) {
    struct wire *wire = &slot->wires[w];
    const struct op2i_envelope envelope = {all->sends[w], all->peer[w], OP2I_TAG_ALLREDUCE + s,
                                           &wire->piece, sizeof wire->piece};
    status = comm->kind->open(comm, &envelope, &wire->message);
  }
  return status;
}

op2_status op2i_allreduce_open(struct op2i_comm *comm) {
  struct op2i_allreduces pattern = {0};
  if (comm->allreduces || comm->size == 1) return OP2_SUCCESS;
  for (int64_t size = 1; size < comm->size; size *= 2) add_level(&pattern, comm, (int)size);
  const size_t wires = OP2I_ALLREDUCE_COUNT * (size_t)pattern.nwires;
  struct op2i_allreduces *all = op2i_calloc(1, sizeof *all + wires * sizeof(struct wire));
  if (!all) return op2i_error_nomem("a communicator");
  memcpy(all, &pattern, sizeof pattern);
  comm->allreduces = all;
  op2_status status = OP2_SUCCESS;
  for (int s = 0; s < OP2I_ALLREDUCE_COUNT && !status; s++) status = open_wires(comm, all, s);
  if (status) op2i_allreduces_free(comm);
  return status;
}

void op2i_allreduces_free(struct op2i_comm *comm) {
  struct op2i_allreduces *all = comm->allreduces;
  for (int w = 0; all && w < OP2I_ALLREDUCE_COUNT * all->nwires; w++)
    if (all->wires[w].message) comm->kind->close(all->wires[w].message);
  op2i_free(all);
  comm->allreduces = NULL;
}

/* ---- in flight ------------------------------------------------------------------------------- */

static op2_status send(struct op2i_comm *comm, struct op2i_allreduce_slot *slot, int w,
                       const void *data) {
  struct wire *wire = &slot->wires[w];
  wire->piece = slot->stamp;
  memcpy(wire->piece.data, data, (size_t)slot->stamp.bytes);
  return op2i_comm_start(comm, 1, &wire->message);
}

/* Combine the other block's value, which has arrived, with that of the own block. */
static op2_status combine(struct op2i_comm *comm, struct op2i_allreduce_slot *slot) {
  _Alignas(64) unsigned char value[OP2I_ALLREDUCE_BYTES];
  const struct level *level = &comm->allreduces->levels[slot->level];
  const struct wire *in = &slot->wires[level->in];
  struct op2i_allreduce *r = slot->owner;
  op2_status status =
      op2i_piece_compare(comm, comm->allreduces->peer[level->in], &in->piece, &slot->stamp);
  for (int w = level->first; w < level->first + level->npassed && !status; w++)
    status = send(comm, slot, w, in->piece.data);
  if (status) return status;
  memcpy(value, in->piece.data, r->bytes);
  if (level->second) {
    r->combine(value, r->data, r->closure);
    memcpy(r->data, value, r->bytes);
  } else {
    r->combine(r->data, value, r->closure);
  }
  return OP2_SUCCESS;
}

/* The messages of an allreduce that is over on one rank have arrived on all, or soon will. */
static void finish(struct op2i_comm *comm, struct op2i_allreduce_slot *slot) {
  slot->owner->over = true;
  slot->owner->slot = NULL;
  slot->owner = NULL;
  comm->flying--;
}

/* Go on as far as messages have arrived. */
static op2_status advance(struct op2i_comm *comm, struct op2i_allreduce_slot *slot) {
  const struct op2i_allreduces *all = comm->allreduces;
  op2_status status = OP2_SUCCESS;
  while (slot->level < all->nlevels && !status) {
    const struct level *level = &all->levels[slot->level];
    bool over;
    if (!slot->sent && level->out != NONE) status = send(comm, slot, level->out, slot->owner->data);
    slot->sent = true;
    if (!status) status = op2i_comm_over(comm, 1, &slot->wires[level->in].message, false, &over);
    if (status || !over) return status;
    status = combine(comm, slot);
    slot->level++;
    slot->sent = false;
  }
  if (!status) finish(comm, slot);
  return status;
}

static op2_status broken(const struct op2i_allreduces *all) {
  return op2i_error(OP2_ERR_FATAL, "%s", *all->reason ? all->reason : "a reduction was given up");
}

bool op2i_allreduces_in_flight(const struct op2i_comm *comm) {
  const struct op2i_allreduces *all = comm->allreduces;
  bool any = false;
  for (int s = 0; all && !all->broken && s < OP2I_ALLREDUCE_COUNT; s++)
    any = any || all->slots[s].owner;
  return any;
}

/* Note a failure, since messages report theirs only once. */
static op2_status note(struct op2i_allreduces *all, op2_status status) {
  if (!status) return status;
  all->broken = true;
  snprintf(all->reason, sizeof all->reason, "%.500s", op2_error_message());
  return status;
}

op2_status op2i_allreduces_advance(struct op2i_comm *comm) {
  struct op2i_allreduces *all = comm->allreduces;
  op2_status status = OP2_SUCCESS;
  if (!all || comm->watch.ended) return OP2_SUCCESS;
  if (all->broken) return broken(all);
  for (int s = 0; s < OP2I_ALLREDUCE_COUNT && !status; s++) {
    struct op2i_allreduce_slot *slot = &all->slots[(all->begun + s) % OP2I_ALLREDUCE_COUNT];
    if (slot->owner) status = note(all, advance(comm, slot));
  }
  return status;
}

/* ---- beginning and waiting ------------------------------------------------------------------- */

/* Wait until the slot's former allreduce is over and its messages may be started again. */
static op2_status have_slot(struct op2i_comm *comm, struct op2i_allreduce_slot *slot) {
  const struct op2i_allreduces *all = comm->allreduces;
  bool over = true;
  op2_status status = slot->owner ? op2i_allreduce_over(slot->owner, true, &over) : OP2_SUCCESS;
  for (int w = 0; w < all->nwires && !status && all->begun >= OP2I_ALLREDUCE_COUNT; w++)
    if (all->sends[w]) status = op2i_comm_over(comm, 1, &slot->wires[w].message, true, &over);
  return status;
}

static op2_status start_receives(struct op2i_comm *comm, struct op2i_allreduce_slot *slot) {
  struct op2i_message *messages[LEVELS];
  int n = comm->allreduces->nlevels;
  for (int l = 0; l < n; l++) messages[l] = slot->wires[comm->allreduces->levels[l].in].message;
  return op2i_comm_start(comm, n, messages);
}

op2_status op2i_allreduce_begin(struct op2i_comm *comm, void *data, size_t bytes,
                                op2i_combine *combine_, void *closure, struct op2i_allreduce *r) {
  *r = (struct op2i_allreduce){.comm = comm,
                               .data = data,
                               .bytes = bytes,
                               .combine = combine_,
                               .closure = closure,
                               .over = comm->size == 1};
  if (r->over) return OP2_SUCCESS;
  op2_status status = op2i_allreduce_open(comm);
  if (status) op2i_comm_abandon(comm, op2_error_message());
  if (status) return status;
  struct op2i_allreduces *all = comm->allreduces;
  if (all->broken) return broken(all);
  struct op2i_allreduce_slot *slot = &all->slots[all->begun % OP2I_ALLREDUCE_COUNT];
  status = have_slot(comm, slot);
  if (status) return note(all, status);
  all->begun++;
  r->slot = slot;
  slot->owner = r;
  slot->level = 0;
  slot->sent = false;
  slot->stamp = (struct op2i_piece){.bytes = (int64_t)bytes};
  op2i_piece_stamp(comm, &slot->stamp);
  comm->flying++;
  status = start_receives(comm, slot);
  return note(all, status ? status : advance(comm, slot));
}

op2_status op2i_allreduce_over(struct op2i_allreduce *r, bool wait, bool *over) {
  op2_status status = OP2_SUCCESS;
  while (!r->over && !status) {
    struct op2i_allreduces *all = r->comm->allreduces;
    status = r->comm->watch.ended ? op2i_comm_end(r->comm, "") : op2i_allreduces_advance(r->comm);
    if (r->over || status || !wait) break;
    const int in = all->levels[r->slot->level].in;
    status = note(all, op2i_comm_over(r->comm, 1, &r->slot->wires[in].message, true, over));
  }
  *over = r->over;
  return status;
}

op2_status op2i_allreduce_waits(const struct op2i_allreduce *r, struct op2i_wait *wait) {
  if (r->over) return OP2_SUCCESS;
  const int in = r->comm->allreduces->levels[r->slot->level].in;
  return op2i_comm_waits(r->comm, wait, 1, &r->slot->wires[in].message);
}

void op2i_allreduce_forget(struct op2i_allreduce *r) {
  if (!r->slot || r->over) return;
  r->comm->allreduces->broken = true;
  finish(r->comm, r->slot);
}
