/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that end, or are ended, with a context alive. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "process_case.h"

static struct model m;

static void no_core(void) { setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); }

static void nap(void) { usleep(20000); }

static _Noreturn void wait_for_signal(void) {
  for (;;) pause();
}

/* ---- exit() ---------------------------------------------------------------------------------- */

static int exit_with_loops(void) {
  start(&m);
  run(&m, 2);
  queue(&m, 5);
  exit(5);
}

static int exit_with_scope(void) {
  const void *at;
  start(&m);
  run(&m, 2);
  RETURNS(op2_dat_read_begin(m.x, &at), OP2_SUCCESS, "");
  exit(5);
}

static int exit_beside_flush(void) {
  start(&m);
  run_beside(&m);
  nap();
  exit(5);
}

static int end_at_once(void) {
  start(&m);
  run_beside(&m);
  _exit(5);
}

static int end_quickly(void) {
  start(&m);
  run_beside(&m);
  quick_exit(5);
}

static void *exit_here(void *unused) {
  (void)unused;
  exit(5);
}

static int exit_in_thread(void) {
  pthread_t thread;
  start(&m);
  queue(&m, 3);
  HOLDS(!pthread_create(&thread, NULL, exit_here, NULL));
  pthread_join(thread, NULL);
  return 1;
}

/* ---- exit handlers --------------------------------------------------------------------------- */

static void use_and_finalize(void) {
  if (!m.ctx) return;
  queue(&m, 1);
  expect_x(&m, 4);
  stop(&m);
  if (!failures()) fprintf(stderr, "the handler has finalized\n");
}

static int handler_before_init(void) {
  atexit(use_and_finalize);
  start(&m);
  queue(&m, 3);
  exit(5);
}

static int handler_after_init(void) {
  start(&m);
  atexit(use_and_finalize);
  queue(&m, 3);
  exit(5);
}

static bool in_destructor;
__attribute__((destructor)) static void last_of_all(void) {
  if (in_destructor) use_and_finalize();
}

static int destructor(void) {
  in_destructor = true;
  start(&m);
  queue(&m, 3);
  exit(5);
}

static void start_late(void) {
  struct model late;
  start(&late);
  run(&late, 2);
  expect_x(&late, 2);
  stop(&late);
  if (!failures()) fprintf(stderr, "the handler has lived\n");
}

static int init_in_handler(void) {
  atexit(start_late);
  exit(5);
}

/* ---- signals --------------------------------------------------------------------------------- */

static int aborted(void) {
  no_core();
  start(&m);
  run_beside(&m);
  abort();
}

static int terminated(void) {
  start(&m);
  run_beside(&m);
  kill(getpid(), SIGTERM);
  wait_for_signal();
}

static int interrupted_in_rest(void) {
  start(&m);
  run(&m, 2);
  nap();
  kill(getpid(), SIGINT);
  wait_for_signal();
}

static volatile sig_atomic_t seen;
static void note(int number) { seen = number; }
static void leave(int number) {
  (void)number;
  _exit(7);
}

/* Signals are delivered all the time while loops run, and do no harm. */
static int handler_that_notes(void) {
  struct sigaction action = {.sa_handler = note};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGALRM, &action, NULL);
  ualarm(500, 500);
  start(&m);
  for (int n = 0; n < 40; n++) run(&m, 5);
  kill(getpid(), SIGINT);
  expect_x(&m, 200);
  HOLDS(seen);
  stop(&m);
  return failures();
}

static int handler_that_leaves(void) {
  signal(SIGINT, leave);
  start(&m);
  run_beside(&m);
  kill(getpid(), SIGINT);
  wait_for_signal();
}

static int blocked_signals(void) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  start(&m);
  run(&m, 3);
  expect_x(&m, 3);
  stop(&m);
  return failures();
}

/* A crash in a kernel ends the process: the library catches no signals. */
static int kernel_crashes(void) {
  op2_kernel crash;
  const op2_kernel_desc desc = {
      .name = "crash",
      .source = "void crash(double *x) { *x = 1; *(volatile int *)(long)(*x - 1) = 1; }\n"};
  no_core();
  start(&m);
  RETURNS(op2_kernel_create(m.ctx, &desc, &crash), OP2_SUCCESS, "");
  RETURNS(op2_par_loop(crash, m.set, op2_arg_direct(m.x, OP2_RW)), OP2_SUCCESS, "");
  (void)!op2_flush(m.ctx);
  return 1;
}

/* ---- pthread_exit ---------------------------------------------------------------------------- */

