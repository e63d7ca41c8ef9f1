/* SPDX-License-Identifier: BSD-3-Clause */
/* Markers of OP2_MARKERS: libraries of the tests with the interfaces of NVTX, ITT and LIKWID get a
 * beginning and an end of each loop, with the kernel's name, and of each section; results stay what
 * they are, and nothing is loaded unless it is asked for. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "op2.h"
#include "support.h"
#include "tap.h"

OP2_KERNEL(twice, (double *x), { *x = 2 * *x + 1; });
OP2_KERNEL(total, (const double *x, double *sum), { *sum += *x; });

enum { SIZE = 3000, STEPS = 3, LINES = 200 };

static op2_status steps(op2_context ctx, op2_set set, op2_dat x, op2_gbl sum) {
  op2_kernel kernels[2] = {NULL, NULL};
  op2_status status = op2_kernel_create(ctx, &twice_kernel, &kernels[0]);
  if (!status) status = op2_kernel_create(ctx, &total_kernel, &kernels[1]);
  for (int s = 0; s < STEPS && !status; s++) {
    status = op2_section_begin(ctx, "a time: step");
    if (!status) status = op2_par_loop(kernels[0], set, op2_arg_direct(x, OP2_RW));
    if (!status)
      status =
          op2_par_loop(kernels[1], set, op2_arg_direct(x, OP2_READ), op2_arg_gbl(sum, OP2_INC));
    if (!status) status = op2_flush(ctx);
    if (!status) status = op2_section_end(ctx, "a time: step");
  }
  op2_kernel_destroy(&kernels[0]);
  op2_kernel_destroy(&kernels[1]);
  return status;
}

/* The sum is that of small integers: no order changes it. */
static op2_status compute(const char *backend, double *result) {
  op2_context ctx = NULL;
  op2_set set = NULL;
  op2_dat x = NULL;
  op2_gbl sum = NULL;
  const op2_options options = {
      .backend = backend, .threads = 2, .block_size = 256, .cache_dir = test_cache()};
  op2_status status = op2_init(&options, &ctx);
  if (!status) status = op2_set_create(ctx, SIZE, "cells", &set);
  if (!status) status = op2_dat_create(set, 1, OP2_F64, NULL, "x", &x);
  if (!status) status = op2_gbl_create(ctx, 1, OP2_F64, NULL, "sum", &sum);
  if (!status) status = steps(ctx, set, x, sum);
  if (!status) status = op2_gbl_get(sum, result);
  op2_gbl_destroy(&sum);
  op2_dat_destroy(&x);
  op2_set_destroy(&set);
  return status ? status : op2_finalize(&ctx);
}

/* ---- a child for each case, since libraries stay loaded -------------------------------------- */

static char calls[4096], messages[4096];

/* True if the library of a profiler is loaded in this process. */
static bool is_loaded(const char *name) {
  void *handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  if (handle) dlclose(handle);
  return handle;
}

static int child(const char *backend, const char *markers) {
  double sum = 0;
  if (!freopen(messages, "w", stderr)) return 3;
  setenv("OP2_TEST_MARKERS", calls, 1);
  if (markers) setenv("OP2_MARKERS", markers, 1);
  setenv("OP2_FUSE", "0", 1);
  if (compute(backend, &sum)) return 2;
  if (!markers && (is_loaded(getenv("NVTX_INJECTION64_PATH")) ||
                   is_loaded(getenv("INTEL_LIBITTNOTIFY64")) || is_loaded("liblikwid.so.5")))
    return 4;
  return sum == SIZE * (1.0 + 3 + 7) ? 0 : 1;
}

static char lines[LINES][100];
static int nlines;

static void read_lines(const char *path) {
  FILE *file = fopen(path, "r");
  for (nlines = 0; file && nlines < LINES && fgets(lines[nlines], sizeof *lines, file); nlines++)
    lines[nlines][strcspn(lines[nlines], "\n")] = 0;
  if (file) fclose(file);
}

/* Run the program with these markers; `before` is a library that is open then. Returns the child's
 * exit status. */
static int run(const char *backend, const char *markers, const char *before) {
  int how = -1;
  remove(calls);
  fflush(NULL);
  const pid_t pid = fork();
  if (pid == 0) {
    if (before && !dlopen(before, RTLD_NOW | RTLD_GLOBAL)) _exit(5);
    const int code = child(backend, markers);
    fflush(NULL);
    _exit(code);
  }
  waitpid(pid, &how, 0);
  read_lines(calls);
  return WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}

static int count(const char *text) {
  int n = 0;
  for (int i = 0; i < nlines; i++) n += !strcmp(lines[i], text);
  return n;
}

/* True if each beginning has its end, the last one first; LIKWID's ends have the name again. */
static bool are_nested(void) {
  const char *open[LINES];
  int depth = 0;
  for (int i = 0; i < nlines; i++) {
    if (!strncmp(lines[i], "push ", 5)) open[depth++] = lines[i] + 5;
    if (strncmp(lines[i], "pop", 3) != 0) continue;
    if (depth-- == 0) return false;
    if (lines[i][3] && strcmp(lines[i] + 4, open[depth]) != 0) return false;
  }
  return depth == 0;
}

