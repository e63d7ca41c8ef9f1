/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenCL devices that lack or refuse something, or are lost, as simulated by the loader of
 * test/answers: no platform, no doubles, small groups, little shared memory, or a compiler, an
 * allocation or a launch that fails. Each is reported, or the host runs what the device does not;
 * results are the same. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "context.h"
#include "device.h"
#include "emulation_case.h"
#include "kernel_checks.h"
#include "signature.h"
#include "support.h"

/* CL/cl.h is needed neither to build the library nor for this test. */
enum {
  OUT_OF_MEMORY = -4,
  OUT_OF_RESOURCES = -5,
  NOT_AVAILABLE = -2,
  NO_COMPILER = -3,
  BUILD_FAILURE = -11,
  INVALID_QUEUE = -36,
  INVALID_GROUP = -54,
  NVIDIA_FAULT = -9999
};

static void (*restart)(void);
static int (*given)(void); /* number of answers since then that were not the real ones */
static struct outcome got;

static bool begin(void) {
  void *loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (loader) *(void **)&restart = dlsym(loader, "op2_answers_restart");
  if (loader) *(void **)&given = dlsym(loader, "op2_answers_given");
  return restart && given;
}

static void answers(const char *settings) {
  setenv("OP2_TEST_OPENCL", settings, 1);
  restart();
}

static void run_with(const char *settings, enum emulation_program program) {
  answers(settings);
  emulation_run("opencl", program, test_cache(), &got);
}

static bool right(enum emulation_program program) {
  return emulation_same(&got, emulation_expected(program));
}

static void show(void) {
  diag("%s: %s; %d launches, %d on the host, %d answers", op2_status_name(got.status), got.message,
       (int)got.launches, (int)got.host_runs, given());
}

/* ---- limits below the usual ones ------------------------------------------------------------- */

static void smaller(void) {
  static const char *const less[] = {"",
                                     "group=64",
                                     "group=48",
                                     "group=1",
                                     "kernel=32",
                                     "kernel=7",
                                     "local=16384",
                                     "local=6200",
                                     "group=16,local=6200"};
  for (size_t s = 0; s < sizeof less / sizeof *less; s++) {
    for (enum emulation_program p = 0; p < PROGRAMS; p++) {
      run_with(less[s], p);
      bool there = got.launches > 0 && got.host_runs == 0;
      if (!ok(right(p) && (there || strstr(less[s], "local=6200")),
              "%s: the same bits, on the device, %s", emulation_name(p), less[s]))
        show();
    }
    if (*less[s]) ok(given() > 0, "it had less: %s", less[s]);
  }
}

/* Every strategy runs under these limits, though some adapt to smaller ones than others. */
static void smaller_strategies(void) {
  static const char *const strategies[] = {"repeat",   "owner",  "gather", "staged",
                                           "unstaged", "serial", "atomics"};
  static const char *const less[] = {"group=48", "kernel=7", "local=2048", "kernel=16,local=700"};
  for (size_t s = 0; s < sizeof strategies / sizeof *strategies; s++) {
    setenv("OP2_DEVICE_STRATEGY", strategies[s], 1);
    for (size_t l = 0; l < sizeof less / sizeof *less; l++) {
      run_with(less[l], INCREMENT);
      if (!ok(right(INCREMENT) && got.launches > 0 && got.host_runs == 0 && given() > 0,
              "%s: the same bits, on the device, %s", strategies[s], less[l]))
        show();
    }
  }
  unsetenv("OP2_DEVICE_STRATEGY");
}

/* If shared memory is too small for a reduction, the loops with one run on the host, and no others
 * do. */
static void little_to_share(void) {
  for (enum emulation_program p = 0; p < PROGRAMS; p++) {
    bool reduces = p == REDUCE || p == LOCATE || p == BESIDES || p == PARTS;
    run_with("local=1024", p);
    if (!ok(right(p) && (got.host_runs > 0) == reduces && (got.launches == 0) == reduces,
            "%s: with 1 KiB to share %s", emulation_name(p),
            reduces ? "on the host" : "on the device"))
      show();
  }
}

/* ---- double precision ------------------------------------------------------------------------ */

enum { CELLS = 700 };

/* The terms are whole numbers, so that the sums do not depend on the order. */
OP2_KERNEL(spread, (const float *a, const float *b, float *c, float *d), {
  *c += 2 * *a;
  *d += *b - 3.0f;
});
OP2_KERNEL(sum, (const float *c, float *d, float *sum, float *most), {
  *d = *c + 1e1f;
  *sum += *c;
  *most = fmaxf(*most, *c);
});
OP2_KERNEL(half, (float *x), { *x = *x * 0.5; });
OP2_KERNEL(wide, (float *x), {
  double y = *x;
  *x = (float)(y + 1);
});
OP2_KERNEL(root, (float *x), { *x = sqrt(*x); });

