/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_GRAPH_H
#define OP2_GRAPH_H

#include <stdint.h>
#include <stdio.h>

#include "op2/status.h"
#include "op2/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file graph.h
 * Inspecting the queue, running it, and measuring its cost. */

/** @brief Run everything that is queued and wait for it.
 * Queued loops are transformed before they run: loops over one set may be fused, and the program
 * made for a queue is kept for the next queue like it, if the queue has come twice. Loops are fused
 * only with others that the same call runs, so fewer flushes leave more to gain.
 * @memory keeps plans, code and up to 64 programs of queues seen before, until op2_finalize();
 *         the programs take OP2_PROGRAM_BYTES at most (64 MiB by default)
 * @sync   flushes and waits
 * @mpi    collective
 * @errors the lowest-numbered execution failure not reported before; OP2_ERR_STATE
 * @source op2; PyOP2 lazy evaluate_all */
OP2_API OP2_NODISCARD op2_status op2_flush(op2_context ctx);

/** @brief Write the graph of the loops and calls that are queued, in Graphviz' language.
 * A loop shows its kernel, set, call site and state, a call its function; an edge shows the dat or
 * global and RAW, WAR or WAW; and a legend explains this. The text is the same for the same
 * program, run after run. Loops are shown as they were queued; the loops that they were fused to
 * are in the file that OP2_GRAPH names, which is written once they have run: there a box is drawn
 * round loops that were fused and, among ranks, halo exchanges stand between the loops that made
 * the values and the loop that waited for them.
 * @memory keeps nothing                   @sync   never blocks, runs nothing
 * @mpi    rank-local                      @errors OP2_ERR_STATE, OP2_ERR_ARG, OP2_ERR_IO,
 *         OP2_ERR_NOMEM
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_graph_write_dot(op2_context ctx, FILE *stream);

/** @brief Explain in words what the context did with the loops it was given.
 * Reports what forced them to run; for each program kept, which loops were fused, which were not
 * and why; how well each map is numbered; for each loop, how often it ran by itself or as part of
 * others, its blocks and colours, whether it is vector code or why not, and which form was faster in
 * a trial.
 * @memory keeps nothing                   @sync   never blocks, runs nothing
 * @mpi    rank-local                      @errors OP2_ERR_ARG, OP2_ERR_IO
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_explain(op2_context ctx, FILE *stream);

/** @brief The number of loops and calls queued and not yet run.
 * @units  loops and calls                 @memory keeps nothing
 * @sync   never blocks, runs nothing      @mpi    rank-local
 * @errors none: 0 for a null handle       @source op2 */
OP2_API int64_t op2_queued(op2_context ctx);

/** The cost of one kernel over one set so far. */
typedef struct op2_profile {
  const char *kernel;  /**< the kernel's name */
  const char *set;     /**< the set's name */
  int64_t calls;       /**< loops run */
  int64_t elements;    /**< elements all of them ran over */
  double seconds;      /**< time in generated code, summed over workers; what loops that were fused
                           took is divided by the bytes that each would move alone. On a device: by
                           its own clock, times the number of workers; the first run and one in
                           eight are measured, and stand for the others */
  double bytes;        /**< least data they had to move unfused: each value once, maps included */
  double reserved[10]; /**< 0: room for later versions */
} op2_profile;

/** @brief The i-th line of the profile, in the order the loops were first run.
 * @memory *profile is the caller's; the strings in it live as long as the kernel and the set
 * @sync   never blocks, runs nothing      @mpi    rank-local
 * @errors OP2_ERR_ARG; OP2_ERR_RANGE past the last line
 * @source OP2 op_timing_output */
OP2_API OP2_NODISCARD op2_status op2_profile_get(op2_context ctx, int i, op2_profile *profile);

