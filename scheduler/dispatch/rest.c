/* SPDX-License-Identifier: BSD-3-Clause */
/* StarPU's workers are parked here while no program runs; the thread that submitted a program
 * waits here for its end. */
#define _GNU_SOURCE
#include "rest.h"

#include <sched.h>
#include <time.h>

#include "clock.h"

enum { NOBODY = -2, NAP_MS = 10, NS_PER_MS = 1000000, NS_PER_S = 1000000000 };

/* A worker that finds no task while a program runs looks for LOOK_NS and then sleeps until a task
 * ends, since others may depend on that one; but for no longer than DOZE_NS, since the submission
 * of a task wakes no worker. If a thread spins for longer, and it has the same real-time priority
 * as a thread that it waits for on the same core, it keeps the core from that thread for ever. A
 * worker that was away for longer than AWAY_NS has run a task that is not op2's, or the system has
 * preempted it: it begins to look again. */
enum { LOOK_NS = 500000, DOZE_NS = 200000, AWAY_NS = 50000 };
enum { CLOSED_NS = 50000 }; /* time that a worker sleeps at once while it is about to be ended */

/* Time when the calling worker began to look for a task, 0 if it does not look; and time
 * when it last looked. */
static _Thread_local int64_t looking, looked;

void op2i_rest_open(struct op2i_rest *rest, int64_t patience_ms) {
  pthread_condattr_t attributes;
  *rest = (struct op2i_rest){.since = op2i_nanoseconds(),
                             .patience = patience_ms * NS_PER_MS,
                             .nap = NAP_MS * NS_PER_MS,
                             .giver = NOBODY};
  pthread_mutex_init(&rest->lock, NULL);
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&rest->work, &attributes);
  pthread_cond_init(&rest->more, &attributes);
  pthread_cond_init(&rest->over, NULL);
  pthread_condattr_destroy(&attributes);
}

void op2i_rest_close(struct op2i_rest *rest) {
  pthread_mutex_lock(&rest->lock);
  __atomic_store_n(&rest->closed, true, __ATOMIC_RELAXED);
  pthread_cond_broadcast(&rest->work);
  pthread_mutex_unlock(&rest->lock);
}

/* Workers may still sleep here that outlive this object, because the program itself uses StarPU. */
static void wait_for_sleepers(struct op2i_rest *rest) {
  const struct timespec moment = {.tv_nsec = CLOSED_NS};
  while (__atomic_load_n(&rest->sleepers, __ATOMIC_ACQUIRE) > 0 ||
         __atomic_load_n(&rest->dozers, __ATOMIC_ACQUIRE) > 0)
    nanosleep(&moment, NULL);
  pthread_mutex_lock(&rest->lock); /* the last of them may still hold the lock */
  pthread_mutex_unlock(&rest->lock);
}

void op2i_rest_destroy(struct op2i_rest *rest) {
  wait_for_sleepers(rest);
  pthread_cond_destroy(&rest->over);
  pthread_cond_destroy(&rest->more);
  pthread_cond_destroy(&rest->work);
  pthread_mutex_destroy(&rest->lock);
}

void op2i_rest_begin(struct op2i_rest *rest, struct op2i_finish *finish, int64_t tasks) {
  *finish = (struct op2i_finish){.tasks = tasks};
  pthread_mutex_lock(&rest->lock);
  __atomic_add_fetch(&rest->tasks, tasks, __ATOMIC_RELAXED);
  int here = sched_getcpu();
  rest->giver = here >= 0 ? here : NOBODY;
  pthread_cond_broadcast(&rest->work);
  pthread_mutex_unlock(&rest->lock);
}

static void wake_dozer(struct op2i_rest *rest) {
  if (__atomic_load_n(&rest->dozers, __ATOMIC_RELAXED) == 0) return;
  pthread_mutex_lock(&rest->lock);
  pthread_cond_signal(&rest->more);
  pthread_mutex_unlock(&rest->lock);
}

