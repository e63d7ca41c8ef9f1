/* SPDX-License-Identifier: BSD-3-Clause */
/* Each worker has a core of its own, whatever an OpenMP runtime has done to the thread that calls
 * op2_init: this program runs itself with the variables of clusters set and checks on which cores
 * its threads are. */
#define _GNU_SOURCE
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config.h"

#include "backend.h"
#include "parallel.h"
#include "registry.h"
#include "support.h"

OP2_KERNEL(fill, (double *x), { x[0] = 1; });

/* ---- in the child process, which prints lines of a word and a value -------------------------- */

static void print_cpus(const char *what, pid_t task) {
  cpu_set_t cpus;
  if (sched_getaffinity(task, sizeof cpus, &cpus)) return;
  printf("%s", what);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &cpus)) printf(" %d", cpu);
  puts("");
}

/* Threads of StarPU's workers are named CPU; an OpenMP team is the process's other threads. */
static void print_workers(bool starpu) {
  DIR *tasks = opendir("/proc/self/task");
  for (const struct dirent *task; tasks && (task = readdir(tasks));) {
    char path[400], name[64] = "";
    if (task->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
    FILE *file = fopen(path, "r");
    if (!file || !fgets(name, sizeof name, file)) name[0] = 0;
    if (file) fclose(file);
    if (!starpu || !strncmp(name, "CPU", 3)) print_cpus("worker", (pid_t)atoi(task->d_name));
  }
  if (tasks) closedir(tasks);
}

static void print_piece(void *arg, int64_t lo, int64_t hi) {
  (void)arg, (void)hi;
  if (lo > 0) print_cpus("thread", 0);
}

static int be_child(const char *backend) {
  op2_context ctx;
  op2_set set;
  op2_dat x;
  op2_kernel kernel;
  double value = 0;
  enum { N = 100000 };
  static double values[N];
  op2_options options = {.backend = *backend ? backend : NULL, .cache_dir = test_cache()};
  print_cpus("before", 0);
  if (op2_init(&options, &ctx) || op2_set_create(ctx, N, "set", &set) ||
      op2_dat_create(set, 1, OP2_F64, NULL, "x", &x) ||
      op2_kernel_create(ctx, &fill_kernel, &kernel) ||
      op2_par_loop(kernel, set, op2_arg_direct(x, OP2_WRITE)) || op2_dat_get(x, values)) {
    printf("error %s\n", op2_error_message());
    return 1;
  }
  for (int i = 0; i < N; i++) value += values[i];
  print_cpus("after", 0);
  printf("backend %s\nasked %d\nvalue %d\n", op2_backend_name(ctx), op2_workers(ctx), value == N);
  if (op2_explain(ctx, stdout)) return 1;
  print_workers(!strcmp(op2_backend_name(ctx), "starpu"));
  op2i_parallel(2, 2, 1, print_piece, NULL);
  op2_set_destroy(&set);
  op2_dat_destroy(&x);
  op2_kernel_destroy(&kernel);
  return op2_finalize(&ctx) != OP2_SUCCESS;
}

/* ---- in the parent process ------------------------------------------------------------------- */

static cpu_set_t mine;
static char self[4096], compiler[4200], compiled[4200];

/* The output of a child, stderr included. */
static char said[1 << 16];

/* Start this program on these CPUs with NAME=VALUE settings; the list ends with a null pointer. */
static bool run_child(const char *backend, const cpu_set_t *cpus, const char *const *settings) {
  int ends[2], how = 1;
  size_t length = 0;
  unlink(compiled);
  if (pipe(ends)) return false;
  pid_t child = fork();
  if (child == 0) {
    for (; *settings; settings++) putenv((char *)*settings);
    sched_setaffinity(0, sizeof *cpus, cpus);
    dup2(ends[1], 1), dup2(ends[1], 2);
    close(ends[0]), close(ends[1]);
    execl(self, self, "child", backend, (char *)NULL);
    _exit(127);
  }
  close(ends[1]);
  for (ssize_t got; length < sizeof said - 1 &&
                    (got = read(ends[0], said + length, sizeof said - 1 - length)) > 0;)
    length += (size_t)got;
  said[length] = 0;
  close(ends[0]);
  if (waitpid(child, &how, 0) != child || how) {
    diag("the child failed (%d):\n%s", how, said);
    return false;
  }
  return true;
}

/* The rest of the n-th line that begins with a word; null: there is none. */
static const char *line_of(const char *text, const char *word, int n) {
  static char rest[4096];
  size_t length = strlen(word);
  for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
    if (!strncmp(line, word, length) && line[length] == ' ' && n-- == 0) {
      snprintf(rest, sizeof rest, "%.*s", (int)strcspn(line + length + 1, "\n"), line + length + 1);
      return rest;
    }
  return NULL;
}

static void list_cpus(const cpu_set_t *cpus, char list[4096]) {
  int length = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE && length < 4000; cpu++)
    if (CPU_ISSET(cpu, cpus)) length += snprintf(list + length, 16, "%s%d", length ? " " : "", cpu);
}