/** The time since op2_init(), in seconds on the clock; the five parts add up to the total. */
typedef struct op2_times {
  double total;     /**< since op2_init() was called */
  double loops;     /**< in generated code: the profile's seconds, which are summed over workers,
                         divided by their number */
  double waiting;   /**< idle time of workers while loops ran: waiting for others to end, for tasks
                         or for reductions; a second of one worker among four counts a quarter */
  double compiling; /**< finding, compiling and loading generated code */
  double preparing; /**< fusing, generating code, planning, cutting into tasks */
  double elsewhere; /**< the rest: the program and its calls, queueing, copying data in and out */
  int64_t compiled; /**< loops, fused ones too, that were compiled */
  int64_t loaded;   /**< and those whose code was found in the cache on disk */
  double reserved[8]; /**< 0: room for later versions */
} op2_times;

/** @brief Get the times of the context.
 * The clock is not read when loops are queued: the time of a loop is counted when it has run.
 * @memory *times is the caller's          @sync   never blocks, runs nothing
 * @mpi    rank-local                      @errors OP2_ERR_STATE, OP2_ERR_ARG
 * @source OP2 op_timing_output; PyOP2 timing summary */
OP2_API OP2_NODISCARD op2_status op2_times_get(op2_context ctx, op2_times *times);

/** @brief Print a table of where the time since op2_init() went.
 * Lines are loops (calls, seconds on the clock, share of the total, gigabytes that they have to move
 * at least, and these per second), those that took most first, also of kernels and sets that are
 * destroyed (of up to 1,024 of them, by their names), and then waiting, compiling, preparing and the
 * program itself; before them the messages of halos and the transfers of a device, if there are any.
 * OP2_REPORT=1 prints the table on standard error when a context ends, and OP2_REPORT=FILE writes it
 * to a file.
 * @units  seconds, gigabytes              @memory keeps nothing
 * @sync   never blocks, runs nothing      @mpi    rank-local: of this rank
 * @errors OP2_ERR_STATE, OP2_ERR_ARG, OP2_ERR_IO, OP2_ERR_NOMEM
 * @source OP2 op_timing_output */
OP2_API OP2_NODISCARD op2_status op2_report(op2_context ctx, FILE *stream);

/** @brief Write the figures of the table as JSON.
 * They are those of op2_profile_get() (`loops`), op2_times_get() (`seconds`, `compiled`, `loaded`),
 * op2_comm_stats_get() (`halos`) and op2_device_stats_get() (`device`). OP2_REPORT=FILE.json writes
 * them to a file when a context ends.
 * @units  seconds, bytes                  @memory keeps nothing
 * @sync   never blocks, runs nothing      @mpi    rank-local: of this rank
 * @errors OP2_ERR_STATE, OP2_ERR_ARG, OP2_ERR_IO, OP2_ERR_NOMEM
 * @source OP2 op_timings_to_csv */
OP2_API OP2_NODISCARD op2_status op2_report_json(op2_context ctx, FILE *stream);

/** @brief Begin a section of the program, for reports and timelines.
 * The loops that are queued from here until op2_section_end() belong to the section, whenever they
 * run: their time counts there, and nothing is run earlier for its sake. A section may be in
 * another one; a name that comes again in the same section is the same section. op2_report() lists
 * sections with the loops queued in them, op2_report_json() has them under `sections`, and in the
 * timeline of OP2_TRACE a section is a slice of the host, from its beginning to its end in the
 * program. The parts of a fused loop count each in its own section.
 * @memory name is copied                  @sync   never blocks, runs nothing
 * @mpi    rank-local                      @errors OP2_ERR_ARG: no name; OP2_ERR_STATE: in a function
 *         of op2_call() or of an operator; OP2_ERR_NOMEM
 * @source PETSc PetscLogEventBegin; Kokkos Profiling::pushRegion */
OP2_API OP2_NODISCARD op2_status op2_section_begin(op2_context ctx, const char *name);

/** @brief End the section that began last.
 * Sections that have not ended when the context does end with it.
 * @shape  name: of the section, to be compared with; null: it is not compared
 * @memory keeps nothing                   @sync   never blocks, runs nothing
 * @mpi    rank-local                      @errors OP2_ERR_STATE: none has begun, the name is
 *         another one, or as for op2_section_begin()
 * @source PETSc PetscLogEventEnd; Kokkos Profiling::popRegion */
OP2_API OP2_NODISCARD op2_status op2_section_end(op2_context ctx, const char *name);

#ifdef __cplusplus
}
#endif
#endif
