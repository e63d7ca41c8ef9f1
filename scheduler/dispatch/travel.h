/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TRAVEL_H
#define OP2I_TRAVEL_H

#include <pthread.h>

#include "tasks.h"

/* Exchanges of a program whose tasks workers run. The thread that submits them starts messages, in
 * the order of the program, each exchange when workers have packed its rows, and sees when they are
 * over; only then may tasks run that unpack them. No other thread knows of the communicator. */

struct op2i_departure {
  struct op2i_step *step;
  int64_t packs; /* tasks that have yet to end */
};

struct op2i_arrival {
  struct op2i_step *step;
  int64_t departure;  /* of the same exchange, -1: it has begun before the program */
  int64_t first, end; /* tasks that unpack */
  bool over;
};

struct op2i_travel {
  const struct op2i_task_list *list;
  struct op2i_departure *departures;
  struct op2i_arrival *arrivals; /* [list->nstages] */
  int64_t ndepartures, started, narrivals, arrived;
  pthread_mutex_t lock;
  pthread_cond_t wake; /* an exchange can be started, or workers have nothing else to do */
  /* When all tasks have ended that need not wait for the first exchange that is not over: from then
   * on nothing else can be done. */
  int64_t ended, free, idle_since;
};

/* Let the tasks that unpack run: those from first to end-1. */
typedef op2_status op2i_travel_release(void *closure, int64_t first, int64_t end);

op2_status op2i_travel_open(struct op2i_travel *travel, struct op2i_step *steps, int64_t nsteps,
                            const struct op2i_task_list *list);
void op2i_travel_close(struct op2i_travel *travel);
/* By a worker: a task has ended. */
void op2i_travel_ended(struct op2i_travel *travel, const struct op2i_step *step,
                       enum op2i_task_kind kind);
/* Whether a task that has not been submitted has to wait for messages. */
bool op2i_travel_holds(const struct op2i_travel *travel, int64_t task);
/* Start what can be started, and release what can be released; with `wait`, until nothing is left
 * of exchanges that tasks below `until` begin or end, all of which have been made. After a failure
 * all tasks are released: what they unpack is nobody's. */
op2_status op2i_travel_on(struct op2i_travel *travel, bool wait, int64_t until,
                          op2i_travel_release *release, void *closure);

#endif
