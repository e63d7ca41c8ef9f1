/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine as hwloc describes it. No other file includes hwloc's headers. */
#include "config.h"

#include "affinity.h"
#include "machine.h"
#include "process.h"

#if OP2_HAVE_HWLOC
#include <hwloc.h>

/* Adds the CPUs that an OpenMP runtime has taken from this thread, but not from the process. */
static void add_places(hwloc_bitmap_t allowed) {
  int numbers[OP2I_CPU_NUMBERS];
  bool narrow;
  int n = op2i_process_cpus(numbers, &narrow);
  for (int i = 0; i < n && narrow; i++) hwloc_bitmap_set(allowed, (unsigned)numbers[i]);
}

/* The CPUs that are online, in the process's cpuset (hwloc leaves others out of the topology), and
 * to which the process is bound. */
static hwloc_bitmap_t allowed_cpus(hwloc_topology_t topology) {
  hwloc_const_bitmap_t all = hwloc_topology_get_allowed_cpuset(topology);
  hwloc_bitmap_t allowed = hwloc_bitmap_dup(all);
  if (!allowed || !hwloc_topology_is_thissystem(topology)) return allowed;
  if (hwloc_get_cpubind(topology, allowed, HWLOC_CPUBIND_PROCESS) < 0 ||
      hwloc_bitmap_iszero(allowed))
    hwloc_bitmap_copy(allowed, all);
  add_places(allowed);
  hwloc_bitmap_and(allowed, allowed, all);
  return allowed;
}

/* A core counts once, however many hardware threads it has; its worker uses the first usable
 * one. */
static void find_cores(hwloc_topology_t topology, hwloc_const_bitmap_t allowed,
                       struct op2i_machine *machine) {
  hwloc_obj_t unit = NULL, last_core = NULL;
  while ((unit = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, unit))) {
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, unit);
    if (!hwloc_bitmap_intersects(unit->cpuset, allowed) || (core && core == last_core)) continue;
    last_core = core;
    machine->cores++;
    if (machine->ncpus == OP2I_CPUS_MAX) continue;
    machine->system[machine->ncpus] = (int)unit->os_index;
    machine->cpus[machine->ncpus++] = (int)unit->logical_index;
  }
}

/* Several nodes may be local to the same cores, as memory of two kinds is: the first one counts. */
static int node_of(hwloc_topology_t topology, int unit) {
  hwloc_obj_t node = NULL;
  while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)))
    if (hwloc_bitmap_isset(node->cpuset, (unsigned)unit)) return (int)node->logical_index;
  return 0;
}

static void find_nodes(hwloc_topology_t topology, struct op2i_machine *machine) {
  machine->nodes = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
  for (int c = 0; c < machine->ncpus; c++) machine->node[c] = node_of(topology, machine->system[c]);
}

/* Bytes of a cache above the first usable core; with `each`, divided by the cores that share it. */
static int64_t cache_bytes(hwloc_topology_t topology, hwloc_const_bitmap_t allowed,
                           hwloc_obj_type_t type, bool each) {
  hwloc_obj_t cache = NULL;
  while ((cache = hwloc_get_next_obj_by_type(topology, type, cache)))
    if (hwloc_bitmap_intersects(cache->cpuset, allowed)) break;
  if (!cache) return 0;
  int sharers = hwloc_get_nbobjs_inside_cpuset_by_type(topology, cache->cpuset, HWLOC_OBJ_CORE);
  return (int64_t)cache->attr->cache.size / (each && sharers > 1 ? sharers : 1);
}

/* fork() waits meanwhile: hwloc's lock would stay taken in the child. */
static bool load(hwloc_topology_t *topology) {
  op2i_process_library_begin();
  const bool works = !hwloc_topology_init(topology) && !hwloc_topology_load(*topology);
  op2i_process_library_end();
  return works;
}

bool op2i_machine_hwloc(struct op2i_machine *machine) {
  /* The topology is never destroyed: with its last topology hwloc unloads its plug-ins, some twenty
   * libraries, and StarPU would have to load them again. */
  static hwloc_topology_t topology;
  hwloc_bitmap_t allowed = NULL;
  const bool works = load(&topology) && (allowed = allowed_cpus(topology));
  if (works) {
    find_cores(topology, allowed, machine);
    find_nodes(topology, machine);
    machine->l2_bytes = cache_bytes(topology, allowed, HWLOC_OBJ_L2CACHE, true);
    machine->l3_bytes = cache_bytes(topology, allowed, HWLOC_OBJ_L3CACHE, false);
  }
  hwloc_bitmap_free(allowed);
  return works;
}

#else

bool op2i_machine_hwloc(struct op2i_machine *machine) {
  (void)machine;
  return false;
}

#endif
