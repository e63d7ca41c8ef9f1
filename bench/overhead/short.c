/* SPDX-License-Identifier: BSD-3-Clause */
/* Microseconds of 2,000 loops of 64 elements, queued and flushed: the best of so many batches. It is
 * compiled by bench/trace.sh with the headers of each build that it compares.
 *   short BACKEND BATCHES */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <op2.h>

OP2_KERNEL(bump, (double *x), { *x += 1; });

enum { LOOPS = 2000, ELEMENTS = 64, WARMUP = 5 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static op2_status batch(op2_context ctx, op2_kernel kernel, op2_set set, op2_dat x, double *us) {
  const double begin = now();
  op2_status status = OP2_SUCCESS;
  for (int i = 0; i < LOOPS && !status; i++)
    status = op2_par_loop(kernel, set, op2_arg_direct(x, OP2_RW));
  if (!status) status = op2_flush(ctx);
  *us = now() - begin;
  return status;
}

int main(int argc, char **argv) {
  const op2_options options = {.backend = argc > 1 ? argv[1] : "sequential"};
  const int batches = argc > 2 ? atoi(argv[2]) : 100;
  op2_context ctx = NULL;
  op2_set set = NULL;
  op2_dat x = NULL;
  op2_kernel kernel = NULL;
  double best = 1e30, us = 0;
  op2_status status = op2_init(&options, &ctx);
  if (!status) status = op2_set_create(ctx, ELEMENTS, "cells", &set);
  if (!status) status = op2_dat_create(set, 1, OP2_F64, NULL, "x", &x);
  if (!status) status = op2_kernel_create(ctx, &bump_kernel, &kernel);
  for (int b = 0; b < WARMUP + batches && !status; b++) {
    status = batch(ctx, kernel, set, x, &us);
    if (b >= WARMUP && us < best) best = us;
  }
  if (status) fprintf(stderr, "%s\n", op2_error_message());
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&x);
  op2_set_destroy(&set);
  if (ctx && op2_finalize(&ctx)) return 1;
  printf("time_us %.3f\n", best);
  return status ? 1 : 0;
}
