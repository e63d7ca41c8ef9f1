/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DEVICE_ROWS_H
#define OP2I_DEVICE_ROWS_H

#include "device.h"

/* Pack or unpack rows on the context's device; the functions are built at their first use. */
op2_status op2i_device_move_rows(op2_context ctx, const struct op2i_device_rows *rows);

#endif
