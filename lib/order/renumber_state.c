/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets get the numbering that they had when a checkpoint was written, and maps the state in which
 * they waited for automatic renumbering: later loops then add in the same order as they would have
 * without the interruption. */
#include "renumber_state.h"

#include "context.h"
#include "error.h"
#include "mem.h"
#include "renumber.h"

/* Fill in the order that leads from the present numbering to the given one. The user's number of
 * each element is known, so `place` holds where each of them is now. */
static void find_order(struct op2i_renumber *r, const int64_t *number, int64_t *place) {
  const int64_t total = r->set->ends[OP2I_NONEXEC];
  for (int64_t i = 0; i < total; i++) place[op2i_set_place(r->set, i)] = i;
  for (int64_t i = 0; i < total; i++) {
    r->order[i] = place[number[i]];
    r->inverse[place[number[i]]] = i;
  }
}

static op2_status number_set(op2_set set, const int64_t *number) {
  const size_t bytes = (size_t)set->ends[OP2I_NONEXEC] * sizeof(int64_t);
  int64_t *place = op2i_malloc(bytes);
  struct op2i_renumber r = {.set = set, .order = op2i_malloc(bytes), .inverse = op2i_malloc(bytes)};
  op2_status status = place && r.order && r.inverse ? OP2_SUCCESS : op2i_error_nomem("a numbering");
  status = op2i_context_agree(set->obj.ctx, status);
  if (!status) find_order(&r, number, place);
  if (!status) status = op2i_renumber_apply(1, &r);
  op2i_free(place);
  op2i_free(r.order);
  op2i_free(r.inverse);
  return status;
}

static op2_status restore_set(const struct op2i_set_order *order) {
  op2_set set = order->set;
  op2_status status = OP2_SUCCESS;
  if (order->number) {
    status = number_set(set, order->number);
    if (!status) set->auto_renumbered = order->automatic;
  } else if (order->keeps && set->auto_renumbered) {
    status = op2i_renumber_back(set);
  }
  if (!status && order->keeps) set->keeps_order = true;
  return status;
}

op2_status op2i_renumber_restore(op2_context ctx, int n, const struct op2i_set_order *orders) {
  op2_status status = op2i_scheduler.flush(ctx->sched, "op2_checkpoint_read");
  for (int i = 0; i < n && !status; i++) status = restore_set(&orders[i]);
  if (n == 0) return status;
  op2i_scheduler.forget(ctx->sched, NULL);
  op2i_loops_drop_plans(ctx);
  return status;
}

bool op2i_numbering_restore(op2_map map, const struct op2i_map_wait *wait) {
  if (wait->numbering < OP2I_NUMBERING_NEW || wait->numbering > OP2I_NUMBERING_DONE) return false;
  map->numbering = (enum op2i_numbering)wait->numbering;
  map->rows_to_wait = wait->rows;
  map->modified = wait->modified;
  map->crowd_colors = wait->colors;
  map->crowd_blocks = wait->blocks;
  return true;
}
