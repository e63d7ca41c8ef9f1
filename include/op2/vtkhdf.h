/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_VTKHDF_H
#define OP2_VTKHDF_H

#include "op2/loop.h"
#include "op2/mesh.h"
#include "op2/meshfile.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file vtkhdf.h
 * Results as VTKHDF: one HDF5 file for a whole series, which ParaView and VTK open (from VTK 9.3 on),
 * and which h5py and other programs for HDF5 read as well. These functions are in libop2-hdf5
 * (`pkg-config op2-hdf5`), and take meshes of libop2-meshfile; op2.h does not include this header.
 *
 * The cells are stored once, in the file's group `VTKHDF` with a partition for each rank, and each
 * time adds values to `PointData` and `CellData`, and an entry to `Steps`. */

/** A series of values in one file. */
typedef struct op2_vtkhdf_s *op2_vtkhdf;

/** @brief Begin a file of results. A former file of this name is replaced when the first values are
 * written.
 * @memory path is copied; the mesh is kept by its handle, and must live as long as values are added
 * @sync   runs nothing; waits for the file system
 * @mpi    collective; all ranks see the same folder
 * @errors OP2_ERR_ARG (null, no mesh), OP2_ERR_STATE (the mesh's context has ended), OP2_ERR_IO (the
 *         file cannot be written), OP2_ERR_UNAVAILABLE (libraries of different builds),
 *         OP2_ERR_NOMEM; on error *file is untouched
 * @source VTKHDF file format, UnstructuredGrid */
OP2_API OP2_NODISCARD op2_status op2_vtkhdf_create(op2_mesh mesh, const char *path,
                                                   op2_vtkhdf *file);

/** @brief Queue the writing of values at a time. Use op2_vtkhdf_write(), which fills in `where`. The
 * values are those that the dats have at this place of the queue; they are written when the queue
 * runs, as by op2_call(), and the program goes on at once.
 *
 * Dats are on nodes, and on one of the other sets: cells, interior faces or boundary faces, which then
 * are the cells of the file. Each has its name in the file; vectors of two components get a third,
 * which is 0. The first call decides which dats a file has, and all later ones have dats of the same
 * names, types, dims and sets in the same order. Values are compressed where HDF5 has zlib.
 *
 * With several ranks each adds its values in turn, without MPI-IO.
 * @shape  dats[n]                         @units  time: the program's
 * @memory dats is copied; the connectivity is held until the values are written. The mesh may be
 *         destroyed before the queue has run
 * @sync   as op2_call(): runs nothing, but in eager mode
 * @mpi    collective, after op2_partition()
 * @errors OP2_ERR_ARG, OP2_ERR_MISMATCH (a dat of another set, two dats of one name, or other dats
 *         than before), OP2_ERR_STATE (before op2_partition()), OP2_ERR_NOMEM; later OP2_ERR_CALL if
 *         the values cannot be written, with the reason in the log (OP2_LOG=1). Times that the file has
 *         already can be read then, too
 * @source VTKHDF file format, Steps */
OP2_API OP2_NODISCARD op2_status op2_vtkhdf_write_at(op2_where where, op2_vtkhdf file, double time,
                                                     int n, const op2_dat *dats);

/** Queue the writing of values at a time, `op2_vtkhdf_write(file, time, n, dats)`; see
 * op2_vtkhdf_write_at(). */
#define op2_vtkhdf_write(file, time, n, ...)                                                       \
  op2_vtkhdf_write_at(OP2_HERE, file, time, n, __VA_ARGS__)

/** @brief Give up a file. Values that are queued will be written.
 * @memory frees what is kept              @sync   never blocks, runs nothing
 * @mpi    not collective                  @errors none
 * @source op2 */
OP2_API void op2_vtkhdf_destroy(op2_vtkhdf *file);

#ifdef __cplusplus
}
#endif
#endif
