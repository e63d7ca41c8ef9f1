/* SPDX-License-Identifier: BSD-3-Clause */
/* Compile and load: values, hits, merging, messages, and the contents of a key. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <time.h>

#include "cpu.h"
#include "machine.h"
#include "op2.h"
#include "t3-rig.h"

static void test_hits(void) {
  char cache[RIG_PATH];
  struct op2i_jit_code unit;
  rig_path(cache, "hits/deeper/still");
  op2_context ctx = rig_context(cache, NULL, NULL);
  ok(rig_get(ctx, 2.5, NULL, &unit), "a compiled function computes");
  void *first = unit.function;
  ok(rig_get(ctx, 2.5, NULL, &unit) && unit.function == first,
     "the second time it is the same function");
  struct op2i_jit_stats stats = rig_stats(ctx);
  is_int(stats.compiled, 1, "compiled once");
  is_int(stats.memory_hits, 1, "found in memory once");
  is_int(stats.disk_hits, 0, "not found on disk");
  ok(stats.seconds > 0, "time in compilers is counted");
  rig_end(ctx);
  ok(rig_once(cache, 2.5, &stats), "another context computes the same");
  is_int(stats.disk_hits, 1, "found on disk");
  is_int(stats.compiled, 0, "nothing compiled");
  is_int(rig_count(rig_root, "op2-scratch-"), 0, "no scratch folder is left");
  struct stat st;
  ok(stat(cache, &st) == 0 && (st.st_mode & 07777) == 0700, "the folder was made, private");
}

OP2_KERNEL(res_calc, (double *x), { *x += 1; });

/* The symbol of a loop's function has its kernel's name, for perf and gdb. */
static void test_symbols(void) {
  char cache[RIG_PATH], path[RIG_PATH];
  rig_path(cache, "symbols");
  op2_context ctx = NULL;
  op2_set set = NULL;
  op2_dat x = NULL;
  op2_kernel kernel = NULL;
  CHECK(op2_init(&(op2_options){.backend = "sequential", .cache_dir = cache}, &ctx));
  CHECK(op2_set_create(ctx, 100, "cells", &set));
  CHECK(op2_dat_create(set, 1, OP2_F64, NULL, "x", &x));
  CHECK(op2_kernel_create(ctx, &res_calc_kernel, &kernel));
  CHECK(op2_par_loop(kernel, set, op2_arg_direct(x, OP2_RW)));
  CHECK(op2_flush(ctx));
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&x);
  op2_set_destroy(&set);
  CHECK(op2_finalize(&ctx));
  size_t size = 0;
  static const char symbol[] = "op2_loop_res_calc_k";
  unsigned char *image = rig_find_entry(cache, path) ? rig_read(path, &size) : NULL;
  ok(image && memmem(image, size, symbol, strlen(symbol)),
     "the symbol of a loop has its kernel's name");
  free(image);
}

static bool computes(const struct op2i_jit_code *unit, double factor) {
  return unit->status == OP2_SUCCESS && unit->function &&
         ((rig_fn)unit->function)(-7.0) == -7.0 * factor + 1;
}

enum { MANY = 40 };
static void many_units(struct op2i_jit_code *units, char (*sources)[2048], int bad) {
  for (int i = 0; i < MANY; i++) {
    rig_source(sources[i], sizeof sources[i], i + 0.5,
               i == bad ? "#line 77 \"mine.c\"\nint broken(void) { return nowhere; }" : NULL);
    units[i] =
        (struct op2i_jit_code){.source = sources[i], .mergeable = i % 10 != 9, .label = "many"};
  }
}
static int count_good(const struct op2i_jit_code *units) {
  int good = 0;
  for (int i = 0; i < MANY; i++) good += computes(&units[i], i + 0.5);
  return good;
}

static char counting_cc[RIG_PATH], counting_log[RIG_PATH];
static int compiler_runs(void) {
  size_t size;
  unsigned char *bytes = rig_read(counting_log, &size);
  free(bytes);
  unlink(counting_log);
  return (int)size;
}

