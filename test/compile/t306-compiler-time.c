/* SPDX-License-Identifier: BSD-3-Clause */
/* Compilers that hang, and compilers that are interrupted: one clear failure, no second start, and
 * no process that goes on unnoticed. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

#include "clock.h"
#include "machine.h"
#include "op2.h"
#include "t3-rig.h"

static char cache[RIG_PATH];

static void sleep_ms(long ms) {
  struct timespec t = {ms / 1000, ms % 1000 * 1000000};
  while (nanosleep(&t, &t) != 0) {
  }
}

static bool appears(const char *path) {
  for (int i = 0; i < 600; i++) {
    if (access(path, F_OK) == 0) return true;
    sleep_ms(50);
  }
  return false;
}

/* True if a process exists and is not a zombie. */
static bool alive(int pid) {
  char path[64], text[512] = "";
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  FILE *file = fopen(path, "r");
  if (!file) return false;
  size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = '\0';
  const char *state = strrchr(text, ')');
  return state && state[1] && state[2] != 'Z' && state[2] != 'X';
}

/* The numbers in a file, one a line; returns how many there are. */
static int read_pids(const char *path, int *pids, int most) {
  int n = 0;
  FILE *file = fopen(path, "r");
  while (file && n < most && fscanf(file, "%d", &pids[n]) == 1) n++;
  if (file) fclose(file);
  return n;
}

static bool all_die(const char *path, int want) {
  int pids[64], n = read_pids(path, pids, 64), left = n;
  for (int i = 0; i < 600 && left > 0; i++) {
    left = 0;
    for (int k = 0; k < n; k++) left += alive(pids[k]);
    if (left > 0) sleep_ms(50);
  }
  if (n != want || left > 0) diag("%d processes, %d of them left", n, left);
  for (int k = 0; k < n && left > 0; k++)
    if (alive(pids[k])) kill(pids[k], SIGKILL);
  return n == want && left == 0;
}

/* ---- compilers that hang --------------------------------------------------------------------- */

/* A script that hangs in a grandchild, like a compiler behind its driver. */
static void hanging_script(char cc[RIG_PATH], const char *name, const char *pids) {
  char script[4 * RIG_PATH];
  snprintf(script, sizeof script,
           "#!/bin/sh\necho said before\necho $$ >> %s\n"
           "sh -c 'echo $$ >> %s; sleep 600 & echo $! >> %s; wait; :'\nexit 1\n",
           pids, pids, pids);
  rig_script(cc, name, script);
}

static void test_limit(void) {
  char cc[RIG_PATH], pids[RIG_PATH], sources[3][2048];
  struct op2i_jit_code units[3];
  rig_path(pids, "limit-pids");
  hanging_script(cc, "cc-hangs", pids);
  op2_context ctx = rig_context(cache, cc, NULL);
  ctx->config.cc_timeout = 3; /* on a busy machine a shell may take a second to start */
  for (int i = 0; i < 3; i++) {
    rig_source(sources[i], sizeof sources[i], i, NULL);
    units[i] = (struct op2i_jit_code){.source = sources[i], .label = "hangs"};
  }
  double start = op2i_seconds();
  CHECK(op2i_jit_get(ctx, 3, units));
  double seconds = op2i_seconds() - start;
  ok(seconds > 2.9 && seconds < 120, "a compiler that hangs is given up (after %.1f s)", seconds);
  int64_t runs = op2i_machine()->cores < 3 ? op2i_machine()->cores : 3;
  ok(all_die(pids, (int)(3 * runs)), "and all that it had started is gone, in %lld runs",
     (long long)runs);
  for (int i = 0; i < 3; i++) {
    const char *said = units[i].message ? units[i].message : "";
    bool clear = units[i].status == OP2_ERR_COMPILE && strstr(said, "OP2_CC_TIMEOUT") &&
                 strstr(said, "3 seconds") && strstr(said, cc) && strstr(said, "said before");
    if (!ok(clear, "loop %d: variable, seconds, compiler and its words", i)) diag("%s", said);
    units[i].message = (op2i_free(units[i].message), NULL);
  }
  CHECK(op2i_jit_get(ctx, 1, units));
  ok(units[0].status == OP2_ERR_COMPILE && strstr(units[0].message, "no compiler was started") &&
         all_die(pids, (int)(3 * runs)),
     "no other is started in the same flush");
  op2i_free(units[0].message);
  op2i_jit_resume(ctx);
  CHECK(op2i_jit_get(ctx, 1, units));
  ok(units[0].status == OP2_ERR_COMPILE && strstr(units[0].message, "was killed"),
     "the next one tries again");
  op2i_free(units[0].message);
  rig_end(ctx);
  is_int(rig_count(rig_root, "op2-scratch-"), 0, "no scratch folder is left");
}

