/* SPDX-License-Identifier: BSD-3-Clause */
/* The CPUs on which the process may run, as opposed to those of the calling thread. With
 * OMP_PROC_BIND, OMP_PLACES or the like in the environment, an OpenMP runtime binds the thread that
 * starts the program (GNU's does so before main() begins). Workers, compilers and other threads
 * share the CPUs of the process, and the runtime still knows them: its places are made of the CPUs
 * that it was allowed when it was loaded, so they stay within what taskset, a batch system or
 * mpirun has granted. */
#define _GNU_SOURCE
#include "affinity.h"

#include <dlfcn.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "mem.h"
#include "process.h"

/* The functions of an OpenMP runtime that are used, by their names in OpenMP 4.5. Any runtime that
 * is loaded is asked, even if this library was built without OpenMP. */
struct runtime {
  int (*proc_bind)(void), (*num_places)(void), (*place_num)(void), (*place_num_procs)(int);
  void (*place_proc_ids)(int, int *);
};

static bool find_function(void *library, const char *name, void *function) {
  void *symbol = dlsym(library, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}

static bool find_runtime(void *library, struct runtime *runtime) {
  return find_function(library, "omp_get_proc_bind", &runtime->proc_bind) &&
         find_function(library, "omp_get_num_places", &runtime->num_places) &&
         find_function(library, "omp_get_place_num", &runtime->place_num) &&
         find_function(library, "omp_get_place_num_procs", &runtime->place_num_procs) &&
         find_function(library, "omp_get_place_proc_ids", &runtime->place_proc_ids);
}

static bool place_cpus(const struct runtime *runtime, int place, cpu_set_t *cpus) {
  int n = runtime->place_num_procs(place);
  int *ids = op2i_malloc((size_t)(n > 0 ? n : 1) * sizeof *ids);
  if (!ids) return false;
  runtime->place_proc_ids(place, ids);
  CPU_ZERO(cpus);
  for (int i = 0; i < n; i++)
    if (ids[i] >= 0 && ids[i] < CPU_SETSIZE) CPU_SET(ids[i], cpus);
  op2i_free(ids);
  return true;
}

/* True if this runtime has bound the calling thread to its present CPUs; `all` is then the union of
 * the runtime's places. If something else has bound the thread since, its CPUs differ from the
 * place on which the runtime believes it to be. */
static bool all_places(const struct runtime *runtime, const cpu_set_t *mine, cpu_set_t *all) {
  cpu_set_t place;
  int here, n;
  if (!runtime->proc_bind() || (n = runtime->num_places()) < 2) return false;
  here = runtime->place_num();
  if (here < 0 || here >= n || !place_cpus(runtime, here, &place) || !CPU_EQUAL(&place, mine))
    return false;
  CPU_ZERO(all);
  for (int p = 0; p < n; p++) {
    if (!place_cpus(runtime, p, &place)) return false;
    CPU_OR(all, all, &place);
  }
  return !CPU_EQUAL(all, mine);
}

/* A process may have loaded several runtimes, and each is asked separately. The query binds a
 * thread that the runtime has not met before, so the thread's own CPUs are restored afterwards. */
static bool bound_by_openmp(const cpu_set_t *mine, cpu_set_t *all) {
  static const char *const names[] = {"libgomp.so.1", "libomp.so.5", "libiomp5.so", NULL};
  bool found = false;
  for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++) {
    struct runtime runtime;
    void *library = names[i] ? op2i_process_load(names[i], RTLD_LAZY | RTLD_NOLOAD) : RTLD_DEFAULT;
    if (names[i] && !library) continue;
    found = find_runtime(library, &runtime) && all_places(&runtime, mine, all);
    if (names[i]) op2i_process_unload(library);
  }
  sched_setaffinity(0, sizeof *mine, mine);
  return found;
}

int op2i_process_cpus(int numbers[OP2I_CPU_NUMBERS], bool *narrow) {
  _Static_assert(CPU_SETSIZE <= OP2I_CPU_NUMBERS, "there is room for all of a set");
  cpu_set_t mine, all;
  int n = 0;
  *narrow = false;
  if (sched_getaffinity(0, sizeof mine, &mine)) return 0;
  *narrow = CPU_COUNT(&mine) < sysconf(_SC_NPROCESSORS_ONLN) && bound_by_openmp(&mine, &all);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, *narrow ? &all : &mine)) numbers[n++] = cpu;
  return n;
}

void op2i_process_cpu_set(struct op2i_cpu_set *set) {
  int numbers[OP2I_CPU_NUMBERS];
  bool narrow;
  const int n = op2i_process_cpus(numbers, &narrow);
  memset(set, 0, sizeof *set);
  for (int i = 0; i < n; i++) set->words[numbers[i] / 64] |= UINT64_C(1) << (numbers[i] % 64);
}

/* The system reduces the CPUs that a thread requests to those that it may have. */
void op2i_allowed_cpu_set(struct op2i_cpu_set *set) {
  cpu_set_t mine, all;
  memset(set, 0, sizeof *set);
  if (sched_getaffinity(0, sizeof mine, &mine)) return;
  memset(&all, 0xff, sizeof all);
  if (sched_setaffinity(0, sizeof all, &all) || sched_getaffinity(0, sizeof all, &all)) all = mine;
  (void)sched_setaffinity(0, sizeof mine, &mine);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &all)) set->words[cpu / 64] |= UINT64_C(1) << (cpu % 64);
}

void op2i_bind(const int *numbers, int n) {
  cpu_set_t mine, wanted;
  CPU_ZERO(&wanted);
  if (sched_getaffinity(0, sizeof mine, &mine)) return;
  for (int i = 0; i < n; i++) {
    if (numbers[i] >= CPU_SETSIZE || !CPU_ISSET(numbers[i], &mine)) return;
    CPU_SET(numbers[i], &wanted);
  }
  sched_setaffinity(0, sizeof wanted, &wanted);
}

int op2i_bound_cpu(void) {
  cpu_set_t cpus;
  int cpu = 0;
  if (sched_getaffinity(0, sizeof cpus, &cpus) || CPU_COUNT(&cpus) != 1) return -1;
  while (!CPU_ISSET(cpu, &cpus)) cpu++;
  return cpu;
}