static bool is_line(const char *word, int n, const char *want) {
  const char *got = line_of(said, word, n);
  if (got && !strcmp(got, want)) return true;
  diag("'%s' is '%s', expected '%s'", word, got ? got : "nothing", want);
  return false;
}

/* The workers have one CPU each, all of them different and in `cpus`, and op2_explain() reports
 * them. */
static bool apart(int workers, const cpu_set_t *cpus) {
  cpu_set_t seen;
  const char *told = line_of(said, "workers: on", 0), *list;
  char *end, words[4096];
  snprintf(words, sizeof words, "%s,", told ? told : "");
  CPU_ZERO(&seen);
  int n = 0;
  for (; (list = line_of(said, "worker", n)); n++) {
    long cpu = strtol(list, &end, 10);
    char word[32];
    snprintf(word, sizeof word, " %ld,", cpu);
    if (*end || !CPU_ISSET((size_t)cpu, cpus) || CPU_ISSET((size_t)cpu, &seen) ||
        !strstr(words, word)) {
      diag("worker %d is on %s; op2_explain says: %s", n, list, words);
      return false;
    }
    CPU_SET((size_t)cpu, &seen);
  }
  if (n != workers) diag("%d workers of %d", n, workers);
  return n == workers;
}

static bool compilers_free(const char *want) {
  char got[256] = "";
  FILE *file = fopen(compiled, "r");
  if (file && fgets(got, sizeof got, file)) got[strcspn(got, "\n")] = 0;
  if (file) fclose(file);
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  for (char *at = got, *end; *at; at = *end == ',' ? end + 1 : end) {
    long from = strtol(at, &end, 10), to = *end == '-' ? strtol(end + 1, &end, 10) : from;
    if (end == at) break;
    for (; from <= to; from++) CPU_SET((size_t)from, &cpus);
  }
  char list[4096] = "";
  list_cpus(&cpus, list);
  if (strcmp(list, want)) diag("the compiler ran on '%s', expected '%s'", list, want);
  return !strcmp(list, want);
}

static void try_settings(const char *backend, const char *const *settings, const cpu_set_t *cpus,
                         bool bound, const char *what) {
  char list[4096], before[4096], cc[4400], count[16];
  const char *all[8] = {"OP2_CHUNK_US=0", cc};
  int n = 2;
  while (*settings) all[n++] = *settings++;
  snprintf(cc, sizeof cc, "OP2_CC=%s", compiler);
  list_cpus(cpus, list);
  snprintf(count, sizeof count, "%d", CPU_COUNT(cpus));
  if (!ok(run_child(backend, cpus, all), "%s, %s: it runs", backend, what)) return;
  snprintf(before, sizeof before, "%s",
           line_of(said, "before", 0) ? line_of(said, "before", 0) : "");
  ok(is_line("value", 0, "1") && is_line("asked", 0, count), "%s, %s: %s workers", backend, what,
     count);
  ok(is_line("after", 0, before), "%s, %s: the calling thread stays where it was", backend, what);
  if (bound)
    ok(apart(CPU_COUNT(cpus), cpus), "%s, %s: each has a processor of its own", backend, what);
  ok(compilers_free(list), "%s, %s: compilers may use all processors", backend, what);
  if (CPU_COUNT(cpus) > 1)
    ok(is_line("thread", 0, list), "%s, %s: so may threads that copy", backend, what);
}

/* A compiler that writes down where it runs. It compiles anew each time, since each script has
 * another name. */
static void make_compiler(int number) {
  snprintf(compiler, sizeof compiler, "%s/cc-%d", test_scratch(), number);
  snprintf(compiled, sizeof compiled, "%s/where", test_scratch());
  FILE *file = fopen(compiler, "w");
  fprintf(file,
          "#!/bin/sh\nsed -n 's/^Cpus_allowed_list:[ \\t]*//p' /proc/self/status >'%s'\n"
          "exec cc \"$@\"\n",
          compiled);
  fclose(file);
  if (chmod(compiler, 0700)) perror(compiler);
}

