/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_RANKS_H
#define OP2_RANKS_H

#include <stdint.h>

#include "op2/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file ranks.h
 * Meshes that are distributed over the ranks of a program. Every rank has a part of each set:
 * elements that it owns, and its halo, copies of elements of other ranks that its loops use. All
 * ranks know an element by its *global number*, from 0 to the number of elements of the whole set;
 * each is owned by one rank.
 *
 * There are two ways to distribute a mesh. Programs with a decomposition of their own declare it:
 * op2_set_create_halo() takes owners and global numbers, op2_map_create() entries that are local to
 * the rank. Others declare blocks, as they are read from a file: op2_set_create() takes a number of
 * elements on each rank, numbered on from those of lower ranks, op2_map_create_global() the rows of
 * those elements by global numbers; then op2_partition() decides which rank is to own which
 * elements, moves all there and makes the halos.
 *
 * Everything here also works in a context that is alone (of one process), where the numbers of
 * elements are their global numbers. A context of one rank of MPI is alone as well, but its
 * programs may give elements other global numbers. Calls that are collective are made by all ranks
 * in the same order, for the same objects; they fail on all ranks alike, with the message of the
 * lowest rank that failed. */

/** @brief The number of this rank, from 0 on.
 * @memory keeps nothing                   @sync   never blocks, runs nothing
 * @mpi    not collective                  @errors none: 0 for a null handle, and alone
 * @source MPI_Comm_rank */
OP2_API int op2_rank(op2_context ctx);

/** @brief The number of ranks that share the context's meshes.
 * @memory keeps nothing                   @sync   never blocks, runs nothing
 * @mpi    not collective                  @errors none: 1 for a null handle, and alone
 * @source MPI_Comm_size */
OP2_API int op2_ranks(op2_context ctx);

/* ---- sets and maps --------------------------------------------------------------------------- */

/** @brief Declare this rank's part of a set, by the program's own decomposition.
 * The exec halo holds elements of other ranks that lead, through some map, to elements owned here;
 * the non-exec halo holds all other targets of the rows of owned and exec elements. Core elements
 * lead to owned ones only. All ranks together own each global number from 0 up once, and an element
 * of a halo is owned by the rank that is given as its owner: both is checked, and the lists of rows
 * for halo exchanges are made. Whether core and exec halo are as maps need them is checked where
 * the maps are declared.
 * @shape  ends[4] as in op2_set_create_sections(); global[total]; owner[total - owned], the ranks
 *         that own the elements of the halo
 * @units  elements                        @memory all are copied; owner may be null without halo
 * @sync   runs nothing, waits for the other ranks
 * @mpi    collective; alone, the set has no halo, and global numbers are those of the elements
 * @errors OP2_ERR_STATE, OP2_ERR_ARG (ends, null lists, elements twice, a halo in a context that is
 *         alone), OP2_ERR_RANGE (owners and numbers that are not there), OP2_ERR_MISMATCH (an owner
 *         that is none), OP2_ERR_NOMEM
 * @source PyOP2 Set with a halo */
OP2_API OP2_NODISCARD op2_status op2_set_create_halo(op2_context ctx, const int64_t ends[4],
                                                     const int64_t *global, const int32_t *owner,
                                                     const char *name, op2_set *set);

/** @brief The number of elements of the whole set; for a subset, those of its set.
 * @units  elements                        @memory keeps nothing
 * @sync   never blocks, runs nothing      @mpi    not collective
 * @errors none: -1 for a null handle      @source OP2 op_get_size */
OP2_API int64_t op2_set_global_size(op2_set set);

/** @brief The global numbers of all elements that this rank has, halo included, in the order in
 * which values are copied in and out.
 * @shape  number[set total size]          @units  elements
 * @memory number is the caller's          @sync   never blocks, runs nothing
 * @mpi    not collective
 * @errors OP2_ERR_ARG (null, or a subset), OP2_ERR_STATE
 * @source OP2 g_index of its partitions */
OP2_API OP2_NODISCARD op2_status op2_set_global(op2_set set, int64_t *number);

/** @brief Declare a map by the global numbers of its targets, which any rank may own.
 * No loop can use the map until op2_partition() has brought the targets of its rows to this rank.
 * Alone, it is a map as op2_map_create() makes it.
 * @shape  idx[from owned size][arity], alone with the rows of all sections; row-major, entries in
 *         [0, op2_set_global_size(to))
 * @units  elements                        @memory idx is copied; may be null for an empty block
 * @sync   runs nothing, waits for the other ranks
 * @mpi    collective; on one rank as alone
 * @errors as op2_map_create(); rows in messages are global numbers
 * @source OP2 op_decl_map before op_partition */
