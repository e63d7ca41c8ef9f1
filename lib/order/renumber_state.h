/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_RENUMBER_STATE_H
#define OP2I_RENUMBER_STATE_H

/* The state of automatic renumbering, which a program that goes on from a checkpoint gets back. */

#include "mesh.h"

/* A set and the numbers that its elements are to have: number[total], the user's number of each
 * element in the library's order, or null to leave them; and whether a loop keeps its order. */
struct op2i_set_order {
  op2_set set;
  const int64_t *number;
  bool automatic, keeps;
};
/* Run what is queued, and number n sets so. A set that is to keep its order and was renumbered
 * automatically gets the program's order. On failure some sets may have been renumbered, which
 * changes no value. Collective. */
op2_status op2i_renumber_restore(op2_context ctx, int n, const struct op2i_set_order *orders);

/* The state in which a map waits for automatic renumbering. */
struct op2i_map_wait {
  int numbering; /* enum op2i_numbering */
  int64_t rows;
  bool modified;
  int32_t colors, blocks;
};
/* False if it is no such state. */
bool op2i_numbering_restore(op2_map map, const struct op2i_map_wait *wait);

#endif
