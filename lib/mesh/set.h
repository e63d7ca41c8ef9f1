/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SET_H
#define OP2I_SET_H

#include "mesh.h"

/* Sets, and numbers of their rows among ranks. */

/* Declare one rank's part of a set that is distributed over ranks: its own elements, and elements
 * of other ranks that its loops use. ends[4] as in op2_set_create_sections(), global[total] and
 * owner[halo] as in op2i_halo_make(). Collective; fails on all ranks alike. */
op2_status op2i_set_create_halo(op2_context ctx, const int64_t ends[4], const int64_t *global,
                                const int32_t *owner, const char *name, op2_set *set);
/* Make a set with a block of `size` elements on this rank, and no table of numbers. Loops over the
 * set leave out the last `tail` of them, which only maps lead to. Collective. */
op2_status op2i_set_create_counted(op2_context ctx, int64_t size, int64_t tail, const char *name,
                                   op2_set *set);
/* Hand out a subset on all ranks, or on none if one of them failed: then *out is untouched and the
 * subset is destroyed. Collective. */
op2_status op2i_subset_give(op2_context ctx, op2_status status, op2_set subset, op2_set *out);
/* Make a subset of the elements idx of a set, in the user's numbers and ascending. Takes over idx,
 * also on failure. */
op2_status op2i_subset_make(op2_set base, int64_t n, int64_t *idx, const char *name,
                            op2_set *subset);
/* The number of elements in a block of a loop over the set (plan.h), unless a device has its own. */
int32_t op2i_set_block_size(const struct op2_set_s *set);
/* Call this after a change of the set's idx or number: their buffers are replaced. */
void op2i_set_tables_changed(op2_set set);
/* Get the table of numbers of a set that has one. For sets in blocks the first call makes it. */
op2_status op2i_set_numbers_at(op2_set set, enum op2i_place place, void **numbers);
/* Sort in ascending order. */
void op2i_sort_indices(int64_t n, int64_t *idx);
/* Number the owned rows of all ranks, those of a rank together and in the library's order: how many
 * there are in all, the first of this rank, and (unless null) the number of each element, [total].
 * Collective. */
op2_status op2i_set_row_numbers(op2_set set, int64_t *all, int64_t *first, int64_t *numbers);

/* True once a set with one element that all ranks share was declared in this process: the first thing
 * that is asked of each loop. */
extern _Atomic bool op2i_single_declared;

#endif