static const struct op2i_backend *usable(const char *name) {
  const char *why = op2_backend_unavailable(name);
  if (why) skip("%s: %s", name, why);
  return why ? NULL : op2i_backend_find(name);
}

static void try_backend(const char *name) {
  const struct op2i_backend *backend = usable(name);
  char places[4096], list[4096], affinity[4200] = "GOMP_CPU_AFFINITY=", one[64];
  cpu_set_t first, some = mine;
  int number = 0, cpu = 0;
  if (!backend) return;
  bool starpu = !strcmp(name, "starpu");
  /* At most as many as StarPU supports. */
  for (int c = CPU_SETSIZE - 1; backend->most_workers && CPU_COUNT(&some) > backend->most_workers();
       c--)
    CPU_CLR((size_t)c, &some);
  int length = snprintf(places, sizeof places, "OMP_PLACES=");
  for (int c = 0; c < CPU_SETSIZE && length < 4000; c++)
    if (CPU_ISSET(c, &some))
      length += snprintf(places + length, 32, "%s{%d}", places[length - 1] == '}' ? "," : "", c);
  list_cpus(&some, list);
  strncat(affinity, list, sizeof affinity - strlen(affinity) - 1);
  const char *const settings[] = {"OMP_DYNAMIC=false",
                                  "OMP_PROC_BIND=true",
                                  "OMP_PLACES=cores",
                                  "OMP_PROC_BIND=spread",
                                  places,
                                  affinity,
                                  "OMP_PROC_BIND=false"};
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    bool free = i == 0 || !strcmp(settings[i], "OMP_PROC_BIND=false");
    make_compiler(number++);
    try_settings(name, (const char *const[]){settings[i], NULL}, &some, starpu || !free,
                 settings[i]);
  }
  CPU_ZERO(&first);
  while (!CPU_ISSET(cpu, &some)) cpu++;
  CPU_SET(cpu, &first);
  make_compiler(number++);
  try_settings(name, (const char *const[]){"OMP_PROC_BIND=true", NULL}, &first, starpu,
               "OMP_PROC_BIND=true on one processor");
  snprintf(one, sizeof one, "OMP_PLACES={%d}", cpu);
  make_compiler(number++);
  if (ok(run_child(name, &some, (const char *const[]){one, NULL}), "%s: %s runs", name, one))
    ok(is_line("asked", 0, OP2_HAVE_OPENMP ? "1" : "2"), "%s: one place is kept to", name);
}

/* A machine with more cores than this build of StarPU has workers for. */
static void try_large(void) {
  const struct op2i_backend *starpu = usable("starpu");
  if (!starpu || !usable("openmp")) return;
  char machine[64], most[64], home[4200];
  int cores = starpu->most_workers() + 1;
  snprintf(machine, sizeof machine, "HWLOC_SYNTHETIC=pack:1 core:%d pu:1", cores);
  snprintf(most, sizeof most, "starpu has at most %d workers", cores - 1);
  snprintf(home, sizeof home, "STARPU_HOME=%s", test_scratch());
  const char *const settings[] = {machine, home, "OP2_LOG=2", NULL};
  if (ok(run_child("", &mine, settings), "%d cores, default backend: it runs", cores)) {
    ok(strstr(said, "\nbackend openmp\n") && !strstr(said, "\nbackend starpu\n"),
       "the default uses all %d cores", cores);
    ok(strstr(said, most) != NULL, "op2_explain says why");
    const char *warning = strstr(said, "warning: the backend is openmp for ");
    ok(warning && !strstr(warning + 1, "warning"), "which is told, and nothing else");
  }
  if (ok(run_child("starpu", &mine, settings), "%d cores, starpu: it runs", cores)) {
    ok(strstr(said, "OP2_BACKEND=openmp") != NULL, "the warning names the other backend");
    ok(strstr(said, "--enable-maxcpus") != NULL, "and how to build another StarPU");
  }
  const char *const few[] = {machine, home, "OP2_THREADS=1", NULL};
  ok(run_child("", &mine, few) && strstr(said, "\nbackend starpu\n"),
     "who wants fewer workers gets starpu");
}

int main(int argc, char **argv) {
  if (argc > 2) return be_child(argv[2]);
  test_environment();
  unsetenv("OP2_THREADS");
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0 || sched_getaffinity(0, sizeof mine, &mine)) {
    skip("this system tells neither where programs are nor where they may run");
    return done();
  }
  setenv("OP2_TEST_CACHE", test_cache(), 1);
  try_large();
  if (CPU_COUNT(&mine) < 2) {
    skip("one processor: workers cannot be apart");
    return done();
  }
  try_backend("starpu");
  try_backend("openmp");
  return done();
}
