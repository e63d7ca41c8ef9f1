/* SPDX-License-Identifier: BSD-3-Clause */
/* The watch over idle workers: pauses after the wait, resumes for work, alternates, and has no data race (run under
 * ThreadSanitizer by the runner). */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "tap.h"
#include "watch.h"

static _Atomic int pauses, resumes, wrong_order, running_while_paused;
static _Atomic int paused;

static void count_pause(void) {
  if (atomic_exchange(&paused, 1)) atomic_fetch_add(&wrong_order, 1);
  atomic_fetch_add(&pauses, 1);
}

static void count_resume(void) {
  if (!atomic_exchange(&paused, 0)) atomic_fetch_add(&wrong_order, 1);
  atomic_fetch_add(&resumes, 1);
}

static void wait_ms(int ms) {
  struct timespec time = {ms / 1000, (long)(ms % 1000) * 1000000};
  nanosleep(&time, NULL);
}

/* Up to ten seconds for something another thread does soon. */
static bool becomes(_Atomic int *value, int wanted) {
  for (int i = 0; i < 1000 && atomic_load(value) != wanted; i++) wait_ms(10);
  return atomic_load(value) == wanted;
}

static struct op2i_watch watch;

static void *user(void *argument) {
  int rounds = *(int *)argument;
  for (int i = 0; i < rounds; i++) {
    op2i_watch_busy(&watch);
    if (atomic_load(&paused)) atomic_fetch_add(&running_while_paused, 1);
    if (i % 16 == 0) wait_ms(1);
    op2i_watch_idle(&watch, i % 3 ? 0 : 1);
    if (i % 8 == 0) wait_ms(2);
  }
  return NULL;
}

static void test_one_user(void) {
  ok(atomic_load(&paused), "a new watch is paused");
  op2i_watch_busy(&watch);
  ok(!atomic_load(&paused), "work resumes at once");
  wait_ms(30);
  ok(!atomic_load(&paused), "no pause while busy");
  op2i_watch_idle(&watch, 60000);
  wait_ms(30);
  ok(!atomic_load(&paused), "no pause before the wait is over");
  op2i_watch_busy(&watch);
  op2i_watch_idle(&watch, 5);
  ok(becomes(&paused, 1), "a pause after the wait, though an earlier deadline was later");
}

static void test_many_users(void) {
  enum { USERS = 4 };
  pthread_t threads[USERS];
  int rounds = quick() ? 100 : 400;
  for (int i = 0; i < USERS; i++) pthread_create(&threads[i], NULL, user, &rounds);
  for (int i = 0; i < USERS; i++) pthread_join(threads[i], NULL);
  is_int(atomic_load(&running_while_paused), 0, "nobody worked while paused");
  ok(becomes(&paused, 1), "paused once all were idle");
  ok(atomic_load(&pauses) > 2, "there were several pauses (%d)", atomic_load(&pauses));
}

int main(void) {
  if (!CHECK(op2i_watch_start(&watch, count_pause, count_resume))) return done();
  test_one_user();
  test_many_users();
  op2i_watch_stop(&watch);
  ok(!atomic_load(&paused), "stopping leaves it resumed");
  is_int(atomic_load(&pauses), atomic_load(&resumes), "as many pauses as resumes");
  is_int(atomic_load(&wrong_order), 0, "pause and resume alternate");
  return done();
}