static void test_merging(void) {
  static char sources[MANY][2048];
  static struct op2i_jit_code units[MANY];
  char cache[RIG_PATH];
  struct stat st;
  rig_path(cache, "merging");
  op2_context ctx = rig_context(cache, counting_cc, NULL);
  many_units(units, sources, -1);
  compiler_runs();
  CHECK(op2i_jit_get(ctx, MANY, units));
  is_int(count_good(units), MANY, "all of many units compute");
  int cores = op2i_machine()->cores < 1 ? 1 : op2i_machine()->cores, mergeable = MANY / 10 * 9;
  int merged = cores > mergeable ? mergeable : cores > 1 ? cores : 2;
  is_int(compiler_runs(), merged + MANY / 10, "mergeable ones share compiler runs");
  is_int(rig_stats(ctx).compiled, MANY, "each is counted");
  rig_end(ctx);

  ctx = rig_context(cache, counting_cc, NULL);
  struct op2i_jit_code one = units[3];
  CHECK(op2i_jit_get(ctx, 1, &one));
  ok(computes(&one, 3.5) && rig_stats(ctx).disk_hits == 1,
     "one of them is found on disk by its own key");
  CHECK(op2i_jit_get(ctx, MANY, units));
  is_int(count_good(units), MANY, "so are all");
  is_int(rig_stats(ctx).disk_hits, MANY, "from disk, once each");
  is_int(compiler_runs(), 0, "no compiler ran");
  rig_end(ctx);
  char path[RIG_PATH];
  ok(rig_find_entry(cache, path) && stat(path, &st) == 0 && (st.st_mode & 0777) == 0600,
     "entries are private");
}

static void test_bad_member(void) {
  static char sources[MANY][2048];
  static struct op2i_jit_code units[MANY];
  char cache[RIG_PATH];
  rig_path(cache, "bad");
  op2_context ctx = rig_context(cache, NULL, NULL);
  many_units(units, sources, 17);
  CHECK(op2i_jit_get(ctx, MANY, units));
  is_int(count_good(units), MANY - 1, "one bad unit among many: all others work");
  is_int(units[17].status, OP2_ERR_COMPILE, "the bad one has a status");
  ok(!units[17].function, "and no function");
  const char *message = units[17].message ? units[17].message : "";
  ok(strstr(message, "mine.c:77"), "its message has the source's own file and line");
  ok(strstr(message, "nowhere"), "and the compiler's words");
  ok(strstr(message, "exit status 1"), "and the exit status");
  ok(!strstr(message, "-std=gnu11"), "and no command, which is not at fault");
  is_int(rig_stats(ctx).failed, 1, "one failure is counted");
  is_int(rig_stats(ctx).compiled, MANY - 1, "and the others as compiled");
  op2i_free(units[17].message);

  struct op2i_jit_code twins[] = {units[17], units[16], units[17], units[16]};
  for (int i = 0; i < 4; i++) twins[i].message = NULL;
  CHECK(op2i_jit_get(ctx, 4, twins));
  ok(twins[0].message && twins[2].message && strcmp(twins[0].message, twins[2].message) == 0,
     "the same bad unit twice in a call: the same message for both");
  ok(computes(&twins[1], 16.5) && twins[1].function == twins[3].function,
     "the good one among them works");
  is_int(rig_stats(ctx).failed, 2, "the bad one was compiled once more, not twice");
  for (int i = 0; i < 4; i++) op2i_free(twins[i].message);
  rig_end(ctx);
}

/* A C compiler only warns of each of these faults. */
static void test_strict(void) {
  static const struct {
    const char *text, *what;
  } wrong[] = {
      {"static int f(double *x) { int *y = x; return *y; }", "pointers to other types"},
      {"static int f(int x) { return is_nowhere(x); }", "a function not declared"},
      {"static int f(int *x) { int y = x; return y; }", "a pointer for a number"},
  };
  op2_context ctx = rig_context(NULL, NULL, NULL);
  struct op2i_jit_code unit;
  for (int i = 0; i < 3; i++) {
    char source[2048];
    rig_source(source, sizeof source, 1, wrong[i].text);
    unit = (struct op2i_jit_code){.source = source, .label = "strict"};
    CHECK(op2i_jit_get(ctx, 1, &unit));
    is_int(unit.status, OP2_ERR_COMPILE, "an error, not a warning: %s", wrong[i].what);
    op2i_free(unit.message);
  }
  char source[2048];
  rig_source(source, sizeof source, 1, "extern double is_nowhere(double);");
  strcat(source, "double OP2_NAME(other)(double x) { return is_nowhere(x); }\n");
  unit = (struct op2i_jit_code){.source = source, .label = "link"};
  CHECK(op2i_jit_get(ctx, 1, &unit));
  ok(unit.status == OP2_ERR_COMPILE && strstr(unit.message, "is_nowhere"),
     "an undefined function is told by name");
  op2i_free(unit.message);
  rig_source(source, sizeof source, 1, "#include <math.h>");
  strcat(source, "double OP2_NAME(other)(double x) { return tgamma(x) + lgamma(x); }\n");
  unit = (struct op2i_jit_code){.source = source, .label = "math"};
  CHECK(op2i_jit_get(ctx, 1, &unit));
  is_int(unit.status, OP2_SUCCESS, "the mathematical library is there");
  rig_end(ctx);
}

