/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_MESH_H
#define OP2_MESH_H

#include <stdbool.h>
#include <stdint.h>

#include "op2/status.h"
#include "op2/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file mesh.h
 * Sets, maps between them, and data on them. Inputs are copied unless the name says `_wrap`. Names
 * appear in error messages, in the graph and in generated code; they need not be unique except for
 * constants. If a name is null or empty, the object gets a numbered one such as "dat7", also in
 * messages about an object that cannot be made.
 *
 * Every set is numbered core, owned, exec halo, non-exec halo, in that order. On one process
 * without halos the four ends are equal. "Owned size" below means the end of the owned section,
 * "total size" the end of the last.
 *
 * All input and output here is in the user's numbering, also after op2_renumber(). */

/* ---- sets ------------------------------------------------------------------------------------ */

/** @brief Declare a set of `size` elements without halo.
 * With several ranks, this declares one rank's block of a set: its global numbers follow those of
 * lower ranks.
 * @units  elements                        @memory the handle is the caller's
 * @sync   never blocks, runs nothing; among ranks it waits for the others
 * @mpi    collective; size is rank-local
 * @errors OP2_ERR_STATE (no context), OP2_ERR_ARG (negative size), OP2_ERR_NOMEM
 * @source OP2 op_decl_set; PyOP2 Set */
OP2_API OP2_NODISCARD op2_status op2_set_create(op2_context ctx, int64_t size, const char *name,
                                                op2_set *set);

/** @brief Declare a set by the ends of its four sections.
 * Loops run over core and owned elements; a loop that modifies something through a map also runs
 * over the exec halo, where its global reductions do not count.
 * @shape  ends[4]: core <= owned <= exec <= total
 * @units  elements                        @memory ends is copied
 * @sync   never blocks, runs nothing; among ranks it waits for the others
 * @mpi    collective; the ends are equal, as op2_set_create() makes them: a halo needs
 *         op2_set_create_halo()
 * @errors OP2_ERR_STATE, OP2_ERR_ARG (negative or decreasing ends), OP2_ERR_NOMEM
 * @source PyOP2 Set with (core, owned, exec, non-exec) sizes */
OP2_API OP2_NODISCARD op2_status op2_set_create_sections(op2_context ctx, const int64_t ends[4],
                                                         const char *name, op2_set *set);

/** @brief Declare a set of one element that all ranks share, for unknowns of the whole mesh: a
 * Lagrange multiplier, or a function that is constant in space (Firedrake's space "R"). Rank 0 owns
 * the element, the others have it in their halo, and so do partitions, which leave the set as it is.
 *
 * Each element of any set leads to it by a map of arity 1, whose entries may be null:
 * op2_map_create(cells, single, 1, NULL, "whole", &map). Such a map takes no memory. A pair of maps
 * of a sparsity may have it as its rows, its columns or both, so that a matrix has a dense row or
 * column. op2_arg_dat(d, 0, map, OP2_READ) lends each element the values of a dat on the set, and
 * OP2_INC adds up what the elements have, as a global would. Loops over the set itself exchange
 * values with globals: a kernel that copies, with op2_arg_direct(d, OP2_WRITE) and op2_arg_gbl(g,
 * OP2_READ), or op2_arg_direct(d, OP2_READ) and op2_arg_gbl(g, OP2_INC) after op2_gbl_set(). Among
 * ranks op2_dat_get_halo() and op2_dat_read_begin() show the values on each of them, and those that
 * rank 0 gives count. With several ranks, maps that start from the set are declared after
 * op2_partition().
 * @units  elements                        @memory the handle is the caller's
 * @sync   never blocks, runs nothing; among ranks it waits for the others
 * @mpi    collective
 * @errors OP2_ERR_STATE (no context), OP2_ERR_ARG, OP2_ERR_NOMEM; on error *set is untouched
 * @source PyOP2 GlobalDataSet; Firedrake's space "R" */
