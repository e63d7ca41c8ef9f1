/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_CHECKPOINT_H
#define OP2_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "op2/status.h"
#include "op2/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file checkpoint.h
 * The state of a program, written to files from time to time, so that a later run can go on from
 * there. These functions are in libop2-hdf5 (`pkg-config op2-hdf5`), and op2.h does not include
 * this header. doc/checkpoints.md has an example.
 *
 * A program declares its mesh, dats and globals as ever, names what makes up its state, and calls
 * op2_checkpoint_read() before its time loop and op2_checkpoint_step() in it:
 *
 *     op2_checkpoint_create(ctx, "run/flow", NULL, &ck);
 *     op2_checkpoint_add_all(ck);
 *     op2_checkpoint_add_counter(ck, "step", OP2_I64, 1, &step);
 *     op2_checkpoint_read(ck, &found);
 *     while (step < steps && !stop) {
 *       ... queue the loops of a step ...
 *       step++;
 *       op2_checkpoint_step(ck, &stop);
 *     }
 *
 * **Files.** The checkpoints of PATH are PATH.000001.h5, PATH.000002.h5 and so on, HDF5 files of
 * OP2's flat layout (op2/io.h): every dat, global, constant and counter is a dataset of its name,
 * and the text `op2_checkpoint` lists them. Sets and maps are not in them, since the program
 * declares these itself; names and sizes of sets are, and are compared when a checkpoint is read.
 * Each file is written beside its place and renamed when all of it is on the disk. Then the oldest
 * ones are removed. So the last `keep` complete checkpoints are there at any time, whenever a
 * process is killed, and if the disk is full; the disk has to have space for one more. Two programs
 * must not use one PATH at a time, and a computation that begins anew should have one of its own.
 *
 * **Damage.** A checkpoint has checksums of all that is read from it. One that is truncated, or has
 * a bit changed, is not read: a line of the log says why, and the one before it is taken.
 *
 * **Ranks.** A checkpoint can be read on any number of ranks, whatever number wrote it, since
 * elements are numbered as all ranks know them. Every call here is collective, but for those that
 * say otherwise.
 *
 * **The same bits.** A program that goes on from a checkpoint gets the bits that it would have got
 * without the interruption, on as many ranks, if it declares and partitions its mesh in the same
 * way and queues the same loops from there. The state of automatic renumbering is kept for that.
 * Only two loops that add to the same dat through a map, and were fused, may differ then, as they
 * may wherever flushes have another place (OP2_FUSE=0 rules it out). On another number of ranks
 * sums are in another order. */

typedef struct op2_checkpoint_s *op2_checkpoint; /**< where and when a state is kept */

/** When checkpoints are written, and how many are kept. A member that is zero has its default. */
typedef struct op2_checkpoint_options {
  int keep;   /**< checkpoints that are kept; default 2 */
  int signal; /**< the signal after which op2_checkpoint_step() writes a checkpoint and asks the
                       program to stop; default SIGTERM; -1: none. Batch systems can send one before
                       the time of a job is over */
  double
      seconds;  /**< time from one checkpoint to the next; default 600; negative: only by `calls` */
  double share; /**< most of the time that checkpoints may take that are due by `seconds`: after one
                       that took long the next one waits; default 0.1; 1: no limit */
  int64_t calls; /**< a checkpoint at every so many calls of op2_checkpoint_step(), whatever it
                       takes; default: none */
  int reserved_numbers[4]; /**< 0: room for options of later versions */
  const void *reserved[4]; /**< null: as reserved_numbers */
} op2_checkpoint_options;

/** Counts of what was done with a handle. */
typedef struct op2_checkpoint_info {
  int64_t newest;  /**< number of the newest checkpoint that was written or read; 0: none */
  int64_t read;    /**< number of the one that was read last; 0: none */
  int64_t damaged; /**< checkpoints that could not be read */
  int64_t written; /**< checkpoints that were written */
  int64_t failed;  /**< attempts to write one that failed */
  double seconds;  /**< time that writing took on this rank, with what was queued and had to run */
  int64_t reserved[8]; /**< 0: room for later versions */
} op2_checkpoint_info;

/** @brief Prepare checkpoints of the files PATH.000001.h5 and so on.
 * A handler is installed for the signal. It notes that the signal has come and calls the handler
 * that the program had before, if there was one; a handler that the program installs later has to
 * do the same.
 * @memory path and options are copied; the handle is the caller's, and keeps the context's memory
 *         until op2_checkpoint_destroy(), which has to come before op2_finalize() and MPI_Finalize
 * @sync   runs nothing; waits for the file system
 * @mpi    collective; alike on all ranks
 * @errors OP2_ERR_ARG (null), OP2_ERR_STATE (no context), OP2_ERR_NAME (a path without a name),
 *         OP2_ERR_OPTION (a member that has no such value, reserved members that are not zero),
 *         OP2_ERR_IO (no such folder), OP2_ERR_UNAVAILABLE (as op2_file_open()), OP2_ERR_NOMEM; on
 *         error *checkpoint is untouched
 * @source OP2 op_checkpointing_init (older versions) */
OP2_API OP2_NODISCARD op2_status op2_checkpoint_create(op2_context ctx, const char *path,
                                                       const op2_checkpoint_options *options,
                                                       op2_checkpoint *checkpoint);

/** @brief Give up a handle and null it. Its files stay.
 * @memory freed; a null handle is a no-op. The former handler of the signal is installed again,
 *         unless the program has installed another one
 * @sync   never blocks, runs nothing      @mpi    not collective
 * @errors none                            @source OP2 op_exit */
OP2_API void op2_checkpoint_destroy(op2_checkpoint *checkpoint);

/* ---- what is kept ---------------------------------------------------------------------------- */

