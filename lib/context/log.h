/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LOG_H
#define OP2I_LOG_H

/* Log lines to stderr. */

#include "op2/types.h"

enum { OP2I_LOG_ERROR = 1, OP2I_LOG_WARN, OP2I_LOG_INFO, OP2I_LOG_DEBUG };

/* One line to stderr, when level is within the context's (with ctx null: within warnings). */
void op2i_log(op2_context ctx, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
