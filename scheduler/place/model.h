/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MODEL_H
#define OP2I_MODEL_H

/* Places by what loops and copies take. */

#include "place.h"

/* Where a loop runs. */
enum op2i_where { OP2I_ON_HOST, OP2I_ON_DEVICE, OP2I_ON_BOTH, OP2I_WHERES };

/* What a copy between the host and the device takes. */
struct op2i_copy_cost {
  double copy_ns, byte_ns;
};
/* As OP2_PLACE_COSTS says, or as measured when it is first asked for. */
void op2i_copy_cost(struct op2i_sched *sched, struct op2i_copy_cost *cost);
/* Nanoseconds that an element takes on the device, or on one of the host's processors; -1: not known. */
double op2i_loop_cost(const struct op2i_loop *loop, bool device);
/* Improve the choice, op2i_where of each of the steps, for those that are free; those that share a loop share
 * its place, and those that are on both places share *split, which is left alone if the choice is as it was.
 * Costs of those are known. False without memory: the choice stays. */
bool op2i_model_choose(struct op2i_sched *sched, const struct op2i_step *steps, int64_t n,
                       const bool *free, unsigned char *where, struct op2i_split *split);
/* Bytes of dats that steps bring where they have to be, when they run again as they did the last time. */
struct op2i_model_copies {
  size_t to_host, to_device;
};
bool op2i_model_copies(struct op2i_sched *sched, const struct op2i_step *steps, int64_t n,
                       struct op2i_model_copies *copies);

#endif
