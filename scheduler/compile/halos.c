/* SPDX-License-Identifier: BSD-3-Clause */
/* Placing halo exchanges: an exchange ends before a group reads rows of other ranks that are
 * stale by then, and begins when their owners have their final values. It includes rows that
 * later groups will need and that are not modified before, so that as few messages as possible
 * are sent. All of this follows from the calls and from what was stale at the beginning, so it is
 * the same on all ranks. */
#include <string.h>

#include "call.h"
#include "context.h"
#include "error.h"
#include "halos.h"
#include "mem.h"
#include "passes.h"

/* ---- halo parts that an operation reads and makes stale -------------------------------------- */

/* True if an earlier member of a fused loop overwrites the elements' own rows of the dat,
 * including the exec halo. */
static bool overwritten_before(const struct op2i_loop *loop, int a) {
  int first = op2i_loop_member(loop, op2i_loop_member_of(loop, a)).first_arg;
  for (int b = 0; b < first; b++)
    if (loop->args[b].dat == loop->args[a].dat && loop->args[b].map < 0 &&
        op2i_overwrites(loop->args[b].access))
      return true;
  return false;
}

/* The parts of the halo that a loop reads: through maps any of it, directly the part that
 * the loop runs over. */
static unsigned loop_needs(const struct op2i_loop *loop, int d) {
  unsigned parts = 0;
  for (int a = 0; a < loop->nargs; a++) {
    const struct op2i_loop_arg *arg = &loop->args[a];
    if (arg->dat != d || !op2i_reads(arg->access)) continue;
    if (arg->map >= 0)
      parts |= OP2I_EVERY_PART;
    else if (op2i_loop_runs_over(loop, OP2I_EXEC) && !overwritten_before(loop, a))
      parts |= 1u << OP2I_HALO_EXEC;
  }
  return parts;
}

/* The parts of the halo that an operation reads. The user's functions read all rows, those of the
 * library its own. */
static unsigned needs(struct op2i_op *op, int d) {
  const struct op2i_loop *loop = op2i_op_loop(op);
  unsigned parts = loop                                 ? loop_needs(loop, d)
                   : op->kind->queues                   ? 0
                   : op2i_call_is_own(op)               ? 0
                   : op2i_overwrites(op->dat_access[d]) ? 0
                                                        : OP2I_EVERY_PART;
  return parts & op2i_dat_parts(op->dats[d]);
}

void op2i_op_makes_stale(const struct op2i_op *op) {
  for (int d = 0; d < op->ndats; d++)
    if (op2i_modifies(op->dat_access[d])) op2i_dat_make_stale(op->dats[d]);
}

/* ---- the pass -------------------------------------------------------------------------------- */

/* The pass keeps this of each dat. */
struct dat_state {
  unsigned char stale; /* parts that are stale at the point that the pass has reached */
  int64_t modified;    /* number of the exchange since whose place the dat was modified */
};

struct pass {
  struct dat_state *dats; /* indexed by the dats' slots */
  const struct op2i_grouping *grouping;
  struct op2i_node *const *nodes;
  const struct op2i_config *config;
  struct op2i_placed *placed;
  int64_t nplaced, placed_capacity;
  int64_t exchange;         /* number of the exchange that is being made */
  struct op2i_stale *stale; /* what that exchange brings */
  int64_t n, capacity;
};

static struct op2i_op *op_of(const struct pass *pass, int64_t g) {
  const struct op2i_group *group = &pass->grouping->groups[g];
  return group->loop ? &group->loop->op : pass->nodes[pass->grouping->nodes[group->first]]->op;
}

static struct dat_state *state_of(const struct pass *pass, op2_dat dat) {
  return &pass->dats[dat->res.slot];
}

static op2_status add(struct pass *pass, op2_dat dat, unsigned parts) {
  for (int64_t i = 0; i < pass->n; i++)
    if (pass->stale[i].dat == dat) {
      pass->stale[i].parts |= parts;
      return OP2_SUCCESS;
    }
  if (op2i_grow(&pass->stale, sizeof *pass->stale, pass->n, &pass->capacity))
    return op2i_error_nomem("exchanges of halos");
  pass->stale[pass->n++] = (struct op2i_stale){dat, parts};
  return OP2_SUCCESS;
}

