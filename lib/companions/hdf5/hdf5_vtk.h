/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_HDF5_VTK_H
#define OP2I_HDF5_VTK_H

/* Results as VTKHDF: one time of a series, from when it is asked for until it is written. */

#include "meshfile.h"
#include "vtu.h"

struct op2i_vtk_time {
  const struct op2i_companion *op2;
  const struct op2i_mesh_methods *methods;
  struct op2i_comm *comm; /* null: alone */
  struct op2i_vtu_job *cells;
  char *path;
  double time;
  bool first; /* makes the file */
};

/* hdf5_vtk.c: the mesh is another library's, whose functions are reached through the mesh itself. */
op2_status op2i_hdf5_check_mesh(const struct op2i_companion *op2, op2_mesh mesh, const char *call);
/* hdf5_vtk_file.c: an op2_call_function. values[0] are the coordinates, those of dats follow. */
int op2i_vtk_time_run(void *data, void *const *values);

#endif
