/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_COMPILE_H
#define OP2I_COMPILE_H

#include "passes.h"

/* Compilation of the loops of a segment. */

/* Note that the loop's code is needed, unless it is there or was found not to compile. */
op2_status op2i_compile_add(struct op2i_compile *compile, struct op2i_loop *loop);
/* Compile or load everything that was noted. The reason for a loop's failure is kept in its no_code
 * or, if code is optional, with its unit. */
op2_status op2i_compile_run(struct op2i_compile *compile);
void op2i_compile_end(struct op2i_compile *compile);
/* Let the host run the loop from now on, for the reason `why`, a string literal, which is logged
 * once together with the last error. On success its code for the host is there. Not collective. */
op2_status op2i_compile_off_device(struct op2i_sched *sched, struct op2i_loop *loop,
                                   const char *why);
/* Why the loop had no code when that was last tried; null: it was not tried, or it has code. */
const char *op2i_no_code(const struct op2i_loop *loop);
/* True if it is useless to try again: the loop had no code in this force, or in two of them. */
bool op2i_code_refused(const struct op2i_loop *loop);

#endif