/* Kernels for a device without doubles, and the reason that op2_explain() gives for those on the
 * host. */
static const struct {
  const op2_kernel_desc *kernel;
  const char *says; /* null: it runs on the device */
  float value;      /* result for the input 9 */
} singles[] = {
    {&half_kernel, "it computes in double precision, which the device has not", 4.5F},
    {&wide_kernel, "it computes in double precision, which the device has not", 10},
    {&root_kernel, "its kernel does not compile for the device", 3},
};
enum { SINGLES = sizeof singles / sizeof *singles };

struct floats {
  op2_context ctx;
  op2_set cells;
  op2_map ends;
  op2_dat a, c, d;
  op2_gbl sum, most;
  op2_kernel first, second;
};

/* The cache is given, so that code compiled without doubles does not mix with other code. */
static bool open_floats(const char *backend, const char *cache, struct floats *f) {
  static int32_t ends[2 * CELLS];
  static float start[CELLS];
  const op2_options options = {.backend = backend, .cache_dir = cache, .log_level = 1};
  for (int i = 0; i < CELLS; i++) {
    ends[2 * i] = i;
    ends[2 * i + 1] = (7 * i + 1) % CELLS;
    start[i] = (float)(i % 50);
  }
  *f = (struct floats){0};
  return CHECK(op2_init(&options, &f->ctx)) &&
         CHECK(op2_set_create(f->ctx, CELLS, "cells", &f->cells)) &&
         CHECK(op2_map_create(f->cells, f->cells, 2, ends, "ends", &f->ends)) &&
         CHECK(op2_dat_create(f->cells, 1, OP2_F32, start, "a", &f->a)) &&
         CHECK(op2_dat_create(f->cells, 1, OP2_F32, start, "c", &f->c)) &&
         CHECK(op2_dat_create(f->cells, 1, OP2_F32, start, "d", &f->d)) &&
         CHECK(op2_gbl_create(f->ctx, 1, OP2_F32, NULL, "sum", &f->sum)) &&
         CHECK(op2_gbl_create(f->ctx, 1, OP2_F32, NULL, "most", &f->most)) &&
         CHECK(op2_kernel_create(f->ctx, &spread_kernel, &f->first)) &&
         CHECK(op2_kernel_create(f->ctx, &sum_kernel, &f->second));
}

static void close_floats(struct floats *f) {
  op2_kernel_destroy(&f->first);
  op2_kernel_destroy(&f->second);
  op2_dat_destroy(&f->a);
  op2_dat_destroy(&f->c);
  op2_dat_destroy(&f->d);
  op2_gbl_destroy(&f->sum);
  op2_gbl_destroy(&f->most);
  op2_map_destroy(&f->ends);
  op2_set_destroy(&f->cells);
  CHECK(op2_finalize(&f->ctx));
}

/* Run two loops and get their results. */
static void run_floats(struct floats *f, float values[2 * CELLS + 2]) {
  CHECK(op2_par_loop(f->first, f->cells, op2_arg_dat(f->a, 0, f->ends, OP2_READ),
                     op2_arg_dat(f->a, 1, f->ends, OP2_READ),
                     op2_arg_dat(f->c, 0, f->ends, OP2_INC),
                     op2_arg_dat(f->d, 1, f->ends, OP2_INC)));
  CHECK(op2_par_loop(f->second, f->cells, op2_arg_direct(f->c, OP2_READ),
                     op2_arg_direct(f->d, OP2_RW), op2_arg_gbl(f->sum, OP2_INC),
                     op2_arg_gbl(f->most, OP2_MAX)));
  CHECK(op2_dat_get(f->c, values));
  CHECK(op2_dat_get(f->d, values + CELLS));
  CHECK(op2_gbl_get(f->sum, values + 2 * CELLS));
  CHECK(op2_gbl_get(f->most, values + 2 * CELLS + 1));
}

static const char *explained(op2_context ctx) {
  static char text[1 << 16];
  memset(text, 0, sizeof text);
  FILE *stream = fmemopen(text, sizeof text - 1, "w");
  if (stream && op2_explain(ctx, stream)) text[0] = '\0';
  if (stream) fclose(stream);
  return text;
}

