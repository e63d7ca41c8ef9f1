/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that loads the library and closes it again and again: `load-library LIBRARY WAY`. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "op2.h"

static struct {
  __typeof__(&op2_init) init;
  __typeof__(&op2_finalize) finalize;
  __typeof__(&op2_set_create) set_create;
  __typeof__(&op2_dat_create) dat_create;
  __typeof__(&op2_dat_get) dat_get;
  __typeof__(&op2_kernel_create) kernel_create;
  __typeof__(&op2_par_loop_at) par_loop;
  __typeof__(&op2_flush) flush;
} op2;

static void *library;

static int find(void *into, const char *name) {
  void *symbol = dlsym(library, name);
  memcpy(into, &symbol, sizeof symbol);
  return symbol ? 0 : -1;
}

static int load(const char *path) {
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) fprintf(stderr, "%s\n", dlerror());
  return !library || find(&op2.init, "op2_init") || find(&op2.finalize, "op2_finalize") ||
         find(&op2.set_create, "op2_set_create") || find(&op2.dat_create, "op2_dat_create") ||
         find(&op2.dat_get, "op2_dat_get") || find(&op2.kernel_create, "op2_kernel_create") ||
         find(&op2.par_loop, "op2_par_loop_at") || find(&op2.flush, "op2_flush");
}

enum { CELLS = 20000 };

static op2_status use(op2_context *ctx) {
  static double values[CELLS];
  const op2_kernel_desc desc = {.name = "grow", .source = "void grow(double *x) { *x += 1; }\n"};
  op2_set set;
  op2_dat x;
  op2_kernel kernel;
  op2_status status = op2.init(&(op2_options){.threads = 2}, ctx);
  if (!status) status = op2.set_create(*ctx, CELLS, "cells", &set);
  if (!status) status = op2.dat_create(set, 1, OP2_F64, NULL, "x", &x);
  if (!status) status = op2.kernel_create(*ctx, &desc, &kernel);
  for (int n = 0; n < 3 && !status; n++)
    status = op2.par_loop(OP2_HERE, kernel, set, 1, (op2_arg[]){op2_arg_direct(x, OP2_RW)});
  if (!status) status = op2.dat_get(x, values);
  if (!status && values[CELLS - 1] != 3) status = OP2_ERR_KERNEL;
  return status;
}

static int cycle(const char *path, int finalizes) {
  op2_context ctx = NULL;
  if (load(path) || use(&ctx)) return 1;
  if (finalizes && op2.finalize(&ctx)) return 1;
  if (dlclose(library)) return 1;
  usleep(50000); /* idle workers wake up in the meantime */
  return 0;
}

static const char *thread_path;
static void *cycle_in_thread(void *unused) {
  (void)unused;
  if (cycle(thread_path, 0)) _exit(1);
  return NULL;
}

int main(int argc, char **argv) {
  enum { TIMES = 4 };
  if (argc != 3) return 2;
  int finalizes = strcmp(argv[2], "finalized") == 0;
  for (int n = 0; n < TIMES; n++)
    if (cycle(argv[1], finalizes)) return 1;
  fprintf(stderr, "as it should be\n");
  if (strcmp(argv[2], "thread") != 0) return 0;
  pthread_t thread;
  thread_path = argv[1];
  if (pthread_create(&thread, NULL, cycle_in_thread, NULL)) return 1;
  pthread_exit(NULL);
}
