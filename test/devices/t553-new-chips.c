/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices that are newer than NVRTC: it makes PTX for the nearest architecture that it knows, and the
 * driver translates that. Compiled loops are kept for each driver and architecture. On the emulation
 * of a device (test/emulation), which is made newer than its NVRTC. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "cuda_api.h"
#include "device.h"
#include "support.h"

enum { N = 300 };

OP2_KERNEL(add, (const double *x, double *sum), { *sum += *x; });

struct outcome {
  double sum;
  int64_t compiled, loaded, launches, host_runs;
  char compiler[64], target[64];
};

static bool compute(op2_context ctx, op2_kernel *kernel, double *sum) {
  op2_set cells = NULL;
  op2_dat x = NULL;
  op2_gbl total = NULL;
  double values[N];
  for (int i = 0; i < N; i++) values[i] = i;
  bool good = CHECK(op2_set_create(ctx, N, "cells", &cells)) &&
              CHECK(op2_dat_create(cells, 1, OP2_F64, values, "x", &x)) &&
              CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "total", &total)) &&
              CHECK(op2_kernel_create(ctx, &add_kernel, kernel)) &&
              CHECK(op2_par_loop(*kernel, cells, op2_arg_direct(x, OP2_READ),
                                 op2_arg_gbl(total, OP2_INC))) &&
              CHECK(op2_gbl_get(total, sum));
  op2_gbl_destroy(&total);
  op2_dat_destroy(&x);
  op2_set_destroy(&cells);
  return good;
}

/* Run a loop on a device of these properties, with what is kept of earlier runs of this program (and
 * not of others: the builds of a test run share test_cache()). */
static bool run(const char *properties, struct outcome *out) {
  op2_context ctx = NULL;
  op2_kernel kernel = NULL;
  op2_times times;
  const op2_options options = {.backend = "cuda", .cache_dir = test_scratch()};
  setenv("OP2_TEST_EMULATION", properties, 1);
  memset(out, 0, sizeof *out);
  bool good = CHECK(op2_init(&options, &ctx)) && compute(ctx, &kernel, &out->sum) &&
              CHECK(op2_times_get(ctx, &times));
  if (good) {
    const struct op2i_device *device = ctx->device;
    out->compiled = times.compiled;
    out->loaded = times.loaded;
    out->launches = device->counts.launches;
    out->host_runs = device->counts.host_runs;
    snprintf(out->compiler, sizeof out->compiler, "%s", device->limits.compiler);
    snprintf(out->target, sizeof out->target, "%s", device->limits.target);
  }
  op2_kernel_destroy(&kernel);
  CHECK(op2_finalize(&ctx));
  return good;
}

static const double expected = N * (N - 1) / 2;

/* The loop is compiled, on the device, by way of this PTX, or by none if `ptx` is null. */
static void compiled(const char *properties, const char *target, const char *ptx) {
  struct outcome out;
  if (!run(properties, &out)) return;
  ok(out.sum == expected && out.launches > 0 && out.host_runs == 0 && out.compiled > 0,
     "%s: the loop is compiled and runs on the device", properties);
  is_str(out.target, target, "%s: its target", properties);
  const bool as_told = ptx ? strstr(out.compiler, ptx) != NULL : !strstr(out.compiler, "compute");
  if (!ok(as_told, "%s: by %s", properties, ptx ? ptx : "NVRTC alone")) diag("%s", out.compiler);
}

static void found(const char *properties) {
  struct outcome out;
  if (!run(properties, &out)) return;
  ok(out.sum == expected && out.launches > 0 && out.compiled == 0,
     "%s: what was compiled is taken from the cache", properties);
}

static void test_chips(void) {
  compiled("sm=90", "sm_90", NULL);
  compiled("sm=130", "sm_130", "compute_121, driver 13000");
  found("sm=130");
  compiled("sm=130,driver=13010", "sm_130", "compute_121, driver 13010");
  found("sm=130,driver=13010");
  found("sm=130");
  compiled("sm=131", "sm_131", "compute_121, driver 13000");
  compiled("sm=90,newest=86", "sm_90", "compute_86, driver 13000");
  compiled("sm=91", "sm_91", "compute_90, driver 13000");
  found("sm=90,driver=13010"); /* NVRTC's own binaries do not depend on the driver */
}

/* A driver that refuses PTX, and a device that is older than all that NVRTC knows. */
static void test_refused(void) {
  static const char *const properties[] = {"sm=140,translates=0", "sm=70"};
  for (int i = 0; i < 2; i++) {
    struct outcome out;
    if (!run(properties[i], &out)) continue;
    ok(out.sum == expected && out.host_runs > 0 && out.launches == 0, "%s: the host runs the loop",
       properties[i]);
  }
}

static void test_names(void) {
  char architecture[OP2I_CUDA_ARCHITECTURE];
  setenv("OP2_TEST_EMULATION", "newest=100", 1);
  ok(!op2i_cuda_architecture("sm_100", architecture), "a target that NVRTC knows");
  is_str(architecture, "sm_100", "is compiled for");
  ok(op2i_cuda_architecture("sm_120", architecture), "one that it does not know");
  is_str(architecture, "compute_100", "gets PTX of the nearest");
}

int main(void) {
  const char *why;
  if (!op2i_cuda_api(&why) || !op2i_nvrtc_api(&why) || !getenv("LD_LIBRARY_PATH") ||
      !strstr(getenv("LD_LIBRARY_PATH"), "test/emulation")) {
    skip("the emulation of a device is not here");
    return done();
  }
  test_names();
  test_chips();
  test_refused();
  return done();
}
