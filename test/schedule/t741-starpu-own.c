/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that uses StarPU itself: its workers outlive contexts, and may still be executing the
 * code that contexts run between tasks when the last context ends. That context waits for them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support.h"

static pthread_t main_thread;
static sem_t inside, leave;
static atomic_bool hold, ended;

/* This stands in for StarPU's function, and calls it. Workers call it between tasks; the next one
 * stays here as long as it is held. */
int starpu_task_nready(void);
int starpu_task_nready(void) {
  int (*real)(void);
  void *symbol = dlsym(RTLD_NEXT, "starpu_task_nready");
  memcpy(&real, &symbol, sizeof real);
  if (!pthread_equal(pthread_self(), main_thread) && atomic_exchange(&hold, false)) {
    sem_post(&inside);
    sem_wait(&leave);
  }
  return real();
}

static void *finalize(void *ctx) {
  op2_status status = op2_finalize(ctx);
  atomic_store(&ended, true);
  return status ? ctx : NULL;
}

static void wait_for_end(void) {
  const struct timespec moment = {.tv_nsec = 1000000};
  for (int ms = 0; ms < 1000 && !atomic_load(&ended); ms++) nanosleep(&moment, NULL);
}

static void ending(void) {
  pthread_t thread;
  op2_context ctx = NULL;
  void *failed = NULL;
  const op2_options options = {
      .backend = "starpu", .threads = 1, .cache_dir = test_cache(), .log_level = 1};
  if (!ok(!op2_init(&options, &ctx), "a context on the program's StarPU")) {
    diag("%s", op2_error_message());
    return;
  }
  atomic_store(&ended, false);
  atomic_store(&hold, true);
  sem_wait(&inside);
  if (pthread_create(&thread, NULL, finalize, &ctx)) return;
  wait_for_end();
  ok(!atomic_load(&ended), "it does not end while a worker is at what is the context's");
  sem_post(&leave);
  pthread_join(thread, &failed);
  ok(!failed, "it ends when the worker has left");
}

int main(void) {
  const char *why = op2_backend_unavailable("starpu");
  if (why) {
    skip("%s", why);
    return done();
  }
  test_environment();
  main_thread = pthread_self();
  sem_init(&inside, 0, 0);
  sem_init(&leave, 0, 0);
  setenv("STARPU_NCPU", "1", 1);
  setenv("STARPU_SILENT", "1", 1);
  int (*start)(void *) = NULL;
  void (*end)(void) = NULL;
  void *start_symbol = dlsym(RTLD_DEFAULT, "starpu_init");
  void *end_symbol = dlsym(RTLD_DEFAULT, "starpu_shutdown");
  memcpy(&start, &start_symbol, sizeof start);
  memcpy(&end, &end_symbol, sizeof end);
  if (!ok(start && end && !start(NULL), "the program starts StarPU")) return done();
  for (int i = 0; i < 2; i++) ending();
  end();
  return done();
}
