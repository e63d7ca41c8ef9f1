/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef AIRFOIL_MESH_HDF5_H
#define AIRFOIL_MESH_HDF5_H

#include "mesh.h"

/** @file mesh_hdf5.h
 * OP2's HDF5 file of the mesh (new_grid.h5), with OP2's names, read and written by the library. */

/** After this call mesh_open() and mesh_save() accept files that end in .h5. */
void mesh_hdf5_use(void);

#endif
