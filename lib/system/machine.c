/* SPDX-License-Identifier: BSD-3-Clause */
/* Cores and caches of the machine, found once per process. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "affinity.h"
#include "env.h"
#include "machine.h"

static pthread_once_t found = PTHREAD_ONCE_INIT;
static struct op2i_machine here;

static int usable_cores(void) {
  int numbers[OP2I_CPU_NUMBERS];
  bool narrow;
  int n = op2i_process_cpus(numbers, &narrow);
  if (n > 0) return n;
  /* The machine has more CPUs than there are numbers for. */
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (int)online : 1;
}

/* Size in bytes of a cache of the first CPU as the kernel reports it ("2048K"); 0 if it does
 * not. */
static int64_t cache_from_sysfs(int level) {
  for (int i = 0; i < 8; i++) {
    char path[96], suffix = 0;
    int found_level = 0;
    long long size = 0;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/level", i);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    if (fscanf(file, "%d", &found_level) != 1) found_level = 0;
    fclose(file);
    if (found_level != level) continue;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
    file = fopen(path, "r");
    if (!file) return 0;
    int got = fscanf(file, "%lld%c", &size, &suffix);
    fclose(file);
    if (got < 1 || size < 0) return 0;
    return size * (suffix == 'K' ? 1024 : suffix == 'M' ? 1024 * 1024 : 1);
  }
  return 0;
}

/* The size where hwloc does not know it; 0 if nothing reports it. */
static int64_t cache_bytes(int level) {
  long size = 0;
#ifdef _SC_LEVEL2_CACHE_SIZE
  size = sysconf(level == 2 ? _SC_LEVEL2_CACHE_SIZE : _SC_LEVEL3_CACHE_SIZE);
#endif
  return size > 0 ? size : cache_from_sysfs(level);
}

static int count_nodes(void) {
  int nodes = 0;
  for (int c = 0; c < here.ncpus; c++) {
    int same = 0;
    while (same < c && here.node[same] != here.node[c]) same++;
    nodes += same == c;
  }
  return nodes;
}

static void describe_machine(void) {
  /* hwloc takes plug-ins, and descriptions of whole machines, from the environment. */
  if (op2i_env_ignored() || !op2i_machine_hwloc(&here)) here = (struct op2i_machine){0};
  if (here.cores < 1) here.cores = usable_cores();
  if (here.nodes) here.nodes = count_nodes();
  long present = sysconf(_SC_NPROCESSORS_CONF);
  here.present = present > here.cores ? (int)present : here.cores;
  if (here.l2_bytes < 1) here.l2_bytes = cache_bytes(2);
  if (here.l3_bytes < 1) here.l3_bytes = cache_bytes(3);
}

const struct op2i_machine *op2i_machine(void) {
  pthread_once(&found, describe_machine);
  return &here;
}

int64_t op2i_machine_cached(const struct op2i_machine *machine) {
  const int64_t most = (int64_t)machine->cores * 8 * 1024 * 1024;
  return machine->l2_bytes * machine->cores + (machine->l3_bytes < most ? machine->l3_bytes : most);
}

void op2i_machine_narrow(int first, int cores) {
  int numbers[OP2I_CPU_NUMBERS];
  bool narrow;
  int n = op2i_process_cpus(numbers, &narrow);
  pthread_once(&found, describe_machine);
  if (here.ncpus >= first + cores) {
    memmove(here.cpus, here.cpus + first, (size_t)cores * sizeof *here.cpus);
    memmove(here.system, here.system + first, (size_t)cores * sizeof *here.system);
    memmove(here.node, here.node + first, (size_t)cores * sizeof *here.node);
    op2i_bind(here.system, cores);
  } else if (!here.ncpus && n >= first + cores) {
    op2i_bind(numbers + first, cores);
  }
  if (here.ncpus) here.ncpus = cores;
  here.cores = cores;
  if (here.nodes) here.nodes = count_nodes();
}
