/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DEVICE_UNIT_H
#define OP2I_DEVICE_UNIT_H

/* Code of loops on the context's device. */

#include "device.h"
#include "jit.h"

/* The binary of one loop's text, and those of its functions that have been requested. */
struct op2i_device_unit;

/* Return the function of a name, which is loaded at its first use. */
op2_status op2i_device_unit_code(struct op2i_device *device, struct op2i_device_unit *unit,
                                 const char *entry, struct op2i_device_code **code);
/* Build the codes that are for the device: each gets a unit with one use of it, or a status and a
 * message. Fails only for lack of memory, and if the device is lost. */
op2_status op2i_device_units(op2_context ctx, int n, struct op2i_jit_code *codes);
/* If there are many idle units, free those that were idle for longest. Fails only if the device
 * does: it has to finish its earlier launches before. */
op2_status op2i_device_units_trim(op2_context ctx);
void op2i_device_units_close(op2_context ctx);

#endif
