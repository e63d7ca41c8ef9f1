/* SPDX-License-Identifier: BSD-3-Clause */
/* The pairs of tiles between which a verification requires paths, and the search for these
 * paths. */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "mem.h"
#include "tile_verify.h"

enum { TABLE_AT_FIRST = 256 };

#define NOMEM() op2i_error_nomem("the verification of tiles")

op2_status op2i_tile_needs_open(struct op2i_tile_needs *needs) {
  *needs = (struct op2i_tile_needs){.table_size = TABLE_AT_FIRST};
  needs->table = op2i_calloc(TABLE_AT_FIRST, sizeof *needs->table);
  return needs->table ? OP2_SUCCESS : NOMEM();
}

void op2i_tile_needs_close(struct op2i_tile_needs *needs) {
  op2i_free(needs->needs);
  op2i_free(needs->table);
}

static int64_t *table_entry(const struct op2i_tile_needs *needs, int32_t from, int32_t to) {
  uint64_t hash = ((uint64_t)(uint32_t)from * 0x9e3779b1u) ^ ((uint64_t)(uint32_t)to * 0x85ebca77u);
  for (int64_t at = (int64_t)((hash ^ hash >> 15) % (uint64_t)needs->table_size);;
       at = (at + 1) % needs->table_size) {
    int64_t number = needs->table[at];
    if (number == 0 || (needs->needs[number - 1].from == from && needs->needs[number - 1].to == to))
      return &needs->table[at];
  }
}

static op2_status double_table(struct op2i_tile_needs *needs) {
  int64_t *table = op2i_calloc((size_t)(2 * needs->table_size), sizeof *table);
  if (!table) return NOMEM();
  op2i_free(needs->table);
  needs->table = table;
  needs->table_size *= 2;
  for (int64_t k = 0; k < needs->count; k++)
    *table_entry(needs, needs->needs[k].from, needs->needs[k].to) = k + 1;
  return OP2_SUCCESS;
}

op2_status op2i_tile_needs_add(struct op2i_tile_needs *needs, const struct op2i_tile_need *need) {
  int64_t *entry = table_entry(needs, need->from, need->to);
  if (*entry) return OP2_SUCCESS;
  if (op2i_grow(&needs->needs, sizeof *needs->needs, needs->count, &needs->capacity))
    return NOMEM();
  needs->needs[needs->count++] = *need;
  *entry = needs->count;
  return 3 * needs->count > 2 * needs->table_size ? double_table(needs) : OP2_SUCCESS;
}

static int by_target(const void *a, const void *b) {
  const struct op2i_tile_need *x = a, *y = b;
  if (x->to != y->to) return x->to < y->to ? -1 : 1;
  return (x->from > y->from) - (x->from < y->from);
}

/* Mark all tiles from `lowest` on for which tile t waits, with t itself as the mark. */
static void mark_ancestors(const struct op2i_tile_plan *plan, int32_t t, int32_t lowest,
                           int32_t *mark, int32_t *stack) {
  int64_t depth = 0;
  stack[depth++] = t;
  mark[t] = t;
  while (depth > 0) {
    int32_t at = stack[--depth];
    for (int64_t i = plan->pred_offs[at]; i < plan->pred_offs[at + 1]; i++) {
      int32_t pred = plan->preds[i];
      if (pred < lowest || mark[pred] == t) continue;
      mark[pred] = t;
      stack[depth++] = pred;
    }
  }
}

op2_status op2i_tile_needs_verify(struct op2i_tile_needs *needs,
                                  const struct op2i_tile_plan *plan) {
  op2_status status = OP2_SUCCESS;
  int32_t *mark = op2i_malloc((size_t)plan->ntiles * sizeof *mark);
  int32_t *stack = op2i_malloc((size_t)plan->ntiles * sizeof *stack);
  if (!mark || !stack) OP2I_TRY(NOMEM());
  for (int32_t t = 0; t < plan->ntiles; t++) mark[t] = -1;
  if (needs->count > 0) qsort(needs->needs, (size_t)needs->count, sizeof *needs->needs, by_target);
  for (int64_t k = 0; k < needs->count; k++) {
    const struct op2i_tile_need *need = &needs->needs[k];
    if (k == 0 || need->to != need[-1].to) mark_ancestors(plan, need->to, need->from, mark, stack);
    if (mark[need->from] != need->to)
      OP2I_TRY(op2i_error(
          OP2_ERR_STATE,
          "tiles: tile %" PRId32 " has no path from tile %" PRId32 ", but iteration %" PRId64
          " of loop %" PRId32 " touches element %" PRId64 " of dat %" PRId32 " in conflict",
          need->to, need->from, need->iteration, need->loop, need->element, need->dat));
  }

fail:
  op2i_free(mark);
  op2i_free(stack);
  return status;
}