OP2_API OP2_NODISCARD op2_status op2_set_create_single(op2_context ctx, const char *name,
                                                       op2_set *set);

/** @brief Declare a subset, which can be looped over wherever a set can.
 * Indices are sorted and duplicates removed. A subset of a subset takes positions in its parent and
 * refers to the same base set: maps and dats of a loop over a subset are those of its base set.
 * @shape  idx[n]                          @units  positions in the parent, in [0, its total)
 * @memory idx is copied; may be null when n is 0
 * @sync   runs nothing                    @mpi    collective; rank-local indices
 * @errors OP2_ERR_ARG, OP2_ERR_RANGE (position and value in the message), OP2_ERR_NOMEM
 * @source PyOP2 Subset */
OP2_API OP2_NODISCARD op2_status op2_subset_create(op2_set parent, int64_t n, const int64_t *idx,
                                                   const char *name, op2_set *subset);

/** @brief Declare the subset of the elements that are in one, or in the other, or in both.
 * Like all subsets it is in ascending order. Either may be the set itself, or empty.
 * @units  elements                        @memory the handle is the caller's; a and b may go
 * @sync   runs nothing                    @mpi    collective; rank-local elements
 * @errors OP2_ERR_ARG, OP2_ERR_MISMATCH (a and b are of different sets), OP2_ERR_NOMEM; on error
 *         *subset is untouched
 * @source PyOP2 Set.union */
OP2_API OP2_NODISCARD op2_status op2_subset_create_union(op2_set a, op2_set b, const char *name,
                                                         op2_set *subset);

/** @brief Declare the subset of the elements that are in both.
 * @units  elements                        @memory as op2_subset_create_union()
 * @sync   runs nothing                    @mpi    collective; rank-local elements
 * @errors as op2_subset_create_union()    @source PyOP2 Set.intersection */
OP2_API OP2_NODISCARD op2_status op2_subset_create_intersection(op2_set a, op2_set b,
                                                                const char *name, op2_set *subset);

/** @brief Declare the subset of the elements of `a` that are not in `b`; if `a` is the set
 * itself, this is the complement of `b`.
 * @units  elements                        @memory as op2_subset_create_union()
 * @sync   runs nothing                    @mpi    collective; rank-local elements
 * @errors as op2_subset_create_union()    @source PyOP2 Set.difference */
OP2_API OP2_NODISCARD op2_status op2_subset_create_difference(op2_set a, op2_set b,
                                                              const char *name, op2_set *subset);

/** @brief Sizes of a set, or of a subset: the number of its elements below each section end.
 * @shape  ends[4]: core, owned, exec, total
 * @units  elements                        @memory ends is the caller's
 * @sync   never blocks, runs nothing      @mpi    not collective
 * @errors OP2_ERR_ARG
 * @source OP2 core_size, size, exec_size and nonexec_size of an op_set */
OP2_API OP2_NODISCARD op2_status op2_set_sections(op2_set set, int64_t ends[4]);

/** @brief Owned size of a set or subset.
 * @units  elements                        @memory keeps nothing
 * @sync   never blocks, runs nothing      @mpi    not collective
 * @errors none: -1 for a null handle      @source OP2 op_get_size_local */
OP2_API int64_t op2_set_size(op2_set set);

/** @brief The sorted base-set indices of a subset.
 * @shape  (*idx)[*n]                      @units  elements of the base set
 * @memory *idx belongs to the subset and lives as long as it does, or to the next op2_partition()
 * @sync   never blocks, runs nothing      @mpi    not collective
 * @errors OP2_ERR_ARG (null, or not a subset)
 * @source PyOP2 Subset.indices */
OP2_API OP2_NODISCARD op2_status op2_subset_indices(op2_set subset, int64_t *n,
                                                    const int64_t **idx);

/** @brief Give up a set or subset handle.
 * @memory freed when nothing uses it any more   @sync   never blocks, runs nothing
 * @mpi    not collective                        @errors none
 * @source op2 */
