/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_IDLE_H
#define OP2I_IDLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Workers are parked here while no program runs, and threads that submitted a program wait here
 * for its end. If every core has a worker and workers spin for work, a worker keeps its core
 * from the thread that it has just woken for as long as a time slice of the system: some
 * milliseconds after each program. */

struct op2i_idle {
  pthread_mutex_t lock;
  pthread_cond_t work, more, over;
  int64_t tasks;        /* tasks of all programs that have not ended */
  int64_t since;        /* time when the last of them ended */
  int64_t spin_ns;      /* nanoseconds after that for which workers still look for work */
  int64_t max_sleep_ns; /* most nanoseconds that a worker sleeps at once */
  int64_t calls;        /* number of calls that woke all sleepers, for tasks or other work */
  int sleepers;         /* threads that a call would wake */
  int dozers; /* workers that sleep although a program runs, since it has no task for them */
  /* processing unit of a thread that submits tasks, NO_SUBMITTER if there is none; only a hint */
  int submitter_pu;
  bool closed;
};

/* A running program. */
struct op2i_finish {
  int64_t tasks;
  bool over;
};

void op2i_idle_open(struct op2i_idle *idle, int64_t spin_ms);
/* Wake all sleepers; from then on no worker is parked here. */
void op2i_idle_close(struct op2i_idle *idle);
void op2i_idle_destroy(struct op2i_idle *idle);

/* Begin a program of `tasks` tasks, at least 1, before it is submitted. */
void op2i_idle_begin(struct op2i_idle *idle, struct op2i_finish *finish, int64_t tasks);
/* Count `tasks` of them as ended; they have ended or will never begin. *finish may be freed
 * after the last one. */
void op2i_idle_end(struct op2i_idle *idle, struct op2i_finish *finish, int64_t tasks);
/* The submitting thread is about to wait for some tasks, so a worker may use its core. */
void op2i_idle_yield(struct op2i_idle *idle);
/* Wait until all tasks have ended. All must have been submitted, or counted as ended. */
void op2i_idle_wait(struct op2i_idle *idle, struct op2i_finish *finish);

bool op2i_idle_no_program(const struct op2i_idle *idle); /* true if no program runs */
/* Call the workers for work that is not a task: a team's program. A worker must look for such work
 * after it has read the number of calls and before it parks with that number. */
void op2i_idle_call(struct op2i_idle *idle);
int64_t op2i_idle_calls(const struct op2i_idle *idle);
/* Park a worker between tasks. It lets threads go first that submit more, and sleeps while no
 * program runs and the number of calls is still `calls`; but for no longer than a few milliseconds,
 * since other users of StarPU may have work for it. While a program runs, a worker that has found
 * no task for half a millisecond sleeps until a task ends, or for a moment. */
void op2i_idle_park(struct op2i_idle *idle, int64_t calls);

#endif
