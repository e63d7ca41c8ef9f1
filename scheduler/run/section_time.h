/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SECTION_TIME_H
#define OP2I_SECTION_TIME_H

#include "passes.h"
#include "step.h"

/* Count a step of the program, which is a loop and has run, for its operations and in the sections in
 * which these were queued. */
void op2i_nodes_account(const struct op2i_program *program, int64_t s,
                        struct op2i_node *const *nodes, double worker_seconds);

#endif
