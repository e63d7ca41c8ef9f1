/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_HALO_TASKS_H
#define OP2I_HALO_TASKS_H

#include <pthread.h>

#include "tasks.h"

/* Halo exchanges and convoys of reductions of a program whose tasks workers run. The thread that
 * submits the tasks starts the messages, in the order of the program, each exchange when workers
 * have packed its rows, and detects when they have arrived; only then may tasks run that unpack
 * them. No other thread uses the communicator. */

struct op2i_halo_send {
  struct op2i_step *step;
  int64_t packs; /* pack tasks that have yet to end */
};

struct op2i_halo_recv {
  struct op2i_step *step;
  /* index of the send of the same exchange, -1: it has begun before the program */
  int64_t send;
  int64_t first, end; /* tasks that unpack, from first to end - 1 */
  bool over;
};

struct op2i_halo_tasks {
  const struct op2i_task_list *list;
  struct op2i_halo_send *sends;
  struct op2i_halo_recv *recvs; /* [list->nstages] */
  int64_t nsends, started, nrecvs, nreceived;
  pthread_mutex_t lock;
  pthread_cond_t wake; /* an exchange can be started, or workers have nothing else to do */
  /* Tasks that have ended; tasks that need not wait for the first exchange that is not over; and
   * the time when all of these had ended, from which on nothing else can be done; 0: not yet. */
  int64_t ended, free, idle_since;
};

/* Submit the tasks that unpack, from first to end - 1. */
typedef op2_status op2i_halo_tasks_release(void *closure, int64_t first, int64_t end);

op2_status op2i_halo_tasks_open(struct op2i_halo_tasks *halos, struct op2i_step *steps,
                                int64_t nsteps, const struct op2i_task_list *list);
void op2i_halo_tasks_close(struct op2i_halo_tasks *halos);
/* Called by a worker when a task has ended. */
void op2i_halo_tasks_ended(struct op2i_halo_tasks *halos, const struct op2i_step *step,
                           enum op2i_task_kind kind);
/* True if a task that has not been submitted has to wait for messages. */
bool op2i_halo_tasks_holds(const struct op2i_halo_tasks *halos, int64_t task);
/* Start exchanges whose rows are packed, and release tasks whose messages have arrived;
 * with `wait`, until all exchanges are over that tasks below `until` begin or end. Those
 * tasks must have been created. After a failure all tasks are released, and the rows that
 * they unpack are invalid. */
op2_status op2i_halo_tasks_progress(struct op2i_halo_tasks *halos, bool wait, int64_t until,
                                    op2i_halo_tasks_release *release, void *closure);

#endif
