/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PLANCACHE_H
#define OP2I_PLANCACHE_H

#include "loopdata.h"

/* Plans, which loops over the same elements share. */

struct op2i_plan_cache *op2i_plan_cache_create(void); /* null: out of memory */
void op2i_plan_cache_unref(struct op2i_plan_cache *cache);
void op2i_shared_plan_unref(struct op2i_shared_plan *shared);
/* Find or make the plan of a loop over one of its ranges, with these parts (op2i_plan_parts). */
op2_status op2i_plan_get(struct op2i_sched *sched, const struct op2i_loop *loop, int range,
                         unsigned parts, struct op2i_shared_plan **shared);
/* The same with blocks of `block_size` elements; 0: the context chooses the size. */
op2_status op2i_plan_get_sized(struct op2i_sched *sched, const struct op2i_loop *loop, int range,
                               unsigned parts, int32_t block_size,
                               struct op2i_shared_plan **shared);

#endif