OP2_API void op2_set_destroy(op2_set *set);

/* Large maps and dats are copied by several threads: when they are declared, by op2_dat_get() and
 * op2_dat_set(), and in access scopes on renumbered sets. There are as many threads as the context
 * has workers, 16 at most; they are made for the call and have ended when it returns. */

/* ---- maps ------------------------------------------------------------------------------------ */

/** @brief Declare a map: arity elements of `to` for every element of `from`.
 * @shape  idx[from total size][arity], row-major, entries in [0, to total size)
 * @units  elements, never bytes
 * @memory idx is copied; null declares a map without values, but for a map to a set of
 *         op2_set_create_single(), which has arity 1 and keeps no entries
 * @sync   never blocks, runs nothing; among ranks it waits for the others
 * @mpi    collective; entries are rank-local; rows of the non-exec halo are not read, as their
 *         targets need not be here
 * @errors OP2_ERR_ARG, OP2_ERR_RANGE (row, column and value in the message), OP2_ERR_MISMATCH (two
 *         contexts, or a subset; among ranks, a core element that leads to what another rank owns,
 *         and an element that leads to what another rank owns and is not in that rank's exec halo,
 *         and ranks that give different arities), OP2_ERR_NOMEM; on error *map is untouched
 * @source OP2 op_decl_map; PyOP2 Map */
OP2_API OP2_NODISCARD op2_status op2_map_create(op2_set from, op2_set to, int arity,
                                                const int32_t *idx, const char *name, op2_map *map);

/** How a program gives the entries of a map. Zero-initialise it, then fill it in. */
typedef struct op2_entries_desc {
  op2_type type; /**< OP2_I32 or OP2_I64: int32_t or int64_t */
  int32_t base;  /**< the entry that stands for the first element: 0, or 1 as in Fortran */
  bool partial;  /**< entries below the base lead nowhere (op2_map_create_partial()) */
  bool global;   /**< entries are global numbers (op2_map_create_global()) */
  const void *reserved[2]; /**< null: room for options of later versions */
} op2_entries_desc;

/** @brief Declare a map by entries of the program's own type and numbering. This is op2_map_create()
 * with other entries; with `partial` it is op2_map_create_partial(), with `global`
 * op2_map_create_global(), and with both of them a map that may lead nowhere, before op2_partition().
 * Messages have entries as they were given, and count rows and columns from 0.
 * @shape  idx[from total size][arity], row-major, entries in [base, base + to total size); with
 *         `global` as op2_map_create_global()
 * @units  elements, never bytes           @memory idx and *how are copied; null declares a map without
 *         values, unless it is `partial` or `global`
 * @sync   never blocks, runs nothing; among ranks it waits for the others
 * @mpi    collective; `partial` and `global` are the same on all ranks, type and base need not be
 * @errors as op2_map_create(), op2_map_create_partial() and op2_map_create_global(); OP2_ERR_ARG
 *         (another base than 0 and 1), OP2_ERR_TYPE, OP2_ERR_MISMATCH (another kind of entries on
 *         another rank); on error *map is untouched
 * @source OP2 op_decl_map with base-1 mesh files; PyOP2 Map */
OP2_API OP2_NODISCARD op2_status op2_map_create_entries(op2_set from, op2_set to, int arity,
                                                        const op2_entries_desc *how,
                                                        const void *idx, const char *name,
                                                        op2_map *map);

/** @brief Declare the map whose slot k is slot perm[k] of another. Entries of the other one that
 * lead nowhere (op2_map_create_partial()) do so here as well.
 * @shape  perm[arity], a permutation of 0..arity-1
 * @units  slots                           @memory perm is copied; the values are a copy of base's
 * @sync   never blocks, runs nothing      @mpi    not collective
 * @errors OP2_ERR_ARG, OP2_ERR_RANGE (not a permutation), OP2_ERR_NOMEM, OP2_ERR_STATE (a map by
 *         global numbers before op2_partition())
 * @source PyOP2 PermutedMap */
