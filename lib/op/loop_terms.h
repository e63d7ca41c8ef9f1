/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LOOP_TERMS_H
#define OP2I_LOOP_TERMS_H

/* The call that adds up the terms of a global in deterministic mode (loop_sums.h). */

/* Add the exact sum of the rows values[0] of a dat, which is `data`, over all ranks to the global
 * values[1]. Collective; returns a status, as functions of calls do. */
int op2i_terms_run(void *data, void *const *values);

#endif