static void run_single(struct floats *f, int s) {
  float x[CELLS];
  op2_kernel kernel = NULL;
  const int64_t launches = f->ctx->device->counts.launches;
  for (int i = 0; i < CELLS; i++) x[i] = 9;
  CHECK(op2_kernel_create(f->ctx, singles[s].kernel, &kernel));
  CHECK(op2_dat_set(f->a, x));
  CHECK(op2_par_loop(kernel, f->cells, op2_arg_direct(f->a, OP2_RW)));
  CHECK(op2_dat_get(f->a, x));
  const char *text = explained(f->ctx);
  if (!ok(x[0] == singles[s].value && x[CELLS - 1] == x[0] &&
              f->ctx->device->counts.launches == launches && strstr(text, singles[s].says),
          "without doubles: '%s' is on the host: %s", singles[s].kernel->name, singles[s].says))
    diag("%g: %s", x[0], text);
  op2_kernel_destroy(&kernel);
}

/* True if a source computes in double precision, judged by its text. */
static void by_looks(void) {
  static const char *const doubles[] = {
      "double x;",     "float x = 1.0;", "float x = 1e3;",     "float x = .5l;",
      "#define C 2.5", "x = 0x1p3;",     "#if 1\n1.5\n#endif", "float x[2] = {1.f, 1.};"};
  static const char *const singles_only[] = {"float x = 1.0f;",    "float x = 1e3F; /* 1.0 */",
                                             "int doubles = 1;",   "int x = 0x1e5;",
                                             "#define C 2.5f",     "#if 0\ndouble x;\n#endif",
                                             "char *s = \"2.5\";", "x = 0x1p3f; // double"};
  for (size_t i = 0; i < 8; i++) {
    ok(op2i_source_doubles(doubles[i]), "computes in double precision: %s", doubles[i]);
    ok(!op2i_source_doubles(singles_only[i]), "does not: %s", singles_only[i]);
  }
}

static void no_doubles(void) {
  static float host[2 * CELLS + 2], device[2 * CELLS + 2];
  char cache[4200];
  struct floats f;
  for (enum emulation_program p = 0; p < PROGRAMS; p++) {
    run_with("doubles=0", p);
    if (!ok(right(p) && got.launches == 0 && got.host_runs > 0 && given() > 0,
            "%s: without doubles on the host", emulation_name(p)))
      show();
  }
  if (!open_floats("sequential", test_cache(), &f)) return;
  run_floats(&f, host);
  close_floats(&f);
  answers("doubles=0");
  snprintf(cache, sizeof cache, "%.4000s/single", test_scratch());
  if (!open_floats("opencl", cache, &f)) return;
  run_floats(&f, device);
  op2_device_stats stats = {0};
  CHECK(op2_device_stats_get(f.ctx, &stats));
  if (!ok(!memcmp(host, device, sizeof host) && stats.host_loops == 0 && stats.launches >= 3,
          "without doubles: loops with floats run there, with the host's bits"))
    diag("%s", explained(f.ctx));
  for (int s = 0; s < SINGLES; s++) run_single(&f, s);
  close_floats(&f);
}

/* ---- refusals -------------------------------------------------------------------------------- */

/* A compiler fails or is missing, or a binary from the cache is refused. */
static void no_code(void) {
  static const int errors[] = {BUILD_FAILURE, NO_COMPILER, OUT_OF_RESOURCES, OUT_OF_MEMORY};
  char settings[64], cache[4200];
  for (size_t e = 0; e < 8; e++) {
    snprintf(settings, sizeof settings, "%s=%d", e < 4 ? "build" : "binary", errors[e % 4]);
    snprintf(cache, sizeof cache, "%.4000s/code%d", test_scratch(), (int)e);
    answers(settings);
    emulation_run("opencl", INCREMENT, cache, &got);
    if (!ok(right(INCREMENT) && got.launches == 0 && got.host_runs == 1 && given() > 0,
            "on the host where code is not to be had: %s", settings))
      show();
  }
}

static void no_memory(void) {
  char settings[64];
  int tries = 0, good = 0, host = 0;
  for (int after = 0; after < 2; after++)
    for (int n = 1; n <= 12; n++) {
      snprintf(settings, sizeof settings, "alloc=%d,error=%d,after=%d", n,
               n % 2 ? OUT_OF_MEMORY : OUT_OF_RESOURCES, after);
      run_with(settings, BESIDES);
      if (!given()) continue;
      tries++;
      good += right(BESIDES);
      host += got.host_runs > 0;
      if (!right(BESIDES)) show();
    }
  ok(tries >= 12, "%d times memory was refused", tries);
  is_int(good, tries, "and each time the results are the same");
  is_int(host, tries, "by the host");
}

/* If the first launch of a loop fails, the host runs it. If a later launch fails, its values are
 * partly new; that loop fails, and no other does. */
