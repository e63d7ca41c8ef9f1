/* SPDX-License-Identifier: BSD-3-Clause */
/* The backend `hip` on the emulation of an AMD device (test/emulation), with waves of 64 and of 32:
 * results of programs by all strategies, faults in their text, code that is kept for each
 * architecture, and architectures that hipRTC does not know. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "device.h"
#include "emulation_case.h"
#include "hip_compile.h"
#include "support.h"

/* ---- results --------------------------------------------------------------------------------- */

static struct outcome got;

static void agrees(enum emulation_program p, const char *device, const char *strategy) {
  setenv("OP2_TEST_EMULATION", device, 1);
  setenv("OP2_DEVICE_STRATEGY", strategy, 1);
  emulation_run("hip", p, test_cache(), &got);
  unsetenv("OP2_DEVICE_STRATEGY");
  unsetenv("OP2_TEST_EMULATION");
  if (!ok(emulation_same(&got, emulation_expected(p)) && got.launches > 0 && got.host_runs == 0,
          "%s: the same bits, %s%s%s", emulation_name(p), device, *strategy ? ", " : "", strategy))
    diag("%s, %lld launches, %lld on the host", got.message, (long long)got.launches,
         (long long)got.host_runs);
}

/* The code is the same for waves of both sizes; what is launched is not. */
static void all_agree(void) {
  static const enum emulation_program some[] = {PARTS, INCREMENT, IN_TURN, LOCATE, CONSTANTS};
  static const char *const strategies[] = {"repeat",   "owner",  "gather", "staged",
                                           "unstaged", "serial", "atomics"};
  enum { SOME = sizeof some / sizeof *some, STRATEGIES = sizeof strategies / sizeof *strategies };
  const int n = thorough() ? (int)PROGRAMS : (int)SOME;
  for (int p = 0; p < n; p++) {
    agrees(thorough() ? (enum emulation_program)p : some[p], "wave=64", "");
    agrees(thorough() ? (enum emulation_program)p : some[p], "wave=32,gfx=0x90a", "");
  }
  for (size_t s = 0; s < STRATEGIES; s++) agrees(INCREMENT, "wave=64", strategies[s]);
  agrees(INCREMENT, "wave=32,gfx=0x90a", "owner");
  agrees(BESIDES, "threads=64", "staged");
  agrees(INCREMENT, "shared=4096", "owner");
}

/* Groups consist of whole waves, also those of small blocks. */
static void whole_waves(void) {
  setenv("OP2_BLOCK_SIZE", "16", 1);
  agrees(IN_TURN, "wave=64,whole=1", "");
  agrees(IN_TURN, "wave=32,gfx=0x90a,whole=1", "");
  unsetenv("OP2_BLOCK_SIZE");
}

static const struct emulation_fault faults[] = {
    {"rows of two dats in one place", TWO, "s~op2_shared + 48 *~op2_shared + 0 *~", ""},
    {"the wrong column", INCREMENT, "s~op2_column == 0~op2_column == 1~", NULL},
    {"no barrier between a tree's levels", REDUCE,
     "s~    op2_wait();\n  }\n  if (op2_item() == 0)~  }\n  if (op2_item() == 0)~", "barrier"},
};

/* ---- properties of devices, and what is kept for them ---------------------------------------- */

OP2_KERNEL(add, (const double *x, double *sum), { *sum += *x; });

enum { N = 300 };
struct outline {
  double sum;
  int64_t compiled, launches, host_runs;
  struct op2i_device_limits limits;
};

static bool compute(op2_context ctx, double *sum) {
  op2_set cells = NULL;
  op2_dat x = NULL;
  op2_gbl total = NULL;
  op2_kernel kernel = NULL;
  double values[N];
  for (int i = 0; i < N; i++) values[i] = i;
  bool good = CHECK(op2_set_create(ctx, N, "cells", &cells)) &&
              CHECK(op2_dat_create(cells, 1, OP2_F64, values, "x", &x)) &&
              CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "total", &total)) &&
              CHECK(op2_kernel_create(ctx, &add_kernel, &kernel)) &&
              CHECK(op2_par_loop(kernel, cells, op2_arg_direct(x, OP2_READ),
                                 op2_arg_gbl(total, OP2_INC))) &&
              CHECK(op2_gbl_get(total, sum));
  op2_kernel_destroy(&kernel);
  op2_gbl_destroy(&total);
  op2_dat_destroy(&x);
  op2_set_destroy(&cells);
  return good;
}

