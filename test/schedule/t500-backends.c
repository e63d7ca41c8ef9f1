/* SPDX-License-Identifier: BSD-3-Clause */
/* The registry of backends, and the machine they run on. */
#define _GNU_SOURCE
#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend.h"
#include "machine.h"
#include "op2/context.h"
#include "op2/graph.h"
#include "registry.h"
#include "tap.h"

static const char *const names[] = {"sequential", "openmp", "starpu", "cuda",
                                    "hip",        "opencl", "check",  "static"};
enum { NAMES = sizeof names / sizeof *names };

static void test_names(void) {
  int n = 0;
  while (op2i_backends()[n]) n++;
  is_int(n, NAMES, "as many backends as names");
  for (int i = 0; i < NAMES; i++) {
    const struct op2i_backend *backend = op2i_backend_find(names[i]);
    if (!ok(backend != NULL, "%s is found", names[i])) continue;
    is_str(backend->name, names[i], "%s answers by its name", names[i]);
    ok(backend->summary && strlen(backend->summary) > 10, "%s has a summary", names[i]);
    const char *why = op2_backend_unavailable(names[i]);
    ok(why == backend->unavailable(), "%s: the public answer is the backend's", names[i]);
    if (!why) why = backend->idle;
    ok(why ? strlen(why) > 10 : backend->run_step || backend->run_steps,
       "%s can run or says why not", names[i]);
  }
  ok(!op2i_backend_find("Sequential") && !op2i_backend_find("") && !op2i_backend_find(NULL),
     "no other name is found");
  ok(op2_backend_unavailable("nosuch") && strstr(op2_backend_unavailable("nosuch"), "no backend"),
     "an unknown name is answered");
  ok(op2_backend_unavailable(NULL) != NULL, "and a null one");
}

static void test_built(void) {
  ok(!op2_backend_unavailable("sequential"), "sequential is always usable");
  ok(!op2_backend_unavailable("check"), "check is always usable");
  ok((op2_backend_unavailable("openmp") == NULL) == OP2_HAVE_OPENMP,
     "openmp is usable when it is built");
  if (!OP2_HAVE_STARPU)
    ok(op2_backend_unavailable("starpu") != NULL, "starpu is not usable when it is not built");
  void *state = &state;
  if (!op2_backend_unavailable("cuda")) {
    skip("cuda is available here");
    return;
  }
  ok(op2i_backend_cuda.open(NULL, &state) == OP2_ERR_UNAVAILABLE && state == &state,
     "one that is not available does not open");
  ok(strstr(op2_error_message(), "cuda") != NULL, "and is named: %s", op2_error_message());
}

static void test_default(void) {
  const char *best = !op2_backend_unavailable("starpu")   ? "starpu"
                     : !op2_backend_unavailable("openmp") ? "openmp"
                                                          : "sequential";
  const struct op2i_backend *passed_over = NULL;
  is_str(op2i_backend_default(1, &passed_over)->name, best,
         "the default is the first usable of starpu, openmp, sequential");
  ok(!passed_over, "and then none is passed over");
  const char *most = !op2_backend_unavailable("openmp") ? "openmp" : best;
  is_str(op2i_backend_default(1 << 20, &passed_over)->name, most,
         "for more workers than StarPU was built for it is openmp");
  if (!op2_backend_unavailable("starpu") && !op2_backend_unavailable("openmp")) {
    ok(passed_over == &op2i_backend_starpu, "starpu is passed over");
    int fit = op2i_backend_starpu.most_workers();
    is_str(op2i_backend_default(fit, &passed_over)->name, "starpu", "not for %d", fit);
    is_str(op2i_backend_default(fit + 1, &passed_over)->name, "openmp", "but for %d", fit + 1);
  } else {
    skip("what StarPU's lack of workers leads to: starpu or openmp is not built");
  }
}

/* ---- the machine ----------------------------------------------------------------------------- */

static void *ask(void *answer) {
  *(const struct op2i_machine **)answer = op2i_machine();
  return NULL;
}

/* The description that a new process gets after `prepare` has changed its environment or its CPUs.
 * Must be called before this process has examined the machine itself, as the child would inherit
 * its result. */
