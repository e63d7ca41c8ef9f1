/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that fork and exec. */
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process_case.h"

extern char **environ;
static struct model m;

/* Run the statements in a child, which ends without exit handlers. */
#define CHILD(...)                                                                                 \
  do {                                                                                             \
    pid_t pid_ = fork();                                                                           \
    if (pid_ == 0) {                                                                               \
      __VA_ARGS__;                                                                                 \
      _exit(failures());                                                                           \
    }                                                                                              \
    HOLDS(child_status(pid_) == 0);                                                                \
  } while (0)

/* One context from start to end. */
static void live(const char *backend) {
  struct model mine;
  start_on(&mine, backend);
  run(&mine, 3);
  queue(&mine, 2);
  expect_x(&mine, 5);
  FILE *nowhere = fopen("/dev/null", "w");
  RETURNS(op2_explain(mine.ctx, nowhere), OP2_SUCCESS, "");
  fclose(nowhere);
  stop(&mine);
}

static int before_init(void) {
  CHILD(live(case_backend));
  live(case_backend);
  return failures();
}

static int every_call(void) {
  start(&m);
  run(&m, 3);
  CHILD(expect_left_behind(&m));
  expect_x(&m, 3);
  stop(&m);
  return failures();
}

static int nothing_run_yet(void) {
  start(&m);
  CHILD(expect_left_behind(&m));
  run(&m, 1);
  expect_x(&m, 1);
  stop(&m);
  return failures();
}

static int loops_queued(void) {
  start(&m);
  run(&m, 1);
  queue(&m, 5);
  CHILD(expect_left_behind(&m));
  HOLDS(op2_queued(m.ctx) == 5);
  expect_x(&m, 6);
  stop(&m);
  return failures();
}

static int scope_open(void) {
  const void *at;
  start(&m);
  run(&m, 1);
  RETURNS(op2_dat_read_begin(m.x, &at), OP2_SUCCESS, "");
  CHILD(expect_left_behind(&m); HOLDS(((const double *)at)[7] == 1));
  RETURNS(op2_dat_read_end(m.x, &at), OP2_SUCCESS, "");
  stop(&m);
  return failures();
}

static void end_in_child(void) {
  op2_context copy = m.ctx;
  op2_dat_destroy(&m.x);
  op2_kernel_destroy(&m.grow);
  op2_const_destroy(&m.one);
  HOLDS(!m.x && !m.grow && !m.one);
  RETURNS(op2_finalize(&m.ctx), OP2_ERR_STATE, "forked child");
  HOLDS(!m.ctx);
  RETURNS(op2_finalize(&copy), OP2_ERR_STATE, "forked child");
  op2_set_destroy(&m.set);
}

static int finalize_in_child(void) {
  start(&m);
  queue(&m, 4);
  CHILD(end_in_child());
  expect_x(&m, 4);
  stop(&m);
  return failures();
}

static int during_flush(void) {
  enum { TIMES = 8 };
  start(&m);
  run_beside(&m);
  for (int n = 0; n < TIMES; n++) CHILD(expect_left_behind(&m); live("sequential"));
  _exit(failures());
}

static void begin_and_end(void) {
  op2_context ctx = NULL;
  RETURNS(op2_init(&(op2_options){.backend = case_backend}, &ctx), OP2_SUCCESS, "");
  RETURNS(op2_finalize(&ctx), OP2_SUCCESS, "");
}

static void *begin_for_ever(void *unused) {
  (void)unused;
  for (;;) begin_and_end();
  return NULL;
}

/* With many unknown variables, op2_init() spends its time in the record of warnings that the
 * process has printed already. */
static int during_init(void) {
  enum { TIMES = 300, NAMES = 500 };
  pthread_t thread;
  char name[32];
  for (int n = 0; n < NAMES; n++) {
    snprintf(name, sizeof name, "OP2_UNKNOWN_%d", n);
    setenv(name, "1", 1);
  }
  HOLDS(!pthread_create(&thread, NULL, begin_for_ever, NULL));
  for (int n = 0; n < TIMES && !failures(); n++) CHILD(alarm(20); begin_and_end());
  _exit(failures());
}

static void *live_for_ever(void *unused) {
  (void)unused;
  for (;;) live(case_backend);
  return NULL;
}

/* Each context loads code that was compiled before, and unloads it. */
static int during_loading(void) {
  enum { TIMES = 150 };
  pthread_t thread;
  live(case_backend);
  HOLDS(!pthread_create(&thread, NULL, live_for_ever, NULL));
  for (int n = 0; n < TIMES && !failures(); n++) CHILD(alarm(20); live(case_backend));
  _exit(failures());
}

static int after_finalize(void) {
  start(&m);
  run(&m, 1);
  stop(&m);
  CHILD(live(case_backend));
  live(case_backend);
  return failures();
}

/* The child makes a context while the parent has one, on a backend that was built. */
static void live_or_unavailable(const char *backend) {
  op2_context ctx = NULL;
  if (op2_backend_unavailable(backend)) return;
  if (strcmp(backend, "starpu") != 0 || strcmp(case_backend, "starpu") != 0) {
    live(backend);
    return;
  }
  RETURNS(op2_init(&(op2_options){.backend = backend}, &ctx), OP2_ERR_UNAVAILABLE, "forked");
  HOLDS(!ctx);
}