OP2_API OP2_NODISCARD op2_status op2_map_create_permuted(op2_map base, const int *perm,
                                                         const char *name, op2_map *map);

/** @brief Declare the composition maps[0] after maps[1] after ... maps[n-1].
 * The result goes from the from-set of the last map to the to-set of the first; all maps but the
 * first have arity 1. An element that some map leads nowhere (op2_map_create_partial()) leads
 * nowhere in all slots.
 * @shape  maps[n], n >= 1                 @units  maps
 * @memory the values are new; the parts may be destroyed
 * @sync   never blocks, runs nothing; among ranks it waits for the others
 * @mpi    collective
 * @errors OP2_ERR_ARG, OP2_ERR_MISMATCH (sets do not match, or an inner arity is not 1; among
 *         ranks, a path that goes through the non-exec halo, or from core to what another rank
 *         owns), OP2_ERR_RANGE (an element leads nowhere, and the target set has no elements here),
 *         OP2_ERR_STATE (a map by global numbers before op2_partition()), OP2_ERR_NOMEM
 * @source PyOP2 ComposedMap */
OP2_API OP2_NODISCARD op2_status op2_map_create_composed(int n, const op2_map *maps,
                                                         const char *name, op2_map *map);

/** @brief Give up a map handle.
 * @memory freed when nothing uses it any more   @sync   never blocks, runs nothing
 * @mpi    not collective                        @errors none
 * @source op2 */
OP2_API void op2_map_destroy(op2_map *map);

/* ---- dats ------------------------------------------------------------------------------------ */

/** @brief Declare a dat: dim values of one type for every element of a set, stored element by
 * element.
 * @shape  data[set total size][dim]       @units  values of `type`
 * @memory data is copied; null gives zeros, allocated at first use
 * @sync   runs nothing; among ranks it waits for the others
 * @mpi    collective; rank-local data, with the same dim and type on every rank
 * @errors OP2_ERR_ARG (dim < 1, null, a subset), OP2_ERR_TYPE, OP2_ERR_MISMATCH (ranks that give
 *         different dims or types), OP2_ERR_NOMEM
 * @source OP2 op_decl_dat, op_decl_dat_temp; PyOP2 Dat */
OP2_API OP2_NODISCARD op2_status op2_dat_create(op2_set set, int dim, op2_type type,
                                                const void *data, const char *name, op2_dat *dat);

/** @brief Declare a dat over memory that stays the caller's.
 * From this call until the dat's end, the program touches the memory only inside access scopes of
 * this dat. If the set is renumbered, by op2_renumber() or automatically by the library, the dat
 * works on a copy: then the memory has the dat's values in its scopes, and after the end of the dat
 * or of the context.
 * @shape  data[set total size][dim]       @units  values of `type`
 * @memory data is borrowed until the handle is destroyed and no queued loop uses the dat; aligned
 *         for its type
 * @sync   runs nothing; among ranks it waits for the others; op2_flush() before freeing the memory
 * @mpi    as op2_dat_create()
 * @errors as op2_dat_create(); OP2_ERR_ARG also for null or misaligned data and for memory that
 *         another wrapped dat covers
 * @source OP2 op_decl_dat with user memory */
OP2_API OP2_NODISCARD op2_status op2_dat_wrap(op2_set set, int dim, op2_type type, void *data,
                                              const char *name, op2_dat *dat);

/** @brief Open a scope for reading a dat in place.
 * Runs the loops that the dat's values depend on. Until op2_dat_read_end() loops that modify the
 * dat are refused. On a renumbered set the values are copied into the user's order first.
 * @shape  (*data)[set total size][dim]    @units  values of the dat's type
 * @memory *data belongs to the dat and is valid until the scope ends
 * @sync   forces the dat's last writer and what that depends on
 * @mpi    collective
 * @errors OP2_ERR_ARG, OP2_ERR_STATE (a write scope is open), OP2_ERR_NOMEM, or the execution
 *         failure that poisoned the dat
 * @source OP2 op_fetch_data; PyOP2 Dat.data_ro_with_halos */