static void test_keys(void) {
  char cache[RIG_PATH];
  struct op2i_jit_code unit;
  rig_path(cache, "keys");
  ok(rig_once(cache, 4, NULL), "a first entry");
  op2_context ctx = rig_context(cache, NULL, "-O1  '-DA=\"b c\"' -DB=\\\"d\\ e\\\"");
  ok(rig_get(ctx, 4, "static const char ab[] = A B;\n_Static_assert(sizeof ab == 7, \"quotes\");",
             &unit),
     "flags are split with quotes honoured");
  ok(rig_get(ctx, 4, NULL, &unit), "other flags compute");
  is_int(rig_stats(ctx).disk_hits, 0, "other flags, other keys");
  rig_end(ctx);

  ctx = rig_context(cache, counting_cc, NULL);
  ok(rig_get(ctx, 4, NULL, &unit), "another compiler computes");
  is_int(rig_stats(ctx).compiled, 1, "another compiler, another key");
  rig_end(ctx);
  struct timespec then[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
  utimensat(AT_FDCWD, counting_cc, then, 0);
  ctx = rig_context(cache, counting_cc, NULL);
  ok(rig_get(ctx, 4, NULL, &unit), "a changed compiler computes");
  is_int(rig_stats(ctx).compiled, 1, "a changed compiler, another key");
  rig_end(ctx);

  char cc[RIG_PATH + 8];
  snprintf(cc, sizeof cc, "env %s", counting_cc);
  ctx = rig_context(cache, cc, NULL);
  compiler_runs();
  ok(rig_get(ctx, 4, NULL, &unit), "a compiler with arguments computes");
  is_int(compiler_runs(), 1, "and it is the one that ran");
  rig_end(ctx);
  then[0].tv_sec = then[1].tv_sec = 2000;
  utimensat(AT_FDCWD, counting_cc, then, 0);
  ctx = rig_context(cache, cc, NULL);
  ok(rig_get(ctx, 4, NULL, &unit) && rig_stats(ctx).compiled == 1,
     "a compiler that changed behind its wrapper too");
  rig_end(ctx);
}

/* The headers define F. */
static op2_status get_including(op2_context ctx, const char *const *folders, double *value) {
  struct op2i_jit_code unit = {
      .source = "#include <outer.h>\n#define OP2_PASTE_(a, b) a##_##b\n"
                "#define OP2_PASTE(a, b) OP2_PASTE_(a, b)\n"
                "double OP2_PASTE(op2_entry, OP2_ID)(double x) { return x + F; }\n",
      .includes = folders,
      .label = "header"};
  op2_status status = op2i_jit_get(ctx, 1, &unit);
  if (unit.message) diag("%s", unit.message);
  op2i_free(unit.message);
  *value = unit.function ? ((rig_fn)unit.function)(0) : -1;
  return status == OP2_SUCCESS ? unit.status : status;
}

static void test_default_flags(void) {
  struct op2i_jit_code unit;
  op2_context ctx = rig_context(NULL, NULL, NULL);
  free(ctx->config.cflags);
  ctx->config.cflags = NULL;
  ok(rig_get(ctx, 7, NULL, &unit), "the default flags suit the compiler");
  char source[2048];
  snprintf(source, sizeof source, "int broken = nowhere;\n"); /* which is no kernel's text */
  unit = (struct op2i_jit_code){.source = source, .label = "flags"};
  CHECK(op2i_jit_get(ctx, 1, &unit));
  ok(unit.message && strstr(unit.message, " -O3 ") && strstr(unit.message, " -fno-math-errno"),
     "they optimise");
  bool wide = unit.message && strstr(unit.message, "-mprefer-vector-width=512");
#if defined(__x86_64__)
  ok(wide == (__builtin_cpu_supports("avx512f") != 0), "for wide vectors where there are any");
#else
  ok(!wide, "without flags of other processors");
#endif
  op2i_free(unit.message);
  rig_end(ctx);
}

static void test_headers(void) {
  char cache[RIG_PATH], one[RIG_PATH], two[RIG_PATH], file[RIG_PATH];
  double value;
  rig_path(cache, "headers");
  rig_path(one, "in one # $ dir");
  rig_path(two, "in-two");
  mkdir(one, 0700);
  mkdir(two, 0700);
  rig_path(file, "in one # $ dir/outer.h");
  rig_write(file, "#include \"inner.h\"\n", 19, 0600);
  rig_path(file, "in-two/outer.h");
  rig_write(file, "#define F 30\n", 13, 0600);
  rig_path(file, "in one # $ dir/inner.h");
  rig_write(file, "#define F 10\n", 13, 0600);
  const char *const first[] = {one, two, NULL}, *const second[] = {two, one, NULL};
  op2_context ctx = rig_context(cache, NULL, NULL);
  ok(get_including(ctx, first, &value) == OP2_SUCCESS && value == 10,
     "a header in a folder with blanks is found");
  ok(get_including(ctx, second, &value) == OP2_SUCCESS && value == 30,
     "the order of folders counts");
  rig_end(ctx);
  ctx = rig_context(cache, NULL, NULL);
  ok(get_including(ctx, first, &value) == OP2_SUCCESS && value == 10, "with the headers unchanged");
  is_int(rig_stats(ctx).disk_hits, 1, "it is found on disk");
  rig_end(ctx);
  rig_write(file, "#define F 20\n", 13, 0600);
  ctx = rig_context(cache, NULL, NULL);
  ok(get_including(ctx, first, &value) == OP2_SUCCESS && value == 20,
     "a header that a header includes has changed");
  is_int(rig_stats(ctx).compiled, 1, "so it is compiled again");
  is_int(rig_stats(ctx).rejected, 0, "which is no damage");
  rig_end(ctx);
  unlink(file);
  ctx = rig_context(cache, NULL, NULL);
  is_int(get_including(ctx, first, &value), OP2_ERR_COMPILE,
         "a header is gone: the compiler says so");
  rig_end(ctx);
}

/* A program that ignores SIGCHLD gets no exit status of its children. */
static void test_hidden_status(void) {
  struct op2i_jit_code unit;
  void (*before)(int) = signal(SIGCHLD, SIG_IGN);
  op2_context ctx = rig_context(NULL, NULL, NULL);
  ok(rig_get(ctx, 6, NULL, &unit), "with SIGCHLD ignored a good unit works");
  char source[2048];
  rig_source(source, sizeof source, 6, "int broken = nowhere;");
  unit = (struct op2i_jit_code){.source = source, .label = "hidden"};
  CHECK(op2i_jit_get(ctx, 1, &unit));
  ok(unit.status == OP2_ERR_COMPILE && strstr(unit.message, "nowhere"),
     "and a bad one has the compiler's words");
  op2i_free(unit.message);
  rig_end(ctx);
  signal(SIGCHLD, before);
}

/* A small program whose n-th allocation fails; returns true if n exceeded the number of
 * allocations. */
static bool run_denied(const char *cache, int64_t n, bool *clean) {
  char sources[3][2048];
  struct op2i_jit_code units[3];
  static const char *const bad = "int broken = nowhere;";
  for (int i = 0; i < 3; i++) {
    rig_source(sources[i], sizeof sources[i], i, i == 2 ? bad : NULL);
    units[i] = (struct op2i_jit_code){.source = sources[i], .mergeable = true, .label = "denied"};
  }
  op2_context ctx = rig_context(cache, NULL, NULL);
  op2i_mem_fail_at(n);
  op2_status status = op2i_jit_get(ctx, 3, units);
  bool beyond = op2i_mem_fail_at(0) < n;
  *clean = status == (beyond ? OP2_SUCCESS : OP2_ERR_NOMEM);
  if (status == OP2_ERR_NOMEM) *clean = *clean && strstr(op2_error_message(), "memory");
  for (int i = 0; i < 3; i++) {
    if (status != OP2_SUCCESS) *clean = *clean && !units[i].function && !units[i].message;
    units[i].message = (op2i_free(units[i].message), NULL);
  }
  if (!beyond) {
    *clean = op2i_jit_get(ctx, 2, units) == OP2_SUCCESS && *clean;
    for (int i = 0; i < 2; i++)
      *clean = *clean && units[i].function && ((rig_fn)units[i].function)(3.0) == 3.0 * i + 1;
  }
  rig_end(ctx);
  return beyond;
}

static void test_denied(void) {
  char cache[RIG_PATH];
  for (int warm = 0; warm < 2; warm++) {
    int64_t n = 1, dirty = 0;
    for (bool beyond = false; !beyond && n < 5000; n += quick() ? 7 : thorough() ? 1 : 3) {
      bool clean;
      rig_path(cache, "denied-%d-%lld", warm, warm ? 0LL : (long long)n);
      beyond = run_denied(cache, n, &clean);
      if (!clean) dirty++, diag("allocation %lld", (long long)n);
    }
    ok(dirty == 0 && n > 20 && n < 5000, "each of %lld allocations fails cleanly with a %s cache",
       (long long)n, warm ? "warm" : "cold");
  }
  is_int(rig_count(rig_root, "op2-scratch-"), 0, "and no scratch folder is left");
}

/* The description of the processor is the same on all cores; otherwise an entry made on one core
 * would not be found on another. */
static void test_processor(void) {
  cpu_set_t before, one;
  struct op2i_text first = {0};
  int cores = 0, same = 0;
  op2i_cpu_text(&first);
  ok(first.length > 20, "the processor is described");
  if (sched_getaffinity(0, sizeof before, &before) != 0) {
    skip("no affinity here");
    return;
  }
  for (int i = 0; i < CPU_SETSIZE; i++) {
    struct op2i_text text = {0};
    if (!CPU_ISSET(i, &before)) continue;
    CPU_ZERO(&one);
    CPU_SET(i, &one);
    sched_setaffinity(0, sizeof one, &one);
    op2i_cpu_text(&text);
    cores++;
    same += text.length == first.length && memcmp(text.chars, first.chars, text.length) == 0;
    op2i_text_free(&text);
  }
  sched_setaffinity(0, sizeof before, &before);
  is_int(same, cores, "in the same words on each of %d cores", cores);
  op2i_text_free(&first);
}

/* Length of the process's table of descriptors; -1: unknown. */
static int descriptors(void) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  int length = -1;
  while (file && fgets(line, sizeof line, file)) sscanf(line, "FDSize: %d", &length);
  if (file) fclose(file);
  return length;
}