static int init_in_child(void) {
  start(&m);
  run(&m, 3);
  CHILD(live_or_unavailable("sequential"));
  CHILD(live_or_unavailable("openmp"));
  CHILD(live_or_unavailable("check"));
  CHILD(live_or_unavailable("starpu"));
  CHILD(live("sequential"); live_or_unavailable("openmp"); live("sequential"));
  run(&m, 1);
  expect_x(&m, 4);
  stop(&m);
  return failures();
}

/* Return a backend that a child can start, with threads of its own if one was built. */
static const char *another_backend(void) {
  return op2_backend_unavailable("openmp") ? "sequential" : "openmp";
}

static void child_with_child(void) {
  struct model mine;
  start_on(&mine, another_backend());
  run(&mine, 2);
  CHILD(expect_left_behind(&mine); expect_left_behind(&m); live(another_backend()));
  expect_x(&mine, 2);
  stop(&mine);
}

static int grandchild(void) {
  start(&m);
  run(&m, 1);
  CHILD(child_with_child());
  expect_x(&m, 1);
  stop(&m);
  return failures();
}

static int two_contexts(void) {
  struct model other;
  start(&m);
  start_on(&other, "sequential");
  queue(&other, 2);
  run(&m, 2);
  CHILD(expect_left_behind(&m); expect_left_behind(&other));
  expect_x(&other, 2);
  stop(&other);
  CHILD(expect_left_behind(&m));
  expect_x(&m, 2);
  stop(&m);
  return failures();
}

static void *fork_here(void *unused) {
  (void)unused;
  CHILD(expect_left_behind(&m); live(another_backend()));
  return NULL;
}

static int in_another_thread(void) {
  pthread_t thread;
  start(&m);
  run(&m, 3);
  HOLDS(!pthread_create(&thread, NULL, fork_here, NULL));
  pthread_join(thread, NULL);
  expect_x(&m, 3);
  stop(&m);
  return failures();
}

static int child_exits(void) {
  start(&m);
  queue(&m, 3);
  pid_t pid = fork();
  if (pid == 0) exit(9);
  HOLDS(child_status(pid) == 9);
  expect_x(&m, 3);
  stop(&m);
  return failures();
}

static int commands(void) {
  char word[16] = "";
  pid_t pid = -1;
  char *const arguments[] = {(char *)"sh", (char *)"-c", (char *)"exit 4", NULL};
  start(&m);
  queue(&m, 3);
  HOLDS(system("exit 0") == 0);
  FILE *pipe = popen("echo word", "r");
  HOLDS(pipe && fgets(word, sizeof word, pipe) && strcmp(word, "word\n") == 0);
  if (pipe) pclose(pipe);
  HOLDS(!posix_spawn(&pid, "/bin/sh", NULL, NULL, arguments, environ) && child_status(pid) == 4);
  pid = vfork();
  if (pid == 0) _exit(5);
  HOLDS(child_status(pid) == 5);
  expect_x(&m, 3);
  stop(&m);
  return failures();
}

/* The program that replaces this one has no files open but the standard streams. */
static int exec_with_context(void) {
  start(&m);
  run(&m, 3);
  queue(&m, 3);
  fflush(NULL);
  execl("/bin/sh", "sh", "-c",
        "for f in 3 4 5 6 7 8 9; do if [ -e /proc/self/fd/$f ]; then case $(readlink "
        "/proc/self/fd/$f) in /proc/*) ;; *) echo open: $f $(readlink /proc/self/fd/$f) >&2; exit "
        "1 ;; esac; fi; done; echo executed >&2; exit 6",
        (char *)NULL);
  return 1;
}

const struct process_case fork_cases[] = {
    {"fork, then op2_init in both", before_init, "starpu openmp sequential check", 0, ""},
    {"fork: every call in the child", every_call, "starpu openmp sequential check", 0, ""},
    {"fork before anything has run", nothing_run_yet, "starpu openmp sequential", 0, ""},
    {"fork with loops queued", loops_queued, "starpu openmp sequential", 0, ""},
    {"fork while a scope is open", scope_open, "starpu sequential", 0, ""},
    {"finalize and destroy in the child", finalize_in_child, "starpu openmp sequential", 0, ""},
    {"fork after finalize", after_finalize, "starpu openmp sequential", 0, ""},
    {"op2_init in the child", init_in_child, "starpu openmp sequential", 0, ""},
    {"a child's child", grandchild, "starpu openmp", 0, ""},
    {"fork with two contexts", two_contexts, "starpu openmp", 0, ""},
    {"fork in another thread", in_another_thread, "starpu openmp", 0, ""},
    {"exit in the child", child_exits, "starpu openmp", 0, ""},
    {"system, popen, posix_spawn, vfork", commands, "starpu openmp", 0, ""},
    {"exec with a context", exec_with_context, "starpu openmp", 6, "executed"},
    {0}};

const struct process_case beside_cases[] = {
    {"fork while another thread flushes", during_flush, "starpu openmp sequential", 0, ""},
    {"fork while another thread begins contexts", during_init, "sequential", 0, ""},
    {"fork while another thread loads objects", during_loading, "sequential", 0, ""},
    {0}};
