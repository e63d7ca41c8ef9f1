/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MACHINE_H
#define OP2I_MACHINE_H

/* The cores and caches on which the process runs. */

#include <stdbool.h>
#include <stdint.h>

enum { OP2I_CPUS_MAX = 1024 };
struct op2i_machine {
  int cores;   /* cores that this process may use */
  int present; /* processing units that the machine has */
  int ncpus;   /* entries of cpus and system: one per usable core, or 0 if not known */
  /* hwloc's logical number of one processing unit in each of these cores */
  int cpus[OP2I_CPUS_MAX];
  int system[OP2I_CPUS_MAX]; /* the system's number of the same processing unit */
  int nodes;                 /* NUMA nodes of these cores; 0: not known */
  int node[OP2I_CPUS_MAX];   /* the node of each of these cores, by hwloc's logical number */
  int64_t l2_bytes;          /* per core; 0: not known */
  int64_t l3_bytes;          /* of the last-level cache, which cores share; 0: none, or not known */
};
const struct op2i_machine *op2i_machine(void);
/* Return the number of bytes that the caches of this process's cores hold at most of one array; 0:
 * not known. Of a last-level cache that is shared with cores of others, or is said to be as large as
 * the whole machine's, a core counts on 8 MiB. */
int64_t op2i_machine_cached(const struct op2i_machine *machine);
/* Restrict this process to `cores` of its cores, from number `first` on. The calling thread is
 * bound to them, and so are threads that it creates. Contexts that have begun keep their
 * workers. */
void op2i_machine_narrow(int first, int cores);
/* Fill in what hwloc knows and leave the other fields at 0; false if hwloc is not built in or does
 * not work here. Honours hwloc's own variables: HWLOC_SYNTHETIC and HWLOC_XMLFILE replace this
 * machine by another one. */
bool op2i_machine_hwloc(struct op2i_machine *machine);

#endif
