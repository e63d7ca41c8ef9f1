/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_STATELESS_H
#define OP2I_STATELESS_H

#include "backend.h"

/* For backends that have no state and run in the calling thread. */
const char *op2i_always_available(void);
op2_status op2i_open_nothing(op2_context ctx, void **state);
void op2i_close_nothing(void *state);
int op2i_one_worker(void *state);
int op2i_at_most_one(void);

#endif
