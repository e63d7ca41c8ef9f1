/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PARALLEL_H
#define OP2I_PARALLEL_H

#include <stdint.h>

/* Less memory than this is not worth a thread. */
enum { OP2I_PARALLEL_BYTES = 1 << 20 };

/* Call work(arg, lo, hi) for ranges that make up [0, n), each of at least `least` elements (1 or
 * more; fewer only if n is smaller), concurrently, on threads made for this call and on the calling
 * one. Uses at most `threads` threads, at most 16, and at most as many as the caller may use CPUs.
 * Ranges whose thread cannot be made are done by the caller. Returns when all is done. */
void op2i_parallel(int threads, int64_t n, int64_t least,
                   void (*work)(void *arg, int64_t lo, int64_t hi), void *arg);

#endif
