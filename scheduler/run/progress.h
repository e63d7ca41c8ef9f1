/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PROGRESS_H
#define OP2I_PROGRESS_H

#include "op2/types.h"

/* The progress of a time loop on the terminal, which OP2_PROGRESS asks for. */

/* Show how far it is, at most four times a second. Called whenever operations have run. */
void op2i_progress_show(op2_context ctx);
/* Clear the line, and write how long it took. */
void op2i_progress_end(op2_context ctx);

#endif
