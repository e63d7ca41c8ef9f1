/* SPDX-License-Identifier: BSD-3-Clause */
/* Idle workers: they sleep while no program runs, wake for one, a waiting thread sees the end of
 * its own program, and there is no data race (run under ThreadSanitizer by the runner). */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "idle.h"
#include "tap.h"

enum { WORKERS = 3, USERS = 3, TASKS = 7, HOUR_MS = 3600000 };

static struct op2i_idle idle;

/* This stands for StarPU: tasks wait here. */
static struct {
  pthread_mutex_t lock;
  struct op2i_finish *tasks[USERS * TASKS];
  int count;
} bag = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Atomic int stop, looked, ran;
static cpu_set_t submitter; /* a core of the submitting thread */

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
      op2i_idle_end(&idle, finish, 1);
    }
    atomic_fetch_add(&looked, 1);
    op2i_idle_park(&idle, op2i_idle_calls(&idle));
  }
  return NULL;
}

/* The structure of a program is on the stack; after this function returns, its memory is reused. */
static int run_program(int tasks, int never) {
  struct op2i_finish finish;
  op2i_idle_begin(&idle, &finish, tasks);
  for (int t = 0; t < tasks - never; t++) put(&finish);
  op2i_idle_end(&idle, &finish, never);
  op2i_idle_wait(&idle, &finish);
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

static void with_workers(int64_t spin_ms, int64_t max_sleep_ms, void (*test)(void)) {
  pthread_t threads[WORKERS];
  atomic_store(&stop, 0);
  op2i_idle_open(&idle, spin_ms);
  idle.max_sleep_ns = max_sleep_ms * 1000000;
  for (int i = 0; i < WORKERS; i++) pthread_create(&threads[i], NULL, worker, NULL);
  test();
  atomic_store(&stop, 1);
  op2i_idle_close(&idle);
  for (int i = 0; i < WORKERS; i++) pthread_join(threads[i], NULL);
  op2i_idle_destroy(&idle);
}

/* Wait up to ten seconds for workers to sleep. */
static bool all_sleep(void) {
  for (int i = 0; i < 500; i++) {
    int before = atomic_load(&looked);
    wait_ms(20);
    if (before && atomic_load(&looked) == before) return true;
  }
  return false;
}

static bool look_again(int times) {
  int before = atomic_load(&looked);
  for (int i = 0; i < 1000 && atomic_load(&looked) - before < times; i++) wait_ms(10);
  return atomic_load(&looked) - before >= times;
}

/* Naps last an hour here, so a program that does not wake workers does not end. */
static void test_wake(void) {
  ok(all_sleep(), "workers without work sleep");
  int done = 0;
  for (int i = 0; i < 100; i++) done += run_program(1 + i % TASKS, 0);
  is_int(done, 100, "programs wake them and end");
  ok(all_sleep(), "and then they sleep again");
}

static void test_max_sleep(void) { ok(look_again(3 * WORKERS), "naps end by themselves"); }

static void test_spin(void) {
  run_program(TASKS, 0);
  ok(look_again(1000), "patient workers go on looking");
}

/* The last task of a program is missing for a while: workers that look for it sleep most of the
 * time, and find it when it comes. Workers that only polled would look some hundred thousand
 * times. */
static void test_doze(void) {
  struct op2i_finish finish;
  op2i_idle_begin(&idle, &finish, 2);
  put(&finish);
  wait_ms(50);
  int before = atomic_load(&looked);
  wait_ms(100);
  int times = atomic_load(&looked) - before;
  ok(times < 20000, "workers sleep while a program has no task for them (they looked %d times)",
     times);
  put(&finish);
  op2i_idle_wait(&idle, &finish);
  ok(finish.over, "and find the next one");
}

static bool have_run(int wanted) {
  for (int i = 0; i < 1000 && atomic_load(&ran) < wanted; i++) wait_ms(10);
  return atomic_load(&ran) >= wanted;
}

/* Workers on other cores start while tasks are still being submitted. */
static void test_elsewhere(void) {
  struct op2i_finish finish;
  ok(all_sleep(), "workers on another core sleep");
  sched_setaffinity(0, sizeof submitter, &submitter);
  atomic_store(&ran, 0);
  op2i_idle_begin(&idle, &finish, 2);
  put(&finish);
  ok(have_run(1), "and wake up for the first task");
  put(&finish);
  op2i_idle_wait(&idle, &finish);
  is_int(atomic_load(&ran), 2, "both tasks ran");
}

/* All threads share one processing unit: no task runs before the submitting thread waits. */
static void test_submitter_core(void) {
  struct op2i_finish finish;
  ok(all_sleep(), "workers on the core of the thread that submits sleep");
  atomic_store(&ran, 0);
  op2i_idle_begin(&idle, &finish, 2);
  put(&finish);
  put(&finish);
  wait_ms(20);
  is_int(atomic_load(&ran), 0, "they leave it its core");
  op2i_idle_yield(&idle);
  op2i_idle_wait(&idle, &finish);
  is_int(atomic_load(&ran), 2, "until it waits");
}

/* Threads start on the core of the thread that creates them. */
static void on_one_core(const cpu_set_t *core, void (*test)(void)) {
  if (sched_setaffinity(0, sizeof *core, core))
    skip("this system does not let threads choose their core");
  else
    with_workers(0, HOUR_MS, test);
}

static void on_cores(void) {
  cpu_set_t all, other;
  CPU_ZERO(&submitter);
  CPU_ZERO(&other);
  if (sched_getaffinity(0, sizeof all, &all)) CPU_ZERO(&all);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, CPU_COUNT(&submitter) ? &other : &submitter);
  on_one_core(&submitter, test_submitter_core);
  if (CPU_COUNT(&other))
    on_one_core(&other, test_elsewhere);
  else
    skip("there is one processing unit only");
  sched_setaffinity(0, sizeof all, &all);
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
  for (int i = 0; i < 1000 && __atomic_load_n(&idle.tasks, __ATOMIC_RELAXED); i++) wait_ms(1);
  is_int(__atomic_load_n(&idle.tasks, __ATOMIC_RELAXED), 0, "no task is left");
  ok(atomic_load(&ran) > 0, "%d tasks ran", atomic_load(&ran));
}

int main(void) {
  with_workers(0, HOUR_MS, test_wake);
  with_workers(0, 1, test_max_sleep);
  with_workers(60000, HOUR_MS, test_spin);
  with_workers(0, HOUR_MS, test_doze);
  with_workers(0, HOUR_MS, test_users);
  on_cores();
  return done();
}
