/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DEVICE_BESIDE_H
#define OP2I_DEVICE_BESIDE_H

#include "op2/status.h"
#include "op2/types.h"

/* A device beside workers of the host, where OP2_PLACE asks for one: of the kind that it names, or else
 * of the first that there is. The context has it from then on. */
op2_status op2i_device_beside(op2_context ctx);

#endif
