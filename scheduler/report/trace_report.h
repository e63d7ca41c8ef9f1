/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TRACE_REPORT_H
#define OP2I_TRACE_REPORT_H

#include "op2/types.h"

/* Begin the timeline in the file that OP2_TRACE names, if any, and end it; a failure is a
 * warning. */
void op2i_trace_start(op2_context ctx);
void op2i_trace_stop(op2_context ctx);

#endif
