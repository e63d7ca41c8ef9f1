/* SPDX-License-Identifier: BSD-3-Clause */
/* Time steps on a device that pass a new number in each step: the host never waits for the device,
 * no memory is allocated, and a number takes one transfer. Counted on the emulation of a device
 * (test/emulation), where transfers are put off as long as they may be. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

#include "emulation/driver.h"
#include "support.h"

/* In two runs there are more launches than the device is ever ahead of the host, and more values than
 * fit into the memory through which they go. */
enum { N = 20, STEPS = 300, LONG = 1200 };

static double step_length;
OP2_KERNEL(by_value, (double *x, const double *dt), { *x += *dt; });
OP2_KERNEL(by_constant, (double *x), { *x += step_length; });
OP2_KERNEL(by_global, (double *x, const double *dt), { *x += dt[0]; });
OP2_KERNEL(by_many, (double *x, const double *dt), { *x += dt[0] + dt[1199]; });
OP2_KERNEL(to_sum, (double *x, double *sum), {
  *x += 1;
  *sum += *x;
});

enum way { VALUE, CONSTANT, GLOBAL, MANY, SUM, WAYS };
static const char *const ways[WAYS] = {"op2_arg_val", "op2_const_set", "op2_gbl_set",
                                       "op2_gbl_set of 9600 bytes", "op2_gbl_set to zero"};

static struct {
  op2_context ctx;
  op2_set cells;
  op2_dat x;
  op2_const constant;
  op2_gbl global, many, sum;
  op2_kernel kernels[WAYS];
} w;

static void (*count)(struct op2_emulation_counts *counts);

static bool begin(int eager) {
  static const op2_kernel_desc *const kernels[WAYS] = {
      &by_value_kernel, &by_constant_kernel, &by_global_kernel, &by_many_kernel, &to_sum_kernel};
  const double zero = 0;
  op2_options options = {
      .backend = "cuda", .eager = eager, .queue_max = STEPS, .cache_dir = test_cache()};
  bool good = CHECK(op2_init(&options, &w.ctx)) &&
              CHECK(op2_set_create(w.ctx, N, "cells", &w.cells)) &&
              CHECK(op2_dat_create(w.cells, 1, OP2_F64, NULL, "x", &w.x)) &&
              CHECK(op2_const_create(w.ctx, 1, OP2_F64, &zero, "step_length", &w.constant)) &&
              CHECK(op2_gbl_create(w.ctx, 1, OP2_F64, NULL, "dt", &w.global)) &&
              CHECK(op2_gbl_create(w.ctx, LONG, OP2_F64, NULL, "many", &w.many)) &&
              CHECK(op2_gbl_create(w.ctx, 1, OP2_F64, NULL, "sum", &w.sum));
  for (int k = 0; k < WAYS && good; k++)
    good = CHECK(op2_kernel_create(w.ctx, kernels[k], &w.kernels[k]));
  return good;
}

static void end(void) {
  for (int k = 0; k < WAYS; k++) op2_kernel_destroy(&w.kernels[k]);
  op2_gbl_destroy(&w.global);
  op2_gbl_destroy(&w.many);
  op2_gbl_destroy(&w.sum);
  op2_const_destroy(&w.constant);
  op2_dat_destroy(&w.x);
  op2_set_destroy(&w.cells);
  CHECK(op2_finalize(&w.ctx));
}

static op2_status step(enum way way, double dt) {
  static double many[LONG];
  const double zero = 0;
  op2_status status = OP2_SUCCESS;
  const op2_arg x = op2_arg_direct(w.x, OP2_RW);
  switch (way) {
  case VALUE: return op2_par_loop(w.kernels[way], w.cells, x, op2_arg_val(&dt, 1, OP2_F64));
  case CONSTANT:
    status = op2_const_set(w.constant, &dt);
    return status ? status : op2_par_loop(w.kernels[way], w.cells, x);
  case GLOBAL:
    status = op2_gbl_set(w.global, &dt);
    return status ? status
                  : op2_par_loop(w.kernels[way], w.cells, x, op2_arg_gbl(w.global, OP2_READ));
  case MANY:
    many[LONG - 1] = dt;
    status = op2_gbl_set(w.many, many);
    return status ? status
                  : op2_par_loop(w.kernels[way], w.cells, x, op2_arg_gbl(w.many, OP2_READ));
  default:
    status = op2_gbl_set(w.sum, &zero);
    return status ? status : op2_par_loop(w.kernels[way], w.cells, x, op2_arg_gbl(w.sum, OP2_INC));
  }
}

static bool run_steps(enum way way) {
  bool good = true;
  for (int s = 1; s <= STEPS && good; s++) good = !step(way, s);
  if (!good) diag("%s", op2_error_message());
  return good;
}

/* The numbers are small enough for sums to be exact. */
static void is_right(enum way way) {
  const double want = way == SUM ? 2 * STEPS : STEPS * (STEPS + 1);
  double x[N], sum = 0;
  bool right = CHECK(op2_dat_get(w.x, x));
  for (int i = 0; i < N && right; i++) right = x[i] == want;
  if (way == SUM) right &= CHECK(op2_gbl_get(w.sum, &sum)) && sum == N * want;
  op2_device_stats stats = {0};
  CHECK(op2_device_stats_get(w.ctx, &stats));
  ok(right && stats.host_loops == 0, "%s: and results are right", ways[way]);
}

/* A loop that is queued runs in the flush, which waits once. */
static void count_of(enum way way, int eager) {
  struct op2_emulation_counts before, after;
  if (!begin(eager)) return;
  bool good = run_steps(way) && CHECK(op2_flush(w.ctx));
  count(&before);
  good = good && run_steps(way) && (eager > 0 || CHECK(op2_flush(w.ctx)));
  count(&after);
  const char *when = eager > 0 ? "at once" : "later";
  ok(good, "%s, run %s", ways[way], when);
  is_int(after.waits - before.waits, eager > 0 ? 0 : 1, "%s, run %s: waits", ways[way], when);
  is_int(after.allocations - before.allocations, 0, "%s, run %s: allocations", ways[way], when);
  is_int(after.transfers - before.transfers, STEPS, "%s, run %s: transfers", ways[way], when);
  is_right(way);
  end();
}

int main(void) {
  test_environment();
  setenv("OP2_FUSE", "0", 1); /* each step has a launch of its own */
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver) *(void **)&count = dlsym(driver, "op2_emulation_count");
  if (!count) {
    skip("the emulation is not here: LD_LIBRARY_PATH is to have its folder, test/emulation");
    return done();
  }
  for (enum way way = 0; way < WAYS; way++) {
    count_of(way, 1);
    count_of(way, -1);
  }
  dlclose(driver);
  return done();
}
