/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_QUERY_H
#define OP2_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "op2/status.h"
#include "op2/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file query.h
 * These functions answer questions about a program's objects: how they were declared, the entries
 * of maps, whether values may have changed, and which objects a context has. Interfaces for other
 * languages need this to show objects, to find their own for a handle, and to keep copies of
 * values.
 *
 * Names in the structures belong to the objects and live as long as these. Handles in them are
 * copies of the program's, and no references: one that the program has destroyed meanwhile can be
 * compared with others, and not be used. Reserved members are zero. */

/* ---- declarations ---------------------------------------------------------------------------- */

/** A set, as it is on this rank. */
typedef struct op2_set_info {
  const char *name;        /**< its name, which lives as long as it does */
  op2_set base;            /**< the set itself; of a subset, the set whose elements it has */
  int64_t ends[4];         /**< elements below the end of core, owned, exec halo and all */
  int64_t global_size;     /**< elements on all ranks, of a subset those of its base */
  const void *reserved[4]; /**< null: room for later versions */
} op2_set_info;

/** How a map came about. */
typedef enum op2_map_origin {
  OP2_MAP_DECLARED = 1, /**< from entries of the program, or without values */
  OP2_MAP_PERMUTED,     /**< by op2_map_create_permuted() */
  OP2_MAP_COMPOSED      /**< by op2_map_create_composed() */
} op2_map_origin;

/** A map, as it is on this rank. */
typedef struct op2_map_info {
  const char *name;        /**< its name, which lives as long as it does */
  op2_set from;            /**< the set whose elements it leads from */
  op2_set to;              /**< the set whose elements it leads to */
  int32_t arity;           /**< entries of an element */
  op2_map_origin origin;   /**< how it came about */
  bool has_values;         /**< false: it was declared without entries, as null */
  bool partial;            /**< some entries may lead nowhere (op2_map_create_partial()) */
  bool global_only;        /**< its targets are known by global numbers, until op2_partition() */
  const void *reserved[4]; /**< null: room for later versions */
} op2_map_info;

/** A dat. */
typedef struct op2_dat_info {
  const char *name;    /**< its name, which lives as long as it does */
  op2_set set;         /**< the set whose elements have values */
  int32_t dim;         /**< values of an element */
  op2_type type;       /**< of these values */
  bool wrapped;        /**< it works on memory of the program (op2_dat_wrap()) */
  int32_t open_reads;  /**< access scopes for reading that are open */
  int32_t open_writes; /**< access scopes for writing that are open: 0 or 1 */
  op2_dat whole;       /**< the dat that it is a component of (op2_dat_component()); else null */
  int64_t first;       /**< the first of the dat's components that it has; else 0 */
  const void *reserved[2]; /**< null: room for later versions */
} op2_dat_info;

/** A global. */
typedef struct op2_gbl_info {
  const char *name;        /**< its name, which lives as long as it does */
  int32_t dim;             /**< number of values */
  op2_type type;           /**< of these values */
  bool wrapped;            /**< its scopes show memory of the program (op2_gbl_wrap()) */
  int32_t open_reads;      /**< access scopes for reading that are open */
  int32_t open_writes;     /**< access scopes for writing that are open: 0 or 1 */
  const void *reserved[4]; /**< null: room for later versions */
} op2_gbl_info;

/** A constant. */
typedef struct op2_const_info {
  const char *name;        /**< its name, which lives as long as it does */
  int32_t dim;             /**< number of values */
  op2_type type;           /**< of these values */
  const void *reserved[4]; /**< null: room for later versions */
} op2_const_info;

/** @brief Get what is known of a set or subset. After op2_partition() its sections are others.
 * @units  elements                        @memory *info is the caller's, untouched on error
 * @sync   never blocks, runs nothing      @mpi    not collective; sections are rank-local
 * @errors OP2_ERR_ARG, OP2_ERR_STATE
 * @source PyOP2 Set.sizes, Set.name, Subset.superset */