static void judge(const char *backend, const char *markers, const char *section, int status) {
  is_int(status, 0, "%s, %s: the program runs, with the same result", markers, backend);
  is_int(count("init"), 1, "%s, %s: the library is started once", markers, backend);
  is_int(count("push twice"), STEPS, "%s, %s: each loop is a range", markers, backend);
  is_int(count("push total"), STEPS, "%s, %s: so is each reduction", markers, backend);
  is_int(count(section), STEPS, "%s, %s: and each section", markers, backend);
  is_int(count("push op2_flush"), STEPS, "%s, %s: and each flush", markers, backend);
  ok(are_nested(), "%s, %s: every range has its end", markers, backend);
}

static void test_backend(const char *backend) {
  char likwid[4096];
  snprintf(likwid, sizeof likwid, "%s/test/markers/liblikwid.so.5", build_root());
  if (access(getenv("NVTX_INJECTION64_PATH"), R_OK) == 0)
    judge(backend, "nvtx", "push a time: step", run(backend, "nvtx", NULL));
  else
    skip("NVTX's header is not here (test/deps.sh test fetches it)");
  judge(backend, "itt", "push a time: step", run(backend, "itt", NULL));
  is_int(count("domain op2"), 1, "itt, %s: ranges are in a domain of the library", backend);
  setenv("OP2_TEST_FEW", "1", 1);
  judge(backend, "itt", "push a time: step", run(backend, "itt", NULL));
  unsetenv("OP2_TEST_FEW");
  judge(backend, "likwid", "push a_time__step", run(backend, "likwid", likwid));
  is_int(count("close"), 1, "%s: LIKWID's regions are closed", backend);
  ok(run(backend, "itt,likwid", likwid) == 0 && count("init") == 2 &&
         count("push twice") == 2 * STEPS,
     "%s: two kinds at once", backend);
  is_int(run(backend, NULL, NULL), 0, "%s: without OP2_MARKERS no such library is loaded", backend);
}

static bool says(const char *text) {
  char line[1000];
  bool found = false;
  FILE *file = fopen(messages, "r");
  while (file && fgets(line, sizeof line, file)) found = found || strstr(line, text);
  if (file) fclose(file);
  return found;
}

/* A marker library that is absent causes a warning, and the program runs as without it. */
static void test_absent(void) {
  ok(run("sequential", "vtune", NULL) == 0 && says("'vtune': expected nvtx, itt or likwid"),
     "an unknown kind is warned of");
  ok(run("sequential", "0", NULL) == 0 && !says("op2"), "0 asks for none");
  unsetenv("INTEL_LIBITTNOTIFY64");
  ok(run("sequential", "itt", NULL) == 0 && says("no profiler has set INTEL_LIBITTNOTIFY64"),
     "no collector is warned of");
  setenv("INTEL_LIBITTNOTIFY64", "/nowhere/at/all.so", 1);
  ok(run("sequential", "itt", NULL) == 0 && says("INTEL_LIBITTNOTIFY64 names cannot be loaded"),
     "so is one that is not there");
  setenv("NVTX_INJECTION64_PATH", "/nowhere/at/all.so", 1);
  ok(run("sequential", "nvtx", NULL) == 0 && says("NVTX_INJECTION64_PATH names"),
     "and a library of NVTX that is not there");
}

/* LIKWID itself, which does nothing but a message without likwid-perfctr. */
static void test_likwid(void) {
  static const char *const paths[] = {"/usr/lib/x86_64-linux-gnu/liblikwid.so.5",
                                      "/usr/lib/aarch64-linux-gnu/liblikwid.so.5"};
  for (size_t p = 0; p < sizeof paths / sizeof *paths; p++)
    if (access(paths[p], R_OK) == 0) {
      ok(run("sequential", "likwid", NULL) == 0 && !says("OP2_MARKERS"),
         "a program runs with LIKWID's own library");
      return;
    }
  skip("LIKWID is not installed");
}

/* Intel's own part of a program, in its package for Python, with the collector of this test. */
static void test_collector(void) {
  static const char *const script =
      "import ittapi; t = ittapi.task('a task', domain='theirs'); t.begin(); t.end()";
  const char *folder = getenv("OP2_TEST_ITT") ? getenv("OP2_TEST_ITT") : "/nowhere";
  char command[20000];
  snprintf(command, sizeof command, "PYTHONPATH='%s' python3 -c 'import ittapi' 2>/dev/null",
           folder);
  if (system(command) != 0) {
    skip("Intel's package ittapi is not here (test/deps.sh test fetches it)");
    return;
  }
  remove(calls);
  snprintf(command, sizeof command, "PYTHONPATH='%s' OP2_TEST_MARKERS='%s' python3 -c \"%s\"",
           folder, calls, script);
  const int status = system(command);
  read_lines(calls);
  ok(status == 0 && count("init") == 1 && count("push a task") == 1 && count("pop") == 1,
     "the collector of this test works with Intel's own part of a program");
}

int main(void) {
  char path[4096];
  const char *backend;
  test_environment();
  snprintf(calls, sizeof calls, "%s/calls", test_scratch());
  snprintf(messages, sizeof messages, "%s/messages", test_scratch());
  snprintf(path, sizeof path, "%s/test/markers/libop2-test-nvtx.so", build_root());
  setenv("NVTX_INJECTION64_PATH", path, 1);
  snprintf(path, sizeof path, "%s/test/markers/libop2-test-itt.so", build_root());
  setenv("INTEL_LIBITTNOTIFY64", path, 1);
  for (int b = 0; (backend = next_backend(host_backends, &b));)
    if (strcmp(backend, "check") != 0) test_backend(backend);
  test_collector();
  test_likwid();
  test_absent();
  return done();
}
