/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_MPI_H
#define OP2_MPI_H

/** @cond */
/* Leave out MPI's old interface for C++, which would need another library. */
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
/** @endcond */
#include <mpi.h>

#include "op2/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file mpi.h
 * Contexts of several ranks, which are processes of MPI. These functions are in a library of their
 * own, libop2-mpi (`pkg-config op2-mpi`); libop2 itself does not use MPI, and op2.h does not
 * include this header. A program is compiled and linked with the MPI that libop2-mpi was built
 * with.
 *
 * The program owns MPI: it calls MPI_Init or MPI_Init_thread before op2_init_mpi(), and
 * MPI_Finalize after op2_finalize() and after it has destroyed what it made from the context.
 * Contexts of op2_init() have nothing to do with MPI and may be made before and after either.
 *
 * MPI_THREAD_FUNNELED is enough: only the threads that call functions of op2 call MPI, never a
 * worker. With it, and with MPI_THREAD_SINGLE, that has to be the thread that called MPI_Init; with
 * MPI_THREAD_SERIALIZED and MPI_THREAD_MULTIPLE a context may be another thread's.
 *
 * A rank that waits for others polls for messages for 20 microseconds, then yields its core to
 * other threads between polls, and from 150 microseconds on sleeps between them, longer and longer,
 * up to a millisecond at a time.
 *
 * Ranks of one node divide the cores that they may all use into equal parts, so that no two workers
 * are on one core. The first context of a process does this, and also binds the calling thread to
 * its part. OP2_THREADS (or ::op2_options.threads), else OMP_NUM_THREADS, is the number of workers
 * of a rank; if it is more than its part has cores, nothing is bound. If a launcher has bound ranks
 * to different cores, that is obeyed, and so are OMP_PROC_BIND and OMP_PLACES. op2_explain()
 * reports what was decided. If ranks of a node have cores in common that could be divided better,
 * the first rank warns of it once and says what to do; fewer cores than ranks are no reason for
 * that.
 *
 * A rank that calls MPI_Finalize while others still expect it to make calls of op2 is detected as
 * in op2_finalize(). A rank that calls exit() notifies those that wait for it. A rank that ends
 * without any of these, for example by a signal, ends the job, as MPI's launchers see to. If a rank
 * cannot go on and the others cannot be notified, the library says why on stderr and calls
 * MPI_Abort. */

/** @brief Start a context that is one rank of several.
 * As op2_init(), on every process of the communicator. An error on one of them is an error on all,
 * and names its rank.
 *
 * Processes that wait for one that has not come warn after 60 seconds and again at doubling times;
 * they cannot know which one is missing. After OP2_WAIT_MAX seconds (0, the default: never) they
 * get ::OP2_ERR_STATE. The next call on the communicator then goes on with the same wait, and
 * succeeds when all have come. Until then MPI can be used as before, except that no nonblocking
 * collective function is called on this communicator and none is made from it: a program that means
 * to go on alone gives op2 a duplicate of its own communicator.
 * @memory the communicator is duplicated, so messages of the library and the program's own cannot
 *         be confused. The duplicate is freed with the context and its last object. *options is
 *         read during the call only. The context is the caller's, to be ended by op2_finalize()
 * @sync   starts worker threads where the backend has some
 * @mpi    collective over comm; options, of the environment too, have to be the same on all of its
 *         processes, but for threads, cache_dir, cc, graph_file, log_level and those for
 *         which op2_environment_write() does not say so
 * @errors those of op2_init(); OP2_ERR_OPTION also where options differ that have to be the same
 *         (names the variable, two ranks and their values); OP2_ERR_STATE when MPI is not
 *         initialised, or finalized, or was initialised for another thread alone, and when a
 *         process has not come within OP2_WAIT_MAX seconds; OP2_ERR_ARG for MPI_COMM_NULL and
 *         intercommunicators; OP2_ERR_UNAVAILABLE when libop2-mpi is of another build than libop2;
 *         OP2_ERR_FATAL with MPI's own message when MPI fails; on error *ctx is untouched
 * @source OP2 op_mpi_init; PyOP2 op2.init(comm) */
OP2_API OP2_NODISCARD op2_status op2_init_mpi(const op2_options *options, MPI_Comm comm,
                                              op2_context *ctx);

/** @brief The context's own communicator, for other code that works on its data: files, solvers.
 * Its processes have the ranks that they have in the communicator of op2_init_mpi(), and errors on
 * it are returned (MPI_ERRORS_RETURN). The program's point-to-point messages must not be confused
 * with the library's: a program that sends its own makes a duplicate.
 * @memory the communicator is the context's and must not be freed; it goes with the context
 * @sync   never blocks, runs nothing      @mpi    not collective
 * @errors OP2_ERR_ARG (null pointer), OP2_ERR_STATE (no context; one of op2_init(), which has none;
 *         MPI is finalized); on error *comm is untouched
 * @source PyOP2 Set.comm */
OP2_API OP2_NODISCARD op2_status op2_mpi_comm(op2_context ctx, MPI_Comm *comm);

/** @brief op2_init_mpi() for a communicator as Fortran has it, an integer (MPI_Fint).
 * @memory as op2_init_mpi()               @sync   as op2_init_mpi()
 * @mpi    as op2_init_mpi()               @errors as op2_init_mpi()
 * @source MPI MPI_Comm_f2c */
OP2_API OP2_NODISCARD op2_status op2_init_mpi_f(const op2_options *options, MPI_Fint comm,
                                                op2_context *ctx);

#ifdef __cplusplus
}
#endif
#endif
