/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_NUMBERING_H
#define OP2I_NUMBERING_H

#include "mesh.h"
#include "plan.h"

/* The number of cache lines that a loop through the map loads, relative to the number of lines that
 * its targets occupy: 1 in meshes in good order, 2 to 3 where triangles were split and the new
 * nodes come last, 7 in random order. It is estimated on a sample, for elements of 32 bytes, lines
 * of 64 and a cache of 4 MiB, or of a quarter of the target set, and is therefore the same on every
 * machine. The sets have the new numbering order[new] = old and inverse[old] = new, or with null
 * their present one. The result is 1 if there is nothing to count, or no memory for it. */
double op2i_map_traffic(op2_map map, const int64_t *order, const int64_t *inverse);

/* Automatic renumbering by a map waits until loops have led a certain number of rows through it:
 * first until the map is measured, then until renumbering pays. Returns the state of a map that a
 * loop uses. */
enum op2i_numbering op2i_numbering_of(op2_map map);
/* The use of a map by a loop. */
struct op2i_map_use {
  int64_t rows;  /* rows that it leads through the map */
  bool modifies; /* a dat is modified through the map */
};
enum op2i_numbering_due {
  OP2I_NUMBERING_DUE_NOTHING,
  OP2I_NUMBERING_DUE_MEASURE, /* op2i_numbering_measure() is to be called */
  OP2I_NUMBERING_DUE_RENUMBER /* its sets are to be renumbered */
};
/* Count a loop that uses the map. Returns what is to be done before the loop is queued; nothing if
 * it must be `put_off`. If loops modify something through the map, the numbering is measured when
 * such a loop comes, whose blocks may conflict. */
enum op2i_numbering_due op2i_numbering_count_rows(op2_map map, const struct op2i_map_use *use,
                                                  bool put_off);
/* Measure the numbering. `blocks` is 0, or the number of blocks of a loop for which
 * op2i_map_crowds() is true, and `colors` that of their colours; then it is bad without being
 * measured. Returns true if the sets are to be renumbered at once; if the numbering is not bad enough
 * to be changed, the map is no longer a candidate. */
bool op2i_numbering_measure(op2_map map, int32_t colors, int32_t blocks);
/* True if counting further rows may lead to a renumbering. */
bool op2i_numbering_waits(op2_map map);
/* True if sets that are distributed over ranks may be renumbered by the map; the same on all
 * ranks. */
bool op2i_numbering_spread(op2_map map);
/* End the counting of rows for this map. */
void op2i_numbering_settle(op2_map map);

/* Fill in map->scatter and map->span. The time does not grow with maps beyond some thousand
 * rows. */
void op2i_map_measure(op2_map map);

/* The following return true if a measured map costs much more than it would after op2_renumber().
 * They are false for small sets, for sets that have been renumbered, and for maps that
 * op2_renumber() does not accept.
 *
 * op2i_map_scattered(): nearly each access goes to another part of memory. */
bool op2i_map_scattered(op2_map map);
/* The blocks of this plan, which modify something through the map, have so many colours that few
 * can run at the same time; and this is due to the numbering, not to targets that so many blocks
 * share in any numbering. */
bool op2i_map_crowds(op2_map map, const struct op2i_plan *plan, const int64_t *subset);

#endif
