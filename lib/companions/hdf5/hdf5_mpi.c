/* SPDX-License-Identifier: BSD-3-Clause */
/* Files over ranks of MPI, where HDF5 and op2 were built with the same one. */
#include "hdf5_file.h"

#ifdef OP2_HDF5_MPI
#include "op2/mpi.h"

op2_status op2i_hdf5_ranks_check(const struct op2i_companion *op2, op2_context ctx) {
  MPI_Comm comm;
  if (!op2_mpi_comm(ctx, &comm)) return OP2_SUCCESS;
  return op2->error(OP2_ERR_UNAVAILABLE,
                    "files over ranks need a context of op2_init_mpi(), which this is not");
}

op2_status op2i_hdf5_ranks(const struct op2i_companion *op2, op2_context ctx, hid_t access,
                           hid_t transfer) {
  MPI_Comm comm;
  op2_status status = op2_mpi_comm(ctx, &comm);
  if (status) return status;
  if (H5Pset_fapl_mpio(access, comm, MPI_INFO_NULL) < 0 ||
      H5Pset_all_coll_metadata_ops(access, true) < 0 ||
      H5Pset_coll_metadata_write(access, true) < 0 ||
      H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE) < 0)
    return op2->error(OP2_ERR_IO, "HDF5 cannot be made to use MPI");
  return OP2_SUCCESS;
}

bool op2i_hdf5_ranks_over(void) {
  int over = 0;
  MPI_Finalized(&over);
  return over;
}
#else
op2_status op2i_hdf5_ranks_check(const struct op2i_companion *op2, op2_context ctx) {
  (void)ctx;
  return op2->error(OP2_ERR_UNAVAILABLE, "files over ranks need an HDF5 with MPI, and libop2_hdf5 "
                                         "was built without");
}

op2_status op2i_hdf5_ranks(const struct op2i_companion *op2, op2_context ctx, hid_t access,
                           hid_t transfer) {
  (void)access, (void)transfer;
  return op2i_hdf5_ranks_check(op2, ctx);
}

bool op2i_hdf5_ranks_over(void) { return false; }
#endif