/* Add what group g needs that is stale where the exchange is placed. */
static op2_status add_stale(struct pass *pass, int64_t g) {
  struct op2i_op *op = op_of(pass, g);
  op2_status status = OP2_SUCCESS;
  for (int d = 0; d < op->ndats && !status; d++) {
    const struct dat_state *state = state_of(pass, op->dats[d]);
    unsigned parts = needs(op, d) & state->stale;
    if (parts && state->modified != pass->exchange) status = add(pass, op->dats[d], parts);
  }
  for (int d = 0; d < op->ndats; d++)
    if (op2i_modifies(op->dat_access[d])) state_of(pass, op->dats[d])->modified = pass->exchange;
  return status;
}

static bool wants(const struct pass *pass, int64_t g) {
  struct op2i_op *op = op_of(pass, g);
  bool any = false;
  for (int d = 0; d < op->ndats; d++)
    any |= (needs(op, d) & state_of(pass, op->dats[d])->stale) != 0;
  return any;
}

static bool modifies_any(const struct op2i_op *op, const struct op2i_stale *stale, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    for (int d = 0; d < op->ndats; d++)
      if (op->dats[d] == stale[i].dat && op2i_modifies(op->dat_access[d])) return true;
  return false;
}

/* The first group at which all rows to be sent have their final values. */
static int64_t earliest(const struct pass *pass, const struct op2i_stale *stale, int64_t n,
                        int64_t g) {
  while (pass->config->overlap && g > 0 && !modifies_any(op_of(pass, g - 1), stale, n)) g--;
  return g;
}

static op2_status place_exchange(struct pass *pass, const struct op2i_stale *stale, int64_t n,
                                 int64_t g) {
  struct op2i_exchange *exchange;
  if (op2i_grow(&pass->placed, sizeof *pass->placed, pass->nplaced, &pass->placed_capacity))
    return op2i_error_nomem("exchanges of halos");
  op2_status status = op2i_exchange_make((int)n, stale, &exchange);
  if (status) return status;
  pass->placed[pass->nplaced++] =
      (struct op2i_placed){exchange, .begin = earliest(pass, stale, n, g), .end = g};
  return OP2_SUCCESS;
}

/* Place an exchange before group g. If merging is enabled it includes what later groups need;
 * otherwise each dat has its own exchange, for this group only. */
static op2_status place_before(struct pass *pass, int64_t g) {
  bool merge = pass->config->merge;
  int64_t last = merge ? pass->grouping->ngroups : g + 1;
  op2_status status = OP2_SUCCESS;
  pass->n = 0;
  pass->exchange++;
  for (int64_t h = g; h < last && !status; h++) status = add_stale(pass, h);
  if (!status && merge) status = place_exchange(pass, pass->stale, pass->n, g);
  for (int64_t i = 0; i < pass->n && !status; i++) {
    if (!merge) status = place_exchange(pass, &pass->stale[i], 1, g);
    state_of(pass, pass->stale[i].dat)->stale &= (unsigned char)~pass->stale[i].parts;
  }
  return status;
}

static void leave(const struct pass *pass, int64_t g) {
  const struct op2i_op *op = op_of(pass, g);
  for (int d = 0; d < op->ndats; d++)
    if (op2i_modifies(op->dat_access[d]))
      state_of(pass, op->dats[d])->stale = (unsigned char)op2i_dat_parts(op->dats[d]);
}

op2_status op2i_place_exchanges(struct op2i_node *const *nodes,
                                const struct op2i_grouping *grouping, struct op2i_placed **placed,
                                int64_t *nplaced) {
  op2_context ctx = nodes[0]->op->ctx;
  struct pass pass = {.grouping = grouping, .nodes = nodes, .config = &ctx->config};
  op2_status status = OP2_SUCCESS;
  pass.dats = op2i_calloc((size_t)ctx->slots.n + 1, sizeof *pass.dats);
  if (!pass.dats) return op2i_error_nomem("exchanges of halos");
  for (int64_t i = 0; i < grouping->n; i++)
    for (int d = 0; d < nodes[i]->op->ndats; d++)
      state_of(&pass, nodes[i]->op->dats[d])->stale = nodes[i]->op->dats[d]->stale;
  for (int64_t g = 0; g < grouping->ngroups && !status; g++) {
    if (wants(&pass, g)) status = place_before(&pass, g);
    leave(&pass, g);
  }
  op2i_free(pass.dats);
  op2i_free(pass.stale);
  *placed = pass.placed;
  *nplaced = pass.nplaced;
  return status;
}