OP2_API OP2_NODISCARD op2_status op2_dat_read_begin(op2_dat dat, const void **data);

/** @brief Close a scope opened by op2_dat_read_begin(); scopes for reading nest.
 * @memory nulls *data                     @sync   never blocks, runs nothing
 * @mpi    not collective                  @errors OP2_ERR_ARG, OP2_ERR_STATE (no such scope)
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_dat_read_end(op2_dat dat, const void **data);

/** @brief Open a scope for reading and writing a dat in place.
 * Runs everything queued that uses the dat. Until op2_dat_write_end() loops that use the dat are
 * refused. On a renumbered set the values are copied into the user's order first, and back at the
 * end.
 * @shape  (*data)[set total size][dim]    @units  values of the dat's type
 * @memory *data belongs to the dat and is valid until the scope ends
 * @sync   forces every queued user of the dat and what those depend on
 * @mpi    collective
 * @errors OP2_ERR_ARG, OP2_ERR_STATE (a scope is open), OP2_ERR_NOMEM, or the execution failure
 *         that poisoned the dat
 * @source PyOP2 Dat.data_with_halos */
OP2_API OP2_NODISCARD op2_status op2_dat_write_begin(op2_dat dat, void **data);

/** @brief Close a scope opened by op2_dat_write_begin().
 * @memory nulls *data                     @sync   never blocks, runs nothing
 * @mpi    not collective                  @errors OP2_ERR_ARG, OP2_ERR_STATE (no such scope)
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_dat_write_end(op2_dat dat, void **data);

/** @brief Copy the owned values of a dat out.
 * @shape  out[set owned size][dim]        @units  values of the dat's type
 * @memory out is the caller's             @sync   as op2_dat_read_begin()
 * @mpi    collective                      @errors as op2_dat_read_begin()
 * @source OP2 op_fetch_data; PyOP2 Dat.data_ro */
OP2_API OP2_NODISCARD op2_status op2_dat_get(op2_dat dat, void *out);

/** @brief Overwrite the owned values of a dat; cures a poisoned one.
 * @shape  in[set owned size][dim]         @units  values of the dat's type
 * @memory in is copied                    @sync   forces every queued user of the dat
 * @mpi    collective
 * @errors OP2_ERR_ARG, OP2_ERR_STATE (a scope is open), OP2_ERR_NOMEM
 * @source PyOP2 Dat.data */
OP2_API OP2_NODISCARD op2_status op2_dat_set(op2_dat dat, const void *in);

/** @brief Copy all values of a dat out, halo included.
 * @shape  out[set total size][dim]        @units  values of the dat's type
 * @memory out is the caller's             @sync   as op2_dat_read_begin()
 * @mpi    collective                      @errors as op2_dat_read_begin()
 * @source PyOP2 Dat.data_ro_with_halos */
OP2_API OP2_NODISCARD op2_status op2_dat_get_halo(op2_dat dat, void *out);

/** @brief Overwrite all values of a dat, halo included; cures a poisoned one.
 * @shape  in[set total size][dim]         @units  values of the dat's type
 * @memory in is copied                    @sync   forces every queued user of the dat
 * @mpi    collective                      @errors as op2_dat_set()
 * @source PyOP2 Dat.data_with_halos */
OP2_API OP2_NODISCARD op2_status op2_dat_set_halo(op2_dat dat, const void *in);

/** @brief True if storage for the dat exists; dats without data get theirs at first use.
 * @memory keeps nothing                   @sync   never blocks, runs nothing
 * @mpi    not collective                  @errors none: false for a null handle
 * @source PyOP2 Dat._is_allocated */
OP2_API bool op2_dat_allocated(op2_dat dat);

