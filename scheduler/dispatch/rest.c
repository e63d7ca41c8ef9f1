/* SPDX-License-Identifier: BSD-3-Clause */
/* Where StarPU's workers sleep while no program runs, and where the thread that submitted one waits
 * for its end. */
#define _GNU_SOURCE
#include "rest.h"

#include <sched.h>
#include <time.h>

#include "clock.h"

enum { NOBODY = -2, NAP_MS = 10, NS_PER_MS = 1000000, NS_PER_S = 1000000000 };

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
  pthread_cond_init(&rest->over, NULL);
  pthread_condattr_destroy(&attributes);
}

void op2i_rest_close(struct op2i_rest *rest) {
  pthread_mutex_lock(&rest->lock);
  rest->closed = true;
  pthread_cond_broadcast(&rest->work);
  pthread_mutex_unlock(&rest->lock);
}

void op2i_rest_destroy(struct op2i_rest *rest) {
  pthread_cond_destroy(&rest->over);
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

void op2i_rest_end(struct op2i_rest *rest, struct op2i_finish *finish, int64_t tasks) {
  if (tasks == 0) return;
  int64_t left = __atomic_sub_fetch(&finish->tasks, tasks, __ATOMIC_ACQ_REL);
  if (left == 0) __atomic_store_n(&rest->since, op2i_nanoseconds(), __ATOMIC_RELAXED);
  __atomic_sub_fetch(&rest->tasks, tasks, __ATOMIC_RELEASE);
  if (left > 0) return;
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

void op2i_rest_here(struct op2i_rest *rest, int64_t calls) {
  if (!op2i_rest_idle(rest)) return;
  int64_t now = op2i_nanoseconds();
  if (now - __atomic_load_n(&rest->since, __ATOMIC_RELAXED) < rest->patience) return;
  int64_t until = now + rest->nap;
  struct timespec deadline = {.tv_sec = (time_t)(until / NS_PER_S),
                              .tv_nsec = (long)(until % NS_PER_S)};
  pthread_mutex_lock(&rest->lock);
  __atomic_add_fetch(&rest->sleepers, 1, __ATOMIC_SEQ_CST);
  int here = sched_getcpu();
  while ((op2i_rest_idle(rest) || rest->giver == here) && !rest->closed &&
         op2i_rest_calls(rest) == calls)
    if (pthread_cond_timedwait(&rest->work, &rest->lock, &deadline)) break;
  __atomic_sub_fetch(&rest->sleepers, 1, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&rest->lock);
}