OP2_API OP2_NODISCARD op2_status op2_set_info_get(op2_set set, op2_set_info *info);

/** @brief Get what is known of a map.
 * @units  slots                           @memory *info is the caller's, untouched on error
 * @sync   never blocks, runs nothing      @mpi    not collective
 * @errors OP2_ERR_ARG, OP2_ERR_STATE
 * @source PyOP2 Map.iterset, Map.toset, Map.arity, Map.name */
OP2_API OP2_NODISCARD op2_status op2_map_info_get(op2_map map, op2_map_info *info);

/** @brief Get what is known of a dat, or of a component of one, whose scopes are those of the dat.
 * @units  values for each element         @memory *info is the caller's, untouched on error
 * @sync   never blocks, runs nothing      @mpi    not collective
 * @errors OP2_ERR_ARG, OP2_ERR_STATE
 * @source PyOP2 Dat.dataset, Dat.dim, Dat.dtype, Dat.name */
OP2_API OP2_NODISCARD op2_status op2_dat_info_get(op2_dat dat, op2_dat_info *info);

/** @brief Get what is known of a global.
 * @units  values                          @memory *info is the caller's, untouched on error
 * @sync   never blocks, runs nothing      @mpi    not collective
 * @errors OP2_ERR_ARG, OP2_ERR_STATE      @source PyOP2 Global.dim, Global.dtype, Global.name */
OP2_API OP2_NODISCARD op2_status op2_gbl_info_get(op2_gbl gbl, op2_gbl_info *info);

/** @brief Get what is known of a constant.
 * @units  values                          @memory *info is the caller's, untouched on error
 * @sync   never blocks, runs nothing      @mpi    not collective
 * @errors OP2_ERR_ARG, OP2_ERR_STATE      @source PyOP2 Const.dim, Const.dtype, Const.name */
OP2_API OP2_NODISCARD op2_status op2_const_info_get(op2_const cst, op2_const_info *info);

/* ---- values that are not computed ------------------------------------------------------------ */

/** @brief Copy the entries of a map out, as op2_map_create() takes them: for each owned element, the
 * positions of its targets among the elements that this rank has. op2_renumber() does not change
 * them. After op2_partition() rows and entries are in the order of op2_set_global(), which gives the
 * global number of each. An entry that leads nowhere is -1.
 * @shape  idx[map owned size][arity]      @units  elements, from 0
 * @memory idx is the caller's
 * @sync   never blocks, runs nothing      @mpi    not collective; rows and entries are rank-local
 * @errors OP2_ERR_ARG, OP2_ERR_MISMATCH (a map without values), OP2_ERR_STATE (a map by global
 *         numbers before op2_partition()), OP2_ERR_NOMEM
 * @source PyOP2 Map.values */
OP2_API OP2_NODISCARD op2_status op2_map_get(op2_map map, int32_t *idx);

/** @brief Copy the entries of a map out, as op2_map_create_global() takes them: for each owned
 * element, in the order of op2_set_global(), the global numbers of its targets, whichever rank owns
 * these. An entry that leads nowhere is -1.
 * @shape  idx[map owned size][arity]      @units  elements, from 0
 * @memory idx is the caller's
 * @sync   never blocks, runs nothing      @mpi    not collective; rows are rank-local
 * @errors OP2_ERR_ARG, OP2_ERR_MISMATCH (a map without values), OP2_ERR_NOMEM
 * @source PyOP2 Map.values */
OP2_API OP2_NODISCARD op2_status op2_map_get_global(op2_map map, int64_t *idx);

/** @brief Copy the values of a constant out: those that loops get which are queued now.
 * @shape  out[dim]                        @units  values of the constant's type
 * @memory out is the caller's             @sync   never blocks, runs nothing
 * @mpi    not collective                  @errors OP2_ERR_ARG, OP2_ERR_STATE
 * @source PyOP2 Const.data */
