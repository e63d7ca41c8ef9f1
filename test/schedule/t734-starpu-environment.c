/* SPDX-License-Identifier: BSD-3-Clause */
/* StarPU starts in an environment of its own, while other threads use the program's: they may read
 * the list of variables at any time, and it does not change; other contexts see the program's
 * variables; changes that the program makes meanwhile persist. Objects may also be unloaded while
 * StarPU's start scans the loaded ones. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

OP2_KERNEL(fill, (double *x), { x[0] = 1; });

/* The variable that is set for StarPU only. */
#define TOLD "HWLOC_COMPONENTS"

/* Allocate and overwrite memory that was freed before. */
static void reuse_memory(void) {
  enum { LARGEST = 4096, STEP = 16 };
  void *blocks[LARGEST / STEP];
  for (int b = 0; b < LARGEST / STEP; b++) {
    size_t bytes = (size_t)(b + 1) * STEP;
    blocks[b] = malloc(bytes);
    if (blocks[b]) memset(blocks[b], 0xa5, bytes);
  }
  for (int b = 0; b < LARGEST / STEP; b++) free(blocks[b]);
}

/* ---- during the start ------------------------------------------------------------------------ */

static void (*meanwhile)(void);

/* This stands in for StarPU's function, and calls it. */
int starpu_init(void *conf);
int starpu_init(void *conf) {
  int (*real)(void *);
  void *symbol = dlsym(RTLD_NEXT, "starpu_init");
  memcpy(&real, &symbol, sizeof real);
  if (meanwhile) meanwhile();
  return real(conf);
}

static bool start(void (*function)(void)) {
  op2_context ctx = NULL;
  const op2_options options = {
      .backend = "starpu", .threads = 1, .cache_dir = test_cache(), .log_level = 1};
  meanwhile = function;
  bool good = !op2_init(&options, &ctx);
  if (!good) diag("%s", op2_error_message());
  meanwhile = NULL;
  return !op2_finalize(&ctx) && good;
}

/* ---- the environment ------------------------------------------------------------------------- */

enum { MOST = 4096 };
static char **list, *entries[MOST];
static int nentries; /* including the null at the end */
static bool told, same;

static void take_list(void) {
  list = environ;
  for (nentries = 0; nentries < MOST - 1 && list[nentries]; nentries++)
    entries[nentries] = list[nentries];
  entries[nentries++] = NULL;
}

static bool list_is_same(void) {
  return !memcmp(list, entries, (size_t)nentries * sizeof *entries);
}

static void look(void) {
  told = getenv(TOLD) != NULL;
  reuse_memory();
  same = list_is_same();
}

static void reading(void) {
  setenv("OP2_TEST_FIRST", "1", 1); /* from now on the C library owns the list */
  take_list();
  ok(start(look) && told, "StarPU has variables of its own while it starts");
  ok(same, "the list that another thread may be reading stays as it is meanwhile");
  ok(environ == list && list_is_same(), "it is in its place again afterwards");
}

static void add(void) { setenv("OP2_TEST_ADDED", "1", 1); }
static void change(void) { setenv("OP2_TEST_KNOWN", "after", 1); }
static void take_out(void) { unsetenv("OP2_TEST_KNOWN"); }

static void changing(void) {
  const char *value;
  setenv("OP2_TEST_KNOWN", "before", 1);
  setenv("STARPU_NCPU", "7", 1);
  ok(start(add) && getenv("OP2_TEST_ADDED"), "a variable that the program adds meanwhile stays");
  ok(start(change) && (value = getenv("OP2_TEST_KNOWN")) && !strcmp(value, "after"),
     "so does another value");
  ok(start(take_out) && !getenv("OP2_TEST_KNOWN"), "one that it takes out is gone");
  ok(!getenv(TOLD) && (value = getenv("STARPU_NCPU")) && !strcmp(value, "7"),
     "what only StarPU was told, and not told, is as before");
}

/* ---- other contexts -------------------------------------------------------------------------- */

