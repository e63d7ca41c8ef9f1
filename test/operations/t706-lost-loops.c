/* SPDX-License-Identifier: BSD-3-Clause */
/* If a program ends with loops queued and without op2_finalize(), a message lists what was lost.
 * Each program is a child process, whose stderr is read. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

OP2_KERNEL(lost, (double *x), { *x = 1; });

static const char *backend;
static op2_context ctx;
static op2_dat dat;
static op2_kernel kernel;
static op2_set set;

static void must(op2_status status) {
  if (!status) return;
  fprintf(stderr, "%s\n", op2_error_message());
  _exit(3);
}

/* A context with n loops queued. */
static void begin(int n) {
  const op2_options options = {
      .backend = backend, .threads = 2, .eager = -1, .cache_dir = test_cache()};
  must(op2_init(&options, &ctx));
  must(op2_set_create(ctx, 40, "cells", &set));
  must(op2_dat_create(set, 1, OP2_F64, NULL, "x", &dat));
  must(op2_kernel_create(ctx, &lost_kernel, &kernel));
  for (int i = 0; i < n; i++) must(op2_par_loop(kernel, set, op2_arg_direct(dat, OP2_RW)));
}

static void forgets(void) { begin(3); }

static void forgets_one(void) { begin(1); }

static void looks(void) {
  double x[40];
  begin(3);
  must(op2_dat_get(dat, x));
}

static void finalizes(void) {
  begin(3);
  must(op2_finalize(&ctx));
}

static void destroys_handles(void) {
  begin(2);
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&dat);
  op2_set_destroy(&set);
}

static void forgets_two_contexts(void) {
  begin(3);
  begin(4);
}

static void leaves_at_once(void) {
  begin(3);
  _exit(0);
}

static void forks(void) {
  begin(3);
  pid_t pid = fork();
  if (!pid) exit(0);
  waitpid(pid, NULL, 0);
  _exit(0); /* runs no exit handlers, so any message is from the child */
}

static void forks_and_ends(void) {
  begin(3);
  pid_t pid = fork();
  if (pid) waitpid(pid, NULL, 0);
}

static void *ends(void *nothing) {
  (void)nothing;
  exit(0);
}

static void ends_in_thread(void) {
  pthread_t thread;
  begin(3);
  if (pthread_create(&thread, NULL, ends, NULL)) _exit(4);
  pthread_join(thread, NULL);
}

static void on_signal(int number) {
  (void)number;
  exit(0);
}

static void ends_in_handler(void) {
  begin(3);
  signal(SIGUSR1, on_signal);
  raise(SIGUSR1);
}

static void is_silent(void) {
  setenv("OP2_LOG", "0", 1);
  begin(3);
}

static void logs_errors_only(void) {
  setenv("OP2_LOG", "1", 1);
  begin(3);
}

/* The leak sanitizer calls this when a program ends: what a program leaves that just ends is no
 * leak, and the sanitizer's messages about threads that still run do not concern the library. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return 1; }

static char said[65536];

/* Run a program to its end and return its exit status. */
static int run(void (*program)(void)) {
  FILE *file = tmpfile();
  fflush(stdout);
  fflush(stderr);
  pid_t pid = fork();
  if (!pid) {
    dup2(fileno(file), 2);
    alarm(60);
    program();
    exit(0);
  }
  int how = -1;
  waitpid(pid, &how, 0);
  rewind(file);
  said[fread(said, 1, sizeof said - 1, file)] = '\0';
  fclose(file);
  return how;
}

static void quiet(void (*program)(void), const char *what) {
  int how = run(program);
  ok(how == 0, "%s: a program that %s ends well (%d)", backend, what, how);
  is_str(said, "", "%s: and says nothing", backend);
}

static void speaks(void (*program)(void), const char *what, const char *part, bool first) {
  int how = run(program);
  bool named = strstr(said, "'lost' over 'cells'") && strstr(said, "t706-lost-loops.c:");
  ok(how == 0, "%s: a program that %s ends well (%d)", backend, what, how);
  if (!ok(strstr(said, "op2 warning: ") && strstr(said, part) && named == first &&
              strstr(said, "op2_finalize() was not called"),
          "%s: and says: %s", backend, said))
    diag("said: %s", said);
}

int main(void) {
  static const char *const backends[] = {"sequential", "openmp", "starpu", "check"};
  test_environment();
  (void)test_cache();
  for (int i = 0; i < 4; i++) {
    backend = backends[i];
    if (op2_backend_unavailable(backend)) {
      skip("%s: %s", backend, op2_backend_unavailable(backend));
      continue;
    }
    speaks(forgets, "forgets op2_finalize", "with 3 loops queued", true);
    speaks(forgets_one, "forgets it with one loop", "with 1 loop queued", true);
    speaks(destroys_handles, "destroys its handles only", "with 2 loops queued", true);
    speaks(forgets_two_contexts, "forgets two contexts", "with 4 loops queued", true);
    ok(strstr(said, "with 3 loops queued"), "%s: of the other as well", backend);
    speaks(forks_and_ends, "forks", "with 3 loops queued", true);
    ok(!strstr(strstr(said, "queued") + 1, "3 loops queued"), "%s: the child does not speak",
       backend);
    speaks(ends_in_thread, "ends in another thread", "with 3 loops queued", false);
    speaks(ends_in_handler, "ends in a signal handler", "with 3 loops queued", true);
    quiet(looks, "looks at what it computed");
    quiet(finalizes, "finalizes");
    quiet(leaves_at_once, "leaves by _exit");
    quiet(forks, "forks a child that ends");
    quiet(is_silent, "has OP2_LOG=0");
    quiet(logs_errors_only, "has OP2_LOG=1");
  }
  return done();
}