OP2_API OP2_NODISCARD op2_status op2_const_get(op2_const cst, void *out);

/* ---- changes --------------------------------------------------------------------------------- */

/** @brief A number that grows with every modification of a dat. While it stays the same, the dat has
 * the values that it had: a copy of them, or of what a scope showed, need not be made anew.
 *
 * Modifications count when they are queued, so the number that goes with a copy can be read before
 * or after the values. Loops, calls and solves count that have the dat as an argument with another
 * access than OP2_READ, op2_dat_set() and its relatives, scopes for writing when they are opened,
 * and op2_partition(), which gives the dat other rows. The number may also grow although no value
 * changes: by a loop that writes what was there, by a call that fails while it queues, and when a
 * solve runs. Renumbering, halo exchanges and moves between host and device do not count.
 * @memory keeps nothing                   @sync   never blocks, runs nothing
 * @mpi    not collective; ranks may have different numbers
 * @errors none: -1 for what is no dat     @source PyOP2 Dat.dat_version */
OP2_API int64_t op2_dat_changes(op2_dat dat);

/** @brief A number that grows with every modification of a global, op2_gbl_set() included, by the
 * rules of op2_dat_changes().
 * @memory keeps nothing                   @sync   never blocks, runs nothing
 * @mpi    not collective; ranks may have different numbers
 * @errors none: -1 for what is no global  @source PyOP2 Global.dat_version */
OP2_API int64_t op2_gbl_changes(op2_gbl gbl);

/* ---- all objects of a context ---------------------------------------------------------------- */

/** Kinds of objects. */
typedef enum op2_object_kind {
  OP2_OBJECT_ANY,      /**< all kinds, where objects are asked for */
  OP2_OBJECT_SET,      /**< op2_set, also subsets */
  OP2_OBJECT_MAP,      /**< op2_map */
  OP2_OBJECT_DAT,      /**< op2_dat */
  OP2_OBJECT_GBL,      /**< op2_gbl */
  OP2_OBJECT_CONST,    /**< op2_const */
  OP2_OBJECT_KERNEL,   /**< op2_kernel */
  OP2_OBJECT_LOOP,     /**< op2_loop */
  OP2_OBJECT_SPARSITY, /**< op2_sparsity */
  OP2_OBJECT_MAT,      /**< op2_mat */
  OP2_OBJECT_SOLVER,   /**< op2_solver */
  OP2_OBJECT_OPERATOR, /**< op2_operator */
  OP2_OBJECT_COMPONENT /**< op2_dat that op2_dat_component() has made */
} op2_object_kind;

/** One object of a context. */
typedef struct op2_object {
  op2_object_kind kind; /**< what it is */
  void *handle;         /**< of the type that belongs to the kind */
  const char *name;     /**< its name, which lives as long as it does */
  const void *reserved; /**< null: room for later versions */
} op2_object;

/** @brief The number of objects of a kind that the program has made in a context and not destroyed.
 * Objects that the library makes for itself do not count.
 * @units  objects                         @memory keeps nothing
 * @sync   never blocks, runs nothing      @mpi    not collective
 * @errors none: 0 for a null handle, a context that has ended and an unknown kind
 * @source op2 */
OP2_API int64_t op2_objects(op2_context ctx, op2_object_kind kind);

/** @brief The i-th of these objects, in the order in which the program made them.
 * @memory *object is the caller's; the handle in it is a copy of the program's
 * @sync   never blocks, runs nothing      @mpi    not collective
 * @errors OP2_ERR_STATE, OP2_ERR_ARG; OP2_ERR_RANGE past the last one
 * @source OP2 op_diagnostic_output */
OP2_API OP2_NODISCARD op2_status op2_object_get(op2_context ctx, op2_object_kind kind, int i,
                                                op2_object *object);

#ifdef __cplusplus
}
#endif
#endif
