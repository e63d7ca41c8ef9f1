/* SPDX-License-Identifier: BSD-3-Clause */
/* Life of a context: options, environment, several at once, and calls before the first and after
 * the last. */
#define _XOPEN_SOURCE 700
#include <stdlib.h>
#include <string.h>

#include "support.h"

OP2_KERNEL(one, (int32_t * x), { *x = 1; });

static op2_options base(const char *backend) {
  return (op2_options){.backend = backend, .threads = 2, .cache_dir = test_cache(), .log_level = 1};
}

static void before_init(void) {
  op2_set set = NULL;
  op2_gbl gbl = NULL;
  op2_const cst = NULL;
  op2_kernel kernel = NULL;
  const int32_t zero = 0;
  ok(!op2_initialised(NULL), "a null context is not initialised");
  FAILS(op2_set_create(NULL, 4, "cells", &set), OP2_ERR_STATE);
  FAILS(op2_set_create(NULL, -4, "cells", &set), OP2_ERR_STATE);
  FAILS(op2_gbl_create(NULL, 1, OP2_I32, &zero, "g", &gbl), OP2_ERR_STATE);
  FAILS(op2_const_create(NULL, 1, OP2_I32, &zero, "c", &cst), OP2_ERR_STATE);
  FAILS(op2_kernel_create(NULL, &one_kernel, &kernel), OP2_ERR_STATE);
  FAILS(op2_flush(NULL), OP2_ERR_STATE);
  ok(!set && !gbl && !cst && !kernel, "outputs of failed calls are untouched");
  ok(op2_backend_name(NULL) == NULL && op2_workers(NULL) == 0 && op2_queued(NULL) == 0,
     "queries of a null context");
  CHECK(op2_finalize(NULL));
  CHECK(op2_finalize(&(op2_context){NULL}));
  FAILS(op2_init(NULL, NULL), OP2_ERR_ARG);
}

static void each_backend(void) {
  static const char *const names[] = {"sequential", "openmp", "starpu", "check"};
  for (int i = 0; i < 4; i++) {
    const char *why = op2_backend_unavailable(names[i]);
    op2_options options = base(names[i]);
    op2_context ctx = NULL;
    if (why) {
      FAILS(op2_init(&options, &ctx), OP2_ERR_UNAVAILABLE);
      ok(strstr(op2_error_message(), why) != NULL, "%s: the message says why: %s", names[i], why);
      continue;
    }
    if (!CHECK(op2_init(&options, &ctx))) continue;
    is_str(op2_backend_name(ctx), names[i], "the backend asked for");
    ok(op2_initialised(ctx), "%s: initialised", names[i]);
    ok(op2_workers(ctx) >= 1 && op2_workers(ctx) <= 2, "%s: one or two workers: %d", names[i],
       op2_workers(ctx));
    CHECK(op2_finalize(&ctx));
    ok(!ctx, "%s: the handle is null after the end", names[i]);
  }
}

static void default_backend(void) {
  op2_context ctx = NULL;
  op2_options options = base(NULL);
  const char *want = op2_backend_unavailable("starpu") ? "openmp" : "starpu";
  if (CHECK(op2_init(&options, &ctx))) {
    if (op2_backend_unavailable("starpu"))
      ok(strcmp(op2_backend_name(ctx), "check") != 0,
         "without StarPU the default is a fast backend: %s", op2_backend_name(ctx));
    else
      is_str(op2_backend_name(ctx), want, "StarPU is the default where it is usable");
    CHECK(op2_finalize(&ctx));
  }
  setenv("OP2_BACKEND", "sequential", 1);
  if (CHECK(op2_init(&options, &ctx))) {
    is_str(op2_backend_name(ctx), "sequential", "OP2_BACKEND chooses when the options do not");
    CHECK(op2_finalize(&ctx));
  }
  options.backend = "check";
  if (CHECK(op2_init(&options, &ctx))) {
    is_str(op2_backend_name(ctx), "check", "options go before the environment");
    CHECK(op2_finalize(&ctx));
  }
  unsetenv("OP2_BACKEND");
}

