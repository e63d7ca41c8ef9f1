/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_CONTEXT_H
#define OP2_CONTEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "op2/status.h"
#include "op2/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file context.h
 * The life of a context. A member of ::op2_options that is left zero (or null) is taken from the
 * environment variable named beside it, and otherwise from the default. `op2_environment_write`
 * prints the table of all variables. A variable that is set to the empty string counts as not set;
 * one that starts with OP2_ and is not in the table is warned of (but for OP2_TEST_*, which belong
 * to the library's tests). Some have no option: OP2_SIMD, OP2_STREAM_MB, OP2_FUSE, OP2_REPLAY,
 * OP2_TEAM, OP2_NUMA, OP2_RENUMBER and OP2_SLICES switch parts of the library off, to measure
 * their effect; with OP2_LIBM=1 kernels call the C library's exp() and the like in place of the
 * library's own, whose errors are below one unit in the last place, and whose last bits may differ
 * between processors with fused multiplication and addition and without; with OP2_CONTRACT=1
 * products of doubles that are added are rounded once (op2/loop.h); OP2_WAIT_MAX is the time that
 * ranks wait for each other, OP2_CC_TIMEOUT the seconds that a compiler may take, and OP2_CACHE_MB
 * the size that the cache of compiled loops may have; OP2_DEVICE and OP2_DEVICE_STRATEGY choose
 * the device that loops run on, and how they add there (doc/devices.md).
 *
 * In a process with more rights than the user who started it (set-user-ID, set-group-ID or file
 * capabilities: AT_SECURE) no variable is read, HOME, TMPDIR and PATH included; options count as
 * usual. The compiler is then looked for in /usr/bin and /bin only and runs with an environment of
 * its own, and the backend starpu is not available. Such a program should name headers by absolute
 * paths.
 *
 * **Ranks.** The `@mpi` line of a call says what the ranks of a program have to do together. Loops
 * and calls are queued by every rank in the same order. Every call that may run some of them is
 * *collective*: all ranks make it at the same point of that order, for the same object, since what
 * runs on one rank may need values of others. This holds for everything that forces (`@sync`),
 * op2_dat_get() and access scopes included, and for full queues and eager contexts. Calls that
 * declare something (sets, maps, dats, globals, constants, kernels, ParLoops) are collective as
 * well: the object then exists on all ranks, or on none, with the error of the lowest rank that
 * failed. op2_gbl_set() and op2_const_set() do not wait for other ranks, but every rank makes them
 * at the same point, too. All other calls, op2_*_destroy() among them, concern their own rank only.
 *
 * Ranks compare these calls in the messages that they send each other anyway: their number, kind,
 * names, objects, shapes, accesses, kernel texts, and values that have to be the same. If two ranks
 * that made different calls exchange messages, or wait for each other, all ranks get
 * ::OP2_ERR_FATAL within ten seconds, with the first call in which two ranks differ, and what each
 * of them has there. If a rank is merely silent, those that wait for it log a warning after 60
 * seconds and again at doubling times; after OP2_WAIT_MAX seconds they end the contexts of all
 * ranks (0, the default: never). op2_init_mpi() waits in the same way for ranks that have not come
 * to it.
 *
 * Contexts of several ranks are made by op2_init_mpi() (op2/mpi.h); all others have one process
 * only.
 *
 * **Processes.** A context belongs to the process that made it. In a child made by fork() every
 * call on it and on its objects returns ::OP2_ERR_STATE and changes nothing; destroying its objects
 * only nulls the handles. A child can make contexts of its own: on the backends sequential, check
 * and openmp always, on starpu if StarPU was not running at the fork. exec(), posix_spawn() and
 * system() need no care. A process may end in any way at any time: exit() from any thread, exit
 * handlers that use a context, signals. Loops that are still queued are lost then. If exit() is not
 * called, after pthread_exit() of the main thread, a process with a context on starpu ends when no
 * threads but StarPU's are left. dlclose() leaves the shared library loaded, whether contexts exist
 * or not. A plugin that the static library is linked into finalizes its contexts before it is
 * unloaded. */

/** Options of a context. Zero-initialise, then fill in; members that are 0 have the value of the
 * environment variable that is named here, and without it the default. */
typedef struct op2_options {
  const char *backend;    /**< OP2_BACKEND: sequential, openmp, starpu, cuda, hip, opencl, check,
                             or static, whose loops have source (op2_loop_generate()) and do not
                             run; default starpu, or openmp where StarPU cannot be started or was
                             built for fewer workers than are wanted */
  int threads;            /**< OP2_THREADS: CPU workers; default OMP_NUM_THREADS on openmp if
                               that is set, else one per usable core */
  int eager;              /**< OP2_EAGER: 1 runs every loop and call at once, -1 does not */
  int block_size;         /**< OP2_BLOCK_SIZE: elements per mini-partition */
  int queue_max;          /**< OP2_QUEUE_MAX: loops and calls that may wait to be run */
  const char *cache_dir;  /**< OP2_CACHE_DIR: where compiled loops are kept */
  const char *cc;         /**< OP2_CC: C compiler for generated code. It runs in the environment
                             (PATH, COMPILER_PATH, ...) that the process has when the context's
                             first loop is compiled */
  const char *cflags;     /**< OP2_CFLAGS: replaces the optimisation flags; those that values depend
                             on (op2/loop.h) stay, but can be taken back: -ffast-math (denormal
                             numbers are kept all the same), -fno-wrapv */
  const char *graph_file; /**< OP2_GRAPH: DOT file, of what ran; "%d" in it is the flush number,
                             "%r" the rank: without it rank 0 alone writes */
  int log_level;          /**< OP2_LOG: 0 silent, 1 errors, 2 warnings, 3 info, 4 debug */
  int reserved_numbers[9]; /**< 0: room for options of later versions */
  const char *device; /**< OP2_DEVICE: of the backends cuda, hip and opencl: a number from 0, or
                              part of its name, or several of these, separated by commas, which the
                              ranks of a node take in turn; default the best, of several that are
                              alike each rank of a node another */
  const void *reserved[5]; /**< null: as reserved_numbers */
} op2_options;

/** @brief Start a context: choose the backend, find workers, open the cache of compiled loops.
 * @memory *options is read during the call only; null means all defaults. The context is the
 *         caller's, to be ended by op2_finalize()
 * @sync   starts worker threads where the backend has some
 * @mpi    not collective: the context is the process's own
 * @errors OP2_ERR_OPTION (names the option or variable and the value; also for reserved members
 *         that are not zero), OP2_ERR_UNAVAILABLE (names the backend and says why it cannot run
 *         here), OP2_ERR_NOMEM; on error *ctx is untouched
 * @source OP2 op_init; PyOP2 op2.init */
OP2_API OP2_NODISCARD op2_status op2_init(const op2_options *options, op2_context *ctx);

/** @brief Run what is still queued, end the context and null the handle.
 * The context ends whatever status is returned, except for a call inside a function of op2_call()
 * or of an operator. Objects made from it stay valid handles until they are destroyed, but every
 * call on them except destruction then returns OP2_ERR_STATE. Finalizing one of several copies of a
 * handle ends the context for all of them. A program that ends without this call loses what is
 * queued; a warning says how many loops those were.
 * @memory frees the context once its last object is destroyed; a null handle is a no-op
 * @sync   flushes and waits
 * @mpi    collective: no rank ends while others go on; where one would, all ranks get an error
 *         (Ranks, above)
 * @errors the lowest-numbered execution failure not reported before; OP2_ERR_FATAL where other
 *         ranks made other calls; OP2_ERR_STATE for a copy of a handle that was finalized, and in a
 *         forked child; OP2_ERR_STATE inside an operator's or a call's function, where the context
 *         does not end; OP2_ERR_ARG for what is no context
 * @source OP2 op_exit; PyOP2 op2.exit */
OP2_API OP2_NODISCARD op2_status op2_finalize(op2_context *ctx);

/** @brief The version of the library that is loaded, for example "0.2.0"; that of the headers is in
 * op2/version.h.
 * @memory the string is static            @sync   never blocks, runs nothing
 * @mpi    not collective                  @errors none
 * @source MPI_Get_library_version, H5get_libversion */
OP2_API const char *op2_version(void);

/** @brief True if a context exists and is not finalized.
 * @memory keeps nothing                   @sync   never blocks, runs nothing
 * @mpi    not collective                  @errors none: false for a null handle
 * @source PyOP2 op2.initialised */
OP2_API bool op2_initialised(op2_context ctx);

/** @brief The name of the backend a context runs on, for example "starpu".
 * @memory the string is static            @sync   never blocks, runs nothing
 * @mpi    not collective                  @errors none: null for a null handle
 * @source PyOP2 configuration["backend"] */
OP2_API const char *op2_backend_name(op2_context ctx);

/** @brief The number of CPU workers the context's backend really runs with.
 * @units  threads                         @memory keeps nothing
 * @sync   never blocks, runs nothing      @mpi    not collective
 * @errors none: 0 for a null handle       @source op2 */
OP2_API int op2_workers(op2_context ctx);

/** @brief Why a backend cannot be used here.
 * @memory the string is static; null when the backend is usable
 * @sync   never blocks, runs nothing      @mpi    not collective
 * @errors none: an unknown name is answered in words as well
 * @source libCEED's answering delegates */
OP2_API const char *op2_backend_unavailable(const char *name);

/** @brief Print the table of environment variables: name, default, present value and meaning; and
 * that none is read, where that is so. The devices of the backends cuda, hip and opencl follow, by
 * the numbers that OP2_DEVICE takes, or the reason why there are none: drivers are opened for that.
 * @memory keeps nothing                   @sync   runs nothing
 * @mpi    not collective                  @errors OP2_ERR_ARG (null stream), OP2_ERR_IO
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_environment_write(FILE *stream);

#ifdef __cplusplus
}
#endif
#endif