static void test_ample(void) {
  char cc[RIG_PATH];
  struct op2i_jit_code unit;
  rig_script(cc, "cc-slow", "#!/bin/sh\nsleep 1\nexec cc \"$@\"\n");
  for (int limit = 0; limit <= 600; limit += 600) {
    op2_context ctx = rig_context(NULL, cc, NULL);
    ctx->config.cc_timeout = limit;
    ok(rig_get(ctx, 2.5 + limit, NULL, &unit), "a slow compiler with limit %d", limit);
    rig_end(ctx);
  }
}

/* The status of a compiler that the time limit kills is also hidden from a program that ignores
 * SIGCHLD. */
static void test_ignored(void) {
  char cc[RIG_PATH], pids[RIG_PATH], source[2048];
  rig_path(pids, "ignored-pids");
  hanging_script(cc, "cc-hangs-ignored", pids);
  void (*before)(int) = signal(SIGCHLD, SIG_IGN);
  op2_context ctx = rig_context(NULL, cc, NULL);
  ctx->config.cc_timeout = 1;
  rig_source(source, sizeof source, 9, NULL);
  struct op2i_jit_code unit = {.source = source, .label = "hangs"};
  CHECK(op2i_jit_get(ctx, 1, &unit));
  ok(unit.status == OP2_ERR_COMPILE && strstr(unit.message, "OP2_CC_TIMEOUT"),
     "with SIGCHLD ignored it is the same");
  ok(all_die(pids, 3), "and nothing is left");
  op2i_free(unit.message);
  rig_end(ctx);
  signal(SIGCHLD, before);
}

/* ---- interrupts ------------------------------------------------------------------------------ */

static volatile sig_atomic_t interrupts;
static void on_interrupt(int signal) {
  (void)signal;
  interrupts++;
}
static void reap(int signal) {
  (void)signal;
  int error = errno;
  while (waitpid(-1, NULL, WNOHANG) > 0) {
  }
  errno = error;
}

/* Runs in a process group of its own: one loop, with a compiler that shows when it is running.
 * Exits with 0 if the loop works, 1 if it fails with `expect` in its message. */
static void victim(const char *cc, const char *expect) {
  struct op2i_jit_code unit;
  char source[2048];
  op2_context ctx = rig_context(NULL, cc, NULL);
  ctx->config.cc_timeout = 60;
  rig_source(source, sizeof source, 4, NULL);
  unit = (struct op2i_jit_code){.source = source, .mergeable = true, .label = "interrupted"};
  if (op2i_jit_get(ctx, 1, &unit) != OP2_SUCCESS) _exit(2);
  if (unit.function) _exit(((rig_fn)unit.function)(3.0) == 13 && interrupts > 0 ? 0 : 3);
  bool told = expect && unit.message && strstr(unit.message, expect);
  if (!told) diag("%s", unit.message);
  _exit(told ? 1 : 4);
}

enum manner { BY_DEFAULT, BY_HANDLER, BY_RESTART, BY_REAPER, BY_WAITING };

static void *take_signals(void *set) {
  int got;
  if (sigwait(set, &got) == 0) interrupts++;
  return NULL;
}

static void prepare(enum manner manner) {
  static sigset_t set;
  struct sigaction action = {.sa_handler = on_interrupt};
  pthread_t thread;
  signal(SIGINT, SIG_DFL); /* ignored where a shell has put the test into the background */
  action.sa_flags = manner == BY_RESTART ? SA_RESTART : 0;
  if (manner != BY_DEFAULT && manner != BY_WAITING) sigaction(SIGINT, &action, NULL);
  if (manner == BY_REAPER) signal(SIGCHLD, reap);
  if (manner != BY_WAITING) return;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_create(&thread, NULL, take_signals, &set);
}

