/* SPDX-License-Identifier: BSD-3-Clause */
/* Failures of one rank, as all ranks report them: the message names the rank once, however often
 * ranks agree on it. */
#include <stdio.h>
#include <string.h>

#include "comm.h"
#include "error.h"

/* True if the message already names a rank of `size` ranks. */
static bool names_rank(const char *message, int size) {
  int rank, of, length = 0;
  if (sscanf(message, "rank %d of %d: %n", &rank, &of, &length) < 2 || !length) return false;
  return of == size && rank >= 0 && rank < size;
}

op2_status op2i_comm_report(op2_status status, int rank, int size, const char *message) {
  if (names_rank(message, size)) return op2i_error(status, "%s", message);
  return op2i_error(status, "rank %d of %d: %s", rank, size, message);
}
