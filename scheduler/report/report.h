/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_REPORT_H
#define OP2I_REPORT_H

/* The queue as a drawing, and parts of the explanation. */

#include <stdio.h>

#include "op2/types.h"

struct op2i_program;
struct op2i_sched;

/* Draw the queue into the configured file, if any. */
void op2i_dot_dump(struct op2i_sched *sched);

/* Write the table of times as OP2_REPORT says, when a context ends; a failure is a warning. */
void op2i_report_end(op2_context ctx);

/* Print the communication between ranks, and the halo exchanges of a program. Nothing is printed if
 * there is only one rank. */
void op2i_comm_explain(op2_context ctx, FILE *stream);
void op2i_exchanges_explain(const struct op2i_program *program, FILE *stream);
void op2i_convoys_explain(const struct op2i_program *program, FILE *stream);

#endif
