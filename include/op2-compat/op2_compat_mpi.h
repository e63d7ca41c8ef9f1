/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_COMPAT_MPI_H
#define OP2_COMPAT_MPI_H

#include "op2_compat.h"

/** @file op2_compat_mpi.h
 * The C++ interface of OP2 over ranks of MPI (doc/from-op2.md). Programs get it by op_lib_mpi.h or
 * op_mpi_core.h, or, if they name no header of MPI, by the macro OP2_COMPAT_MPI, which the flags of
 * op2-compat-mpi define. They link to libop2-compat-mpi.
 *
 * Each rank declares a block of each set, whose elements follow those of the lower ranks, and the
 * maps of these elements by numbers in the whole set. op_partition() then moves elements to their
 * owners. */

#ifdef __cplusplus
extern "C" {
#endif

/** @brief Let op_init() begin a context of all ranks. Each unit that includes this header has called
 * it when main() begins.
 * @memory keeps nothing                   @sync   never blocks, runs nothing
 * @mpi    not collective                  @errors none: returns 1
 * @source op2 */
OP2_COMPAT_API int op2_compat_mpi(void);
/** @brief As op_init(), for the ranks of a communicator, as an integer of Fortran: `local` has those
 * that compute, `global` all of the job.
 * @memory keeps nothing                   @sync   as op_init()
 * @mpi    collective over `local`         @errors end the program
 * @source OP2 op_mpi_init */
OP2_COMPAT_API void op_mpi_init(int argc, char **argv, int diags, int global, int local);
/** @brief As op_mpi_init(); the layout of data is the library's.
 * @memory keeps nothing                   @sync   as op_init()
 * @mpi    collective over `local`         @errors end the program
 * @source OP2 op_mpi_init_soa */
OP2_COMPAT_API void op_mpi_init_soa(int argc, char **argv, int diags, int global, int local,
                                    int soa);

#ifdef __cplusplus
}
static const int op2_compat_mpi_used __attribute__((unused)) = op2_compat_mpi();
#endif
#endif
