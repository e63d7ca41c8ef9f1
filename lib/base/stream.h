/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_STREAM_H
#define OP2I_STREAM_H

#include <stdio.h>

#include "op2/status.h"

/* What `call` wrote has left the process, or OP2_ERR_IO says why not: a buffered stream knows of a
 * full device only when it is flushed. */
op2_status op2i_stream_written(FILE *stream, const char *call);

#endif
