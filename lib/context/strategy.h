/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_STRATEGY_H
#define OP2I_STRATEGY_H

#include "op2/status.h"

/* How the increments of elements that meet get into memory on a device. */
enum op2i_device_strategy {
  OP2I_DEVICE_ONCE,   /* nobody meets: a work item for each element. Of a wish: there is none */
  OP2I_DEVICE_REPEAT, /* a work item for each target, which computes its elements anew and adds what
                           they have for it, in the order in which the host's blocks would */
  OP2I_DEVICE_GATHER, /* what elements have is kept, and a work item for each target adds it in that
                           order */
  OP2I_DEVICE_STAGED, /* blocks of a colour together, in shared memory, their elements colour by
                           colour */
  OP2I_DEVICE_UNSTAGED, /* the same in the device's memory */
  OP2I_DEVICE_ATOMICS,  /* an item for each element, which adds at once: other bits in each run */
  OP2I_DEVICE_STRATEGIES
};

/* "repeat", "gather", ...; of ONCE "". */
const char *op2i_strategy_name(enum op2i_device_strategy strategy);
/* The strategy of a name, ONCE for a null one. `by` is who asks, for the message of OP2_ERR_OPTION, which
 * has the names that there are. */
op2_status op2i_strategy_parse(const char *name, const char *by,
                               enum op2i_device_strategy *strategy);

#endif
