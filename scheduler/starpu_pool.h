/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_STARPU_POOL_H
#define OP2I_STARPU_POOL_H

#include "op2/status.h"
#include "op2/types.h"

/* StarPU itself: one per process, shared and counted. Its idle workers spin, so a watcher thread
 * pauses them when nothing has been busy for a while, and the next program wakes them. */

/* Start StarPU, or join it. The first user's number of threads counts; *workers is what there is.
 */
op2_status op2i_starpu_acquire(op2_context ctx, int threads, int *workers);
void op2i_starpu_release(void);
/* Around the running of a program. Programs of several contexts may be busy at once. */
void op2i_starpu_busy(void);
void op2i_starpu_idle(int idle_ms);

#endif
