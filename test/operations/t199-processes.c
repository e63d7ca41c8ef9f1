/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs with fork, exec, exit, pthread_exit, signals and stale handles, each in a process of its
 * own with a time limit: none hangs, and each ends as it should. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process_case.h"
#include "support.h"

extern char **environ;

enum { LIMIT_S = 60, SAID = 4096 };

#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

static const struct process_case *const groups[] = {fork_cases, beside_cases, end_cases,
                                                    handle_cases};
enum { GROUPS = sizeof groups / sizeof groups[0] };

/* ---- in the child process -------------------------------------------------------------------- */

static int run_case(const char *name, const char *backend) {
  case_backend = backend;
  for (int g = 0; g < GROUPS; g++)
    for (const struct process_case *c = groups[g]; c->name; c++)
      if (strcmp(c->name, name) == 0) return c->run();
  return 98;
}

/* ---- in the test's process ------------------------------------------------------------------- */

/* The exit status of a process, or 128 and its signal; -1 if it had to be killed. */
static int wait_for(pid_t pid) {
  int status = 0;
  for (int waited_ms = 0; waitpid(pid, &status, WNOHANG) == 0; waited_ms += 5) {
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    if (waited_ms < 1000 * LIMIT_S) continue;
    kill(-pid, SIGKILL);
    waitpid(pid, &status, 0);
    return -1;
  }
  kill(-pid, SIGKILL); /* its children, too */
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* An unnamed file that receives a program's output. */
static int open_log(void) { return open(test_scratch(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); }

static int run_process(char *const arguments[], char said[SAID]) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  pid_t pid = -1;
  said[0] = '\0';
  int log = open_log();
  if (log < 0) return -2;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawn_file_actions_adddup2(&files, log, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, log, STDERR_FILENO);
  int failed = posix_spawn(&pid, arguments[0], &files, &attributes, arguments, environ);
  int status = failed ? -2 : wait_for(pid);
  ssize_t length = pread(log, said, SAID - 1, 0);
  said[length > 0 ? length : 0] = '\0';
  close(log);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return status;
}

static void try_case(char *program, const struct process_case *c, const char *backend,
                     bool skipped) {
  char said[SAID];
  char *const arguments[] = {program, (char *)c->name, (char *)backend, NULL};
  if (skipped) {
    skip("%s: %s: the address sanitizer's allocator may stay locked in the child", backend,
         c->name);
    return;
  }
  int status = run_process(arguments, said);
  if (!ok(status == c->status && strstr(said, c->says), "%s: %s", backend, c->name))
    diag("  %s %d, expected %d with '%s'; it said: %s", status == -1 ? "hung:" : "status", status,
         c->status, c->says, said);
}

static void try_cases(char *program, const char *backend) {
  for (int g = 0; g < GROUPS; g++)
    for (const struct process_case *c = groups[g]; c->name; c++)
      if (strstr(c->backends, backend))
        try_case(program, c, backend, SANITIZED && groups[g] == beside_cases);
}

/* The library is loaded at run time by a program that is not linked with it. */
static void try_loading(void) {
  static const char *const ways[] = {"finalized", "alive", "exit", "thread"};
  char program[4096], library[4096], said[SAID];
  snprintf(program, sizeof program, "%s/test/load-library", build_root());
  snprintf(library, sizeof library, "%s/libop2.so", build_root());
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    if (access(program, X_OK) || access(library, R_OK)) {
      skip("dlopen and dlclose, %s: there is no shared library here", ways[w]);
      continue;
    }
    char *const arguments[] = {program, library, (char *)ways[w], NULL};
    int status = run_process(arguments, said);
    if (!ok(status == 0 && strstr(said, "as it should be"), "dlopen and dlclose: %s", ways[w]))
      diag("  status %d; it said: %s", status, said);
  }
}

/* Settings for the address sanitizer: these programs test signals, and memory that a program leaves
 * at exit is not a leak. */
static void leave_signals(void) {
  char options[1024];
  const char *before = getenv("ASAN_OPTIONS");
  snprintf(options, sizeof options, "%s:handle_segv=0:handle_abort=0:detect_leaks=0",
           before ? before : "");
  setenv("ASAN_OPTIONS", options, 1);
}

int main(int argc, char **argv) {
  static const char *const backends[] = {"starpu", "openmp", "sequential", "check"};
  if (argc == 3) return run_case(argv[1], argv[2]);
  if (setenv("OP2_CACHE_DIR", test_cache(), 1)) return 1;
  setenv("OP2_CHUNK_US", "0", 1); /* always in parallel */
  leave_signals();
  for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
    const char *why = op2_backend_unavailable(backends[b]);
    if (why) {
      skip("backend %s: %s", backends[b], why);
      continue;
    }
    try_cases(argv[0], backends[b]);
    if (strcmp(backends[b], "starpu") != 0) continue;
    diag("the same with a team of StarPU's workers in place of tasks");
    setenv("OP2_TEAM", "1", 1);
    try_cases(argv[0], backends[b]);
    unsetenv("OP2_TEAM");
  }
  try_loading();
  return done();
}
