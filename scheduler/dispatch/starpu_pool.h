/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_STARPU_POOL_H
#define OP2I_STARPU_POOL_H

#include "op2/status.h"
#include "op2/types.h"
#include "rest.h"
#include "team.h"

/* StarPU itself: one per process, shared and counted. Workers without work sleep in a rest. */

/* Start StarPU, or join it. The first user's number of threads and OP2_IDLE_MS count; *workers is what there is.
 */
op2_status op2i_starpu_acquire(op2_context ctx, int threads, int *workers);
void op2i_starpu_release(void);
/* The system's numbers of the processing units that workers are bound to, -1 where one is not. */
void op2i_starpu_processors(int workers, int *numbers);
/* Of StarPU's workers. Programs of several contexts may run at once. */
struct op2i_rest *op2i_starpu_rest(void);
/* The team of its workers, one on each of their processing units, and the share of the one that the
 * calling thread is on; where there is none, the first. */
struct op2i_team *op2i_starpu_team(void);
int op2i_starpu_share_here(void);
/* Whether StarPU was shut down under its users, whose programs run in the calling thread then. */
bool op2i_starpu_over(void);

#endif