static int main_leaves(void) {
  start(&m);
  run(&m, 3);
  queue(&m, 3);
  pthread_exit(NULL);
}

static void *work_on(void *ends) {
  for (int n = 0; n < 30; n++) {
    run(&m, 2);
    nap();
  }
  expect_x(&m, 60);
  if (*(bool *)ends) stop(&m);
  if (!failures()) fprintf(stderr, "the thread has worked on\n");
  return NULL;
}

/* The main thread ends at once, the other one half a second later. */
static int leave_to_thread(bool *ends) {
  pthread_t thread;
  start(&m);
  HOLDS(!pthread_create(&thread, NULL, work_on, ends));
  pthread_exit(NULL);
}

static int thread_finalizes(void) {
  static bool ends = true;
  return leave_to_thread(&ends);
}

static int thread_just_ends(void) {
  static bool ends = false;
  return leave_to_thread(&ends);
}

static void *begin_in_thread(void *unused) {
  (void)unused;
  start(&m);
  return work_on(&(bool){false});
}

static int main_never_came(void) {
  pthread_t thread;
  HOLDS(!pthread_create(&thread, NULL, begin_in_thread, NULL));
  pthread_exit(NULL);
}

static int handler_after_threads(void) {
  start(&m);
  atexit(use_and_finalize);
  run(&m, 1);
  queue(&m, 2);
  pthread_exit(NULL);
}

static int leave_after_restart(void) {
  start(&m);
  run(&m, 1);
  stop(&m);
  start(&m);
  run(&m, 1);
  pthread_exit(NULL);
}

static void *begin(void *unused) {
  (void)unused;
  start(&m);
  run(&m, 1);
  return NULL;
}

static int maker_leaves(void) {
  pthread_t thread;
  HOLDS(!pthread_create(&thread, NULL, begin, NULL));
  pthread_join(thread, NULL);
  usleep(600000);
  run(&m, 1);
  expect_x(&m, 2);
  stop(&m);
  return failures();
}

const struct process_case end_cases[] = {
    {"exit with loops queued", exit_with_loops, "starpu openmp sequential", 5, ""},
    {"exit while a scope is open", exit_with_scope, "starpu openmp", 5, ""},
    {"exit while another thread flushes", exit_beside_flush, "starpu openmp sequential", 5, ""},
    {"_exit while another thread flushes", end_at_once, "starpu openmp", 5, ""},
    {"quick_exit while another thread flushes", end_quickly, "starpu openmp", 5, ""},
    {"exit in a thread", exit_in_thread, "starpu openmp", 5, ""},
    {"finalize in an exit handler made before op2_init", handler_before_init,
     "starpu openmp sequential", 5, "has finalized"},
    {"finalize in an exit handler made after op2_init", handler_after_init,
     "starpu openmp sequential", 5, "has finalized"},
    {"finalize in a destructor", destructor, "starpu openmp sequential", 5, "has finalized"},
    {"op2_init in an exit handler", init_in_handler, "starpu openmp", 5, "has lived"},
    {"abort", aborted, "starpu openmp", 128 + SIGABRT, ""},
    {"SIGTERM in a flush", terminated, "starpu openmp sequential", 128 + SIGTERM, ""},
    {"SIGINT while workers rest", interrupted_in_rest, "starpu openmp", 128 + SIGINT, ""},
    {"handlers that note signals", handler_that_notes, "starpu openmp sequential", 0, ""},
    {"a handler that leaves", handler_that_leaves, "starpu openmp", 7, ""},
    {"all signals blocked", blocked_signals, "starpu openmp", 0, ""},
    {"a kernel that crashes", kernel_crashes, "starpu openmp sequential", 128 + SIGSEGV, ""},
    {"pthread_exit with loops queued", main_leaves, "starpu openmp sequential", 0, ""},
    {"pthread_exit, and a thread finalizes", thread_finalizes, "starpu openmp", 0, "worked on"},
    {"pthread_exit, and a thread ends", thread_just_ends, "starpu openmp", 0, "worked on"},
    {"pthread_exit of a main thread that never called", main_never_came, "starpu openmp", 0,
     "worked on"},
    {"pthread_exit, and an exit handler finalizes", handler_after_threads, "starpu openmp", 0,
     "has finalized"},
    {"pthread_exit with the second StarPU", leave_after_restart, "starpu", 0, ""},
    {"the thread that made a context has gone", maker_leaves, "starpu openmp", 0, ""},
    {0}};
