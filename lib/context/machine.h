/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MACHINE_H
#define OP2I_MACHINE_H

/* What there is to run on. */

#include <stdbool.h>
#include <stdint.h>

enum { OP2I_CPUS_MAX = 1024 };
struct op2i_machine {
  int cores;                 /* this process may use */
  int present;               /* processing units that the machine has */
  int ncpus;                 /* places for workers, 0 when not known */
  int cpus[OP2I_CPUS_MAX];   /* hwloc's logical number of one processing unit in each of those cores
                            */
  int system[OP2I_CPUS_MAX]; /* its number to the system */
  int64_t l2_bytes;          /* per core */
  int64_t l3_bytes;          /* shared */
};
const struct op2i_machine *op2i_machine(void);
/* Of its cores this process has only so many from now on, and so has the calling thread, with what it
 * starts. Contexts that have begun keep their workers. */
void op2i_machine_narrow(int first, int cores);
/* Fill in what hwloc knows and leave the rest at 0; false when hwloc is not built in or does not
 * work here. Honours hwloc's own variables: HWLOC_SYNTHETIC and HWLOC_XMLFILE put another
 * machine in place of this one. */
bool op2i_machine_hwloc(struct op2i_machine *machine);

#endif
