/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams of the caller to which the library writes. */
#include "stream.h"

#include <errno.h>
#include <string.h>

#include "error.h"

op2_status op2i_stream_written(FILE *stream, const char *call) {
  if (fflush(stream))
    return op2i_error(OP2_ERR_IO, "%s: the stream could not be written: %s", call, strerror(errno));
  if (ferror(stream))
    return op2i_error(OP2_ERR_IO, "%s: the stream could not be written: it has an error", call);
  return OP2_SUCCESS;
}