/* Ctrl-C at a terminal: SIGINT for the whole process group, several times, while the compiler runs.
 * Returns the victim's status. */
static int interrupted(const char *name, enum manner manner, const char *runs) {
  char cc[RIG_PATH], script[4 * RIG_PATH], go[RIG_PATH];
  rig_path(go, "%s-go", name);
  snprintf(script, sizeof script,
           "#!/bin/sh\n" RIG_ASKED "echo $$ >> %s\n"
           "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ -f %s ] || sleep "
           "0.5; done\nexec cc \"$@\"\n",
           runs, go);
  rig_script(cc, name, script);
  pid_t pid = fork();
  if (pid == 0) {
    setpgid(0, 0);
    prepare(manner);
    victim(cc, NULL);
  }
  setpgid(pid, pid);
  if (!appears(runs)) diag("the compiler did not start");
  for (int i = 0; i < 3; i++) {
    sleep_ms(100);
    kill(-pid, SIGINT);
  }
  rig_write(go, "", 0, 0600);
  int status;
  waitpid(pid, &status, 0);
  return status;
}

static void test_interrupts(void) {
  static const struct {
    const char *name, *what;
    enum manner manner;
  } cases[] = {
      {"handler", "a handler of the program's own", BY_HANDLER},
      {"restart", "a handler with SA_RESTART", BY_RESTART},
      {"reaper", "a handler, and one of SIGCHLD that reaps all", BY_REAPER},
      {"waiting", "a thread that waits for signals", BY_WAITING},
  };
  char runs[RIG_PATH];
  int pids[8];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rig_path(runs, "%s-runs", cases[i].name);
    int status = interrupted(cases[i].name, cases[i].manner, runs);
    if (!ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "SIGINT with %s: the loop is compiled",
            cases[i].what))
      diag("status %x", (unsigned)status);
    is_int(read_pids(runs, pids, 8), 1, "by one start of the compiler");
  }
  rig_path(runs, "default-runs");
  int status = interrupted("default", BY_DEFAULT, runs);
  ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT,
     "SIGINT with the system's action: the program ends");
  ok(all_die(runs, 1), "and so does its compiler");
}

