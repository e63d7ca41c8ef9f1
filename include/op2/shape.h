/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_SHAPE_H
#define OP2_SHAPE_H

#include <stdint.h>

#include "op2/status.h"
#include "op2/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file shape.h
 * The shapes of objects: the number and type of their values. The other functions take untyped
 * memory and rely on the caller for its size. Interfaces for other languages, whose arrays know
 * their extents and types, compare them with these before they pass an array on.
 *
 * Every output may be null, and is then left out. */

/** @brief Get the shape of a dat.
 * @units  `dim`: values for each element; `owned` and `total`: elements of its set below the end of
 *         the owned and of the last section
 * @memory outputs are the caller's, untouched on error
 * @sync   never blocks, runs nothing      @mpi    not collective; sizes are rank-local
 * @errors OP2_ERR_ARG, OP2_ERR_STATE      @source PyOP2 Dat.shape, Dat.dtype */
OP2_API OP2_NODISCARD op2_status op2_dat_shape(op2_dat dat, int *dim, op2_type *type,
                                               int64_t *owned, int64_t *total);

/** @brief Get the shape of a global.
 * @units  values                          @memory as op2_dat_shape()
 * @sync   never blocks, runs nothing      @mpi    not collective
 * @errors OP2_ERR_ARG, OP2_ERR_STATE      @source PyOP2 Global.shape, Global.dtype */
OP2_API OP2_NODISCARD op2_status op2_gbl_shape(op2_gbl gbl, int *dim, op2_type *type);

/** @brief Get the shape of a constant.
 * @units  values                          @memory as op2_dat_shape()
 * @sync   never blocks, runs nothing      @mpi    not collective
 * @errors OP2_ERR_ARG, OP2_ERR_STATE      @source PyOP2 Const.dim, Const.dtype */
OP2_API OP2_NODISCARD op2_status op2_const_shape(op2_const cst, int *dim, op2_type *type);

/** @brief Get the shape of a map: its arity, and the rows that it has here.
 * @units  `arity`: slots; `rows`: elements of the set that it starts from, halo included
 * @memory as op2_dat_shape()
 * @sync   never blocks, runs nothing      @mpi    not collective; rows are rank-local
 * @errors OP2_ERR_ARG, OP2_ERR_STATE      @source PyOP2 Map.arity */
OP2_API OP2_NODISCARD op2_status op2_map_shape(op2_map map, int *arity, int64_t *rows);

/** @brief Get the shape of a matrix: the extents and the type of its blocks, and the number of its
 * nonzeros, as op2_mat_get() copies them.
 * @units  `row_dim` and `column_dim`: values; `places`: blocks in owned rows
 * @memory as op2_dat_shape()
 * @sync   never blocks, runs nothing      @mpi    not collective; owned rows
 * @errors OP2_ERR_ARG, OP2_ERR_STATE      @source PyOP2 Mat.dims, Mat.dtype */
OP2_API OP2_NODISCARD op2_status op2_mat_shape(op2_mat mat, int *row_dim, int *column_dim,
                                               op2_type *type, int64_t *places);

#ifdef __cplusplus
}
#endif
#endif