/* Run a loop on such a device, with what is kept of earlier runs of this program. */
static bool run(const char *properties, struct outline *out) {
  op2_context ctx = NULL;
  op2_times times;
  const op2_options options = {.backend = "hip", .cache_dir = test_scratch()};
  setenv("OP2_TEST_EMULATION", properties, 1);
  memset(out, 0, sizeof *out);
  bool good = CHECK(op2_init(&options, &ctx)) && compute(ctx, &out->sum) &&
              CHECK(op2_times_get(ctx, &times));
  if (good) {
    out->compiled = times.compiled;
    out->launches = ctx->device->counts.launches;
    out->host_runs = ctx->device->counts.host_runs;
    out->limits = ctx->device->limits;
  }
  CHECK(op2_finalize(&ctx));
  unsetenv("OP2_TEST_EMULATION");
  return good;
}

static void runs(const char *properties, const char *target, int wave, bool anew) {
  struct outline out;
  if (!run(properties, &out)) return;
  ok(out.sum == N * (N - 1) / 2 && out.launches > 0 && out.host_runs == 0,
     "%s: the loop runs on the device", properties);
  ok((out.compiled > 0) == anew, "%s: its code is %s", properties,
     anew ? "compiled" : "taken from the cache");
  is_str(out.limits.target, target, "%s: its target", properties);
  is_int(out.limits.wave, wave, "%s: its waves", properties);
  is_int(out.limits.local_bytes, 64 << 10, "%s: its shared memory", properties);
  if (!ok(strstr(out.limits.compiler, "hipRTC 9.") && strstr(out.limits.compiler, "headers"),
          "%s: its compiler is named", properties))
    diag("%s", out.limits.compiler);
}

static void goes_to_host(const char *properties) {
  struct outline out;
  if (!run(properties, &out)) return;
  ok(out.sum == N * (N - 1) / 2 && out.launches == 0 && out.host_runs > 0,
     "%s: the host runs the loop", properties);
}

static void kept(void) {
  runs("wave=64", "gfx90a:sramecc+:xnack-", 64, true);
  runs("wave=64", "gfx90a:sramecc+:xnack-", 64, false);
  runs("wave=32", "gfx1030", 32, true);
  runs("wave=64,gfx=0x906", "gfx906", 64, true);
  runs("wave=64,gfx=0x906,driver=60300000", "gfx906", 64, false);
  runs("wave=32", "gfx1030", 32, false);
}

/* The emulated hipRTC ends the process if an architecture is unknown to it, and so does the one of
 * Debian 12. */
static void unknown(void) {
  char found[OP2I_CUDA_ARCHITECTURE];
  runs("wave=32,gfx=0x1036,knows=0x1030", "gfx1036", 32, true);
  runs("wave=64,gfx=0x942,knows=0x940", "gfx942", 64, true);
  goes_to_host("wave=64,gfx=0x908,knows=0x1030");
  goes_to_host("wave=32,gfx=0x1250,knows=0x1030");
  setenv("OP2_TEST_EMULATION", "knows=0x1151", 1);
  op2i_hip_architecture("gfx1155", found);
  is_str(found, "gfx1151", "the nearest of those that are known");
  op2i_hip_architecture("gfx1151:xnack-", found);
  is_str(found, "gfx1151", "without features that are not known");
  op2i_hip_architecture("gfx9", found);
  is_str(found, "", "nothing is near a name that is none");
  unsetenv("OP2_TEST_EMULATION");
}

/* ---- failures -------------------------------------------------------------------------------- */

static void refused(void) {
  setenv("OP2_TEST_EMULATION", "memory=2048", 1);
  emulation_run("hip", INCREMENT, test_cache(), &got);
  ok(got.status == OP2_ERR_NOMEM || emulation_same(&got, emulation_expected(INCREMENT)),
     "too little memory is told, or the host computes: %s", got.message);
  setenv("OP2_TEST_EMULATION", "lost=15", 1);
  emulation_run("hip", INCREMENT, test_cache(), &got);
  ok(got.status == OP2_ERR_FATAL && strstr(got.message, "device Emulation of HIP 0 is lost: hip"),
     "a device that is lost is told: %s", got.message);
  unsetenv("OP2_TEST_EMULATION");
}

int main(void) {
  setenv("OP2_TEST_BACKEND", "hip", 1);
  if (!emulation_begin()) return done();
  kept();
  unknown();
  all_agree();
  whole_waves();
  for (size_t f = 0; f < sizeof faults / sizeof *faults; f++)
    emulation_find(&faults[f], "", f % 2 ? "wave=32" : "wave=64");
  refused();
  emulation_end();
  return done();
}
