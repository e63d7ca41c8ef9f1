/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_WRAPPED_H
#define OP2I_WRAPPED_H

#include "mesh.h"

/* The error for memory that the user lends to a dat or global (`kind`), if it is null, misaligned, or
 * lent to another one already. */
op2_status op2i_wrapped_check(op2_context ctx, const char *kind, const char *name, const void *data,
                              size_t bytes, op2_type type);

#endif
