/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_NUMBERING_H
#define OP2I_NUMBERING_H

#include "mesh.h"
#include "plan.h"

/* How many cache lines a loop through the map has brought to a cache, in multiples of those that
 * what it reaches takes: 1 in meshes in order, 2 to 3 where triangles were split and the new nodes
 * come last, 7 in random order. By a sample, for elements of 32 bytes, lines of 64 and a cache of
 * 4 MiB, or of a quarter of the target set: the same on every machine. Rows and targets are those
 * of new numbers, order[new] = old and inverse[old] = new, or with null of those they have. 1 where
 * there is nothing to count, or no memory to count in. */
double op2i_map_traffic(op2_map map, const int64_t *order, const int64_t *inverse);

/* Renumbering by a map that nobody has asked for waits until loops have led many rows through it:
 * first until the map is looked at, then until it pays. Where a map that a loop uses stands: */
enum op2i_numbering op2i_numbering_of(op2_map map);
/* A loop leads so many rows through it. True: its sets are to be renumbered. `put_off`: not yet, nor
 * is it looked at. */
bool op2i_numbering_lead(op2_map map, int64_t rows, bool put_off);
/* Whether anything is to come of further rows. */
bool op2i_numbering_waits(op2_map map);
/* Whether sets that are spread over ranks may be renumbered by the map: the same on all ranks. */
bool op2i_numbering_spread(op2_map map);
/* It waits for nothing any more. */
void op2i_numbering_settle(op2_map map);

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