OP2_API OP2_NODISCARD op2_status op2_map_create_global(op2_set from, op2_set to, int arity,
                                                       const int64_t *idx, const char *name,
                                                       op2_map *map);

/* ---- values ---------------------------------------------------------------------------------- */

/** @brief Copy values out by global number: those of `n` elements from `first` on, whichever rank
 * owns them.
 * @shape  out[n][dim]; any range of the whole set on each rank, empty ones too
 * @units  elements; values of the dat's type
 * @memory out is the caller's; as much as an equal share of the dat, and of what is requested, for
 *         the time of the call
 * @sync   as op2_dat_get()                @mpi    collective
 * @errors as op2_dat_get(), OP2_ERR_RANGE
 * @source OP2 op_fetch_data */
OP2_API OP2_NODISCARD op2_status op2_dat_get_block(op2_dat dat, int64_t first, int64_t n,
                                                   void *out);

/** @brief Overwrite values by global number. Elements that no rank gives keep their values.
 * @shape  in[n][dim]; any range of the whole set on each rank, empty ones too, that do not overlap
 * @units  elements; values of the dat's type
 * @memory in is copied; else as op2_dat_get_block()
 * @sync   forces every queued user of the dat
 * @mpi    collective
 * @errors OP2_ERR_ARG (null, an element that two ranks give), OP2_ERR_STATE (a scope is open),
 *         OP2_ERR_RANGE, OP2_ERR_NOMEM, or the execution failure that poisoned the dat
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_dat_set_block(op2_dat dat, int64_t first, int64_t n,
                                                   const void *in);

/* ---- partitioning ---------------------------------------------------------------------------- */

/** How op2_partition() chooses the owners of elements. */
typedef enum op2_partition_method {
  OP2_PARTITION_BLOCKS = 1,  /**< equal blocks of global numbers */
  OP2_PARTITION_COORDINATES, /**< recursive bisection: the box round all elements of a set is cut
                                across its longest side, so that both halves hold as many elements
                                as their ranks need; and so on */
  OP2_PARTITION_GIVEN,       /**< as the program says */
  OP2_PARTITION_KWAY         /**< few neighbours on different ranks: the graph of a map's target set
                                is cut by Scotch, or by a method of a companion library */
} op2_partition_method;

/** The options of op2_partition(). Zero-initialise it, then fill it in. */
typedef struct op2_partition_options {
  op2_partition_method method; /**< how owners are chosen */
  op2_set set;          /**< BLOCKS: the set that is cut, or null for all; GIVEN: the set whose
                           owners are given */
  const int32_t *owner; /**< GIVEN: [set owned size] the rank that is to own each element */
  op2_dat coordinates;  /**< COORDINATES: of type F64 or F32 and dim 1 to 3 */
  op2_map map;          /**< KWAY: targets of one row are neighbours; if the set is its own target,
                           elements and targets are */
  const void *reserved[4]; /**< null: room for options of later versions */
} op2_partition_options;

/** The result of op2_partition(), the same on all ranks. */
typedef struct op2_partition_report {
  int64_t rows;         /**< rows of all maps */
  int64_t cut;          /**< of these, those whose targets are owned by several ranks */
  int64_t owned;        /**< elements of all sets */
  int64_t most_owned;   /**< most elements owned by one rank */
  double imbalance;     /**< most_owned divided by the mean of all ranks; 1 without elements */
  int64_t exec;         /**< elements in exec halos, summed over ranks */
  int64_t most_exec;    /**< most of one rank */
  int64_t nonexec;      /**< elements in non-exec halos, summed over ranks */
  int64_t most_nonexec; /**< most of one rank */
  int64_t moved;        /**< elements that have another owner than before */
} op2_partition_report;

