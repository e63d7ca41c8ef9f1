/* SPDX-License-Identifier: BSD-3-Clause */
/* Warnings and errors about the environment: unknown variables, values that are not numbers, and
 * messages that name the right variable or option. */
#define _XOPEN_SOURCE 700
#include <stdlib.h>
#include <string.h>

#include "hear.h"
#include "support.h"

OP2_KERNEL(one, (double *x), { *x = 1; });

static op2_options base(void) {
  return (op2_options){.backend = "sequential", .cache_dir = test_cache()};
}

/* The text that a context prints from op2_init() to op2_finalize(). */
static const char *said_by_init(int log_level) {
  op2_options options = base();
  op2_context ctx = NULL;
  options.log_level = log_level;
  hear_begin();
  op2_status status = op2_init(&options, &ctx);
  if (!status) status = op2_finalize(&ctx);
  const char *said = hear_end();
  CHECK(status);
  return said;
}

static bool says(const char *text, const char *part) {
  bool found = strstr(text, part) != NULL;
  if (!found) diag("not in it: %s", text);
  return found;
}

static void unknown(void) {
  static const struct {
    const char *name, *meant;
  } strays[] = {{"OP2_BACKENDS", "OP2_BACKEND"},
                {"OP2_BAKCEND", "OP2_BACKEND"},
                {"OP2_NUM_THREADS", NULL},
                {"OP2_THREAD", "OP2_THREADS"},
                {"OP2_BLOCKSIZE", "OP2_BLOCK_SIZE"},
                {"OP2_BLOCK", "OP2_BLOCK_SIZE"},
                {"OP2_LOG_LEVEL", "OP2_LOG"},
                {"OP2_FUSION", NULL},
                {"OP2_TILE", NULL},
                {"OP2_", NULL},
                {"OP2_CHUNK", "OP2_CHUNK_US"},
                {"OP2_Threads", NULL}};
  is_str(said_by_init(0), "", "a context says nothing of an environment that is in order");
  for (size_t i = 0; i < sizeof strays / sizeof *strays; i++) {
    char name[64], question[96];
    snprintf(name, sizeof name, "variable %s is not known", strays[i].name);
    snprintf(question, sizeof question, "did you mean %s?", strays[i].meant ? strays[i].meant : "");
    setenv(strays[i].name, "1", 1);
    is_str(said_by_init(1), "", "%s: nothing below the level of warnings", strays[i].name);
    const char *said = said_by_init(0);
    ok(says(said, "op2 warning: ") && says(said, name) &&
           (strays[i].meant ? says(said, question) : !strstr(said, "did you mean")),
       "%s is warned of", strays[i].name);
    is_str(said_by_init(0), "", "%s: once in a process", strays[i].name);
    unsetenv(strays[i].name);
  }
}

static void not_ours(void) {
  static const char *const others[] = {"OP2_TEST_WHATEVER", "OP2",          "XOP2_BACKEND",
                                       "OP22_THREADS",      "OP2_COMPILER", "OP2_INSTALL_PATH",
                                       "OP2_PROFILE",       "OP2_APPS_DIR", "OP2_C_CUDA_COMPILER"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    setenv(others[i], "1", 1);
    is_str(said_by_init(0), "", "%s is none of the library's", others[i]);
    unsetenv(others[i]);
  }
}