static bool machine_in_child(void (*prepare)(void), struct op2i_machine *machine) {
  int ends[2], code = -1;
  if (pipe(ends)) return false;
  pid_t child = fork();
  if (child == 0) {
    prepare();
    *machine = *op2i_machine();
    _exit(write(ends[1], machine, sizeof *machine) != (ssize_t)sizeof *machine);
  }
  close(ends[1]);
  bool good = child > 0 && read(ends[0], machine, sizeof *machine) == (ssize_t)sizeof *machine;
  close(ends[0]);
  if (child > 0) waitpid(child, &code, 0);
  return good && code == 0;
}

static void pretend(void) {
  setenv("HWLOC_SYNTHETIC", "pack:2 l3:1(size=8388608) l2:2(size=1048576) core:2 pu:2", 1);
}

static void use_one_cpu(void) {
  cpu_set_t old, set;
  unsetenv("HWLOC_SYNTHETIC");
  sched_getaffinity(0, sizeof old, &old);
  CPU_ZERO(&set);
  for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && !CPU_COUNT(&set); cpu--)
    if (CPU_ISSET(cpu, &old)) CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

static bool is_cache(int64_t bytes) { return bytes == 0 || bytes >= 16 << 10; }

static void test_machine(void) {
  struct op2i_machine other;
  if (OP2_HAVE_HWLOC && ok(machine_in_child(pretend, &other), "a process on another machine")) {
    is_int(other.cores, 8, "2 packages of 2 caches of 2 cores, hardware threads not counted");
    is_int(other.l2_bytes, 524288, "second-level cache: half of one that two cores share");
    is_int(other.l3_bytes, 8388608, "third-level cache");
  }
  if (!OP2_HAVE_HWLOC) skip("another machine: built without hwloc");
  if (ok(machine_in_child(use_one_cpu, &other), "a process bound to one CPU"))
    is_int(other.cores, 1, "has one core");
  enum { THREADS = 8 };
  pthread_t threads[THREADS];
  const struct op2i_machine *answers[THREADS] = {NULL};
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, ask, &answers[i]);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  bool same = true;
  for (int i = 0; i < THREADS; i++)
    same &= answers[i] == answers[0] && answers[i]->cores == answers[0]->cores;
  ok(same, "many threads get one answer");
  const struct op2i_machine *machine = op2i_machine();
  ok(machine->cores >= 1 && machine->cores <= sysconf(_SC_NPROCESSORS_CONF),
     "between one core and all CPUs: %d", machine->cores);
  ok(is_cache(machine->l2_bytes) && is_cache(machine->l3_bytes),
     "caches of some size, or not known: %lld and %lld bytes", (long long)machine->l2_bytes,
     (long long)machine->l3_bytes);
}

/* The caches hold so much of an array: a core counts on at most 8 MiB of the last level. */
static void test_cached(void) {
  const int64_t mib = 1 << 20;
  struct op2i_machine machine = {.cores = 2, .l2_bytes = 2 * mib, .l3_bytes = 260 * mib};
  is_int(op2i_machine_cached(&machine) / mib, 20, "two cores of a large machine");
  machine.l3_bytes = 6 * mib;
  is_int(op2i_machine_cached(&machine) / mib, 10, "with a last level of their own");
  machine.l3_bytes = 0;
  is_int(op2i_machine_cached(&machine) / mib, 4, "without one");
  machine.l2_bytes = 0;
  is_int(op2i_machine_cached(&machine), 0, "nothing is known");
}

/* The sizes of caches are reported as they were found, not as something assumed. */
static void test_explained(void) {
  struct op2i_machine *machine = (struct op2i_machine *)op2i_machine();
  const struct op2i_machine kept = *machine;
  const op2_options options = {.backend = "sequential"};
  op2_context ctx = NULL;
  char text[4096] = {0};
  FILE *file = tmpfile();
  machine->l2_bytes = 640 << 10;
  machine->l3_bytes = 0;
  if (ok(file && op2_init(&options, &ctx) == OP2_SUCCESS && op2_explain(ctx, file) == OP2_SUCCESS,
         "the machine is explained")) {
    rewind(file);
    const size_t n = fread(text, 1, sizeof text - 1, file);
    ok(n > 0 && strstr(text, ", L2 cache of each: 640 KiB, L3 cache: not known\n"),
       "a cache that is known, and one that is not");
  }
  if (file) fclose(file);
  *machine = kept;
  if (ctx) ok(op2_finalize(&ctx) == OP2_SUCCESS, "the context ends");
}

int main(void) {
  test_names();
  test_built();
  test_default();
  test_machine();
  test_cached();
  test_explained();
  return done();
}