static op2_context other;
static bool computed;

static void compute(void) {
  op2_set set = NULL;
  op2_dat x = NULL;
  op2_kernel kernel = NULL;
  double value = 0;
  computed = !op2_set_create(other, 1, "set", &set) &&
             !op2_dat_create(set, 1, OP2_F64, NULL, "x", &x) &&
             !op2_kernel_create(other, &fill_kernel, &kernel) &&
             !op2_par_loop(kernel, set, op2_arg_direct(x, OP2_WRITE)) && !op2_dat_get(x, &value) &&
             value == 1;
  if (!computed) diag("%s", op2_error_message());
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&x);
  op2_set_destroy(&set);
}

static void compiling(void) {
  char folder[4200], compiler[4200], mark[4200];
  snprintf(folder, sizeof folder, "%s/cache", test_scratch());
  snprintf(compiler, sizeof compiler, "%s/compiler", test_scratch());
  snprintf(mark, sizeof mark, "%s/mark", test_scratch());
  FILE *script = fopen(compiler, "w");
  fprintf(script, "#!/bin/sh\n[ -z \"$" TOLD "\" ] || echo >'%s'\nexec cc \"$@\"\n", mark);
  fclose(script);
  chmod(compiler, 0700);
  const op2_options options = {
      .backend = "sequential", .cc = compiler, .cache_dir = folder, .log_level = 1};
  if (!ok(!op2_init(&options, &other), "a context that compiles meanwhile")) return;
  ok(start(compute) && computed, "it computes");
  ok(access(mark, F_OK) != 0, "its compiler has the program's variables");
  ok(!op2_finalize(&other), "it ends");
}

/* ---- shared objects that are unloaded -------------------------------------------------------- */

static void *object;
static sem_t wanted, gone;

static void *unload(void *unused) {
  sem_wait(&wanted);
  dlclose(object);
  sem_post(&gone);
  return unused;
}

static bool passed;

/* The start passes the names of loaded objects to strstr() as it scans them. An object that the
 * scan has reached is unloaded now, or its unloading waits for the scan to end: then the scan goes
 * on after a moment. */
char *strstr(const char *text, const char *part) {
  size_t length = strlen(part);
  if (object && !passed && !strcmp(part, "libstarpu") && strlen(text) > 15 &&
      !strcmp(text + strlen(text) - 15, "op2-test-icd.so")) {
    struct timespec moment;
    passed = true;
    clock_gettime(CLOCK_REALTIME, &moment);
    moment.tv_sec++;
    sem_post(&wanted);
    if (!sem_timedwait(&gone, &moment)) reuse_memory();
  }
  for (; *text; text++)
    if (!strncmp(text, part, length)) return (char *)(uintptr_t)text;
  return length ? NULL : (char *)(uintptr_t)text;
}

static void unloading(void) {
  pthread_t thread;
  char path[4200];
  snprintf(path, sizeof path, "%s/test/libop2-test-icd.so",
           getenv("OP2_TEST_BUILD") ? getenv("OP2_TEST_BUILD") : ".");
  object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!ok(object != NULL, "an object to unload")) {
    diag("%s", dlerror());
    return;
  }
  sem_init(&wanted, 0, 0);
  sem_init(&gone, 0, 0);
  if (!ok(!pthread_create(&thread, NULL, unload, NULL), "a thread that does it")) return;
  ok(start(NULL), "an object is unloaded while the start looks at it");
  if (!ok(passed, "the start has looked at it")) sem_post(&wanted);
  pthread_join(thread, NULL);
}

int main(void) {
  const char *why = op2_backend_unavailable("starpu");
  if (why) {
    skip("%s", why);
    return done();
  }
  test_environment();
  (void)test_cache();
  (void)mallopt(M_PERTURB, 0xa5); /* memory that is freed is overwritten */
  unsetenv(TOLD);
  unloading();
  reading();
  compiling();
  changing();
  return done();
}
