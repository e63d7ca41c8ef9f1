/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DEVICE_BESIDE_H
#define OP2I_DEVICE_BESIDE_H

/* The context's device. */

#include "op2/status.h"
#include "op2/types.h"

struct op2i_device_kind;

/* Open a device of this kind, chosen by OP2_DEVICE and the rank's number on its node. It belongs
 * to the context from then on. */
op2_status op2i_device_have(op2_context ctx, const struct op2i_device_kind *kind);
/* Open a device beside the host's workers if OP2_PLACE asks for one: of the kind that it names, or
 * else of the first available kind. It belongs to the context from then on. */
op2_status op2i_device_beside(op2_context ctx);

#endif
