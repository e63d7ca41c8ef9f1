/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DEVICE_ROWS_H
#define OP2I_DEVICE_ROWS_H

#include "device.h"

/* For the context's device; its functions are built when they are first needed. */
op2_status op2i_device_move_rows(op2_context ctx, const struct op2i_device_rows *rows);

#endif
