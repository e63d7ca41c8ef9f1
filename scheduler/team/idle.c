/* SPDX-License-Identifier: BSD-3-Clause */
/* StarPU's workers are parked here while no program runs; the thread that submitted a program
 * waits here for its end. */
#define _GNU_SOURCE
#include "idle.h"

#include <sched.h>
#include <time.h>

#include "clock.h"

enum { NO_SUBMITTER = -2, MAX_SLEEP_MS = 10, NS_PER_MS = 1000000, NS_PER_S = 1000000000 };

/* A worker that finds no task while a program runs looks for LOOK_NS and then sleeps until a task
 * ends, since others may depend on that one; but for no longer than DOZE_NS, since the submission
 * of a task wakes no worker. If a thread spins for longer, and it has the same real-time priority
 * as a thread that it waits for on the same core, it keeps the core from that thread for ever. A
 * worker that was away for longer than AWAY_NS has run a task that is not op2's, or the system has
 * preempted it: it begins to look again. */
enum { LOOK_NS = 500000, DOZE_NS = 200000, AWAY_NS = 50000 };
enum { CLOSED_NS = 50000 }; /* length of a sleep, after which a worker looks whether it is to end */

/* Time when the calling worker began to look for a task, 0 if it does not look; and time
 * when it last looked. */
static _Thread_local int64_t looking, looked;

void op2i_idle_open(struct op2i_idle *idle, int64_t spin_ms) {
  pthread_condattr_t attributes;
  *idle = (struct op2i_idle){.since = op2i_nanoseconds(),
                             .spin_ns = spin_ms * NS_PER_MS,
                             .max_sleep_ns = MAX_SLEEP_MS * NS_PER_MS,
                             .submitter_pu = NO_SUBMITTER};
  pthread_mutex_init(&idle->lock, NULL);
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&idle->work, &attributes);
  pthread_cond_init(&idle->more, &attributes);
  pthread_cond_init(&idle->over, NULL);
  pthread_condattr_destroy(&attributes);
}

void op2i_idle_close(struct op2i_idle *idle) {
  pthread_mutex_lock(&idle->lock);
  __atomic_store_n(&idle->closed, true, __ATOMIC_RELAXED);
  pthread_cond_broadcast(&idle->work);
  pthread_mutex_unlock(&idle->lock);
}

/* Workers may still sleep here that outlive this object, because the program itself uses StarPU. */
static void wait_for_sleepers(struct op2i_idle *idle) {
  const struct timespec moment = {.tv_nsec = CLOSED_NS};
  while (__atomic_load_n(&idle->sleepers, __ATOMIC_ACQUIRE) > 0 ||
         __atomic_load_n(&idle->dozers, __ATOMIC_ACQUIRE) > 0)
    nanosleep(&moment, NULL);
  pthread_mutex_lock(&idle->lock); /* the last of them may still hold the lock */
  pthread_mutex_unlock(&idle->lock);
}

void op2i_idle_destroy(struct op2i_idle *idle) {
  wait_for_sleepers(idle);
  pthread_cond_destroy(&idle->over);
  pthread_cond_destroy(&idle->more);
  pthread_cond_destroy(&idle->work);
  pthread_mutex_destroy(&idle->lock);
}

void op2i_idle_begin(struct op2i_idle *idle, struct op2i_finish *finish, int64_t tasks) {
  *finish = (struct op2i_finish){.tasks = tasks};
  pthread_mutex_lock(&idle->lock);
  __atomic_add_fetch(&idle->tasks, tasks, __ATOMIC_RELAXED);
  int here = sched_getcpu();
  idle->submitter_pu = here >= 0 ? here : NO_SUBMITTER;
  pthread_cond_broadcast(&idle->work);
  pthread_mutex_unlock(&idle->lock);
}

static void wake_dozer(struct op2i_idle *idle) {
  if (__atomic_load_n(&idle->dozers, __ATOMIC_RELAXED) == 0) return;
  pthread_mutex_lock(&idle->lock);
  pthread_cond_signal(&idle->more);
  pthread_mutex_unlock(&idle->lock);
}