/* A program of one process that a launcher has started several times is told so by the first. */
static void launched(void) {
  static const struct {
    const char *size, *rank;
  } launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                   {"PMI_SIZE", "PMI_RANK"},
                   {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
                   {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
  const size_t n = sizeof launchers / sizeof *launchers;
  for (size_t i = 0; i < n; i++) unsetenv(launchers[i].size);
  setenv("PMI_SIZE", "1", 1);
  setenv("PMI_RANK", "0", 1);
  is_str(said_by_init(0), "", "a launcher's only process has nothing to be told");
  setenv("PMI_SIZE", "4", 1);
  setenv("PMI_RANK", "3", 1);
  is_str(said_by_init(0), "", "the fourth of four says nothing");
  unsetenv("PMI_SIZE");
  for (size_t i = 0; i < n; i++) {
    setenv(launchers[i].size, "4", 1);
    setenv(launchers[i].rank, "0", 1);
    if (i == 0) is_str(said_by_init(1), "", "nothing is said below the level of warnings");
    const char *said = said_by_init(0);
    if (i == 0)
      ok(says(said, "4 processes of this program (OMPI_COMM_WORLD_SIZE)") &&
             says(said, "op2_init_mpi()"),
         "the first of four warns");
    else
      is_str(said, "", "%s: once in a process", launchers[i].size);
    unsetenv(launchers[i].size);
    unsetenv(launchers[i].rank);
  }
}

/* A variable with a bad value is refused, and the message gives the values that are allowed. */
static void refused(const char *name, const char *value, const char *expected) {
  op2_options options = base();
  op2_context ctx = NULL;
  options.backend = NULL;
  setenv(name, value, 1);
  FAILS(op2_init(&options, &ctx), OP2_ERR_OPTION);
  ok(says(op2_error_message(), name) && says(op2_error_message(), value) &&
         says(op2_error_message(), expected) && !ctx,
     "%s='%s' is refused: %s", name, value, op2_error_message());
  unsetenv(name);
}

static void numbers(void) {
  static const char *const none[] = {" 5", "5 ", "+5", "-0", "0x10", "1e3",       "1.5",
                                     "-1", " ",  "--", "5,", "٥",    "4294967297"};
  static const char *const widths[] = {"-1", "-2", "1", "8", "17", "24", "128", "016x"};
  static const char *const switches[] = {"OP2_EAGER", "OP2_VERIFY", "OP2_SHADOW", "OP2_REPLAY",
                                         "OP2_TEAM"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    refused("OP2_THREADS", none[i], "from 0 to 4096");
    refused("OP2_BLOCK_SIZE", none[i], "from 0 to 2147483647");
  }
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
    refused("OP2_SIMD", widths[i], "expected 0, 16, 32 or 64");
  for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
    refused(switches[i], "2", "expected 0 or 1");
    refused(switches[i], "yes", "expected 0 or 1");
    refused(switches[i], "-1", "expected 0 or 1");
  }
  refused("OP2_FUSE", "3", "from 0 to 2");
  refused("OP2_RENUMBER", "2", "expected 0, 1 or auto");
  refused("OP2_RENUMBER", "automatic", "expected 0, 1 or auto");
  refused("OP2_QUEUE_MAX", "0", "from 1 to 1048576");
  refused("OP2_STREAM_MB", "-1", "from 0 to 1048576");
  refused("OP2_TRIAL", "4", "from 0 to 3");
  refused("OP2_BACKEND", "illegal", "sequential, openmp");
}

static void accepted(void) {
  static const struct {
    const char *name, *value;
  } good[] = {{"OP2_SIMD", "0"},        {"OP2_SIMD", "16"},     {"OP2_SIMD", "64"},
              {"OP2_SIMD", ""},         {"OP2_STREAM_MB", "0"}, {"OP2_BLOCK_SIZE", "0"},
              {"OP2_BLOCK_SIZE", "1"},  {"OP2_BLOCK_SIZE", ""}, {"OP2_THREADS", ""},
              {"OP2_THREADS", "02"},    {"OP2_EAGER", "0"},     {"OP2_BLOCK_SIZE", "2147483647"},
              {"OP2_RENUMBER", "auto"}, {"OP2_RENUMBER", "1"}};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    setenv(good[i].name, good[i].value, 1);
    is_str(said_by_init(0), "", "%s='%s' is taken", good[i].name, good[i].value);
    unsetenv(good[i].name);
  }
}

