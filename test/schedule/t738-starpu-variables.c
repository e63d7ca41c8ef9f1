/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables of StarPU that decide what op2 decides: there are as many workers as the program
 * requested, loops run, and the variables have their old values afterwards. Values with which
 * StarPU would end the process, or never run a task, give an error before StarPU starts, or lead to
 * another backend. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

OP2_KERNEL(fill, (double *x), { x[0] = 1; });

enum { N = 1000, WORKERS = 2 };

static bool has_run(op2_context ctx) {
  op2_set set = NULL;
  op2_dat x = NULL;
  op2_kernel kernel = NULL;
  static double values[N];
  bool good = !op2_set_create(ctx, N, "set", &set) &&
              !op2_dat_create(set, 1, OP2_F64, NULL, "x", &x) &&
              !op2_kernel_create(ctx, &fill_kernel, &kernel) &&
              !op2_par_loop(kernel, set, op2_arg_direct(x, OP2_WRITE)) && !op2_dat_get(x, values);
  for (int i = 0; i < N && good; i++) good = values[i] == 1;
  if (!good) diag("%s", op2_error_message());
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&x);
  op2_set_destroy(&set);
  return good;
}

/* Runs in the child; returns 0 if all checks pass. */
static int run(const char *name, const char *value) {
  op2_context ctx;
  cpu_set_t before, after;
  alarm(120); /* ends a child whose loops never end */
  setenv(name, value, 1);
  sched_getaffinity(0, sizeof before, &before);
  const op2_options options = {
      .backend = "starpu", .threads = WORKERS, .cache_dir = test_cache(), .log_level = 2};
  if (op2_init(&options, &ctx)) {
    diag("%s", op2_error_message());
    return 1;
  }
  sched_getaffinity(0, sizeof after, &after);
  if (op2_workers(ctx) != WORKERS) return 2;
  if (!CPU_EQUAL(&before, &after)) return 3;
  if (!has_run(ctx)) return 4;
  if (op2_finalize(&ctx)) return 5;
  const char *now = getenv(name);
  return now && !strcmp(now, value) ? 0 : 6;
}

static int run_in_child(const char *name, const char *value) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) _exit(run(name, value));
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- variables for which StarPU would end the process ---------------------------------------- */

enum { REFUSED = 1, BY_ANOTHER, BY_STARPU, WRONG };

static int start(const char *backend, const char *name, const char *value) {
  op2_context ctx;
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    alarm(120);
    setenv(name, value, 1);
    unsetenv("OP2_BACKEND");
    const op2_options options = {
        .backend = backend, .threads = WORKERS, .cache_dir = test_cache(), .log_level = 1};
    op2_status status = op2_init(&options, &ctx);
    if (status == OP2_ERR_UNAVAILABLE && strstr(op2_error_message(), name)) _exit(REFUSED);
    if (status) _exit(WRONG);
    int chosen = strcmp(op2_backend_name(ctx), "starpu") ? BY_ANOTHER : BY_STARPU;
    if (!has_run(ctx) || op2_finalize(&ctx)) chosen = WRONG;
    _exit(chosen);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void test_refused(void) {
  static const char *const variables[][2] = {
      {"STARPU_HOSTNAME", "a/b"},       {"STARPU_HOSTNAME", "/"},
      {"STARPU_SCHED", "graph_test"},   {"STARPU_CALIBRATE", "many"},
      {"STARPU_PREFETCH", "-1"},        {"STARPU_USE_NUMA", "1 "},
      {"STARPU_MEMORY_STATS", "many"},  {"STARPU_LIMIT_CPU_MEM", "99999999999"},
      {"STARPU_WORKER_TREE", "many"},   {"STARPU_WATCHDOG_TIMEOUT", "-1"},
      {"STARPU_SCHED_ALPHA", "0.5 or"}, {"STARPU_MIN_WORKERSIZE", "many"}};
  for (size_t v = 0; v < sizeof variables / sizeof *variables; v++) {
    const char *name = variables[v][0], *value = variables[v][1];
    is_int(start("starpu", name, value), REFUSED, "%s=%s is an error that names it", name, value);
    is_int(start(NULL, name, value), BY_ANOTHER,
           "without a backend asked for, another one takes its place");
  }
}

static void test_harmless(void) {
  static const char *const variables[][2] = {
      {"STARPU_HOSTNAME", "another"}, {"STARPU_HOSTNAME", ""},     {"STARPU_SCHED", "nonesuch"},
      {"STARPU_SCHED", "dmda"},       {"STARPU_CALIBRATE", ""},    {"STARPU_PREFETCH", "0"},
      {"STARPU_SCHED_ALPHA", "0.5"},  {"STARPU_NMIC", "many"},     {"STARPU_WORKERS_OPENCLID", ""},
      {"STARPU_HOME", "/proc"},       {"STARPU_DISK_SWAP", "/no"}, {"STARPU_NEW", "many"}};
  for (size_t v = 0; v < sizeof variables / sizeof *variables; v++)
    is_int(start("starpu", variables[v][0], variables[v][1]), BY_STARPU, "%s='%s'", variables[v][0],
           variables[v][1]);
}

int main(void) {
  static const char *const variables[][2] = {{"STARPU_MAIN_THREAD_BIND", "1"},
                                             {"STARPU_MAIN_THREAD_CPUID", "0"},
                                             {"STARPU_MAIN_THREAD_CPUID", "99"},
                                             {"STARPU_MAIN_THREAD_COREID", "0"},
                                             {"STARPU_RESERVE_NCPU", "1"},
                                             {"STARPU_DISABLE_KERNELS", "1"},
                                             {"STARPU_NCPU", "0"},
                                             {"STARPU_NCPU", "1"},
                                             {"STARPU_NCPU", "many"},
                                             {"STARPU_NCPUS", "1"},
                                             {"STARPU_WORKERS_CPUID", "0"},
                                             {"STARPU_WORKERS_CPUID", "all"},
                                             {"STARPU_WORKERS_COREID", "0"},
                                             {"STARPU_NTHREADS_PER_CORE", "0"},
                                             {"STARPU_MAX_PRIO", "-3"},
                                             {"STARPU_MIN_PRIO", "5"},
                                             {"STARPU_SCHED", "eager"}};
  const char *why = op2_backend_unavailable("starpu");
  if (why) {
    skip("%s", why);
    return done();
  }
  test_environment();
  /* Everything runs as tasks of StarPU's workers, however small. */
  setenv("OP2_CHUNK_US", "0", 1);
  setenv("OP2_TEAM", "0", 1);
  (void)test_cache();
  for (size_t v = 0; v < sizeof variables / sizeof *variables; v++)
    is_int(run_in_child(variables[v][0], variables[v][1]), 0, "%s=%s", variables[v][0],
           variables[v][1]);
  test_refused();
  test_harmless();
  return done();
}
