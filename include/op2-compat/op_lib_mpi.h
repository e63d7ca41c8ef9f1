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
/** @brief The ranks that compute, and all of the job, from op_init() on.
 * @memory the library's                   @sync   runs nothing
 * @mpi    not collective                  @errors none
 * @source OP2 OP_MPI_WORLD */
extern OP2_COMPAT_API MPI_Comm OP_MPI_WORLD;
extern OP2_COMPAT_API MPI_Comm OP_MPI_GLOBAL; /**< see OP_MPI_WORLD */
#ifdef __cplusplus
}
#endif
