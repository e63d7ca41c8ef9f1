/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_STRATEGY_H
#define OP2I_STRATEGY_H

#include "op2/status.h"

/* Strategies by which a device adds the increments of elements that share a target. */
enum op2i_device_strategy {
  /* no two elements share a target, a work item per element; as a requested strategy: none */
  OP2I_DEVICE_ONCE,
  /* A work item per target recomputes all its elements and adds their increments in the order of
   * the host's blocks. */
  OP2I_DEVICE_REPEAT,
  /* Blocks of targets: a group computes the elements that reach its block once, and adds in that
   * order; elements that reach several blocks are computed in each. */
  OP2I_DEVICE_OWNER,
  /* The increments of elements are stored, and a work item per target adds them in that order. */
  OP2I_DEVICE_GATHER,
  /* Blocks of one colour run together, in shared memory, their elements colour by colour. */
  OP2I_DEVICE_STAGED,
  OP2I_DEVICE_UNSTAGED, /* as STAGED, but in the device's global memory */
  /* A work item for each of the host's blocks, which runs its elements one after the other: for devices
   * that are the host's processors. */
  OP2I_DEVICE_SERIAL,
  /* a work item per element, which adds at once: the bits differ from run to run */
  OP2I_DEVICE_ATOMICS,
  OP2I_DEVICE_STRATEGIES
};

/* The name, "repeat", "gather" and so on; "" for ONCE. */
const char *op2i_strategy_name(enum op2i_device_strategy strategy);
/* The strategy of that name, ONCE for null. `by` names the option or variable in the message of
 * OP2_ERR_OPTION, which lists the valid names. */
op2_status op2i_strategy_parse(const char *name, const char *by,
                               enum op2i_device_strategy *strategy);

#endif
