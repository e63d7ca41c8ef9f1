/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_STREAM_H
#define OP2I_STREAM_H

#include <stdio.h>

#include "op2/status.h"

/* Flush what `call` wrote. OP2_ERR_IO gives the reason if it has not left the process: a buffered
 * stream notices a full device only when it is flushed. */
op2_status op2i_stream_written(FILE *stream, const char *call);

#endif
