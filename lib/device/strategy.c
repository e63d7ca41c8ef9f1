/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the strategies by which devices add increments. */
#include "strategy.h"

#include <string.h>

#include "error.h"

static const char *const names[OP2I_DEVICE_STRATEGIES] = {
    [OP2I_DEVICE_ONCE] = "",         [OP2I_DEVICE_REPEAT] = "repeat",
    [OP2I_DEVICE_OWNER] = "owner",   [OP2I_DEVICE_GATHER] = "gather",
    [OP2I_DEVICE_STAGED] = "staged", [OP2I_DEVICE_UNSTAGED] = "unstaged",
    [OP2I_DEVICE_SERIAL] = "serial", [OP2I_DEVICE_ATOMICS] = "atomics",
};

const char *op2i_strategy_name(enum op2i_device_strategy strategy) { return names[strategy]; }

op2_status op2i_strategy_parse(const char *name, const char *by,
                               enum op2i_device_strategy *strategy) {
  *strategy = OP2I_DEVICE_ONCE;
  if (!name) return OP2_SUCCESS;
  for (int s = OP2I_DEVICE_REPEAT; s < OP2I_DEVICE_STRATEGIES; s++)
    if (!strcmp(name, names[s])) {
      *strategy = (enum op2i_device_strategy)s;
      return OP2_SUCCESS;
    }
  return op2i_error(OP2_ERR_OPTION,
                    "%s: there is no strategy '%s': choose from repeat, owner, gather, staged, "
                    "unstaged, serial, atomics",
                    by, name);
}
