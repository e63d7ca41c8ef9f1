/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MAP_H
#define OP2I_MAP_H

#include "mesh.h"

/* Maps are made, and their entries examined. */

/* op2i_object_call() for a call that has made a map. */
void op2i_map_call(op2_map map, const char *call);
/* Return a failure on all ranks if one of them failed. */
op2_status op2i_map_agree(op2_set from, op2_status status);
/* Make a map from entries in the library's numbers, or from global ones if idx is null. Takes over
 * idx and global, also on failure. */
op2_status op2i_map_make(op2_set from, op2_set to, int arity, int32_t *idx, int64_t *global,
                         const char *name, op2_map *map);
/* Take a map that is derived from others out of the lists of its sets, and of the program's. */
void op2i_map_hide(op2_map map);
/* Make a hidden map of rows, which has n entries in all: idx, which it takes over, also on
 * failure. */
op2_status op2i_map_make_rows(op2_set from, op2_set to, int32_t *idx, int64_t n, const char *name,
                              op2_map *map);
/* Get the flags of entries that lead nowhere, [from][arity] in the library's order; null: all lead
 * somewhere. Collective if the map has flags, since those of the halo come from their owners. */
op2_status op2i_map_absent(op2_map map, const unsigned char **flags);
/* The same for owned rows only. Not collective. */
op2_status op2i_map_absent_owned(op2_map map, const unsigned char **flags);
/* Give a new map such flags: a copy of `flags`, or those of `base`, whose slots it has in another
 * order. */
op2_status op2i_map_mark_absent(op2_map map, const unsigned char *flags);
op2_status op2i_map_permute_absent(op2_map base, const int *perm, op2_map map);
/* Set *holds to true if the map is injective over these slots. Found once, in linear time. */
op2_status op2i_map_injective(op2_map map, uint64_t slots, bool *holds);
/* The bit of one slot, or the bits of all (::OP2_ALL). */
uint64_t op2i_map_slots(const struct op2_map_s *map, int32_t slot);

#endif
