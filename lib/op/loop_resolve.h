/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LOOP_RESOLVE_H
#define OP2I_LOOP_RESOLVE_H

#include "loop.h"

/* Resolving the arguments of a loop. */

/* Work out what follows from the arguments of a new loop, which are valid. */
op2_status op2i_loop_resolve(struct op2i_loop *loop, const op2_arg *args);
/* Derive again what depends on sets and maps, after these have changed. */
void op2i_loop_resolve_again(struct op2i_loop *loop);
/* True if two elements of a loop may meet in a dat that one of them modifies: the dat is modified,
 * and some argument reaches it through a map that is not known to keep elements apart. */
bool op2i_loop_contended(const struct op2i_loop *loop, int32_t dat);

#endif