/** @brief Keep all dats and globals that the program has now, but for those that are kept already.
 * Each needs a name of its own. Constants and matrices are not among them.
 * @memory the objects have to exist until the checkpoint is destroyed
 * @sync   runs nothing
 * @mpi    collective
 * @errors as op2_checkpoint_add_dat(); then nothing was added
 * @source OP2 op_checkpointing_init */
OP2_API OP2_NODISCARD op2_status op2_checkpoint_add_all(op2_checkpoint checkpoint);

/** @brief Keep a dat, under its name.
 * @memory the dat has to exist until the checkpoint is destroyed: one that the program destroys is
 *         an error of the next write or read
 * @sync   runs nothing
 * @mpi    collective
 * @errors OP2_ERR_ARG, OP2_ERR_STATE (the context has ended), OP2_ERR_NAME (something else of this
 *         name is kept, or it begins with "op2_"), OP2_ERR_MISMATCH (another context), OP2_ERR_NOMEM;
 *         a dat that is kept already is no error
 * @source Firedrake CheckpointFile.save_function */
OP2_API OP2_NODISCARD op2_status op2_checkpoint_add_dat(op2_checkpoint checkpoint, op2_dat dat);

/** @brief Keep a global, under its name.
 * @memory as op2_checkpoint_add_dat()     @sync   runs nothing
 * @mpi    collective                      @errors as op2_checkpoint_add_dat()
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_checkpoint_add_gbl(op2_checkpoint checkpoint, op2_gbl gbl);

/** @brief Keep a constant, under its name: one whose value changes as the program runs.
 * @memory as op2_checkpoint_add_dat()     @sync   runs nothing
 * @mpi    collective                      @errors as op2_checkpoint_add_dat()
 * @source op2 */
OP2_API OP2_NODISCARD op2_status op2_checkpoint_add_const(op2_checkpoint checkpoint, op2_const cst);

/** @brief Keep variables of the program: the number of the step, the time, a generator's state.
 * @shape  values[dim]                     @units  values of `type`
 * @memory values is the caller's, and is read and written until the checkpoint is destroyed; the
 *         name is copied
 * @sync   runs nothing
 * @mpi    collective; those of rank 0 are written, and every rank gets them when they are read
 * @errors as op2_checkpoint_add_dat(); OP2_ERR_ARG (dim below 1), OP2_ERR_TYPE
 * @source Firedrake CheckpointFile.set_attr */
OP2_API OP2_NODISCARD op2_status op2_checkpoint_add_counter(op2_checkpoint checkpoint,
                                                            const char *name, op2_type type,
                                                            int dim, void *values);

/* ---- writing and reading --------------------------------------------------------------------- */

/** @brief Say that a step is over: writes a checkpoint if one is due or the signal has come, and
 * otherwise costs next to nothing and runs nothing.
 * Several ranks compare their clocks and signals once in about half a second, at a call on which
 * they have agreed before; so a signal may have come to some of them only. If a checkpoint could not
 * be written, the program may go on: those before it are there, and the next attempt is made when
 * the next one is due.
 * @memory *stop is the caller's and may be null: true if the program should end, as the signal has
 *         come; it is set whatever is returned. For the time of a write, a rank's share of the
 *         largest dat
 * @sync   if a checkpoint is due: as op2_checkpoint_write(); else runs nothing
 * @mpi    collective, though most calls do not wait
 * @errors as op2_checkpoint_write()
 * @source PETSc TSSetPostStep */
OP2_API OP2_NODISCARD op2_status op2_checkpoint_step(op2_checkpoint checkpoint, bool *stop);

/** @brief Write a checkpoint now.
 * @memory a rank's share of the largest dat, for the time of the call
 * @sync   runs what is queued and modifies something that is kept, and waits for the disk
 * @mpi    collective
 * @errors OP2_ERR_ARG, OP2_ERR_STATE (the context has ended, or an object was destroyed),
 *         OP2_ERR_IO (the disk is full, ...), OP2_ERR_NOMEM, or the execution failure that poisoned
 *         what is kept; on error the former checkpoints are as they were, and the program can go on
 * @source OP2 op_dump_to_hdf5; Firedrake CheckpointFile */
OP2_API OP2_NODISCARD op2_status op2_checkpoint_write(op2_checkpoint checkpoint);

/** @brief Read the newest checkpoint that is not damaged: dats, globals, constants and counters get
 * the values that they had. What is in the file and not kept here is left out.
 * @memory *found is the caller's, untouched on error: false if there is no checkpoint at all. A
 *         rank's share of the largest dat, for the time of the call
 * @sync   runs what is queued, as op2_flush(); waits for the file system
 * @mpi    collective; any number of ranks
 * @errors OP2_ERR_ARG, OP2_ERR_STATE (also an access scope that is open), OP2_ERR_MISMATCH (a set of
 *         another size, something of another shape or type, or that is not in the file), OP2_ERR_IO
 *         (all checkpoints are damaged, or the folder cannot be read), OP2_ERR_NOMEM; if a file does
 *         not fit or is damaged, no value has changed
 * @source OP2 op_checkpointing_init; Firedrake CheckpointFile.load_function */
OP2_API OP2_NODISCARD op2_status op2_checkpoint_read(op2_checkpoint checkpoint, bool *found);

/** @brief Get what the handle has done so far.
 * @units  seconds                         @memory *info is the caller's, untouched on error
 * @sync   never blocks, runs nothing      @mpi    not collective
 * @errors OP2_ERR_ARG                     @source op2 */
OP2_API OP2_NODISCARD op2_status op2_checkpoint_info_get(op2_checkpoint checkpoint,
                                                         op2_checkpoint_info *info);

#ifdef __cplusplus
}
#endif
#endif
