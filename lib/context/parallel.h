/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PARALLEL_H
#define OP2I_PARALLEL_H

#include <stdint.h>

/* Less memory than this is not worth a thread. */
enum { OP2I_PARALLEL_BYTES = 1 << 20 };

/* Call work(arg, lo, hi) for ranges that make up [0, n), each of at least `least` (1 or more; less
 * only if n is) and all at the same time, on threads made for this call and on the calling one:
 * at most `threads`, 16, and the CPUs that the caller may run on. For a thread that cannot be made
 * the caller steps in. Returns when all is done. */
void op2i_parallel(int threads, int64_t n, int64_t least,
                   void (*work)(void *arg, int64_t lo, int64_t hi), void *arg);

#endif
