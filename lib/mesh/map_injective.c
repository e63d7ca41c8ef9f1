/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests whether a map leads to each target at most once. Loops that write through such a map need
 * neither colours nor an order, and may take several elements at a time. */
#include "comm.h"
#include "context.h"
#include "error.h"
#include "map.h"
#include "mem.h"
#include "mesh.h"
#include "op2/loop.h"

enum { WORD = 64 };

uint64_t op2i_map_slots(const struct op2_map_s *map, int32_t slot) {
  if (map->arity > WORD) return UINT64_MAX;
  return slot == OP2_ALL ? UINT64_MAX >> (WORD - map->arity) : UINT64_C(1) << slot;
}

static bool holds_slot(uint64_t slots, int32_t slot) { return slots >> slot % WORD & 1; }

/* True if no target occurs twice; met[] has a bit for each target that has occurred. */
static bool all_new(const struct op2_map_s *map, uint64_t slots, uint64_t *met) {
  for (int64_t row = 0; row < map->from->ends[OP2I_EXEC]; row++)
    for (int32_t slot = 0; slot < map->arity; slot++) {
      if (!holds_slot(slots, slot)) continue;
      int32_t target = map->idx[row * map->arity + slot];
      uint64_t bit = UINT64_C(1) << target % WORD;
      if (met[target / WORD] & bit) return false;
      met[target / WORD] |= bit;
    }
  return true;
}

/* Entries are counted first: most maps have more entries than targets. */
static op2_status find_injective(const struct op2_map_s *map, uint64_t slots, bool *holds) {
  int64_t targets = map->to->ends[OP2I_NONEXEC], entries = 0;
  for (int32_t slot = 0; slot < map->arity; slot++)
    entries += holds_slot(slots, slot) ? map->from->ends[OP2I_EXEC] : 0;
  *holds = entries <= targets;
  if (!*holds || !entries) return OP2_SUCCESS;
  uint64_t *met = op2i_alloc_data((size_t)(targets / WORD + 1) * sizeof *met);
  if (!met) return op2i_error_nomem("the targets of a map");
  *holds = all_new(map, slots, met);
  op2i_free_data(met);
  return OP2_SUCCESS;
}

/* All ranks take the same result, since a loop's code depends on it and has to be the same on all
 * of them. */
static op2_status look_together(const struct op2_map_s *map, uint64_t slots, bool *holds) {
  struct op2i_comm *comm = map->obj.ctx->comm;
  op2_status status = find_injective(map, slots, holds);
  if (!comm) return status;
  op2i_context_call(map->obj.ctx, "elements that meet", map->obj.name,
                    op2i_object_digest(slots, map), 0);
  int64_t all = *holds;
  status = op2i_comm_agree(comm, status);
  if (!status) status = op2i_comm_least(comm, 1, &all);
  *holds = all;
  return status;
}

op2_status op2i_map_injective(op2_map map, uint64_t slots, bool *holds) {
  for (int64_t i = 0; i < map->ninjective; i++)
    if (map->injective[i].slots == slots) {
      *holds = map->injective[i].holds;
      return OP2_SUCCESS;
    }
  if (op2i_grow(&map->injective, sizeof *map->injective, map->ninjective, &map->injective_capacity))
    return op2i_error_nomem("the targets of a map");
  op2_status status = look_together(map, slots, holds);
  if (!status) map->injective[map->ninjective++] = (struct op2i_injective){slots, *holds};
  return status;
}
