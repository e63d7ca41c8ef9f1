/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_REST_H
#define OP2I_REST_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Where workers sleep while no program runs, and where those who gave a program wait for its end. A
 * worker that spins for work keeps its core from the thread that it has just woken, for as long as
 * a time slice of the system where every core has a worker: some milliseconds after each program.
 */

struct op2i_rest {
  pthread_mutex_t lock;
  pthread_cond_t work, more, over;
  int64_t tasks;    /* of all programs, not yet ended */
  int64_t since;    /* when the last of them ended */
  int64_t patience; /* nanoseconds that workers go on looking for work after that */
  int64_t nap;      /* nanoseconds that a worker sleeps at most */
  int64_t calls;    /* so many times all who sleep were called, tasks or not */
  int sleepers;     /* that a call would wake */
  int dozers;       /* workers that sleep although a program runs, since it has no task for them */
  int giver;        /* processing unit where a thread submits tasks, NOBODY if none: a hint */
  bool closed;
};

/* A program that runs: tasks not yet ended. */
struct op2i_finish {
  int64_t tasks;
  bool over;
};

void op2i_rest_open(struct op2i_rest *rest, int64_t patience_ms);
/* Nobody sleeps here any more. */
void op2i_rest_close(struct op2i_rest *rest);
void op2i_rest_destroy(struct op2i_rest *rest);

/* A program of `tasks`, at least 1, is about to be given to the workers. */
void op2i_rest_begin(struct op2i_rest *rest, struct op2i_finish *finish, int64_t tasks);
/* So many of them have ended, or never will begin. `finish` may be gone after the last one. */
void op2i_rest_end(struct op2i_rest *rest, struct op2i_finish *finish, int64_t tasks);
/* The thread that submits is about to wait for some of them: its core is free for a worker. */
void op2i_rest_yield(struct op2i_rest *rest);
/* Until all have ended; all have been submitted, or will never be. */
void op2i_rest_wait(struct op2i_rest *rest, struct op2i_finish *finish);

bool op2i_rest_idle(const struct op2i_rest *rest); /* no program runs */
/* There is something to do for workers that is no task: a team's program. They are to look for it between asking for
 * the number of calls and resting. */
void op2i_rest_call(struct op2i_rest *rest);
int64_t op2i_rest_calls(const struct op2i_rest *rest);
/* By a worker between tasks: lets those go first who submit more, and sleeps while no program runs
 * and there are no more calls than so many, but not for longer than a few milliseconds, since other
 * users may have work for it. While a program runs, a worker that has found no task for half a
 * millisecond sleeps until a task ends, or for a moment. */
void op2i_rest_here(struct op2i_rest *rest, int64_t calls);

#endif
