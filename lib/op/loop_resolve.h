/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LOOP_RESOLVE_H
#define OP2I_LOOP_RESOLVE_H

#include "loop.h"

/* Work out what follows from the arguments of a new loop, which are valid. */
op2_status op2i_loop_resolve(struct op2i_loop *loop, const op2_arg *args);
/* Derive again what depends on sets and maps, after these have changed. */
void op2i_loop_resolve_again(struct op2i_loop *loop);

#endif