/** @brief Choose the owners of elements, move all sets, maps, subsets and dats there, and make
 * halos.
 * One set is cut by the method, or all by blocks. The other sets follow: a set with maps to sets
 * that have their owners goes where most of its targets are; a set without, where most of the rows
 * are that lead to it; elements that nothing leads to are cut in blocks. In a tie, a number made of
 * the element's global number chooses the rank. Then each rank has core, owned, exec halo and
 * non-exec halo as op2_set_create_halo() defines them, each in ascending order of global numbers.
 *
 * Large sets that are badly numbered then are renumbered within their sections on every rank, as by
 * op2_renumber() (OP2_RENUMBER); the order that the program sees stays ascending.
 *
 * All handles stay valid; op2_set_size(), op2_set_sections(), op2_set_global() and
 * op2_subset_indices() return the new parts, and what they returned before is out of date. Subsets
 * hold the elements that they held, poisoned dats stay poisoned. The call may be repeated, by
 * another method or with other values. Alone it changes nothing.
 * @shape  how: null for blocks of all sets; *report: may be null
 * @memory how is read during the call; a second copy of the mesh and its values for that time.
 *         Only a few numbers for each rank while a set is cut are in proportion to the number of
 *         ranks; with Scotch the whole graph is on rank 0
 * @sync   runs all that is queued, and drops plans and code that were made for loops
 * @mpi    collective; all ranks have declared the same objects in the same order
 * @errors OP2_ERR_ARG, OP2_ERR_STATE (an access scope is open, the context has ended, an operator's
 *         function runs, or a map starts from a set of op2_set_create_single(), which stays as it
 *         is), OP2_ERR_MISMATCH (wrapped dats, whose memory cannot grow;
 *         ranks that differ; a map that connects nothing), OP2_ERR_TYPE (coordinates),
 *         OP2_ERR_RANGE (owners that are no ranks, coordinates that are not finite, more than 2^31
 *         elements on one rank), OP2_ERR_UNAVAILABLE (no partitioner for k-way), OP2_ERR_NOMEM, or
 *         the execution failure of a queued loop, as op2_flush(); on error everything is as before.
 *         If memory for the messages themselves runs out, ranks cannot agree any more
 * @source OP2 op_partition */
OP2_API OP2_NODISCARD op2_status op2_partition(op2_context ctx, const op2_partition_options *how,
                                               op2_partition_report *report);

/* ---- statistics of halo exchanges ------------------------------------------------------------ */

/** Halo exchanges of this rank since its context began, and the time that they took. */
typedef struct op2_comm_stats {
  int64_t exchanges;  /**< halo exchanges; each is one message at most to each neighbour */
  int64_t messages;   /**< messages that this rank has sent in them */
  int64_t bytes;      /**< bytes in these */
  double travelling;  /**< seconds from the start of an exchange to its end, of all of them */
  double waited;      /**< of these, seconds in which there was nothing else to do; the rest was
                           hidden by loops */
  double reserved[8]; /**< 0: room for later versions */
} op2_comm_stats;

/** Messages and bytes that were sent to one other rank. */
typedef struct op2_comm_neighbour {
  int rank;            /**< the other rank */
  int64_t messages;    /**< messages that were sent to it */
  int64_t bytes;       /**< their size */
  int64_t reserved[4]; /**< 0: room for later versions */
} op2_comm_neighbour;

/** Exchanges and bytes that were sent of one dat. */
typedef struct op2_comm_dat {
  op2_dat dat;         /**< the dat */
  const char *name;    /**< its name, which lives as long as it does */
  int64_t exchanges;   /**< exchanges that it was part of */
  int64_t bytes;       /**< bytes of it that were sent */
  int64_t reserved[4]; /**< 0: room for later versions */
} op2_comm_dat;

/** @brief Get the totals of halo exchanges, and the part of their time that was spent waiting.
 * Only halo exchanges count: not reductions, nor messages of declarations and partitioning. Bytes
 * of dats that were destroyed are in the totals, and not listed by op2_comm_dat_get().
 * @units  bytes, seconds                  @memory *stats is the caller's
 * @sync   never blocks, runs nothing      @mpi    not collective: of this rank; all zero alone
 * @errors OP2_ERR_STATE, OP2_ERR_ARG      @source OP2 op_timing_output, op_mpi_exit */
OP2_API OP2_NODISCARD op2_status op2_comm_stats_get(op2_context ctx, op2_comm_stats *stats);

/** @brief The i-th of the ranks that halos were sent to, in the order in which exchanges with them
 * were first made.
 * @units  bytes                           @memory *neighbour is the caller's
 * @sync   never blocks, runs nothing      @mpi    not collective: of this rank
 * @errors OP2_ERR_STATE, OP2_ERR_ARG; OP2_ERR_RANGE past the last one
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_comm_neighbour_get(op2_context ctx, int i,
                                                        op2_comm_neighbour *neighbour);

/** @brief The i-th of the dats that were exchanged and still exist, in the order of their making.
 * @units  bytes
 * @memory *dat is the caller's; the handle and the name in it are the dat's
 * @sync   never blocks, runs nothing      @mpi    not collective: of this rank
 * @errors OP2_ERR_STATE, OP2_ERR_ARG; OP2_ERR_RANGE past the last one
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_comm_dat_get(op2_context ctx, int i, op2_comm_dat *dat);

#ifdef __cplusplus
}
#endif
#endif