static void no_launch(void) {
  static const int errors[] = {OUT_OF_RESOURCES, INVALID_GROUP, OUT_OF_MEMORY};
  char settings[64];
  for (size_t e = 0; e < 3; e++) {
    snprintf(settings, sizeof settings, "launch=1,error=%d", errors[e]);
    run_with(settings, INCREMENT);
    if (!ok(right(INCREMENT) && got.host_runs == 1 && got.launches == 0 && given() == 1,
            "the host runs what is not launched: %s", settings))
      show();
    setenv("OP2_DEVICE_STRATEGY", "gather", 1);
    snprintf(settings, sizeof settings, "launch=2,error=%d", errors[e]);
    run_with(settings, INCREMENT);
    unsetenv("OP2_DEVICE_STRATEGY");
    if (!ok(got.status && got.status != OP2_ERR_FATAL && strstr(got.message, "'increment'") &&
                strstr(got.message, "emulation_case.c:") && given() == 1,
            "a loop that has begun fails, and is told: %s", settings))
      show();
  }
}

/* Another loop of the same context still runs on the device. */
static void others_run(void) {
  float values[2 * CELLS + 2];
  struct floats f;
  answers("launch=1");
  if (!open_floats("opencl", test_cache(), &f)) return;
  run_floats(&f, values);
  op2_device_stats stats = {0};
  CHECK(op2_device_stats_get(f.ctx, &stats));
  const char *text = explained(f.ctx);
  if (!ok(stats.host_loops == 1 && stats.launches > 0 &&
              strstr(text, "on the host: the device does not run it") &&
              strstr(text, "CL_OUT_OF_RESOURCES"),
          "the loop that is refused is told of, the other runs there"))
    diag("%s", strstr(text, "loops:\n"));
  close_floats(&f);
}

/* ---- a device that is lost ------------------------------------------------------------------- */

static void lost(void) {
  static const int errors[] = {OUT_OF_RESOURCES, NOT_AVAILABLE, INVALID_QUEUE, NVIDIA_FAULT};
  char settings[64];
  for (size_t e = 0; e < sizeof errors / sizeof *errors; e++) {
    int failed = 0, fine = 0, other = 0;
    for (int n = 1; n <= 50; n++) {
      snprintf(settings, sizeof settings, "queue=%d,error=%d,lost=1", n, errors[e]);
      answers(settings);
      emulation_run("opencl", BESIDES, test_cache(), &got);
      bool told = got.status == OP2_ERR_FATAL && strstr(got.message, "is lost");
      failed += told && given() > 0;
      fine += !got.status && right(BESIDES);
      other += got.status && !told;
      if (got.status && !told) show();
    }
    ok(failed >= 8 && other == 0, "a device that is lost with %d is told: %d times", errors[e],
       failed);
    is_int(failed + fine, 50, "and else results are right");
    run_with("", BESIDES);
    ok(right(BESIDES) && got.host_runs == 0, "the next context has it again");
    emulation_run(backend_unfit("openmp") ? "sequential" : "openmp", BESIDES, test_cache(), &got);
    ok(right(BESIDES), "and the host's backends do not notice");
  }
}

/* ---- no device ------------------------------------------------------------------------------- */

/* Platforms are listed once in a process, so this runs in a child. */
static int without_platforms(void) {
  op2_context ctx = NULL;
  int wrong = 0;
  setenv("OP2_TEST_OPENCL", "platforms=0", 1);
  const char *why = op2_backend_unavailable("opencl");
  wrong += !why || !strstr(why, "finds no device");
  const op2_status status = op2_init(&(op2_options){.backend = "opencl"}, &ctx);
  wrong += 2 * (status != OP2_ERR_UNAVAILABLE || ctx || !strstr(op2_error_message(), "no device"));
  emulation_run("sequential", INCREMENT, test_cache(), &got);
  return wrong + 4 * (got.status != OP2_SUCCESS);
}

static void no_platform(void) {
  int status = -1;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) _exit(without_platforms());
  if (child > 0) waitpid(child, &status, 0);
  is_int(status, 0, "without a platform that is said, and the host runs programs");
}

int main(void) {
  test_environment();
  setenv("OP2_LOG", "0", 1);
  if (!begin()) {
    skip("the loader is not the one of test/answers: LD_LIBRARY_PATH is to have its folder");
    return done();
  }
  no_platform();
  answers("");
  const char *why = backend_unfit("opencl");
  if (why) {
    skip("opencl: %s", why);
    return done();
  }
  smaller();
  smaller_strategies();
  little_to_share();
  by_looks();
  no_doubles();
  no_code();
  no_memory();
  no_launch();
  others_run();
  lost();
  return done();
}
