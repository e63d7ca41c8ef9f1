/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_AFFINITY_H
#define OP2I_AFFINITY_H

#include <stdbool.h>
#include <stdint.h>

/* The CPUs on which the process may run, by the numbers that the system gives them. */
/* numbers of CPUs are below this; with higher ones nothing is known */
enum { OP2I_CPU_NUMBERS = 1024 };

/* The CPUs that this process may run on, ascending: those of the calling thread or, if an OpenMP
 * runtime has bound that thread to one of its places, those of all places; *narrow is true in the
 * latter case. Returns their number; 0 if the system does not report them or has more than that. */
int op2i_process_cpus(int numbers[OP2I_CPU_NUMBERS], bool *narrow);
/* The same CPUs as a bit set, for comparisons; empty if they are not known. */
enum { OP2I_CPU_WORDS = OP2I_CPU_NUMBERS / 64 };
struct op2i_cpu_set {
  uint64_t words[OP2I_CPU_WORDS];
};
void op2i_process_cpu_set(struct op2i_cpu_set *set);
/* The CPUs on which the system would let this process run if it asked for all of them: those of the
 * machine, or of the part of it that a container or a batch system has given. */
void op2i_allowed_cpu_set(struct op2i_cpu_set *set);
/* Bind the calling thread to some of the CPUs that it may run on. If it may not run on one of them,
 * its binding stays as it is. */
void op2i_bind(const int *numbers, int n);
/* The CPU that the calling thread is bound to; -1: it may run on several. */
int op2i_bound_cpu(void);

#endif
