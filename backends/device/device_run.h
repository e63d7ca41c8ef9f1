/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DEVICE_RUN_H
#define OP2I_DEVICE_RUN_H

#include "device.h"
#include "step.h"

/* Prepare the memory that the launches of a step on the device need besides its values. */
op2_status op2i_device_prepare(struct op2i_step *step);
/* Run a prepared step. */
op2_status op2i_device_run(struct op2i_device *device, struct op2i_step *step);

#endif