/** @brief Declare a component of a dat, or n of them that follow each other: a handle that stands for
 * these values of each element, as a dat of dim n. Loops take it as an argument wherever they take the
 * dat, with any access and any map; the kernel gets n values for each element. Memory, halos and order
 * are the dat's: to other loops a loop that modifies a component modifies the dat. OP2_WRITE of a
 * component keeps the values of the others, so it does not overwrite the dat as a whole.
 *
 * op2_dat_get() and op2_dat_set() copy the values of the component; op2_dat_info_get() tells which
 * dat it is of; op2_dat_changes() is that of the dat. All other calls need the dat itself, and say so.
 * A component that is made once and used in all steps costs nothing; loops with a new one are new.
 * @shape  components [first, first + n) of the dat; of a component, of those that it has
 * @units  values                          @memory the dat is kept until its components are destroyed
 *         (op2_dat_destroy()); a component has no values of its own. Its name is that of the dat with
 *         the numbers in brackets: u[1], u[1:3]
 * @sync   never blocks, runs nothing      @mpi    every rank makes it
 * @errors OP2_ERR_ARG (null), OP2_ERR_STATE, OP2_ERR_RANGE (components that the dat does not have),
 *         OP2_ERR_NOMEM; on error *component is untouched
 * @source PyOP2 DatView, Dat.__getitem__ */
OP2_API OP2_NODISCARD op2_status op2_dat_component(op2_dat dat, int first, int n,
                                                   op2_dat *component);

/** @brief Give up a dat handle.
 * @memory freed when nothing uses it any more, or kept for the next dat of the same set, dim, type
 *         and name (OP2_RECYCLE)                @sync   never blocks, runs nothing
 * @mpi    not collective                        @errors none
 * @source op2 */
OP2_API void op2_dat_destroy(op2_dat *dat);

/* ---- renumbering ----------------------------------------------------------------------------- */

/** @brief Renumber a badly numbered mesh, so that elements near in the mesh are near in memory.
 * Two elements of the map's target set are neighbours when a row of the map holds both or, if the
 * map leads from the set to itself, when a row belongs to one and holds the other. That set gets an
 * order in which neighbours are close (Gibbs, Poole and Stockmeyer's, which is like reverse
 * Cuthill-McKee). Every set connected with it through maps follows, directly or by way of others:
 * elements that map into an ordered set are sorted by the first elements they map to; elements that
 * an ordered set maps to are numbered in the order in which they are first reached. Elements stay
 * in their section.
 *
 * Only the library's own storage changes. Values, map entries, subset indices, numbers that kernels
 * get and messages are in the user's numbering before and after. What depends on the order in which
 * a loop visits elements changes with it: the rounding of floating-point sums, and the element that
 * comes last where OP2_WRITE or OP2_RW through a map reach the same target. op2_set_numbering()
 * returns the order.
 *
 * Large sets that are badly numbered are also renumbered automatically (OP2_RENUMBER), between two
 * calls that queue loops, once so many loops have been queued that it pays. Sets over which loops
 * run that keep element order then stay in the order in which they were declared.
 * @memory copies of the largest dat or map for the time of the call; then one number per element.
 *         Wrapped dats move into memory of the library's: see op2_dat_wrap()
 * @sync   runs all that is queued, and drops plans and code that were made for loops
 * @mpi    collective: every rank orders what it has, by the graph of its own part
 * @errors OP2_ERR_ARG, OP2_ERR_STATE (the context has ended, an access scope is open on a dat of
 *         these sets, the map has global numbers only, or an operator's function runs),
 *         OP2_ERR_MISMATCH (a map without values, or whose rows connect nothing),
 *         OP2_ERR_UNAVAILABLE (the library was built without Scotch), OP2_ERR_RANGE (too large for
 *         it), OP2_ERR_NOMEM, or the execution failure of a queued loop, as op2_flush(); on error
 *         every number is as before
 * @source OP2 op_renumber */
OP2_API OP2_NODISCARD op2_status op2_renumber(op2_map map);