void op2i_idle_end(struct op2i_idle *idle, struct op2i_finish *finish, int64_t tasks) {
  if (tasks == 0) return;
  looking = 0;
  int64_t left = __atomic_sub_fetch(&finish->tasks, tasks, __ATOMIC_ACQ_REL);
  if (left == 0) __atomic_store_n(&idle->since, op2i_nanoseconds(), __ATOMIC_RELAXED);
  __atomic_sub_fetch(&idle->tasks, tasks, __ATOMIC_RELEASE);
  if (left > 0) {
    wake_dozer(idle);
    return;
  }
  pthread_mutex_lock(&idle->lock);
  finish->over = true;
  pthread_cond_broadcast(&idle->over);
  pthread_mutex_unlock(&idle->lock);
}

static void release_core(struct op2i_idle *idle) {
  idle->submitter_pu = NO_SUBMITTER;
  pthread_cond_broadcast(&idle->work);
}

void op2i_idle_yield(struct op2i_idle *idle) {
  pthread_mutex_lock(&idle->lock);
  release_core(idle);
  pthread_mutex_unlock(&idle->lock);
}

void op2i_idle_wait(struct op2i_idle *idle, struct op2i_finish *finish) {
  pthread_mutex_lock(&idle->lock);
  release_core(idle);
  while (!finish->over) pthread_cond_wait(&idle->over, &idle->lock);
  pthread_mutex_unlock(&idle->lock);
}

bool op2i_idle_no_program(const struct op2i_idle *idle) {
  return __atomic_load_n(&idle->tasks, __ATOMIC_ACQUIRE) == 0;
}

int64_t op2i_idle_calls(const struct op2i_idle *idle) {
  return __atomic_load_n(&idle->calls, __ATOMIC_SEQ_CST);
}

void op2i_idle_call(struct op2i_idle *idle) {
  __atomic_add_fetch(&idle->calls, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&idle->sleepers, __ATOMIC_SEQ_CST) == 0) return;
  pthread_mutex_lock(&idle->lock);
  pthread_cond_broadcast(&idle->work);
  pthread_mutex_unlock(&idle->lock);
}

static struct timespec after(int64_t now, int64_t ns) {
  return (struct timespec){.tv_sec = (time_t)((now + ns) / NS_PER_S),
                           .tv_nsec = (long)((now + ns) % NS_PER_S)};
}

/* Called while a program runs and there was no task for the calling worker. */
static void look_or_doze(struct op2i_idle *idle) {
  int64_t now = op2i_nanoseconds();
  if (!looking || now - looked > AWAY_NS) looking = now;
  looked = now;
  if (now - looking < LOOK_NS) return;
  const struct timespec deadline = after(now, DOZE_NS);
  pthread_mutex_lock(&idle->lock);
  __atomic_add_fetch(&idle->dozers, 1, __ATOMIC_RELAXED);
  if (!idle->closed && !pthread_cond_timedwait(&idle->more, &idle->lock, &deadline)) looking = 0;
  __atomic_sub_fetch(&idle->dozers, 1, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&idle->lock);
  looked = op2i_nanoseconds();
}

/* Another thread is about to end StarPU's workers, so the calling worker only sleeps. */
static void wait_for_end(struct op2i_idle *idle) {
  const struct timespec moment = {.tv_nsec = CLOSED_NS};
  __atomic_add_fetch(&idle->sleepers, 1, __ATOMIC_SEQ_CST);
  nanosleep(&moment, NULL);
  __atomic_sub_fetch(&idle->sleepers, 1, __ATOMIC_SEQ_CST);
}

void op2i_idle_park(struct op2i_idle *idle, int64_t calls) {
  if (__atomic_load_n(&idle->closed, __ATOMIC_RELAXED)) {
    wait_for_end(idle);
    return;
  }
  if (!op2i_idle_no_program(idle)) {
    look_or_doze(idle);
    return;
  }
  looking = 0;
  int64_t now = op2i_nanoseconds();
  if (now - __atomic_load_n(&idle->since, __ATOMIC_RELAXED) < idle->spin_ns) return;
  const struct timespec deadline = after(now, idle->max_sleep_ns);
  pthread_mutex_lock(&idle->lock);
  __atomic_add_fetch(&idle->sleepers, 1, __ATOMIC_SEQ_CST);
  int here = sched_getcpu();
  while ((op2i_idle_no_program(idle) || idle->submitter_pu == here) && !idle->closed &&
         op2i_idle_calls(idle) == calls)
    if (pthread_cond_timedwait(&idle->work, &idle->lock, &deadline)) break;
  __atomic_sub_fetch(&idle->sleepers, 1, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&idle->lock);
}