void op2i_rest_end(struct op2i_rest *rest, struct op2i_finish *finish, int64_t tasks) {
  if (tasks == 0) return;
  looking = 0;
  int64_t left = __atomic_sub_fetch(&finish->tasks, tasks, __ATOMIC_ACQ_REL);
  if (left == 0) __atomic_store_n(&rest->since, op2i_nanoseconds(), __ATOMIC_RELAXED);
  __atomic_sub_fetch(&rest->tasks, tasks, __ATOMIC_RELEASE);
  if (left > 0) {
    wake_dozer(rest);
    return;
  }
  pthread_mutex_lock(&rest->lock);
  finish->over = true;
  pthread_cond_broadcast(&rest->over);
  pthread_mutex_unlock(&rest->lock);
}

static void give_core(struct op2i_rest *rest) {
  rest->giver = NOBODY;
  pthread_cond_broadcast(&rest->work);
}

void op2i_rest_yield(struct op2i_rest *rest) {
  pthread_mutex_lock(&rest->lock);
  give_core(rest);
  pthread_mutex_unlock(&rest->lock);
}

void op2i_rest_wait(struct op2i_rest *rest, struct op2i_finish *finish) {
  pthread_mutex_lock(&rest->lock);
  give_core(rest);
  while (!finish->over) pthread_cond_wait(&rest->over, &rest->lock);
  pthread_mutex_unlock(&rest->lock);
}

bool op2i_rest_idle(const struct op2i_rest *rest) {
  return __atomic_load_n(&rest->tasks, __ATOMIC_ACQUIRE) == 0;
}

int64_t op2i_rest_calls(const struct op2i_rest *rest) {
  return __atomic_load_n(&rest->calls, __ATOMIC_SEQ_CST);
}

void op2i_rest_call(struct op2i_rest *rest) {
  __atomic_add_fetch(&rest->calls, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&rest->sleepers, __ATOMIC_SEQ_CST) == 0) return;
  pthread_mutex_lock(&rest->lock);
  pthread_cond_broadcast(&rest->work);
  pthread_mutex_unlock(&rest->lock);
}

static struct timespec after(int64_t now, int64_t ns) {
  return (struct timespec){.tv_sec = (time_t)((now + ns) / NS_PER_S),
                           .tv_nsec = (long)((now + ns) % NS_PER_S)};
}

/* Called while a program runs and there was no task for the calling worker. */
static void look_or_doze(struct op2i_rest *rest) {
  int64_t now = op2i_nanoseconds();
  if (!looking || now - looked > AWAY_NS) looking = now;
  looked = now;
  if (now - looking < LOOK_NS) return;
  const struct timespec deadline = after(now, DOZE_NS);
  pthread_mutex_lock(&rest->lock);
  __atomic_add_fetch(&rest->dozers, 1, __ATOMIC_RELAXED);
  if (!rest->closed && !pthread_cond_timedwait(&rest->more, &rest->lock, &deadline)) looking = 0;
  __atomic_sub_fetch(&rest->dozers, 1, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&rest->lock);
  looked = op2i_nanoseconds();
}

/* Another thread is about to end StarPU's workers, so the calling worker only sleeps. */
static void wait_for_end(struct op2i_rest *rest) {
  const struct timespec moment = {.tv_nsec = CLOSED_NS};
  __atomic_add_fetch(&rest->sleepers, 1, __ATOMIC_SEQ_CST);
  nanosleep(&moment, NULL);
  __atomic_sub_fetch(&rest->sleepers, 1, __ATOMIC_SEQ_CST);
}

void op2i_rest_here(struct op2i_rest *rest, int64_t calls) {
  if (__atomic_load_n(&rest->closed, __ATOMIC_RELAXED)) {
    wait_for_end(rest);
    return;
  }
  if (!op2i_rest_idle(rest)) {
    look_or_doze(rest);
    return;
  }
  looking = 0;
  int64_t now = op2i_nanoseconds();
  if (now - __atomic_load_n(&rest->since, __ATOMIC_RELAXED) < rest->patience) return;
  const struct timespec deadline = after(now, rest->nap);
  pthread_mutex_lock(&rest->lock);
  __atomic_add_fetch(&rest->sleepers, 1, __ATOMIC_SEQ_CST);
  int here = sched_getcpu();
  while ((op2i_rest_idle(rest) || rest->giver == here) && !rest->closed &&
         op2i_rest_calls(rest) == calls)
    if (pthread_cond_timedwait(&rest->work, &rest->lock, &deadline)) break;
  __atomic_sub_fetch(&rest->sleepers, 1, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&rest->lock);
}