/** @brief The order in which the library keeps, and loops visit, the elements of a set.
 * @shape  number[set total size]: the user's number of the element that comes first, second, ...
 * @units  elements                        @memory number is the caller's
 * @sync   never blocks, runs nothing      @mpi    rank-local numbers
 * @errors OP2_ERR_ARG (null, or a subset), OP2_ERR_STATE
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_set_numbering(op2_set set, int64_t *number);

/* ---- globals and constants ------------------------------------------------------------------- */

/** @brief Declare a global: dim values that loops read or reduce into.
 * @shape  data[dim]                       @units  values of `type`
 * @memory data is copied; null gives zeros
 * @sync   runs nothing                    @mpi    collective; the same values on every rank
 * @errors OP2_ERR_STATE, OP2_ERR_ARG (dim < 1), OP2_ERR_TYPE, OP2_ERR_NOMEM
 * @source OP2 op_arg_gbl, which takes a variable; PyOP2 Global */
OP2_API OP2_NODISCARD op2_status op2_gbl_create(op2_context ctx, int dim, op2_type type,
                                                const void *data, const char *name, op2_gbl *gbl);

/** @brief Copy a global's values out.
 * @shape  out[dim]                        @units  values of the global's type
 * @memory out is the caller's             @sync   forces the global's last writer and what that
 *         depends on
 * @mpi    collective
 * @errors OP2_ERR_ARG, OP2_ERR_STATE (a write scope is open), OP2_ERR_NOMEM, or the execution failure
 *         that poisoned the global
 * @source PyOP2 Global.data */
OP2_API OP2_NODISCARD op2_status op2_gbl_get(op2_gbl gbl, void *out);

/** @brief Set a global's values for the loops queued from now on.
 * Loops queued before keep the values they were queued with; so a reduction can be zeroed in a time
 * loop without running anything. Cures a poisoned global.
 * @shape  in[dim]                         @units  values of the global's type
 * @memory in is copied                    @sync   never blocks, runs nothing
 * @mpi    the same values on every rank
 * @errors OP2_ERR_ARG, OP2_ERR_STATE (a scope is open), OP2_ERR_NOMEM
 * @source PyOP2 Global.data */
OP2_API OP2_NODISCARD op2_status op2_gbl_set(op2_gbl gbl, const void *in);

/** @brief Declare a global over memory that stays the caller's.
 * Its values are those in the memory. From this call until the global's end, the program touches the
 * memory only inside access scopes of this global: a scope fills it, so that what loops reduce into
 * the global is in the program's own variable where the program looks for it, and not before. The
 * memory has the global's values after the end of the global or of the context, too, unless these
 * could not be computed.
 * @shape  data[dim]                       @units  values of `type`
 * @memory data is borrowed until the handle is destroyed and no queued loop uses the global; aligned
 *         for its type
 * @sync   runs nothing; op2_flush() before freeing the memory
 * @mpi    collective; the same values on every rank
 * @errors as op2_gbl_create(); OP2_ERR_ARG also for null or misaligned data and for memory that
 *         another wrapped global or dat covers
 * @source OP2 op_arg_gbl, which takes a pointer of the program's */
OP2_API OP2_NODISCARD op2_status op2_gbl_wrap(op2_context ctx, int dim, op2_type type, void *data,
                                              const char *name, op2_gbl *gbl);

/** @brief Open a scope for reading a global in place.
 * Until op2_gbl_read_end(), loops that modify the global and op2_gbl_set() are refused.
 * @shape  (*data)[dim]                    @units  values of the global's type
 * @memory *data belongs to the global, or is the memory that the global wraps; it is valid until the
 *         scope ends
 * @sync   as op2_gbl_get()                @mpi    collective
 * @errors OP2_ERR_ARG, OP2_ERR_STATE (a write scope is open), OP2_ERR_NOMEM, or the execution failure
 *         that poisoned the global
 * @source PyOP2 Global.data_ro */
OP2_API OP2_NODISCARD op2_status op2_gbl_read_begin(op2_gbl gbl, const void **data);

