/* SPDX-License-Identifier: BSD-3-Clause */
/* Where workers rest: they sleep while no program runs, wake for one, a waiting thread sees the end
 * of its own program, and there is no data race (run under ThreadSanitizer by the runner). */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "clock.h"
#include "rest.h"
#include "tap.h"

enum { WORKERS = 3, USERS = 3, TASKS = 7 };

static struct op2i_rest rest;

/* Stands for StarPU: tasks wait here. */
static struct {
  pthread_mutex_t lock;
  struct op2i_finish *tasks[USERS * TASKS];
  int count;
} bag = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Atomic int stop, looked, ran;

static void wait_ms(int ms) {
  struct timespec time = {ms / 1000, (long)(ms % 1000) * 1000000};
  nanosleep(&time, NULL);
}

static void put(struct op2i_finish *finish) {
  pthread_mutex_lock(&bag.lock);
  bag.tasks[bag.count++] = finish;
  pthread_mutex_unlock(&bag.lock);
}

static struct op2i_finish *take(void) {
  pthread_mutex_lock(&bag.lock);
  struct op2i_finish *finish = bag.count ? bag.tasks[--bag.count] : NULL;
  pthread_mutex_unlock(&bag.lock);
  return finish;
}

static void *worker(void *unused) {
  (void)unused;
  while (!atomic_load(&stop)) {
    struct op2i_finish *finish = take();
    if (finish) {
      atomic_fetch_add(&ran, 1);
      op2i_rest_end(&rest, finish, 1);
    }
    atomic_fetch_add(&looked, 1);
    op2i_rest_here(&rest);
  }
  return NULL;
}

/* The structure of a program is on the stack, and something else is there after it. */
static int run_program(int tasks, int never) {
  struct op2i_finish finish;
  op2i_rest_begin(&rest, &finish, tasks);
  for (int t = 0; t < tasks - never; t++) put(&finish);
  op2i_rest_end(&rest, &finish, never);
  op2i_rest_wait(&rest, &finish);
  return finish.over && finish.tasks == 0;
}

static void *user(void *argument) {
  int *good = argument;
  int rounds = quick() ? 200 : 2000;
  *good = 0;
  for (int i = 0; i < rounds; i++) {
    int tasks = 1 + i % TASKS;
    *good += run_program(tasks, i % 5 == 0 ? tasks : i % 3 == 0);
    if (i % 64 == 0) wait_ms(1);
  }
  *good -= rounds;
  return NULL;
}

static void with_workers(int64_t patience_ms, void (*test)(void)) {
  pthread_t threads[WORKERS];
  atomic_store(&stop, 0);
  op2i_rest_open(&rest, patience_ms);
  for (int i = 0; i < WORKERS; i++) pthread_create(&threads[i], NULL, worker, NULL);
  test();
  atomic_store(&stop, 1);
  op2i_rest_close(&rest);
  for (int i = 0; i < WORKERS; i++) pthread_join(threads[i], NULL);
  op2i_rest_destroy(&rest);
}

static void test_sleep(void) {
  wait_ms(20);
  int before = atomic_load(&looked);
  wait_ms(100);
  int naps = atomic_load(&looked) - before;
  ok(naps <= 10 * 2 * WORKERS, "workers without work sleep (looked %d times in 100 ms)", naps);
  ok(naps > 0, "but look now and then for work of others");
  int64_t start = op2i_nanoseconds();
  int done = 0;
  for (int i = 0; i < 100; i++) done += run_program(1, 0);
  is_int(done, 100, "100 programs of one task end");
  ok(op2i_nanoseconds() - start < INT64_C(900000000),
     "which wake them (otherwise each would take a nap)");
}

static void test_patience(void) {
  run_program(TASKS, 0);
  int before = atomic_load(&looked);
  wait_ms(50);
  ok(atomic_load(&looked) - before > 1000, "patient workers go on looking");
}

static void test_users(void) {
  pthread_t threads[USERS];
  int good[USERS];
  atomic_store(&ran, 0);
  for (int i = 0; i < USERS; i++) pthread_create(&threads[i], NULL, user, &good[i]);
  for (int i = 0; i < USERS; i++) {
    pthread_join(threads[i], NULL);
    is_int(good[i], 0, "programs of user %d all ended, also those cancelled in part or whole", i);
  }
  /* A worker may still be counting a task whose program has ended. */
  for (int i = 0; i < 1000 && __atomic_load_n(&rest.tasks, __ATOMIC_RELAXED); i++) wait_ms(1);
  is_int(__atomic_load_n(&rest.tasks, __ATOMIC_RELAXED), 0, "no task is left");
  ok(atomic_load(&ran) > 0, "%d tasks ran", atomic_load(&ran));
}

int main(void) {
  with_workers(0, test_sleep);
  with_workers(60000, test_patience);
  with_workers(0, test_users);
  return done();
}
