/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_XDMF_H
#define OP2_XDMF_H

#include "op2/mesh.h"
#include "op2/meshfile.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file xdmf.h
 * Results in HDF5 files of op2's flat layout (op2/io.h), and beside them an XDMF file: a small text
 * that says what these have, which ParaView, VisIt and meshio open. These functions are in
 * libop2-hdf5 (`pkg-config op2-hdf5`), and take meshes of libop2-meshfile; op2.h does not include
 * this header.
 *
 * A series `wave.xdmf` consists of
 *
 * - `wave.h5`: the nodes as the dat `coordinates`, and the cells as the numbers `topology`, which for
 *   each cell have XDMF's number of its type, the number of its nodes if it is a point or a line, and
 *   its nodes;
 * - `wave-0000.h5`, `wave-0001.h5` and so on: the dats of each time, under their names. So
 *   op2_file_read_dat() reads them, on any number of ranks;
 * - `wave.xdmf`, which is replaced when a time is complete, and never has one that is not.
 *
 * Elements are in the order of the mesh's file, however many ranks there are. */

/** A series of values in files of HDF5, with an XDMF file. */
typedef struct op2_xdmf_s *op2_xdmf;

/** @brief Begin a series: write the file of the mesh.
 * @units  coordinates as in the mesh's file
 * @memory path is copied, and ends with .xdmf or .xmf; the mesh is kept by its handle, and must live
 *         as long as values are written. For the time of the call, 8 bytes for each number of a
 *         rank's share of the topology
 * @sync   as op2_dat_get() of the coordinates, and waits for the file system
 * @mpi    collective; all ranks see the same folder
 * @errors OP2_ERR_ARG (null, no mesh), OP2_ERR_NAME (another ending), OP2_ERR_STATE (the mesh's context
 *         has ended), OP2_ERR_IO (the file cannot be written), OP2_ERR_UNAVAILABLE (libraries of
 *         different builds, a type of cells that XDMF lacks), OP2_ERR_NOMEM; on error *series is
 *         untouched
 * @source XDMF model and format */
OP2_API OP2_NODISCARD op2_status op2_xdmf_create(op2_mesh mesh, const char *path, op2_xdmf *series);

/** @brief Write values at a time: a file of them, and the XDMF file anew. Unlike results as VTU and
 * VTKHDF they are on the disk when the call returns.
 *
 * Dats are on nodes or on cells, and each has its name. A time may have other dats than the ones
 * before.
 * @shape  dats[n]                         @units  time: the program's
 * @memory dats is read; a rank's share of the largest dat, for the time of the call
 * @sync   as op2_dat_get() of each dat, and waits for the file system
 * @mpi    collective
 * @errors OP2_ERR_ARG, OP2_ERR_MISMATCH (a dat of another set), OP2_ERR_NAME (two dats of one name),
 *         OP2_ERR_STATE, OP2_ERR_IO, OP2_ERR_NOMEM, or the execution failure that poisoned a dat; on
 *         error the XDMF file is what it was
 * @source XDMF model and format */
OP2_API OP2_NODISCARD op2_status op2_xdmf_write(op2_xdmf series, double time, int n,
                                                const op2_dat *dats);

/** @brief Give up a series. Its files stay.
 * @memory frees what is kept              @sync   never blocks, runs nothing
 * @mpi    not collective                  @errors none
 * @source op2 */
OP2_API void op2_xdmf_destroy(op2_xdmf *series);

#ifdef __cplusplus
}
#endif
#endif
