/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_NUMBERING_H
#define OP2I_NUMBERING_H

#include "mesh.h"
#include "plan.h"

/* Fill in map->scatter and map->span. Takes as long for a large map as for one of some thousand
 * rows. */
void op2i_map_measure(op2_map map);

/* Whether a measured map costs much more than it would after op2_renumber(). Neither ever holds of
 * small sets, of sets that have been renumbered, and of maps that op2_renumber() does not take.
 *
 * Scattered: nearly each access meets another part of memory. */
bool op2i_map_scattered(op2_map map);
/* Crowded: the blocks of this plan, which modify something through the map, have so many colours
 * that few can run at the same time; and the reason is the numbering, not targets that so many
 * blocks share in any numbering. */
bool op2i_map_crowds(op2_map map, const struct op2i_plan *plan, const int64_t *subset);

#endif
