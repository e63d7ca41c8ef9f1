/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DEVICE_UNIT_H
#define OP2I_DEVICE_UNIT_H

/* Code of loops on the context's device. */

#include "device.h"
#include "jit.h"

/* What was built of one loop's text, and the functions of it that have been asked for. */
struct op2i_device_unit;

/* The function of a name, loaded when it is first asked for. */
op2_status op2i_device_unit_code(struct op2i_device *device, struct op2i_device_unit *unit,
                                 const char *entry, struct op2i_device_code **code);
/* Build what of these is for the device: each gets a unit with one use of it, or a status and a message. Fails only for
 * lack of memory, and if the device is lost. */
op2_status op2i_device_units(op2_context ctx, int n, struct op2i_jit_code *codes);
/* Give up what has been without uses for longest, where there are many such units. Fails only if the
 * device does, which has to have done what it was asked for before. */
op2_status op2i_device_units_trim(op2_context ctx);
void op2i_device_units_close(op2_context ctx);

#endif