static void unusable(void) {
  static const struct {
    const char *name;
    op2_status want;
  } bad[] = {{"illegal", OP2_ERR_OPTION}, {"", OP2_ERR_OPTION}, {"Sequential", OP2_ERR_OPTION}};
  op2_context ctx = NULL;
  for (int i = 0; i < 3; i++) {
    op2_options options = base(bad[i].name);
    FAILS(op2_init(&options, &ctx), bad[i].want);
    ok(strstr(op2_error_message(), bad[i].name) != NULL, "the message holds '%s'", bad[i].name);
    ok(op2_backend_unavailable(bad[i].name) != NULL, "'%s' is answered in words", bad[i].name);
  }
  static const char *const later[] = {"cuda", "hip", "opencl"};
  for (int i = 0; i < 3; i++) {
    op2_options options = base(later[i]);
    const char *why = op2_backend_unavailable(later[i]);
    if (!why) {
      skip("%s is usable here", later[i]);
      continue;
    }
    FAILS(op2_init(&options, &ctx), OP2_ERR_UNAVAILABLE);
    ok(strstr(op2_error_message(), later[i]) && strstr(op2_error_message(), why), "%s: why not: %s",
       later[i], why);
  }
  ok(ctx == NULL, "no context came of it");
}

static void bad_options(void) {
  static const struct {
    op2_options options;
    const char *field;
  } bad[] = {{{.threads = -1}, "threads"},     {{.block_size = -7}, "block_size"},
             {{.queue_max = -1}, "queue_max"}, {{.eager = 2}, "eager"},
             {{.eager = -2}, "eager"},         {{.log_level = 5}, "log_level"},
             {{.log_level = -1}, "log_level"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    op2_options options = bad[i].options;
    op2_context ctx = NULL;
    options.backend = "sequential";
    FAILS(op2_init(&options, &ctx), OP2_ERR_OPTION);
    ok(strstr(op2_error_message(), bad[i].field) != NULL && !ctx, "the message names %s: %s",
       bad[i].field, op2_error_message());
  }
}

static void bad_environment(void) {
  static const struct {
    const char *variable, *value;
  } bad[] = {{"OP2_THREADS", "many"},    {"OP2_THREADS", "-2"},
             {"OP2_THREADS", "2x"},      {"OP2_EAGER", "illegal"},
             {"OP2_EAGER", "2"},         {"OP2_LOG", "1.5"},
             {"OP2_BLOCK_SIZE", "big"},  {"OP2_QUEUE_MAX", "0"},
             {"OP2_BACKEND", "illegal"}, {"OP2_THREADS", "99999999999999999999"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    op2_options options = {.cache_dir = test_cache()};
    op2_context ctx = NULL;
    setenv(bad[i].variable, bad[i].value, 1);
    FAILS(op2_init(&options, &ctx), OP2_ERR_OPTION);
    ok(strstr(op2_error_message(), bad[i].variable) && strstr(op2_error_message(), bad[i].value),
       "%s=%s is named: %s", bad[i].variable, bad[i].value, op2_error_message());
    unsetenv(bad[i].variable);
  }
}

static void environment_table(void) {
  static const char *const names[] = {
      "OP2_BACKEND",   "OP2_THREADS", "OP2_EAGER",  "OP2_BLOCK_SIZE", "OP2_QUEUE_MAX",
      "OP2_CACHE_DIR", "OP2_CC",      "OP2_CFLAGS", "OP2_GRAPH",      "OP2_LOG"};
  char *text = NULL;
  size_t size = 0;
  setenv("OP2_QUEUE_MAX", "77", 1);
  FILE *stream = open_memstream(&text, &size);
  CHECK(op2_environment_write(stream));
  fclose(stream);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    ok(strstr(text, names[i]) != NULL, "the table has %s", names[i]);
  ok(strstr(text, "77") != NULL, "the table shows the present value");
  static const char *const kinds[] = {"cuda", "hip", "opencl"};
  for (size_t k = 0; k < 3; k++) {
    char line[64];
    const char *why = op2_backend_unavailable(kinds[k]);
    snprintf(line, sizeof line, "devices of %s: %s", kinds[k], why ? "none: " : "\n0: ");
    const char *devices = strstr(text, line);
    ok(devices && (!why || strstr(devices, why)), "behind it %s", why ? why : "are devices");
  }
  free(text);
  unsetenv("OP2_QUEUE_MAX");
  FAILS(op2_environment_write(NULL), OP2_ERR_ARG);
  char version[32];
  snprintf(version, sizeof version, "%d.%d.%d", OP2_VERSION_MAJOR, OP2_VERSION_MINOR,
           OP2_VERSION_PATCH);
  ok(!strcmp(op2_version(), version), "the library's version is that of its headers");
}

struct objects {
  op2_context ctx;
  op2_set set;
  op2_dat dat;
  op2_map map;
  op2_gbl gbl;
  op2_const cst;
  op2_kernel kernel;
  op2_loop loop;
};

static bool make_objects(struct objects *o) {
  const int32_t values[3] = {2, 1, 0};
  return op2_set_create(o->ctx, 3, "cells", &o->set) == OP2_SUCCESS &&
         op2_dat_create(o->set, 1, OP2_I32, values, "x", &o->dat) == OP2_SUCCESS &&
         op2_map_create(o->set, o->set, 1, values, "turn", &o->map) == OP2_SUCCESS &&
         op2_gbl_create(o->ctx, 1, OP2_I32, NULL, "g", &o->gbl) == OP2_SUCCESS &&
         op2_const_create(o->ctx, 1, OP2_I32, values, "c", &o->cst) == OP2_SUCCESS &&
         op2_kernel_create(o->ctx, &one_kernel, &o->kernel) == OP2_SUCCESS &&
         op2_loop_create(&o->loop, o->kernel, o->set, op2_arg_direct(o->dat, OP2_RW)) ==
             OP2_SUCCESS;
}

static void objects_refuse(struct objects *o) {
  int32_t values[3] = {2, 1, 0};
  const void *data = NULL;
  void *writable = NULL;
  int64_t ends[4];
  struct objects made = {0};
  FAILS(op2_dat_create(o->set, 1, OP2_I32, NULL, "y", &made.dat), OP2_ERR_STATE);
  FAILS(op2_map_create(o->set, o->set, 1, values, "again", &made.map), OP2_ERR_STATE);
  FAILS(op2_subset_create(o->set, 0, NULL, "none", &made.set), OP2_ERR_STATE);
  FAILS(op2_par_loop(o->kernel, o->set, op2_arg_direct(o->dat, OP2_RW)), OP2_ERR_STATE);
  FAILS(op2_loop_enqueue(o->loop), OP2_ERR_STATE);
  FAILS(op2_loop_compute(o->loop), OP2_ERR_STATE);
  FAILS(op2_dat_get(o->dat, values), OP2_ERR_STATE);
  FAILS(op2_dat_set(o->dat, values), OP2_ERR_STATE);
  FAILS(op2_dat_read_begin(o->dat, &data), OP2_ERR_STATE);
  FAILS(op2_dat_write_begin(o->dat, &writable), OP2_ERR_STATE);
  FAILS(op2_gbl_get(o->gbl, values), OP2_ERR_STATE);
  FAILS(op2_gbl_set(o->gbl, values), OP2_ERR_STATE);
  FAILS(op2_const_set(o->cst, values), OP2_ERR_STATE);
  FAILS(op2_set_sections(o->set, ends), OP2_ERR_STATE);
  ok(!made.dat && !made.map && !made.set, "nothing was made");
}

/* Every object of a context that has ended stays a handle, and every call with it fails with a
 * message that names the reason. */
static void after_finalize(const char *backend) {
  op2_options options = base(backend);
  struct objects o = {0};
  if (!CHECK(op2_init(&options, &o.ctx))) return;
  ok(make_objects(&o), "%s: one object of each kind", backend);
  CHECK(op2_finalize(&o.ctx));
  objects_refuse(&o);
  op2_loop_destroy(&o.loop);
  op2_kernel_destroy(&o.kernel);
  op2_const_destroy(&o.cst);
  op2_gbl_destroy(&o.gbl);
  op2_map_destroy(&o.map);
  op2_dat_destroy(&o.dat);
  op2_set_destroy(&o.set);
  ok(!o.loop && !o.kernel && !o.cst && !o.gbl && !o.map && !o.dat && !o.set,
     "%s: destruction after the end", backend);
}

/* op2_explain() counts the reasons why loops ran, and prints "the last 16 of" only if there were
 * more. */
static void explain_counts(op2_context ctx, int count) {
  char expected[64], *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  snprintf(expected, sizeof expected, "what made queued loops run (%d):", count);
  bool written = stream && !op2_explain(ctx, stream);
  if (stream) fclose(stream);
  ok(written && strstr(text, expected), "op2_explain says '%s'", expected);
  free(text);
}

/* Contexts are independent: a constant's name is taken in one only, and each runs its own queue. */
static void two_contexts(const char *first, const char *second) {
  op2_context ctx[2] = {NULL, NULL};
  op2_set set[2] = {NULL, NULL};
  op2_dat dat[2] = {NULL, NULL};
  op2_kernel kernel[2] = {NULL, NULL};
  op2_const cst[2] = {NULL, NULL};
  const char *names[2] = {first, second};
  int32_t got[3] = {0};
  for (int i = 0; i < 2; i++) {
    op2_options options = base(names[i]);
    if (!CHECK(op2_init(&options, &ctx[i]))) return;
    CHECK(op2_set_create(ctx[i], 3, "cells", &set[i]));
    CHECK(op2_dat_create(set[i], 1, OP2_I32, NULL, "x", &dat[i]));
    CHECK(op2_kernel_create(ctx[i], &one_kernel, &kernel[i]));
    CHECK(op2_const_create(ctx[i], 1, OP2_I32, got, "c", &cst[i]));
    CHECK(op2_par_loop(kernel[i], set[i], op2_arg_direct(dat[i], OP2_WRITE)));
  }
  FAILS(op2_par_loop(kernel[0], set[1], op2_arg_direct(dat[1], OP2_WRITE)), OP2_ERR_MISMATCH);
  op2_map map = NULL;
  FAILS(op2_map_create(set[0], set[1], 1, got, "across", &map), OP2_ERR_MISMATCH);
  CHECK(op2_dat_get(dat[0], got));
  ok(got[0] == 1 && got[2] == 1, "%s and %s: the first context ran", first, second);
  is_int(op2_queued(ctx[0]), 0, "nothing is left in its queue");
  explain_counts(ctx[0], 1);
  is_int(op2_queued(ctx[1]), 1, "the other's queue was not touched");
  CHECK(op2_finalize(&ctx[0]));
  CHECK(op2_dat_get(dat[1], got));
  ok(got[0] == 1 && got[2] == 1, "the second context works after the end of the first");
  for (int i = 0; i < 2; i++) {
    op2_const_destroy(&cst[i]);
    op2_kernel_destroy(&kernel[i]);
    op2_dat_destroy(&dat[i]);
    op2_set_destroy(&set[i]);
  }
  CHECK(op2_finalize(&ctx[1]));
}

static void status_names(void) {
  is_str(op2_status_name(OP2_SUCCESS), "OP2_SUCCESS", "name of success");
  is_str(op2_status_name(OP2_ERR_RANGE), "OP2_ERR_RANGE", "name of an error");
  is_str(op2_status_name(OP2_ERR_FATAL), "OP2_ERR_FATAL", "name of the last one");
  is_str(op2_status_name((op2_status)999), "OP2_ERR_?", "an unknown code");
  is_str(op2_status_name((op2_status)-1), "OP2_ERR_?", "a negative code");
}

int main(void) {
  test_environment();
  is_str(op2_error_message(), "", "no message before the first failure");
  status_names();
  before_init();
  each_backend();
  default_backend();
  unusable();
  bad_options();
  bad_environment();
  environment_table();
  static const char *const names[] = {"sequential", "openmp", "starpu", "check"};
  for (int i = 0; i < 4; i++)
    if (!op2_backend_unavailable(names[i])) {
      after_finalize(names[i]);
      two_contexts(names[i], names[i]);
      two_contexts(names[i], "sequential");
    }
  return done();
}
