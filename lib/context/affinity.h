/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_AFFINITY_H
#define OP2I_AFFINITY_H

#include <stdbool.h>
#include <stdint.h>

/* Where the process may run, by the system's numbers of CPUs. */
enum { OP2I_CPU_NUMBERS = 1024 }; /* no CPU has a higher number, or nothing is known */

/* The CPUs that this process may run on, ascending: those of the calling thread, or, where an OpenMP
 * runtime has bound that thread to one of its places, those of all places. *narrow tells of the
 * latter. Returns how many there are; 0 when the system does not say, or has more than that. */
int op2i_process_cpus(int numbers[OP2I_CPU_NUMBERS], bool *narrow);
/* The same CPUs as bits of words, for comparisons; none where nothing is known. */
enum { OP2I_CPU_WORDS = OP2I_CPU_NUMBERS / 64 };
struct op2i_cpu_set {
  uint64_t words[OP2I_CPU_WORDS];
};
void op2i_process_cpu_set(struct op2i_cpu_set *set);
/* The CPUs on which the system would let this process run if it asked for all of them: those of the
 * machine, or of the part of it that a container or a batch system has given. */
void op2i_allowed_cpu_set(struct op2i_cpu_set *set);
/* Bind the calling thread to some of the CPUs that it may run on; it stays where it is when it may not
 * run on one of them. */
void op2i_bind(const int *numbers, int n);
/* The CPU that the calling thread is bound to; -1: it may run on several. */
int op2i_bound_cpu(void);

#endif
