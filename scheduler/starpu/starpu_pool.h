/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_STARPU_POOL_H
#define OP2I_STARPU_POOL_H

#include "idle.h"
#include "op2/status.h"
#include "op2/types.h"
#include "team.h"

/* StarPU itself: one per process, shared by all contexts and counted. Workers without work
 * are parked (idle.h). */

/* Start StarPU, or count one more user. The first user's number of threads and OP2_IDLE_MS are
 * used; *workers is the number of workers that there are. */
op2_status op2i_starpu_acquire(op2_context ctx, int threads, int *workers);
void op2i_starpu_release(void);
/* The system's numbers of the processing units that workers are bound to, -1 for a worker
 * that is not bound. */
void op2i_starpu_processors(int workers, int *numbers);
/* The object where StarPU's workers park. Programs of several contexts may run at once. */
struct op2i_idle *op2i_starpu_idle(void);
/* The team of StarPU's workers, one on each of their processing units; and the share of the worker
 * on the processing unit of the calling thread, or the first share if there is none. */
struct op2i_team *op2i_starpu_team(void);
int op2i_starpu_share_here(void);
/* True if StarPU was shut down although it has users; their programs then run in the
 * calling thread. */
bool op2i_starpu_over(void);

#endif
