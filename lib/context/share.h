/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SHARE_H
#define OP2I_SHARE_H

#include "context.h"

/* Ranks of a node share out its cores. To be called once the context has its configuration, before
 * anybody asks for the machine on its behalf: from then on the process has the share's cores only, and
 * the calling thread is bound to them. `first`: no context of the process has workers yet. What was
 * decided, and why, is in ctx->share. */
void op2i_share_cores(op2_context ctx, bool first);

#endif
