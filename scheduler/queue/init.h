/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_INIT_H
#define OP2I_INIT_H

#include "comm.h"
#include "op2/context.h"

/* The same as op2_init() for one rank of several; a null communicator: for a process without other
 * ranks. The context owns the communicator, also on failure. Collective. */
op2_status op2i_init_ranks(const op2_options *options, struct op2i_comm *comm, op2_context *ctx);

#endif