/* Errors in options name the field, and the variable that would count without it. */
static void options(void) {
  const struct {
    op2_options options;
    const char *field, *variable;
  } bad[] = {{{.threads = -1}, "op2_options.threads", "OP2_THREADS"},
             {{.threads = 5000}, "op2_options.threads", "OP2_THREADS"},
             {{.block_size = -7}, "op2_options.block_size", "OP2_BLOCK_SIZE"},
             {{.queue_max = -1}, "op2_options.queue_max", "OP2_QUEUE_MAX"},
             {{.eager = 2}, "op2_options.eager", "OP2_EAGER"},
             {{.log_level = 5}, "op2_options.log_level", "OP2_LOG"},
             {{.backend = "illegal"}, "op2_options.backend", "illegal"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    op2_context ctx = NULL;
    FAILS(op2_init(&bad[i].options, &ctx), OP2_ERR_OPTION);
    ok(says(op2_error_message(), bad[i].field) && says(op2_error_message(), bad[i].variable), "%s",
       op2_error_message());
  }
}

/* The text that one loop prints, and the message when its result is read, "" if there is none. */
static const char *run_one(op2_options opts, char message[4096]) {
  op2_context ctx = NULL;
  op2_set set = NULL;
  op2_dat dat = NULL;
  op2_kernel kernel = NULL;
  double x[2] = {0};
  message[0] = '\0';
  hear_begin();
  op2_status status = op2_init(&opts, &ctx);
  if (!status) status = op2_set_create(ctx, 2, "cells", &set);
  if (!status) status = op2_dat_create(set, 1, OP2_F64, NULL, "x", &dat);
  if (!status) status = op2_kernel_create(ctx, &one_kernel, &kernel);
  for (int i = 0; i < 3 && !status; i++) {
    status = op2_par_loop(kernel, set, op2_arg_direct(dat, OP2_WRITE));
    if (!status) status = op2_dat_get(dat, x);
  }
  if (status) snprintf(message, 4096, "%s", op2_error_message());
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&dat);
  op2_set_destroy(&set);
  if (op2_finalize(&ctx) && !status) diag("finalize: %s", op2_error_message());
  return hear_end();
}

static void texts(void) {
  char message[4096], path[4200];
  op2_options opts = base();
  snprintf(path, sizeof path, "%s/nowhere/graph.dot", test_scratch());
  setenv("OP2_GRAPH", path, 1);
  const char *said = run_one(opts, message);
  ok(!message[0] && says(said, "OP2_GRAPH") && says(said, path) && says(said, "No such file"),
     "a graph that cannot be written: %s", said);
  ok(!strstr(strstr(said, path) + 1, path), "is said once");
  unsetenv("OP2_GRAPH");
  opts.graph_file = path;
  ok(says(run_one(opts, message), "op2_options.graph_file"), "the same for the option");
  opts = base();
  char empty[4200]; /* code in the cache is used without a compiler */
  snprintf(empty, sizeof empty, "%s/empty-cache", test_scratch());
  opts.cache_dir = empty;
  setenv("OP2_CC", "no-such-compiler", 1);
  (void)run_one(opts, message);
  ok(says(message, "no-such-compiler") && says(message, "asked for by OP2_CC"), "%s", message);
  setenv("OP2_CC", "  ", 1);
  (void)run_one(opts, message);
  ok(says(message, "OP2_CC is '  '"), "%s", message);
  unsetenv("OP2_CC");
  opts.cc = "no-such-compiler";
  (void)run_one(opts, message);
  ok(says(message, "asked for by op2_options.cc"), "%s", message);
  opts.cc = NULL;
  setenv("OP2_CFLAGS", "-fno-such-flag-at-all", 1);
  (void)run_one(opts, message);
  ok(says(message, "no-such-flag") && says(message, "with the flags of OP2_CFLAGS"),
     "flags that the compiler refuses");
  unsetenv("OP2_CFLAGS");
  opts.cache_dir = NULL;
  setenv("OP2_CACHE_DIR", "/dev/null/cache", 1);
  said = run_one(opts, message);
  ok(!message[0] && says(said, "OP2_CACHE_DIR") && says(said, "/dev/null/cache"), "%s", said);
  unsetenv("OP2_CACHE_DIR");
  setenv("OP2_BACKEND", "cuda", 1);
  opts.backend = NULL;
  (void)run_one(opts, message);
  ok(says(message, "OP2_BACKEND"), "a backend that cannot run here: %s", message);
  unsetenv("OP2_BACKEND");
}

int main(void) {
  test_environment();
  unknown();
  not_ours();
  launched();
  numbers();
  accepted();
  options();
  texts();
  return done();
}
