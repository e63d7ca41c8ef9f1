/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MACHINE_H
#define OP2I_MACHINE_H

#include <stdbool.h>

#include "backend.h"

/* Fill in what hwloc knows and leave the rest at 0; false when hwloc is not built in or does not
 * work here. Honours hwloc's own variables: HWLOC_SYNTHETIC and HWLOC_XMLFILE put another
 * machine in place of this one. */
bool op2i_machine_hwloc(struct op2i_machine *machine);

#endif
