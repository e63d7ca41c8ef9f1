/* SPDX-License-Identifier: BSD-3-Clause */
/* The drawing with costs: loops have the time that they took, and those of the longest chain of
 * dependences have a thick frame. Without OP2_GRAPH_COSTS there are no times. */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "op2.h"
#include "support.h"
#include "tap.h"

OP2_KERNEL(slow, (double *x), {
  double y = *x;
  for (int i = 0; i < 300; i++) y = 0.5 * (y + 3 / (y * y + 1));
  *x = y;
});
OP2_KERNEL(quick_one, (double *x), { *x += 1; });
OP2_KERNEL(both, (double *x, const double *y), { *x += *y; });

enum { SIZE = 20000 };
static char text[1 << 16];

static op2_status queue(op2_context ctx, op2_set set, op2_dat x, op2_dat y) {
  op2_kernel kernels[3] = {NULL, NULL, NULL};
  op2_status status = op2_kernel_create(ctx, &slow_kernel, &kernels[0]);
  if (!status) status = op2_kernel_create(ctx, &quick_one_kernel, &kernels[1]);
  if (!status) status = op2_kernel_create(ctx, &both_kernel, &kernels[2]);
  if (!status) status = op2_par_loop(kernels[0], set, op2_arg_direct(x, OP2_RW));
  if (!status) status = op2_par_loop(kernels[1], set, op2_arg_direct(y, OP2_RW));
  if (!status)
    status = op2_par_loop(kernels[2], set, op2_arg_direct(x, OP2_RW), op2_arg_direct(y, OP2_READ));
  if (!status) status = op2_flush(ctx);
  for (int k = 0; k < 3; k++) op2_kernel_destroy(&kernels[k]);
  return status;
}

/* Run the loops, and read what was drawn. */
static void draw_run(const char *backend) {
  char path[4096];
  op2_context ctx = NULL;
  op2_set set = NULL;
  op2_dat x = NULL, y = NULL;
  snprintf(path, sizeof path, "%s/graph.dot", test_scratch());
  const op2_options options = {
      .backend = backend, .threads = 2, .cache_dir = test_cache(), .graph_file = path};
  CHECK(op2_init(&options, &ctx));
  CHECK(op2_set_create(ctx, SIZE, "cells", &set));
  CHECK(op2_dat_create(set, 1, OP2_F64, NULL, "x", &x));
  CHECK(op2_dat_create(set, 1, OP2_F64, NULL, "y", &y));
  CHECK(queue(ctx, set, x, y));
  op2_dat_destroy(&x);
  op2_dat_destroy(&y);
  op2_set_destroy(&set);
  CHECK(op2_finalize(&ctx));
  FILE *file = fopen(path, "r");
  memset(text, 0, sizeof text);
  if (file && !fread(text, 1, sizeof text - 1, file)) text[0] = 0;
  if (file) fclose(file);
}

/* True if the line of the loop has this. */
static bool loop_has(const char *loop, const char *what) {
  char line[1000] = "";
  const char *at = strstr(text, loop);
  if (at) snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
  return strstr(line, what) != NULL;
}

static void test_backend(const char *backend) {
  setenv("OP2_FUSE", "0", 1);
  draw_run(backend);
  ok(!strstr(text, " ms\"") && !strstr(text, "penwidth"), "%s: there are no times", backend);
  setenv("OP2_GRAPH_COSTS", "1", 1);
  draw_run(backend);
  ok(loop_has("1: slow", " ms\"") && loop_has("2: quick_one", " ms\"") &&
         loop_has("3: both", " ms\""),
     "%s: with costs each loop has its time", backend);
  ok(loop_has("1: slow", "penwidth=4") && loop_has("3: both", "penwidth=4") &&
         !loop_has("2: quick_one", "penwidth"),
     "%s: the longest chain has thick frames", backend);
  setenv("OP2_FUSE", "2", 1);
  draw_run(backend);
  ok(loop_has("1: slow", " ms\"") && loop_has("3: both", " ms\""),
     "%s: and so have the parts of a fused loop", backend);
  unsetenv("OP2_GRAPH_COSTS");
}

int main(void) {
  test_environment();
  int b = 0;
  for (const char *backend; (backend = next_backend(host_backends, &b));) test_backend(backend);
  return done();
}