/* The system would wait for all processors if the table grew when there are threads. */
static void test_descriptors(void) {
#if defined __GLIBC__ && __has_include(<sys/single_threaded.h>)
  enum { LOADED = 800 };
  const int before = descriptors();
  op2_context ctx = NULL;
  bool good = op2_init(&(op2_options){.backend = "sequential"}, &ctx) == OP2_SUCCESS;
  const int begun = descriptors();
  good = good && op2_finalize(&ctx) == OP2_SUCCESS;
  if (before < 0)
    skip("the system does not tell how long the table of descriptors is");
  else
    ok(good && begun > LOADED, "the table of descriptors has %d entries, and %d with a context",
       before, begun);
#else
  skip("the C library does not tell whether there are threads");
#endif
}

int main(void) {
  test_descriptors();
  rig_open();
  rig_path(counting_log, "runs");
  char script[2048];
  snprintf(script, sizeof script, "#!/bin/sh\n" RIG_ASKED "printf x >> %s\nexec cc \"$@\"\n",
           counting_log);
  rig_script(counting_cc, "counting-cc", script);
  test_processor();
  test_hits();
  test_symbols();
  test_merging();
  test_bad_member();
  test_strict();
  test_keys();
  test_default_flags();
  test_headers();
  test_hidden_status();
  test_denied();
  rig_close();
  return done();
}