/** @brief Close a scope opened by op2_gbl_read_begin(); scopes for reading nest.
 * @memory nulls *data                     @sync   never blocks, runs nothing
 * @mpi    not collective                  @errors OP2_ERR_ARG, OP2_ERR_STATE (no such scope)
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_gbl_read_end(op2_gbl gbl, const void **data);

/** @brief Open a scope for reading and writing a global in place.
 * The values at the end of the scope are those of the loops queued after it. Loops queued before
 * keep the values they were queued with, so those that only read the global are not run. Until
 * op2_gbl_write_end(), loops that use the global, op2_gbl_get() and op2_gbl_set() are refused.
 * @shape  (*data)[dim]                    @units  values of the global's type
 * @memory as op2_gbl_read_begin()         @sync   as op2_gbl_get()
 * @mpi    collective
 * @errors OP2_ERR_ARG, OP2_ERR_STATE (a scope is open), OP2_ERR_NOMEM, or the execution failure that
 *         poisoned the global
 * @source PyOP2 Global.data */
OP2_API OP2_NODISCARD op2_status op2_gbl_write_begin(op2_gbl gbl, void **data);

/** @brief Close a scope opened by op2_gbl_write_begin().
 * @memory nulls *data                     @sync   never blocks, runs nothing
 * @mpi    the same values on every rank   @errors OP2_ERR_ARG, OP2_ERR_STATE (no such scope)
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_gbl_write_end(op2_gbl gbl, void **data);

/** @brief Give up a global handle.
 * @memory freed when nothing uses it any more, or kept for the next global of the same dim, type
 *         and name (OP2_RECYCLE)                @sync   never blocks, runs nothing
 * @mpi    not collective                        @errors none
 * @source op2 */
OP2_API void op2_gbl_destroy(op2_gbl *gbl);

/** @brief Declare a constant that kernels queued in this context see under its name.
 * In a kernel a constant of dim 1 is a scalar, any other an array. A parameter or variable of the
 * same name hides it, and so does a macro of this name in the kernel's text. Macros of the text and
 * of the kernel's own headers may use constants; functions in headers do not see them, nor do
 * functions that are the result of a macro. Values are captured when a loop is queued, at most 2^30
 * bytes for one loop, those of op2_arg_val() included. A queued loop has a copy of all that it uses;
 * when the copies take 256 MiB, the queued loops are run. A large table is better made a global that
 * loops read, of which there is one copy.
 * @shape  data[dim]                       @units  values of `type`
 * @memory data is copied                  @sync   runs nothing
 * @mpi    collective; the same values on every rank
 * @errors OP2_ERR_STATE, OP2_ERR_ARG, OP2_ERR_TYPE, OP2_ERR_NAME (not an identifier, taken, a
 *         keyword, a name of C's library like M_PI or sin, or with __, _X or op2_ in front),
 *         OP2_ERR_NOMEM
 * @source OP2 op_decl_const; PyOP2 Const */
OP2_API OP2_NODISCARD op2_status op2_const_create(op2_context ctx, int dim, op2_type type,
                                                  const void *data, const char *name,
                                                  op2_const *cst);

/** @brief Change a constant for the loops queued from now on; nothing is recompiled.
 * @shape  in[dim]                         @units  values of the constant's type
 * @memory in is copied                    @sync   never blocks, runs nothing
 * @mpi    the same values on every rank   @errors OP2_ERR_ARG
 * @source PyOP2 Const.data */
OP2_API OP2_NODISCARD op2_status op2_const_set(op2_const cst, const void *in);

/** @brief Give up a constant; its name becomes free.
 * @memory freed at once; queued loops have their own copies
 * @sync   never blocks, runs nothing      @mpi    not collective
 * @errors none                            @source PyOP2 Const.remove_from_namespace */
OP2_API void op2_const_destroy(op2_const *cst);

#ifdef __cplusplus
}
#endif
#endif
