/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SCHEDULER_H
#define OP2I_SCHEDULER_H

/* The functions of the scheduler that lower layers call. */

#include <stdbool.h>

#include "op2/loop.h"

struct op2i_op;
struct op2i_resource;
struct op2i_sched;
struct op2i_version;

enum op2i_wish { OP2I_LATER, OP2I_BEHIND, OP2I_EAGER, OP2I_COMPUTE };

struct op2i_scheduler {
  /* Queue an operation. The payload holds the captured values of op2_arg_val() and is copied;
   * constants are captured here. On failure nothing is queued. With OP2I_BEHIND nothing runs before
   * that, even if the queue is full: the operation belongs to the one before it. OP2I_EAGER also runs
   * it and returns its own failure; OP2I_COMPUTE also returns the failure of another operation that
   * cancelled it. */
  op2_status (*enqueue)(struct op2i_sched *sched, struct op2i_op *op, op2_where where,
                        const unsigned char *payload, enum op2i_wish wish);
  /* Remove the operation that was queued last if it uses this version and has not run. Used when
   * the second one of a pair could not be queued. */
  void (*undo)(struct op2i_sched *sched, const struct op2i_version *version);
  /* Let the operation that was queued last be cancelled if the dat is poisoned, as if it read it. An
   * operation that is queued later uses the dat and depends on this one. */
  void (*cancel_with)(struct op2i_sched *sched, op2_dat dat);
  /* next(): the number of the operation that is queued next. undo_from(): remove the operations
   * from that number on, as far as they have not run and the queue has not been analysed in
   * between. */
  int64_t (*next)(const struct op2i_sched *sched);
  void (*undo_from)(struct op2i_sched *sched, int64_t number);
  /* Run the operations from `first` on, with all that they depend on, and return the failure of
   * operation `number` as enqueue() does. What does not run for lack of memory stays queued and is no
   * failure, as some of them may have run. */
  op2_status (*run_from)(struct op2i_sched *sched, int64_t first, int64_t number,
                         enum op2i_wish wish);
  /* Run the operations on which reading (or with `overwrite`, overwriting) the resource depends.
   * Fails for lack of memory or fatally; the caller has to check whether the resource is poisoned
   * afterwards. `call` and `name` go into the explanation. */
  op2_status (*force)(struct op2i_sched *sched, struct op2i_resource *resource, bool overwrite,
                      const char *call, const char *name);
  /* Run everything; returns and reports the lowest failure not yet reported. */
  op2_status (*flush)(struct op2i_sched *sched, const char *call);
  /* Drop the programs that contain an operation that is being destroyed, or (null) all programs, as
   * they are out of date. */
  void (*forget)(struct op2i_sched *sched, struct op2i_op *op);
  /* Let programs refer to `successor` in place of a dat or global that was destroyed. */
  void (*pass_on)(struct op2i_sched *sched, const void *object, void *successor);
  /* Open a nested queue for an operation that runs, so that it can queue others and use their
   * results. The context uses this queue until leave(): in it no operation has used the dats and
   * globals of `op` yet, and globals are the versions with which it was queued. Only these, objects
   * made meanwhile, and those that `op` admits can be used there. leave() runs what is still queued
   * and returns the first failure that was not reported by then, or `status`. No sets are
   * renumbered meanwhile. Collective. */
  op2_status (*enter)(struct op2i_sched *sched, const struct op2i_op *op,
                      struct op2i_version *const *versions);
  op2_status (*leave)(struct op2i_sched *sched, const struct op2i_op *op, op2_status status);
  /* Warn of operations that are queued while the process ends. `closely`: no other thread is
   * queueing any, so the first one can be named. */
  void (*report_lost)(const struct op2i_sched *sched, bool closely);
};
extern const struct op2i_scheduler op2i_scheduler; /* scheduler/queue/sched.c */

#endif
