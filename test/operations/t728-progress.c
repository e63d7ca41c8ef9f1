/* SPDX-License-Identifier: BSD-3-Clause */
/* The progress of a time loop on a terminal: steps are counted whatever runs several times in a step
 * or once in a while, and the time left is shown. A file gets nothing. */
#define _XOPEN_SOURCE 700
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "op2.h"
#include "support.h"
#include "tap.h"

OP2_KERNEL(first, (double *x), { *x += 1; });
OP2_KERNEL(twice_a_step, (double *x), { *x *= 0.5; });
OP2_KERNEL(once_at_all, (double *x), { *x = 3; });

enum { STEPS = 40, STEP_MS = 25 };

static int failed;
#define DO(call_) failed += (call_) != OP2_SUCCESS

static void wait_ms(long ms) {
  const struct timespec time = {.tv_nsec = ms * 1000000};
  nanosleep(&time, NULL);
}

static void run(const char *backend) {
  op2_context ctx = NULL;
  op2_set set = NULL;
  op2_dat x = NULL;
  op2_kernel kernels[3] = {NULL, NULL, NULL};
  const op2_kernel_desc *descs[3] = {&first_kernel, &twice_a_step_kernel, &once_at_all_kernel};
  DO(op2_init(&(op2_options){.backend = backend, .threads = 2, .cache_dir = test_cache()}, &ctx));
  DO(op2_set_create(ctx, 100, "cells", &set));
  DO(op2_dat_create(set, 1, OP2_F64, NULL, "x", &x));
  for (int k = 0; k < 3; k++) DO(op2_kernel_create(ctx, descs[k], &kernels[k]));
  DO(op2_par_loop(kernels[2], set, op2_arg_direct(x, OP2_RW)));
  for (int s = 0; s < STEPS; s++) {
    DO(op2_par_loop(kernels[0], set, op2_arg_direct(x, OP2_RW)));
    DO(op2_par_loop(kernels[1], set, op2_arg_direct(x, OP2_RW)));
    DO(op2_par_loop(kernels[1], set, op2_arg_direct(x, OP2_RW)));
    DO(op2_flush(ctx));
    wait_ms(STEP_MS);
  }
  for (int k = 0; k < 3; k++) op2_kernel_destroy(&kernels[k]);
  op2_dat_destroy(&x);
  op2_set_destroy(&set);
  DO(op2_finalize(&ctx));
}

/* Run with standard error on a new terminal, and return what was written there; null: there are no
 * terminals here. */
static char *on_terminal(const char *backend) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY), saved = dup(STDERR_FILENO);
  if (master < 0 || grantpt(master) || unlockpt(master)) return NULL;
  const int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
  if (terminal < 0) return NULL;
  fflush(stderr);
  dup2(terminal, STDERR_FILENO);
  run(backend);
  fflush(stderr);
  dup2(saved, STDERR_FILENO);
  char *text = calloc(1, 1 << 14);
  fcntl(master, F_SETFL, O_NONBLOCK);
  for (size_t n = 0; text && n < (1 << 14) - 1;) { /* a terminal hands out what it has in pieces */
    const ssize_t more = read(master, text + n, (1 << 14) - 1 - n);
    if (more <= 0) break;
    n += (size_t)more;
  }
  close(terminal);
  close(master);
  close(saved);
  return text;
}

static void test_backend(const char *backend) {
  char *text = on_terminal(backend);
  if (!text) {
    skip("there are no terminals here");
    return;
  }
  ok(strstr(text, "op2: step ") && strstr(text, " of 40, ") && strstr(text, " s left"),
     "%s: the step, how many there are and the time left are shown", backend);
  ok(strstr(text, "op2: the run took ") != NULL, "%s: and in the end the time of all", backend);
  free(text);
}

static void test_unknown(void) {
  setenv("OP2_PROGRESS", "1", 1);
  char *text = on_terminal("sequential");
  ok(!text || (strstr(text, "op2: step ") && strstr(text, " ms each") && !strstr(text, "left")),
     "without their number, steps and the time of one are shown");
  free(text);
}

/* Standard error is a file here. */
static void test_file(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s/messages", test_scratch());
  const int saved = dup(STDERR_FILENO), file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  dup2(file, STDERR_FILENO);
  run("sequential");
  fflush(stderr);
  dup2(saved, STDERR_FILENO);
  is_int(lseek(file, 0, SEEK_END), 0, "a file gets nothing");
  close(file);
  close(saved);
}

int main(void) {
  test_environment();
  setenv("OP2_PROGRESS", "40", 1);
  int b = 0;
  for (const char *backend; (backend = next_backend(host_backends, &b));)
    if (strcmp(backend, "check") != 0) test_backend(backend);
  test_unknown();
  test_file();
  ok(!failed, "all calls succeed");
  return done();
}
