/* SPDX-License-Identifier: BSD-3-Clause */
/* One of the names by which programs for OP2 include its interface over MPI. */
/* Leave out MPI's old interface for C++, which would need another library. */
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>
/* Programs for OP2 mean the first rank by this name, which MPI has for something else. */
#undef MPI_ROOT
#define MPI_ROOT 0
#include "op2_compat_mpi.h"

#ifdef __cplusplus
extern "C" {
#endif
/** @brief The communicator of the ranks that compute, from op_init() on. OP_MPI_GLOBAL has all
 * ranks of the job, also those that do not compute; after op_mpi_init() of OP2's Fortran interface
 * it is the parameter `local`, as OP_MPI_WORLD is.
 * @memory the library's                   @sync   runs nothing
 * @mpi    not collective                  @errors none
 * @source OP2 OP_MPI_WORLD */
extern OP2_COMPAT_API MPI_Comm OP_MPI_WORLD;
extern OP2_COMPAT_API MPI_Comm OP_MPI_GLOBAL; /**< see OP_MPI_WORLD */
#ifdef __cplusplus
}
#endif
