/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_NUMA_H
#define OP2I_NUMA_H

#include <stdbool.h>
#include <stddef.h>

#include "op2/status.h"

/* Where large data is kept on a machine whose memory is divided into NUMA nodes. The system puts a
 * page on the node of the CPU that first writes to it. Members of a team have equal shares of the
 * blocks of each loop, so each member's part of a dat is first written by a thread on the member's
 * node (doc/dev/numa.md). */

/* Memory below this is left to the thread that fills it. */
enum { OP2I_NUMA_BYTES = 4 << 20 };

/* The nodes of the members of a team. */
struct op2i_numa {
  int members;
  int node[]; /* [members], numbered from 0 */
};

/* Find the nodes of members that are bound to these CPUs, by the system's numbers. *numa becomes
 * null if nothing is to be placed: there is one node, or a member is not bound to a CPU. With
 * `forced` neither matters: a member that is not bound counts as bound to the core of its number. */
op2_status op2i_numa_find(int members, const int *cpus, bool forced, struct op2i_numa **numa);
/* The node of a CPU by the system's number; -1: not known. */
int op2i_numa_node(int cpu);

/* Give new memory of op2i_alloc_data() or op2i_alloc_raw() to the nodes of those who will use it: of
 * the first `shared` bytes each member has an equal share, and the last member has what follows. A
 * huge page belongs to the member that has its first byte. Does nothing without `numa` and for
 * little memory. The bytes may become zero. */
void op2i_numa_place(const struct op2i_numa *numa, void *data, size_t shared, size_t bytes);

/* Called, if it is not null, before a thread that is bound to a node writes to pages in a range of
 * memory: for tests. */
extern void (*op2i_numa_watch)(int node, char *lo, char *hi);

/* Members look for others' blocks on their own node first, and then elsewhere. True if the owner's
 * share is looked at in this pass, 0 or 1; without nodes there is one pass. */
static inline bool op2i_numa_in_pass(const int *nodes, int member, int owner, int pass) {
  return !nodes || (nodes[owner] == nodes[member]) == (pass == 0);
}

#endif