/* Only the compiler gets the signal, as from a kill by hand. */
static void test_ended(void) {
  static const struct {
    const char *name, *line, *expect;
  } cases[] = {
      {"cc-int", "kill -INT $$; sleep 5", "ended by signal 2 (SIGINT)"},
      {"cc-term", "kill -TERM $$; sleep 5", "ended by signal 15 (SIGTERM)"},
      {"cc-130", "exit 130", "ended by signal 2 (SIGINT)"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char cc[RIG_PATH], runs[RIG_PATH], script[4 * RIG_PATH], sources[6][2048];
    struct op2i_jit_code units[6];
    int pids[16], clear = 0;
    rig_path(runs, "%s-runs", cases[i].name);
    snprintf(script, sizeof script, "#!/bin/sh\necho $$ >> %s\n%s\n", runs, cases[i].line);
    rig_script(cc, cases[i].name, script);
    op2_context ctx = rig_context(NULL, cc, NULL);
    for (int u = 0; u < 6; u++) {
      rig_source(sources[u], sizeof sources[u], u, NULL);
      units[u] = (struct op2i_jit_code){.source = sources[u], .mergeable = true, .label = "ended"};
    }
    CHECK(op2i_jit_get(ctx, 6, units));
    for (int u = 0; u < 6; u++) {
      clear += units[u].status == OP2_ERR_COMPILE && strstr(units[u].message, cases[i].expect);
      op2i_free(units[u].message);
    }
    is_int(clear, 6, "%s: all loops of the call fail, and are told why", cases[i].line);
    int cores = op2i_machine()->cores < 6 ? op2i_machine()->cores : 6;
    int n = read_pids(runs, pids, 16);
    ok(n >= 1 && n <= (cores > 1 ? cores : 1), "and no compiler is started again (%d runs)", n);
    rig_end(ctx);
  }
}

/* ---- through the interface ------------------------------------------------------------------- */

OP2_KERNEL(twice, (double *x), { x[0] *= 2; });
OP2_KERNEL(more, (double *x), { x[0] += 1; });

/* Two loops that would be merged: after a joint failure they are not tried separately, and the next
 * flush is a new attempt. */
static void test_flush(void) {
  char cc[RIG_PATH], runs[RIG_PATH], good[RIG_PATH], script[4 * RIG_PATH];
  int pids[16];
  double x[32] = {1}, out[32] = {0};
  rig_path(runs, "flush-runs");
  rig_path(good, "flush-good");
  snprintf(script, sizeof script,
           "#!/bin/sh\n[ -f %s ] && exec cc \"$@\"\necho $$ >> %s\nexec sleep 600\n", good, runs);
  rig_script(cc, "cc-flush", script);
  setenv("OP2_CC_TIMEOUT", "1", 1);
  setenv("OP2_FUSE", "2", 1);
  const op2_options options = {.backend = "openmp", .threads = 2, .cache_dir = cache, .cc = cc};
  op2_context ctx;
  op2_set set;
  op2_dat dat;
  op2_kernel first, second;
  if (op2_backend_unavailable("openmp")) {
    skip("no openmp here: %s", op2_backend_unavailable("openmp"));
    return;
  }
  CHECK(op2_init(&options, &ctx));
  CHECK(op2_set_create(ctx, 32, "cells", &set));
  CHECK(op2_dat_create(set, 1, OP2_F64, x, "x", &dat));
  CHECK(op2_kernel_create(ctx, &twice_kernel, &first));
  CHECK(op2_kernel_create(ctx, &more_kernel, &second));
  CHECK(op2_par_loop(first, set, op2_arg_direct(dat, OP2_RW)));
  CHECK(op2_par_loop(second, set, op2_arg_direct(dat, OP2_RW)));
  FAILS(op2_flush(ctx), OP2_ERR_COMPILE);
  const char *said = op2_error_message();
  if (!ok(strstr(said, "OP2_CC_TIMEOUT") && strstr(said, "t306-compiler-time.c") &&
              strstr(said, "'twice'"),
          "the message names variable, place and loop"))
    diag("%s", said);
  is_int(read_pids(runs, pids, 16), 1, "by one start of the compiler");
  rig_write(good, "", 0, 0600);
  CHECK(op2_dat_set(dat, x));
  CHECK(op2_par_loop(first, set, op2_arg_direct(dat, OP2_RW)));
  CHECK(op2_par_loop(second, set, op2_arg_direct(dat, OP2_RW)));
  CHECK(op2_dat_get(dat, out));
  ok(out[0] == 3 && out[31] == 1, "later, with a compiler that works, the loops run");
  op2_kernel_destroy(&first);
  op2_kernel_destroy(&second);
  op2_dat_destroy(&dat);
  op2_set_destroy(&set);
  (void)!op2_finalize(&ctx);
  unsetenv("OP2_CC_TIMEOUT");
}

/* A program with a limit on the size of files gets an error and is not killed. */
static void test_file_limit(void) {
  struct op2i_jit_code unit;
  pid_t pid = fork();
  if (pid == 0) {
    const struct rlimit limit = {4096, 4096};
    char folder[RIG_PATH], cc[RIG_PATH];
    rig_path(folder, "small-files");
    rig_script(cc, "cc-unlimited",
               "#!/bin/sh\nexec cc \"$@\"\n"); /* the compiler itself fails, with its own message */
    setrlimit(RLIMIT_FSIZE, &limit);
    op2_context ctx = rig_context(folder, cc, NULL);
    bool right = rig_get(ctx, 2, NULL, &unit);
    _exit(right || (unit.status == OP2_ERR_COMPILE && unit.message) ? 0 : 1);
  }
  int status;
  waitpid(pid, &status, 0);
  ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a limit on the size of files kills nobody");
}

int main(void) {
  rig_open();
  rig_path(cache, "cache");
  test_limit();
  test_ample();
  test_ignored();
  test_interrupts();
  test_ended();
  test_flush();
  test_file_limit();
  rig_close();
  return done();
}
