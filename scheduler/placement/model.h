/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MODEL_H
#define OP2I_MODEL_H

/* The choice of places by estimated times of loops and copies. */

#include "place.h"

enum op2i_where { OP2I_ON_HOST, OP2I_ON_DEVICE, OP2I_ON_BOTH, OP2I_WHERES };

/* Estimated nanoseconds of a copy between the host and the device: a constant, and a
 * part for each byte. */
struct op2i_copy_cost {
  double copy_ns, byte_ns;
};
/* The costs that OP2_PLACE_COSTS gives; where it gives none they are measured at the first call. */
void op2i_copy_cost(struct op2i_sched *sched, struct op2i_copy_cost *cost);
/* Nanoseconds an element on the device, or on one of the host's processors; -1: not known. */
double op2i_loop_cost(const struct op2i_loop *loop, bool device);
/* Improve the choice `where` (op2i_where, one for each step) for the free steps. Steps of the
 * same loop share a place, and those on both places share *split, which is written only if the
 * choice changes. The costs of free steps must be known. False if there is no memory; the
 * choice is then unchanged. */
bool op2i_model_choose(struct op2i_sched *sched, const struct op2i_step *steps, int64_t n,
                       const bool *free, unsigned char *where, struct op2i_split *split);
/* Bytes of dats that are copied when the steps run once more in the same places. */
struct op2i_model_copies {
  size_t to_host, to_device;
};
bool op2i_model_copies(struct op2i_sched *sched, const struct op2i_step *steps, int64_t n,
                       struct op2i_model_copies *copies);

#endif
