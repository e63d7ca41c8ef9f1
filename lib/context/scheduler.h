/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SCHEDULER_H
#define OP2I_SCHEDULER_H

/* What the floors below ask of the scheduler above them. */

#include <stdbool.h>

#include "op2/loop.h"

struct op2i_op;
struct op2i_outside; /* what an operation that queues others has put aside */
struct op2i_resource;
struct op2i_sched;
struct op2i_version;

enum op2i_wish { OP2I_LATER, OP2I_EAGER, OP2I_COMPUTE };

struct op2i_scheduler {
  /* Queue an operation; the payload holds the captured values of op2_arg_val() and is copied,
   * constants are captured here. On failure nothing is queued. OP2I_EAGER also runs it and returns
   * its own failure; OP2I_COMPUTE returns the one that cancelled it, too. */
  op2_status (*enqueue)(struct op2i_sched *sched, struct op2i_op *op, op2_where where,
                        const unsigned char *payload, enum op2i_wish wish);
  /* Take back what was queued last if it uses this version and has not run: what was to follow it could not
   * be queued. */
  void (*undo)(struct op2i_sched *sched, const struct op2i_version *version);
  /* The number of the operation that is queued next; and take back those from that number on that
   * were queued since, as far as they wait and nobody has looked at the queue in between. */
  int64_t (*next)(const struct op2i_sched *sched);
  void (*undo_from)(struct op2i_sched *sched, int64_t number);
  /* Run what reading (or with `overwrite`, overwriting) the resource depends on. Fails for lack of
   * memory or fatally; whether the resource is poisoned afterwards is the caller's to look at.
   * `call` and `name` go into the explanation. */
  op2_status (*force)(struct op2i_sched *sched, struct op2i_resource *resource, bool overwrite,
                      const char *call, const char *name);
  /* Run everything; returns and reports the lowest failure not yet reported. */
  op2_status (*flush)(struct op2i_sched *sched, const char *call);
  /* An operation is going, or (null) everything worked out is out of date: drop the programs with
   * it. */
  void (*forget)(struct op2i_sched *sched, struct op2i_op *op);
  /* An operation that runs is to queue others, and to look at what comes of them: until leave(), the
   * context's queue is another, in which its dats and globals were touched by nobody so far, and globals
   * are the versions that it was queued with. Only those can be used there, what is made meanwhile, and
   * what it admits. What is queued there is run at the end. leave() returns the first failure that was not
   * reported by then, or `status`. No sets are renumbered meanwhile. Among ranks all do. */
  op2_status (*enter)(struct op2i_sched *sched, const struct op2i_op *op,
                      struct op2i_version *const *versions, struct op2i_outside **outside);
  op2_status (*leave)(struct op2i_sched *sched, const struct op2i_op *op,
                      struct op2i_outside *outside, op2_status status);
  /* Warn of what is queued while the process ends; `closely`: no other thread is queueing any, so
   * that the first can be named. */
  void (*tell_lost)(const struct op2i_sched *sched, bool closely);
};
extern const struct op2i_scheduler op2i_scheduler; /* scheduler/sched.c */

#endif
